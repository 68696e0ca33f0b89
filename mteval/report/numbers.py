"""All numbers of an evaluation as files: JSON, a workbook, and Table 1 as CSV."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.results import Results, overview, verdicts
from mteval.answers.verdict import why_unknown
from mteval.render.frames import to_json
from mteval.values.findings import Finding
from mteval.values.plan import Planned
from mteval.values.verdict import Verdict

FRAMES = ("scores", "summary", "comparisons", "coverage")
OWN = ("joint", "samples", "errors", "judge_answers", "own_runs", "simultaneous", "intervals", "parts", "ranks")
OPTIONAL = {"claims": "claimed", **dict(zip(OWN, OWN, strict=True))}  # frames with rows, and their sources
VERDICTS = "verdicts"
OF_VERDICT = (
    "test_set", "metric", "baseline", "system", "verdict", "is_provisional", "reason", "difference", "improvement",
    "low", "high", "low_test_set", "high_test_set", "test_set_luck", "p_test_set", "p_test_set_adjusted", "both",
    "p_both", "p_both_adjusted", "unit", "unit_both", "n_runs", "mark",
)  # fmt: skip


def frames_of(evaluation: Evaluation) -> dict[str, pd.DataFrame]:
    """Return the frames of an evaluation to write, by name."""
    frames = {name: getattr(evaluation, name) for name in FRAMES}
    if evaluation.answers:
        frames[VERDICTS] = verdicts_frame(verdicts(evaluation))
    optional = {name: getattr(evaluation, source) for name, source in OPTIONAL.items()}
    return {**frames, **{name: frame for name, frame in optional.items() if not frame.empty}}


def verdicts_frame(found: Iterable[Verdict]) -> pd.DataFrame:
    """Return verdicts in words and numbers; ``reason`` says why both kinds of luck are not covered."""
    words = ((one, {"verdict": one.conclusion.word, "reason": why_unknown(one)}) for one in found)
    rows = ([own[name] if name in own else getattr(one, name) for name in OF_VERDICT] for one, own in words)
    return pd.DataFrame(rows, columns=list(OF_VERDICT))


def scores_with_parts(evaluation: Evaluation) -> pd.DataFrame:
    """Return the scores of all runs, with a column per component; empty where a metric has other components."""
    keys = ["test_set", "system", "run", "metric"]
    wide = evaluation.parts.pivot(index=keys, columns="part", values="value")[evaluation.parts["part"].unique()]
    return evaluation.scores.merge(wide.reset_index(), on=keys, how="left")


def json(evaluation: Evaluation, planned: Planned | None = None) -> str:
    """Return all numbers of all test sets, settings, signatures, versions and deviations as JSON."""
    names = {"settings": evaluation.settings.deciding, "signatures": evaluation.signatures}
    about = {**names, "versions": evaluation.versions, "findings": findings_form(evaluation.findings)}
    return to_json(frames_of(evaluation), about if planned is None else {**about, "plan": asdict(planned)})


def findings_form(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Return findings for JSON, with their titles."""
    return [{"code": one.code, "title": one.title, **asdict(one)} for one in findings]


def excel(results: Results) -> bytes:
    """Return the same as a workbook, the table first."""
    from mteval.render.xlsx import workbook  # here, since few commands write one

    evaluation = results.evaluation
    about = [(f"setting {name}", str(value)) for name, value in evaluation.settings.deciding.items()]
    for test_set, signatures in evaluation.signatures.items():
        about += [(f"signature of {metric} on {test_set}", signature) for metric, signature in signatures.items()]
    about += [(f"version of {name}", version) for name, version in evaluation.versions.items()]
    frames = {f"table on {results.test_set.name}": overview_numbers(results), **frames_of(evaluation)}
    if results.people is not None:
        from mteval.report.page import people_frames  # here, since not every command loads figures

        frames |= {f"people {name}": frame for name, frame in people_frames(results.people).items()}
    return workbook({**frames, "about": pd.DataFrame(about, columns=["what", "value"])})


_FOR_PEOPLE = ("metric_name", "notation", "run_scores", "p_test_set_adjusted", "p_both_adjusted")


def overview_numbers(results: Results) -> pd.DataFrame:
    """Return Clark et al.'s Table 1 with one column per number."""
    return overview(results).drop(columns=list(_FOR_PEOPLE))
