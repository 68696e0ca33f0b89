"""An ``experiment.toml`` with the files that it names: on disk, and among dropped files.

It says what each of them is, so that nothing is guessed. ``slots_in_use`` are those that one is written of.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from mteval.base.errors import InputError
from mteval.readers.assembly.experiment import assemble
from mteval.readers.disk import Loaded, load_documents
from mteval.readers.documents import DEFAULT_LIMITS, FILE_NAME, Document, Limits, Problem, Slot, sample_name
from mteval.readers.experiment_file import ExperimentFile, parse_experiment
from mteval.readers.formats.text import decode
from mteval.values.model import Experiment


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
    return Replay(described, Loaded(assembly.required(), slots, documents, tuple(_changes(described, str(path)))))


def _changes(described: ExperimentFile, file: str) -> Iterator[Problem]:
    """What is to be said of numbers that followed other definitions."""
    if described.changed:
        yield Problem(
            f"Its numbers followed earlier definitions and may be others now. {' '.join(described.changed)}",
            file,
            severity="warning",
        )


def slots_in_use(experiment: Experiment, slots: Iterable[Slot], problems: Iterable[Problem]) -> Iterator[Slot]:
    """The slots that the experiment was made from: those that were left out of it would be in the way of a replay.

    Those of scores are not among them: what was given is described by itself, under the names that systems have now.
    """
    parsed = {
        (test_set.name, run.system, run.key) for test_set in experiment.test_sets for run in test_set.runs if run.parses
    }
    parsed |= {(test_set.name, "", "") for test_set in experiment.test_sets if test_set.reference_parses is not None}
    refused = {problem.file for problem in problems if problem.severity == "error"}
    runs = {
        (test_set.name, run.system, name)
        for test_set in experiment.test_sets
        for run in test_set.runs
        for name in (run.key, *(sample_name(run.key, sample.key) for sample in run.samples))  # as slots call it
    }
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
            runs.remove(run_name)  # the first file of a run is it; a second was left out
            yield slot


@dataclass(frozen=True)
class DroppedExperiment:
    """What was dropped with an experiment's file.

    Parameters
    ----------
    file
        What it says; None where it cannot be read.
    documents
        Those that it names; all others where it cannot be read.
    slots
        What they are; a file that is named and was not dropped has no slot.
    problems
        What stands in the way.
    """

    file: ExperimentFile | None
    documents: tuple[Document, ...]
    slots: tuple[Slot, ...]
    problems: tuple[Problem, ...]


def experiment_among(documents: Sequence[Document], problems: Sequence[Problem]) -> DroppedExperiment | None:
    """The experiment that the dropped files describe, or None where none of them is an ``experiment.toml``.

    Files beside it that it does not name, such as the tables and figures of a report, are left alone.
    """
    files = [
        document
        for document in documents
        if PurePosixPath(document.name).name == FILE_NAME and document.format == "lines"
    ]
    if not files:
        return None
    if len(files) > 1:
        names = ", ".join(document.name for document in files)
        problem = Problem(f"There are {len(files)} of them: {names}. Drop one experiment at a time.", FILE_NAME)
        return DroppedExperiment(None, (), (), (problem,))
    text = "\n".join(line or "" for line in files[0].streams[0].lines)
    try:
        described = parse_experiment(text, files[0].name)
    except InputError as error:
        others = tuple(document for document in documents if document is not files[0])
        return DroppedExperiment(None, others, (), (Problem.of(error), *problems))
    return _matched(described, files[0].name, documents, problems)


def _matched(
    described: ExperimentFile, name: str, documents: Sequence[Document], problems: Sequence[Problem]
) -> DroppedExperiment:
    folder = PurePosixPath(name).parent
    by_name = {document.name: document for document in documents}
    unreadable = {problem.file: problem for problem in problems if problem.severity == "error"}
    slots, remarks = list[Slot](), list(_changes(described, name))
    for slot, key in zip(described.slots, described.keys, strict=True):
        file = str(folder / slot.file)
        if file in by_name:
            slots.append(replace(slot, file=file))
        elif file in unreadable:
            remarks.append(unreadable[file])
        else:
            remarks.append(
                Problem(
                    f"'{key}' is '{slot.file}', which was not dropped with it. Drop the whole folder, or the archive as"
                    " it was saved.",
                    name,
                )
            )
    used = dict.fromkeys(slot.file for slot in slots)
    return DroppedExperiment(described, tuple(by_name[file] for file in used), tuple(slots), tuple(remarks))
