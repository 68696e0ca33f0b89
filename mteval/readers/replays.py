"""Load an ``experiment.toml`` with its files, from disk or from dropped files. Nothing is guessed.

``slots_in_use`` selects the slots that such a file is written from.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from zipfile import BadZipFile, ZipFile, is_zipfile

from mteval.base.errors import InputError, MissingFileError
from mteval.readers.assembly.experiment import assemble
from mteval.readers.disk import Loaded, load_documents
from mteval.readers.documents import FILE_NAME, Document, Problem, Slot
from mteval.readers.experiment_file import ExperimentFile, parse_experiment
from mteval.readers.formats.text import decode
from mteval.readers.names import sample_name
from mteval.values.model import Experiment, Run

WITHOUT_ONE = (
    "To compare outputs or scores without one, use mteval eval --files, or in Python mteval.compare or"
    " mteval.compare_scores."
)
TABLE = "[[test_sets]]"  # every experiment.toml has one


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
    if path.is_dir():
        if (path / FILE_NAME).is_file():
            raise InputError(f"This is a folder. Name the {FILE_NAME} in it.", str(path))
        raise InputError(f"This is a folder without an {FILE_NAME}. {WITHOUT_ONE}", str(path))
    if not path.is_file():
        raise MissingFileError("No such file. Name an experiment.toml.", str(path))
    if is_zipfile(path):
        if _holds_experiment(path):
            raise InputError(f"This is an archive. Unpack it, and name the {FILE_NAME} in it.", str(path))
        raise InputError(f"This is an archive without an {FILE_NAME}. {WITHOUT_ONE}", str(path))
    content = path.read_bytes()
    if path.suffix != Path(FILE_NAME).suffix and TABLE.encode() not in content:
        raise InputError(f"Expected an {FILE_NAME}, which describes files and settings. {WITHOUT_ONE}", str(path))
    file = parse_experiment(decode(content, str(path)), str(path))
    slots = tuple(replace(slot, file=str(path.parent / slot.file)) for slot in file.edits.slots)
    for slot, written, key in zip(slots, file.edits.slots, file.keys, strict=True):
        if not Path(slot.file).is_file():
            message = f"'{key}' is '{written.file}', but {slot.file} does not exist. Paths are relative to this file."
            raise InputError(f"{message} Fix the path, or put the file there.", str(path))
    documents = tuple(load_documents(Path(slot.file) for slot in slots).values())
    assembly = assemble(documents, replace(file.edits, slots=slots), file.baseline, reserved)
    return Replay(file, Loaded(assembly.required(), slots, documents, tuple(_changes(file, str(path)))))


def _holds_experiment(archive: Path) -> bool:
    """Whether an archive has an experiment file; also if it is damaged."""
    try:
        with ZipFile(archive) as opened:
            names = opened.namelist()
    except BadZipFile:
        return True
    return any(PurePosixPath(name).name == FILE_NAME for name in names)


def _changes(file: ExperimentFile, name: str) -> Iterator[Problem]:
    """Warn if definitions have changed since the file was written."""
    if file.changed:
        message = f"Definitions have changed since, so numbers may differ. {' '.join(file.changed)}"
        yield Problem(message, name, severity="warning")


def slots_in_use(experiment: Experiment, slots: Iterable[Slot], problems: Iterable[Problem]) -> Iterator[Slot]:
    """Yield the slots that the experiment was made from, without those that would stop a replay.

    Slots of scores are not included: the scores are written as tables with the current system names.
    """
    # Test set, system and run of each output, and of each text with parses; references have neither system nor run.
    outputs = set[tuple[str, str, str]]()
    parsed = set[tuple[str, str, str]]()
    for test_set in experiment.test_sets:
        if test_set.reference_parses is not None:
            parsed.add((test_set.name, "", ""))
        for run in (*test_set.runs, *test_set.copies):
            outputs.update((test_set.name, run.system, name) for name in _names_in_slots(run))
            if run.parses:
                parsed.add((test_set.name, run.system, run.key))
    refused = {problem.file for problem in problems if problem.severity == "error"}
    test_sets = {test_set.name for test_set in experiment.test_sets}

    for slot in slots:
        if not slot.included or slot.test_set not in test_sets or slot.role in ("other", "scores"):
            continue
        if slot.role == "hypothesis":
            output = (slot.test_set, str(slot.system), str(slot.run))
            if output in outputs:
                outputs.remove(output)  # the first file of a run counts; a second one was ignored
                yield slot
            continue
        if slot.role == "parses":
            system, run_or_number = slot.parsed_text
            run_key = run_or_number if system else ""
            if (slot.test_set, system, run_key) not in parsed:
                continue
        if slot.file not in refused:
            yield slot


def _names_in_slots(run: Run) -> Iterator[str]:
    """Yield the names under which the files of a run, its members and samples were loaded."""
    if run.members:
        yield from run.members
        yield from (sample.key for sample in run.samples)
    else:
        yield run.key
        yield from (sample_name(run.key, sample.key) for sample in run.samples)


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
    descriptions = [
        document
        for document in documents
        if PurePosixPath(document.name).name == FILE_NAME and document.format == "lines"
    ]
    if not descriptions:
        return None
    if len(descriptions) > 1:
        names = ", ".join(document.name for document in descriptions)
        problem = Problem(f"Found {len(descriptions)}: {names}. Drop one experiment at a time.", FILE_NAME)
        return DroppedExperiment(None, (), (), (problem,))
    (description,) = descriptions
    text = "\n".join(line or "" for line in description.streams[0].lines)
    try:
        file = parse_experiment(text, description.name)
    except InputError as error:
        undescribed = tuple(document for document in documents if document is not description)
        return DroppedExperiment(None, undescribed, (), (Problem.of(error), *problems))

    document_of = {document.name: document for document in documents}
    problem_of = {problem.file: problem for problem in problems if problem.severity == "error"}
    slots: list[Slot] = []
    notes = list(_changes(file, description.name))
    for slot, key in zip(file.edits.slots, file.keys, strict=True):
        path = str(PurePosixPath(description.name).parent / slot.file)
        if path in document_of:
            slots.append(replace(slot, file=path))
        elif path in problem_of:
            notes.append(problem_of[path])
        else:
            message = f"'{key}' is '{slot.file}', which was not dropped with it. Drop the whole folder or archive."
            notes.append(Problem(message, description.name))
    used = dict.fromkeys(slot.file for slot in slots)
    return DroppedExperiment(file, tuple(document_of[path] for path in used), tuple(slots), tuple(notes))
