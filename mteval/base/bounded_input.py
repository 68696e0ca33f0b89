"""JSON and TOML from untrusted files: size and depth are limited, then values are decoded into declared types.

Limits are checked before parsing, since Python's parsers take quadratic time in the depth of keys, or crash. Errors of
``decoded`` name the key.
"""

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from mteval.base.errors import InputError
from mteval.base.words import HALF_PAIR, counted

# Limits of JSON
DEEPEST = 64  # nested lists and objects
LONGEST_WHOLE = 18  # digits; longer integers become floats
STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)
BRACKET = re.compile(r"[\[{\]}]")
EMPTY = re.compile(r"[\[{]\s*+[\]}]")  # list or object

# Limits of TOML
MOST_CHARACTERS = 4_000_000
DEEPEST_TABLE = 32  # nested tables and lists; an experiment has six levels
# Where brackets nest nothing: strings of one or several lines, with or without escapes, and comments
_BASIC_LINES = r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)'
_LITERAL_LINES = r"'''(?:[^']++|'(?!''))*+(?:'''|\Z)"
_BASIC = r'"(?:[^"\\\n]++|\\.)*+"?+'
_LITERAL = r"'[^'\n]*+'?+"
_COMMENT = "#[^\n]*+"
TEXT_OR_COMMENT = re.compile(f"{_BASIC_LINES}|{_LITERAL_LINES}|{_BASIC}|{_LITERAL}|{_COMMENT}", re.DOTALL)
# Too many parts of a key, each a word and a dot
DEEP_KEY = re.compile(rf"(?<![\w-])(?:[\w-]*+[ \t]*+\.[ \t]*+){{{DEEPEST_TABLE}}}")

# Limits of values
MOST_BITS = 63  # of a whole number
LONGEST_NAME = 200  # characters
LONGEST_TEXT = 1 << 20
NO_HALF_PAIRS = "^[^\ud800-\udfff]*$"
# Types of values in untrusted files, with descriptions for errors
_TEXT = f"a text of at most {LONGEST_TEXT:,} characters"
_NAME = f"a text of at most {LONGEST_NAME} characters"
Text = Annotated[str, Meta(max_length=LONGEST_TEXT, pattern=NO_HALF_PAIRS, description=_TEXT)]
Short = Annotated[str, Meta(max_length=LONGEST_NAME, pattern=NO_HALF_PAIRS, description=_NAME)]
Name = Annotated[
    str, Meta(min_length=1, max_length=LONGEST_NAME, pattern=NO_HALF_PAIRS, description=f"{_NAME}, not empty")
]
Filled = Annotated[str, Meta(min_length=1, description="text in quotes that is not empty")]
Whole = Annotated[int, Meta(ge=-(1 << MOST_BITS), le=(1 << MOST_BITS) - 1, description="a whole number")]
Place = Annotated[int, Meta(ge=0, le=10**9, description="a whole number from 0 to 1,000,000,000")]
Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max, description="a finite number")]

SHOWN = 60  # characters of a value in a message
NAME_OF_TYPE: Mapping[Any, str] = {
    str: "text in quotes",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
    tuple: "a list",
}
NAME_OF_OTHERS = "a table"
STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")  # of the path in an error of msgspec
T = TypeVar("T")


def bounded_json(text: str, most: int = 2_000_000, *, is_strict: bool = False) -> Any:
    """Parse JSON; integers of more than ``LONGEST_WHOLE`` digits become floats: rounded, or infinite.

    Parameters
    ----------
    most
        How many values it may have: lists, objects and all parts of them. Keys are no values.
    is_strict
        Whether to refuse what Python's parser accepts beyond the standard (NaN, Infinity), and an object with one key
        twice, of which it would take the last.

    Raises
    ------
    ValueError
        If it is not JSON, has more than ``most`` values, or is nested more than ``DEEPEST`` deep.
    """
    without_texts = STRING.sub('""', text)
    # Count where values begin: the text itself is one, the first part of a list or object begins at its bracket, and
    # every other part at a comma. An empty list has no first part.
    n_begun = sum(without_texts.count(mark) for mark in ",[{")
    n_values = 1 + n_begun - len(EMPTY.findall(without_texts))
    if n_values > most:
        raise ValueError(f"it has {n_values:,} values; the limit is {most:,}")
    if _depth(without_texts) > DEEPEST:
        raise ValueError(f"lists and objects are nested more than {DEEPEST} deep")
    return json.loads(
        text,
        parse_int=_number,
        parse_constant=_refuse_constant if is_strict else None,
        object_pairs_hook=_with_distinct_keys if is_strict else None,
    )


