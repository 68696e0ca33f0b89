"""Outputs and scores written by other programs: logs of evaluations, and files of COMET.

Supported logs: samples of lm-evaluation-harness, lighteval, HELM and Every Eval Ever, Inspect logs, promptfoo results
and tables of Weights & Biases. Each answer becomes a row with system, run, segment and test set, the source, hypothesis
and reference, and its scores. Of learned metrics, ``comet-score --to_json`` is read.
"""

from __future__ import annotations

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

# As in Inspect's ``value_to_float``: correct, partial, incorrect, no answer
INSPECT_GRADES: Mapping[str, float] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORD_GRADES: Mapping[str, float] = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
SCHOOL_GRADES: Mapping[str, float] = {"A": 1.0, "B": 0.75, "C": 0.5, "D": 0.25, "E": 0.0, "F": 0.0}

TASK = r"_(?P<test_set>.+?)_(?P<run>\d{4}-\d\d-\d\dT[\w.-]+?)\.(jsonl|parquet)"
HARNESS_FILE = re.compile(f"samples{TASK}")
LIGHTEVAL_FILE = re.compile(f"details{TASK}")
HELM_MODEL = re.compile(r"(?:^|[:,])model=([^,]+)")
WANDB_FOLDER = re.compile(r"(?:(?P<system>[^/]+)/)?wandb/(?:offline-)?run-\d{8}_\d{6}-(?P<run>[^/]+)/")
WANDB_SUFFIX = re.compile(r"(_\d+_[0-9a-f]{20,})?\.table$")

NAME_CELLS = ("system", "run", "segment", "test_set")
TEXT_CELLS = ("source", "hypothesis", "reference")

# Reads the text of a log and the name of its file, and appends to the notes for the user
Reader = Callable[[str, str, list[str]], Iterator[Row]]


def read_log(text: str, file: str) -> Document | None:
    """Read the answers of a log with their scores; return None if it is not a log.

    Raises
    ------
    InputError
        If the log is damaged or has no scores.
    """
    reader = _reader_of(text)
    if reader is None:
        return None
    notes: list[str] = []
    try:
        rows = list(reader(text, file, notes))
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
        problem = f"{type(error).__name__}: {error}"
        raise InputError(f"An evaluation log, but damaged ({problem}). Export it again.", file) from error

    metrics = _metrics_of(rows)
    if not metrics:
        raise InputError("The log has no scores. Evaluate again with a metric or scorer.", file)
    has_answers = any("hypothesis" in row for _, row in rows)
    if not has_answers:  # HELM has the answers in another file
        return Document(file, "json", score_streams(rows, file, metrics), tuple(notes))
    document = outputs_and_scores(rows, file, metrics)
    return replace(document, format="json", notes=(*document.notes, *notes))


def _reader_of(text: str) -> Reader | None:
    """Return the function that reads the form of a log, or None if it has no known form."""
    head = text[:HEAD].lstrip()
    if not head.startswith(OPENINGS):
        return None
    if head.startswith("[") and '"instance_id"' in head and '"stats"' in head:
        return _helm
    if '"evaluation_name"' in head and '"sample_id"' in head:
        return _every_eval_ever
    if head.startswith('{"doc":') and '"model_response":' in text:
        return _lighteval
    if '"eval"' in head and '"samples"' in text:
        return _inspect
    if '"evalId"' in head and '"results"' in head:
        return _promptfoo
    if head.startswith('{"columns"') and '"data"' in text:
        return _wandb
    if '"doc_id"' in text and '"filtered_resps"' in text:
        return _harness
    return None


def _metrics_of(rows: Iterable[Row]) -> list[str]:
    """Return the names of the cells with scores, in order of occurrence."""
    metrics: dict[str, None] = {}
    for _, row in rows:
        for name, value in row.items():
            if name not in NAME_CELLS and name not in TEXT_CELLS and value is not None:
                metrics[name] = None
    return list(metrics)


