"""XLIFF 1.2 and 2: files of translators, whose units are a source and its translation."""

import re
from collections.abc import Iterator
from itertools import chain
from xml.etree.ElementTree import Element

from mteval.base.errors import InputError
from mteval.base.words import counted
from mteval.readers.documents import DEFAULT_LIMITS, Document, Stream
from mteval.readers.formats.identified_segments import SPACE
from mteval.readers.formats.text import is_marked_up, refuse_cells
from mteval.readers.formats.xml_trees import parsed_xml

FIRST_TAG = re.compile(r"<(\w+:)?xliff\b")
# Elements whose text is mark-up of the original file
CODES = frozenset({"bpt", "ept", "it", "ph", "x", "bx", "ex", "sc", "ec", "sm", "em", "cp"})
OTHERS = frozenset({"alt-trans", "matches", "match", "glossary", "notes", "note", "metadata", "seg-source"})


def read_xliff(text: str, file: str) -> Document | None:
    """Return the source and the translation of each unit (of each segment, if units have several), in order.

    Units that are not to be translated are no segments. A translation that is absent is marked as absent.

    Raises
    ------
    InputError
        If the XML is not well-formed or defines entities, the version is another, or there are no segments.
    """
    if not is_marked_up(text, FIRST_TAG):
        return None
    root = parsed_xml(text, file, forbids_dtd=False)
    if _name(root) != "xliff":
        return None
    version = root.get("version", "")
    if not version.startswith(("1.", "2.")):
        raise InputError(f"The XLIFF has version '{version[:20]}'. Expected 1.2, 2.0 or 2.1.", file)

    units = list(_units(root))
    pairs = list(chain.from_iterable(_segments(unit) for unit in units))
    n_all = sum(1 for element in root.iter() if _name(element) in ("trans-unit", "unit"))
    if not pairs:
        raise InputError("The XLIFF has no segment with a source. Expected trans-unit/source or segment/source.", file)
    refuse_cells(2, len(pairs), DEFAULT_LIMITS, file)
    notes = []
    left_out = ""
    n_left_out = n_all - len(units)
    if n_left_out > 0:
        notes.append(f"{counted(n_left_out, 'unit')} not to be translated (translate=no): ignored.")
        left_out = f"The file marks {counted(n_left_out, 'unit')} as not to be translated (translate=no)."
    source = Stream("source", tuple(source for source, _ in pairs), "source", left_out=left_out)
    streams = [source]
    targets = tuple(target for _, target in pairs)
    if any(target is not None for target in targets):
        streams.append(Stream("target", targets, left_out=left_out))
    return Document(file, "xliff", tuple(streams), tuple(notes))


def _name(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def _units(root: Element) -> Iterator[Element]:
    """Yield the units to be translated, in order."""
    stack = [root]
    while stack:
        element = stack.pop()
        if element.get("translate") == "no":
            continue
        if _name(element) in ("trans-unit", "unit"):
            yield element
            continue
        stack.extend(reversed(element))


def _segments(unit: Element) -> Iterator[tuple[str, str | None]]:
    """Yield source and target of a unit of version 1.2, or of its segments.

    Version 2 has elements for segments. Programs for translators mark them within units of version 1.2.
    """
    marked = list(_marked_segments(unit))
    if len(marked) > 1:
        yield from marked
        return
    segments = [child for child in unit if _name(child) == "segment"]
    for segment in segments or [unit]:
        source = _child(segment, "source")
        target = _child(segment, "target")
        if source is None:
            continue
        if target is None:
            yield _text(source), None
        else:
            yield _text(source), _text(target)


def _marked_segments(unit: Element) -> Iterator[tuple[str, str | None]]:
    """Yield source and target of the segments that ``seg-source`` and ``target`` mark by the same number."""
    source = _child(unit, "seg-source")
    target = _child(unit, "target")
    if source is None:
        return
    target_of = {} if target is None else _text_of_marks(target)
    for number, text in _text_of_marks(source).items():
        yield text, target_of.get(number)


def _text_of_marks(element: Element) -> dict[str, str]:
    """Return the texts of the segments that are marked in a source or target, by their numbers."""
    marks = [child for child in element.iter() if _name(child) == "mrk" and child.get("mtype") == "seg"]
    return {mark.get("mid", ""): _text(mark) for mark in marks}


def _child(element: Element, name: str) -> Element | None:
    """Return the first child with a name, in whatever namespace."""
    return next((child for child in element if _name(child) == name), None)


def _text(element: Element) -> str:
    """Return the text of a source or target on one line."""
    return SPACE.sub(" ", "".join(_pieces(element))).strip(" ")


def _pieces(element: Element) -> Iterator[str]:
    """Yield the pieces of text of an element, without those of codes in it."""
    yield element.text or ""
    for child in element:
        name = _name(child)
        if name not in CODES and name not in OTHERS:
            yield from _pieces(child)
        yield child.tail or ""
