"""Tests on one test set: verdicts by every metric, and details of any pair.

Each tab offers its choices, has its numbers computed beside the page, and shows the sections made of them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import compress
from typing import Any, TypeVar

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.analysis import equality, significance
from mteval.analysis.comparison import Outcome
from mteval.analysis.corrections import ALL_PAIRS, CORRECTIONS, corrections_for
from mteval.analysis.pairs import all_pairs, design_of_pairs
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored, Work
from mteval.analysis.two_answers import deciding_questions
from mteval.answers import procedures, sensitivity
from mteval.answers.ranking import all_verdicts_section
from mteval.answers.verdict import nothing_compared
from mteval.base.words import plural
from mteval.metrics import resolve
from mteval.render.html import tag
from mteval.stats import PROCEDURES
from mteval.stats.procedures.registry import answering, procedures_in, usual
from mteval.stats.procedures.spec import Luck
from mteval.ui.elements import (
    SURVIVES,
    choose,
    choose_some,
    download,
    end,
    quiet,
    say,
    show,
    show_section,
    width_for,
)
from mteval.ui.page import choose_metric, offer_second_system, show_warnings_elsewhere
from mteval.ui.segments.link import on_pair
from mteval.ui.session.memory import Statistics, by_metric, drawn, key_of, remembered, statistics
from mteval.ui.session.progress import awaited, made_beside
from mteval.ui.several_test_sets import has_several_test_sets, several_test_sets_tab

CORRECTION_HELP = (
    "For several comparisons at once. Benjamini–Hochberg bounds the expected share of false claims, the others the"
    " chance of any false claim. Max-T uses the dependence between comparisons. Tukey and Scheffé are for all"
    " pairs of systems."
)
T = TypeVar("T")


def all_verdicts(results: Results) -> None:
    """Show one row per system and one column per metric."""
    verdicts = results.verdicts()
    if verdicts:
        show_section(all_verdicts_section(verdicts, results.verdicts_by_people))
        show_warnings_elsewhere(results.findings())
    else:
        say("note", nothing_compared(results))
        if len(results.systems) == 1:
            offer_second_system()


def views(results: Results) -> dict[str, Callable[[Results], None]]:
    """Return the tabs that can answer, by name."""
    is_compared = bool(results.verdicts())
    view_of: dict[str, Callable[[Results], None]] = {}
    if is_compared:
        has_two = len(procedures.tests_section(results).terms) > 1  # one run per system answers one
        view_of["The two tests" if has_two else "The test"] = _tests_tab
    if len(results.systems) > 2:
        view_of["All pairs"] = _pairs_tab
    if is_compared and has_several_test_sets(results):
        view_of["Several test sets"] = several_test_sets_tab
    if is_compared:
        view_of["Equivalence"] = _equality_tab
        view_of["Compare all tests"] = _procedures_tab
    if _lucky_differences(results):
        view_of["False alarms"] = _false_alarms_tab
    return view_of


def _choose_unit(where: DeltaGenerator, results: Results, place: str, **how: Any) -> str:
    """Choose documents or sentences, by default as in the settings; sentences without document ids."""
    if results.test_set.documents is None:
        return "segment"
    usual_unit = "segment" if results.settings.exchange_unit == "segment" else "document"
    return choose(
        "Units",
        {unit: plural(unit) for unit in ("document", "segment")},
        f"{place}-unit",
        default=usual_unit,
        where=where,
        help="The unit that is resampled. Segments of a document are not independent.",
        **how,
    )


def _choose_correction(where: DeltaGenerator, place: str, keys: Iterable[str], **how: Any) -> str:
    """Choose how p-values are adjusted."""
    names = {key: CORRECTIONS[key] for key in keys}
    key: str = choose("Correction", names, f"{place}-correction", where=where, help=CORRECTION_HELP, **how)
    return key


def _computed(place: str, make: Callable[..., T], results: Results, *choices: Any) -> T:
    """Have a function of this module compute something beside the page, which ends until it is there."""
    return awaited(place, make, statistics(), results, *choices, workers=results.settings.workers)


def _scored_metrics(known: Statistics, results: Results, work: Work) -> tuple[Scored, ...]:
    """Return the statistics of all metrics on the test set."""
    metrics = resolve(results.settings, results.experiment.given)
    scored_metrics = known.scored(results.experiment, metrics, work)
    return tuple(scored for scored in scored_metrics if scored.test_set.name == results.test_set.name)


def _tests_tab(results: Results) -> None:
    show_section(procedures.tests_section(results))


def _procedures_tab(results: Results) -> None:
    """Show every procedure on a chosen pair, with its null distribution."""
    place = "procedures"
    settings = results.settings
    baseline = results.experiment.baseline
    systems = [system for system in results.systems if system != baseline]
    choices = st.container(horizontal=True)
    metric = choose_metric(results, f"{place}-metric", where=choices, width=150)
    system = systems[0]
    if len(systems) > 1:
        width = width_for(results.systems)
        baseline = choose("Compare with", [baseline, *systems], f"{place}-base", where=choices, width=width)
        systems = [system for system in results.systems if system != baseline]
        system = choose("System", systems, f"{place}-system", where=choices, width=width)
    corrections = [key for key in CORRECTIONS if key not in ALL_PAIRS]
    width = width_for([CORRECTIONS[key] for key in corrections])
    correction = _choose_correction(choices, place, corrections, width=width)
    has_all_metrics = choose(
        "Family",
        {False: "this metric", True: "all metrics"},
        f"{place}-family",
        where=choices,
        help="Comparisons that p-values are adjusted for.",
        width=150,
    )
    metrics = results.metrics if has_all_metrics else (metric,)
    unit = _choose_unit(choices, results, place, width=150)

    outcomes = _computed(place, _all_procedures, results, metrics, baseline, unit)
    key = key_of(_all_procedures, (results, metrics, baseline, unit))
    # One row and one outcome per test, in the same order; p-values are adjusted over all, then one pair is shown
    frame = remembered((key, correction), lambda: significance.family_frame(outcomes, correction, settings))
    is_shown = ((frame["metric"] == metric) & (frame["system"] == system)).to_numpy()
    shown_rows = frame[is_shown]
    shown_outcomes = list(compress(outcomes, is_shown))

    case = shown_outcomes[0].case
    spec = results.spec(metric)
    fixed = {(question.procedure, question.unit) for question in deciding_questions(case.scored, settings)}
    caption = f"{system} against {baseline}, two-sided"
    table = procedures.procedures_section(shown_rows, spec, caption, settings.runs, fixed)
    n_systems = frame["system"].nunique()
    family = procedures.family_section(frame, n_systems, len(metrics), correction, settings.confidence)
    show_section(replace(table, notes=(*table.notes, *family.notes)))
    show_section(procedures.superiority_section(case, settings, spec))
    download("Download table (CSV)", f"procedures-{system}-vs-{baseline}.csv", shown_rows)
    show_section(
        procedures.distributions_section(shown_outcomes, spec, settings.runs),
        draw=lambda figure: remembered((key, metric, system), figure),
    )


def _all_procedures(
    known: Statistics, results: Results, metrics: Sequence[str], baseline: str, unit: str, work: Work
) -> tuple[Outcome, ...]:
    """Return every usual test of every system against the baseline, by these metrics."""
    settings = results.settings
    scored_metrics = [scored for scored in _scored_metrics(known, results, work) if scored.metric.key in metrics]
    first = scored_metrics[0]
    usual_questions = significance.all_questions(unit, significance.usual_on(first, settings.design))
    # The questions of the verdicts always take part
    all_questions = dict.fromkeys((*usual_questions, *deciding_questions(first, settings)))
    family = significance.Family.of(scored_metrics, baseline)
    return significance.ask_family(family, tuple(all_questions), settings, work)


def _pairs_tab(results: Results) -> None:
    """Show all pairs of systems as a matrix, for any metric and procedure."""
    place = "pairs"
    columns = st.columns([0.9, 2.4, 1.1, 1.1, 1.3], vertical_alignment="bottom")
    metric = choose_metric(results, f"{place}-metric", where=columns[0])
    unit = _choose_unit(columns[3], results, place)
    procedure_of = procedures_in(results.run_word, unit)
    names = {key: procedure_of[key].name for key in usual(design_of_pairs(results.settings.design))}
    default = _procedure_of_verdicts(results, metric)
    key = choose("Procedure", names, f"{place}-procedure", default=default, where=columns[1])
    procedure = procedure_of[key]
    correction = _choose_correction(columns[2], place, corrections_for(procedure))

    pairs = _computed(place, _all_pairs, results, metric, key, unit, correction)
    question = significance.question_on(key, unit)
    section = procedures.pairs_section(pairs, question, results.spec(metric), results.settings, correction)
    with columns[4].popover("About this test", icon=":material/help:"):
        show(tag("p", procedure.summary))
    if section.figure is None:
        notes = " ".join(note for note in pd.unique(pairs["note"]) if note)
        end("note", f"{procedure.name} has no answer for any pair. {notes}")
    left, right = st.columns([7, 3])
    with left:
        show_section(replace(section, notes=()), draw=drawn, picks={section.key: on_pair(results, metric)})
        quiet("Click a cell to see the segments of its two systems.")
    with right:
        show_section(replace(section, figure=None, table=None))
        download("Download pairs (CSV)", "pairs-of-systems.csv", pairs)


def _procedure_of_verdicts(results: Results, metric: str) -> str:
    """Return the verdict's own test; that of the first question if it answers for no system."""
    rows = results.rows(results.evaluation.comparisons, metric)
    luck_of: dict[str, Luck] = {key: PROCEDURES[key].luck for key in rows["procedure"]}
    rows_of_both = rows[rows["procedure"].map(luck_of) == "both"]
    if rows_of_both["p_value"].notna().any():
        rows = rows_of_both
    if rows.empty:
        return next(iter(PROCEDURES))
    procedure = PROCEDURES[rows["procedure"].iloc[0]]
    if procedure.key in usual(design_of_pairs(results.settings.design)):
        return procedure.key
    return answering(procedure.luck, rows["unit"].iloc[0]).key


