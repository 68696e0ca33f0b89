"""Outputs and scores written by other programs: logs of evaluations, and files of COMET.

Supported logs: samples of lm-evaluation-harness, lighteval, HELM and Every Eval Ever, Inspect logs, promptfoo results
and tables of Weights & Biases. Each answer becomes a row with system, run, segment and test set, the source, hypothesis
and reference, and its scores. Of learned metrics, ``comet-score --to_json`` is read.
"""

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct

from mteval.base.bounded_input import Finite, Text, bounded_json, decoded
from mteval.base.errors import InputError
from mteval.readers.documents import DEFAULT_LIMITS, Document, ScoreColumn, Stream, grouped
from mteval.readers.formats.score_tables import number_in, outputs_and_scores, score_streams
from mteval.readers.formats.tables import Row, canonical, with_segments
from mteval.readers.formats.text import refuse_columns, split_lines
from mteval.readers.names import name_of_file
from mteval.values.judgements import SpanForm, spans_of

NO_REFERENCE = "(no reference)"
MOST_VALUES = 20_000_000  # such logs contain all messages before an answer
HEAD = 1 << 12  # characters searched for the first keys
OPENINGS = ("{", "[")
# as in Inspect's ``value_to_float``: correct, partial, incorrect, no answer
INSPECT_GRADES: Mapping[str, float] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORD_GRADES: Mapping[str, float] = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
SCHOOL_GRADES: Mapping[str, float] = {"A": 1.0, "B": 0.75, "C": 0.5, "D": 0.25, "E": 0.0, "F": 0.0}
_TASK = r"_(?P<test_set>.+?)_(?P<run>\d{4}-\d\d-\d\dT[\w.-]+?)\.(jsonl|parquet)"
_OF_HARNESS, _OF_LIGHTEVAL = re.compile(f"samples{_TASK}"), re.compile(f"details{_TASK}")
_OF_HELM = re.compile(r"(?:^|[:,])model=([^,]+)")
_OF_WANDB = re.compile(r"(?:(?P<system>[^/]+)/)?wandb/(?:offline-)?run-\d{8}_\d{6}-(?P<run>[^/]+)/")
_WANDB_TABLE = re.compile(r"(_\d+_[0-9a-f]{20,})?\.table$")
Rows = Iterator[Row]
_NAMES = ("system", "run", "segment", "test_set", "source", "hypothesis", "reference")


def read_log(text: str, file: str) -> Document | None:
    """Read the answers of a log with their scores; return None if it is not a log.

    Raises
    ------
    InputError
        If the log is damaged or has no scores.
    """
    head = text[:HEAD].lstrip()
    if not head.startswith(OPENINGS):
        return None
    for is_form, rows_of in _FORMS:
        if is_form(text, head):
            try:
                notes: list[str] = []
                rows = list(rows_of(text, file, notes))
            except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
                problem = f"{type(error).__name__}: {error}"
                raise InputError(f"An evaluation log, but damaged ({problem}). Export it again.", file) from error
            cells = (cell for _, row in rows for cell in row.items())
            scores = [*dict.fromkeys(name for name, value in cells if name not in _NAMES and value is not None)]
            if not scores:
                raise InputError("The log has no scores. Evaluate again with a metric or scorer.", file)
            if not any("hypothesis" in row for _, row in rows):  # HELM has the answers in another file
                return Document(file, "json", score_streams(rows, file, scores), tuple(notes))
            document = outputs_and_scores(rows, file, scores)
            return replace(document, format="json", notes=(*document.notes, *notes))
    return None


