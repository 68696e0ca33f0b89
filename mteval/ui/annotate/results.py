"""The annotators of a campaign: how far each is, whether they read, what they made of a metric's errors, who agrees.

What people said, summed up: averages, preferences, kinds of errors, agreement, and how metrics compare.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from mteval.analysis.people.judgements import ASPECT_NAMES, ASPECT_NOTATION, MARKED, errors, judgements, random_stratum
from mteval.analysis.people.results import (
    DIFFERENCE,
    agreement_frame,
    controls_frame,
    mean_frame,
    preferences,
    prefilled_frame,
    units_of,
)
from mteval.analysis.work import Work
from mteval.annotations import AnnotationStore, Campaign, Listed, Task
from mteval.annotations.campaigns import Way
from mteval.base.parallel import Engine
from mteval.base.words import counted, plural
from mteval.figures.people import error_bars
from mteval.render.html import table, tag
from mteval.ui.annotate.metrics import against_metrics
from mteval.ui.annotate.store import campaigns_of_visitor, choose_campaign, describe
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.tables import chart, show
from mteval.ui.setup.sidebar import settings_of_session
from mteval.values.notation import DASH, fixed, level, p_equals, percent
from mteval.values.settings import Settings

KIND_NAMES = {"training": "Training as expected", "check": "Attention checks passed"}


def progress_table(campaign: Campaign, listed: Listed, tasks: Sequence[Task]) -> None:
    """Done and left of each annotator, and what they made of items with known answers."""
    frame = controls_frame(campaign, tasks)
    kinds = [kind for kind in KIND_NAMES if kind in set(frame["kind"])]
    counts = frame.to_dict("records")
    passed = {(row["annotator"], row["kind"]): _share(row["n_passed"], row["n_done"]) for row in counts}
    rows = [
        (name, f"{done} of {total}", str(total - done), *(passed.get((name, kind), DASH) for kind in kinds))
        for name, (done, total) in listed.progress.items()
    ]
    head = ("Annotator", "Done", "Left", *(KIND_NAMES[kind] for kind in kinds))
    show(table(head, rows, n_words=1, caption="Progress of each annotator"))
    if "check" in kinds:
        show(tag("p", f"A check is passed where {CHECKS[campaign.way]}.", class_="mt-quiet"))


def _share(n_passed: int, n_done: int) -> str:
    """How many were passed, and what share that is."""
    return f"{n_passed} of {n_done}" + (f" ({percent(n_passed / n_done, 0)})" if n_done else "")


_MARKED = (
    "the words that do not belong there are marked: of these words and those in the same marks at least half are both,"
    " and of the other words at most half as large a share is marked"
)
_LOWER = "lower than the same output without these words; it counts once both are rated, the latter above 0"
CHECKS: Mapping[Way, str] = {
    "rating": f"its output, in which words do not belong, is rated in adequacy {_LOWER}",
    "errors": _MARKED,
    "esa": f"{_MARKED}; and the score is {_LOWER}",
    "preference": "the output without the words that do not belong there is preferred",
}


def prefilled_table(tasks: Sequence[Task]) -> None:
    """What annotators made of the errors that a metric had marked."""
    frame = prefilled_frame(tasks)
    if frame.empty:
        return
    st.subheader("What people made of the metric's errors", anchor=False)
    counts = ("n_found", "n_kept", "n_changed", "n_rejected", "n_added")
    rows = [
        (row["annotator"], row["origin"], *(str(row[count]) for count in counts)) for row in frame.to_dict("records")
    ]
    head = ("Annotator", "Metric", "Found", "Kept", "Other severity", "Taken back", "Added by the annotator")
    show(table(head, rows, n_words=2, caption="Errors in the outputs that each annotator is done with."))


def agreement_table(campaign: Campaign, raw: pd.DataFrame) -> None:
    """Krippendorff's alpha, raw and standardised; nothing where nobody shares an output."""
    frame = agreement_frame(campaign, raw)
    if not frame["n_units"].any():
        return
    st.subheader("Agreement", anchor=False)
    rows = [
        (
            ASPECT_NAMES[row["aspect"]], str(row["n_annotators"]), str(row["n_units"]), fixed(row["alpha_raw"], 2),
            fixed(row["alpha_standardised"], 2),
        )
        for row in frame.to_dict("records")
    ]  # fmt: skip
    show(
        table(
            ("What", "Annotators", "Judged by several", "Alpha, raw", "Alpha, standardised"),
            rows,
            n_words=1,
            caption="Krippendorff's alpha over what at least two annotators judged: 1 is perfect, 0 is chance."
            " Standardised, each annotator's severity and use of the scale are taken out.",
        )
    )