def _all_pairs(
    known: Statistics, results: Results, metric: str, procedure: str, unit: str, correction: str, work: Work
) -> pd.DataFrame:
    """Return all pairs of systems by one metric and procedure."""
    scored = by_metric(_scored_metrics(known, results, work), metric)
    question = significance.question_on(procedure, unit)
    return all_pairs(scored, question, correction, results.settings, work)


def _equality_tab(results: Results) -> None:
    """Show two one-sided tests against the user's margin."""
    place = "equality"
    settings = results.settings
    quiet("Set a margin: two one-sided tests ask whether luck could hide a larger difference (Schuirmann, 1987).")
    columns = st.columns([1, 1, 1, 1, 1])
    metric = choose_metric(results, f"{place}-metric", where=columns[0])
    spec = results.spec(metric)
    margin = columns[1].number_input(
        spec.notation.axis("Margin"),
        min_value=spec.notation.step / 1_000,
        value=None,
        step=spec.notation.step,
        format="%g",
        key=f"{place}-margin",
        persist_state="session",
        help="The largest difference that would not matter. Choose it before you look at results.",
    )
    side = significance.SIDES[0]
    if spec.notation.has_direction:
        sides: dict[significance.Side, str] = {
            "two-sided": "equal",
            "worse": "not worse",
            "better": "better by more",
        }
        side = choose("Show that it is", sides, f"{place}-side", where=columns[2])
    unit = _choose_unit(columns[3], results, place)
    if margin is None:
        return
    frame = _computed(place, _equality, results, metric, unit, float(margin), side)
    section = sensitivity.equality_section(
        frame, {metric: spec}, float(margin), settings.confidence, settings.runs, side
    )
    show_section(section)


