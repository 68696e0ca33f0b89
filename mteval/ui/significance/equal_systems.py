"""Riezler and Maxwell's Table 2 on the user's own data: what do tests say of systems that are equal?"""

from dataclasses import astuple

import pandas as pd
import streamlit as st

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.tests.equal_systems import (
    FEWEST_RUNS_TO_HALVE,
    MOST_SHUFFLES,
    Halvings,
    Sides,
    equal_frame,
    halvings,
    rejections,
    runs_against_runs,
    systems_against_systems,
)
from mteval.analysis.tests.significance import all_questions, unit_of
from mteval.analysis.work import Work
from mteval.counts import counted
from mteval.export.significance import HALVINGS_NOTE, UNIT_NAMES, halvings_sentence
from mteval.export.tables import frame_csv
from mteval.notation import DASH, level, percent
from mteval.stats import PROCEDURES
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES, choose, choose_some
from mteval.ui.parts.markup import tag
from mteval.ui.parts.tables import table
from mteval.ui.session.statistics import by_metric
from mteval.ui.setup.words import said, tell, wording
from mteval.ui.significance.answers import LUCK, NAMES, computed
from mteval.ui.significance.controls import choose_metric, choose_unit

PLACE = "equal"
RUNS, SYSTEMS = "runs of one system", "systems that I declare equivalent"
HEAD = ("Procedure", "Luck", "Units", "Comparisons", "p at or below the level", "Share", "Level")


def equal_systems_tab(results: Results) -> None:
    """Runs of one system, or systems declared equivalent, compared with one another by every procedure."""
    tell(
        tag(
            "p",
            "Where there is no true difference, a test should find one as rarely as its level says. The runs of one"
            " system differ by training luck alone, so every claim of a difference between them is false (Riezler and"
            " Maxwell 2005, Table 2).",
        )
    )
    _own_runs(results)
    columns = st.columns([1.4, 1, 1.6, 1, 1])
    several = [system.key for system in results.test_set.systems if len(system.runs) > 1]
    ways = ([RUNS] if several else []) + ([SYSTEMS] if len(results.systems) > 1 else [])
    if not ways:
        messages.say("note", said("One run of one system cannot be compared with anything. Load more runs."))
        return
    way = choose("Compare", ways, f"{PLACE}-way", where=columns[0], format_func=wording())
    metric = choose_metric(columns[1], results, PLACE)
    unit = choose_unit(columns[4], results, PLACE)
    if way == RUNS:
        system = choose(said("Runs of"), several, f"{PLACE}-system", where=columns[2])
        most = len(results.test_set.runs_of(system)) // 2
        size = columns[3].number_input(
            said("Runs a side"),
            1,
            most,
            1,
            key=f"{PLACE}-size-{most}",
            help=said("Tests on runs need two or more a side."),
            **SURVIVES,
        )
        choice: tuple[object, ...] = (RUNS, system, int(size))
    else:
        chosen = choose_some("Systems", results.systems, f"{PLACE}-systems", where=columns[2])
        if len(chosen) < 2:
            messages.say("note", said("Name two or more systems that you hold to be equal."))
            return
        choice = (SYSTEMS, *chosen)
    frame = _compared(results, metric, unit, choice)
    if frame is not None:
        _show(frame, 1 - results.settings.confidence)


def _own_runs(results: Results) -> None:
    """The verdict on halves of the runs of each system that has enough, by the primary metric."""
    enough = [system for system in results.test_set.systems if len(system.runs) >= FEWEST_RUNS_TO_HALVE]
    if not enough:
        return
    settings = results.settings

    def compute(scored: tuple[Scored, ...], work: Work) -> tuple[Halvings, ...]:
        by = by_metric(scored, settings.primary_metric)
        return halvings(by, unit_of(by, settings), settings, work)

    found = computed(f"{PLACE}-own", results, settings.primary_metric, compute)
    if found:
        lines = [tag("li", halvings_sentence(*astuple(one))) for one in found]
        name = results.spec(settings.primary_metric).name
        tell(
            tag("p", tag("b", "Your own runs"), f", by {name} and the verdict itself:"),
            tag("ul", *lines, class_="mt-list"),
        )
        tell(tag("p", HALVINGS_NOTE, class_="mt-quiet"))


def _compared(results: Results, metric: str, unit: str, choice: tuple[object, ...]) -> pd.DataFrame | None:
    settings = results.settings

    def compute(scored: tuple[Scored, ...], work: Work) -> pd.DataFrame:
        by = by_metric(scored, metric)
        return equal_frame(by, _pairs(by, choice, settings.seed), all_questions(unit), settings, work)

    return computed(PLACE, results, (metric, unit, *choice), compute)


def _pairs(scored: Scored, choice: tuple[object, ...], seed: int) -> tuple[Sides, ...]:
    if choice[0] == RUNS:
        return runs_against_runs(scored, str(choice[1]), int(str(choice[2])), seed)
    return systems_against_systems(scored, [str(system) for system in choice[1:]])


def _show(frame: pd.DataFrame, alpha: float) -> None:
    by_procedure = rejections(frame, alpha)
    rows = [
        (
            NAMES[row["procedure"]], LUCK[PROCEDURES[row["procedure"]].luck], UNIT_NAMES[row["unit"]],
            str(row["n_comparisons"]), str(row["n_rejected"]) if row["n_comparisons"] else DASH,
            percent(row["share"], 0) if row["n_comparisons"] else DASH, level(row["nominal"]),
        )
        for row in by_procedure.to_dict("records")
    ]  # fmt: skip
    n_pairs = len(frame[["one", "other"]].drop_duplicates())
    caption = f"{counted(n_pairs, 'comparison')} of equals, at most {MOST_SHUFFLES:,} resamples each, no correction."
    tell(table(HEAD, rows, n_words=3, caption=caption))
    for note in _notes(by_procedure):
        tell(tag("p", note, class_="mt-quiet"))
    tell(
        tag(
            "p",
            "Comparisons that share runs depend on one another, and a few of them say little; a share far above the"
            " level speaks. Tests that measure luck with the test set alone take each run as given, so they are right"
            " that two runs differ and wrong that the systems do.",
            class_="mt-quiet",
        )
    )
    st.download_button(
        "Comparisons as CSV", data=lambda: frame_csv(frame), file_name="mteval-equal-systems.csv", mime="text/csv",
        on_click="ignore", icon=":material/download:", key=f"{PLACE}-download",
    )  # fmt: skip


def _notes(by_procedure: pd.DataFrame) -> list[str]:
    """Why procedures gave no answer, each reason once."""
    unanswered = by_procedure[by_procedure["n_comparisons"] == 0]
    on_runs = [PROCEDURES[procedure].luck != "test-set" for procedure in unanswered["procedure"]]
    said = list(dict.fromkeys(unanswered["note"][[not is_on_runs for is_on_runs in on_runs]]))
    return said + (["Procedures that measure luck with runs need two runs a side, or more."] if any(on_runs) else [])