def _number(digits: str) -> float:
    """Return an integer, or a float if it has too many digits."""
    if len(digits.lstrip("-")) <= LONGEST_WHOLE:
        return int(digits)
    return float(digits)


def _refuse_constant(name: str) -> float:
    """Raise an error for a number that only Python's parser knows."""
    raise ValueError(f"{name} is not a number in JSON")


def _with_distinct_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, or raise an error if a key appears twice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        raise ValueError("an object has the same key twice")
    return members


def bounded_toml(text: str, file: str) -> dict[str, Any]:
    """Parse TOML.

    Raises
    ------
    InputError
        If it is not TOML, is too long, or is nested too deeply.
    """
    import tomllib  # few commands read such a file

    if len(text) > MOST_CHARACTERS:
        raise InputError(f"The file has {counted(len(text), 'character')}; the limit is {MOST_CHARACTERS:,}.", file)
    # A text becomes a character of a word, so that quoted parts of dotted keys still count
    without_texts = TEXT_OR_COMMENT.sub("q", text)
    if _depth(without_texts) > DEEPEST_TABLE or DEEP_KEY.search(without_texts):
        raise InputError(f"Tables or lists are nested more than {DEEPEST_TABLE} deep; expected six at most.", file)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of numbers and dates as well
        raise InputError(f"The file is not valid TOML: {error}. Fix that line.", file) from error


def _depth(without_texts: str) -> int:
    """Return how deeply brackets are nested."""
    depth = 0
    deepest = 0
    for bracket in BRACKET.findall(without_texts):
        if bracket in "[{":
            depth += 1
            deepest = max(deepest, depth)
        else:
            depth -= 1
    return deepest


def decoded(form: object, kind: type[T], file: str | None, key: str = "") -> T:
    """Decode parsed JSON or TOML into a declared type, without conversions.

    Parameters
    ----------
    kind
        A msgspec struct or dataclass, or a list or mapping of them.
    key
        Key of the form in the file, e.g. ``settings`` or ``test_sets[2]``; empty for the whole file.

    Raises
    ------
    InputError
        If a value is missing, unknown or of another type; the message names its key.
    """
    try:
        value = msgspec.convert(form, kind)
    except msgspec.ValidationError as error:
        reason, _, path = str(error).partition(" - at `$")
        place = _place(_Place(key, kind, form), path)
        raise InputError(_message(reason, place), file) from error
    except UnicodeEncodeError as error:
        message = f"{_subject(key)} has {shown(error.object)} instead of characters. Fix or remove it."
        raise InputError(message, file) from error
    for unknown_key, known_keys in _unknown_keys(form, value, key):
        raise InputError(_unknown_message(unknown_key, known_keys), file)
    return value


@dataclass(frozen=True)
class _Place:
    """A key of a file, the type that its value should have, and the value."""

    key: str
    kind: Any
    value: Any


def _place(start: _Place, path: str) -> _Place:
    """Return the place in a msgspec error, which omits keys of mappings.

    Parameters
    ----------
    start
        Where the path begins.
    path
        Fields after dots, and indices or ``...`` in brackets, e.g. ``.tasks[3].marks[...]``.
    """
    key = start.key
    kind = start.kind
    value = start.value
    for name, index in STEP.findall(path):
        kind = _structured(kind)
        if name:  # a field
            kind = get_type_hints(kind, include_extras=True)[name]
            value = value[name]
            key = _joined(key, name)
        elif index == "...":  # a value of a mapping: the first that does not fit
            kind = get_args(kind)[1]
            wrong = next(name for name, part in value.items() if not _fits(part, kind))
            value = value[wrong]
            key = _joined(key, wrong)
        else:  # an entry of a list
            kind = get_args(kind)[0]
            value = value[int(index)]
            key = f"{key}[{int(index) + 1}]"
    return _Place(key, kind, value)


