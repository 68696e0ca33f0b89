"""Results of promptfoo, as ``promptfoo eval -o results.json`` writes them.

Newer versions state the test of a result as ``testIdx``. In older ones, results with the same variables are one test.
An evaluation that was not stored has no ID.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mteval.base.words import counted
from mteval.readers.documents import grouped
from mteval.readers.formats.logs.answers import (
    Answer,
    Notes,
    Program,
    as_reference,
    as_text,
    keys_of,
    listed,
    mean_of,
    number_of,
    parsed_log,
)

ERROR = 2  # failureReason of a provider that gave no answer; 1 is an assertion that failed


def is_promptfoo(head: str, text: str) -> bool:
    """Whether a text begins with an evaluation and has its results."""
    return '"results"' in head and ('"evalId"' in head or ('"results"' in text and '"gradingResult"' in text))


def read_promptfoo(text: str, file: str, notes: Notes) -> Iterator[Answer]:
    """Read one object; a provider with a prompt is a system, and repeated answers to a test are averaged.

    An answer that the provider failed to give has no score: it is missing, not wrong.
    """
    log = parsed_log(text, file, PROMPTFOO.name)
    results = _results(log)
    run = _run_of(log)
    prompts = _prompts(results)
    tests = _tests(results)
    failed = [result for result in results if _has_provider_error(result)]
    if failed:
        note = f"{counted(len(failed), 'answer')} of {len(results)} failed at the provider, and"
        notes.append(f"{note} count as missing: {listed(result.get('error') for result in failed)}.")

    def system_and_test(place: int) -> tuple[str, int]:
        """Return the system and the number of the test of a result."""
        provider = results[place]["provider"]
        if isinstance(provider, dict):
            provider = provider.get("label") or provider["id"]
        system = str(provider)
        if len(set(prompts)) > 1:
            system = f"{system} prompt {prompts[place]}"
        return system, tests[place]

    repeated = grouped((system_and_test(place), result) for place, result in enumerate(results))
    for number, ((system, test), answers) in enumerate(repeated.items(), start=1):
        given = [answer for answer in answers if not _has_provider_error(answer)]
        first = next(iter(given), answers[0])
        scores = {PROMPTFOO.name: mean_of(_score(answer) for answer in given)}
        named_scores = [answer.get("namedScores") or {} for answer in given]
        for metric in keys_of(named_scores):
            scores[metric] = mean_of(scores_of.get(metric) for scores_of in named_scores)
        yield Answer(
            number,
            str(test),
            system,
            run,
            source=as_text(first.get("vars")),
            hypothesis=as_text((first.get("response") or {}).get("output")),
            reference=as_reference(_expected_text(first.get("testCase") or {})),
            scores=scores,
        )


def _results(log: Mapping[str, Any]) -> list[Any]:
    """Return the results, without their summary."""
    results = log["results"]
    if isinstance(results, dict):
        results = results["results"]
    if not isinstance(results, list):
        raise TypeError("'results' is not a list")
    return results


def _run_of(log: Mapping[str, Any]) -> str | None:
    """Return the ID of the evaluation; None if it was not stored."""
    identifier = log.get("evalId")
    if identifier is not None and not isinstance(identifier, str):
        raise TypeError(f"the evalId {str(identifier)[:60]!r} is not a name")
    return identifier or None


def _prompts(results: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the number of the prompt of each result, from 1."""
    names = []
    for result in results:
        prompt = result.get("prompt") or {}
        of_text = prompt.get("label") or prompt.get("raw") if "promptId" not in result and "promptIdx" in result else ""
        names.append(str(result.get("promptId") or of_text or ""))
    in_order = sorted(set(names))
    return [in_order.index(name) + 1 for name in names]


def _tests(results: Sequence[Mapping[str, Any]]) -> list[int]:
    """Return the number of the test of each result, from 1."""
    if all("testIdx" in result for result in results):
        return [int(result["testIdx"]) + 1 for result in results]
    number_of_test: dict[str, int] = {}
    numbers = []
    for result in results:
        variables = json.dumps(result["vars"], sort_keys=True)
        numbers.append(number_of_test.setdefault(variables, len(number_of_test) + 1))
    return numbers


def _has_provider_error(result: Mapping[str, Any]) -> bool:
    """Whether the provider failed. Before versions that state the reason, a failed assertion has an answer."""
    reason = result.get("failureReason")
    if reason is not None:
        return bool(reason == ERROR)
    has_answer = (result.get("response") or {}).get("output") is not None
    return bool(result.get("error")) and not has_answer


def _score(result: Mapping[str, Any]) -> float | None:
    """Return the score of an answer; the oldest versions only state success."""
    if "score" in result:
        return number_of(result["score"])
    return number_of(result.get("success"))


def _expected_text(test: Mapping[str, Any]) -> str | None:
    """Return the text of the first assertion that has one."""
    for assertion in test.get("assert") or ():
        if isinstance(assertion, dict):
            value = assertion.get("value")
            if isinstance(value, str) and value:
                return value
    return None


PROMPTFOO = Program(
    "promptfoo",
    "0.123.1, and older results without testIdx",
    is_promptfoo,
    read_promptfoo,
    re.compile(r'"promptfooVersion":\s*"([^"]{1,40})"'),
)