RANDOM, ALL = "Random sample", "All that was read"
ONE_DOCUMENT = (
    "All that was read is of one document, which cannot say how others would do. Segments as units, in the settings,"
    " give intervals for this document alone."
)


def results(store: AnnotationStore) -> None:
    """Everything that can be said of a campaign; the names of a blind one stay hidden until its end."""
    listed = choose_campaign(campaigns_of_visitor(store))
    campaign, tasks = store.campaign(listed.uid), store.tasks(listed.uid)
    describe(campaign)
    progress_table(campaign, listed, tasks)
    if campaign.way == "preference" and not listed.is_done:
        _hidden(store, listed)
        return
    settings = settings_of_session() or Settings()
    judged = judgements(campaign, tasks)
    if judged.empty:
        messages.say("note", "Nothing is done yet, so there is nothing to sum up.")
        return
    judged = _choose_stratum(judged)
    pair = _pair(campaign)
    st.subheader("Averages", anchor=False)
    _averages(campaign, judged, pair, settings)
    if campaign.way == "preference":
        _preference_answer(campaign, judged, settings)
    if campaign.way in MARKED:
        _errors(campaign, tasks, judged)
    prefilled_table(tasks)
    agreement_table(campaign, judgements(campaign, tasks, standardise=False))
    against_metrics(campaign, judged, tasks, pair, settings)


def _hidden(store: AnnotationStore, listed: Listed) -> None:
    messages.say("note", "The names of the systems stay hidden until everybody is done, or the campaign is closed.")
    st.button(
        "Close the campaign and show the names",
        on_click=store.close_campaign,
        args=(listed.uid,),
        key="close-campaign-early",
    )


def _choose_stratum(judged: pd.DataFrame) -> pd.DataFrame:
    """The random stratum where there is one; the others were picked for what they are."""
    drawn = random_stratum(judged)
    if drawn.empty:
        messages.say(
            "warning",
            "No segment was drawn at random: all were picked for how much they changed, so averages say nothing about"
            " the test set.",
        )
        return judged
    if len(drawn) == len(judged):
        return judged
    chosen = st.segmented_control(
        "Segments", [RANDOM, ALL], default=RANDOM, key="result-stratum", required=True, persist_state="session"
    )
    if chosen == RANDOM:
        return drawn
    messages.say(
        "warning",
        "Segments picked for how much they changed are among these; averages over them favour no system fairly.",
    )
    return judged


def _pair(campaign: Campaign) -> tuple[int, int] | None:
    """The two outputs whose difference is looked at: the second minus the first."""
    names = [f"{output.system} {output.run}" for output in campaign.outputs]
    if len(names) < 2:
        return None
    if len(names) == 2:
        return 0, 1
    outputs = list(range(len(names)))
    with st.container(horizontal=True):
        first = choose("From", outputs, "result-first", in_address=False, format_func=names.__getitem__, width=260)
        second = choose(
            "To", outputs, "result-second", default=1, in_address=False, format_func=names.__getitem__, width=260
        )
    return (first, second) if first != second else None


