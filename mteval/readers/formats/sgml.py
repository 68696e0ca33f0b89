"""NIST and WMT SGML (srcset, refset, tstset), read by its tags alone, since most such files are no valid SGML."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mteval.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, Stream
from mteval.readers.formats.bounds import refuse_columns, refuse_more

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
