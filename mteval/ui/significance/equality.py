"""Shown equal? Equivalence within a margin, and what a difference means to people.

Riezler and Maxwell's Table 2 on the user's own data: what do tests say of systems that are equal?
"""

from collections.abc import Sequence
from dataclasses import astuple

import pandas as pd
import streamlit as st

from mteval.analysis.equality import (
    FEWEST_RUNS_TO_HALVE,
    MOST_SHUFFLES,
    Halvings,
    Sides,
    equal_frame,
    equality_frame,
    halvings,
    rejections,
    runs_against_runs,
    systems_against_systems,
)
from mteval.analysis.people.agreement import NO_INFORMATION, human_agreement
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.significance import Family, all_questions, unit_of
from mteval.analysis.work import Work
from mteval.answers.procedures import HALVINGS_NOTE, LUCK_NAMES, UNIT_NAMES, equality_sentence, halvings_sentence, notes
from mteval.base.errors import MissingDependencyError
from mteval.base.words import counted
from mteval.metrics import resolve
from mteval.metrics.base import Metric
from mteval.render.csv import frame_csv
from mteval.render.html import table, tag
from mteval.stats import PROCEDURES
from mteval.ui.answers import nothing_to_compare
from mteval.ui.parts import messages
from mteval.ui.parts.choices import SURVIVES, choose, choose_some
from mteval.ui.session.memory import by_metric
from mteval.ui.setup.words import said, tell, wording
from mteval.ui.significance.procedures import LUCK, NAMES, choose_metric, choose_unit, computed
from mteval.values.notation import DASH, Notation, as_typed, level, p_value, percent
from mteval.values.verdict import Verdict

PLACE = "equality"
HEAD = ("System", "Beyond", "Procedure", "Units", "Difference", "Interval", "p", "p adjusted", "Shown equal")


def equality_tab(results: Results) -> None:
    """Two one-sided tests against the margin that the user sets."""
    if len(results.systems) < 2 or results.experiment.baseline not in results.systems:
        messages.say("note", said(nothing_to_compare(results)))
        return
    tell(
        tag(
            "p",
            "“No difference shown” is not “shown equal”. To show systems equal, say first how large a difference would"
            " not matter; two one-sided tests then ask whether luck could hide a larger one (Schuirmann 1987).",
        )
    )
    columns = st.columns([1, 1, 1, 2])
    metric = choose_metric(columns[0], results, PLACE)
    notation = results.spec(metric).notation
    margin = columns[1].number_input(
        notation.axis("Margin"), min_value=notation.step / 1_000, value=None, step=notation.step, format="%g",
        key=f"{PLACE}-margin", persist_state="session",
        help="The largest difference that would not matter to you, chosen before you see the numbers.",
    )  # fmt: skip
    unit = choose_unit(columns[2], results, PLACE)
    if margin is None:
        messages.say("note", said("Set a margin to begin."))
        return
    frame = _compared(results, metric, unit, float(margin))
    if frame is not None:
        _show(frame, float(margin), results.settings.confidence, notation)


def _compared(results: Results, metric: str, unit: str, margin: float) -> pd.DataFrame | None:
    settings, baseline = results.settings, results.experiment.baseline

    def compute(scored: tuple[Scored, ...], work: Work) -> pd.DataFrame:
        return equality_frame(Family.of([by_metric(scored, metric)], baseline), unit, margin, settings, work)

    return computed(PLACE, results, (metric, baseline, unit, margin), compute)


def _show(frame: pd.DataFrame, margin: float, confidence: float, notation: Notation) -> None:
    rows = [
        (
            row["system"], LUCK_NAMES[row["luck"]], NAMES[row["procedure"]], UNIT_NAMES[row["unit"]],
            notation.difference(row["difference"]), notation.interval(row["low"], row["high"]), p_value(row["p_value"]),
            p_value(row["p_adjusted"]), _answer(row["p_adjusted"], 1 - confidence),
        )
        for row in frame.to_dict("records")
    ]  # fmt: skip
    within = f"±{notation.in_unit(as_typed(margin))}"
    caption = equality_sentence(within, confidence, frame["system"].nunique())
    tell(table(HEAD, rows, n_words=4, caption=caption))
    for note in notes(frame, NAMES):
        tell(tag("p", note, class_="mt-quiet"))


def _answer(p_adjusted: float, alpha: float) -> str:
    if p_adjusted != p_adjusted:
        return "no answer"
    return "yes" if p_adjusted <= alpha else "no"


def people_tab(results: Results) -> None:
    """How often people agree with a difference of this size."""
    tell(
        tag(
            "p",
            "Whether a difference is luck and whether people would notice it are two questions. Kocmi et al. (2024)"
            " compared differences between systems with what people preferred: the share is how often people sided with"
            " the better score when systems differed by so much.",
        )
    )
    try:
        shares = {
            metric.name: _shares(metric, results.verdicts(metric.key))
            for metric in resolve(results.settings, results.experiment.given)
        }
    except MissingDependencyError as error:
        messages.say("note", said(str(error)))
        return
    known = {name: cells for name, cells in shares.items() if cells}
    if known:
        systems = list(dict.fromkeys(system for cells in known.values() for system in cells))
        rows = [(system, *(cells.get(system, "–") for cells in known.values())) for system in systems]
        caption = f"Share of people who agree, at the difference to {results.experiment.baseline}"
        tell(table(("System", *known), rows, caption=caption))
    if unknown := [name for name in shares if name not in known]:
        messages.say("note", said(f"What people say of such differences is not known for {', '.join(unknown)}."))
    tell(
        tag(
            "p",
            "Limits: pairs of whole systems on one collection of test sets, mostly neural systems; BLEU with"
            " sacreBLEU's default tokenizer, chrF, and scores of some learned metrics that were given under their"
            " published names. At 50% or less the metric tells no more than a coin. The"
            " share knows nothing of your test set, your language pair or luck.",
            class_="mt-quiet",
        )
    )


