"""NIST SGML: a set of sources, references or outputs, whose segments have IDs within documents."""

import re
from collections.abc import Mapping

from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole
from mteval.readers.formats.identified_segments import SPACE, Part, Segments, documents_of, gathered, stream_of
from mteval.readers.formats.text import is_marked_up, refuse_more

TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
FIRST_TAG = re.compile(r"<(?:srcset|refset|tstset)\b", re.IGNORECASE)
INNER_TAG = re.compile(r"</?(?:hl|p|poster|w)\b[^<>]*>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""")
ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))  # the order matters
SET_ROLES: dict[str, FileRole] = {"srcset": "source", "refset": "reference", "tstset": "hypothesis"}


def read_sgml(text: str, file: str) -> Document | None:
    """Return one stream for each source, reference or system, and the documents of a source or reference.

    None if no set is opened near the beginning.

    Raises
    ------
    InputError
        If a segment is not closed, is outside a set, or appears twice, or if there is none.
    """
    if not is_marked_up(text, FIRST_TAG):
        return None
    refuse_more(text.count("<"), 2 * DEFAULT_LIMITS.lines, "tags", file)
    parts, documents = gathered(_segments(text, file), file)
    if not parts:
        raise InputError("The file has no <seg> in a srcset, refset or tstset. Expected at least one.", file)
    streams = []
    for part, line_of in parts.items():
        streams.append(stream_of(part, tuple(line_of.values()), keys=tuple(line_of)))
    first_part = next(iter(parts))
    if first_part.role != "hypothesis":
        keys = tuple(parts[first_part])
        names = [documents[key] for key in keys]
        streams.append(documents_of(names, first_part.test_set, keys))
    return Document(file, "sgml", tuple(streams))


def _segments(text: str, file: str) -> Segments:
    """Yield part, document, ID and text of each segment."""
    role: FileRole | None = None
    set_attributes: dict[str, str] = {}
    doc_attributes: dict[str, str] = {}
    opened: re.Match[str] | None = None  # the tag of an open segment
    try:
        for tag in TAG.finditer(text):
            is_closing = bool(tag[1])
            name = tag[2].lower()
            if opened is not None and not (is_closing and name == "seg"):
                break
            if name in SET_ROLES:
                role = None if is_closing else SET_ROLES[name]
                set_attributes = {} if is_closing else _attributes(tag[3])
                doc_attributes = {}
            elif name == "doc":
                doc_attributes = {} if is_closing else _attributes(tag[3])
            elif not is_closing:
                opened = tag
            elif opened is not None:
                if role is None:
                    raise InputError("The segment is outside srcset, refset and tstset. Move it into one.")
                # A document may name another producer than its set.
                part = Part(role, set_attributes.get("setid"), _producer(role, set_attributes | doc_attributes))
                content = INNER_TAG.sub("", text[opened.end() : tag.start()])
                line = SPACE.sub(" ", _resolved(content)).strip(" ")
                yield part, doc_attributes.get("docid", ""), _attributes(opened[3]).get("id", ""), line
                opened = None
        if opened is not None:
            raise InputError("The segment is not closed. Add </seg>.")
    except InputError as error:
        offset = opened.start() if opened else 0
        raise error.at(file, text.count("\n", 0, offset) + 1) from error


def _producer(role: FileRole, attributes: Mapping[str, str]) -> str:
    """Return the name of a source, a reference or an output; empty for an output without one."""
    if role == "source":
        return "source"
    producer = attributes.get("sysid") or attributes.get("refid")
    if producer:
        return producer
    return "reference" if role == "reference" else ""


def _attributes(text: str) -> dict[str, str]:
    """Return the attributes of a tag, their names in lower case."""
    attributes = {}
    for match in ATTRIBUTE.finditer(text):
        quoted = match[2] or match[3]
        attributes[match[1].lower()] = _resolved(quoted or match[4] or "")
    return attributes


def _resolved(text: str) -> str:
    """Replace entities by their characters."""
    if "&" in text:
        for entity, character in ENTITIES:
            text = text.replace(entity, character)
    return text
