"""Scores of outputs whose texts are not at hand, as an experiment: enough for whatever asks for scores alone."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from mteval.errors import InputError
from mteval.readers.assembly.experiment import assemble
from mteval.readers.disk import Loaded, load_documents, streams_for
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, ScoreColumn, Stream
from mteval.readers.formats.output_tables import stem_of
from mteval.readers.formats.segment_scores import read_score_lines
from mteval.readers.named_files import ScoreFiles, directions_of
from mteval.readers.slots import DEFAULT_RUN, DEFAULT_TEST_SET, Slot

NO_TEXTS = "(no texts)"
_Output = tuple[str, str]  # system and run


def load_scores(scores: ScoreFiles, document_ids: Sequence[str] | None = None) -> Loaded:
    """One test set whose texts are empty, with the scores of the files.

    Parameters
    ----------
    document_ids
        The document of each segment; they say how many segments there are.

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
    return experiment_of_scores(documents, directions, document_ids, scores.reserved)


def experiment_of_scores(
    documents: Sequence[Document],
    directions: Mapping[str, bool],
    document_ids: Sequence[str] | None = None,
    reserved: Collection[str] = (),
) -> Loaded:
    """The same of documents with scores; ``directions`` says of each metric whether higher is better.

    Raises
    ------
    InputError, DataError
        As ``load_scores``.
    """
    columns = [column for document in documents for column in _columns(document)]
    n_segments = len(document_ids) if document_ids else max(map(_length, columns), default=0)
    outputs = list(dict.fromkeys((str(column.system), column.run or DEFAULT_RUN) for column in columns))
    texts = [_blank("reference", n_segments), *(_blank("hypothesis", n_segments, *output) for output in outputs)]
    if document_ids:
        texts.append(_filled("documents", tuple(document_ids)))
    every = (*_score_slots(documents), *(slot for _, slot in texts))
    together = (*documents, *(document for document, _ in texts))
    baseline = outputs[0][0] if outputs else None
    assembly = assemble(together, every, baseline, {}, directions, reserved)
    return Loaded(assembly.required(), every, together, assembly.problems)


def _score_slots(documents: Iterable[Document]) -> list[Slot]:
    return [
        Slot(document.name, "scores", _named_after_file(stream, document.name), stream=stream.label, name=stream.name)
        for document in documents
        for stream in streams_for(document, "scores")
    ]


def _columns(document: Document) -> Iterable[ScoreColumn]:
    for stream in streams_for(document, "scores"):
        for column in stream.scores or read_score_lines(stream.lines, document.name):
            if column.system is None and column.texts is not None:
                column = replace(column, system=stem_of(document.name))
            if column.system is None:
                raise InputError(
                    "The scores name no system; expected lines with a system, a tab and a score, or a column system.",
                    document.name,
                )
            yield column


def _named_after_file(stream: Stream, file: str) -> str | None:
    """The system of scores that stand beside their outputs and name none: the file's name; None of other scores."""
    is_nameless = any(column.system is None and column.texts is not None for column in stream.scores)
    return stem_of(file) if is_nameless else None


def _length(column: ScoreColumn) -> int:
    """Segments that a column speaks of."""
    if column.keys is None:
        return len(column.values)
    return max((int(key) for key in column.keys if key.isdecimal()), default=len(column.keys))


def _blank(role: FileRole, n_segments: int, system: str | None = None, run: str | None = None) -> tuple[Document, Slot]:
    return _filled(role, ("",) * n_segments, system, run)


def _filled(
    role: FileRole, lines: tuple[str, ...], system: str | None = None, run: str | None = None
) -> tuple[Document, Slot]:
    name = " ".join(filter(None, (NO_TEXTS, role, system, run)))
    return Document(name, "lines", (Stream("", lines),)), Slot(name, role, system, run, DEFAULT_TEST_SET)
