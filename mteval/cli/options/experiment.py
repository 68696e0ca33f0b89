"""``experiment.toml`` on the command line: the argument, and what is said about the file when it was read."""

import argparse
from pathlib import Path

from mteval import __version__
from mteval.cli.console import tell
from mteval.cli.options.languages import say_unseen
from mteval.cli.options.metrics import report_unusable
from mteval.errors import SettingsError
from mteval.metrics import METRICS, resolve
from mteval.readers.experiment_file.contents import FILE_NAME
from mteval.readers.experiment_file.folder import Replay, read_experiment


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


def read(path: Path) -> Replay:
    """The experiment with all its files.

    Raises
    ------
    MtevalError
        Where a file cannot be read, or the settings cannot be used.
    """
    replay = read_experiment(path, reserved=METRICS)
    try:
        resolve(replay.file.settings, replay.loaded.experiment.given)
    except SettingsError as error:
        raise SettingsError(f"{path}: 'settings': {error}") from error
    made_with = replay.file.made_with
    if made_with and made_with != f"mteval {__version__}":
        tell(f"{path} was made with {made_with}; this is mteval {__version__}")
    say_unseen(replay.loaded.experiment, replay.file.settings.metrics)
    return replay
