"""Scores of outputs whose texts are not at hand, as an experiment: enough for whatever asks for scores alone."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from mteval.readers.assembly.experiment import assemble
from mteval.readers.assembly.scores_alone import NO_TEXTS, scores_of
from mteval.readers.disk import Loaded, load_documents, streams_for
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, Stream
from mteval.readers.formats.output_tables import stem_of
from mteval.readers.named_files import ScoreFiles, directions_of
from mteval.readers.slots import DEFAULT_TEST_SET, Slot


def load_scores(scores: ScoreFiles, document_ids: Sequence[str] | None = None, baseline: str | None = None) -> Loaded:
    """One test set whose texts are empty, with the scores of the files.

    Parameters
    ----------
    document_ids
        The document of each segment; they say how many segments there are.
    baseline
        The system that the others are compared with; the first of the files where none is named.

    Raises
    ------
    InputError
        Where a file cannot be read, names no system, or does not fit the others.
    DataError
        Where there are no scores.
    """
    paths = (*scores.higher, *scores.lower)
    documents = tuple(load_documents(dict.fromkeys(paths), DEFAULT_LIMITS).values())
    directions = directions_of(_score_slots(documents), scores)
    return experiment_of_scores(documents, directions, document_ids, baseline, scores.reserved)


def experiment_of_scores(
    documents: Sequence[Document],
    directions: Mapping[str, bool],
    document_ids: Sequence[str] | None = None,
    baseline: str | None = None,
    reserved: Collection[str] = (),
) -> Loaded:
    """The same of documents with scores; ``directions`` says of each metric whether higher is better.

    Raises
    ------
    InputError, DataError
        As ``load_scores``.
    """
    slots = _score_slots(documents)
    files = [_filled("documents", tuple(document_ids))] if document_ids else []
    together, every = (*documents, *(file for file, _ in files)), (*slots, *(slot for _, slot in files))
    assembly = assemble(together, every, baseline or _first_system(documents), {}, directions, reserved)
    return with_item_names(Loaded(assembly.required(), every, together, assembly.problems))


def with_item_names(loaded: Loaded) -> Loaded:
    """The names of items that scores alone told as a file of their own, so that they stay with the experiment."""
    known = {slot.test_set for slot in loaded.slots if slot.role == "source"}
    files = [
        _filled("source", test_set.source, test_set.name)
        for test_set in loaded.experiment.test_sets
        if test_set.source is not None and not test_set.has_texts and test_set.name not in known
    ]
    documents, slots = zip(*files, strict=True) if files else ((), ())
    return replace(loaded, documents=(*loaded.documents, *documents), slots=(*loaded.slots, *slots))


def _first_system(documents: Iterable[Document]) -> str | None:
    streams = ((stream, document.name) for document in documents for stream in streams_for(document, "scores"))
    systems = (
        column.system or _named_after_file(stream, file)
        for stream, file in streams
        for column in scores_of(stream, file)
    )
    return next(filter(None, systems), None)


def _score_slots(documents: Iterable[Document]) -> list[Slot]:
    return [
        Slot(document.name, "scores", _named_after_file(stream, document.name), stream=stream.label, name=stream.name)
        for document in documents
        for stream in streams_for(document, "scores")
    ]


def _named_after_file(stream: Stream, file: str) -> str | None:
    """The system of scores that stand beside their outputs and name none: the file's name; None of other scores."""
    is_nameless = any(column.system is None and column.texts is not None for column in stream.scores)
    return stem_of(file) if is_nameless else None


def _filled(role: FileRole, lines: tuple[str, ...], test_set: str = DEFAULT_TEST_SET) -> tuple[Document, Slot]:
    name = f"{NO_TEXTS} {role} {test_set}"
    return Document(name, "lines", (Stream("", lines),)), Slot(name, role, test_set=test_set)
