"""What is known of experiments by their files and cards: looks that nobody planned, and the entry that files have.

Looks that nobody planned: the same systems were scored before, with fewer runs.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mteval.base.errors import InputError
from mteval.library import Library, Listed
from mteval.library.shelf import NOBODY
from mteval.metrics import METRICS
from mteval.readers.disk import file_at, files_below
from mteval.readers.documents import FILE_NAME, InputFile
from mteval.readers.experiment_file import parse_experiment
from mteval.readers.formats.text import decode
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Card, Made, content_of, usual_name


def runs_seen_before(card: Card, others: Iterable[Card]) -> tuple[int, ...]:
    """Numbers of runs, fewer than now, with which an experiment's systems were scored, in rising order.

    Experiments are the same but for their runs where they have the same systems, and their verdicts are by the same
    metric on a test set of the same name and size.
    """
    if not card.n_runs:
        return ()
    seen = {min(other.n_runs) for other in others if other.concluded and other.n_runs and _about(other) == _about(card)}
    return tuple(sorted(n_runs for n_runs in seen if n_runs < min(card.n_runs)))


def _about(card: Card) -> tuple[frozenset[str], str, int, str]:
    return frozenset(card.systems), card.test_set, card.n_segments, card.metric


def entry_of(paths: Sequence[Path], library: Library, left_to_grow: float = 0) -> Listed:
    """The experiment that the files make: the one that has them already, as it was left, else a new one.

    Parameters
    ----------
    paths
        An ``experiment.toml``, which brings the files that it names, folders, or files.
    left_to_grow
        Files of folders that were written to in the last so many seconds are left out.

    Raises
    ------
    MtevalError
        Where a file cannot be read, or the library cannot be written to.
    """
    workspace = Workspace(reserved=frozenset(METRICS)).add(
        [file for path in paths for file in _files_at(path, left_to_grow)]
    )
    for problem in workspace.rejected:
        if problem.severity == "error":
            raise problem.as_error()
    described = workspace.described
    settings, baseline = (None, None) if described is None else (described.settings, described.baseline)
    made = Made(workspace.edits, settings, baseline)
    content = content_of(workspace, made, None)
    for listed in library.with_files(content.files or {}):
        if described is None or library.content(listed.uid).made == content.made:
            library.touch(listed.uid)
            return listed
    name = usual_name(workspace.experiment(made.baseline), len(workspace.documents))
    return library.add(content, name, NOBODY)


def _files_at(path: Path, left_to_grow: float) -> Iterator[InputFile]:
    """The files of a path, by the names that they have when it is dropped."""
    if path.is_dir():
        for name, there in files_below(path.resolve()).items():
            if time.time() - there.stat().st_mtime >= left_to_grow:
                yield InputFile(name, file_at(there).content)
    elif path.name == FILE_NAME:
        text = file_at(path)
        yield InputFile(FILE_NAME, text.content)
        described = parse_experiment(decode(text.content, str(path)), str(path))
        for name in dict.fromkeys(slot.file for slot in described.slots):
            yield InputFile(name, file_at(path.parent / name).content)
    elif path.is_file():
        yield InputFile(path.as_posix(), file_at(path).content)
    else:
        raise InputError(f"There is no such file or folder; name an {FILE_NAME}, a folder or files.", str(path))
