"""Options for resampling, seed and design, the settings made from all options, and reading ``experiment.toml``."""

import argparse
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mteval._version import __version__
from mteval.analysis.judges import expected_use
from mteval.base.errors import SettingsError
from mteval.cli.console import tell
from mteval.cli.metric_options import options_given, report_unusable
from mteval.metrics import METRICS, resolve, with_language
from mteval.readers.appearance import suggest_convention
from mteval.readers.disk import read_lines
from mteval.readers.documents import FILE_NAME
from mteval.values.model import Experiment
from mteval.values.run_words import RUN_WORDS
from mteval.values.settings import DECISIONS, DESIGNS, EXCHANGE_UNITS, SPENDINGS, Settings

if TYPE_CHECKING:
    from mteval.readers.replays import Replay
    from mteval.values.plan import Planned

_DEFAULTS = Settings()


def add_setting(group: argparse._ActionsContainer, name: str, field: str, text: str, **more: Any) -> None:
    """Add an option for a field of ``Settings``."""
    default = getattr(_DEFAULTS, field)
    more = {"type": type(default), **({} if "choices" in more else {"metavar": "N"}), **more}
    group.add_argument(name, dest=field, default=default, help=f"{text} (default: %(default)s)", **more)


def add_numbers(parser: argparse.ArgumentParser) -> None:
    """Add the options of tests: replicates, shuffles, unit, confidence, design, seed and interim analyses."""
    group = parser.add_argument_group("tests")
    add_setting(group, "--boot-samples", "n_bootstrap", "bootstrap replicates for s_sel")
    add_setting(group, "--ar-shuffles", "n_shuffles", "shuffles for p")
    unit = "what the test permutes; auto: documents if known"
    add_setting(group, "--ar-unit", "exchange_unit", unit, choices=EXCHANGE_UNITS)
    add_confidence(group)
    add_design(group)
    text = "all: better by every metric; any: p is adjusted for the metrics, too"
    add_setting(group, "--decide", "decision", text, choices=DECISIONS)
    add_seed(group)
    add_runs(group)


def add_runs(group: argparse._ActionsContainer) -> None:
    """Add ``--looks``, ``--spending`` and ``--run-word``."""
    text = "planned interim analyses: numbers of runs, e.g. 3 5 10"
    group.add_argument("--looks", nargs="+", type=int, default=[], metavar="N", help=text)
    text = "significance level of interim analyses: constant, or stricter early"
    add_setting(group, "--spending", "spending", text, choices=SPENDINGS)
    add_run_word(group)


def add_run_word(group: argparse._ActionsContainer) -> None:
    """Add ``--run-word``."""
    text = f"what a run is: {', '.join(RUN_WORDS)}"
    add_setting(group, "--run-word", "run_word", text, choices=tuple(RUN_WORDS), metavar="WORD")


def add_design(group: argparse._ActionsContainer) -> None:
    """Add ``--design`` and ``--strict``."""
    text = (
        "paired: runs share seeds; fixed: baseline is never retrained; candidate: test a single run against the"
        " baseline's runs; released: neither system is retrained"
    )
    add_setting(group, "--design", "design", text, choices=DESIGNS)
    text = "make p (both) hold its level with few runs; less power"
    group.add_argument("--strict", action="store_true", default=_DEFAULTS.strict, help=text)


def add_resampling(group: argparse._ActionsContainer, unit: str) -> None:
    """Add ``--unit``, ``--resamples``, ``--confidence`` and ``--seed``."""
    add_setting(group, "--unit", "exchange_unit", unit, choices=("auto", "segment", "document"))
    add_setting(group, "--resamples", "n_shuffles", "shuffles or bootstrap replicates")
    add_confidence(group)
    add_seed(group)


def add_confidence(group: argparse._ActionsContainer) -> None:
    """Add ``--confidence``."""
    add_setting(group, "--confidence", "confidence", "confidence level of intervals and verdicts", metavar="C")


def add_seed(group: argparse._ActionsContainer) -> None:
    """Add ``--seed``."""
    add_setting(group, "--seed", "seed", "random seed")


def add_plan(group: argparse._ActionsContainer) -> None:
    """Add ``--plan``."""
    group.add_argument("--plan", type=Path, metavar="FILE", help="say 'as planned', or how it deviates (mteval plan)")


def planned_by(options: argparse.Namespace, experiment: Experiment, settings: Settings) -> "Planned | None":
    """Compare what is computed with the plan of ``--plan``; None without one.

    Raises
    ------
    MtevalError
        If the file cannot be read.
    """
    if options.plan is None:
        return None
    from mteval.readers.plan_file import checked_plan  # rarely needed

    return checked_plan("\n".join(read_lines(options.plan)), options.plan.name, experiment, settings)


def settings_of(
    options: argparse.Namespace, metrics: Mapping[str, str], experiment: Experiment | None = None
) -> Settings:
    """Return the settings given by a command's options and metrics, with defaults for options it does not have.

    The convention is MultEval's for its own options and n-best lists; otherwise as the text looks.

    Raises
    ------
    SettingsError
        If ``--spending`` is given without ``--looks``, or a number is out of range.
    """
    given = {one.name: getattr(options, one.name) for one in fields(Settings) if one.name in options}
    given |= {
        "metrics": tuple(metrics),
        "options": options_given(options, metrics),
        "looks": tuple(given.get("looks", ())),
    }
    if not given["looks"] and given.get("spending", _DEFAULTS.spending) != _DEFAULTS.spending:
        raise SettingsError("--spending needs --looks.")
    decides = experiment is not None and not getattr(options, "hyps_baseline", None)
    if given.get("convention") is None:
        given["convention"] = suggest_convention(experiment).convention if experiment and decides else "multeval"
    settings = Settings(**given)
    settings = settings.of_trainings() if experiment is not None and experiment.nested else settings
    settings = with_language(settings, experiment) if experiment is not None and decides else settings
    for line in expected_use(experiment, settings) if experiment is not None else ():
        tell(line)
    return settings


def add_experiment_file(group: argparse._ActionsContainer, *, several: bool = False) -> None:
    """Add the positional argument for one or several experiment files."""
    report_unusable()
    text = "saved by the dashboard or 'mteval report'"
    group.add_argument("experiment", type=Path, nargs="+" if several else None, metavar=FILE_NAME, help=text)


def read_replay(path: Path) -> "Replay":
    """Read an experiment with all its files, and print notes on them.

    Raises
    ------
    MtevalError
        If a file cannot be read, or the settings cannot be used.
    """
    from mteval.readers.replays import read_experiment  # not needed by eval

    replay = read_experiment(path, reserved=METRICS)
    try:
        resolve(replay.file.settings, replay.loaded.experiment.given)
    except SettingsError as error:
        raise SettingsError(f"{path}: 'settings': {error}") from error
    made_with = replay.file.made_with
    if made_with and made_with != f"mteval {__version__}":
        tell(f"{path} was saved by {made_with}; this is mteval {__version__}")
    for note in replay.loaded.notes:
        tell(note.text)
    return replay
