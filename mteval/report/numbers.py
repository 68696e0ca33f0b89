"""All numbers of an evaluation as files: JSON, a workbook, and Table 1 for machines."""

from __future__ import annotations

import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.results import Results, overview
from mteval.render.json import to_json

FRAMES = ("scores", "summary", "comparisons", "coverage")
TIMINGS = ["seconds"]
OPTIONAL = {  # frames that are there where they have rows, and what holds them
    "claims": "claimed",
    "samples": "samples",
    "sensitivity": "sensitivity",
    "errors": "errors",
    "own_runs": "own_runs",
    "simultaneous": "simultaneous",
}


def frames_of(evaluation: Evaluation) -> dict[str, pd.DataFrame]:
    """The frames of an evaluation that are written, by name; how long it took is no number of it."""
    frames = {name: getattr(evaluation, name).drop(columns=TIMINGS, errors="ignore") for name in FRAMES}
    optional = {name: getattr(evaluation, source) for name, source in OPTIONAL.items()}
    return {**frames, **{name: frame for name, frame in optional.items() if not frame.empty}}


def json(evaluation: Evaluation) -> str:
    """All numbers of all test sets, settings, signatures and versions."""
    frames = frames_of(evaluation)
    other = {
        "settings": evaluation.settings.deciding,
        "signatures": evaluation.signatures,
        "versions": evaluation.versions,
    }
    return to_json(frames, other)


def excel(results: Results) -> bytes:
    """The same as a workbook, the table first."""
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
        from mteval.report.people import people_frames  # here, since not every command loads figures

        frames |= {f"people {name}": frame for name, frame in people_frames(results.people).items()}
    return workbook({**frames, "about": pd.DataFrame(about, columns=["what", "value"])})


_FOR_PEOPLE = ("metric_name", "notation", "run_scores", "p_test_set_adjusted", "p_both_adjusted")


def overview_numbers(results: Results) -> pd.DataFrame:
    """Clark et al.'s Table 1 for machines: one column a number, without what only tables for people need."""
    return overview(results).drop(columns=list(_FOR_PEOPLE))
