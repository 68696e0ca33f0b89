"""Outputs and scores written by other programs: logs of evaluations, and files of COMET.

Supported logs: samples of lm-evaluation-harness, Inspect logs, promptfoo results and tables exported from Weights &
Biases. Each answer becomes a row with system, run, segment and test set, the source, hypothesis and reference, and its
scores. Of learned metrics, ``comet-score --to_json`` is read.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct

from mteval.base.bounded_input import Finite, Text, bounded_json, decoded
from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, ScoreColumn, Stream
from mteval.readers.formats.score_tables import outputs_and_scores
from mteval.readers.formats.tables import Row, canonical, with_segments
from mteval.readers.formats.text import refuse_columns
from mteval.values.judgements import SpanForm, spans_of

NO_REFERENCE = "(no reference)"
NO_ANSWER = {"message": {"content": ""}}
MOST_VALUES = 20_000_000  # such logs contain all messages before an answer
HEAD = 1 << 12  # characters searched for the first keys
INSPECT_GRADES: Mapping[str, float] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}  # as in its ``value_to_float``
_OF_HARNESS = re.compile(r"samples_(?P<test_set>.+?)_(?P<run>\d{4}-\d\d-\d\dT[\w.-]+)\.jsonl")
_BLANK: Mapping[str, str | None] = {"hypothesis": "", "reference": NO_REFERENCE}
_NAMES = ("system", "run", "segment", "test_set", "source", "hypothesis", "reference")


def read_log(text: str, file: str) -> Document | None:
    """Read the answers of a log with their scores; return None if it is not a log.

    Raises
    ------
    InputError
        If the log is damaged or has no scores.
    """
    head = text[:HEAD].lstrip()
    if not head.startswith("{"):
        return None
    for is_form, rows_of in _FORMS:
        if is_form(text, head):
            try:
                rows = list(rows_of(text, file))
            except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
                problem = f"{type(error).__name__}: {error}"
                raise InputError(f"An evaluation log, but damaged ({problem}). Export it again.", file) from error
            if not score_names(rows):
                raise InputError("The log has no scores. Evaluate again with a metric or scorer.", file)
            return replace(outputs_and_scores(rows, file, score_names(rows)), format="json")
    return None


def score_names(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the columns with scores."""
    return tuple(dict.fromkeys(name for _, row in rows for name in row if name not in _NAMES))


def _harness(text: str, file: str) -> Iterator[Row]:
    """Read one object per line; the folder names the model, and the time in the file name is the run."""
    folder, _, name = file.replace("\\", "/").rpartition("/")
    named = _OF_HARNESS.fullmatch(name)
    system = folder.rpartition("/")[2] or None
    for line, sample in enumerate(map(bounded_json, filter(None, text.splitlines())), start=1):
        answers = sample["filtered_resps"]
        cells = {
            "system": system,
            **(named.groupdict() if named else {}),
            "segment": str(sample["doc_id"]),
            "source": _first_text(sample.get("arguments")),
            "hypothesis": _answer(answers, sample.get("arguments")),
            "reference": _text(sample.get("target")) or NO_REFERENCE,
        }
        yield line, cells | {metric: _number(sample[metric]) for metric in sample.get("metrics", ())}


def _inspect(text: str, file: str) -> Iterator[Row]:
    """Read one object; samples of several epochs are answers of one model, and their scores are averaged."""
    log = bounded_json(text, MOST_VALUES)
    about = log["eval"]
    samples: dict[str, list[Any]] = {}
    for sample in log["samples"]:
        samples.setdefault(str(sample["id"]), []).append(sample)
    for number, (key, epochs) in enumerate(samples.items(), start=1):
        first = epochs[0]
        answer = (first["output"].get("choices") or [NO_ANSWER])[0]
        graded = [_grades(sample.get("scores") or {}) for sample in epochs]
        metrics = dict.fromkeys(name for grades in graded for name in grades)
        cells = {
            "system": about["model"],
            "run": about.get("run_id") or about["created"],
            "test_set": about["task"],
            "segment": key,
            "source": _text(first["input"]),
            "hypothesis": _text(first["output"].get("completion") or (answer["message"]["content"] if answer else "")),
            "reference": _text(first["target"]) or NO_REFERENCE,
        }
        yield number, cells | {metric: _mean(grades.get(metric) for grades in graded) for metric in metrics}


