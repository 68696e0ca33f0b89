"""The table of test procedures: all that pages, command line and exports know of them, in the order shown."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from mteval.stats.procedures.bootstrap import BOOTSTRAP_RM2005, BOOTSTRAP_SHIFT, PAIRED_BOOTSTRAP
from mteval.stats.procedures.classical import PAIRED_T, RUN_PERMUTATION, SIGN, WELCH, WILCOXON
from mteval.stats.procedures.randomization import AR_OUTPUT, AR_SEGMENT
from mteval.stats.procedures.spec import Luck, ProcedureSpec
from mteval.stats.procedures.two_way import TWO_WAY, TWO_WAY_FIXED, TWO_WAY_PAIRED
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Design

_SPECS = (
    AR_SEGMENT, AR_OUTPUT, BOOTSTRAP_SHIFT, BOOTSTRAP_RM2005, PAIRED_BOOTSTRAP, SIGN, WILCOXON, PAIRED_T,
    RUN_PERMUTATION, WELCH, TWO_WAY, TWO_WAY_FIXED, TWO_WAY_PAIRED,
)  # fmt: skip


@cache
def procedures_in(runs: RunWord) -> Mapping[str, ProcedureSpec]:
    """All procedures by key, described in the word for a run."""
    return MappingProxyType({spec.key: spec.in_words(runs) for spec in _SPECS})


PROCEDURES = procedures_in(RUN)


def answering(luck: Luck, unit: str, design: Design = "independent") -> ProcedureSpec:
    """The procedure behind one of the two answers: the first that gives an answer about that luck on such units.

    Luck with the test set alone takes runs as given, however they were declared.
    """
    wanted = design if luck == "both" else "independent"
    specs = (spec for spec in PROCEDURES.values() if spec.gives_answer and spec.design == wanted)
    return next(spec for spec in specs if spec.luck == luck and unit in spec.units)


def usual(design: Design = "independent") -> tuple[str, ...]:
    """Keys of the procedures to be read side by side: those that ask for no declaration, and the one declared."""
    return tuple(key for key, spec in PROCEDURES.items() if spec.design in ("independent", design))


def showing_equal(unit: str, design: Design) -> tuple[ProcedureSpec, ...]:
    """The procedures by which claims of equality are made: one for each luck."""
    specs = [spec for spec in PROCEDURES.values() if unit in spec.shows_equal]
    return tuple(spec for spec in specs if spec.design == (design if spec.luck == "both" else "independent"))


def on_draws() -> Mapping[str, ProcedureSpec]:
    """Those that can test many draws of runs, by key; first those that published numbers used, which it is about."""
    serving = [spec for spec in PROCEDURES.values() if spec.on_draws is not None]
    return MappingProxyType({spec.key: spec for spec in sorted(serving, key=lambda spec: not spec.reproduces)})
