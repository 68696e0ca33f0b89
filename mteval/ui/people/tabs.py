"""The tabs of the page People: the answers about judgements, each with its choices and files; and marked errors."""

from dataclasses import replace
from functools import partial

import pandas as pd
import streamlit as st

from mteval.analysis.people.agreement import LEVELS, PAPER, SIDES
from mteval.analysis.people.gold import GOLD_TESTS
from mteval.analysis.people.marked_errors import BY, marked_frame, profile_frame
from mteval.analysis.people.meta import MEASURES
from mteval.analysis.work import Work
from mteval.answers.agreement import agreement_section, tests_sections
from mteval.answers.errors import NO_ERRORS, errors_extent, errors_table, example, examples, profile_section
from mteval.answers.gold import gold_section
from mteval.answers.people import gold_methods
from mteval.answers.raters import NO_RATERS, raters_sections
from mteval.base.characters import visible
from mteval.base.words import counted
from mteval.render.csv import frame_csv
from mteval.render.html import example_block, tag
from mteval.report.people import examples_page
from mteval.stats.procedures.registry import usual
from mteval.ui.page import go_to
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose, choose_some
from mteval.ui.parts.section import show_section
from mteval.ui.parts.tables import show
from mteval.ui.people.sources import Plan
from mteval.ui.segments.table import ask_for
from mteval.ui.session import evaluation
from mteval.ui.session.memory import statistics
from mteval.ui.setup.workspace import run_word
from mteval.values.notation import level as written_level

SIDE_NAMES = {"one": "one-sided", "two": "two-sided", "both": "both"}
RESAMPLES = (1_000, 200, 10_000)
ALL_PAIRS = "all pairs"
LOAD = "Load the outputs that were judged, or scores of them"
MOST_SHOWN, MOST_EXAMPLES, USUAL_SYSTEMS = 2_000, 20, 3
ABSENT = {"origin": "the annotator"}  # who found what no metric had marked


def _save(*tables: tuple[str, str, pd.DataFrame]) -> None:
    """Buttons that save tables with all digits: the name of the file, what the button says, and the table."""
    with st.container(horizontal=True):
        for name, label, frame in tables:
            st.download_button(
                label, data=partial(frame_csv, frame), file_name=f"mteval-{name}.csv", mime="text/csv",
                on_click="ignore", icon=":material/download:", key=f"people-save-{name}",
            )  # fmt: skip


def _choose_level(key: str) -> float:
    """The level at which systems are told apart, one of the paper's."""
    return choose("Level", LEVELS, key, format_func=written_level, width=120)


def gold_tab(plan: Plan) -> None:
    """Which systems do people tell apart? (Graham et al. 2014, Figure 7)"""
    gold = plan.asked("gold", lambda people: people.gold)
    if gold is None:
        return
    level = _choose_level("people-gold-level")
    with st.expander("Words for the paper", icon=":material/notes:"):
        st.code(visible(gold_methods(plan.evaluation(Work(), statistics()))), language=None, wrap_lines=True)
    show_section(gold_section(gold, level, bool(plan.people.frame["document"].notna().all())))
    _save(("human-gold", "Pairs as CSV", gold.cells(level)))


def claims_tab(plan: Plan) -> None:
    """How often do tests of metrics conclude what people do? (Graham et al. 2014, Tables 1 and 2)"""
    if not plan.names:
        messages.say("note", f"{LOAD}, to weigh tests of metrics by people.")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        procedures = choose_some("Tests", usual(), "people-tests", default=PAPER, format_func=GOLD_TESTS.__getitem__)
        sides = choose("Sides", list(SIDES), "people-sides", format_func=SIDE_NAMES.__getitem__, width=140)
        n_resamples = choose("Resamples", RESAMPLES, "people-resamples", format_func="{:,}".format, width=130)
        level = _choose_level("people-level")
    if not procedures:
        messages.say("note", "Choose at least one test.")
        return
    asked = replace(
        plan,
        choices=replace(plan.choices, procedures=tuple(procedures), sides=sides, levels=(level,)),
        settings=replace(plan.settings, n_shuffles=n_resamples, n_bootstrap=n_resamples),
    )
    answered = asked.asked("tests", lambda people: (list(tests_sections(people)), dict(people.frames(["tests"]))))
    if answered is None:
        return
    sections, frames = answered
    for section in sections:
        show_section(section)
    _save(
        ("accuracy-of-tests", "Accuracy as CSV", frames["accuracy"]),
        ("tests-against-each-other", "Tests against each other as CSV", frames["against"]),
        ("claims-of-tests", "All claims as CSV", frames["claims"]),
    )


def metrics_tab(plan: Plan) -> None:
    """Which metric agrees with people? The measures of the WMT metrics task."""
    if not plan.names:
        messages.say("note", f"{LOAD}, to see which metric agrees with people.")
        return
    measure = choose("Measure", list(MEASURES), "people-measure", format_func=MEASURES.__getitem__, width=320)
    found = plan.asked("metrics", lambda people: people.agreement)
    if found is not None:
        show_section(agreement_section(found, plan.names, plan.settings.n_bootstrap, measure))
        _save(
            ("agreement-with-people", "Agreement as CSV", found.frame),
            ("pairs-of-metrics", "Pairs of metrics as CSV", found.pairs),
        )


