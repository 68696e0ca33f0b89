"""Files on disk whose names say what they are, taken as the page takes what is dropped; stops at the first problem."""

from collections.abc import Collection, Iterator, Sequence
from os.path import commonpath
from pathlib import Path

from mteval.base.errors import DataError, InputError
from mteval.readers.disk import Loaded, file_at, files_below
from mteval.readers.documents import InputFile
from mteval.readers.named_files import ScoreFiles
from mteval.readers.workspace import Workspace


def load_told_apart(
    paths: Sequence[Path], baseline: str | None, scores: ScoreFiles, reserved: Collection[str]
) -> Loaded:
    """The experiment of files, folders and archives.

    Parameters
    ----------
    baseline
        None takes the system whose name says so, else the first.
    scores
        Those among the paths that hold scores computed elsewhere; of others it is not known which are better.
    reserved
        Keys of metrics that scores must not have.

    Raises
    ------
    InputError
        Where a file cannot be read, or does not fit the others.
    DataError
        Where they make no experiment, or one without the baseline.
    """
    named = [path.absolute() for path in paths]
    root = commonpath([path if path.is_dir() else path.parent for path in named])
    shown = {file: str(file.relative_to(root)) for path in named for file in _files(path)}
    workspace = Workspace(reserved=reserved).add([InputFile(shown[file], file_at(file).content) for file in shown])
    if workspace.described is not None:
        raise DataError("The files hold an experiment.toml, which says how it is computed; use 'mteval run' with it.")
    for is_higher, files in ((True, scores.higher), (False, scores.lower)):
        names = {shown[file] for path in files for file in _files(path.absolute())}
        for slot in workspace.slots:
            if slot.role == "scores" and slot.file in names:
                workspace = workspace.direct(slot.shown_name, is_higher)
    for problem in (*workspace.rejected, *workspace.assembly.problems):
        if problem.severity == "error":
            raise problem.as_error()
    experiment = workspace.experiment(baseline)
    if experiment is None:
        raise DataError("The files make no experiment: no references and outputs were found among them.")
    if baseline is not None and experiment.baseline != baseline:
        known = ", ".join(system.key for system in experiment.systems)
        raise DataError(f"The baseline '{baseline}' is not among the systems: {known}.")
    return workspace.loaded(experiment)


def _files(path: Path) -> Iterator[Path]:
    """The file, or all files below a folder."""
    if not path.is_dir():
        yield path
        return
    below = files_below(path)
    if not below:
        raise InputError("The folder has no files.", str(path))
    yield from below.values()