def _shares(metric: Metric, verdicts: Sequence[Verdict]) -> dict[str, str]:
    """The share and the difference that it belongs to, by system; empty where nobody knows any of this metric."""
    return {
        verdict.system: f"{_share(share)} at {verdict.notation.difference(verdict.difference)}"
        for verdict in verdicts
        if (share := human_agreement(metric, verdict.difference)) is not None
    }


def _share(share: float) -> str:
    return "no information" if share <= NO_INFORMATION else percent(share, 0)


EQUAL_SYSTEMS_PLACE = "equal"
RUNS, SYSTEMS = "runs of one system", "systems that I declare equivalent"
EQUAL_SYSTEMS_HEAD = ("Procedure", "Luck", "Units", "Comparisons", "p at or below the level", "Share", "Level")


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
    way = choose("Compare", ways, f"{EQUAL_SYSTEMS_PLACE}-way", where=columns[0], format_func=wording())
    metric = choose_metric(columns[1], results, EQUAL_SYSTEMS_PLACE)
    unit = choose_unit(columns[4], results, EQUAL_SYSTEMS_PLACE)
    if way == RUNS:
        system = choose(said("Runs of"), several, f"{EQUAL_SYSTEMS_PLACE}-system", where=columns[2])
        most = len(results.test_set.runs_of(system)) // 2
        size = columns[3].number_input(
            said("Runs a side"),
            1,
            most,
            1,
            key=f"{EQUAL_SYSTEMS_PLACE}-size-{most}",
            help=said("Tests on runs need two or more a side."),
            **SURVIVES,
        )
        choice: tuple[object, ...] = (RUNS, system, int(size))
    else:
        chosen = choose_some("Systems", results.systems, f"{EQUAL_SYSTEMS_PLACE}-systems", where=columns[2])
        if len(chosen) < 2:
            messages.say("note", said("Name two or more systems that you hold to be equal."))
            return
        choice = (SYSTEMS, *chosen)
    frame = _equal_systems_compared(results, metric, unit, choice)
    if frame is not None:
        _equal_systems_show(frame, 1 - results.settings.confidence)


def _own_runs(results: Results) -> None:
    """The verdict on halves of the runs of each system that has enough, by the primary metric."""
    enough = [system for system in results.test_set.systems if len(system.runs) >= FEWEST_RUNS_TO_HALVE]
    if not enough:
        return
    settings = results.settings

    def compute(scored: tuple[Scored, ...], work: Work) -> tuple[Halvings, ...]:
        by = by_metric(scored, settings.primary_metric)
        return halvings(by, unit_of(by, settings), settings, work)

    found = computed(f"{EQUAL_SYSTEMS_PLACE}-own", results, settings.primary_metric, compute)
    if found:
        lines = [tag("li", halvings_sentence(*astuple(one))) for one in found]
        name = results.spec(settings.primary_metric).name
        tell(
            tag("p", tag("b", "Your own runs"), f", by {name} and the verdict itself:"),
            tag("ul", *lines, class_="mt-list"),
        )
        tell(tag("p", HALVINGS_NOTE, class_="mt-quiet"))


def _equal_systems_compared(
    results: Results, metric: str, unit: str, choice: tuple[object, ...]
) -> pd.DataFrame | None:
    settings = results.settings

    def compute(scored: tuple[Scored, ...], work: Work) -> pd.DataFrame:
        by = by_metric(scored, metric)
        return equal_frame(by, _pairs(by, choice, settings.seed), all_questions(unit), settings, work)

    return computed(EQUAL_SYSTEMS_PLACE, results, (metric, unit, *choice), compute)


def _pairs(scored: Scored, choice: tuple[object, ...], seed: int) -> tuple[Sides, ...]:
    if choice[0] == RUNS:
        return runs_against_runs(scored, str(choice[1]), int(str(choice[2])), seed)
    return systems_against_systems(scored, [str(system) for system in choice[1:]])


def _equal_systems_show(frame: pd.DataFrame, alpha: float) -> None:
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
    tell(table(EQUAL_SYSTEMS_HEAD, rows, n_words=3, caption=caption))
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
        on_click="ignore", icon=":material/download:", key=f"{EQUAL_SYSTEMS_PLACE}-download",
    )  # fmt: skip


def _notes(by_procedure: pd.DataFrame) -> list[str]:
    """Why procedures gave no answer, each reason once."""
    unanswered = by_procedure[by_procedure["n_comparisons"] == 0]
    on_runs = [PROCEDURES[procedure].luck != "test-set" for procedure in unanswered["procedure"]]
    said = list(dict.fromkeys(unanswered["note"][[not is_on_runs for is_on_runs in on_runs]]))
    return said + (["Procedures that measure luck with runs need two runs a side, or more."] if any(on_runs) else [])
