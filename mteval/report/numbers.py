"""All numbers of an evaluation as files: JSON, a workbook, and Table 1 as CSV."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.grid import grid_frame
from mteval.analysis.results import Results, overview, verdicts, verdicts_by_people
from mteval.answers.verdict import why_unknown
from mteval.render.frames import to_json, with_old_columns
from mteval.values.findings import Finding
from mteval.values.ledger import NO_FILES, Ledger
from mteval.values.verdict import Verdict

if TYPE_CHECKING:
    from mteval.values.plan import Planned

FRAMES = ("scores", "summary", "comparisons", "coverage")
VERDICTS = "verdicts"
VERDICTS_BY_PEOPLE = "verdicts_by_people"
GRID = "grid"
# Frames that are written if they have rows, with the names they have in an evaluation
OPTIONAL = {
    "claims": "claimed",
    "claims_by_people": "claimed_by_people",
    "joint": "joint",
    "samples": "samples",
    "errors": "errors",
    "judge_answers": "judge_answers",
    "own_runs": "own_runs",
    "simultaneous": "simultaneous",
    "intervals": "intervals",
    "parts": "parts",
    "ranks": "ranks",
}
OF_VERDICT = (
    "test_set",
    "metric",
    "baseline",
    "system",
    "verdict",
    "is_provisional",
    "reason",
    "difference",
    "improvement",
    "low",
    "high",
    "low_test_set",
    "high_test_set",
    "test_set_luck",
    "p_test_set",
    "p_test_set_adjusted",
    "both",
    "p_run",
    "p_run_adjusted",
    "unit",
    "unit_both",
    "n_runs",
    "share_of_pairs",
    "mark",
)
# Old names of columns that scripts read, by frame (``mteval/values/renamed.py``)
_OLD_COLUMNS = {
    "summary": ("s_run",),
    VERDICTS: ("p_both", "p_both_adjusted"),
    "joint": ("p_both",),
}
_OLD_COLUMNS_OF_OVERVIEW = ("s_test", "p_both")
# Columns of the overview that are for reading, not numbers
_FOR_PEOPLE = ("metric_name", "notation", "run_scores", "p_test_set_adjusted", "p_run_adjusted")


def frames_of(evaluation: Evaluation) -> dict[str, pd.DataFrame]:
    """Return the frames of an evaluation to write, by name."""
    frames = {name: getattr(evaluation, name) for name in FRAMES}
    if evaluation.answers:
        frames[VERDICTS] = verdicts_frame(verdicts(evaluation))
    by_people = people_frame(evaluation)
    if not by_people.empty:
        frames[VERDICTS_BY_PEOPLE] = by_people
    for name, attribute in OPTIONAL.items():
        frame = getattr(evaluation, attribute)
        if not frame.empty:
            frames[name] = frame
    if evaluation.claims:
        frames[GRID] = grid_frame(evaluation)
    return frames


def frames_for_scripts(evaluation: Evaluation) -> dict[str, pd.DataFrame]:
    """Return the frames of an evaluation, with renamed columns under their old names as well."""
    frames = frames_of(evaluation)
    for name, old_names in _OLD_COLUMNS.items():
        if name in frames:
            frames[name] = with_old_columns(frames[name], *old_names)
    return frames


def verdicts_frame(all_verdicts: Iterable[Verdict]) -> pd.DataFrame:
    """Return verdicts in words and numbers; ``reason`` says why both kinds of luck are not covered."""
    rows = []
    for verdict in all_verdicts:
        words = {"verdict": verdict.conclusion.word, "reason": why_unknown(verdict)}
        numbers = {name: getattr(verdict, name) for name in OF_VERDICT if name not in words}
        rows.append({**words, **numbers})
    return pd.DataFrame(rows, columns=list(OF_VERDICT))


def people_frame(evaluation: Evaluation) -> pd.DataFrame:
    """Return the verdicts by human scores, first those that contradict the verdict by the primary metric.

    ``contradicts`` has the keys of all metrics whose verdict a verdict contradicts, e.g. ``bleu, chrf``.
    """
    by_people = verdicts_by_people(evaluation)
    by_metrics: dict[tuple[str, str], list[Verdict]] = defaultdict(list)  # by test set and system
    for verdict in verdicts(evaluation):
        by_metrics[verdict.test_set, verdict.system].append(verdict)
    contradicted = []
    for human in by_people:
        of_system = by_metrics[human.test_set, human.system]
        contradicted.append([verdict.metric for verdict in of_system if human.contradicts(verdict)])
    primary = evaluation.settings.primary_metric
    frame = verdicts_frame(by_people).drop(columns="share_of_pairs")
    frame["contradicts_primary"] = [primary in metrics for metrics in contradicted]
    frame["contradicts"] = [", ".join(metrics) for metrics in contradicted]
    return frame.sort_values("contradicts_primary", ascending=False, kind="stable", ignore_index=True)


def scores_with_parts(evaluation: Evaluation) -> pd.DataFrame:
    """Return the scores of all runs, with a column per component; empty where a metric has other components."""
    keys = ["test_set", "system", "run", "metric"]
    parts = evaluation.parts["part"].unique()  # in the order of the metrics, which pivot would sort
    column_per_part = evaluation.parts.pivot(index=keys, columns="part", values="value")[parts]
    return evaluation.scores.merge(column_per_part.reset_index(), on=keys, how="left")


def json(evaluation: Evaluation, planned: Planned | None = None, files: Ledger = NO_FILES) -> str:
    """Return all numbers of all test sets, settings, signatures, versions, deviations and input files as JSON."""
    header = {
        "settings": evaluation.settings.deciding,
        "signatures": evaluation.signatures,
        "versions": evaluation.versions,
        "findings": findings_form(evaluation.findings),
        "files": files.form(),
    }
    if planned is not None:
        header["plan"] = asdict(planned)
    return to_json(frames_for_scripts(evaluation), header)


def findings_form(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Return findings for JSON, with their titles; only suspected trainings have a pattern."""
    forms = []
    for finding in findings:
        form = {"code": finding.code, "title": finding.title, **asdict(finding)}
        if not finding.nested:
            form.pop("nested")
        forms.append(form)
    return forms


def excel(results: Results) -> bytes:
    """Return the same as a workbook, the table first."""
    from mteval.render.xlsx import workbook  # here, since few commands write one

    evaluation = results.evaluation
    frames = {f"table on {results.test_set.name}": overview_numbers(results)}
    frames.update(frames_of(evaluation))
    if results.people is not None:
        for name, frame in results.people.answered_frames().items():
            frames[f"people {name}"] = frame

    facts = [(f"setting {name}", str(value)) for name, value in evaluation.settings.deciding.items()]
    for test_set, signatures in evaluation.signatures.items():
        for metric, signature in signatures.items():
            facts.append((f"signature of {metric} on {test_set}", signature))
    facts += [(f"version of {name}", version) for name, version in evaluation.versions.items()]
    frames["about"] = pd.DataFrame(facts, columns=["what", "value"])
    return workbook(frames)


def overview_numbers(results: Results) -> pd.DataFrame:
    """Return Clark et al.'s Table 1 with one column per number."""
    return overview(results).drop(columns=list(_FOR_PEOPLE))


def overview_for_scripts(results: Results) -> pd.DataFrame:
    """Return the same, with renamed columns under their old names as well."""
    return with_old_columns(overview_numbers(results), *_OLD_COLUMNS_OF_OVERVIEW)