def _harness(text: str, file: str, notes: list[str]) -> Iterator[Row]:
    """Read one object per line; the folder names the model, and the time in the file name is the run.

    Tasks with several filters have one object per item and filter. Each filter makes its own metrics.
    """
    folder, _, name = file.replace("\\", "/").rpartition("/")
    model = folder.rpartition("/")[2] or None
    task = _task_and_run(HARNESS_FILE, name)
    samples = _json_lines(text)
    filters = list(dict.fromkeys(sample.get("filter") for _, sample in samples))
    for line, sample in samples:
        cells: dict[str, str | None] = {"system": model, **task, "segment": str(sample["doc_id"])}
        if sample.get("filter") == filters[0]:  # an item has one answer
            arguments = sample.get("arguments")
            prompt = _prompt_of_request(arguments)
            answer = _answer_to_request(sample["filtered_resps"], arguments)
            cells |= _text_cells(prompt, answer, sample.get("target"))
        for metric in sample.get("metrics", ()):
            column = str(metric)
            if len(filters) > 1:
                column = f"{metric} {sample['filter']}"
            cells[column] = _score_cell(sample[metric])
        yield line, cells


def _prompt_of_request(arguments: Any) -> str:
    """Return the prompt in the arguments of a request, however nested: the first text."""
    while isinstance(arguments, dict | list) and arguments:
        elements = arguments.values() if isinstance(arguments, dict) else arguments
        arguments = next(iter(elements))
    return _as_text(arguments or "")


def _answer_to_request(responses: Sequence[Any], arguments: Any) -> str:
    """Return the generated text, or the likeliest of several continuations.

    A continuation is the last argument of its request, and its response a list that begins with the log-likelihood.
    """
    if len(responses) == 0:
        return ""
    is_generated = len(responses) == 1
    if is_generated or not all(isinstance(response, list) and response for response in responses):
        return _as_text(responses[0])
    likeliest = max(range(len(responses)), key=lambda place: float(responses[place][0]))
    requests = [list(request.values()) for request in arguments.values()]
    return _as_text(requests[likeliest][-1]).strip()


def _lighteval(text: str, file: str, notes: list[str]) -> Iterator[Row]:
    """Read one object per line; the folders between ``details`` and the time name the model."""
    folders, _, name = file.replace("\\", "/").rpartition("/")
    task = _task_and_run(LIGHTEVAL_FILE, name)
    *model_folders, _ = folders.split("/")
    first = model_folders.index("details") + 1 if "details" in model_folders else -1
    model = "/".join(model_folders[first:]) or None
    for line, detail in _json_lines(text):
        item = detail["doc"]
        choices = item.get("choices") or ()
        gold = item.get("gold_index")
        gold_places = gold if isinstance(gold, list) else [gold]
        expected = [choices[place] for place in gold_places if place is not None]
        cells = {"system": model, **task, "segment": str(item.get("id") or line)}
        cells |= _text_cells(
            source=item.get("query"),
            answer=_answer_of_model(detail["model_response"], choices),
            expected=expected[0] if expected else None,
        )
        for metric, value in detail["metric"].items():
            cells[metric] = _score_cell(value)
        yield line, cells


def _answer_of_model(response: Mapping[str, Any], choices: Sequence[Any]) -> Any:
    """Return the generated text, else the likeliest of the choices if each has a log-likelihood, else nothing."""
    logprobs = [logprob for logprob in response.get("logprobs") or () if _is_number(logprob)]
    if response.get("text"):
        return response["text"][0]
    if logprobs and len(logprobs) == len(choices):
        return choices[logprobs.index(max(logprobs))]
    return ""


def _helm(text: str, file: str, notes: list[str]) -> Iterator[Row]:
    """Read a list of instances; the run's folder names task and model, the suite is the run.

    Trials differ in the examples of the prompt, so they are several answers of one model.
    """
    *folders, _ = file.replace("\\", "/").split("/")
    suite, run_spec = ["", "", *folders][-2:]
    model = HELM_MODEL.search(run_spec)

    # Values by instance and metric; a metric of perturbed instances is a metric of its own
    values: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    for instance in bounded_json(text, MOST_VALUES):
        of_instance = values[str(instance["instance_id"])]
        for stat in instance["stats"]:
            perturbation = stat["name"].get("perturbation") or {}
            metric = " ".join(filter(None, (stat["name"]["name"], perturbation.get("name"))))
            of_instance[metric].append(stat.get("mean"))

    for number, (instance_id, of_instance) in enumerate(values.items(), start=1):
        cells: dict[str, str | None] = {
            "system": model[1] if model else None,
            "run": suite or None,
            "test_set": HELM_MODEL.sub("", run_spec).strip(":,") or None,
            "segment": instance_id,
        }
        for metric, of_trials in of_instance.items():
            cells[metric] = _mean_cell(of_trials)
        yield number, cells


