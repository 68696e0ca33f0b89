"""All pairs of systems as a matrix, and the groups that cannot be told apart."""

import pandas as pd
import streamlit as st

from mteval.analysis.corrections import CORRECTIONS, corrections_for
from mteval.analysis.pairs import all_pairs, by_score, direction, groups
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.significance import question_on
from mteval.analysis.work import Work
from mteval.answers.procedures import NOT_FIXED, UNIT_NAMES, pairs_family_sentence
from mteval.base.words import counted
from mteval.figures.pairs import LEVELS, pair_matrix
from mteval.render.csv import frame_csv
from mteval.render.html import tag
from mteval.stats import PROCEDURES
from mteval.stats.procedures.registry import answering, usual
from mteval.stats.procedures.spec import Luck
from mteval.ui.answers import nothing_to_compare
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.parts.tables import chart
from mteval.ui.session.memory import by_metric
from mteval.ui.setup.words import said, tell
from mteval.ui.significance.procedures import NAMES, choose_correction, choose_metric, choose_unit, computed
from mteval.values.notation import level, p_value
from mteval.values.settings import Design, Settings

PLACE = "pairs"
AllPairs = tuple[pd.DataFrame, tuple[str, ...], bool]  # with the systems from best to worst, and whether one-sided


def pairs_tab(results: Results) -> None:
    """The matrix for any metric and procedure."""
    if len(results.systems) < 2:
        messages.say("note", said(nothing_to_compare(results)))
        return
    columns = st.columns(5)
    metric = choose_metric(columns[0], results, PLACE)
    procedure = choose(
        "Procedure", usual(_design(results)), f"{PLACE}-procedure", default=_answering(results, metric),
        where=columns[1], format_func=NAMES.__getitem__,
    )  # fmt: skip
    correction = choose_correction(columns[2], PLACE, corrections_for(PROCEDURES[procedure]))
    unit = choose_unit(columns[3], results, PLACE)
    compared = _compared(results, metric, procedure, unit, correction)
    if compared is not None:
        _show(results, compared, metric, procedure, unit, correction)


def _design(results: Results) -> Design:
    """Most pairs are without the baseline, so that it counts for nothing here whether that is fixed."""
    return "independent" if results.settings.design == "fixed" else results.settings.design


def _answering(results: Results, metric: str) -> str:
    """The verdict's own test; that of the first question where it answers about none of the systems."""
    rows = results.rows(results.evaluation.comparisons, metric)
    luck: dict[str, Luck] = {key: PROCEDURES[key].luck for key in rows["procedure"]}
    own = rows[rows["procedure"].map(luck) == "both"]
    chosen = own if own["p_value"].notna().any() else rows
    if chosen.empty:
        return next(iter(PROCEDURES))
    found = PROCEDURES[chosen["procedure"].iloc[0]]
    return found.key if found.key in usual(_design(results)) else answering(found.luck, chosen["unit"].iloc[0]).key


def _compared(results: Results, metric: str, procedure: str, unit: str, correction: str) -> AllPairs | None:
    settings = results.settings

    def compute(scored: tuple[Scored, ...], work: Work) -> AllPairs:
        by = by_metric(scored, metric)
        pairs = all_pairs(by, question_on(procedure, unit), correction, settings, work)
        return pairs, by_score(by), direction(by, procedure) != "two-sided"

    return computed(PLACE, results, (metric, procedure, unit, correction), compute)


def _show(results: Results, compared: AllPairs, metric: str, procedure: str, unit: str, correction: str) -> None:
    pairs, systems, _ = compared
    tell(tag("p", PROCEDURES[procedure].summary, class_="mt-quiet"))
    notes = [note for note in pd.unique(pairs["note"]) if note]
    if pairs["p_value"].isna().all():
        messages.say("note", said(f"{NAMES[procedure]} has no answer for any pair. {' '.join(notes)}"))
        return
    left, right = st.columns([7, 3])
    with left:
        chart(pair_matrix(pairs, systems, results.spec(metric).notation), f"{PLACE}-matrix")
    with right:
        _words(results, compared, metric, procedure, unit, correction)
        for note in notes:
            messages.say("note", said(note))
        st.download_button(
            "Pairs as CSV", data=lambda: frame_csv(pairs), file_name="mteval-pairs.csv", mime="text/csv",
            on_click="ignore", icon=":material/download:", key=f"{PLACE}-download",
        )  # fmt: skip


def _words(results: Results, compared: AllPairs, metric: str, procedure: str, unit: str, correction: str) -> None:
    pairs, systems, is_one_sided = compared
    spec = results.spec(metric)
    better, _ = spec.notation.comparatives
    side = (
        f"one-sided: is the row {better} than the column? The lower half is empty, since a system that scores worse"
        f" cannot be shown {better}"
        if is_one_sided
        else "two-sided, in the place where the row scores better, since this procedure has no one-sided form"
    )
    tell(tag("p", f"{spec.name}, {UNIT_NAMES[unit]} as units; {side}. Systems from best to worst."))
    tell(tag("p", pairs_family_sentence(len(systems), is_one_sided, CORRECTIONS[correction]), class_="mt-quiet"))
    if results.settings.design == "fixed" and PROCEDURES[procedure].luck == "both":
        tell(tag("p", NOT_FIXED, class_="mt-quiet"))
    _resolution(len(pairs) * (2 if is_one_sided else 1), results.settings, procedure, correction)
    alpha = 1 - results.settings.confidence
    together = [group for group in groups(pairs, systems, alpha) if len(group) > 1]
    if not together:
        tell(tag("p", f"Every system is told apart from every other at the {level(alpha)} level."))
        return
    tell(
        tag(
            "p",
            tag("b", f"Cannot be told apart at the {level(alpha)} level"),
            ", which does not say that they are equal:",
        )
    )
    tell(tag("ul", *(tag("li", " · ".join(group)) for group in together), class_="mt-list"))


def _resolution(n_family: int, settings: Settings, procedure: str, correction: str) -> None:
    """Where the resamples, as many as the family takes, cannot reach the smallest level of the matrix."""
    n_shuffles = settings.for_family(n_family).n_shuffles
    smallest = n_family / (n_shuffles + 1)
    if PROCEDURES[procedure].is_resampled and correction in ("holm", "bonferroni") and smallest > LEVELS[-1]:
        words = (
            f"With {counted(n_shuffles, 'resample')} no adjusted p of this family can be below"
            f" {p_value(min(1.0, smallest))}; the settings in the sidebar have more."
        )
        tell(tag("p", words, class_="mt-quiet"))
