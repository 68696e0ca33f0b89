"""Tests on one test set: verdicts by every metric, and details of any pair.

Each tab offers its choices, has its numbers computed beside the page, and shows the sections made of them.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
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
from mteval.analysis.two_answers import questions
from mteval.answers import procedures, sensitivity
from mteval.answers.ranking import all_verdicts_section
from mteval.answers.section import Section
from mteval.answers.verdict import nothing_compared
from mteval.base.errors import MissingDependencyError
from mteval.base.words import plural
from mteval.metrics import resolve
from mteval.render.html import tag
from mteval.stats import PROCEDURES
from mteval.stats.procedures.registry import answering, procedures_in, usual
from mteval.stats.procedures.spec import Luck
from mteval.ui.elements import SURVIVES, choose, choose_some, download, end, quiet, say, show, show_section
from mteval.ui.page import choose_metric
from mteval.ui.session.memory import Statistics, by_metric, statistics
from mteval.ui.session.progress import awaited, made_beside
from mteval.ui.several_test_sets import has_several_test_sets, several_test_sets_tab

CORRECTION_HELP = (
    "For several comparisons at once. Benjamini–Hochberg bounds the expected share of false claims, the others the"
    " chance of any false claim. Max-T uses the dependence between comparisons; Tukey is for all pairs of systems."
)
T = TypeVar("T")


def _choose_unit(where: DeltaGenerator, results: Results, place: str) -> str:
    """Choose documents or sentences, by default as in the settings; sentences without document ids."""
    if results.test_set.documents is None:
        return "segment"
    usual = "segment" if results.settings.exchange_unit == "segment" else "document"
    return choose(
        "Units", {unit: plural(unit) for unit in ("document", "segment")}, f"{place}-unit", default=usual, where=where,
        help="The unit that is resampled. Segments of a document are not independent.",
    )  # fmt: skip


def _choose_correction(where: DeltaGenerator, place: str, choices: Iterable[str]) -> str:
    """Choose how p-values are adjusted."""
    names = {key: CORRECTIONS[key] for key in choices}
    return choose("Correction", names, f"{place}-correction", where=where, help=CORRECTION_HELP)


def _computed(place: str, make: Callable[..., T], results: Results, *choice: Any) -> T:
    """Have a function of this module compute something beside the page, which ends until it is there."""
    return awaited(place, make, statistics(), results, *choice, workers=results.settings.workers)


def _scored(known: Statistics, results: Results, work: Work) -> tuple[Scored, ...]:
    """Return the statistics of all metrics on the test set."""
    scored = known.scored(results.experiment, resolve(results.settings, results.experiment.given), work)
    return tuple(by for by in scored if by.test_set.name == results.test_set.name)


def all_verdicts(results: Results) -> None:
    """Show one row per system and one column per metric."""
    if verdicts := results.verdicts():
        show_section(all_verdicts_section(verdicts))
    else:
        say("note", nothing_compared(results))


def views(results: Results) -> dict[str, Callable[[Results], None]]:
    """Return the tabs that can answer, by name."""
    is_compared, is_advanced = bool(results.verdicts()), _noticed(results) is not None or bool(_ways(results))
    offered = {
        "The two tests": (lambda results: show_section(procedures.tests_section(results)), is_compared),
        "All pairs": (_pairs_tab, len(results.systems) > 2),
        "Several test sets": (several_test_sets_tab, is_compared and has_several_test_sets(results)),
        "Equivalence": (_equality_tab, is_compared),
        "Compare all tests": (_procedures_tab, is_compared),
        "Advanced": (_advanced_tab, is_advanced),
    }
    return {name: view for name, (view, is_offered) in offered.items() if is_offered}


def _procedures_tab(results: Results) -> None:
    """Show every procedure on a chosen pair, with its null distribution."""
    systems, settings, place, baseline = results.systems, results.settings, "procedures", results.experiment.baseline
    others = [system for system in systems if system != baseline]
    has_choice = len(others) > 1
    columns = st.columns(6 if has_choice else 4)
    metric = choose_metric(results, f"{place}-metric", where=columns[0])
    if has_choice:
        baseline = choose("Compare with", [baseline, *others], f"{place}-base", where=columns[1])
        others = [system for system in systems if system != baseline]
    system = choose("System", others, f"{place}-system", where=columns[2]) if has_choice else others[0]
    correction = _choose_correction(columns[-3], place, [key for key in CORRECTIONS if key != ALL_PAIRS])
    is_wide = choose(
        "Family", {False: "this metric", True: "all metrics"}, f"{place}-family", where=columns[-2],
        help="Comparisons that p-values are adjusted for.",
    )  # fmt: skip
    metrics = results.metrics if is_wide else (metric,)
    outcomes = _computed(place, _all_procedures, results, metrics, baseline, _choose_unit(columns[-1], results, place))
    frame, spec = significance.family_frame(outcomes, correction, settings), results.spec(metric)
    is_here = ((frame["metric"] == metric) & (frame["system"] == system)).to_numpy()
    here, tests = frame[is_here], [test for test, wanted in zip(outcomes, is_here, strict=True) if wanted]
    fixed = {(asked.procedure, asked.unit) for asked in questions(tests[0].case.scored, settings)}
    table = procedures.procedures_section(here, spec, f"{system} against {baseline}, two-sided", settings.runs, fixed)
    family = procedures.family_section(frame, frame["system"].nunique(), len(metrics), correction, settings.confidence)
    show_section(replace(table, notes=(*table.notes, *family.notes)))
    show_section(procedures.superiority_section(tests[0].case, settings, spec))
    download("Download table (CSV)", f"procedures-{system}-vs-{baseline}.csv", here)
    show_section(procedures.distributions_section(tests, spec, settings.runs))


def _all_procedures(
    known: Statistics, results: Results, metrics: Sequence[str], baseline: str, unit: str, work: Work
) -> tuple[Outcome, ...]:
    settings = results.settings
    chosen = [by for by in _scored(known, results, work) if by.metric.key in metrics]
    usual_ones = significance.all_questions(unit, significance.usual_on(chosen[0], settings.design))
    asked = dict.fromkeys((*usual_ones, *questions(chosen[0], settings)))  # always including the fixed ones
    return significance.ask_family(significance.Family.of(chosen, baseline), tuple(asked), settings, work)


def _pairs_tab(results: Results) -> None:
    """Show all pairs of systems as a matrix, for any metric and procedure."""
    place = "pairs"
    columns = st.columns([0.9, 2.4, 1.1, 1.1, 1.3], vertical_alignment="bottom")
    metric = choose_metric(results, f"{place}-metric", where=columns[0])
    unit = _choose_unit(columns[3], results, place)
    known = procedures_in(results.run_word, unit)
    names = {key: known[key].name for key in usual(design_of_pairs(results.settings.design))}
    key = choose("Procedure", names, f"{place}-procedure", default=_answering(results, metric), where=columns[1])
    procedure = known[key]
    correction = _choose_correction(columns[2], place, corrections_for(procedure))
    pairs = _computed(place, _all_pairs, results, metric, key, unit, correction)
    spec, question = results.spec(metric), significance.question_on(key, unit)
    section = procedures.pairs_section(pairs, question, spec, results.settings, correction)
    with columns[4].popover("About this test", icon=":material/help:"):
        show(tag("p", procedure.summary))
    if section.figure is None:
        notes = " ".join(note for note in pd.unique(pairs["note"]) if note)
        end("note", f"{procedure.name} has no answer for any pair. {notes}")
    left, right = st.columns([7, 3])
    with left:
        show_section(replace(section, notes=()))
    with right:
        show_section(replace(section, figure=None, table=None))
        download("Download pairs (CSV)", "pairs-of-systems.csv", pairs)


def _answering(results: Results, metric: str) -> str:
    """Return the verdict's own test; that of the first question if it answers for no system."""
    rows = results.rows(results.evaluation.comparisons, metric)
    luck: dict[str, Luck] = {key: PROCEDURES[key].luck for key in rows["procedure"]}
    own = rows[rows["procedure"].map(luck) == "both"]
    chosen = own if own["p_value"].notna().any() else rows
    if chosen.empty:
        return next(iter(PROCEDURES))
    found = PROCEDURES[chosen["procedure"].iloc[0]]
    is_usual = found.key in usual(design_of_pairs(results.settings.design))
    return found.key if is_usual else answering(found.luck, chosen["unit"].iloc[0]).key


