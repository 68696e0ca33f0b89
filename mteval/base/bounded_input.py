"""JSON and TOML from untrusted files: size and depth are limited, then values are decoded into declared types.

Limits are checked before parsing, since Python's parsers take quadratic time in the depth of keys, or crash. Errors of
``decoded`` name the key.
"""

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cached_property
from itertools import accumulate
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta

from mteval.base.errors import InputError
from mteval.base.words import HALF_PAIR, counted

DEEPEST = 64  # nested lists and objects
LONGEST_WHOLE = 18  # digits; longer integers become floats
STRING = re.compile(r'"(?:[^"\\]++|\\.)*+"?+', re.DOTALL)
BRACKET = re.compile(r"[\[{\]}]")
MOST_CHARACTERS = 4_000_000  # of TOML
DEEPEST_TABLE = 32  # nested tables and lists; an experiment has six levels
BASIC, LITERAL = r'"(?:[^"\\\n]++|\\.)*+"?+', r"'[^'\n]*+'?+"
TEXT_OR_COMMENT = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)' + r"|'''(?:[^']++|'(?!''))*+(?:'''|\Z)" + f"|{BASIC}|{LITERAL}|#[^\n]*+",
    re.DOTALL,
)
DEEP_KEY = re.compile(rf"(?<![\w-])(?:[\w-]*+[ \t]*+\.[ \t]*+){{{DEEPEST_TABLE}}}")


def bounded_json(text: str, most: int = 2_000_000, *, is_strict: bool = False) -> Any:
    """Parse JSON; very large integers become infinite.

    Parameters
    ----------
    is_strict
        Whether to refuse what Python's parser accepts beyond the standard (NaN, Infinity), and an object with one key
        twice, of which it would take the last.

    Raises
    ------
    ValueError
        If it is not JSON, has more than ``most`` values, or is nested more than ``DEEPEST`` deep.
    """
    marks = STRING.sub("", text)
    number = sum(map(marks.count, ",[{]}"))
    if number > most:
        raise ValueError(f"it has {number:,} values; the limit is {most:,}")
    if _depth(marks) > DEEPEST:
        raise ValueError(f"lists and objects are nested more than {DEEPEST} deep")
    return json.loads(
        text,
        parse_int=lambda digits: (int if len(digits) <= LONGEST_WHOLE else float)(digits),
        parse_constant=_refuse_constant if is_strict else None,
        object_pairs_hook=_with_distinct_keys if is_strict else None,
    )


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number in JSON")


def _with_distinct_keys(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
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
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"The file has {counted(len(text), 'character')}; the limit is {MOST_CHARACTERS:,}.", file)
    plain = TEXT_OR_COMMENT.sub("q", text)
    if _depth(plain) > DEEPEST_TABLE or DEEP_KEY.search(plain):
        raise InputError(f"Tables or lists are nested more than {DEEPEST_TABLE} deep; expected six at most.", file)
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # of numbers and dates as well
        raise InputError(f"The file is not valid TOML: {error}. Fix that line.", file) from error


def _depth(marks: str) -> int:
    return max(accumulate(1 if bracket in "[{" else -1 for bracket in BRACKET.findall(marks)), default=0)


MOST_BITS = 63  # of a whole number
LONGEST_NAME = 200  # characters
LONGEST_TEXT = 1 << 20
WHOLE = "^[^\ud800-\udfff]*$"
SHOWN = 60  # characters of a value
# Types of values in untrusted files, with descriptions for errors.
_TEXT, _NAME = f"a text of at most {LONGEST_TEXT:,} characters", f"a text of at most {LONGEST_NAME} characters"
Text = Annotated[str, Meta(max_length=LONGEST_TEXT, pattern=WHOLE, description=_TEXT)]
Short = Annotated[str, Meta(max_length=LONGEST_NAME, pattern=WHOLE, description=_NAME)]
Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME, pattern=WHOLE, description=_NAME + ", not empty")]
Filled = Annotated[str, Meta(min_length=1, description="text in quotes that is not empty")]
Whole = Annotated[int, Meta(ge=-(1 << MOST_BITS), le=(1 << MOST_BITS) - 1, description="a whole number")]
Place = Annotated[int, Meta(ge=0, le=10**9, description="a whole number from 0 to 1,000,000,000")]
Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max, description="a finite number")]
KIND_NAMES: Mapping[Any, str] = {  # of all others: a table
    str: "text in quotes", int: "a whole number", float: "a number", bool: "true or false", list: "a list",
    tuple: "a list",
}  # fmt: skip
STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")  # of the path in an error of msgspec
T = TypeVar("T")


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
        raise InputError(_message(reason, *_place(form, kind, key, path)), file) from error
    except UnicodeEncodeError as error:
        found = f"{_named(key)} has {shown(error.object)} instead of characters. Fix or remove it."
        raise InputError(found, file) from error
    for unknown, names in _unknown(form, value, key):
        raise InputError(_is_unknown(unknown, names), file)
    return value


def _named(key: str) -> str:
    return f"'{key}'" if key else "It"


def _place(form: Any, kind: Any, key: str, path: str) -> tuple[str, Any, Any]:
    """Return key, type and value of the place in a msgspec error, which omits keys of mappings."""
    for name, index in STEP.findall(path):
        kind = _part(kind)
        if name:
            kind, form = get_type_hints(kind, include_extras=True)[name], form[name]
        elif index == "...":
            kind = get_args(kind)[1]
            name = next(name for name, value in form.items() if not _fits(value, kind))
            form = form[name]
        else:
            kind, form = get_args(kind)[0], form[int(index)]
        key = _joined(key, name) if name else f"{key}[{int(index) + 1}]"
    return key, kind, form


def _part(kind: Any) -> Any:
    """Return the type without metadata, and the structured type of a union."""
    if get_origin(kind) is Annotated:
        return _part(get_args(kind)[0])
    if get_origin(kind) in (Union, UnionType):
        return next(part for part in map(_part, get_args(kind)) if part not in (str, int, float, bool, NoneType))
    return kind


def _fits(form: object, kind: Any) -> bool:
    try:
        msgspec.convert(form, kind)
    except (msgspec.ValidationError, UnicodeEncodeError):
        return False
    return True


def _message(reason: str, key: str, kind: Any, found: Any) -> str:
    if isinstance(found, list) and "of length" in reason:
        return f"{_named(key)} has {counted(len(found), 'entry')}; expected {_expected(kind)}."
    if (field := re.search("field `(.*)`", reason)) is None:
        return f"{_named(key)} is {shown(found)}; expected {_expected(kind)}."
    hints = get_type_hints(_part(kind), include_extras=True)
    whole = _joined(key, field[1])
    if "missing" in reason:
        return f"The key '{whole}' is missing; expected {_expected(hints[field[1]])}."
    return _is_unknown(whole, [_joined(key, name) for name in hints])


def _joined(key: str, name: str) -> str:
    return f"{key}.{name}" if key else name


def _is_unknown(key: str, names: Sequence[str]) -> str:
    known = ", ".join(f"'{name}'" for name in names)
    return f"The key '{key}' is unknown; expected: {known}. Fix its spelling, or remove it."


def _unknown(form: Any, value: Any, key: str) -> Iterator[tuple[str, list[str]]]:
    """Yield keys unknown to dataclasses, which msgspec ignores, with the known keys.

    Derived values, e.g. the digest of a text, are allowed.
    """
    if isinstance(form, list):
        for number, (part, made) in enumerate(zip(form, value, strict=True), start=1):
            yield from _unknown(part, made, f"{key}[{number}]")
    elif isinstance(form, dict) and isinstance(value, Mapping):
        for name, part in form.items():
            yield from _unknown(part, value[name], _joined(key, name))
    elif isinstance(form, dict):
        names = getattr(value, "__struct_fields__", ()) or tuple(field.name for field in fields(value))
        for name, part in form.items():
            if name in names:
                yield from _unknown(part, getattr(value, name), _joined(key, name))
            elif is_dataclass(value) and not isinstance(getattr(type(value), name, None), cached_property):
                yield _joined(key, name), [_joined(key, known) for known in names]


def _expected(kind: Any) -> str:
    """Describe the expected type."""
    if get_origin(kind) is Annotated:
        return next((meta.description for meta in kind.__metadata__ if meta.description), "")
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(dict.fromkeys(_expected(part) for part in get_args(kind) if part is not NoneType))
    return KIND_NAMES.get(get_origin(kind) or kind, "a table")


def shown(value: object) -> str:
    """Return a value as in the file, shortened."""
    if isinstance(value, str) and HALF_PAIR.search(value):
        return f"{value[:40]!r} with half a surrogate pair"
    if isinstance(value, str) and len(value) > LONGEST_NAME:
        return f"a text of {counted(len(value), 'character')}"
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return "a number with too many digits"
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "a table"
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 3]}…"
