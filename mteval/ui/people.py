"""Tabs of the People page: answers about judgements, and marked errors."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from mteval.analysis.people.agreement import LEVELS, PAPER, SIDES
from mteval.analysis.people.gold import GOLD_TESTS
from mteval.analysis.people.marked_errors import BY, marked_frame, profile_frame
from mteval.analysis.people.meta import MEASURES
from mteval.analysis.work import Work
from mteval.answers.errors import NO_ERRORS, errors_extent, errors_table, example, examples, profile_section
from mteval.answers.gold import NO_RATERS, gold_section, raters_sections
from mteval.answers.people import agreement_section, gold_methods, tests_sections
from mteval.base.characters import visible
from mteval.base.words import counted
from mteval.render.html import example_block, tag
from mteval.report.page import examples_page
from mteval.stats.procedures.registry import usual
from mteval.ui.elements import choose, choose_some, download, end, grid, quiet, show, show_section
from mteval.ui.judgements import Plan
from mteval.ui.page import go_to
from mteval.ui.segments.table import ask_for
from mteval.ui.session import evaluation
from mteval.ui.session.memory import statistics
from mteval.ui.setup.workspace import run_word
from mteval.values.notation import level as written_level

SIDE_NAMES = {"one": "one-sided", "two": "two-sided", "both": "both"}
RESAMPLES = (1_000, 200, 10_000)
ALL_PAIRS = "all pairs"
LOAD = "Load the judged outputs or their scores"
MOST_SHOWN, MOST_EXAMPLES, USUAL_SYSTEMS = 2_000, 20, 3
ABSENT = {"origin": "the annotator"}  # who found what no metric marked


def _save(*tables: tuple[str, str, pd.DataFrame]) -> None:
    """Show buttons that save tables with all digits; each has file name, label and table."""
    with st.container(horizontal=True):
        for name, label, frame in tables:
            download(label, f"{name}.csv", frame)


def _choose_level(key: str) -> float:
    """Choose one of the paper's levels."""
    return choose("Level", LEVELS, key, format_func=written_level, width=120)


def gold_tab(plan: Plan) -> None:
    """Show which systems people can tell apart (Graham et al., 2014, Figure 7)."""
    gold = plan.asked("gold", lambda people: people.gold)
    level = _choose_level("people-gold-level")
    with st.expander("Methods paragraph", icon=":material/notes:"):
        st.code(visible(gold_methods(plan.evaluation(Work(), statistics()))), language=None, wrap_lines=True)
    show_section(gold_section(gold, level, bool(plan.people.frame["document"].notna().all())))
    _save(("human-gold", "Download pairs (CSV)", gold.cells(level)))


def claims_tab(plan: Plan) -> None:
    """Show how often tests of metrics agree with people (Graham et al., 2014, Tables 1 and 2)."""
    if not plan.names:
        end("note", f"{LOAD} to compare tests with people.")
    procedures = choose_some("Tests", {key: GOLD_TESTS[key] for key in usual()}, "people-tests", default=PAPER)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sides = choose("Sides", {key: SIDE_NAMES[key] for key in SIDES}, "people-sides", width=140)
        n_resamples = choose("Resamples", RESAMPLES, "people-resamples", format_func="{:,}".format, width=130)
        level = _choose_level("people-level")
    if not procedures:
        end("note", "Choose at least one test.")
    asked = replace(
        plan,
        choices=replace(plan.choices, procedures=tuple(procedures), sides=sides, levels=(level,)),
        settings=replace(plan.settings, n_shuffles=n_resamples, n_bootstrap=n_resamples),
    )
    sections, frames = asked.asked(
        "tests", lambda people: (list(tests_sections(people)), dict(people.frames(["tests"])))
    )
    for section in sections:
        show_section(section)
    _save(
        ("accuracy-of-tests", "Download accuracy (CSV)", frames["accuracy"]),
        ("tests-against-each-other", "Download test pairs (CSV)", frames["against"]),
        ("claims-of-tests", "Download claims (CSV)", frames["claims"]),
    )


def metrics_tab(plan: Plan) -> None:
    """Show which metric agrees with people, by the measures of the WMT metrics task."""
    if not plan.names:
        end("note", f"{LOAD} to see which metric agrees with people.")
    measure = choose("Measure", MEASURES, "people-measure", width=320)
    found = plan.asked("metrics", lambda people: people.agreement)
    show_section(agreement_section(found, plan.names, plan.settings.n_bootstrap, measure))
    _save(
        ("agreement-with-people", "Download agreement (CSV)", found.frame),
        ("pairs-of-metrics", "Download metric pairs (CSV)", found.pairs),
    )