def _all_pairs(
    known: Statistics, results: Results, metric: str, procedure: str, unit: str, correction: str, work: Work
) -> pd.DataFrame:
    by = by_metric(_scored(known, results, work), metric)
    return all_pairs(by, significance.question_on(procedure, unit), correction, results.settings, work)


def _equality_tab(results: Results) -> None:
    """Show two one-sided tests against the user's margin."""
    settings, place = results.settings, "equality"
    quiet("Set a margin: two one-sided tests ask whether luck could hide a larger difference (Schuirmann, 1987).")
    columns = st.columns([1, 1, 1, 1, 1])
    metric = choose_metric(results, f"{place}-metric", where=columns[0])
    spec = results.spec(metric)
    margin = columns[1].number_input(
        spec.notation.axis("Margin"), min_value=spec.notation.step / 1_000, value=None, step=spec.notation.step,
        format="%g", key=f"{place}-margin", persist_state="session",
        help="The largest difference that would not matter. Choose it before you look at results.",
    )  # fmt: skip
    sides: dict[significance.Side, str] = {"two-sided": "equal", "worse": "not worse", "better": "better by more"}
    side = significance.SIDES[0]
    if spec.notation.has_direction:
        side = choose("Show that it is", sides, f"{place}-side", where=columns[2])
    unit = _choose_unit(columns[3], results, place)
    if margin is None:
        return
    frame = _computed(place, _equality, results, metric, unit, float(margin), side)
    asked = float(margin), settings.confidence, settings.runs, side
    show_section(sensitivity.equality_section(frame, {metric: spec}, *asked))