def _structured(kind: Any) -> Any:
    """Return the type without metadata, and the structured type of a union."""
    if get_origin(kind) is Annotated:
        return _structured(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        for part in get_args(kind):
            structured = _structured(part)
            if structured not in (str, int, float, bool, NoneType):
                return structured
        raise TypeError(f"{kind} has no structured type")
    return kind


def _fits(form: object, kind: Any) -> bool:
    """Return whether a value can be converted to a type."""
    try:
        msgspec.convert(form, kind)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return False
    return True


def _message(reason: str, place: _Place) -> str:
    """Return what is wrong at a place, and what was expected.

    Parameters
    ----------
    reason
        Of msgspec, e.g. ``Object missing required field `name```.
    """
    subject = _subject(place.key)
    if isinstance(place.value, list) and "of length" in reason:
        return f"{subject} has {counted(len(place.value), 'entry')}; expected {_expected(place.kind)}."
    match = re.search("field `(.*)`", reason)
    if match is None:
        return f"{subject} is {shown(place.value)}; expected {_expected(place.kind)}."
    field = match[1]
    hints = get_type_hints(_structured(place.kind), include_extras=True)
    key = _joined(place.key, field)
    if "missing" in reason:
        return f"The key '{key}' is missing; expected {_expected(hints[field])}."
    return _unknown_message(key, [_joined(place.key, name) for name in hints])


def _subject(key: str) -> str:
    """Return what a sentence is about: a key, or the whole file."""
    return f"'{key}'" if key else "It"


def _joined(key: str, name: str) -> str:
    """Return the key of a field of the value at a key."""
    return f"{key}.{name}" if key else name


def _unknown_message(unknown_key: str, known_keys: Sequence[str]) -> str:
    """Return that a key is unknown, and which are known."""
    known = ", ".join(f"'{key}'" for key in known_keys)
    return f"The key '{unknown_key}' is unknown; expected: {known}. Fix its spelling, or remove it."


def _unknown_keys(form: Any, value: Any, key: str) -> Iterator[tuple[str, list[str]]]:
    """Yield keys unknown to dataclasses, which msgspec ignores, with the known keys.

    Derived values, e.g. the digest of a text, are allowed.
    """
    if isinstance(form, list):
        for number, (part, value_of_part) in enumerate(zip(form, value, strict=True), start=1):
            yield from _unknown_keys(part, value_of_part, f"{key}[{number}]")
    elif isinstance(form, dict) and isinstance(value, Mapping):
        for name, part in form.items():
            yield from _unknown_keys(part, value[name], _joined(key, name))
    elif isinstance(form, dict):
        known = getattr(value, "__struct_fields__", ()) or tuple(field.name for field in fields(value))
        for name, part in form.items():
            is_derived = isinstance(getattr(type(value), name, None), cached_property)
            if name in known:
                yield from _unknown_keys(part, getattr(value, name), _joined(key, name))
            elif is_dataclass(value) and not is_derived:
                yield _joined(key, name), [_joined(key, known_name) for known_name in known]


def _expected(kind: Any) -> str:
    """Describe the expected type."""
    if get_origin(kind) is Annotated:
        return next((meta.description for meta in kind.__metadata__ if meta.description), "")
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(dict.fromkeys(_expected(part) for part in get_args(kind) if part is not NoneType))
    return NAME_OF_TYPE.get(get_origin(kind) or kind, NAME_OF_OTHERS)


def shown(value: object) -> str:
    """Return a value as in the file, shortened."""
    if isinstance(value, str) and HALF_PAIR.search(value):
        return f"{value[:40]!r} with half a surrogate pair"
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        return f"a text of {counted(len(value), 'character')}"
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return "a number with too many digits"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "a table"
    if isinstance(value, bool):
        return "true" if value else "false"
    text = repr(value)
    if len(text) > SHOWN:
        return f"{text[: SHOWN - 3]}…"
    return text
