"""WMT's XML since 2021: source, references and systems of a test set, whose segments have IDs within documents."""

import re
from xml.etree.ElementTree import Element

from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole
from mteval.readers.formats.identified_segments import SPACE, Part, Segments, documents_of, gathered, stream_of
from mteval.readers.formats.text import is_marked_up, refuse_cells
from mteval.readers.formats.xml_trees import parsed_xml

FIRST_TAG = re.compile(r"<dataset\b")
PART_ROLES: dict[str, FileRole] = {"src": "source", "ref": "reference", "hyp": "hypothesis"}


def read_wmt_xml(text: str, file: str) -> Document | None:
    """Return streams for the source, the documents, each reference and each system; missing segments are None.

    None instead if there is no <dataset> near the beginning.

    Raises
    ------
    InputError
        If the XML is not well-formed or defines entities, or a segment appears twice or there is none.
    """
    if not is_marked_up(text, FIRST_TAG):
        return None
    root = parsed_xml(text, file)
    if root.tag != "dataset":
        raise InputError(f"The root element is <{root.tag}>. Expected <dataset>, WMT's format since 2021.", file)
    parts, documents = gathered(_segments(root), file)
    if not parts:
        raise InputError("The dataset has no <seg>. Expected segments in doc/src, doc/ref and doc/hyp.", file)
    refuse_cells(len(parts), len(documents), DEFAULT_LIMITS, file)
    keys = tuple(documents)
    streams = []
    for part, line_of in parts.items():
        lines = tuple(map(line_of.get, keys))
        streams.append(stream_of(part, lines, keys))
    streams.append(documents_of(documents.values(), root.get("id"), keys))
    return Document(file, "xml", tuple(streams))


def _segments(root: Element) -> Segments:
    """Yield part, document, ID and text of each segment."""
    for document in root.iter("doc"):
        for element in document:
            if element.tag not in PART_ROLES:
                continue
            part = Part(PART_ROLES[element.tag], root.get("id"), _name_of(element))
            for segment in element.iter("seg"):
                text = SPACE.sub(" ", "".join(segment.itertext())).strip(" ")
                yield part, document.get("id", ""), segment.get("id", ""), text


def _name_of(element: Element) -> str:
    """Return the name of a source, a reference (with its translator) or an output."""
    if element.tag == "src":
        return "source"
    if element.tag == "hyp":
        return element.get("system") or "hypothesis"
    translator = element.get("translator")
    return f"reference {translator}" if translator else "reference"
