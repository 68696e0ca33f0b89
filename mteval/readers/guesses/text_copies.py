"""Texts that a program wrote beside its scores of them, where files with the same texts are there too."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.readers.documents import Document, Stream
from mteval.readers.slots import Slot

TEXTS = ("hypothesis", "reference", "source")


def without_copies(slots: Sequence[Slot], documents: Sequence[Document]) -> list[Slot]:
    """The slots; texts of a file of scores that names no system are not included where others have the same."""
    scored = {document.name for document in documents if _scores_what_it_holds(document)}
    if not scored or len(scored) == len(documents):
        return list(slots)
    streams = {(document.name, stream.label): stream for document in documents for stream in document.streams}
    elsewhere = set(_texts(slots, streams, scored))
    return [
        replace(slot, included=False) if slot.file in scored and _text(slot, streams) in elsewhere else slot
        for slot in slots
    ]


def _scores_what_it_holds(document: Document) -> bool:
    """Whether a file has outputs and scores of them, and does not say what system they are of."""
    columns = [column for stream in document.streams for column in stream.scores]
    return bool(columns) and all(column.system is None and column.texts is not None for column in columns)


def _texts(
    slots: Sequence[Slot], streams: Mapping[tuple[str, str], Stream], scored: set[str]
) -> Iterator[tuple[str, ...]]:
    """The texts that stand in files of their own."""
    yield from (_text(slot, streams) for slot in slots if slot.file not in scored and slot.role in TEXTS)


def _text(slot: Slot, streams: Mapping[tuple[str, str], Stream]) -> tuple[str, ...]:
    """Role and segments of a text, without the space around them; its name where it is no text."""
    if slot.role not in TEXTS:
        return slot.file, slot.stream
    return slot.role, *((line or "").strip() for line in streams[slot.file, slot.stream].lines)
