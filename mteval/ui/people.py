"""Tabs of the People page, in the order of the work: collect, check, analyse, report."""

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd
import streamlit as st

from mteval.analysis.people.agreement import LEVELS, PAPER, SIDES
from mteval.analysis.people.gold import GOLD_TESTS
from mteval.analysis.people.meta import MEASURES
from mteval.analysis.scoring import Work
from mteval.answers.errors import prefilled_sections, progress_section
from mteval.answers.gold import NO_RATERS, gold_section, raters_sections
from mteval.answers.people import agreement_section, averages_sections, gold_methods, sections_of
from mteval.answers.section import Section
from mteval.base.words import visible
from mteval.stats.alternative_annotator import CROWD, EXPERTS, SKILLED
from mteval.stats.procedures.registry import usual
from mteval.ui.annotate.administration import downloads
from mteval.ui.annotate.store import close_campaign, describe, go_to_view, require_store
from mteval.ui.elements import choose, choose_some, download, end, say, show_section
from mteval.ui.errors import errors_tab, noted_test_set
from mteval.ui.judgements import People, Plan, choose_plan, snapshot_buttons
from mteval.ui.page import go_to
from mteval.ui.session.memory import statistics
from mteval.values.notation import level as written_level

SIDE_NAMES = {"one": "one-sided", "two": "two-sided", "both": "both"}
RESAMPLES = (1_000, 200, 10_000)
ALL_PAIRS = "all pairs"
MARGINS = {EXPERTS: f"{EXPERTS} (experts)", SKILLED: f"{SKILLED} (skilled)", CROWD: f"{CROWD} (crowd workers)"}
ASSIST = "Use the metrics' scores of all segments to make people's differences more precise. For random samples."
LOAD = "Load the judged outputs or their scores"
NOTHING = (
    "No human judgements yet. Start a campaign. Or drop a judgement table, WMT, Appraise or Pearmut files, or human"
    " scores on the Load page."
)
QUESTION = "people-question"


def _save(*tables: tuple[str, str, pd.DataFrame]) -> None:
    """Show buttons that save tables with all digits; each has file name, label and table."""
    with st.container(horizontal=True):
        for name, label, frame in tables:
            download(label, f"{name}.csv", frame)


def _show_all(sections: Iterable[Section]) -> None:
    for section in sections:
        show_section(section)


def _answered(plan: Plan, place: str, part: str) -> dict[str, pd.DataFrame]:
    """Show the sections of a part of the answers, and return its tables by name."""
    sections, frames = plan.asked(place, lambda people: (list(sections_of(people, part)), dict(people.frames([part]))))
    _show_all(sections)
    return frames


def _choose_level(key: str) -> float:
    """Choose one of the paper's levels."""
    return choose("Level", LEVELS, key, format_func=written_level, width=120)


def collect_tab(people: People | None) -> None:
    """Show how far a campaign is, and how to collect more."""
    if people is None:
        say("note", NOTHING)
    here = None if people is None else people.campaign
    if here is not None:
        describe(here.campaign)
        show_section(progress_section(here.campaign, here.listed, here.tasks))
        if here.is_blind:
            say("note", "System names stay hidden until everyone is done or you close the campaign.")
            st.button(
                "Close campaign and show names", on_click=close_campaign, args=(require_store(), here.listed.uid),
                key="close-campaign-early",
            )  # fmt: skip
    with st.container(horizontal=True):
        if here and st.button("Links and settings", icon=":material/link:", key="people-annotators"):
            go_to_view("annotators", here.listed.uid)
            go_to("pages/annotate.py")
        if st.button("Start campaign", icon=":material/add:", key="people-start"):
            go_to_view("start")
            go_to("pages/annotate.py")
        if st.button("Load judgements", icon=":material/upload_file:", key="people-load"):
            go_to("pages/load.py")


def _require(people: People | None) -> People:
    """Return judgements that may be read; else the page ends."""
    if people is None:
        end("note", NOTHING)
    if people.campaign is not None and people.campaign.is_blind:
        end("note", "System names stay hidden until everyone is done or you close the campaign (Collect).")
    if people.frame.empty:
        end("note", "No results yet.")
    return people


def check_tab(people: People | None) -> None:
    """Show what became of a metric's errors, how raters agree, and whether other raters would say the same."""
    plan = choose_plan(_require(people))
    if plan.people.campaign is not None:
        _show_all(prefilled_sections(plan.people.campaign.tasks))
    rows = plan.people.frame[plan.people.frame["scale"] == plan.choices.scales[0]]
    n_annotators = rows["annotator"].nunique()
    if n_annotators < 2:
        end("note", NO_RATERS)
    means = rows.groupby("system")["value"].mean().sort_values(ascending=False)
    if len(means) < 2:
        end("note", "These judgements are of one system. A comparison needs two.")
    options, usual_one = [ALL_PAIRS, *map(str, means.index)], plan.choices.baseline or ALL_PAIRS
    against = choose("Compare with", options, "people-against", default=usual_one, width=260)
    asked = replace(plan, choices=replace(plan.choices, baseline=None if against == ALL_PAIRS else against))
    raters, agreement = asked.asked("raters", lambda people: (people.raters, people.rater_agreement))
    order = raters.sort_values(["form", "unit", "difference"], ascending=[True, False, False], kind="stable")
    _show_all(raters_sections(order, agreement, n_annotators))
    _save(("raters", "Download answers (CSV)", raters), ("agreement-of-raters", "Download agreement (CSV)", agreement))


