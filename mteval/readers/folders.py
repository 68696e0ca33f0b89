"""Files, folders, archives and tracked runs on disk whose names state their roles, and the experiment they make."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os.path import commonpath
from pathlib import Path
from tempfile import TemporaryDirectory

from mteval.base.errors import DataError, InputError
from mteval.base.words import composed
from mteval.readers.assembly.experiment import JUDGED_ALONE, LISTS_ALONE
from mteval.readers.assembly.given_scores import key_of_scores
from mteval.readers.disk import Loaded, beginning_of, file_at, files_below, hidden_below, links_below
from mteval.readers.documents import NEEDS_PACKAGE, WITHOUT_SCORES, InputFile, named
from mteval.readers.formats.archives import LEFT_BEHIND, is_clutter
from mteval.readers.formats.text import refuse_other_bytes
from mteval.readers.formats.trained_models import HEAD_OF_WEIGHTS, is_binary, may_be_weights
from mteval.readers.named_files import ScoreFiles
from mteval.readers.trackers import fetched, is_tracked
from mteval.readers.workspace import Workspace
from mteval.values.ledger import Entry, Ledger

HIDDEN = "hidden"


def gathered(paths: Sequence[Path], reserved: Collection[str] = ()) -> Workspace:
    """Read files, folders, archives and tracked runs whose names state their roles. What cannot be read is refused.

    Raises
    ------
    InputError
        If a path does not exist or cannot be opened.
    DataError
        If a tracker has no such runs.
    """
    with _on_disk(paths) as place_of:
        return _gathered(list(place_of.values()), Workspace(reserved=reserved))


def _gathered(paths: Sequence[Path], workspace: Workspace) -> Workspace:
    """Add files, folders and archives on disk to a workspace, with what is hidden among them."""
    absolute = [path.absolute() for path in paths]
    name_of = names_below(absolute)
    for name in name_of.values():
        refuse_other_bytes(name)
    workspace = workspace.add([InputFile(name, _content(file)) for file, name in name_of.items()])
    return replace(workspace, unread=(*workspace.unread, *_hidden(absolute)))


def _content(path: Path) -> bytes:
    """Return the content of a file, but only the beginning of a model's weights, which are ignored."""
    if may_be_weights(path.name):
        beginning = beginning_of(path, HEAD_OF_WEIGHTS)
        if is_binary(beginning):
            return beginning
    return file_at(path).content


def _hidden(paths: Sequence[Path]) -> Iterator[Entry]:
    """Yield what is not read in folders: hidden files, and links."""
    root = _root(paths)
    for folder in paths:
        if not folder.is_dir():
            continue
        for path, count in hidden_below(folder).items():
            name = str(path.relative_to(root))
            reason = LEFT_BEHIND if is_clutter(name) else HIDDEN
            yield Entry(name, "ignored", reason, count=count)
        for path, reason in links_below(folder).items():
            yield Entry(str(path.relative_to(root)), "refused", reason)


@contextmanager
def _on_disk(paths: Sequence[Path]) -> Iterator[Mapping[Path, Path]]:
    """Provide the place of each path on disk; the files of tracked runs are fetched into a folder that is removed."""
    if not any(map(is_tracked, paths)):
        yield {path: path for path in paths}
        return
    with TemporaryDirectory(prefix="mteval-") as folder:
        place_of = {}
        for path in dict.fromkeys(paths):
            if is_tracked(path):
                place_of[path] = fetched(path, Path(folder))
            else:
                place_of[path] = path
        yield place_of


def load_told_apart(
    paths: Sequence[Path], baseline: str | None, scores: ScoreFiles, nested: str = "", aligns: bool = False
) -> Loaded:
    """Load files, folders and archives whose names state their roles.

    Parameters
    ----------
    baseline
        None uses the system named as baseline, else the first.
    scores
        Files among the paths with scores computed elsewhere, by direction.
    nested
        Pattern of the names of runs that share a training; empty if each run is a training.
    aligns
        Whether to realign outputs with other lines than the references within documents.

    Raises
    ------
    InputError
        If a file cannot be read or does not fit the others.
    DataError
        If they make no experiment, or the baseline is missing.
    """
    with _on_disk(paths) as place_of:
        places = [place_of[path] for path in paths]
        scores_on_disk = replace(
            scores,
            higher=[place_of.get(path, path) for path in scores.higher],
            lower=[place_of.get(path, path) for path in scores.lower],
        )
        return _load_from_disk(places, baseline, scores_on_disk, nested, aligns)


def _load_from_disk(
    paths: Sequence[Path], baseline: str | None, scores: ScoreFiles, nested: str, aligns: bool
) -> Loaded:
    """Load files as ``load_told_apart`` does; none of the paths is a tracked run."""
    workspace = _gathered(paths, Workspace(reserved=scores.reserved).nest(nested))
    if workspace.described is not None:
        raise DataError("The files include an experiment.toml. Compute it with 'mteval run'.")
    if aligns:
        workspace = workspace.realigned()
    absolute = [path.absolute() for path in paths]
    name_of = names_below(absolute)
    _refuse_without_package(workspace)
    _refuse_files_without_scores(workspace, scores, name_of)
    workspace = _with_directions(workspace, scores, name_of)
    named_files = {name_of[path] for path in absolute if path in name_of}  # without those in folders
    _refuse_unreadable(workspace, named_files)

    experiment = workspace.experiment(baseline)
    if experiment is None:
        raise DataError(_why_no_experiment(workspace))
    if baseline is not None and experiment.baseline != composed(baseline):
        known = ", ".join(system.key for system in experiment.systems)
        raise DataError(f"The baseline '{baseline}' is not among the systems: {known}.")
    return workspace.loaded(experiment)


