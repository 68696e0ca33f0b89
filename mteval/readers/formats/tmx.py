"""TMX: translation memories, whose units are segments in several languages."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, Stream, named
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
        If the XML is not well-formed or defines entities, there are no segments, no language is the source, or several
        are targets.
    """
    if not is_marked_up(text, FIRST_TAG):
        return None
    root = parsed_xml(text, file, forbids_dtd=False)
    header = root.find("header")
    source_language = ""
    if header is not None:
        source_language = header.get("srclang", "").lower()

    lines_of: dict[str, dict[int, str]] = {}  # by language, then by the index of the unit
    units = list(root.iter("tu"))
    for index, unit in enumerate(units):
        for variant in unit.iter("tuv"):
            segment = variant.find("seg")
            if segment is None:
                continue
            language = (variant.get(LANGUAGE) or variant.get("lang") or "").lower()
            line = SPACE.sub(" ", "".join(_texts(segment))).strip(" ")
            lines_of.setdefault(language, {}).setdefault(index, line)
    if not lines_of:
        raise InputError("The translation memory has no <seg>. Expected segments in tu/tuv.", file)
    refuse_cells(len(lines_of), len(units), DEFAULT_LIMITS, file)

    sources = [language for language in lines_of if _is_spoken_in(language, source_language)]
    if not sources and len(lines_of) > 1:
        message = f"The header names no source: srclang is '{source_language}', and the languages are {named(lines_of)}"
        raise InputError(f"{message}. Set srclang to the language that was translated.", file)
    targets = [language for language in lines_of if language not in sources]
    if len({language.partition("-")[0] for language in targets}) > 1:
        message = f"The memory has translations into several languages ({named(targets)}), but a test set has one."
        raise InputError(f"{message} Export one language beside the source.", file)
    streams = []
    for language, line_of_unit in lines_of.items():
        lines = tuple(map(line_of_unit.get, range(len(units))))
        role: FileRole | None = "source" if language in sources[:1] else None
        streams.append(Stream(language, lines, role))
    return Document(file, "tmx", tuple(streams))


def _is_spoken_in(language: str, stated: str) -> bool:
    """Whether a language is the stated one, or its variety in a region, as ``en-us`` is of ``en``."""
    return language == stated or (stated != "" and language.startswith(f"{stated}-"))


def _texts(element: Element) -> Iterator[str]:
    """Yield the pieces of text of an element, without those of codes in it."""
    yield element.text or ""
    for child in element:
        if child.tag not in CODES:
            yield from _texts(child)
        yield child.tail or ""
