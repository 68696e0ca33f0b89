"""Logs of Inspect, as JSON, or as ``.eval`` archives that are joined to JSON when they are unpacked.

Samples of the oldest versions have one ``score``, those of newer ones ``scores`` by scorer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mteval.base.words import counted
from mteval.readers.documents import grouped
from mteval.readers.formats.logs.answers import (
    Answer,
    Notes,
    NotNumbersError,
    Program,
    as_reference,
    as_text,
    is_number,
    keys_of,
    listed,
    mean_of,
    parsed_log,
)
from mteval.readers.formats.score_tables import number_in

# As in Inspect's ``value_to_float``: correct, partial, incorrect, no answer
INSPECT_GRADES: Mapping[str, float] = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
WORD_GRADES: Mapping[str, float] = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
SCHOOL_GRADES: Mapping[str, float] = {"A": 1.0, "B": 0.75, "C": 0.5, "D": 0.25, "E": 0.0, "F": 0.0}
COMPLETE = "success"  # status of a finished log
UNNAMED = "inspect"  # the only scorer of an old log that does not name it


def is_inspect(head: str, text: str) -> bool:
    """Whether a text describes an evaluation."""
    return '"eval"' in head and ('"samples"' in text or '"status"' in head)


def read_inspect(text: str, file: str, notes: Notes) -> Iterator[Answer]:
    """Read one object; samples of several epochs are answers of one model, and their scores are averaged.

    Raises
    ------
    NotNumbersError
        If there are scores, but none is a number or a grade.
    """
    log = parsed_log(text, file, INSPECT.name)
    status = log.get("status", COMPLETE)
    if status != COMPLETE:
        n_samples = counted(len(log.get("samples") or ()), "sample")
        notes.left_out = f"Inspect ended with status '{status}' after {n_samples}."
        notes.warnings.append(f"{notes.left_out} Run the evaluation again.")
    evaluation = log["eval"]
    only_scorer = _only_scorer(log)
    samples_of_id = grouped((str(sample["id"]), sample) for sample in log.get("samples") or ())
    grades_of_id = {}
    for sample_id, samples in samples_of_id.items():
        grades_of_id[sample_id] = [_scores_of(sample, only_scorer) for sample in samples]
    every_sample = [grades for epochs in grades_of_id.values() for grades in epochs]

    with_school_grades = _scorers_with_school_grades(every_sample)
    if with_school_grades:
        notes.append(f"Letter grades of {', '.join(with_school_grades)}: A is 1, B ¾, C ½, D ¼, E and F 0.")
    _refuse_words(every_sample)

    for number, (sample_id, samples) in enumerate(samples_of_id.items(), start=1):
        first = samples[0]
        epochs = grades_of_id[sample_id]
        scores = {}
        for scorer in keys_of(epochs):
            is_school = scorer in with_school_grades
            scores[scorer] = mean_of(_grade(grades.get(scorer), is_school) for grades in epochs)
        yield Answer(
            number,
            sample_id,
            _name(evaluation["model"]),
            _name(evaluation.get("run_id") or evaluation["created"]),
            _name(evaluation["task"]),
            source=as_text(first["input"]),
            hypothesis=as_text(_answer_in(first)),
            reference=as_reference(first["target"]),
            scores=scores,
        )


def _answer_in(sample: Mapping[str, Any]) -> Any:
    """Return the text that the model answered; empty if it failed."""
    output = sample.get("output") or {}
    if output.get("completion"):
        return output["completion"]
    choices = output.get("choices") or [None]
    return choices[0]["message"]["content"] if choices[0] else ""


def _only_scorer(log: Mapping[str, Any]) -> str:
    """Return the name of the scorer of a log whose samples have one ``score``."""
    results = log.get("results") or {}
    scorer = results.get("scorer") or next(iter(results.get("scores") or ()), None) or {}
    return str(scorer.get("name") or UNNAMED)


def _scores_of(sample: Mapping[str, Any], only_scorer: str) -> dict[str, Any]:
    """Return the scores of a sample by name; a score with several values becomes several, which lists number."""
    scores = sample.get("scores")
    if not scores and sample.get("score"):
        scores = {only_scorer: sample["score"]}
    values: dict[str, Any] = {}
    for name, score in (scores or {}).items():
        value = score["value"]
        if isinstance(value, list):
            value = {str(number): element for number, element in enumerate(value, start=1)}
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


def _refuse_words(samples: Sequence[Mapping[str, Any]]) -> None:
    """Raise an error if there are scores, but none is a number or a grade."""
    values = [value for grades in samples for value in grades.values() if value is not None]
    if values and all(_grade(value, True) is None and _grade(value, False) is None for value in values):
        message = f"The scores in the log of {INSPECT.name} are not numbers: {listed(values)}."
        raise NotNumbersError(f"{message} Use a scorer whose values are numbers, or C, P, I and N.")


def _grade(value: Any, is_school: bool) -> float | None:
    """Convert a number, word or letter to a number."""
    if is_number(value):
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


INSPECT = Program(
    "Inspect",
    "0.3 to 0.3.285",
    is_inspect,
    read_inspect,
    re.compile(r'"inspect_ai":\s*"([^"]{1,40})"'),
)
