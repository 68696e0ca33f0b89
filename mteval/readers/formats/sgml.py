"""NIST SGML, WMT XML and WMT25's JSON lines: test sets whose segments have IDs within documents; and TMX."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, FileRole, ScoreColumn, Stream
from mteval.readers.formats.text import located, refuse_cells, refuse_columns, refuse_more, split_lines
from mteval.readers.names import name_of_file

TAG = re.compile(r"<(/?)(srcset|refset|tstset|doc|seg)\b([^<>]*)>", re.IGNORECASE)
INNER_TAG = re.compile(r"</?(?:hl|p|poster|w)\b[^<>]*>", re.IGNORECASE)
ATTRIBUTE = re.compile(r"""(?<![\w:.-])([\w:.-]++)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""")
ENTITIES = (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&apos;", "'"), ("&amp;", "&"))  # the order matters
SPACE = re.compile(r"[ \t\r\n]+")
SET_ROLES: dict[str, FileRole] = {"srcset": "source", "refset": "reference", "tstset": "hypothesis"}


class Part(NamedTuple):
    """What a stream contains: the source, a reference or a system."""

    role: FileRole
    test_set: str | None
    name: str


Segments = Iterator[tuple[Part, str, str, str]]  # part, document, ID and text of each


def read_test_set(text: str, file: str) -> Document | None:
    """Read one of the formats; return None if the tags near the beginning are those of none."""
    head = text[:4_000]
    if not head.lstrip().startswith("<"):
        return None
    if re.search(r"<(?:srcset|refset|tstset)\b", head, re.IGNORECASE):
        return read_sgml(text, file)
    if re.search(r"<tmx\b", head):
        return read_tmx(text, file)
    return read_wmt_xml(text, file) if re.search(r"<dataset\b", head) else None


def read_sgml(text: str, file: str) -> Document:
    """Return one stream for each source, reference or system, and the documents of a source or reference.

    Raises
    ------
    InputError
        If a segment is not closed, is outside a set, or appears twice, or if there is none.
    """
    refuse_more(text.count("<"), 2 * DEFAULT_LIMITS.lines, "tags", file)
    parts, documents = _gathered(_segments(text, file), file)
    if not parts:
        raise InputError("The file has no <seg> in a srcset, refset or tstset. Expected at least one.", file)
    streams = [_stream(part, tuple(lines.values()), tuple(lines)) for part, lines in parts.items()]
    first, keys = next((part, tuple(lines)) for part, lines in parts.items())
    if first.role != "hypothesis":
        streams.append(_documents([documents[key] for key in keys], first.test_set, keys))
    return Document(file, "sgml", tuple(streams))


def _gathered(segments: Segments, file: str) -> tuple[dict[Part, dict[str, str]], dict[str, str]]:
    """Return the lines of each part and the document of each segment, by document and ID."""
    parts: dict[Part, dict[str, str]] = {}
    documents: dict[str, str] = {}
    for part, document, identifier, text in segments:
        lines, key = parts.setdefault(part, {}), f"{document}\t{identifier}"
        refuse_columns(len(parts), DEFAULT_LIMITS, file)
        if key in lines:
            where = f"Segment '{identifier}' of document '{document}'"
            raise InputError(f"{where} appears twice for {part.role} '{part.name}'. Change one id.", file)
        documents[key], lines[key] = document, text
    return parts, documents


def _stream(part: Part, lines: tuple[str | None, ...], keys: tuple[str, ...]) -> Stream:
    system = part.name or None if part.role == "hypothesis" else None
    return Stream(part.name, lines, part.role, system, None, part.test_set, keys)


def _documents(names: Iterable[str], test_set: str | None, keys: tuple[str, ...]) -> Stream:
    return Stream("documents", tuple(names), "documents", None, None, test_set, keys)


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


DEEPEST = 64  # nesting of elements
PART_ROLES: dict[str, FileRole] = {"src": "source", "ref": "reference", "hyp": "hypothesis"}


def read_wmt_xml(text: str, file: str) -> Document:
    """Return streams for the source, the documents, each reference and each system; missing segments are None.

    Raises
    ------
    InputError
        If the XML is not well-formed or defines entities, or a segment appears twice or there is none.
    """
    root = parsed_xml(text, file)
    if root.tag != "dataset":
        raise InputError(f"The root element is <{root.tag}>. Expected <dataset>, WMT's format since 2021.", file)
    parts, documents = _gathered(_wmt_xml_segments(root), file)
    if not parts:
        raise InputError("The dataset has no <seg>. Expected segments in doc/src, doc/ref and doc/hyp.", file)
    refuse_cells(len(parts), len(documents), DEFAULT_LIMITS, file)
    keys = tuple(documents)
    streams = [_stream(part, tuple(map(lines.get, keys)), keys) for part, lines in parts.items()]
    return Document(file, "xml", (*streams, _documents(documents.values(), root.get("id"), keys)))


LANGUAGE = "{http://www.w3.org/XML/1998/namespace}lang"
CODES = ("bpt", "ept", "it", "ph", "ut")  # elements with mark-up of the original file instead of text


def read_tmx(text: str, file: str) -> Document:
    """Return a stream per language: the source, and texts without a role. Units are segments in the file's order.

    Raises
    ------
    InputError
        If the XML is not well-formed or defines entities, or there are no segments.
    """
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


def parsed_xml(text: str, file: str, forbids_dtd: bool = True) -> Element:
    """Parse XML; a DTD that is only named is never read, and entities are refused in any case."""
    refuse_more(text.count("<"), 1_000_000, "tags", file)  # WMT's largest files have a tenth of that
    try:
        root: Element = fromstring(text, forbid_dtd=forbids_dtd)
    except ParseError as error:
        raise InputError(f"The XML is not well-formed ({error.msg}). Fix it.", file, error.position[0]) from error
    except DefusedXmlException as error:
        raise InputError("The XML has a DTD or entities, which are not supported. Remove the DOCTYPE.", file) from error
    level = [root]
    for _ in range(DEEPEST):
        level = [child for element in level for child in element]
    if level:
        raise InputError(f"Elements are nested more than {DEEPEST} deep. Expected fewer than ten.", file)
    return root


def _wmt_xml_segments(root: Element) -> Segments:
    for document in root.iter("doc"):
        for element in (one for one in document if one.tag in PART_ROLES):
            reference = " ".join(filter(None, ("reference", element.get("translator"))))
            names = {"src": "source", "ref": reference, "hyp": element.get("system") or "hypothesis"}
            for segment in element.iter("seg"):
                text = SPACE.sub(" ", "".join(segment.itertext())).strip(" ")
                part = Part(PART_ROLES[element.tag], root.get("id"), names[element.tag])
                yield part, document.get("id", ""), segment.get("id", ""), text


BETWEEN = "_#_"  # language pair, domain and document


Column = tuple[FileRole, str]  # what a stream contains: a text, or the scores of the metric named
Columns = dict[Column, dict[str, Any]]  # values by paragraph


def read_wmt_documents(text: str, file: str) -> Document | None:
    """Read texts or scores; return None if the first line has neither.

    Raises
    ------
    InputError
        If a line is damaged, or a document appears twice.
    """
    first = text.partition("\n")[0]
    if not ('"doc_id"' in first and BETWEEN in first) and '"metric_scores"' not in first:
        return None
    pairs: dict[str, Columns] = defaultdict(lambda: defaultdict(dict))
    documents: dict[str, dict[str, str]] = defaultdict(dict)
    for line, row in enumerate(split_lines(text), start=1):
        with located(file, line):
            try:
                record = bounded_json(row)
                pair, domain, name = _document(record)
                parts = list(_parts(record))
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                problem = f"{type(error).__name__}: {error}"
                raise InputError(f"Not a document of WMT25 ({problem}). Download the file again.") from error
            for column, values in parts:
                for place, value in enumerate(values, start=1):
                    key = f"{name}\t{place}"
                    documents[pair][key] = f"{domain}\t{name}"
                    if key in pairs[pair][column]:
                        raise InputError(f"Document '{name}' appears twice. Remove one line.")
                    pairs[pair][column][key] = value
    streams: list[Stream] = []
    for pair, columns in pairs.items():
        refuse_cells(len(columns), len(documents[pair]), DEFAULT_LIMITS, file)
        streams += _streams(pair, columns, documents[pair], name_of_file(file))
        refuse_columns(len(streams), DEFAULT_LIMITS, file)
    return Document(file, "table", tuple(streams))


def _document(record: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return language pair, domain and document."""
    named = record.get("doc_id") or BETWEEN.join(record[key] for key in ("language_pair", "domain", "document_id"))
    pair, domain, document = named.split(BETWEEN, 2)
    return pair, domain, document.removeprefix("vid_")  # before documents of the domain speech, in some of the files


