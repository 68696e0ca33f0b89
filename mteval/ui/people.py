"""Tabs of the People page: answers about judgements."""

from dataclasses import replace

import pandas as pd
import streamlit as st

from mteval.analysis.people.agreement import LEVELS, PAPER, SIDES
from mteval.analysis.people.gold import GOLD_TESTS
from mteval.analysis.people.meta import MEASURES
from mteval.analysis.work import Work
from mteval.answers.gold import NO_RATERS, gold_section, raters_sections
from mteval.answers.people import agreement_section, gold_methods, tests_sections
from mteval.base.characters import visible
from mteval.stats.procedures.registry import usual
from mteval.ui.elements import choose, choose_some, download, end, show_section
from mteval.ui.judgements import Plan
from mteval.ui.session.memory import statistics
from mteval.values.notation import level as written_level

SIDE_NAMES = {"one": "one-sided", "two": "two-sided", "both": "both"}
RESAMPLES = (1_000, 200, 10_000)
ALL_PAIRS = "all pairs"
LOAD = "Load the judged outputs or their scores"


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
