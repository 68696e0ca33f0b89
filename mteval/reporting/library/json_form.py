"""Values as JSON and back, by the types that their fields declare: what is read is what was written, bit for bit."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from mteval.errors import DataError

INFINITE = {"inf": float("inf"), "-inf": float("-inf")}  # which JSON does not know; NaN is null
Json = Any


def to_json_form(value: Any) -> Json:
    """Dataclasses as objects, sequences and arrays as lists, NaN as null.

    Raises
    ------
    TypeError
        On a value that has no such form.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json_form(getattr(value, field.name)) for field in fields(value) if field.init}
    if isinstance(value, np.ndarray | np.generic):
        return to_json_form(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): to_json_form(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [to_json_form(one) for one in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def from_json_form(kind: Any, form: Json) -> Any:
    """The value of a declared type.

    Raises
    ------
    DataError
        Where the form is none of that type: what was written by another version.
    """
    try:
        return _value(kind, form)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise DataError(f"What is kept is not of the form that this version knows: {error}.") from error


def _value(kind: Any, form: Json) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, form)
    if origin in (Union, UnionType):
        others = [part for part in parts if part is not NoneType]
        return None if form is None and NoneType in parts else _first_fitting(others, form)
    if origin is Literal:
        return parts[parts.index(form)]
    if origin is np.ndarray:
        return np.array([_number(one) for one in form], dtype=np.float64)
    if origin is tuple:
        kinds = [parts[0]] * len(form) if parts[-1:] == (...,) else parts
        return tuple(_value(one, item) for one, item in zip(kinds, form, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: _value(parts[1], item) for key, item in form.items()}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return [_value(parts[0], item) for item in form]
    if kind is float:
        return _number(form)
    if kind is not Any and type(form) is not kind:
        raise TypeError(f"{form!r} where {kind} is expected")
    return form


def _first_fitting(kinds: Sequence[Any], form: Json) -> Any:
    if len(kinds) == 1:
        return _value(kinds[0], form)
    if type(form) in kinds:
        return form
    raise TypeError(f"{form!r} where one of {kinds} is expected")


def _number(form: Json) -> float:
    if form is None:
        return float("nan")
    return INFINITE[form] if isinstance(form, str) else float(form)


def _dataclass(kind: Any, form: Json) -> Any:
    hints = _hints(kind)
    unknown = set(form) - set(hints)
    if unknown:
        raise TypeError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    wanted = [field for field in fields(kind) if field.init and (field.name in form or _is_needed(field))]
    return kind(**{field.name: _value(hints[field.name], form[field.name]) for field in wanted})


def _is_needed(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


@cache
def _hints(kind: Hashable) -> Mapping[str, Any]:
    return get_type_hints(kind)
