"""Instance files of Every Eval Ever, a form in which results of many programs are published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mteval.readers.formats.logs.answers import Answer, Notes, Program, as_reference, as_text, mean_of, parsed_lines

KEYS = ("model_id", "evaluation_id", "evaluation_name", "sample_id")


def is_every_eval_ever(head: str, text: str) -> bool:
    """Whether a text begins with an object that names its evaluation and sample."""
    return '"evaluation_name"' in head and '"sample_id"' in head


def read_every_eval_ever(text: str, file: str, notes: Notes) -> Iterator[Answer]:
    """Read one object per line; several of one sample are answers of one model, and their scores are averaged."""
    answers_of_sample: dict[tuple[str, ...], list[Any]] = {}
    for _, answer in parsed_lines(text, file, EVERY_EVAL_EVER.name):
        sample = tuple(str(answer[key]) for key in KEYS)
        answers_of_sample.setdefault(sample, []).append(answer)
    for number, (sample, answers) in enumerate(answers_of_sample.items(), start=1):
        system, run, test_set, segment = sample
        first = answers[0]
        # Several answers are in "raw", the first of which is shown; a conversation ends with the answer
        output = (first.get("output") or {}).get("raw")
        if not output:
            messages = first.get("messages") or [{}]
            output = messages[-1].get("content")
        elif isinstance(output, list):
            output = output[0]
        references = first["input"].get("reference") or ()
        yield Answer(
            number,
            segment,
            system,
            run,
            test_set,
            source=as_text(first["input"]["raw"]),
            hypothesis=as_text(output),
            reference=as_reference(next(iter(references), None)),
            scores={"evaluation": mean_of(answer["evaluation"].get("score") for answer in answers)},
        )


EVERY_EVAL_EVER = Program("Every Eval Ever", "instance files as published", is_every_eval_ever, read_every_eval_ever)
