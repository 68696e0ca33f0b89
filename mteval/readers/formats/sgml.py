"""NIST SGML and WMT XML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, Stream
from mteval.readers.formats.text import refuse_cells, refuse_columns, refuse_more

SNIFFED = 4_000
SET_TAG = re.compile(r"<(?:srcset|refset|tstset)\b", re.IGNORECASE)
TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
INNER_TAG = re.compile(r"</?(?:hl|p|poster|w)\b[^<>]*>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""")
ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))  # the last one last
SPACE = re.compile(r"[ \t\r\n]+")
SET_ROLES: dict[str, FileRole] = {"srcset": "source", "refset": "reference", "tstset": "hypothesis"}


@dataclass
class Part:
    """The segments of one producer while they are read: ``keys`` are document and segment id."""

    role: FileRole
    test_set: str | None
    name: str
    keys: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)


def is_sgml(text: str) -> bool:
    """Whether the text begins with a tag and one of the three tags stands near its beginning."""
    return text[:SNIFFED].lstrip().startswith("<") and SET_TAG.search(text, 0, SNIFFED) is not None


def read_sgml(text: str, file: str) -> Document:
    """One stream for each source, reference or system in the file, and one for the documents of a source or reference.

    Raises
    ------
    InputError
        Where a segment is not closed, stands outside a set, stands twice, or there is none.
    """
    refuse_more(text.count("<"), 2 * DEFAULT_LIMITS.lines, "tags", file)
    parts: dict[tuple[FileRole, str | None, str], Part] = {}
    for part, key, document, line in _segments(text, file):
        known = parts.setdefault((part.role, part.test_set, part.name), part)
        refuse_columns(len(parts), DEFAULT_LIMITS, file)
        known.keys.append(key)
        known.documents.append(document)
        known.lines.append(line)
    if not parts:
        raise InputError("The file has no <seg> in a srcset, refset or tstset; expected at least one.", file)
    for part in parts.values():
        _refuse_repeated(part, file)
    streams = tuple(_stream(part) for part in parts.values())
    first = next(iter(parts.values()))
    if first.role == "hypothesis":
        return Document(file, "sgml", streams)
    documents = Stream("documents", tuple(first.documents), "documents", None, None, first.test_set, tuple(first.keys))
    return Document(file, "sgml", (*streams, documents))


def _segments(text: str, file: str) -> Iterator[tuple[Part, str, str, str]]:
    """For each segment its part (a fresh one), its key, its document and its text."""
    role: FileRole | None = None
    of_set: dict[str, str] = {}
    of_doc: dict[str, str] = {}
    opened: re.Match[str] | None = None
    for tag in TAG.finditer(text):
        closing, name = bool(tag[1]), tag[2].lower()
        if opened is not None and not (closing and name == "seg"):
            raise InputError("The segment is not closed; expected </seg> after it.", file, _line(text, opened.start()))
        if name in SET_ROLES:
            role, of_set, of_doc = (None, {}, {}) if closing else (SET_ROLES[name], _attributes(tag[3]), {})
        elif name == "doc":
            of_doc = {} if closing else _attributes(tag[3])
        elif not closing:
            opened = tag
        elif opened is not None:
            if role is None:
                where = _line(text, opened.start())
                raise InputError("The segment is outside a srcset, refset and tstset; put it into one.", file, where)
            identifier = _attributes(opened[3]).get("id", "")
            document = of_doc.get("docid", "")
            part = Part(role, of_set.get("setid"), _producer(role, of_set | of_doc))
            yield part, f"{document}\t{identifier}", document, _text(text[opened.end() : tag.start()])
            opened = None
    if opened is not None:
        raise InputError("The segment is not closed; expected </seg> after it.", file, _line(text, opened.start()))


def _producer(role: FileRole, attributes: dict[str, str]) -> str:
    if role == "source":
        return "source"
    return attributes.get("sysid") or attributes.get("refid") or ("reference" if role == "reference" else "")


def _attributes(text: str) -> dict[str, str]:
    return {match[1].lower(): _resolved(match[2] or match[3] or match[4] or "") for match in ATTRIBUTE.finditer(text)}


def _text(raw: str) -> str:
    return SPACE.sub(" ", _resolved(INNER_TAG.sub("", raw))).strip(" ")


def _resolved(text: str) -> str:
    if "&" in text:
        for entity, character in ENTITIES:
            text = text.replace(entity, character)
    return text


def _stream(part: Part) -> Stream:
    system = part.name or None if part.role == "hypothesis" else None
    return Stream(part.name, tuple(part.lines), part.role, system, None, part.test_set, tuple(part.keys))


def _refuse_repeated(part: Part, file: str) -> None:
    seen: set[str] = set()
    for key in part.keys:
        if key in seen:
            document, _, identifier = key.partition("\t")
            raise InputError(
                f"Segment '{identifier}' of document '{document}' stands twice for '{part.name}'; ids must differ.",
                file,
            )
        seen.add(key)


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


WMT_XML_SNIFFED = 4_000
ROOT_TAG = re.compile(r"<dataset\b")
WMT_XML_SPACE = re.compile(r"[ \t\r\n]+")
DEEPEST = 64  # elements in one another
MOST_TAGS = 1_000_000  # WMT's largest files have a tenth of that
PART_ROLES: dict[str, FileRole] = {"src": "source", "ref": "reference", "hyp": "hypothesis"}
WmtXmlPart = tuple[FileRole, str]


def is_wmt_xml(text: str) -> bool:
    """Whether the text begins with a tag and the root element stands near its beginning."""
    return text[:WMT_XML_SNIFFED].lstrip().startswith("<") and ROOT_TAG.search(text, 0, WMT_XML_SNIFFED) is not None


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
    parts: dict[WmtXmlPart, dict[str, str]] = {}
    for document, part, key, line in _wmt_xml_segments(root, file):
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
    streams = [_wmt_xml_stream(part, lines, order, test_set) for part, lines in parts.items()]
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


def _wmt_xml_segments(root: Element, file: str) -> Iterator[tuple[str, WmtXmlPart, str, str]]:
    """For each segment its document, its part, its key (document and segment id) and its text."""
    for document in root.iter("doc"):
        name = document.get("id", "")
        for element in document:
            role = PART_ROLES.get(element.tag)
            if role is None:
                continue
            part = role, _label(element, role)
            for segment in element.iter("seg"):
                text = WMT_XML_SPACE.sub(" ", "".join(segment.itertext())).strip(" ")
                yield name, part, f"{name}\t{segment.get('id', '')}", text


def _label(element: Element, role: FileRole) -> str:
    if role == "source":
        return "source"
    if role == "hypothesis":
        return element.get("system") or "hypothesis"
    return " ".join(filter(None, ("reference", element.get("translator"))))


def _wmt_xml_stream(part: WmtXmlPart, lines: dict[str, str], order: tuple[str, ...], test_set: str | None) -> Stream:
    role, label = part
    system = label if role == "hypothesis" else None
    return Stream(label, tuple(lines.get(key) for key in order), role, system, None, test_set, order)
