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

from mteval.analysis.evaluation import Evaluation, specs_of_people
from mteval.base.bounded_input import decoded
from mteval.base.errors import DataError, InputError
from mteval.metrics import catalog
from mteval.metrics.neural.response_format import is_read_otherwise
from mteval.values.definitions import DEFINITIONS, FIRST, changed_since
from mteval.values.model import Experiment

T = TypeVar("T")
Json = Any
# Descriptions of metrics are in the code, and those of human scores in the experiment
KEPT = tuple(field.name for field in fields(Evaluation) if field.name not in ("metrics", "of_people"))
_INFINITIES = ("inf", "-inf")
_hints = cache(get_type_hints)


def to_json_form(value: object) -> Json:
    """Return a value as JSON: dataclasses are objects, sequences and arrays lists."""
    return json.loads(_text(value))


def _text(value: object) -> str:
    """Return a value as JSON; arrays of NumPy are lists."""
    plain = msgspec.to_builtins(value, str_keys=True, enc_hook=lambda array: array.tolist())
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
    if kind is float:
        return _number(form)
    parts = get_args(kind)
    if get_origin(kind) in (Union, UnionType):
        if form is None:
            return None
        first_kind = next(part for part in parts if part is not NoneType)
        return _with_numbers(form, first_kind)
    if isinstance(form, dict):
        if form.keys() == {"asked", "answered"}:  # as version 0.2 saved a comparison
            form = form["asked"] | form["answered"]
        if hasattr(kind, "__dataclass_fields__"):
            kind_of = _hints(kind)
        else:
            kind_of_values = parts[-1] if parts else Any
            kind_of = dict.fromkeys(form, kind_of_values)
        return {name: _with_numbers(value, kind_of.get(name, Any)) for name, value in form.items()}
    if isinstance(form, list) and get_origin(kind) is tuple:
        is_of_any_length = parts[-1] is ...
        kinds = repeat(parts[0]) if is_of_any_length else parts
        return [_with_numbers(value, kind_of_value) for value, kind_of_value in zip(form, kinds, strict=False)]
    return form


def _number(form: Json) -> Json:
    """Return a float as it was before it was written."""
    if form is None:
        return float("nan")
    if form in _INFINITIES:
        return float(form)
    return form


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
    for signatures in form.get("signatures", {}).values():
        if any(is_read_otherwise(signature) for signature in signatures.values()):
            return None
    _bring_up_to_date(form)
    known = catalog(experiment.given)
    kinds = get_type_hints(Evaluation)
    try:
        kept: dict[str, Any] = {name: numbers_from(kinds[name], form[name]) for name in KEPT}
    except (KeyError, msgspec.ValidationError):  # numbers that earlier versions did not make, or made in another form
        return None
    metrics = kept["settings"].metrics
    if not known.keys() >= set(metrics):
        return None
    return Evaluation(
        metrics={key: known[key] for key in metrics},
        of_people=specs_of_people(experiment),
        **kept,
    )


def _bring_up_to_date(form: dict[str, Json]) -> None:
    """Change numbers as version 0.2 wrote them to the form of today."""
    # Version 0.2 kept the question and the result of a comparison apart
    for answers in form.get("answers", ()):
        for luck in ("test_set_luck", "both"):
            answer = answers.get(luck, {})
            if "asked" in answer:
                answers[luck] = answer["asked"] | answer["answered"]
    # Version 0.2 did not count the answers of LLM judges
    form.setdefault("judged", [])
    # Version 0.2 did not compare verdicts with human judgements
    form.setdefault("by_people", [])
    form.setdefault("covered_by_people", [])
    form.setdefault("claims_by_people", [])
    form.setdefault("curves", {})
    # Version 0.2 had two names for each of these numbers
    for summary in form.get("summaries", ()):
        if "s_run" in summary:
            summary["s_opt"] = summary.pop("s_run")
