"""Whether a candidate passes a gate, and what would settle an open answer."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan

import pandas as pd

from mteval.analysis.gates import MOST_RUNS, MOST_TIMES, gate_frame
from mteval.answers.section import Cell, Column, Note, Section, Table, headed, noted, notes_by
from mteval.answers.verdict import declared_sentence
from mteval.base.words import agreeing, counted, plural
from mteval.values.gate import Gate, GateRow, Outcome
from mteval.values.notation import as_typed, level, p_equals, significant
from mteval.values.run_words import RunWord
from mteval.values.verdict import Conclusion

_LOOKS: Mapping[Outcome, Conclusion] = {  # shape and colour
    "pass": Conclusion.BETTER, "fail": Conclusion.WORSE, "no verdict": Conclusion.CANNOT_BE_SAID,
}  # fmt: skip


def gate_section(gate: Gate) -> Section:
    """Return whether the candidate passes, with a line and a row per metric."""
    first, runs, confidence = gate.rows[0], gate.settings.runs, gate.settings.confidence
    has_several = len({row.test_set for row in gate.rows}) > 1
    columns = (
        headed("metric_name", "metric", "word"),
        *((headed("test_set", "test set", "word"),) * has_several),
        headed("outcome", "outcome", "word"),
        headed("wanted", "must be", "word"),
        headed("difference", "difference", "difference"),
        Column("interval", f"{level(2 * confidence - 1)} CI", "interval", fields=("low", "high")),
        headed("n_runs", runs.nouns, "count", write=lambda row: " vs ".join(map(str, row["n_runs"][::-1]))),
        headed("n_units", "units", "count", write=lambda row: f"{row['n_units']:,} {plural(row['unit'])}"),
    )
    wanted, notations = [claims(row)["pass"] for row in gate.rows], pd.Series([row.notation for row in gate.rows])
    frame = gate_frame(gate).assign(wanted=wanted, notation=notations)
    is_single = gate.settings.design != "candidate" or any(row.n_runs[1] == 1 for row in gate.rows)
    declared = declared_sentence(gate.settings.design, first.baseline, runs) if is_single else ""
    return Section(
        "gate", f"{first.candidate} vs {first.baseline}", (f"Gate: {gate.outcome}.",),
        Table(columns, frame, _rule_sentence(gate)), notes=(*noted(declared), *_notes(gate)),
        verdict=Cell.of(_LOOKS[gate.outcome], gate.outcome),
        terms=tuple((row_name(row, gate), row_sentence(row, gate)) for row in gate.rows),
    )  # fmt: skip


def _notes(gate: Gate) -> tuple[Note, ...]:
    ignored = f"Ignored, without a better direction: {', '.join(gate.ignored)}." if gate.ignored else ""
    answered = [(row_name(row, gate), row.note) for row in gate.rows if not isnan(row.p_value)]
    return *notes_by(answered), *noted(ignored)  # where there is no answer, the note is its reason


def _rule_sentence(gate: Gate) -> str:
    n_tests = len(gate.rows)
    at = level(gate.settings.level)
    if n_tests == 1:
        return f"One-sided test at {at}."
    if gate.rule.is_any:
        return f"One-sided tests at {at}. One metric suffices; p adjusted by Holm over {n_tests}."
    return f"One-sided tests at {at}. All must hold, so p is not adjusted (intersection-union)."


def row_name(row: GateRow, gate: Gate) -> str:
    """Return the metric, with the test set if there are several answers by it."""
    has_several = len({one.test_set for one in gate.rows}) > 1
    return f"{row.metric_name} on {row.test_set}" if has_several else row.metric_name


def claims(row: GateRow) -> dict[Outcome, str]:
    """Return what the candidate is shown to be if it passes or fails."""
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
    has_failed = row.outcome == "fail"
    p = row.p_fail if has_failed else row.p_pass
    adjusted = "adjusted " if gate.rule.is_any != has_failed and len(gate.rows) > 1 else ""
    ci = f"{level(2 * gate.settings.confidence - 1)} CI {row.notation.interval(row.low, row.high)}"
    numbers = f"{row.notation.difference(row.difference)} ({ci}, {adjusted}{p_equals(p)})"
    if row.outcome == "no verdict":
        return f"no verdict on “{claims(row)['pass']}”: {numbers}. {remedy_sentence(row, gate.settings.runs)}"
    return f"{row.outcome}, {claims(row)[row.outcome]}: {numbers}."


def remedy_sentence(row: GateRow, runs: RunWord) -> str:
    """Return what would settle an open answer if the difference stayed as it is."""
    remedy, has_spread = row.remedy, not isnan(row.remedy.spread)
    spread = f"{runs.filled('{Runs}')} differ by {row.notation.number(remedy.spread)} (SD). " if has_spread else ""
    n, more = remedy.candidate_runs or remedy.runs_each, []
    if n:
        whose = row.candidate if remedy.candidate_runs else "each system"
        more.append(f"{n} more {agreeing(n, runs.noun, runs.nouns)} of {whose}")
    if not isnan(remedy.times):
        n_needed = float(significant(row.n_units * remedy.times, 2))
        more.append(f"about {counted(round(n_needed), row.unit)} instead of {row.n_units:,}")
    if more:
        return f"{spread}If the difference stays, {(' or ', ' and ')[remedy.needs_both].join(more)} would settle it."
    most_runs = f"{MOST_RUNS} more {runs.nouns} and " if has_spread else ""
    most = f"{most_runs}a test set {MOST_TIMES} times as large"
    return f"{spread}If the difference stays, even {most} would not settle it."
