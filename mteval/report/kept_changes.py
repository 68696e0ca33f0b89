"""What the library knows of the loaded files: their entry, and unplanned interim analyses.

An interim analysis was unplanned if the same systems were scored before with fewer runs.
"""

import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from mteval.base.errors import InputError
from mteval.library import Library, Listed
from mteval.metrics import METRICS
from mteval.readers.disk import file_at, files_below
from mteval.readers.documents import FILE_NAME, InputFile
from mteval.readers.experiment_file import parse_experiment
from mteval.readers.formats.text import decode
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Card, Made, content_of, usual_name
from mteval.values.asker import OPERATOR


def runs_seen_before(card: Card, others: Iterable[Card]) -> tuple[int, ...]:
    """Return the smaller numbers of runs with which the same systems were scored before, in rising order.

    Experiments differ only in their runs if they have the same systems, metric, and name and size of the test set.
    """
    if not card.n_runs:
        return ()
    seen = {min(other.n_runs) for other in others if other.concluded and other.n_runs and _about(other) == _about(card)}
    return tuple(sorted(n_runs for n_runs in seen if n_runs < min(card.n_runs)))


def _about(card: Card) -> tuple[frozenset[str], str, int, str]:
    return frozenset(card.systems), card.test_set, card.n_segments, card.metric


def entry_of(paths: Sequence[Path], library: Library, left_to_grow: float = 0) -> Listed:
    """Return the library's experiment with these files, or a new one.

    Parameters
    ----------
    paths
        An ``experiment.toml`` (which adds the files that it names), folders, or files.
    left_to_grow
        Ignore files in folders that changed within this many seconds.

    Raises
    ------
    MtevalError
        If a file cannot be read, or the library cannot be written to.
    """
    workspace = Workspace(reserved=frozenset(METRICS)).add(
        [file for path in paths for file in files_at(path, left_to_grow)]
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
            library.touch(listed.uid, OPERATOR)
            return listed
    name = usual_name(workspace.experiment(made.baseline), len(workspace.documents))
    return library.add(content, name, OPERATOR)


def files_at(path: Path, left_to_grow: float) -> Iterator[InputFile]:
    """Yield the files of a path, with the names they have when dropped."""
    if path.is_dir():
        for name, there in files_below(path.resolve()).items():
            if time.time() - there.stat().st_mtime >= left_to_grow:
                yield InputFile(name, file_at(there).content)
    elif path.name == FILE_NAME:
        text = file_at(path)
        yield InputFile(FILE_NAME, text.content)
        described = parse_experiment(decode(text.content, str(path)), str(path))
        for name in dict.fromkeys(slot.file for slot in described.edits.slots):
            yield InputFile(name, file_at(path.parent / name).content)
    elif path.is_file():
        yield InputFile(path.as_posix(), file_at(path).content)
    else:
        raise InputError(f"No such file or folder. Give an {FILE_NAME}, a folder or files.", str(path))
