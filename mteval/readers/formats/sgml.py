"""NIST SGML: a set of sources, references or outputs, whose segments have IDs within documents."""

import re

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
    streams = [stream_of(part, tuple(lines.values()), tuple(lines)) for part, lines in parts.items()]
    first, keys = next((part, tuple(lines)) for part, lines in parts.items())
    if first.role != "hypothesis":
        streams.append(documents_of([documents[key] for key in keys], first.test_set, keys))
    return Document(file, "sgml", tuple(streams))


def _segments(text: str, file: str) -> Segments:
    role: FileRole | None = None
    of_set: dict[str, str] = {}
    of_doc: dict[str, str] = {}
    opened: re.Match[str] | None = None
    try:
        for tag in TAG.finditer(text):
            closing, name = bool(tag[1]), tag[2].lower()
            if opened is not None and not (closing and name == "seg"):
                break
            if name in SET_ROLES:
                role, of_set, of_doc = (None, {}, {}) if closing else (SET_ROLES[name], _attributes(tag[3]), {})
            elif name == "doc":
                of_doc = {} if closing else _attributes(tag[3])
            elif not closing:
                opened = tag
            elif opened is not None:
                if role is None:
                    raise InputError("The segment is outside srcset, refset and tstset. Move it into one.")
                told = of_set | of_doc
                producer = told.get("sysid") or told.get("refid") or ("reference" if role == "reference" else "")
                part = Part(role, of_set.get("setid"), "source" if role == "source" else producer)
                line = SPACE.sub(" ", _resolved(INNER_TAG.sub("", text[opened.end() : tag.start()]))).strip(" ")
                yield part, of_doc.get("docid", ""), _attributes(opened[3]).get("id", ""), line
                opened = None
        if opened is not None:
            raise InputError("The segment is not closed. Add </seg>.")
    except InputError as error:
        raise error.at(file, text.count("\n", 0, opened.start() if opened else 0) + 1) from error


def _attributes(text: str) -> dict[str, str]:
    return {match[1].lower(): _resolved(match[2] or match[3] or match[4] or "") for match in ATTRIBUTE.finditer(text)}


def _resolved(text: str) -> str:
    if "&" in text:
        for entity, character in ENTITIES:
            text = text.replace(entity, character)
    return text