def _promptfoo(text: str, file: str) -> Iterator[Row]:
    """Read one object; a provider with a prompt is a system, and repeated answers to a test are averaged."""
    log = bounded_json(text, MOST_VALUES)
    results = log["results"]["results"]
    prompts = sorted({str(result.get("promptId")) for result in results})
    places = {prompt: place for place, prompt in enumerate(prompts, start=1)}
    answers: dict[tuple[str, int], list[Any]] = {}
    for result in results:
        provider = result["provider"]
        name = str((provider.get("label") or provider["id"]) if isinstance(provider, dict) else provider)
        place = places[str(result.get("promptId"))]
        system = f"{name} prompt {place}" if len(prompts) > 1 else name
        answers.setdefault((system, int(result["testIdx"]) + 1), []).append(result)
    for number, ((system, key), repeated) in enumerate(answers.items(), start=1):
        first = repeated[0]
        metrics = dict.fromkeys(name for result in repeated for name in result.get("namedScores") or {})
        named = {name: _mean((result.get("namedScores") or {}).get(name) for result in repeated) for name in metrics}
        cells: dict[str, str | None] = {
            "system": system,
            "run": log["evalId"],
            "segment": str(key),
            "source": _text(first.get("vars")),
            "hypothesis": _text((first.get("response") or {}).get("output")),
            "reference": _expected(first.get("testCase") or {}),
        }
        yield number, cells | {"score": _mean(result.get("score") for result in repeated), **named}


def _wandb(text: str, file: str) -> Iterator[Row]:
    """Read columns and rows; columns have the names of score tables, and other numeric columns are scores."""
    table = bounded_json(text, MOST_VALUES)
    names = with_segments([canonical(str(name)) for name in table["columns"]])
    others = ((place, name) for place, name in enumerate(names) if name not in _NAMES)
    numeric = {name for place, name in others if any(_is_number(row[place]) for row in table["data"])}
    for number, row in enumerate(table["data"], start=1):
        cells = dict(zip(names, row, strict=True))
        kept: dict[str, str | None] = {name: _text(cells[name]) for name in _NAMES if name in cells}
        yield number, dict(_BLANK) | kept | {name: _number(cells[name]) for name in names if name in numeric}


_FORMS: tuple[tuple[Callable[[str, str], bool], Callable[[str, str], Iterator[Row]]], ...] = (
    (lambda text, head: '"eval"' in head and '"samples"' in text, _inspect),
    (lambda text, head: '"evalId"' in head and '"results"' in head, _promptfoo),
    (lambda text, head: head.startswith('{"columns"') and '"data"' in text, _wandb),
    (lambda text, head: '"doc_id"' in text and '"filtered_resps"' in text, _harness),
)


def _expected(test: Mapping[str, Any]) -> str:
    """Return the text of the first assertion that has one."""
    values = (one.get("value") for one in test.get("assert") or () if isinstance(one, dict))
    return next((value for value in values if isinstance(value, str) and value), NO_REFERENCE)


def _grades(scores: Mapping[str, Any]) -> dict[str, float | None]:
    """Convert Inspect's scores to numbers; a score with several values becomes several."""
    found: dict[str, float | None] = {}
    for name, score in scores.items():
        value = score["value"]
        parts = {f"{name} {part}": one for part, one in value.items()} if isinstance(value, dict) else {name: value}
        for part, one in parts.items():
            found[part] = float(one) if _is_number(one) else INSPECT_GRADES.get(one) if isinstance(one, str) else None
    return found


def _mean(values: Iterable[Any]) -> str | None:
    known = [float(value) for value in values if _is_number(value)]
    return repr(sum(known) / len(known)) if known else None


def _number(value: Any) -> str | None:
    return repr(float(value)) if _is_number(value) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float)


