"""Whether a candidate passes a gate, and what would settle an open answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import isnan

import pandas as pd

from mteval.analysis.gates import MOST_RUNS, MOST_TIMES, gate_frame
from mteval.answers.section import Cell, Column, Note, Row, Section, Table, headed, noted, notes_by
from mteval.answers.verdict import PEOPLE, brief_answer, declared_sentence, preference
from mteval.base.words import agreeing, counted
from mteval.values.gate import Gate, GateRow, Outcome, ShareOfPairs
from mteval.values.notation import as_typed, level, p_equals, significant
from mteval.values.run_words import RunWord
from mteval.values.verdict import Conclusion

_LOOKS: Mapping[Outcome, Conclusion] = {  # shape and colour
    "pass": Conclusion.BETTER,
    "fail": Conclusion.WORSE,
    "no verdict": Conclusion.CANNOT_BE_SAID,
}


def gate_section(gate: Gate) -> Section:
    """Return whether the candidate passes, with a line and a row per metric."""
    settings = gate.settings
    first = gate.rows[0]
    columns = [headed("metric_name", "metric", "word")]
    if _has_several_test_sets(gate):
        columns.append(headed("test_set", "test set", "word"))
    columns += [
        headed("outcome", "outcome", "word"),
        headed("wanted", "must be", "word"),
        headed("difference", "difference", "difference"),
        Column("interval", f"{level(2 * settings.confidence - 1)} CI", "interval", fields=("low", "high")),
        headed("n_runs", settings.runs.nouns, "count", write=_n_runs),
        headed("n_units", "units", "count", write=_n_units),
    ]
    frame = gate_frame(gate).assign(
        wanted=[claims(row)["pass"] for row in gate.rows],
        notation=pd.Series([row.notation for row in gate.rows]),
    )

    declared = declared_sentence(settings.design, first.baseline, settings.runs)
    if settings.design == "candidate" and all(row.n_runs[1] > 1 or isnan(row.p_value) for row in gate.rows):
        declared = ""  # the sentence is about a single run that was tested
    return Section(
        "gate",
        f"{first.candidate} vs {first.baseline}",
        (f"Gate: {gate.outcome}.",),
        Table(tuple(columns), frame, _rule_sentence(gate)),
        notes=(*noted(declared), *_notes(gate)),
        verdict=Cell.of(_LOOKS[gate.outcome], gate.outcome),
        terms=(*_terms_of_people(gate), *((row_name(row, gate), row_sentence(row, gate)) for row in gate.rows)),
    )


def _terms_of_people(gate: Gate) -> Iterator[tuple[str, str]]:
    """Yield what people say about the candidate, which decides nothing; disagreements first."""
    for human in sorted(gate.by_people, key=lambda human: not gate.contradicts(human)):
        name = "People disagree" if gate.contradicts(human) else "Human scores"
        if len({verdict.test_set for verdict in gate.by_people}) > 1:
            name += f" on {human.test_set}"
        yield name, f"{brief_answer(human)}."


def _has_several_test_sets(gate: Gate) -> bool:
    return len({row.test_set for row in gate.rows}) > 1


def _n_runs(row: Row) -> str:
    """Return ``1 vs 3``: the runs of the candidate and of the baseline."""
    n_baseline, n_candidate = row["n_runs"]
    return f"{n_candidate} vs {n_baseline}"


def _n_units(row: Row) -> str:
    return counted(row["n_units"], row["unit"])


def _notes(gate: Gate) -> tuple[Note, ...]:
    """Return the notes on the tests, and which metrics are ignored."""
    # If there is no answer, the note is the reason. The row's sentence gives it already.
    notes = notes_by([(row_name(row, gate), row.note) for row in gate.rows if not isnan(row.p_value)])
    ignored = ""
    if gate.ignored:
        ignored = f"Ignored, without a better direction: {', '.join(gate.ignored)}."
    return (*notes, *noted(ignored))


def _rule_sentence(gate: Gate) -> str:
    n_tests = len(gate.rows)
    at = level(gate.settings.level)
    if n_tests == 1:
        return f"One-sided test at {at}."
    if gate.rule.is_any:
        rule = "One metric suffices"
        adjusted = "pass"
        unadjusted = "failure"
    else:
        rule = "All must hold"
        adjusted = "failure"
        unadjusted = "pass"
    return (
        f"One-sided tests at {at}. {rule}: p of a {unadjusted} is not adjusted (intersection-union), p of a {adjusted}"
        f" is (Holm over {n_tests})."
    )


def row_name(row: GateRow, gate: Gate) -> str:
    """Return the metric, with the test set if there are several answers by it."""
    if _has_several_test_sets(gate):
        return f"{row.metric_name} on {row.test_set}"
    return row.metric_name


def claims(row: GateRow) -> dict[Outcome, str]:
    """Return what the candidate is shown to be if it passes or fails."""
    if isinstance(row.margin, ShareOfPairs):
        margin = f"{row.notation.in_unit(significant(abs(row.bound), 3))} ({row.margin})"
    else:
        margin = row.notation.in_unit(as_typed(abs(row.bound)))
    if row.bound == 0:
        return {"pass": "better", "fail": "worse"}
    if row.bound < 0:
        return {"pass": f"not worse by {margin}", "fail": f"worse by more than {margin}"}
    return {"pass": f"better by more than {margin}", "fail": f"not better by {margin}"}


def row_sentence(row: GateRow, gate: Gate) -> str:
    """Return the answer by one metric; if it is open, what would settle it."""
    if isnan(row.p_value):
        return f"no verdict. {row.note}"
    numbers = f"{row.notation.difference(row.difference)} ({_interval_and_p(row, gate)})"
    if row.outcome == "no verdict":
        remedy = remedy_sentence(row, gate.settings.runs)
        people = f"{_of_people(row)} ".lstrip()
        return f"no verdict on “{claims(row)['pass']}”: {numbers}. {people}{remedy}"
    return f"{row.outcome}, {claims(row)[row.outcome]}: {numbers}. {_of_people(row)}".rstrip()


def _of_people(row: GateRow) -> str:
    """Return how often people prefer the better-scored system at such a difference; empty if that is unknown."""
    if isnan(row.share_of_pairs):
        return ""
    return f"{PEOPLE} {preference(row.share_of_pairs)}."


def _interval_and_p(row: GateRow, gate: Gate) -> str:
    # Passing is adjusted if one metric suffices; failing, if all must hold, since one failure suffices then.
    has_failed = row.outcome == "fail"
    is_adjusted = gate.rule.is_any != has_failed and len(gate.rows) > 1
    p = p_equals(row.p_pass, gate.settings.level)
    if has_failed:
        p = p_equals(row.p_fail, gate.settings.level)
    if is_adjusted:
        p = f"adjusted {p}"
    raw_bound = row.bound
    if row.improvement != row.difference:  # lower is better
        raw_bound = -row.bound
    excludes_bound = not row.low <= raw_bound <= row.high
    if row.outcome == "no verdict" and row.improvement < row.bound and excludes_bound:
        # The interval is not adjusted: p of failing, which is, leaves the answer open
        p = f"{p}; of failing, adjusted {p_equals(row.p_fail, gate.settings.level)}"
    return f"{level(2 * gate.settings.confidence - 1)} CI {row.notation.interval(row.low, row.high)}, {p}"


def remedy_sentence(row: GateRow, runs: RunWord) -> str:
    """Return what would settle an open answer if the difference stayed as it is."""
    remedy = row.remedy
    has_spread = not isnan(remedy.spread)
    spread = ""
    if has_spread:
        spread = f"{runs.filled('{Runs}')} differ by {row.notation.number(remedy.spread)} (SD). "

    needed = []
    if remedy.candidate_runs:
        needed.append(f"{_more_runs(remedy.candidate_runs, runs)} of {row.candidate}")
    elif remedy.runs_each:
        needed.append(f"{_more_runs(remedy.runs_each, runs)} of each system")
    if not isnan(remedy.times):
        n_needed = float(significant(row.n_units * remedy.times, 2))
        needed.append(f"about {counted(round(n_needed), row.unit)} instead of {row.n_units:,}")
    if needed:
        joint = " and " if remedy.needs_both else " or "
        return f"{spread}If the difference stays, {joint.join(needed)} would settle it."

    most_runs = f"{MOST_RUNS} more {runs.nouns} and " if has_spread else ""
    most = f"{most_runs}a test set {MOST_TIMES} times as large"
    if row.n_units == 1:  # one score per run: only runs are tested
        most = f"{MOST_RUNS} more {runs.nouns} of each system"
    return f"{spread}If the difference stays, even {most} would not settle it."


def _more_runs(n_runs: int, runs: RunWord) -> str:
    """Return ``3 more runs``."""
    return f"{n_runs} more {agreeing(n_runs, runs.noun, runs.nouns)}"
