"""What is known of an annotation campaign besides its judgements: progress, attention checks, pre-filled errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from operator import itemgetter

import pandas as pd

from mteval.analysis.people.controls import controls_frame, prefilled_frame
from mteval.annotations import Campaign, Listed, Task
from mteval.annotations.campaigns import Way
from mteval.answers.section import Column, Section, Table, columns, noted
from mteval.values.notation import DASH, percent

KIND_NAMES = {"training": "Training as expected", "check": "Attention checks passed"}
_FOUND = "marks and inserted words overlap by at least half, and other words are marked at most half as often"
_LOWER = "lower than the same output without these words"
CHECKS: Mapping[Way, str] = {  # passed if
    "rating": f"adequacy with inserted words is rated {_LOWER}",
    "errors": _FOUND,
    "esa": f"{_FOUND}; and the score is {_LOWER}",
    "preference": "the output without the inserted words is preferred",
}
PREFILLED = (
    *columns(annotator="Annotator", origin="Metric"),
    *columns("count", n_found="Found", n_kept="Kept", n_changed="Other severity", n_rejected="Removed"),
    *columns("count", n_added="Added"),
)


def progress_section(campaign: Campaign, listed: Listed, tasks: Sequence[Task]) -> Section:
    """Return what each annotator has done, and the results of items with known answers."""
    found = controls_frame(campaign, tasks).to_dict("records")
    passed = {(row["annotator"], row["kind"]): _part(row["n_passed"], row["n_done"]) for row in found}
    kinds = [kind for kind in KIND_NAMES if kind in {row["kind"] for row in found}]
    rows = [
        (name, f"{done} of {total}", total - done, *(passed.get((name, kind), DASH) for kind in kinds))
        for name, (done, total) in listed.progress.items()
    ]
    shown = (
        *columns(annotator="Annotator"), Column("done", "Done", "count", write=itemgetter("done")),
        *columns("count", left="Left"),
        *(Column(kind, KIND_NAMES[kind], "share", write=itemgetter(kind)) for kind in kinds),
    )  # fmt: skip
    frame = pd.DataFrame(rows, columns=[column.key for column in shown])
    check = f"A check is passed if {CHECKS[campaign.way]}." if "check" in kinds else ""
    table = Table(shown, frame, "Progress of each annotator")
    return Section("campaign-progress", "", table=table, notes=noted(check, is_wide=True))


def _part(n_passed: int, n_done: int) -> str:
    """Return how many were passed, and the share."""
    return f"{n_passed} of {n_done}" + (f" ({percent(n_passed / n_done, 0)})" if n_done else "")


def prefilled_sections(tasks: Sequence[Task]) -> Iterator[Section]:
    """Yield what became of the errors that a metric found beforehand, if there were any."""
    prefilled = prefilled_frame(tasks)
    if not prefilled.empty:
        table = Table(PREFILLED, prefilled, "Errors in finished outputs")
        yield Section("campaign-prefilled", "Errors suggested by the metric", table=table)
