"""An experiment as the library keeps it, and as an ``experiment.toml`` with its files: one can be made of the other."""

from dataclasses import dataclass

from mteval.analysis.overview import reported_test_set
from mteval.analysis.results import Results
from mteval.errors import DataError
from mteval.library import Content
from mteval.metrics import METRICS
from mteval.model import Experiment
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Edits, Workspace
from mteval.reporting.library.card import Card, card_of
from mteval.reporting.library.json_form import from_json_form, to_json_form
from mteval.reporting.library.numbers import evaluation_from, numbers_of
from mteval.reporting.package import packed_inputs
from mteval.settings import Settings


@dataclass(frozen=True)
class Bookmarks:
    """Segments of a test set that somebody wants to find again; zero-based."""

    test_set: str
    segments: tuple[int, ...]


@dataclass(frozen=True)
class Made:
    """What was made of the files.

    Parameters
    ----------
    edits
        What each file is taken for.
    settings
        None where those of the sidebar could not be used.
    baseline
        The system that was chosen to compare with; None leaves it to the guess.
    first_primary
        The metric that the numbers were first read by; None where there are none.
    seen
        What was seen of these systems, also with fewer runs: later runs do not make it unseen.
    bookmarks
        Of the test sets that have any.
    """

    edits: Edits
    settings: Settings | None
    baseline: str | None
    first_primary: str | None = None
    seen: tuple[Card, ...] = ()
    bookmarks: tuple[Bookmarks, ...] = ()


@dataclass(frozen=True, eq=False)
class Opened:
    """An experiment that was kept, as it was."""

    workspace: Workspace
    made: Made
    experiment: Experiment | None
    results: Results | None


def content_of(
    workspace: Workspace, made: Made, results: Results | None, *, with_files: bool = True, with_numbers: bool = True
) -> Content:
    """What is kept of what is loaded, ``results`` its numbers where there are any.

    Files and numbers that are the same as before need not be written again.
    """
    numbers = None
    if with_numbers:
        numbers = b"" if results is None else numbers_of(results.experiment, results.evaluation)
    return Content(
        made=to_json_form(made),
        card=to_json_form(card_of(workspace.experiment(made.baseline), results)),
        files={file.name: file.content for file in workspace.files} if with_files else None,
        numbers=numbers,
    )


def opened(content: Content) -> Opened:
    """What was kept, as it was; nothing is guessed anew and nothing is computed.

    Raises
    ------
    DataError
        Where it is of a form that this version does not know.
    """
    made: Made = from_json_form(Made, content.made)
    files = [InputFile(name, blob) for name, blob in (content.files or {}).items()]
    workspace = Workspace.of(files, made.edits, frozenset(METRICS))
    experiment = workspace.experiment(made.baseline)
    evaluation = evaluation_from(content.numbers, experiment) if content.numbers and experiment is not None else None
    if experiment is None or evaluation is None:
        return Opened(workspace, made, experiment, None)
    return Opened(workspace, made, experiment, Results(experiment, evaluation, reported_test_set(experiment)))


def exported(workspace: Workspace, made: Made) -> dict[str, bytes]:
    """``experiment.toml`` and the files that it names, by path: dropped on the first page it is the experiment again.

    Raises
    ------
    DataError
        Where the files make no experiment yet.
    """
    experiment = workspace.experiment(made.baseline)
    if experiment is None:
        raise DataError("Its files make no experiment yet: outputs are missing. Open it to add them.")
    return packed_inputs(workspace.loaded(experiment), made.settings or Settings())
