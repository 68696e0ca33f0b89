"""The XML that WMT has used since 2021: a dataset of documents, each with source, references and hypotheses."""

import re
from collections.abc import Iterator
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from mteval.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, Stream
from mteval.readers.formats.bounds import refuse_cells, refuse_columns, refuse_more

SNIFFED = 4_000
ROOT_TAG = re.compile(r"<dataset\b")
SPACE = re.compile(r"[ \t\r\n]+")
DEEPEST = 64  # elements in one another
MOST_TAGS = 1_000_000  # WMT's largest files have a tenth of that
PART_ROLES: dict[str, FileRole] = {"src": "source", "ref": "reference", "hyp": "hypothesis"}
Part = tuple[FileRole, str]


def is_wmt_xml(text: str) -> bool:
    """Whether the text begins with a tag and the root element stands near its beginning."""
    return text[:SNIFFED].lstrip().startswith("<") and ROOT_TAG.search(text, 0, SNIFFED) is not None


def read_wmt_xml(text: str, file: str) -> Document:
    """One stream for the source, the documents, each reference and each system; None where a segment lacks it.

    Raises
    ------
    InputError
        Where the XML is not well-formed, defines entities, has no segments, or a segment stands twice.
    """
    root = _parsed(text, file)
    if root.tag != "dataset":
        raise InputError(f"The root element is <{root.tag}>; expected <dataset>, as WMT has it since 2021.", file)
    keys: dict[str, str] = {}  # to the document
    parts: dict[Part, dict[str, str]] = {}
    for document, part, key, line in _segments(root, file):
        lines = parts.setdefault(part, {})
        refuse_columns(len(parts), DEFAULT_LIMITS, file)
        if key in lines:
            raise InputError(
                f"Segment '{key.partition(chr(9))[2]}' of document '{document}' stands twice for {part[0]} '{part[1]}';"
                " ids must differ.",
                file,
            )
        keys[key] = document
        lines[key] = line
    if not parts:
        raise InputError("The dataset has no <seg>; expected doc/src, doc/ref and doc/hyp with segments.", file)
    refuse_cells(len(parts), len(keys), DEFAULT_LIMITS, file)
    test_set = root.get("id")
    order = tuple(keys)
    streams = [_stream(part, lines, order, test_set) for part, lines in parts.items()]
    streams.append(Stream("documents", tuple(keys.values()), "documents", None, None, test_set, order))
    return Document(file, "xml", tuple(streams))


def _parsed(text: str, file: str) -> Element:
    refuse_more(text.count("<"), MOST_TAGS, "tags", file)
    try:
        root: Element = fromstring(text, forbid_dtd=True)
    except ParseError as error:
        raise InputError(f"The XML is not well-formed ({error.msg}). Mend it.", file, error.position[0]) from error
    except DefusedXmlException as error:
        raise InputError("The XML has a DTD or entities, which are not read. Take the DOCTYPE out.", file) from error
    _refuse_deep(root, file)
    return root


def _refuse_deep(root: Element, file: str) -> None:
    level = [root]
    for _ in range(DEEPEST):
        level = [child for element in level for child in element]
    if level:
        raise InputError(f"Elements stand more than {DEEPEST} deep in one another; expected dataset/doc/src.", file)


def _segments(root: Element, file: str) -> Iterator[tuple[str, Part, str, str]]:
    """For each segment its document, its part, its key (document and segment id) and its text."""
    for document in root.iter("doc"):
        name = document.get("id", "")
        for element in document:
            role = PART_ROLES.get(element.tag)
            if role is None:
                continue
            part = role, _label(element, role)
            for segment in element.iter("seg"):
                text = SPACE.sub(" ", "".join(segment.itertext())).strip(" ")
                yield name, part, f"{name}\t{segment.get('id', '')}", text


def _label(element: Element, role: FileRole) -> str:
    if role == "source":
        return "source"
    if role == "hypothesis":
        return element.get("system") or "hypothesis"
    return " ".join(filter(None, ("reference", element.get("translator"))))


def _stream(part: Part, lines: dict[str, str], order: tuple[str, ...], test_set: str | None) -> Stream:
    role, label = part
    system = label if role == "hypothesis" else None
    return Stream(label, tuple(lines.get(key) for key in order), role, system, None, test_set, order)