def _every_eval_ever(text: str, file: str, notes: list[str]) -> Iterator[Row]:
    """Read one object per line; several of one sample are answers of one model, and their scores are averaged."""
    keys = ("model_id", "evaluation_id", "evaluation_name", "sample_id")
    answers_of_sample = grouped((tuple(str(answer[key]) for key in keys), answer) for _, answer in _json_lines(text))
    for number, (values, answers) in enumerate(answers_of_sample.items(), start=1):
        system, run, test_set, segment = values
        first = answers[0]
        # Several answers are in "raw", the first of which is shown; a conversation ends with the answer
        outputs = (first.get("output") or {}).get("raw")
        if not outputs:
            messages = first.get("messages") or [{}]
            outputs = [messages[-1].get("content")]
        references = first["input"].get("reference") or ()
        cells: dict[str, str | None] = {"system": system, "run": run, "test_set": test_set, "segment": segment}
        cells |= _text_cells(
            source=first["input"]["raw"],
            answer=outputs[0] if isinstance(outputs, list) else outputs,
            expected=next(iter(references), None),
        )
        cells["evaluation"] = _mean_cell(answer["evaluation"].get("score") for answer in answers)
        yield number, cells


def _inspect(text: str, file: str, notes: list[str]) -> Iterator[Row]:
    """Read one object; samples of several epochs are answers of one model, and their scores are averaged."""
    log = bounded_json(text, MOST_VALUES)
    evaluation = log["eval"]
    samples_of_id = grouped((str(sample["id"]), sample) for sample in log["samples"])
    grades_of_id = {}
    for sample_id, samples in samples_of_id.items():
        grades_of_id[sample_id] = [_inspect_scores(sample.get("scores") or {}) for sample in samples]

    with_school_grades = _scorers_with_school_grades([grades for epochs in grades_of_id.values() for grades in epochs])
    if with_school_grades:
        notes.append(f"Letter grades of {', '.join(with_school_grades)}: A is 1, B ¾, C ½, D ¼, E and F 0.")

    for number, (sample_id, samples) in enumerate(samples_of_id.items(), start=1):
        first = samples[0]
        choices = first["output"].get("choices") or [None]
        answer = first["output"].get("completion")
        if not answer:
            answer = choices[0]["message"]["content"] if choices[0] else ""
        cells: dict[str, str | None] = {
            "system": _name(evaluation["model"]),
            "run": _name(evaluation.get("run_id") or evaluation["created"]),
            "test_set": _name(evaluation["task"]),
            "segment": sample_id,
        }
        cells |= _text_cells(first["input"], answer, first["target"])
        epochs = grades_of_id[sample_id]
        for scorer in _keys_of(epochs):
            is_school = scorer in with_school_grades
            cells[scorer] = _mean_cell(_grade(grades.get(scorer), is_school) for grades in epochs)
        yield number, cells


def _inspect_scores(scores: Mapping[str, Any]) -> dict[str, Any]:
    """Return Inspect's scores by name; a score with several values becomes several."""
    values: dict[str, Any] = {}
    for name, score in scores.items():
        value = score["value"]
        if isinstance(value, dict):
            for part, value_of_part in value.items():
                values[f"{name} {part}"] = value_of_part
        else:
            values[name] = value
    return values