def _equality(
    known: Statistics, results: Results, metric: str, unit: str, margin: float, side: significance.Side, work: Work
) -> pd.DataFrame:
    """Return tests of every system against the baseline with a margin."""
    scored = by_metric(_scored_metrics(known, results, work), metric)
    family = significance.Family.of([scored], results.experiment.baseline)
    return equality.equality_frame(family, unit, margin, results.settings, work, side)


# What can differ by luck only
RUNS = "runs"
SYSTEMS = "systems"


def _lucky_differences(results: Results) -> dict[str, str]:
    """Return what can be compared that differs by luck only."""
    label_of = {}
    if any(len(system.runs) > 1 for system in results.test_set.systems):
        label_of[RUNS] = f"{results.run_word.nouns} of one system"
    if len(results.systems) > 2:
        label_of[SYSTEMS] = "systems declared equivalent"
    return label_of


def _false_alarms_tab(results: Results) -> None:
    """Show which procedures find differences between runs of one system, or systems declared equivalent."""
    place = "equal"
    runs = results.run_word
    systems = results.test_set.systems
    lead = "{Runs} of one system differ by {luck} alone. Every difference found between them is a false alarm"
    quiet(runs.filled(f"{lead} (Riezler and Maxwell, 2005)."))
    if any(len(system.runs) >= equality.FEWEST_RUNS_TO_HALVE for system in systems):
        _show_halvings(results, f"{place}-own")

    columns = st.columns([1.4, 1, 1.6, 1, 1])
    compared = choose("Compare", _lucky_differences(results), f"{place}-way", where=columns[0])
    metric = choose_metric(results, f"{place}-metric", where=columns[1])
    unit = _choose_unit(columns[4], results, place)
    if compared == RUNS:
        systems_to_choose = [system.key for system in systems if len(system.runs) > 1]
        system = choose(f"{runs.filled('{Runs}')} of", systems_to_choose, f"{place}-system", where=columns[2])
        most = len(results.test_set.runs_of(system)) // 2
        size = columns[3].number_input(
            f"{runs.filled('{Runs}')} per side",
            1,
            most,
            most,
            key=f"{place}-size-{most}",
            help=f"Tests on {runs.nouns} need two or more per side.",
            **SURVIVES,
        )
        frame = _computed(place, _equals, results, metric, unit, (system,), int(size))
    else:
        equivalent = choose_some("Systems", results.systems, f"{place}-systems", where=columns[2])
        if len(equivalent) < 2:
            end("note", "Choose two or more systems.")
        frame = _computed(place, _equals, results, metric, unit, tuple(equivalent), 0)
    show_section(sensitivity.equals_section(frame, results.settings.level, runs))
    download("Download comparisons (CSV)", "false-alarms.csv", frame)