def _harness(text: str, file: str, notes: list[str]) -> Rows:
    """Read one object per line; the folder names the model, and the time in the file name is the run.

    Tasks with several filters have one object per item and filter. Each filter makes its own metrics.
    """
    folder, _, name = file.replace("\\", "/").rpartition("/")
    named = _OF_HARNESS.fullmatch(name)
    system = folder.rpartition("/")[2] or None
    samples = _lines(text)
    filters = list(dict.fromkeys(sample.get("filter") for _, sample in samples))
    for line, sample in samples:
        cells: dict[str, str | None] = {"system": system, **_task(named), "segment": str(sample["doc_id"])}
        if sample.get("filter") == filters[0]:  # an item has one answer
            asked = sample.get("arguments")
            cells |= _texts(_first_text(asked), _answer(sample["filtered_resps"], asked), sample.get("target"))
        mark = f" {sample['filter']}" if len(filters) > 1 else ""
        yield line, cells | {f"{metric}{mark}": _number(sample[metric]) for metric in sample.get("metrics", ())}


def _lighteval(text: str, file: str, notes: list[str]) -> Rows:
    """Read one object per line; the folders between ``details`` and the time name the model."""
    folders, _, name = file.replace("\\", "/").rpartition("/")
    named = _OF_LIGHTEVAL.fullmatch(name)
    model = folders.split("/")[:-1]
    model = model[model.index("details") + 1 :] if "details" in model else model[-1:]
    for line, detail in _lines(text):
        asked, said = detail["doc"], detail["model_response"]
        choices, gold = asked.get("choices") or (), asked.get("gold_index")
        right = [choices[place] for place in (gold if isinstance(gold, list) else [gold]) if place is not None]
        logprobs = [one for one in said.get("logprobs") or () if _is_number(one)]
        answer = choices[logprobs.index(max(logprobs))] if len(logprobs) == len(choices) > 0 else ""
        answer = said["text"][0] if said.get("text") else answer
        cells = {"system": "/".join(model) or None, **_task(named), "segment": str(asked.get("id") or line)}
        cells |= _texts(asked.get("query"), answer, right[0] if right else None)
        yield line, cells | {metric: _number(value) for metric, value in detail["metric"].items()}


def _helm(text: str, file: str, notes: list[str]) -> Rows:
    """Read a list of instances; the run's folder names task and model, the suite is the run.

    Trials differ in the examples of the prompt, so they are several answers of one model.
    """
    *_, suite, spec, _ = ("", "", *file.replace("\\", "/").split("/"))
    model = _OF_HELM.search(spec)
    values: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for instance in bounded_json(text, MOST_VALUES):
        of_instance = values[str(instance["instance_id"])]
        for stat in instance["stats"]:
            perturbation = (stat["name"].get("perturbation") or {}).get("name")
            of_instance[" ".join(filter(None, (stat["name"]["name"], perturbation)))].append(stat.get("mean"))
    task = _OF_HELM.sub("", spec).strip(":,") or None
    cells = {"system": model[1] if model else None, "run": suite or None, "test_set": task}
    for number, (key, metrics) in enumerate(values.items(), start=1):
        yield number, cells | {"segment": key} | {name: _mean(found) for name, found in metrics.items()}


def _every_eval_ever(text: str, file: str, notes: list[str]) -> Rows:
    """Read one object per line; several of one sample are answers of one model, and their scores are averaged."""
    names = ("model_id", "evaluation_id", "evaluation_name", "sample_id")
    answers = grouped((tuple(str(one[name]) for name in names), one) for _, one in _lines(text))
    for number, (key, repeated) in enumerate(answers.items(), start=1):
        first = repeated[0]
        said = (first.get("output") or {}).get("raw") or [(first.get("messages") or [{}])[-1].get("content")]
        cells: dict[str, str | None] = dict(zip(("system", "run", "test_set", "segment"), key, strict=True))
        expected = next(iter(first["input"].get("reference") or ()), None)
        cells |= _texts(first["input"]["raw"], said[0] if isinstance(said, list) else said, expected)
        yield number, cells | {"evaluation": _mean(one["evaluation"].get("score") for one in repeated)}