def _text(value: Any) -> str:
    """Convert a value to text: messages are joined, other values are JSON."""
    if value is None:
        return ""
    if isinstance(value, list) and value and all(isinstance(one, dict) and "content" in one for one in value):
        return "\n".join(_text(one["content"]) for one in value)
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _answer(answers: Sequence[Any], arguments: Any) -> str:
    """Return the generated text, or the likeliest of several continuations."""
    if len(answers) < 2 or not all(isinstance(one, list) and one for one in answers):
        return _text(answers[0] if answers else "")
    likeliest = max(range(len(answers)), key=lambda place: float(answers[place][0]))
    continuations = [list(one.values()) for one in arguments.values()]
    return _text(continuations[likeliest][-1]).strip()


def _first_text(arguments: Any) -> str:
    """Return the prompt in the arguments of a request, however nested."""
    while isinstance(arguments, dict | list) and arguments:
        arguments = next(iter(arguments.values())) if isinstance(arguments, dict) else arguments[0]
    return _text(arguments or "")


NAME = "COMET"
SCORES = (NAME, "predicted_score")
TEXT, ERRORS = "mt", "errors"
MODEL_SCORES_HEAD = 1 << 16  # characters searched for the first translation
OPENINGS = ("{", "[")


def read_comet_json(text: str, file: str) -> Document | None:
    """Read the scores of each output file; return None if it is something else.

    Raises
    ------
    InputError
        If it is damaged, or an object has no score.
    """
    if not text.lstrip().startswith(OPENINGS) or f'"{TEXT}"' not in text[:MODEL_SCORES_HEAD]:
        return None
    whole = _parsed(text, file)
    lists = whole if isinstance(whole, dict) else {"": whole}
    firsts = [items[0] if isinstance(items, list) and items else None for items in lists.values()]
    are_scores = (isinstance(one, dict) and TEXT in one and not one.keys().isdisjoint(SCORES) for one in firsts)
    if not firsts or not all(are_scores):
        return None
    refuse_columns(len(lists), DEFAULT_LIMITS, file)
    marks_errors = any(isinstance(item, dict) and ERRORS in item for items in lists.values() for item in items)
    scores = tuple(_column(name, items, file, marks_errors) for name, items in lists.items())
    return Document(file, "json", (Stream("", (), "scores", name=NAME, scores=scores),))


class _Output(Struct):
    """Fields of an output that are read beside its score."""

    mt: Text
    errors: list[SpanForm] | None = None
    variance: Finite | None = None


def _column(name: str, items: Sequence[Any], file: str, marks_errors: bool) -> ScoreColumn:
    """Return the scores of one output file, with spans and deviations if present."""
    values = tuple(_score(item, number, name, file) for number, item in enumerate(items, 1))
    outputs = decoded(items, list[_Output], file, name)
    deviations = tuple(output.variance for output in outputs)
    spans = (spans_of(one.errors or (), file, f"{name}[{number}].errors") for number, one in enumerate(outputs, 1))
    marked = tuple(spans) if marks_errors else None
    known = deviations if any(deviation is not None for deviation in deviations) else None
    texts = tuple(output.mt for output in outputs)
    return ScoreColumn(name or None, None, values, spans=marked, deviations=known, texts=texts)


def _parsed(text: str, file: str) -> Any:
    """Parse the JSON; return None for several values, i.e. JSON lines."""
    first = text.lstrip().partition("\n")[0].strip()
    try:
        return bounded_json(text)
    except ValueError as error:
        if first not in OPENINGS:
            return None
        raise InputError(f"Not valid JSON ({error}). Write it again with comet-score --to_json.", file) from error


def _score(item: Any, number: int, name: str, file: str) -> float | None:
    score = next((item[key] for key in SCORES if key in item), "nothing") if isinstance(item, dict) else "nothing"
    if score is None:
        return None
    if isinstance(score, bool) or not isinstance(score, int | float) or math.isinf(score):
        where = f" of '{name}'" if name else ""
        raise InputError(f"Segment {number}{where} has the {NAME} score {str(score)[:60]!r}. Expected a number.", file)
    return None if math.isnan(score) else float(score)
