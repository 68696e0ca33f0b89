"""Shown equal? Equivalence within a margin, and what a difference means to people."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from mteval.analysis.people.agreement import NO_INFORMATION, human_agreement
from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.tests.equality import equality_frame
from mteval.analysis.tests.significance import Family
from mteval.analysis.work import Work
from mteval.errors import MissingDependencyError
from mteval.export.significance import LUCK_NAMES, UNIT_NAMES, equality_sentence, notes
from mteval.metrics import resolve
from mteval.metrics.base import Metric
from mteval.notation import Notation, as_typed, p_value, percent
from mteval.ui.answers import nothing_to_compare
from mteval.ui.parts import messages
from mteval.ui.parts.markup import tag
from mteval.ui.parts.tables import table
from mteval.ui.session.statistics import by_metric
from mteval.ui.setup.words import said, tell
from mteval.ui.significance.answers import NAMES, computed
from mteval.ui.significance.controls import choose_metric, choose_unit
from mteval.verdict import Verdict

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