def _equality(
    known: Statistics, results: Results, metric: str, unit: str, margin: float, side: significance.Side, work: Work
) -> pd.DataFrame:
    family = significance.Family.of([by_metric(_scored(known, results, work), metric)], results.experiment.baseline)
    return equality.equality_frame(family, unit, margin, results.settings, work, side)


RUNS, SYSTEMS = "runs", "systems"  # that differ by luck only


def _ways(results: Results) -> dict[str, str]:
    """Return what can be compared that differs by luck only."""
    several = any(len(system.runs) > 1 for system in results.test_set.systems)
    ways = {RUNS: f"{results.run_word.nouns} of one system"} if several else {}
    return ways | ({SYSTEMS: "systems declared equivalent"} if len(results.systems) > 2 else {})


def _noticed(results: Results) -> Section | None:
    """Return how often people agree with differences of this size; None if that is unknown."""
    metrics = resolve(results.settings, results.experiment.given)
    with suppress(MissingDependencyError):
        found = sensitivity.noticed_section(metrics, results.verdicts(), results.experiment.baseline)
        return None if found.table is None else found
    return None


def _advanced_tab(results: Results) -> None:
    """Show what people notice, and compare runs of one system, or systems declared equivalent, by every procedure."""
    noticed, ways = _noticed(results), _ways(results)
    if noticed is not None:
        show_section(noticed)
    if not ways:
        return
    runs, settings, place = results.run_word, results.settings, "equal"
    st.subheader("False alarms", anchor=False)
    lead = "{Runs} of one system differ by {luck} alone. Every difference found between them is a false alarm"
    quiet(runs.filled(f"{lead} (Riezler and Maxwell, 2005)."))
    if any(len(system.runs) >= equality.FEWEST_RUNS_TO_HALVE for system in results.test_set.systems):
        found = made_beside(f"{place}-own", _halvings, statistics(), results, workers=settings.workers)
        name = results.spec(settings.primary_metric).name
        if sentences := [f"{name}: {sensitivity.halvings_sentence(one, runs)}" for one in found or ()]:
            show_section(sensitivity.halvings_section(sentences, runs))
    columns = st.columns([1.4, 1, 1.6, 1, 1])
    way = choose("Compare", ways, f"{place}-way", where=columns[0])
    metric = choose_metric(results, f"{place}-metric", where=columns[1])
    unit = _choose_unit(columns[4], results, place)
    if way == RUNS:
        several = [system.key for system in results.test_set.systems if len(system.runs) > 1]
        system = choose(f"{runs.filled('{Runs}')} of", several, f"{place}-system", where=columns[2])
        most = len(results.test_set.runs_of(system)) // 2
        size = columns[3].number_input(
            f"{runs.filled('{Runs}')} per side", 1, most, most, key=f"{place}-size-{most}",
            help=f"Tests on {runs.nouns} need two or more per side.", **SURVIVES,
        )  # fmt: skip
        chosen, size = [system], int(size)
    else:
        chosen, size = choose_some("Systems", results.systems, f"{place}-systems", where=columns[2]), 0
        if len(chosen) < 2:
            end("note", "Choose two or more systems.")
    frame = _computed(place, _equals, results, metric, unit, tuple(chosen), size)
    show_section(sensitivity.equals_section(frame, settings.level, runs))
    download("Download comparisons (CSV)", "false-alarms.csv", frame)


def _halvings(known: Statistics, results: Results, work: Work) -> tuple[equality.Halvings, ...]:
    """Return verdicts on halves of each system's runs, by the primary metric."""
    by = by_metric(_scored(known, results, work), results.settings.primary_metric)
    return equality.halvings(by, significance.unit_of(by, results.settings), results.settings, work)


def _equals(
    known: Statistics, results: Results, metric: str, unit: str, chosen: Sequence[str], size: int, work: Work
) -> pd.DataFrame:
    """Compare systems with each other, or so many runs per side of one system."""
    by, settings = by_metric(_scored(known, results, work), metric), results.settings
    if size:
        pairs = equality.runs_against_runs(by, chosen[0], size, settings.seed)
    else:
        pairs = equality.systems_against_systems(by, chosen)
    return equality.equal_frame(by, pairs, significance.all_questions(unit), settings, work)
