"""Details of lighteval: one object per answer, as JSON lines or Parquet."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mteval.readers.formats.logs.answers import (
    Answer,
    Notes,
    Program,
    as_reference,
    as_text,
    is_number,
    number_of,
    parsed_lines,
)
from mteval.readers.formats.logs.harness import TASK

FILE = re.compile(f"details{TASK}")


def is_lighteval(head: str, text: str) -> bool:
    """Whether a text begins with an item and its answer."""
    return head.startswith('{"doc":') and '"model_response":' in text


def read_lighteval(text: str, file: str, notes: Notes) -> Iterator[Answer]:
    """Read one object per line; folders and name of the file say which model, run and test set it is about."""
    folders, _, name = file.replace("\\", "/").rpartition("/")
    match = FILE.fullmatch(name)
    run = None
    test_set = None
    if match is not None:
        run = match["run"]
        test_set = match["test_set"]
    model = _model_in(folders)
    for line, detail in parsed_lines(text, file, LIGHTEVAL.name):
        item = detail["doc"]
        choices = item.get("choices") or ()
        gold_places = item.get("gold_index")
        if not isinstance(gold_places, list):  # one place, or none
            gold_places = [gold_places]
        expected = [choices[place] for place in gold_places if place is not None]
        reference = None
        if expected:
            reference = expected[0]
        yield Answer(
            line,
            str(item.get("id") or line),
            system=model,
            run=run,
            test_set=test_set,
            source=as_text(item.get("query")),
            hypothesis=as_text(_answer_of_model(detail["model_response"], choices)),
            reference=as_reference(reference),
            scores={metric: number_of(value) for metric, value in detail["metric"].items()},
        )


def _model_in(folders: str) -> str | None:
    """Return the folders between ``details`` and the time, which name the model; without ``details`` the last of them.

    None if there are none.
    """
    *before_time, _ = folders.split("/")
    if "details" in before_time:
        model_folders = before_time[before_time.index("details") + 1 :]
    else:
        model_folders = before_time[-1:]
    return "/".join(model_folders) or None


def _answer_of_model(response: Mapping[str, Any], choices: Sequence[Any]) -> Any:
    """Return the generated text, else the likeliest of the choices if each has a log-likelihood, else nothing."""
    logprobs = [logprob for logprob in response.get("logprobs") or () if is_number(logprob)]
    if response.get("text"):
        return response["text"][0]
    if logprobs and len(logprobs) == len(choices):
        return choices[logprobs.index(max(logprobs))]
    return ""


LIGHTEVAL = Program("lighteval", "0.13", is_lighteval, read_lighteval)