def _show_halvings(results: Results, place: str) -> None:
    """Show how often the test calls halves of one system's runs different, once that is known."""
    settings = results.settings
    halvings = made_beside(place, _halvings, statistics(), results, workers=settings.workers)
    if not halvings:
        return
    name = results.spec(settings.primary_metric).name
    runs = results.run_word
    sentences = [f"{name}: {sensitivity.halvings_sentence(halved, runs)}" for halved in halvings]
    show_section(sensitivity.halvings_section(sentences, runs))


def _halvings(known: Statistics, results: Results, work: Work) -> tuple[equality.Halvings, ...]:
    """Return verdicts on halves of each system's runs, by the primary metric."""
    scored = by_metric(_scored_metrics(known, results, work), results.settings.primary_metric)
    unit = significance.unit_of(scored, results.settings)
    return equality.halvings(scored, unit, results.settings, work)


def _equals(
    known: Statistics, results: Results, metric: str, unit: str, systems: Sequence[str], size: int, work: Work
) -> pd.DataFrame:
    """Compare systems with each other, or so many runs per side of one system.

    Parameters
    ----------
    size
        Runs per side; 0 compares systems.
    """
    scored = by_metric(_scored_metrics(known, results, work), metric)
    if size:
        pairs = equality.runs_against_runs(scored, systems[0], size, results.settings.seed)
    else:
        pairs = equality.systems_against_systems(scored, systems)
    return equality.equal_frame(scored, pairs, significance.all_questions(unit), results.settings, work)