def _scorers_with_school_grades(samples: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the scorers that gave a letter that is only a school grade.

    C is in both scales: without other letters it means correct.
    """
    only_school = SCHOOL_GRADES.keys() - INSPECT_GRADES.keys()
    scorers: dict[str, None] = {}
    for grades in samples:
        for scorer, grade in grades.items():
            if isinstance(grade, str) and grade in only_school:
                scorers[scorer] = None
    return list(scorers)


def _grade(value: Any, is_school: bool) -> float | None:
    """Convert a number, word or letter to a number."""
    if _is_number(value):
        return float(value)
    if not isinstance(value, str):
        return None
    letters = SCHOOL_GRADES if is_school else INSPECT_GRADES
    letter = value.strip()
    if letter in letters:
        return letters[letter]
    word = letter.lower()
    if word in WORD_GRADES:
        return WORD_GRADES[word]
    return number_in(value)


def _name(value: Any) -> str:
    """Return a name; raise TypeError if it is not text."""
    if not isinstance(value, str):
        raise TypeError(f"{str(value)[:60]!r} is not a name")
    return value


def _promptfoo(text: str, file: str, notes: list[str]) -> Iterator[Row]:
    """Read one object; a provider with a prompt is a system, and repeated answers to a test are averaged."""
    log = bounded_json(text, MOST_VALUES)
    results = log["results"]["results"]
    prompts = sorted({str(result.get("promptId")) for result in results})

    def system_and_test(result: Any) -> tuple[str, int]:
        """Return the system and the number of the test."""
        provider = result["provider"]
        if isinstance(provider, dict):
            provider = provider.get("label") or provider["id"]
        system = str(provider)
        if len(prompts) > 1:
            prompt = prompts.index(str(result.get("promptId")))
            system = f"{system} prompt {prompt + 1}"
        return system, int(result["testIdx"]) + 1

    repeated = grouped((system_and_test(result), result) for result in results)
    for number, ((system, test), answers) in enumerate(repeated.items(), start=1):
        first = answers[0]
        cells: dict[str, str | None] = {"system": system, "run": _name(log["evalId"]), "segment": str(test)}
        cells |= _text_cells(
            source=first.get("vars"),
            answer=(first.get("response") or {}).get("output"),
            expected=_expected_text(first.get("testCase") or {}),
        )
        cells["promptfoo"] = _mean_cell(answer.get("score") for answer in answers)
        named_scores = [answer.get("namedScores") or {} for answer in answers]
        for metric in _keys_of(named_scores):
            cells[metric] = _mean_cell(scores.get(metric) for scores in named_scores)
        yield number, cells


def _expected_text(test: Mapping[str, Any]) -> str | None:
    """Return the text of the first assertion that has one."""
    for assertion in test.get("assert") or ():
        if isinstance(assertion, dict):
            value = assertion.get("value")
            if isinstance(value, str) and value:
                return value
    return None


def _wandb(text: str, file: str, notes: list[str]) -> Iterator[Row]:
    """Read columns and rows; columns have the names of score tables, and other numeric columns are scores.

    Without a column for it, the run is that of the folder, and the system the folder around ``wandb``.
    """
    table = bounded_json(text, MOST_VALUES)
    of_folder: dict[str, str | None] = {}
    folder = WANDB_FOLDER.search(file.replace("\\", "/"))
    if folder:
        of_folder = {name: value for name, value in folder.groupdict().items() if value}
    name_of_table = WANDB_SUFFIX.sub("", name_of_file(file))  # each run has other numbers in the name of its file

    names = with_segments([canonical(str(name)) for name in table["columns"]])
    numeric = set()
    for place, name in enumerate(names):
        is_text = name in NAME_CELLS or name in TEXT_CELLS
        if not is_text and any(_is_number(row[place]) for row in table["data"]):
            numeric.add(name)

    for number, row in enumerate(table["data"], start=1):
        value_of = dict(zip(names, row, strict=True))
        cells: dict[str, str | None] = {}
        if "hypothesis" in names:
            cells["reference"] = NO_REFERENCE
        cells |= of_folder
        for name in (*NAME_CELLS, *TEXT_CELLS):
            if name in value_of:
                cells[name] = _as_text(value_of[name])
        for name in names:
            if name in numeric:
                metric = name_of_table if name == "score" else name
                cells[metric] = _score_cell(value_of[name])
        yield number, cells


def _json_lines(text: str) -> list[tuple[int, Any]]:
    """Return the objects of JSON lines with their lines."""
    return [(line, bounded_json(row)) for line, row in enumerate(split_lines(text), start=1) if row.strip()]


def _task_and_run(pattern: re.Pattern[str], name: str) -> dict[str, str | None]:
    """Return the cells with test set and run in the name of a file; no cells if it has another name."""
    match = pattern.fullmatch(name)
    if match is None:
        return {}
    return {"test_set": match["test_set"], "run": match["run"]}


def _text_cells(source: Any, answer: Any, expected: Any) -> dict[str, str]:
    """Return the cells with the texts of an item."""
    return {
        "source": _as_text(source),
        "hypothesis": _as_text(answer),
        "reference": _as_text(expected) or NO_REFERENCE,
    }


def _as_text(value: Any) -> str:
    """Convert a value to text: messages are joined, other values are JSON."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        are_messages = all(isinstance(message, dict) and "content" in message for message in value)
        if are_messages:
            return "\n".join(_as_text(message["content"]) for message in value)
    return json.dumps(value, ensure_ascii=False)


def _keys_of(mappings: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the keys of all mappings, in order of occurrence."""
    return list(dict.fromkeys(key for mapping in mappings for key in mapping))


def _mean_cell(values: Iterable[Any]) -> str | None:
    """Return the cell with the mean of those values that are numbers; None if none is."""
    numbers = [float(value) for value in values if _is_number(value)]
    if not numbers:
        return None
    return repr(sum(numbers) / len(numbers))


def _score_cell(value: Any) -> str | None:
    """Return the cell with a score; None if it is not a number."""
    if not _is_number(value):
        return None
    return repr(float(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, bool | int | float)


METRIC = "COMET"
SCORE_KEYS = (METRIC, "predicted_score")
TEXT_KEY = "mt"
ERRORS_KEY = "errors"


class _Output(Struct):
    """Fields of an output that are read beside its score."""

    mt: Text
    errors: list[SpanForm] | None = None
    variance: Finite | None = None


def read_comet_json(text: str, file: str) -> Document | None:
    """Read the scores of each output file; return None if it is something else.

    Raises
    ------
    InputError
        If it is damaged, or an object has no score.
    """
    if not text.lstrip().startswith(OPENINGS) or f'"{TEXT_KEY}"' not in text[: 1 << 16]:
        return None
    content = _json_of_comet(text, file)
    # One list per output file, or a single list
    outputs_of_file = content if isinstance(content, dict) else {"": content}
    if not outputs_of_file or not all(_has_scores(outputs) for outputs in outputs_of_file.values()):
        return None
    refuse_columns(len(outputs_of_file), DEFAULT_LIMITS, file)
    marks_errors = False
    for outputs in outputs_of_file.values():
        if any(isinstance(output, dict) and ERRORS_KEY in output for output in outputs):
            marks_errors = True
    columns = []
    for name, outputs in outputs_of_file.items():
        columns.append(_score_column(name, outputs, file, marks_errors))
    return Document(file, "json", (Stream("", (), "scores", name=METRIC, scores=tuple(columns)),))


def _json_of_comet(text: str, file: str) -> Any:
    """Parse the JSON; return None for several values, i.e. JSON lines."""
    first_line = text.lstrip().partition("\n")[0].strip()
    try:
        return bounded_json(text)
    except ValueError as error:
        if first_line not in OPENINGS:
            return None
        raise InputError(f"Not valid JSON ({error}). Write it again with comet-score --to_json.", file) from error


def _has_scores(outputs: Any) -> bool:
    """Whether a list begins with an output and its score."""
    if not isinstance(outputs, list) or not outputs or not isinstance(outputs[0], dict):
        return False
    first = outputs[0]
    return TEXT_KEY in first and any(key in first for key in SCORE_KEYS)


def _score_column(name: str, items: Sequence[Any], file: str, marks_errors: bool) -> ScoreColumn:
    """Return the scores of one output file, with spans and deviations if present."""
    scores = tuple(_score(item, number, name, file) for number, item in enumerate(items, start=1))
    outputs = decoded(items, list[_Output], file, name)
    spans = None
    if marks_errors:
        numbered = enumerate(outputs, start=1)
        spans = tuple(spans_of(output.errors or (), file, f"{name}[{number}].errors") for number, output in numbered)
    deviations = tuple(output.variance for output in outputs)
    has_deviations = any(deviation is not None for deviation in deviations)
    return ScoreColumn(
        system=name or None,
        run=None,
        values=scores,
        spans=spans,
        deviations=deviations if has_deviations else None,
        texts=tuple(output.mt for output in outputs),
    )


def _score(item: Any, number: int, name: str, file: str) -> float | None:
    """Return the score of an output; None if it is missing (``null`` or NaN)."""
    score: Any = "nothing"
    if isinstance(item, dict):
        score = next((item[key] for key in SCORE_KEYS if key in item), score)
    if score is None:
        return None
    if type(score) not in (int, float) or math.isinf(score):  # a bool is an int, but not a score
        where = f" of '{name}'" if name else ""
        raise InputError(
            f"Segment {number}{where} has the {METRIC} score {str(score)[:60]!r}. Expected a number.", file
        )
    return None if math.isnan(score) else float(score)
