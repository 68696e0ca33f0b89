"""Samples of lm-evaluation-harness: one object per item and filter.

Versions differ in what a sample states and in how files are called. Before 0.4.3 a file is a JSON array, named after
the arguments of the model and the task. Since then it has JSON lines, and is named after the task and the time. Names
of filters and metrics are stated since 0.4.7. Before, the scores are what remains of a sample without its other keys.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mteval.readers.formats.logs.answers import (
    Answer,
    Notes,
    NotNumbersError,
    Program,
    as_reference,
    as_text,
    listed,
    number_of,
    parsed_lines,
    parsed_log,
)

TASK = r"_(?P<test_set>.+?)_(?P<run>\d{4}-\d\d-\d\dT[\w.-]+?)\.(jsonl|parquet)"
FILE = re.compile(f"samples{TASK}")
OLD_SUFFIX = ".jsonl"
MODEL = re.compile(r"(?:^|,)(?:pretrained|model|path)__([^,]+)")
KEYS = frozenset(
    {
        "doc_id",
        "doc",
        "target",
        "arguments",
        "resps",
        "filtered_resps",
        "filter",
        "metrics",
        "doc_hash",
        "prompt_hash",
        "target_hash",
        "task_hash",
    }
)


def is_harness(head: str, text: str) -> bool:
    """Whether a text has items with filtered responses."""
    return '"doc_id"' in text and '"filtered_resps"' in text


def read_harness(text: str, file: str, notes: Notes) -> Iterator[Answer]:
    """Read one object per item and filter; the folder names the model, and the time in the file name is the run.

    A task with several filters has metrics per filter.

    Raises
    ------
    NotNumbersError
        If items are repeated in a way that is not that of filters.
    """
    system, run, test_set = _names_in(file)
    samples = _samples(text, file)
    filter_of = _filters([sample for _, sample in samples], notes)
    filters = list(dict.fromkeys(filter_of))
    for (line, sample), filter_name in zip(samples, filter_of, strict=True):
        scores = {}
        for metric in _metrics(sample):
            column = metric if len(filters) == 1 else f"{metric} {filter_name}"
            scores[column] = number_of(sample[metric])
        arguments = sample.get("arguments")
        answer = _answer_to_request(sample["filtered_resps"], arguments)
        if len(filters) > 1:
            answer = _unfiltered_answer(sample) or answer
        # An item has one answer, however many filters: its texts come with the first
        source = None
        hypothesis = None
        reference = None
        if filter_name == filters[0]:
            source = _prompt_of_request(arguments)
            hypothesis = answer
            reference = as_reference(sample.get("target"))
        yield Answer(
            line,
            str(sample["doc_id"]),
            system,
            run,
            test_set,
            source=source,
            hypothesis=hypothesis,
            reference=reference,
            scores=scores,
        )


def _names_in(path: str) -> tuple[str | None, str | None, str | None]:
    """Return system, run and test set as the path of a file states them."""
    folders, _, name = path.replace("\\", "/").rpartition("/")
    folder = folders.rpartition("/")[2] or None
    match = FILE.fullmatch(name)
    if match is not None:
        return folder, match["run"], match["test_set"]
    model, task = _model_and_task(name.removesuffix(OLD_SUFFIX))
    if model is None:
        return folder, None, None
    short_name = model.rpartition("__")[2]
    # Folders were named by the user: after the model, or after something else such as the seed
    run = None if folder in (None, short_name, model) else folder
    return short_name, run, task


def _model_and_task(name: str) -> tuple[str | None, str]:
    """Return the model and task in the name of a file before 0.4.3, without its suffix; no model if it has none.

    The name has the arguments of the model, with two underscores for ``=`` and ``/``, and the task. What follows the
    last two underscores is the last value and the task, of which only the task is likely to have one underscore.
    """
    arguments, marks, last = name.rpartition("__")
    value, _, task = last.partition("_")
    model = MODEL.search(f"{arguments}{marks}{value}")
    if model is None:
        return None, task
    return model[1], task


def _samples(text: str, file: str) -> list[tuple[int, Any]]:
    """Return the samples with their lines or, in the array of old versions, their numbers."""
    if text.lstrip().startswith("["):
        return list(enumerate(parsed_log(text, file, HARNESS.name), start=1))
    return parsed_lines(text, file, HARNESS.name)


def _metrics(sample: Mapping[str, Any]) -> list[str]:
    """Return the metrics of a sample."""
    if "metrics" in sample:
        return list(map(str, sample["metrics"]))
    return [name for name in sample if name not in KEYS]


def _filters(samples: Sequence[Mapping[str, Any]], notes: Notes) -> list[str]:
    """Return the name of the filter of each sample.

    Before 0.4.7, filters have no names: all items of the first are followed by all items of the second. They are
    numbered in that order, which is the order in the task's ``filter_list``.
    """
    if all("filter" in sample for sample in samples):
        return [str(sample["filter"]) for sample in samples]
    n_before = Counter[str]()
    numbers = []
    for sample in samples:
        item = str(sample["doc_id"])
        n_before[item] += 1
        numbers.append(n_before[item])
    if len(set(n_before.values())) > 1 or numbers != sorted(numbers):
        repeated = listed(item for item, count in n_before.items() if count > 1)
        message = f"This log of {HARNESS.name} repeats items (doc_id {repeated})."
        message += " Use one file per task and run, or write it with version 0.4.7 or newer, which names filters."
        raise NotNumbersError(message)
    n_filters = max(numbers, default=1)
    if n_filters > 1:
        notes.append(
            f"The task has {n_filters} unnamed filters, as written before lm-evaluation-harness 0.4.7."
            " They are numbered in the order of the task's filter_list."
        )
    return [f"filter {number}" for number in numbers]


def _prompt_of_request(arguments: Any) -> str:
    """Return the prompt in the arguments of a request, however nested: the first text."""
    while isinstance(arguments, dict | list) and arguments:
        elements = arguments.values() if isinstance(arguments, dict) else arguments
        arguments = next(iter(elements))
    return as_text(arguments or "")


def _unfiltered_answer(sample: Mapping[str, Any]) -> str:
    """Return the text that the model generated, which is the same for all filters; empty if it generated none."""
    responses = sample.get("resps")
    while isinstance(responses, list) and responses:
        responses = responses[0]
    return responses if isinstance(responses, str) else ""


def _answer_to_request(responses: Sequence[Any], arguments: Any) -> str:
    """Return the generated text, or the likeliest of several continuations.

    A continuation is the last argument of its request, and its response a list that begins with the log-likelihood.
    """
    if len(responses) == 0:
        return ""
    is_generated = len(responses) == 1
    if is_generated or not all(isinstance(response, list) and response for response in responses):
        return as_text(responses[0])
    likeliest = max(range(len(responses)), key=lambda place: float(responses[place][0]))
    # Objects of arg_0, arg_1 … since 0.4.3, lists before
    requests = [_in_order(request) for request in _in_order(arguments)]
    return as_text(requests[likeliest][-1]).strip()


def _in_order(elements: Any) -> list[Any]:
    """Return the values of an object, or the elements of a list."""
    return list(elements.values()) if isinstance(elements, dict) else list(elements)


HARNESS = Program("lm-evaluation-harness", "0.4.0 to 0.4.13", is_harness, read_harness)
