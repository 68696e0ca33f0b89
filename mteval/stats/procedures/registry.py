"""Registry of test procedures, in the order shown."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from mteval.stats.procedures.bootstrap import BOOTSTRAP_RM2005, BOOTSTRAP_SHIFT, PAIRED_BOOTSTRAP
from mteval.stats.procedures.classical import PAIRED_T, RUN_PERMUTATION, SIGN, WELCH, WILCOXON
from mteval.stats.procedures.randomization import AR_OUTPUT, AR_SEGMENT
from mteval.stats.procedures.spec import Luck, ProcedureSpec
from mteval.stats.procedures.two_way import TWO_WAYS
from mteval.values.run_words import RUN, RunWord
from mteval.values.settings import Design

_SPECS = (
    AR_SEGMENT,
    AR_OUTPUT,
    BOOTSTRAP_SHIFT,
    BOOTSTRAP_RM2005,
    PAIRED_BOOTSTRAP,
    SIGN,
    WILCOXON,
    PAIRED_T,
    RUN_PERMUTATION,
    WELCH,
    *TWO_WAYS,
)


@cache
def procedures_in(runs: RunWord, unit: str) -> Mapping[str, ProcedureSpec]:
    """Return all procedures by key, with texts in the word for a run and the unit that they resample."""
    return MappingProxyType({spec.key: spec.in_words(runs, unit) for spec in _SPECS})


PROCEDURES = procedures_in(RUN, "segment")


def answering(luck: Luck, unit: str, design: Design = "independent", is_strict: bool = False) -> ProcedureSpec:
    """Return the first procedure that answers the question about one kind of luck on these units.

    Design and strictness matter only for both kinds of luck. Released models have no training luck, so test-set luck is
    the answer to both.
    """
    if design == "released":
        luck = "test-set"
    specs = [spec for spec in PROCEDURES.values() if spec.gives_answer and spec.luck == luck and unit in spec.units]
    return next(spec for spec in specs if _is_for(spec, design, is_strict))


def _is_for(spec: ProcedureSpec, design: Design, is_strict: bool) -> bool:
    """Whether a procedure is made for a design; those for one kind of luck do not depend on it."""
    if spec.luck != "both":
        return spec.design == "independent" and not spec.is_strict
    return spec.design == design and spec.is_strict == is_strict


def usual(design: Design = "independent") -> tuple[str, ...]:
    """Return the keys of procedures for independent runs and for the declared design.

    For released models, which have no training luck, only those about test-set luck.
    """
    keys = []
    for key, spec in PROCEDURES.items():
        if design == "released" and spec.luck != "test-set":
            continue
        if spec.design in ("independent", design):
            keys.append(key)
    return tuple(keys)


def showing_equal(unit: str, design: Design, is_strict: bool = False) -> tuple[ProcedureSpec, ...]:
    """Return the procedures used for equivalence tests: one per kind of luck, for released models the test set's."""
    specs = [spec for spec in PROCEDURES.values() if unit in spec.shows_equal]
    return tuple(spec for spec in specs if _is_for(spec, design, is_strict))


def on_draws() -> Mapping[str, ProcedureSpec]:
    """Return the usual procedures that test many draws of runs, by key; those kept for published numbers first."""
    specs = [spec for spec in PROCEDURES.values() if spec.on_draws is not None and not spec.is_strict]
    specs.sort(key=lambda spec: not spec.reproduces)  # False comes first
    return MappingProxyType({spec.key: spec for spec in specs})