def raters_tab(plan: Plan) -> None:
    """Would other raters say so? Raters as the third luck, beside the test set and training."""
    rows = plan.people.frame[plan.people.frame["scale"] == plan.choices.scales[0]]
    n_annotators = rows["annotator"].nunique()
    if n_annotators < 2:
        messages.say("note", NO_RATERS)
        return
    means = rows.groupby("system")["value"].mean().sort_values(ascending=False)
    options, usual_one = [ALL_PAIRS, *map(str, means.index)], plan.choices.baseline or ALL_PAIRS
    against = choose("Compare with", options, "people-against", default=usual_one, width=260)
    asked = replace(plan, choices=replace(plan.choices, baseline=None if against == ALL_PAIRS else against))
    answered = asked.asked("raters", lambda people: (people.raters, people.rater_agreement))
    if answered is None:
        return
    raters, agreement = answered
    order = raters.sort_values(["form", "unit", "difference"], ascending=[True, False, False], kind="stable")
    for section in raters_sections(order, agreement, n_annotators):
        show_section(section)
    _save(("raters", "Answers as CSV", raters), ("agreement-of-raters", "Agreement of raters as CSV", agreement))


def errors_tab(plan: Plan) -> None:
    """Every error that was marked, the one that is open, and how often each system makes each kind."""
    judgements, test_set = plan.people.judged.judgements, plan.people.test_set
    if not any(one.errors for one in judgements):
        messages.say("note", NO_ERRORS)
        return
    marked = plan.asked("errors", lambda people: marked_frame(judgements, test_set, people.work))
    if marked is None:
        return
    chosen = _filtered(marked)
    extent = errors_extent(chosen, marked, MOST_SHOWN)
    show(tag("p", extent, class_="mt-quiet"))
    if not chosen.empty:
        _open(plan, _choose(chosen), marked)
        _save(("errors", "Errors as CSV", chosen))
        lead, runs = f"{extent} What annotators marked is set off by the colour of its severity.", run_word()
        st.download_button(
            "Examples for a talk as HTML",
            data=lambda: examples_page(
                "Marked errors", lead, examples(chosen, marked, test_set, runs, MOST_EXAMPLES)
            ),
            file_name="mteval-errors.html", mime="text/html", on_click="ignore", icon=":material/slideshow:",
            key="people-save-examples",
            help=f"The first {counted(MOST_EXAMPLES, 'output')} with an error that meets the conditions, as one file.",
        )  # fmt: skip
    _profiles(plan)


def _filtered(marked: pd.DataFrame) -> pd.DataFrame:
    """The errors that meet all conditions; one is offered where there is a choice."""
    labels = {
        "category": "Category", "severity": "Severity", "system": "System", "run": run_word().filled("{Run}"),
        "annotator": "Annotator", "document": "Document", "origin": "Found by",
    }  # fmt: skip
    chosen = marked
    with st.container(horizontal=True):
        for column, label in labels.items():
            values = marked[column].replace("", ABSENT.get(column, ""))
            options = sorted({str(value) for value in values} - {""})
            if len(options) > 1:
                wanted = choose_some(label, options, f"people-errors-{column}", in_address=False, width=165)
                chosen = chosen[values.loc[chosen.index].isin(wanted)] if wanted else chosen
    return chosen


def _choose(chosen: pd.DataFrame) -> pd.Series:
    """The error that is clicked, else the first."""
    table = errors_table(chosen.head(MOST_SHOWN), run_word())
    selected = st.dataframe(
        pd.DataFrame(table.texts, columns=table.head), hide_index=True, height=300, on_select="rerun",
        selection_mode="single-row", key="people-errors-table",
        column_config={
            column.name: st.column_config.TextColumn(
                help=column.help or None, width="medium" if column.kind == "text" else None
            )
            for column in table.columns
        },
    )  # fmt: skip
    rows = selected["selection"]["rows"]
    return chosen.iloc[rows[0] if rows and rows[0] < len(table.frame) else 0]


def _open(plan: Plan, error: pd.Series, marked: pd.DataFrame) -> None:
    """The output with all that was marked in it, and the way to its segment."""
    experiment, test_set = plan.people.experiment, plan.people.test_set
    opened = example(marked, error["system"], error["segment"], test_set, run_word())
    show(tag("p", tag("b", opened.title)), example_block(opened))
    if experiment is None or error["place"] < 0 or evaluation.current(experiment, plan.settings) is None:
        return
    if st.button("Open in Segments", icon=":material/segment:", key="people-open-segment"):
        ask_for(int(error["place"]))
        assert test_set is not None  # the segment has a place in it
        st.session_state["test-set"] = test_set.name
        if error["system"] != experiment.baseline:
            st.session_state["seg-system"] = error["system"]
        go_to("pages/segments.py")


def _profiles(plan: Plan) -> None:
    """The commonest kinds of some systems as a figure, all of them as a file."""
    judgements, settings = plan.people.judged.judgements, plan.settings
    systems = list(dict.fromkeys(one.system for one in judgements))
    with st.container(horizontal=True):
        have_categories = any(error.category for one in judgements for error in one.errors)
        by = choose("By", BY, "people-profile-by", default=BY[0] if have_categories else BY[1], width=150)
        wanted = choose_some(
            "Systems", systems, "people-profile-systems", default=systems[:USUAL_SYSTEMS], in_address=False
        )
    profiles = plan.asked("profiles", lambda people: profile_frame(judgements, by, settings, people.work), by)
    if profiles is None:
        return
    if not wanted:
        messages.say("note", "Choose at least one system.")
        return
    show_section(profile_section(profiles, wanted, settings))
    _save(("error-profiles", "Profiles as CSV", profiles))