def _inspect(text: str, file: str, notes: list[str]) -> Rows:
    """Read one object; samples of several epochs are answers of one model, and their scores are averaged."""
    log = bounded_json(text, MOST_VALUES)
    about = log["eval"]
    samples = grouped((str(sample["id"]), sample) for sample in log["samples"])
    every = [_values(sample.get("scores") or {}) for epochs in samples.values() for sample in epochs]
    letters = {name: {values[name] for values in every if isinstance(values.get(name), str)} for name in _names(every)}
    if schooled := {name for name, found in letters.items() if found & (SCHOOL_GRADES.keys() - INSPECT_GRADES.keys())}:
        notes.append(f"Letter grades of {', '.join(schooled)}: A is 1, B ¾, C ½, D ¼, E and F 0.")
    for number, (key, epochs) in enumerate(samples.items(), start=1):
        first = epochs[0]
        answer = (first["output"].get("choices") or [None])[0]
        said = first["output"].get("completion") or (answer["message"]["content"] if answer else "")
        graded = [_values(sample.get("scores") or {}) for sample in epochs]
        run = _name(about.get("run_id") or about["created"])
        cells = {"system": _name(about["model"]), "run": run, "test_set": _name(about["task"]), "segment": key}
        cells |= _texts(first["input"], said, first["target"])
        means = {name: _mean(_grade(one.get(name), name in schooled) for one in graded) for name in _names(graded)}
        yield number, cells | means


def _name(value: Any) -> str:
    """Return a name; raise TypeError for what is no text."""
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:60]!r} is not a name")
    return value


def _promptfoo(text: str, file: str, notes: list[str]) -> Rows:
    """Read one object; a provider with a prompt is a system, and repeated answers to a test are averaged."""
    log = bounded_json(text, MOST_VALUES)
    results = log["results"]["results"]
    prompts = sorted({str(result.get("promptId")) for result in results})
    places = {prompt: place for place, prompt in enumerate(prompts, start=1)}

    def asked(result: Any) -> tuple[str, int]:
        """Return the system and the number of the test."""
        provider = result["provider"]
        name = str((provider.get("label") or provider["id"]) if isinstance(provider, dict) else provider)
        prompt = f" prompt {places[str(result.get('promptId'))]}" if len(prompts) > 1 else ""
        return f"{name}{prompt}", int(result["testIdx"]) + 1

    for number, ((system, key), repeated) in enumerate(grouped((asked(one), one) for one in results).items(), start=1):
        first = repeated[0]
        graded = [result.get("namedScores") or {} for result in repeated]
        named = {name: _mean(one.get(name) for one in graded) for name in _names(graded)}
        cells: dict[str, str | None] = {"system": system, "run": _name(log["evalId"]), "segment": str(key)}
        said = (first.get("response") or {}).get("output")
        cells |= _texts(first.get("vars"), said, _expected(first.get("testCase") or {}))
        yield number, cells | {"promptfoo": _mean(result.get("score") for result in repeated), **named}


def _wandb(text: str, file: str, notes: list[str]) -> Rows:
    """Read columns and rows; columns have the names of score tables, and other numeric columns are scores.

    Without a column for it, the run is that of the folder, and the system the folder around ``wandb``.
    """
    table = bounded_json(text, MOST_VALUES)
    place = _OF_WANDB.search(file.replace("\\", "/"))
    of_folder = {name: value for name, value in place.groupdict().items() if value} if place else {}
    own = _WANDB_TABLE.sub("", name_of_file(file))  # each run has other numbers in the name of its file
    names = with_segments([canonical(str(name)) for name in table["columns"]])
    others = ((place, name) for place, name in enumerate(names) if name not in _NAMES)
    numeric = {name for place, name in others if any(_is_number(row[place]) for row in table["data"])}
    for number, row in enumerate(table["data"], start=1):
        cells = dict(zip(names, row, strict=True))
        kept: dict[str, str | None] = {name: _text(cells[name]) for name in _NAMES if name in cells}
        scores = {own if name == "score" else name: _number(cells[name]) for name in names if name in numeric}
        answered = {"reference": NO_REFERENCE} if "hypothesis" in names else {}
        yield number, answered | of_folder | kept | scores


