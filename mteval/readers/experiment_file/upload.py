"""An ``experiment.toml`` among dropped files: it says what each of the others is, so that nothing is guessed."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from mteval.errors import InputError
from mteval.readers.documents import Document
from mteval.readers.experiment_file.contents import FILE_NAME, ExperimentFile, parse_experiment
from mteval.readers.problems import Problem
from mteval.readers.slots import Slot


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
    slots, remarks = list[Slot](), list[Problem]()
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