def raters_tab(plan: Plan) -> None:
    """Show whether other raters would agree: raters as the third kind of luck."""
    rows = plan.people.frame[plan.people.frame["scale"] == plan.choices.scales[0]]
    n_annotators = rows["annotator"].nunique()
    if n_annotators < 2:
        end("note", NO_RATERS)
    means = rows.groupby("system")["value"].mean().sort_values(ascending=False)
    options, usual_one = [ALL_PAIRS, *map(str, means.index)], plan.choices.baseline or ALL_PAIRS
    against = choose("Compare with", options, "people-against", default=usual_one, width=260)
    asked = replace(plan, choices=replace(plan.choices, baseline=None if against == ALL_PAIRS else against))
    raters, agreement = asked.asked("raters", lambda people: (people.raters, people.rater_agreement))
    order = raters.sort_values(["form", "unit", "difference"], ascending=[True, False, False], kind="stable")
    for section in raters_sections(order, agreement, n_annotators):
        show_section(section)
    _save(("raters", "Download answers (CSV)", raters), ("agreement-of-raters", "Download agreement (CSV)", agreement))


def errors_tab(plan: Plan) -> None:
    """Show marked errors, the open one, and how often each system makes each kind."""
    judgements, test_set = plan.people.judged.judgements, plan.people.test_set
    if not any(one.errors for one in judgements):
        end("note", NO_ERRORS)
    marked = plan.asked("errors", lambda people: marked_frame(judgements, test_set, people.work))
    chosen = _filtered(marked)
    extent = errors_extent(chosen, marked, MOST_SHOWN)
    quiet(extent)
    if not chosen.empty:
        _open(plan, _choose(chosen), marked)
        _save(("marked-errors", "Download errors (CSV)", chosen))
        lead, runs = f"{extent} Colours show the severity of marked errors.", run_word()
        download(
            "Download examples (HTML)", "marked-errors.html",
            lambda: examples_page("Marked errors", lead, examples(chosen, marked, test_set, runs, MOST_EXAMPLES)),
            icon=":material/slideshow:",
            help=f"The first {counted(MOST_EXAMPLES, 'output')} with a matching error, as one file.",
        )  # fmt: skip
    _profiles(plan)


def _filtered(marked: pd.DataFrame) -> pd.DataFrame:
    """Filter the errors; only columns with several values have a filter."""
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
    """Return the clicked error, else the first."""
    table = errors_table(chosen.head(MOST_SHOWN), run_word())
    written = replace(table, frame=pd.DataFrame(table.texts, columns=[column.key for column in table.columns]))
    rows = grid(written, "people-errors-table", on_pick="rerun", sized=("words",), height=300)
    return chosen.iloc[rows[0] if rows and rows[0] < len(table.frame) else 0]


def _open(plan: Plan, error: pd.Series, marked: pd.DataFrame) -> None:
    """Show an output with all its errors, and a button that opens its segment."""
    experiment, test_set = plan.people.experiment, plan.people.test_set
    opened = example(marked, error["system"], error["segment"], test_set, run_word())
    show(tag("p", tag("b", opened.title)), example_block(opened))
    if experiment is None or error["place"] < 0 or evaluation.current(experiment, plan.settings) is None:
        return
    if st.button("Open in Segments", icon=":material/segment:", key="people-open-segment"):
        ask_for(int(error["place"]))
        assert test_set is not None  # the segment belongs to it
        st.session_state["test-set"] = test_set.name
        if error["system"] != experiment.baseline:
            st.session_state["seg-system"] = error["system"]
        go_to("pages/segments.py")


def _profiles(plan: Plan) -> None:
    """Show the most frequent error kinds of some systems; the file has all of them."""
    judgements, settings = plan.people.judged.judgements, plan.settings
    systems = list(dict.fromkeys(one.system for one in judgements))
    with st.container(horizontal=True):
        have_categories = any(error.category for one in judgements for error in one.errors)
        by = choose("By", BY, "people-profile-by", default=BY[0] if have_categories else BY[1], width=150)
        wanted = choose_some(
            "Systems", systems, "people-profile-systems", default=systems[:USUAL_SYSTEMS], in_address=False
        )
    profiles = plan.asked("profiles", lambda people: profile_frame(judgements, by, settings.confidence), by)
    if not wanted:
        end("note", "Choose at least one system.")
    show_section(profile_section(profiles, wanted, settings))
    _save(("error-profiles", "Download profiles (CSV)", profiles))