def _averages(campaign: Campaign, judged: pd.DataFrame, pair: tuple[int, int] | None, settings: Settings) -> None:
    frame = mean_frame(campaign, judged, pair, settings, Work(Engine(1)))
    rows = [_mean_row(campaign, row, pair, settings) for row in frame.to_dict("records")]
    units = _units(campaign, settings)
    caption = (
        f"Mean score a segment; {level(settings.confidence)} interval from"
        f" {counted(settings.n_bootstrap, 'bootstrap replicate')} of the {plural(units)}. The annotators are taken as"
        " given."
    )
    head = ("What", "Of", "Segments", *(["Documents"] if units == "document" else []), "Mean", "Interval")
    show(table(head, rows, n_words=2, caption=caption))
    if units == "document" and frame["n_units"].max() == 1:
        messages.say("note", ONE_DOCUMENT)
    scales = {
        "rating": "Ratings are in standard deviations of their annotator.",
        "esa": "Scores are in standard deviations of their annotator; the marked errors take no part in them.",
        "errors": "MQM is minus the weight of the errors: 0 is flawless.",
        "preference": "1 where an output was preferred, 0 where the other was, one half where they were equal.",
    }
    show(tag("p", scales[campaign.way], class_="mt-quiet"))


def _units(campaign: Campaign, settings: Settings) -> str:
    """What one unit of intervals and tests is called."""
    return "segment" if units_of(campaign, settings) is None else "document"


def _mean_row(
    campaign: Campaign, row: dict[Any, Any], pair: tuple[int, int] | None, settings: Settings
) -> tuple[str, ...]:
    what, is_difference = row["what"], row["what"] == DIFFERENCE
    if is_difference and pair is not None:
        what = f"{campaign.outputs[pair[1]].system} − {campaign.outputs[pair[0]].system}"
    number = ASPECT_NOTATION.difference if is_difference else ASPECT_NOTATION.number
    interval = ASPECT_NOTATION.interval if is_difference else ASPECT_NOTATION.range
    written = interval(row["low"], row["high"]) if row["n_units"] > 1 else DASH
    n_units = [str(row["n_units"])] if _units(campaign, settings) == "document" else []
    return ASPECT_NAMES[row["aspect"]], what, str(row["n_segments"]), *n_units, number(row["mean"]), written


def _preference_answer(campaign: Campaign, judged: pd.DataFrame, settings: Settings) -> None:
    votes = preferences(judged, settings.confidence, units_of(campaign, settings))
    units = _units(campaign, settings)
    first, second = (output.system for output in campaign.outputs)
    show(
        tag(
            "p",
            f"{counted(votes.second, 'vote')} for {second}, {votes.first} for {first}, {votes.equal} for neither."
            f" {second} wins {counted(votes.units_second, units)} and loses {votes.units_first}:"
            f" {percent(votes.share, 0)} of those with a winner ({level(settings.confidence)} interval"
            f" {percent(votes.low, 0)} to {percent(votes.high, 0)}; sign test {p_equals(votes.p_value)}).",
        )
    )


def _errors(campaign: Campaign, tasks: Sequence[Task], judged: pd.DataFrame) -> None:
    st.subheader("Kinds of errors", anchor=False)
    segments = set(judged["segment"])
    marked = errors(campaign, tasks)
    marked = marked[marked["segment"].isin(segments)].replace({"category": {"": "Error"}})
    if marked.empty:
        messages.say("note", "No error was marked.")
        return
    counts = judged["system"].value_counts()
    per = {output.system: int(counts.get(output.system, 0)) for output in campaign.outputs}
    chart(error_bars(marked, per), "error-bars")
    grouped = marked.groupby(["category", "severity", "system"]).size().unstack(fill_value=0)
    systems = list(dict.fromkeys(output.system for output in campaign.outputs))
    rows = [
        (str(category), str(severity), *(str(grouped.loc[(category, severity)].get(system, 0)) for system in systems))
        for category, severity in grouped.index
    ]
    with st.expander("Counts", icon=":material/table:"):
        show(table(("Category", "Severity", *systems), rows, n_words=2, caption="Errors by category and severity"))
