"""An experiment that the dashboard is started on: files of this machine, put into the library."""

import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from mteval.errors import InputError
from mteval.library import Library, Listed
from mteval.library.configuration import NOBODY
from mteval.metrics import METRICS
from mteval.readers.disk import file_at
from mteval.readers.documents import InputFile
from mteval.readers.experiment_file.contents import FILE_NAME, parse_experiment
from mteval.readers.folder_growth import files_below
from mteval.readers.formats.text import decode
from mteval.readers.workspace import Workspace
from mteval.reporting.library.card import usual_name
from mteval.reporting.library.experiment import Made, content_of


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
