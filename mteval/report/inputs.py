"""The inputs of an experiment as files: ``experiment.toml`` and the files that it names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from mteval.base.errors import DataError
from mteval.base.safe_paths import SafePaths
from mteval.readers.disk import Loaded
from mteval.readers.documents import FILE_NAME, Document, InputFile, Slot, as_labelled
from mteval.readers.experiment_file import describe, experiment_toml
from mteval.readers.formats.text import PLAIN, original
from mteval.readers.formats.uploads import unpack
from mteval.readers.names import shared_length
from mteval.render.bundle import MANIFEST
from mteval.report.score_tables import given_tables
from mteval.values.settings import Settings

# Folders of the package
INPUTS = "inputs"
SCORES = "scores"


def packed_inputs(loaded: Loaded, settings: Settings) -> dict[str, bytes]:
    """Return ``experiment.toml`` and the files that it names."""
    slots = [slot for slot in loaded.slots if slot.role != "scores"]  # scores are written as they were understood
    names_used = {slot.file for slot in slots}
    documents = [document for document in loaded.documents if document.name in names_used]
    tables = given_tables(loaded.experiment.given)

    paths = SafePaths((FILE_NAME, MANIFEST))  # a second experiment.toml, in any folder, would make the first unreadable
    path_of = {}
    for document, path in zip(documents, _short_paths(documents), strict=True):
        path_of[document.name] = paths.free(path)
    path_of_scores = {}
    for metric, test_set in tables:
        path_of_scores[metric, test_set] = paths.free(f"{SCORES}/{metric}.{test_set}.csv")

    moved_slots = slots_under(path_of, slots, documents)
    description = describe(loaded.experiment, moved_slots, settings, str, path_of_scores)
    files = {FILE_NAME: experiment_toml(description).encode("utf-8")}
    for document in documents:
        files[path_of[document.name]] = original(document)
    for scored_on, table in tables.items():
        files[path_of_scores[scored_on]] = table.encode("utf-8")
    return files


def _short_paths(documents: Sequence[Document]) -> list[str]:
    """Return the wanted path of each input in the package: its name without the folders that all share."""
    parts_of_names = [document.name.split("/") for document in documents]
    n_shared = shared_length([parts[:-1] for parts in parts_of_names])
    return ["/".join([INPUTS, *parts[n_shared:]]) for parts in parts_of_names]


def slots_under(path_of: Mapping[str, str], slots: Iterable[Slot], documents: Iterable[Document]) -> list[Slot]:
    """Return slots when the files of their documents have other paths.

    Raises
    ------
    DataError
        If texts would be read differently.
    """
    new_label_of: dict[tuple[str, str], str] = {}
    for document in documents:
        moved = read_under(path_of[document.name], document)
        for stream, moved_stream in zip(document.streams, moved.streams, strict=True):
            new_label_of[document.name, stream.label] = moved_stream.label
    moved_slots = []
    for slot in slots:
        label = new_label_of[slot.file, slot.stream]
        moved_slots.append(replace(slot, file=path_of[slot.file], stream=label))
    return moved_slots


def read_under(path: str, document: Document) -> Document:
    """Return a document as it is read when its file has another path.

    Some formats name a stream after their file, and texts of a program may look like a format when they come from a
    file.

    Raises
    ------
    DataError
        If its texts would be read differently.
    """
    keeps_its_name = path.rpartition("/")[2] == document.name.rpartition("/")[2]
    if keeps_its_name and document.format not in PLAIN:
        return replace(document, name=path)
    read_documents, problems = unpack([InputFile(path, original(document))])
    texts = [stream.lines for stream in document.streams]
    labels = [stream.label for stream in document.streams]
    for read_document in (as_labelled(read_document, labels) for read_document in read_documents):
        if [stream.lines for stream in read_document.streams] == texts:
            return read_document

    reasons = [f"They look like another format ({read_document.format})." for read_document in read_documents]
    reasons += [problem.message for problem in problems if problem.severity == "error"]
    raise DataError(
        f"The texts of '{document.name}' cannot be saved, since they would be read back as others."
        f" {' '.join(reasons)} Change the first line, or write them to a JSON lines file and load that."
    )