def _parts(record: Mapping[str, Any]) -> Iterator[tuple[Column, list[Any]]]:
    """Yield the paragraphs of each text of a document, and the scores of each metric."""
    texts: dict[Column, Any] = {("hypothesis", ""): record.get("hypothesis"), ("source", ""): record.get("src_text")}
    texts |= {("reference", name): one["ref"] for name, one in (record.get("refs") or {}).items()}
    for column, text in texts.items():
        if text is not None:
            yield column, [" ".join(paragraph.split("\n")) for paragraph in text.split("\n\n")]
    for metric, scores in record.get("metric_scores", {}).items():
        yield ("scores", metric), [None if score is None else float(score) for score in scores]


def _streams(pair: str, columns: Columns, documents: Mapping[str, str], system: str) -> Iterator[Stream]:
    keys = tuple(documents)
    yield Stream(f"{pair}: documents", tuple(documents.values()), "documents", test_set=pair, keys=keys)
    for (role, name), values in columns.items():
        label = f"{pair}: {name or role}"
        if role == "scores":
            scores = ScoreColumn(system, None, tuple(values.values()), tuple(values))
            yield Stream(label, (), role, test_set=pair, name=name, scores=(scores,), is_higher_better=True)
        else:
            lines = tuple(map(values.get, keys))
            yield Stream(label, lines, role, system if role == "hypothesis" else None, None, pair, keys)