def analyse_tab(people: People | None) -> None:
    """Show the answer to one question; marked errors of a metric need no judgements."""
    questions = {"Systems": systems, "Metrics": metrics, "Tests": tests, "Judge": judge, "Errors": errors_tab}
    is_hidden = people is None or people.frame.empty or (people.campaign is not None and people.campaign.is_blind)
    if people is None or (is_hidden and noted_test_set() is not None):
        errors_tab(None)
        return
    chosen = st.segmented_control(
        "Question", list(questions), default="Systems", key=QUESTION, required=True, label_visibility="collapsed",
        bind="query-params", persist_state="session",
    )  # fmt: skip
    questions[chosen if chosen in questions else "Systems"](choose_plan(_require(people)))


def systems(plan: Plan) -> None:
    """Show each system's mean, and which systems people can tell apart (Graham et al., 2014, Figure 7)."""
    is_one = plan.people.frame.loc[plan.people.frame["scale"] == plan.choices.scales[0], "system"].nunique() < 2
    if plan.names:
        is_assisted = st.toggle("Assist by metrics", key="people-assisted", help=ASSIST, persist_state="session")
        plan = replace(plan, choices=replace(plan.choices, is_assisted=is_assisted))
    averages, frame, gold = plan.asked(
        "gold",
        lambda people: (
            list(averages_sections(people)), pd.concat(people.averages), None if is_one else people.gold
        ),
    )  # fmt: skip
    _show_all(averages)
    frames = [("averages", "Download averages (CSV)", frame)]
    if gold is not None:
        level = _choose_level("people-gold-level")
        show_section(gold_section(gold, level, bool(plan.people.frame["document"].notna().all())))
        frames.append(("human-gold", "Download pairs (CSV)", gold.cells(level)))
    _save(*frames)


def tests(plan: Plan) -> None:
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
    choices = replace(plan.choices, procedures=tuple(procedures), sides=sides, levels=(level,))
    settings = replace(plan.settings, n_shuffles=n_resamples, n_bootstrap=n_resamples)
    frames = _answered(replace(plan, choices=choices, settings=settings), "tests", "tests")
    names = {
        "accuracy": ("accuracy-of-tests", "Download accuracy (CSV)"),
        "against": ("tests-against-each-other", "Download test pairs (CSV)"),
        "claims": ("claims-of-tests", "Download claims (CSV)"),
    }
    _save(*((*names[name], frame) for name, frame in frames.items() if name in names))


def metrics(plan: Plan) -> None:
    """Show which metric agrees with people, by the measures of the WMT metrics task; or two systems side by side."""
    if not plan.names:
        end("note", f"{LOAD} to see which metric agrees with people.")
    if not plan.asked("ranks", lambda people: people.ranks_systems):
        frames = _answered(plan, "beside", "metrics")
        _save(*(("people-and-metrics", "Download table (CSV)", frame) for frame in frames.values()))
        return
    measure = choose("Measure", MEASURES, "people-measure", width=320)
    found = plan.asked("metrics", lambda people: people.agreement)
    show_section(agreement_section(found, plan.names, plan.settings.n_bootstrap, measure))
    _save(
        ("agreement-with-people", "Download agreement (CSV)", found.frame),
        ("pairs-of-metrics", "Download metric pairs (CSV)", found.pairs),
    )


def judge(plan: Plan) -> None:
    """Test whether LLM judges among the raters, and metrics, may replace a person."""
    about = "How much less often the judge may be nearer."
    epsilon = choose("Margin", MARGINS, "people-epsilon", width=230, help=about)
    frames = _answered(replace(plan, choices=replace(plan.choices, epsilon=epsilon)), "judge", "judge")
    _save(*((name.replace("_", "-"), f"Download {name.replace('_', ' ')} (CSV)", one) for name, one in frames.items()))


def report_tab(people: People | None) -> None:
    """Keep the judgements with the experiment, and save them and the methods paragraph."""
    plan = choose_plan(_require(people))
    snapshot_buttons(plan.people)
    with st.expander("Methods paragraph", icon=":material/notes:", expanded=True):
        st.code(visible(gold_methods(plan.evaluation(Work(), statistics()))), language=None, wrap_lines=True)
    if plan.people.campaign is not None:
        with st.container(horizontal=True):
            for label, name, write in downloads(plan.people.campaign.campaign, plan.people.campaign.tasks):
                download(label, name, write)
