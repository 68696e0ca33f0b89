"""Instance files of Every Eval Ever, a form in which results of many programs are published."""

from __future__ import annotations

from collections.abc import Iterator

from mteval.readers.documents import grouped
from mteval.readers.formats.logs.answers import Answer, Notes, Program, as_reference, as_text, mean_of, parsed_lines

KEYS = ("model_id", "evaluation_id", "evaluation_name", "sample_id")


def is_every_eval_ever(head: str, text: str) -> bool:
    """Whether a text begins with an object that names its evaluation and sample."""
    return '"evaluation_name"' in head and '"sample_id"' in head


def read_every_eval_ever(text: str, file: str, notes: Notes) -> Iterator[Answer]:
    """Read one object per line; several of one sample are answers of one model, and their scores are averaged."""
    objects = [value for _, value in parsed_lines(text, file, EVERY_EVAL_EVER.name)]
    answers_of_sample = grouped((tuple(str(answer[key]) for key in KEYS), answer) for answer in objects)
    for number, (values, answers) in enumerate(answers_of_sample.items(), start=1):
        system, run, test_set, segment = values
        first = answers[0]
        # Several answers are in "raw", the first of which is shown; a conversation ends with the answer
        outputs = (first.get("output") or {}).get("raw")
        if not outputs:
            messages = first.get("messages") or [{}]
            outputs = [messages[-1].get("content")]
        references = first["input"].get("reference") or ()
        yield Answer(
            number,
            segment,
            system,
            run,
            test_set,
            source=as_text(first["input"]["raw"]),
            hypothesis=as_text(outputs[0] if isinstance(outputs, list) else outputs),
            reference=as_reference(next(iter(references), None)),
            scores={"evaluation": mean_of(answer["evaluation"].get("score") for answer in answers)},
        )


EVERY_EVAL_EVER = Program("Every Eval Ever", "instance files as published", is_every_eval_ever, read_every_eval_ever)
