"""All numbers of an evaluation as files: JSON, a workbook, and Table 1 as CSV."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict

import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.results import Results, overview
from mteval.render.frames import to_json
from mteval.values.findings import Finding
from mteval.values.plan import Planned

FRAMES = ("scores", "summary", "comparisons", "coverage")
OPTIONAL = {  # frames that exist if they have rows, and their sources
    "claims": "claimed", **{name: name for name in ("joint", "samples", "errors", "own_runs", "simultaneous", "ranks")}
}  # fmt: skip


def frames_of(evaluation: Evaluation) -> dict[str, pd.DataFrame]:
    """Return the frames of an evaluation to write, by name."""
    frames = {name: getattr(evaluation, name) for name in FRAMES}
    optional = {name: getattr(evaluation, source) for name, source in OPTIONAL.items()}
    return {**frames, **{name: frame for name, frame in optional.items() if not frame.empty}}


def json(evaluation: Evaluation, planned: Planned | None = None) -> str:
    """Return all numbers of all test sets, settings, signatures, versions and deviations as JSON."""
    names = {"settings": evaluation.settings.deciding, "signatures": evaluation.signatures}
    plan = {} if planned is None else {"plan": asdict(planned)}
    found = {"findings": findings_form(evaluation.findings)}
    return to_json(frames_of(evaluation), {**names, "versions": evaluation.versions, **found, **plan})


def findings_form(findings: Iterable[Finding]) -> list[dict[str, object]]:
    """Return findings for JSON, with their titles."""
    return [{"code": one.code, "title": one.title, **asdict(one)} for one in findings]


def excel(results: Results) -> bytes:
    """Return the same as a workbook, the table first."""
    from mteval.render.xlsx import workbook  # here, since few commands write one

    evaluation = results.evaluation
    about = [(f"setting {name}", str(value)) for name, value in evaluation.settings.deciding.items()]
    about += [
        (f"signature of {metric} on {test_set}", signature)
        for test_set, signatures in evaluation.signatures.items()
        for metric, signature in signatures.items()
    ]
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