_FORMS: tuple[tuple[Callable[[str, str], bool], Callable[[str, str, list[str]], Rows]], ...] = (
    (lambda text, head: head.startswith("[") and '"instance_id"' in head and '"stats"' in head, _helm),
    (lambda text, head: '"evaluation_name"' in head and '"sample_id"' in head, _every_eval_ever),
    (lambda text, head: head.startswith('{"doc":') and '"model_response":' in text, _lighteval),
    (lambda text, head: '"eval"' in head and '"samples"' in text, _inspect),
    (lambda text, head: '"evalId"' in head and '"results"' in head, _promptfoo),
    (lambda text, head: head.startswith('{"columns"') and '"data"' in text, _wandb),
    (lambda text, head: '"doc_id"' in text and '"filtered_resps"' in text, _harness),
)


def _expected(test: Mapping[str, Any]) -> str | None:
    """Return the text of the first assertion that has one."""
    values = (one.get("value") for one in test.get("assert") or () if isinstance(one, dict))
    return next((value for value in values if isinstance(value, str) and value), None)


def _lines(text: str) -> list[tuple[int, Any]]:
    """Return the objects of JSON lines with their lines."""
    return [(line, bounded_json(row)) for line, row in enumerate(split_lines(text), start=1) if row.strip()]


def _task(named: re.Match[str] | None) -> dict[str, str | None]:
    """Return test set and run in the name of a file."""
    return {name: named[name] for name in ("test_set", "run")} if named else {}


def _names(found: Iterable[Mapping[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for one in found for name in one))


def _values(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return Inspect's scores by name; a score with several values becomes several."""
    found: dict[str, Any] = {}
    for name, score in scores.items():
        value = score["value"]
        found |= {f"{name} {part}": one for part, one in value.items()} if isinstance(value, dict) else {name: value}
    return found


def _grade(value: Any, is_school: bool) -> float | None:
    """Convert a number, word or letter to a number."""
    if _is_number(value):
        return float(value)
    if not isinstance(value, str):
        return None
    letter, word = (SCHOOL_GRADES if is_school else INSPECT_GRADES).get(value.strip()), value.strip().lower()
    return next((one for one in (letter, WORD_GRADES.get(word), number_in(value)) if one is not None), None)


def _mean(values: Iterable[Any]) -> str | None:
    known = [float(value) for value in values if _is_number(value)]
    return repr(sum(known) / len(known)) if known else None


def _number(value: Any) -> str | None:
    return repr(float(value)) if _is_number(value) else None


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float)


def _texts(source: Any, answer: Any, expected: Any) -> dict[str, str]:
    """Return the cells with the texts of an item."""
    return {"source": _text(source), "hypothesis": _text(answer), "reference": _text(expected) or NO_REFERENCE}


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


def read_comet_json(text: str, file: str) -> Document | None:
    """Read the scores of each output file; return None if it is something else.

    Raises
    ------
    InputError
        If it is damaged, or an object has no score.
    """
    if not text.lstrip().startswith(OPENINGS) or f'"{TEXT}"' not in text[: 1 << 16]:
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
    texts, deviations = tuple(one.mt for one in outputs), tuple(one.variance for one in outputs)
    spans = (spans_of(one.errors or (), file, f"{name}[{number}].errors") for number, one in enumerate(outputs, 1))
    marked = tuple(spans) if marks_errors else None
    known = None if deviations.count(None) == len(deviations) else deviations
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
    score: Any = next((item[key] for key in SCORES if key in item), "nothing") if isinstance(item, dict) else "nothing"
    if score is not None and (type(score) not in (int, float) or math.isinf(score)):
        where = f" of '{name}'" if name else ""
        raise InputError(f"Segment {number}{where} has the {NAME} score {str(score)[:60]!r}. Expected a number.", file)
    return None if score is None or math.isnan(score) else float(score)
