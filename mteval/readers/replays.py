"""Load an ``experiment.toml`` with its files, from disk or from dropped files. Nothing is guessed.

``slots_in_use`` selects the slots that such a file is written from.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from mteval.base.errors import InputError
from mteval.readers.assembly.experiment import assemble
from mteval.readers.disk import Loaded, load_documents
from mteval.readers.documents import FILE_NAME, Document, Problem, Slot
from mteval.readers.experiment_file import ExperimentFile, parse_experiment
from mteval.readers.formats.text import decode
from mteval.readers.names import sample_name
from mteval.values.model import Experiment, Run


@dataclass(frozen=True)
class Replay:
    """The content of an experiment file, and the experiment with its files."""

    file: ExperimentFile
    loaded: Loaded


def read_experiment(path: Path, reserved: Collection[str] = ()) -> Replay:
    """Load an experiment file; its paths are relative to its folder.

    ``reserved`` lists metric keys that given scores must not use.

    Raises
    ------
    InputError
        If the file or one that it names cannot be read, or files do not fit together.
    """
    if not path.is_file():
        raise InputError("No such file. Name an experiment.toml.", str(path))
    file = parse_experiment(decode(path.read_bytes(), str(path)), str(path))
    slots = tuple(replace(slot, file=str(path.parent / slot.file)) for slot in file.edits.slots)
    for slot, given, key in zip(slots, file.edits.slots, file.keys, strict=True):
        if not Path(slot.file).is_file():
            message = f"'{key}' is '{given.file}', but {slot.file} does not exist. Paths are relative to this file."
            raise InputError(f"{message} Fix the path, or put the file there.", str(path))
    documents = tuple(load_documents(Path(slot.file) for slot in slots).values())
    assembly = assemble(documents, replace(file.edits, slots=slots), file.baseline, reserved)
    return Replay(file, Loaded(assembly.required(), slots, documents, tuple(_changes(file, str(path)))))


def _changes(described: ExperimentFile, file: str) -> Iterator[Problem]:
    """Warn if definitions have changed since the file was written."""
    if described.changed:
        message = f"Definitions have changed since, so numbers may differ. {' '.join(described.changed)}"
        yield Problem(message, file, severity="warning")


def slots_in_use(experiment: Experiment, slots: Iterable[Slot], problems: Iterable[Problem]) -> Iterator[Slot]:
    """Yield the slots that the experiment was made from, without those that would stop a replay.

    Slots of scores are not included: the scores are written as tables with the current system names.
    """
    outputs = [(one.name, run) for one in experiment.test_sets for run in (*one.runs, *one.copies)]
    parsed = {(test_set, run.system, run.key) for test_set, run in outputs if run.parses}
    parsed |= {(test_set.name, "", "") for test_set in experiment.test_sets if test_set.reference_parses is not None}
    refused = {problem.file for problem in problems if problem.severity == "error"}
    runs = {(test_set, run.system, name) for test_set, run in outputs for name in _names_in_slots(run)}
    names = {test_set.name for test_set in experiment.test_sets}
    for slot in slots:
        if not slot.included or slot.test_set not in names or slot.role in ("other", "scores"):
            continue
        system, run = slot.parsed_text
        if slot.role == "parses" and (slot.test_set, system, run if system else "") not in parsed:
            continue
        if slot.role != "hypothesis":
            if slot.file not in refused:
                yield slot
        elif (run_name := (slot.test_set, str(slot.system), str(slot.run))) in runs:
            runs.remove(run_name)  # the first file of a run counts; a second one was ignored
            yield slot


def _names_in_slots(run: Run) -> Iterator[str]:
    yield from run.members or (run.key,)
    yield from (sample.key if run.members else sample_name(run.key, sample.key) for sample in run.samples)


@dataclass(frozen=True)
class DroppedExperiment:
    """Files dropped together with an experiment file.

    Parameters
    ----------
    file
        Its content; None if it cannot be read.
    documents
        The documents it names; all others if it cannot be read.
    slots
        Roles of the documents. A missing document has no slot.
    problems
        Problems to show.
    """

    file: ExperimentFile | None
    documents: tuple[Document, ...]
    slots: tuple[Slot, ...]
    problems: tuple[Problem, ...]


def experiment_among(documents: Sequence[Document], problems: Sequence[Problem]) -> DroppedExperiment | None:
    """Return the experiment described by an ``experiment.toml`` among dropped files, or None.

    Files that it does not name, such as tables and figures of a report, are ignored.
    """
    files = [one for one in documents if PurePosixPath(one.name).name == FILE_NAME and one.format == "lines"]
    if not files:
        return None
    if len(files) > 1:
        names = ", ".join(document.name for document in files)
        problem = Problem(f"Found {len(files)}: {names}. Drop one experiment at a time.", FILE_NAME)
        return DroppedExperiment(None, (), (), (problem,))
    text, name = "\n".join(line or "" for line in files[0].streams[0].lines), files[0].name
    try:
        described = parse_experiment(text, name)
    except InputError as error:
        others = tuple(document for document in documents if document is not files[0])
        return DroppedExperiment(None, others, (), (Problem.of(error), *problems))
    by_name = {document.name: document for document in documents}
    unreadable = {problem.file: problem for problem in problems if problem.severity == "error"}
    slots, notes = list[Slot](), list(_changes(described, name))
    for slot, key in zip(described.edits.slots, described.keys, strict=True):
        file = str(PurePosixPath(name).parent / slot.file)
        if file in by_name:
            slots.append(replace(slot, file=file))
        elif file in unreadable:
            notes.append(unreadable[file])
        else:
            message = f"'{key}' is '{slot.file}', which was not dropped with it. Drop the whole folder or archive."
            notes.append(Problem(message, name))
    used = dict.fromkeys(slot.file for slot in slots)
    return DroppedExperiment(described, tuple(by_name[file] for file in used), tuple(slots), tuple(notes))
