"""Numbers of an evaluation as they are kept: JSON by the types of the fields, with the version of their definitions."""

from __future__ import annotations

import json
from dataclasses import fields
from functools import cache
from itertools import repeat
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
import numpy as np

from mteval.analysis.evaluation import Evaluation
from mteval.base.bounded_input import decoded
from mteval.base.errors import DataError, InputError
from mteval.metrics import catalog
from mteval.metrics.neural.response_format import is_read_otherwise
from mteval.values.definitions import DEFINITIONS, FIRST, changed_since
from mteval.values.model import Experiment

T = TypeVar("T")
Json = Any


def to_json_form(value: object) -> Json:
    """Return a value as JSON: dataclasses are objects, sequences and arrays lists."""
    return json.loads(_text(value))


def _text(value: object) -> str:
    plain = msgspec.to_builtins(value, str_keys=True, enc_hook=lambda other: other.tolist())  # arrays of numpy
    return json.dumps(plain, ensure_ascii=False)


def from_json_form(kind: type[T], form: Json) -> T:
    """Return the value of a declared type.

    Raises
    ------
    DataError
        If the form is not of that type, e.g. written by another version.
    """
    try:
        return decoded(form, kind, None)
    except InputError as error:
        raise DataError(f"This version cannot read the saved experiment: {error}") from error


def numbers_from(kind: Any, form: Json) -> Any:
    """Return numbers of a declared type, ignoring those that this version no longer has.

    Raises
    ------
    msgspec.ValidationError
        If the form is not of that type.
    """
    return msgspec.convert(_with_numbers(form, kind), kind, dec_hook=lambda _, listed: np.array(listed, dtype=float))


def _with_numbers(form: Json, kind: Any) -> Json:
    """Return the form with NaN and infinities, which were written as null and as text."""
    parts = get_args(kind)
    if kind is float:
        if form is None:
            return float("nan")
        return float(form) if form in ("inf", "-inf") else form
    if get_origin(kind) in (Union, UnionType):
        if form is None:
            return None
        return _with_numbers(form, next(part for part in parts if part is not NoneType))
    if isinstance(form, dict):
        if form.keys() == {"asked", "answered"}:  # as version 0.2 saved a comparison
            form = form["asked"] | form["answered"]
        if hasattr(kind, "__dataclass_fields__"):
            kinds = _hints(kind)
        else:
            kind_of_values = parts[-1] if parts else Any
            kinds = dict.fromkeys(form, kind_of_values)
        return {name: _with_numbers(part, kinds.get(name, Any)) for name, part in form.items()}
    if isinstance(form, list) and get_origin(kind) is tuple:
        return [_with_numbers(*one) for one in zip(form, repeat(parts[0]) if parts[-1] is ... else parts, strict=False)]
    return form


_hints = cache(get_type_hints)
KEPT = tuple(field.name for field in fields(Evaluation) if field.name != "metrics")  # their specs are in the code


def numbers_of(experiment: Experiment, evaluation: Evaluation) -> bytes:
    """Return the numbers of an evaluation with the version of their definitions."""
    form = {name: getattr(evaluation, name) for name in KEPT}
    return _text({"experiment": experiment.digest, "definitions": DEFINITIONS, **form}).encode("utf-8")


def evaluation_from(numbers: bytes, experiment: Experiment) -> Evaluation | None:
    """Return the saved evaluation; None if it belongs to another experiment or follows earlier definitions.

    Also None if this version cannot read it, if one of the metrics is no longer available, or if an LLM judge's answers
    were read by other rules.

    Raises
    ------
    InputError
        If they follow later definitions.
    """
    form = json.loads(numbers)
    if form["experiment"] != experiment.digest or changed_since(form.get("definitions", FIRST)):
        return None
    for answers in form.get("answers", ()):  # mteval 0.2 kept the question and the result of a comparison apart
        for name in {"test_set_luck", "both"} & set(answers):
            if "asked" in answers[name]:
                answers[name] = answers[name]["asked"] | answers[name]["answered"]
    signatures = [signature for by_metric in form.get("signatures", {}).values() for signature in by_metric.values()]
    if any(map(is_read_otherwise, signatures)):
        return None
    form.setdefault("judged", [])  # mteval 0.2 did not count the answers of LLM judges
    kinds, known = get_type_hints(Evaluation), catalog(experiment.given)
    try:
        kept: dict[str, Any] = {name: numbers_from(kinds[name], form[name]) for name in KEPT}
    except (KeyError, msgspec.ValidationError):  # numbers that earlier versions did not make, or made in another form
        return None
    metrics = kept["settings"].metrics
    if not known.keys() >= set(metrics):
        return None
    return Evaluation(metrics={key: known[key] for key in metrics}, **kept)
