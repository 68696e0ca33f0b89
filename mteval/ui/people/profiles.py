"""How often each system makes each kind of error, with intervals."""

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from mteval.analysis.people.error_profiles import BY, PER, profile_frame
from mteval.counts import counted, counted_range
from mteval.figures.estimates import Estimate, estimates
from mteval.notation import fixed, level
from mteval.ui.parts import messages
from mteval.ui.parts.charts import chart
from mteval.ui.parts.choices import choose, choose_some
from mteval.ui.parts.markup import show, tag
from mteval.ui.people.plan import Plan
from mteval.ui.people.tables import save_csv

MOST_KINDS, USUAL_SYSTEMS = 8, 3


def profiles(plan: Plan) -> None:
    """The commonest kinds of some systems as a figure, all of them as a file."""
    judgements, settings = plan.people.judged.judgements, plan.settings
    systems = list(dict.fromkeys(one.system for one in judgements))
    with st.container(horizontal=True):
        have_categories = any(error.category for one in judgements for error in one.errors)
        by = choose("By", BY, "people-profile-by", default=BY[0] if have_categories else BY[1], width=150)
        wanted = choose_some(
            "Systems", systems, "people-profile-systems", default=systems[:USUAL_SYSTEMS], in_address=False
        )
    frame = plan.asked("profiles", by, lambda work: profile_frame(judgements, by, settings, work))
    if frame is None:
        return
    if not wanted:
        messages.say("note", "Choose at least one system.")
        return
    kinds = list(dict.fromkeys(frame["kind"]))[:MOST_KINDS]
    shown = frame[frame["system"].isin(wanted) & frame["kind"].isin(kinds)]
    chart(estimates(list(_points(shown, wanted)), f"Errors in {PER} readings"), "people-profiles")
    unit = frame["unit"].iloc[0]
    n_units = counted_range(shown["n_units"].tolist(), str(unit))
    show(
        tag(
            "p",
            f"A reading is one annotator's of one output. {level(settings.confidence)} intervals of"
            f" {counted(settings.n_bootstrap, 'replicate')} drawn from {n_units} of each system, the"
            " annotators taken as given."
            + (f" The {MOST_KINDS} commonest kinds." if len(set(frame["kind"])) > MOST_KINDS else ""),
            class_="mt-quiet",
        )
    )
    save_csv("Profiles as CSV", frame, "error-profiles")


def _points(shown: pd.DataFrame, systems: list[str]) -> Iterator[Estimate]:
    """A row a kind, a series a system."""
    for system in systems:
        for row in shown[shown["system"] == system].to_dict("records"):
            kind = row["kind"] or "no category"
            interval = f"{fixed(row['low'], 1)} to {fixed(row['high'], 1)}"
            said = (
                f"{system}, {kind}: {fixed(row['rate'], 1)} in {PER}, {interval};"
                f" {counted(row['n_errors'], 'error')} in {counted(row['n_readings'], 'reading')}"
            )
            yield Estimate(kind, system, row["rate"], row["low"], row["high"], said)
