"""Tabs of the People page, in the order of the work: collect, check, analyse, report."""

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd
import streamlit as st

from mteval.analysis.people.agreement import LEVELS, PAPER, SIDES
from mteval.analysis.people.gold import GOLD_TESTS, Gold
from mteval.analysis.people.human_evaluation import HumanEvaluation
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
ASSIST = "Use the metrics' scores of all segments to make human differences more precise. For random samples."
LOAD = "Load the judged outputs or their scores"
NOTHING = (
    "No human judgements yet. Start a campaign. Or drop a judgement table, WMT, Appraise or Pearmut files, or human"
    " scores on the Load page."
)
QUESTION = "people-question"


def collect_tab(people: People | None) -> None:
    """Show how far a campaign is, and how to collect more."""
    current = None
    if people is None:
        say("note", NOTHING)
    else:
        current = people.campaign
    if current is not None:
        describe(current.campaign)
        show_section(progress_section(current.campaign, current.listed, current.tasks))
        if current.is_blind:
            say("note", "System names stay hidden until everyone is done or you close the campaign.")
            st.button(
                "Close campaign and show names",
                on_click=close_campaign,
                args=(require_store(), current.listed.uid),
                key="close-campaign-early",
            )
    with st.container(horizontal=True):
        if current is not None and st.button("Links and settings", icon=":material/link:", key="people-annotators"):
            go_to_view("annotators", current.listed.uid)
            go_to("pages/annotate.py")
        if st.button("Start campaign", icon=":material/add:", key="people-start"):
            go_to_view("start")
            go_to("pages/annotate.py")
        if st.button("Load judgements", icon=":material/upload_file:", key="people-load"):
            go_to("pages/load.py")


def check_tab(people: People | None) -> None:
    """Show what became of a metric's errors, how raters agree, and whether other raters would say the same."""
    plan = choose_plan(_require(people))
    campaign = plan.people.campaign
    if campaign is not None:
        _show_all(prefilled_sections(campaign.tasks))
    rows = _rows_of_scale(plan)
    n_annotators = rows["annotator"].nunique()
    if n_annotators < 2:
        end("note", NO_RATERS)
    means = rows.groupby("system")["value"].mean().sort_values(ascending=False)
    if len(means) < 2:
        end("note", "These judgements are of one system. A comparison needs two.")

    baselines = [ALL_PAIRS, *map(str, means.index)]
    usual_baseline = plan.choices.baseline or ALL_PAIRS
    against = choose("Compare with", baselines, "people-against", default=usual_baseline, width=260)
    baseline = None if against == ALL_PAIRS else against
    plan = replace(plan, choices=replace(plan.choices, baseline=baseline))
    raters, agreement = plan.asked("raters", lambda people: (people.raters, people.rater_agreement))
    best_first = raters.sort_values(["form", "unit", "difference"], ascending=[True, False, False], kind="stable")
    _show_all(raters_sections(best_first, agreement, n_annotators))
    _save(("raters", "Download answers (CSV)", raters), ("agreement-of-raters", "Download agreement (CSV)", agreement))


def analyse_tab(people: People | None) -> None:
    """Show the answer to one question; marked errors of a metric need no judgements."""
    if people is None:
        errors_tab(None)
        return
    is_blind = people.campaign is not None and people.campaign.is_blind
    is_hidden = people.frame.empty or is_blind
    if is_hidden and noted_test_set() is not None:
        errors_tab(None)
        return
    answer_of = {
        "Systems": systems,
        "Metrics": metrics,
        "Tests": tests,
        "Judge": judge,
        "Errors": errors_tab,
    }
    question = st.segmented_control(
        "Question",
        list(answer_of),
        default="Systems",
        key=QUESTION,
        required=True,
        label_visibility="collapsed",
        bind="query-params",
        persist_state="session",
    )
    if question not in answer_of:
        question = "Systems"
    answer = answer_of[question]
    answer(choose_plan(_require(people)))


def report_tab(people: People | None) -> None:
    """Keep the judgements with the experiment, and save them and the methods paragraph."""
    plan = choose_plan(_require(people))
    snapshot_buttons(plan.people)
    with st.expander("Methods paragraph", icon=":material/notes:", expanded=True):
        paragraph = gold_methods(plan.evaluation(Work(), statistics()))
        st.code(visible(paragraph), language=None, wrap_lines=True)
    campaign = plan.people.campaign
    if campaign is not None:
        with st.container(horizontal=True):
            for label, name, write in downloads(campaign.campaign, campaign.tasks):
                download(label, name, write)


def _require(people: People | None) -> People:
    """Return judgements that may be read; else the page ends."""
    if people is None:
        end("note", NOTHING)
    if people.campaign is not None and people.campaign.is_blind:
        end("note", "System names stay hidden until everyone is done or you close the campaign (Collect).")
    if people.frame.empty:
        end("note", "No results yet.")
    return people


