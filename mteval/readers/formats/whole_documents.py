"""Documents of other programs, which are no segments: they are refused, whatever the name of the file.

A text is such a document if it can be parsed from its first to its last character. Translations that contain tags, or
that are JSON line by line, are text.
"""

import json
import re
from collections.abc import Mapping
from contextlib import suppress

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import InputError
from mteval.readers.documents import IGNORED
from mteval.readers.formats.text import split_lines
from mteval.readers.formats.xml_trees import parsed_xml

MOST_VALUES = 20_000_000
SHOWN = 60  # characters of keys and tags in a message
DECLARATION = re.compile(r"\s*<\?xml\s", re.IGNORECASE)
# Comments and declarations before the first tag are matched without going back
HTML = re.compile(r"\s*+(?><!--(?>.*?-->)\s*+)*+<(!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL)
TAG = re.compile(r"\s*+(?><[?!][^>]*+>\s*+)*+<[A-Za-z_]")
SUBTITLE = re.compile(r"\d+\n(\d+:)?\d\d:\d\d[,.]\d{3} +--> +(\d+:)?\d\d:\d\d[,.]\d{3}")
CATALOGUE_LINE = re.compile(r'(#.*|msg(id|str|ctxt|id_plural)(\[\d+\])? ".*"|".*")?')
FORM_OF_OPENING = {"{\\rtf": "RTF", "\\documentclass": "LaTeX", "\\begin{tab": "LaTeX"}
MARKDOWN_RULE = re.compile(r"\|?( *:?-{2,}:? *\|)+( *:?-{2,}:? *)?")
# Texts of programs by key: ``"key" = "text";`` of macOS, ``key=text`` of Java
STRING_LINE = re.compile(r'(\s*|//.*|/\*.*\*/|"(?>[^"\\]|\\.)*+"\s*=\s*"(?>[^"\\]|\\.)*+";)')
PROPERTY_LINE = re.compile(r"[#!].*|\s*|([A-Za-z_][\w.\-]*)\s?=.*")
FEWEST_PROPERTIES = 3
EXPECTED_XML = "<srcset>, <refset>, <tstset>, <dataset>, <tmx> or <xliff>"
# Pointers to files that were not fetched: how they begin, which program wrote them, and how to fetch the file
POINTERS = (
    ("version https://git-lfs.github.com/spec/", "Git LFS", "git lfs pull"),
    ("/annex/objects/", "git-annex", "git annex get"),
)
FEWEST_COLUMNS = 2
# What evaluations write beside their logs, by keys at the top
SUMMARIES: tuple[tuple[str, frozenset[str]], ...] = (
    ("a summary of lm-evaluation-harness", frozenset({"results", "versions"})),
    ("a summary of lm-evaluation-harness", frozenset({"results", "configs"})),
    ("a summary of lighteval", frozenset({"results", "config_general"})),
    ("a summary of Weights & Biases", frozenset({"_runtime"})),
    ("metadata of Weights & Biases", frozenset({"startedAt", "program"})),
    ("a specification of HELM", frozenset({"adapter_spec"})),
    ("answers of HELM, whose scores are elsewhere", frozenset({"request_states"})),
    ("a scenario of HELM", frozenset({"definition_path"})),
)


def refuse_whole_document(text: str, file: str) -> None:
    """Raise InputError if a text is one document of an unknown form, from its first to its last character.

    The error has the code ``IGNORED`` for summaries, which evaluations write beside their logs.
    """
    start = text[:4_000].lstrip()
    for opening, program, command in POINTERS:
        if start.startswith(opening):
            raise InputError(f"This is a pointer of {program} instead of the file. Fetch it with '{command}'.", file)
    if start.startswith("<"):
        _refuse_html(text, file)
        _refuse_xml(text, file)
    elif start.startswith(tuple(FORM_OF_OPENING)):
        form = next(name for opening, name in FORM_OF_OPENING.items() if start.startswith(opening))
        raise InputError(f"This is a document in {form}. Export it as plain text, one segment per line.", file)
    elif start.startswith(("{", "[")):
        _refuse_json(text, file)
    elif start.startswith("WEBVTT") or SUBTITLE.match(start):
        raise InputError("These are subtitles with times. Export their text, one segment per line.", file)
    elif 'msgid "' in start and all(map(CATALOGUE_LINE.fullmatch, split_lines(text))):
        raise InputError("This is a catalogue of gettext (PO). Convert it to XLIFF, e.g. with po2xliff.", file)
    else:
        _refuse_lines_of_programs(text, start, file)


def _refuse_lines_of_programs(text: str, start: str, file: str) -> None:
    """Raise InputError for a table in Markdown, and for texts of programs, each with its key."""
    first, _, rest = start.partition("\n")
    if "|" in first and MARKDOWN_RULE.fullmatch(rest.partition("\n")[0].strip()):
        raise InputError("This is a table in Markdown. Save it as CSV, without the line below its header.", file)
    remedy = "Convert it to XLIFF, or export its texts, one segment per line."
    if start.startswith(('"', "/*", "//")) and '" = "' in start and all(map(STRING_LINE.fullmatch, split_lines(text))):
        raise InputError(f"These are strings of an app (.strings), with a key in each line. {remedy}", file)
    if "=" in first or first.startswith("#"):
        properties = [PROPERTY_LINE.fullmatch(line) for line in split_lines(text)]
        keys = [match[1] for match in properties if match is not None and match[1]]
        n_long = sum("." in key or "_" in key for key in keys)  # others may be assignments in code
        if all(properties) and n_long >= max(FEWEST_PROPERTIES, len(keys) / 2) and len(set(keys)) == len(keys):
            raise InputError(f"These are properties, with a key before = in each line. {remedy}", file)


def _refuse_html(text: str, file: str) -> None:
    if HTML.match(text[:4_000]):
        raise InputError("This is an HTML page. Export its text, one segment per line.", file)


def _refuse_xml(text: str, file: str) -> None:
    """Raise InputError for XML with one root; several elements in a row are text with tags."""
    is_declared = DECLARATION.match(text) is not None
    may_be_whole = TAG.match(text[:4_000]) is not None and text.rstrip().endswith(">")
    if not is_declared and not may_be_whole:
        return
    try:
        root = parsed_xml(text, file, forbids_dtd=False)
    except InputError as error:
        if is_declared or "well-formed" not in error.message:
            raise
        return
    name = root.tag.rpartition("}")[2]
    message = f"This XML document has the root <{name[:SHOWN]}>, which mteval does not know. Expected {EXPECTED_XML},"
    raise InputError(f"{message} or plain text with one segment per line.", file)


def refuse_lists_per_column(text: str, file: str) -> None:
    """Raise InputError for one object of JSON in one line that has columns as lists of one length.

    As a row of a table, it would be a single segment with many references.
    """
    if not text[:4_000].lstrip().startswith("{") or "\n" in text.strip():
        return
    value = None
    with suppress(ValueError):
        value = bounded_json(text, MOST_VALUES)
    if isinstance(value, dict):
        _refuse_lists(value, file)


def _refuse_lists(value: Mapping[str, object], file: str) -> None:
    lengths = {}
    for name, column in value.items():
        if isinstance(column, list) and len(column) > 1 and all(isinstance(cell, str) for cell in column):
            lengths[name] = len(column)
    if len(lengths) >= FEWEST_COLUMNS and len(set(lengths.values())) == 1:
        remedy = "Write one object per segment, one per line, with hypothesis and reference."
        raise InputError(f"This is one JSON object with a list per column ({_listed(lengths)}). {remedy}", file)


def _refuse_json(text: str, file: str) -> None:
    """Raise InputError for one object or list of JSON with content; lines of JSON are not one."""
    value = None
    with suppress(ValueError):
        value = bounded_json(text, MOST_VALUES)
    if not isinstance(value, dict | list) or not value:
        return
    if isinstance(value, dict):
        for name, keys in SUMMARIES:
            if keys <= value.keys():
                raise InputError(f"This is {name}, without scores of segments.", file, code=IGNORED)
        _refuse_lists(value, file)
        content = f"an object with {_listed(value)}"
    else:
        first = value[0]
        content = f"a list of {len(value):,}"
        if isinstance(first, dict):
            content += f" objects with {_listed(first)}"
    expected = "a log, scores of comet-score, or a list of objects with system, segment and score or hypothesis"
    raise InputError(f"This is one JSON document ({content}), which mteval does not know. Expected {expected}.", file)


def _listed(keys: Mapping[str, object]) -> str:
    names = ", ".join(json.dumps(key, ensure_ascii=False) for key in list(keys)[:5])
    return names[:SHOWN] if keys else "no keys"
