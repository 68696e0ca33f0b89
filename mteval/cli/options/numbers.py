"""How many replicates and shuffles, of what, from which seed; and the settings that follow from all options.

``experiment.toml`` on the command line: the argument, and what is said about the file when it was read.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mteval._version import __version__
from mteval.base.errors import SettingsError
from mteval.cli.console import tell
from mteval.cli.options.metrics import Metrics, report_unusable
from mteval.cli.options.systems import say_unseen
from mteval.metrics import METRICS, resolve
from mteval.readers.documents import FILE_NAME
from mteval.values.run_words import RUN_WORDS
from mteval.values.settings import DESIGNS, EXCHANGE_UNITS, SPENDINGS, Settings, known_looks

if TYPE_CHECKING:
    from mteval.readers.replays import Replay

_DEFAULTS = Settings()


def add_numbers(parser: argparse.ArgumentParser) -> None:
    """Add ``--boot-samples``, ``--ar-shuffles``, ``--ar-unit``, ``--design`` and ``--seed``."""
    group = parser.add_argument_group("numbers")
    add_number(group, "--boot-samples", int, _DEFAULTS.n_bootstrap, "bootstrap replicates, for s_sel")
    add_shuffles(group, "--ar-shuffles", "shuffles of approximate randomization, for p")
    group.add_argument(
        "--ar-unit", choices=EXCHANGE_UNITS, default="auto",
        help="what is exchanged: a segment's or a document's runs together, or each output alone as in MultEval; auto"
        " takes documents where they are named (default: auto)",
    )  # fmt: skip
    add_design(group)
    add_seed(group)
    add_runs(group)


def add_runs(group: argparse._ActionsContainer) -> None:
    """Add ``--looks``, ``--spending`` and ``--run-word``."""
    group.add_argument(
        "--looks", nargs="+", type=int, default=[], metavar="N",
        help="runs were added after looking, which was planned at these numbers of runs of each system: one of "
        + ", ".join(f"'{' '.join(map(str, looks))}'" for looks in known_looks()),
    )  # fmt: skip
    group.add_argument(
        "--spending", choices=SPENDINGS, default=_DEFAULTS.spending,
        help="the level of the looks: constant, or late for little at early ones (default: %(default)s)",
    )  # fmt: skip
    add_run_word(group)


def add_run_word(group: argparse._ActionsContainer) -> None:
    """Add ``--run-word``."""
    group.add_argument(
        "--run-word", choices=tuple(RUN_WORDS), default=_DEFAULTS.run_word, metavar="WORD",
        help=f"what a run is: {', '.join(RUN_WORDS)} (default: %(default)s)",
    )  # fmt: skip


def add_design(group: argparse._ActionsContainer) -> None:
    """Add ``--design``."""
    group.add_argument(
        "--design", choices=DESIGNS, default=_DEFAULTS.design,
        help="how runs of baseline and system belong together: independent, paired (runs of the same number share their"
        " seed), or fixed (the baseline will never be trained or decoded again; its own luck is left out) (default:"
        " independent)",
    )  # fmt: skip


def add_number(
    group: argparse._ActionsContainer,
    name: str,
    kind: Callable[[str], float],
    default: float,
    text: str,
    letter: str = "N",
) -> None:
    """Add an option with a number, whose help ends with the default."""
    group.add_argument(name, type=kind, default=default, metavar=letter, help=f"{text} (default: %(default)s)")


def add_shuffles(group: argparse._ActionsContainer, name: str, text: str) -> None:
    """Add the number of shuffles of a randomization test."""
    add_number(group, name, int, _DEFAULTS.n_shuffles, text)


def add_seed(group: argparse._ActionsContainer) -> None:
    """Add ``--seed``."""
    add_number(group, "--seed", int, _DEFAULTS.seed, "of all random numbers")


def settings_of(options: argparse.Namespace, metrics: Metrics, **numbers: Any) -> Settings:
    """The settings of a command: its metrics, convention, seed and threads, and the numbers that only it has.

    Raises
    ------
    SettingsError
        Where looks that are not named are said to have a level, and where a number cannot be used.
    """
    looks = tuple(getattr(options, "looks", ()))
    if not looks and getattr(options, "spending", _DEFAULTS.spending) != _DEFAULTS.spending:
        raise SettingsError("--spending is about the looks of --looks, which are not named; name both, or neither.")
    return Settings(
        metrics=tuple(metrics.labels),
        convention=options.convention,
        options=metrics.options,
        seed=options.seed,
        workers=options.threads,
        **{name: getattr(options, name) for name in ("spending", "run_word") if name in options},
        looks=looks,
        **numbers,
    )


def chosen_settings(options: argparse.Namespace, metrics: Metrics) -> Settings:
    """The settings of a command that has all the options of ``add_numbers``."""
    return settings_of(
        options,
        metrics,
        n_bootstrap=options.boot_samples,
        n_shuffles=options.ar_shuffles,
        exchange_unit=options.ar_unit,
        design=options.design,
    )


def add_experiment_file(group: argparse._ActionsContainer, *, several: bool = False) -> None:
    """Add the path of the file, or of several, as the first word; their settings may name metrics of other packages."""
    report_unusable()
    group.add_argument(
        "experiment",
        type=Path,
        nargs="+" if several else None,
        metavar=FILE_NAME,
        help="which file is what, and the settings, as the dashboard and 'mteval report' write it",
    )


def read(path: Path) -> "Replay":
    """The experiment with all its files.

    Raises
    ------
    MtevalError
        Where a file cannot be read, or the settings cannot be used.
    """
    from mteval.readers.replays import read_experiment  # here, since `eval` reads none

    replay = read_experiment(path, reserved=METRICS)
    try:
        resolve(replay.file.settings, replay.loaded.experiment.given)
    except SettingsError as error:
        raise SettingsError(f"{path}: 'settings': {error}") from error
    made_with = replay.file.made_with
    if made_with and made_with != f"mteval {__version__}":
        tell(f"{path} was made with {made_with}; this is mteval {__version__}")
    for remark in replay.loaded.remarks:
        tell(remark.text)
    say_unseen(replay.loaded.experiment, replay.file.settings.metrics)
    return replay
