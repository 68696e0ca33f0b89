"""How often each system makes each kind of error, with intervals.

Every error that was marked: filtered, what annotators disagree about first, and opened by a click.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd
import streamlit as st

from mteval.analysis.people.marked_errors import BY, PER, marked_frame, profile_frame
from mteval.answers.errors import example, example_block, examples, examples_page
from mteval.base.words import counted, counted_part, counted_range
from mteval.figures.people import Estimate, estimates
from mteval.render.html import tag
from mteval.ui.page import go_to
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose, choose_some
from mteval.ui.parts.tables import chart, show
from mteval.ui.people.claims import save_csv
from mteval.ui.people.plan import Plan
from mteval.ui.people.sources import People
from mteval.ui.segments.table import ask_for
from mteval.ui.session import evaluation
from mteval.ui.setup.words import said
from mteval.values.notation import fixed, level

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


FILTERS = {
    "category": "Category", "severity": "Severity", "system": "System", "run": "Run", "annotator": "Annotator",
    "document": "Document",
    "origin": "Found by",
}  # fmt: skip
ABSENT = {"origin": "the annotator"}  # who found what no metric had marked
MOST_SHOWN, MOST_EXAMPLES = 2_000, 20
MAY_BE_EMPTY = ("Words", "Category", "Found by", "Runs with it", "Others agree", "Document")
NO_ERRORS = (
    "No errors were marked in these judgements. They come with WMT's .seg.rating files and tables of errors, with"
    " ESA, and with campaigns in which errors are marked."
)


def errors_tab(plan: Plan) -> None:
    """The errors, the one that is open, and how often each system makes each kind."""
    people = plan.people
    judgements = people.judged.judgements
    if not any(one.errors for one in judgements):
        messages.say("note", NO_ERRORS)
        return
    marked = plan.asked("errors", "", lambda work: marked_frame(judgements, people.test_set, work))
    if marked is None:
        return
    chosen = _filtered(marked)
    show(tag("p", _extent(chosen, marked), class_="mt-quiet"))
    if not chosen.empty:
        _open(people, plan, _choose(chosen), marked)
        _save(people, chosen, marked)
    st.subheader("How often each system makes each kind", anchor=False)
    profiles(plan)


def _filtered(marked: pd.DataFrame) -> pd.DataFrame:
    """The errors that meet all conditions; one is offered where there is a choice."""
    chosen = marked
    with st.container(horizontal=True):
        for column, label in FILTERS.items():
            values = marked[column].replace("", ABSENT.get(column, ""))
            options = sorted({str(value) for value in values} - {""})
            if len(options) > 1:
                wanted = choose_some(said(label), options, f"people-errors-{column}", in_address=False, width=165)
                chosen = chosen[values.loc[chosen.index].isin(wanted)] if wanted else chosen
    return chosen


def _extent(chosen: pd.DataFrame, marked: pd.DataFrame) -> str:
    n_read_twice = int((chosen["n_raters"] > 1).sum())
    text = f"{counted_part(len(chosen), len(marked), 'marked error')}."
    if n_read_twice:
        text += (
            f" {n_read_twice:,} of them in outputs that several annotators read; those about which they disagree stand"
            " first."
        )
    if len(chosen) > MOST_SHOWN:
        text += f" The first {MOST_SHOWN:,} are shown; the file has all."
    return text


def _choose(chosen: pd.DataFrame) -> pd.Series:
    """The error that is clicked, else the first."""
    shown = pd.DataFrame(
        {
            "Segment": chosen["segment"],
            "System": chosen["system"],
            "Words": chosen["words"],
            "Category": chosen["category"],
            "Severity": chosen["severity"],
            "Annotator": chosen["annotator"],
            "Found by": chosen["origin"],
            "Others agree": _parts(chosen["n_agree"], chosen["n_raters"] - 1),
            "Runs with it": _parts(chosen["n_same"], chosen["n_runs"]),
            "Document": chosen["document"],
        }
    ).head(MOST_SHOWN)
    empty = [name for name in MAY_BE_EMPTY if not shown[name].any()]
    selected = st.dataframe(
        shown.drop(columns=empty), hide_index=True, height=300, on_select="rerun", selection_mode="single-row",
        key="people-errors-table",
        column_config={
            "Words": st.column_config.TextColumn(width="medium"),
            "Others agree": st.column_config.TextColumn(
                help="Of the other annotators who read this output, those who marked something at the same place."
            ),
            "Runs with it": st.column_config.TextColumn(
                said("Runs with it"),
                help=said(
                    "Of the loaded runs of the system, those in which the same words stand at that place: what stands"
                    " in one run alone may be a slip of that run and no habit of the system."
                ),
            ),
        },
    )  # fmt: skip
    rows: Sequence[int] = selected["selection"]["rows"]
    return chosen.iloc[rows[0] if rows and rows[0] < len(shown) else 0]


def _parts(parts: pd.Series[int], wholes: pd.Series[int]) -> list[str]:
    """``1 of 3``; empty where there is nothing that it could be a part of."""
    return [f"{part} of {whole}" if whole else "" for part, whole in zip(parts, wholes, strict=True)]


def _open(people: People, plan: Plan, error: pd.Series, marked: pd.DataFrame) -> None:
    """The output with all that was marked in it, and the way to its segment."""
    opened = example(marked, error["system"], error["segment"], people.test_set)
    show(tag("p", tag("b", opened.title)), example_block(opened))
    experiment = people.experiment
    if experiment is None or error["place"] < 0 or evaluation.current(experiment, plan.settings) is None:
        return
    if st.button("Open in Segments", icon=":material/segment:", key="people-open-segment"):
        ask_for(int(error["place"]))
        assert people.test_set is not None  # the segment has a place in it
        st.session_state["test-set"] = people.test_set.name
        if error["system"] != experiment.baseline:
            st.session_state["seg-system"] = error["system"]
        go_to("pages/segments.py")


def _save(people: People, chosen: pd.DataFrame, marked: pd.DataFrame) -> None:
    with st.container(horizontal=True):
        save_csv("Errors as CSV", chosen, "errors")
        st.download_button(
            "Examples for a talk as HTML",
            data=lambda: _examples(people, chosen, marked),
            file_name="mteval-errors.html", mime="text/html", on_click="ignore", icon=":material/slideshow:",
            key="people-save-examples",
            help=f"The first {counted(MOST_EXAMPLES, 'output')} with an error that meets the conditions, as one file.",
        )  # fmt: skip


def _examples(people: People, chosen: pd.DataFrame, marked: pd.DataFrame) -> str:
    lead = f"{_extent(chosen, marked)} What annotators marked is set off by the colour of its severity."
    return examples_page("Marked errors", lead, examples(chosen, marked, people.test_set, MOST_EXAMPLES))
