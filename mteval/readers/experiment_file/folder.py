"""An ``experiment.toml`` on disk, read with all the files that it names."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

from mteval.errors import InputError
from mteval.readers.assembly.experiment import assemble
from mteval.readers.disk import Loaded, load_documents
from mteval.readers.documents import DEFAULT_LIMITS, Limits
from mteval.readers.experiment_file.contents import ExperimentFile, parse_experiment
from mteval.readers.formats.text import decode


@dataclass(frozen=True)
class Replay:
    """What an experiment's file says, and the experiment with the files that it names."""

    file: ExperimentFile
    loaded: Loaded


def read_experiment(path: Path, limits: Limits = DEFAULT_LIMITS, reserved: Collection[str] = ()) -> Replay:
    """The experiment that the file describes; paths in it are relative to its folder.

    ``reserved`` are keys of metrics that given scores must not have.

    Raises
    ------
    InputError
        Where the file or one that it names cannot be read, or files do not fit together.
    """
    if not path.is_file():
        raise InputError("There is no such file; name an experiment.toml.", str(path))
    described = parse_experiment(decode(path.read_bytes(), str(path)), str(path))
    slots = tuple(replace(slot, file=str(path.parent / slot.file)) for slot in described.slots)
    for slot, given, key in zip(slots, described.slots, described.keys, strict=True):
        if not Path(slot.file).is_file():
            raise InputError(
                f"'{key}' is '{given.file}', and there is no such file beside it ({slot.file}). Paths are relative to"
                " the folder of this file: mend the path, or put the file there.",
                str(path),
            )
    documents = tuple(load_documents(dict.fromkeys(Path(slot.file) for slot in slots), limits).values())
    assembly = assemble(
        documents, slots, described.baseline, described.roles, described.directions, reserved, described.languages
    )
    return Replay(described, Loaded(assembly.required(), slots, documents))