def systems(plan: Plan) -> None:
    """Show each system's mean, and which systems people can tell apart (Graham et al., 2014, Figure 7)."""
    has_pairs = _rows_of_scale(plan)["system"].nunique() > 1
    if plan.names:
        is_assisted = st.toggle("Assist by metrics", key="people-assisted", help=ASSIST, persist_state="session")
        plan = replace(plan, choices=replace(plan.choices, is_assisted=is_assisted))

    def answer(people: HumanEvaluation) -> tuple[list[Section], pd.DataFrame, Gold | None]:
        sections = list(averages_sections(people))
        averages = pd.concat(people.averages)
        gold = people.gold if has_pairs else None
        return sections, averages, gold

    sections, averages, gold = plan.asked("gold", answer)
    _show_all(sections)
    tables_to_save = [("averages", "Download averages (CSV)", averages)]
    if gold is not None:
        level = _choose_level("people-gold-level")
        has_documents = bool(plan.people.frame["document"].notna().all())
        show_section(gold_section(gold, level, has_documents))
        tables_to_save.append(("human-gold", "Download pairs (CSV)", gold.cells(level)))
    _save(*tables_to_save)


def metrics(plan: Plan) -> None:
    """Show which metric agrees with people, by the measures of the WMT metrics task; or two systems side by side."""
    if not plan.names:
        end("note", f"{LOAD} to see which metric agrees with people.")
    if not plan.asked("ranks", lambda people: people.ranks_systems):
        frame_of = _show_part(plan, "beside", "metrics")
        _save(*(("people-and-metrics", "Download table (CSV)", frame) for frame in frame_of.values()))
        return
    measure = choose("Measure", MEASURES, "people-measure", width=320)
    agreement = plan.asked("metrics", lambda people: people.agreement)
    show_section(agreement_section(agreement, plan.names, plan.settings.n_bootstrap, measure))
    _save(
        ("agreement-with-people", "Download agreement (CSV)", agreement.frame),
        ("pairs-of-metrics", "Download metric pairs (CSV)", agreement.pairs),
    )


def tests(plan: Plan) -> None:
    """Show how often tests of metrics agree with people (Graham et al., 2014, Tables 1 and 2)."""
    if not plan.names:
        end("note", f"{LOAD} to compare tests with people.")
    test_names = {procedure: GOLD_TESTS[procedure] for procedure in usual()}
    procedures = choose_some("Tests", test_names, "people-tests", default=PAPER)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        sides = choose("Sides", {sides: SIDE_NAMES[sides] for sides in SIDES}, "people-sides", width=140)
        n_resamples = choose("Resamples", RESAMPLES, "people-resamples", format_func="{:,}".format, width=130)
        level = _choose_level("people-level")
    if not procedures:
        end("note", "Choose at least one test.")
    choices = replace(plan.choices, procedures=tuple(procedures), sides=sides, levels=(level,))
    settings = replace(plan.settings, n_shuffles=n_resamples, n_bootstrap=n_resamples)
    frame_of = _show_part(replace(plan, choices=choices, settings=settings), "tests", "tests")
    names = {
        "accuracy": ("accuracy-of-tests", "Download accuracy (CSV)"),
        "accuracies_apart": ("accuracies-apart", "Download chi-square tests (CSV)"),
        "against": ("tests-against-each-other", "Download test pairs (CSV)"),
        "claims": ("claims-of-tests", "Download claims (CSV)"),
    }
    _save(*((*names[name], frame) for name, frame in frame_of.items() if name in names))


def judge(plan: Plan) -> None:
    """Test whether LLM judges among the raters, and metrics, may replace a person."""
    help = "How much less often than a rater the judge may be nearer to the other raters."
    epsilon = choose("Margin", MARGINS, "people-epsilon", width=230, help=help)
    plan = replace(plan, choices=replace(plan.choices, epsilon=epsilon))
    tables = []
    for name, frame in _show_part(plan, "judge", "judge").items():
        tables.append((name.replace("_", "-"), f"Download {name.replace('_', ' ')} (CSV)", frame))
    _save(*tables)


def _rows_of_scale(plan: Plan) -> pd.DataFrame:
    """Return the judgements on the primary scale."""
    frame = plan.people.frame
    return frame[frame["scale"] == plan.choices.scales[0]]


def _choose_level(key: str) -> float:
    """Choose one of the paper's levels."""
    return choose("Level", LEVELS, key, format_func=written_level, width=120)


def _show_part(plan: Plan, place: str, part: str) -> dict[str, pd.DataFrame]:
    """Show the sections of a part of the answers, and return its tables by name."""

    def answer(people: HumanEvaluation) -> tuple[list[Section], dict[str, pd.DataFrame]]:
        return list(sections_of(people, part)), dict(people.frames([part]))

    sections, frame_of = plan.asked(place, answer)
    _show_all(sections)
    return frame_of


def _show_all(sections: Iterable[Section]) -> None:
    for section in sections:
        show_section(section)


def _save(*tables: tuple[str, str, pd.DataFrame]) -> None:
    """Show buttons that save tables with all digits; each has file name, label and table."""
    with st.container(horizontal=True):
        for name, label, frame in tables:
            download(label, f"{name}.csv", frame)
