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
    streams = [stream_of(part, tuple(map(lines.get, keys)), keys) for part, lines in parts.items()]
    return Document(file, "xml", (*streams, documents_of(documents.values(), root.get("id"), keys)))


def _segments(root: Element) -> Segments:
    for document in root.iter("doc"):
        for element in (one for one in document if one.tag in PART_ROLES):
            reference = " ".join(filter(None, ("reference", element.get("translator"))))
            names = {"src": "source", "ref": reference, "hyp": element.get("system") or "hypothesis"}
            for segment in element.iter("seg"):
                text = SPACE.sub(" ", "".join(segment.itertext())).strip(" ")
                part = Part(PART_ROLES[element.tag], root.get("id"), names[element.tag])
                yield part, document.get("id", ""), segment.get("id", ""), text