def _why_no_experiment(workspace: Workspace) -> str:
    """Return why files make no experiment, in the words of ``mteval check`` if something else is missing than texts."""
    missing = [problem.message for problem in workspace.assembly.problems if problem.severity == "warning"]
    if workspace.score_names and missing:
        return " ".join(missing)
    alone = [
        problem.message for problem in workspace.assembly.problems if problem.message in (JUDGED_ALONE, LISTS_ALONE)
    ]
    if alone:
        return " ".join(alone)
    return f"No experiment: the files contain no references and outputs. {_what_was_read(workspace)}"


def _what_was_read(workspace: Workspace) -> str:
    """Return how files that make no experiment were read, or why they were refused."""
    ledger = workspace.assembly.ledger
    texts = []
    if ledger.of("read"):
        names = named(f"{entry.file} ({', '.join(entry.roles)})" for entry in ledger.of("read"))
        texts.append(f"Read: {names}. Name outputs with --refs and --system.")
    texts.append(_first_refusal(ledger))
    texts.append("'mteval check' lists all files.")
    return " ".join(filter(None, texts))


def _first_refusal(ledger: Ledger) -> str:
    """Return why the first file is refused; empty if none is."""
    refused = ledger.of("refused")
    if not refused:
        return ""
    return f"Refused: {refused[0].file} ({refused[0].reason.removesuffix('.')})."


def _refuse_without_package(workspace: Workspace) -> None:
    """Raise InputError if files lack nothing but a package: without them, fewer runs would count."""
    lacking = [problem for problem in workspace.rejected if problem.code == NEEDS_PACKAGE]
    if lacking:
        files = named(problem.file or "" for problem in lacking)
        raise InputError(f"{lacking[0].message} Nothing was scored.", files, code=NEEDS_PACKAGE)


def names_below(paths: Sequence[Path]) -> dict[Path, str]:
    """Return the names of absolute files, and of all files below folders: their paths from the folder that all share.

    Raises
    ------
    InputError
        If a folder has no files.
    """
    root = _root(paths)
    name_of = {}
    for path in paths:
        for file in _files(path):
            name_of[file] = str(file.relative_to(root))
    return name_of


def _root(paths: Sequence[Path]) -> str:
    """Return the folder that absolute paths share."""
    return commonpath([path if path.is_dir() else path.parent for path in paths])


def _refuse_files_without_scores(workspace: Workspace, scores: ScoreFiles, name_of: Mapping[Path, str]) -> None:
    """Raise InputError if a file that is named as one of scores was read, and has none; of a folder, one suffices."""
    read_files = {document.name for document in workspace.documents}
    files_with_scores = {slot.file for slot in workspace.slots if slot.role == "scores"}
    for path in (*scores.higher, *scores.lower):
        absolute = path.absolute()
        # The file itself, or the files below the folder
        names = {name for file, name in name_of.items() if file == absolute or absolute in file.parents}
        if names & read_files and not names & files_with_scores:
            message = "No scores found. Expected a log of another program, or a table of scores (docs/given-scores.md)."
            refusal = _first_refusal(workspace.assembly.ledger)
            raise InputError(f"{message} {refusal}".rstrip(), str(path), code=WITHOUT_SCORES)


def _with_directions(workspace: Workspace, scores: ScoreFiles, name_of: Mapping[Path, str]) -> Workspace:
    """Set the directions of scores by their files, then by the names of their metrics."""
    for is_higher, paths in ((True, scores.higher), (False, scores.lower)):
        names: set[str] = set()
        for path in paths:
            names.update(name_of[file] for file in _files(path.absolute()))
        for slot in workspace.slots:
            if slot.role == "scores" and (slot.file in names or _is_in_archive(slot.file, names)):
                workspace = workspace.direct(slot.shown_name, is_higher)

    metric_of: dict[str, str] = {}  # by name, and by the key that the command line uses
    for name in workspace.score_names:
        metric_of[key_of_scores(name)] = name
        metric_of[name] = name
    for name in scores.lower_names:
        if name not in metric_of:
            raise DataError(f"No scores '{name}'. Found: {', '.join(workspace.score_names) or 'none'}.")
        workspace = workspace.direct(metric_of[name], False)
    return workspace


def _is_in_archive(file: str, names: Collection[str]) -> bool:
    """Tell whether a file is in an archive of one of these names."""
    return any(file.startswith(f"{name}/") for name in names)


def _refuse_unreadable(workspace: Workspace, named_files: Collection[str]) -> None:
    """Raise InputError at the first error, except for files of a folder that cannot be read: those are refused alone.

    If no file can be read, the first error is the reason for all others.
    """
    for problem in (*workspace.rejected, *workspace.assembly.problems):
        if problem.severity != "error":
            continue
        is_of_folder = problem in workspace.rejected and problem.file not in named_files
        if is_of_folder and workspace.documents:
            continue
        if problem.file is None and workspace.assembly.experiment is None:
            raise InputError(f"{problem.message} {_what_was_read(workspace)}")
        raise problem.as_error()


def _files(path: Path) -> list[Path]:
    """Return the file, or all files below a folder."""
    if not path.is_dir():
        return [path]
    files = list(files_below(path).values())
    if not files:
        raise InputError("The folder has no files.", str(path))
    return files
