"""TMX: translation memories, whose units are segments in several languages."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, Stream
from mteval.readers.formats.identified_segments import SPACE
from mteval.readers.formats.text import is_marked_up, refuse_cells
from mteval.readers.formats.xml_trees import LANGUAGE, parsed_xml

FIRST_TAG = re.compile(r"<tmx\b")
CODES = ("bpt", "ept", "it", "ph", "ut")  # elements with mark-up of the original file instead of text


def read_tmx(text: str, file: str) -> Document | None:
    """Return a stream per language: the source, and texts without a role. Units are segments in the file's order.

    None if there is no <tmx> near the beginning.

    Raises
    ------
    InputError
        If the XML is not well-formed or defines entities, or there are no segments.
    """
    if not is_marked_up(text, FIRST_TAG):
        return None
    root = parsed_xml(text, file, forbids_dtd=False)
    header = root.find("header")
    source = "" if header is None else header.get("srclang", "").lower()
    languages: dict[str, dict[int, str]] = {}
    units = list(root.iter("tu"))
    for place, unit in enumerate(units):
        for variant in unit.iter("tuv"):
            language, segment = (variant.get(LANGUAGE) or variant.get("lang") or "").lower(), variant.find("seg")
            if segment is not None:
                line = SPACE.sub(" ", "".join(_words(segment))).strip(" ")
                languages.setdefault(language, {}).setdefault(place, line)
    if not languages:
        raise InputError("The translation memory has no <seg>. Expected segments in tu/tuv.", file)
    refuse_cells(len(languages), len(units), DEFAULT_LIMITS, file)
    columns = ((name, tuple(map(lines.get, range(len(units))))) for name, lines in languages.items())
    streams = (Stream(name, column, "source" if name == source else None) for name, column in columns)
    return Document(file, "tmx", tuple(streams))


def _words(element: Element) -> Iterator[str]:
    """Yield the text of an element without that of codes in it."""
    yield element.text or ""
    for child in element:
        yield from () if child.tag in CODES else _words(child)
        yield child.tail or ""
