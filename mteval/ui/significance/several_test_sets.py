"""Experiments of the library whose test sets take part in a claim, as language pairs that were loaded one by one.

One claim from several test sets: the mean difference, a forest plot, and how far it reaches.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import streamlit as st

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.several_test_sets import claimed_test_sets, claims, claims_frame, named_apart, on_one_frame
from mteval.analysis.work import Work
from mteval.answers.claims import forest_words, scope_sentences
from mteval.answers.verdict import nothing_compared
from mteval.figures.forest import claim_forest
from mteval.library import Listed
from mteval.metrics import catalog, resolve
from mteval.render.csv import frame_csv
from mteval.render.html import tag
from mteval.report.cards import claim_card, claim_table
from mteval.report.kept_experiment import card_from, opened
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose, choose_some
from mteval.ui.parts.tables import chart
from mteval.ui.session.evaluation import evaluation_key
from mteval.ui.session.memory import statistics
from mteval.ui.session.progress import ask
from mteval.ui.setup.entry import entry_here, library, mine
from mteval.ui.setup.words import said, tell
from mteval.ui.significance.procedures import choose_metric
from mteval.values.claim import Claim
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings


@dataclass(frozen=True, eq=False)
class Kept:
    """An experiment of the library: its name there, and the settings that it was kept with."""

    name: str
    experiment: Experiment
    settings: Settings

    @property
    def test_sets(self) -> tuple[TestSet, ...]:
        """Those that take part."""
        return claimed_test_sets(self.experiment.test_sets)

    def metrics(self, wanted: Sequence[str]) -> tuple[str, ...]:
        """Those of the wanted metrics that it can have."""
        known = catalog(self.experiment.given)
        return tuple(key for key in wanted if key in known)

    def scored(self, metrics: Sequence[str], work: Work) -> list[Scored]:
        """The statistics of its test sets by these metrics, with the options that they were kept with."""
        settings, names = replace(self.settings, metrics=tuple(metrics)), [one.name for one in self.test_sets]
        found = statistics().scored(self.experiment, resolve(settings, self.experiment.given), work)
        return [one for one in found if one.test_set.name in names]


def choose_kept(results: Results, place: str) -> tuple[Kept, ...] | None:
    """Offer the visitor's experiments that compare the same systems; None while the chosen ones are being read."""
    offered = {one.uid: one for one in mine() if _compares_the_same(one, results)}
    if not offered:
        return ()
    chosen = choose_some(
        "Together with experiments that are kept", list(offered), f"{place}-kept", in_address=False,
        format_func=lambda uid: offered[uid].name,
        help="Those with the same baseline and another of the systems, by the names that these have here. All of their"
        " test sets take part but those that systems were tuned on.",
    )  # fmt: skip

    def read(work: Work) -> tuple[Kept, ...]:
        return tuple(_kept(offered[uid], results.settings) for uid in chosen)

    stamps = [(uid, offered[uid].name, offered[uid].used) for uid in chosen]
    return ask(f"{place}-kept", f"kept for a claim {stamps}", read, results.settings.workers) if chosen else ()


def _compares_the_same(listed: Listed, results: Results) -> bool:
    here = entry_here()
    is_here = here is not None and here.listed.uid == listed.uid
    systems = set(card_from(listed.card).systems)
    others = {system.key for system in results.experiment.systems} - {results.experiment.baseline}
    return not is_here and results.experiment.baseline in systems and bool(systems & others)


def _kept(listed: Listed, otherwise: Settings) -> Kept:
    """The experiment itself; its card says that it has systems, so that its files make one."""
    found = opened(library().content(listed.uid))
    assert found.experiment is not None
    return Kept(listed.name, found.experiment, found.made.settings or otherwise)


PLACE, HERE = "claim", "here"  # of two test sets of one name, that of the experiment that is shown
ONE_TEST_SET = (
    "One test set is loaded. A claim over several takes outputs of the same systems on each of them; language pairs"
    " that were loaded one by one are claimed together from what is kept of them, or by “mteval claim” from the"
    " experiment.toml of each."
)


def several_test_sets_tab(results: Results) -> None:
    """The claim about one system, over the test sets that the user names, of this experiment and of others."""
    test_sets = results.experiment.test_sets
    kept = choose_kept(results, PLACE)
    if kept is None:
        return
    if len(test_sets) + len(kept) < 2:
        messages.say("note", said(ONE_TEST_SET))
        return
    columns = st.columns([1, 1.4, 2.4, 1.4], vertical_alignment="bottom")
    metric = choose_metric(columns[0], results, PLACE)
    usual = claimed_test_sets(test_sets)
    names = choose_some(
        "Test sets", [one.name for one in test_sets], f"{PLACE}-sets", default=[one.name for one in usual],
        where=columns[2], help="Each counts alike. A set that the systems were tuned on flatters those tuned best.",
    )  # fmt: skip
    own = [one for one in test_sets if one.name in names]
    chosen = [*own, *(test_set for one in kept for test_set in one.test_sets)]
    shares_runs = _shares_runs(chosen, columns[3], results.settings)
    if len(chosen) < 2:
        messages.say("note", said("Name two or more test sets."))
        return
    found = _claims(results, tuple(names), shares_runs, kept)
    if found is None:
        return
    here = {claim.system: claim for claim in found if claim.metric == metric}
    if not here:
        messages.say("note", f"No other system has scores on all of these test sets. {nothing_compared(results)}")
        return
    system = choose("System", list(here), f"{PLACE}-system", where=columns[1])
    _show(here[system], results.settings.confidence)
    st.download_button(
        "Claims as CSV", data=lambda: frame_csv(claims_frame(found)), file_name="mteval-claims.csv", mime="text/csv",
        on_click="ignore", icon=":material/download:", key=f"{PLACE}-download",
    )  # fmt: skip
    st.download_button(
        "Test sets as CSV", data=lambda: frame_csv(on_one_frame(found)), file_name="mteval-test-sets.csv",
        mime="text/csv", on_click="ignore", icon=":material/download:", key=f"{PLACE}-download-sets",
    )  # fmt: skip


def _shares_runs(chosen: Sequence[TestSet], where: st.delta_generator.DeltaGenerator, settings: Settings) -> bool:
    """Asked where names of runs match; elsewhere runs are others."""
    keys = [{(run.system, run.key) for run in test_set.runs} for test_set in chosen]
    if not any(one & other for place, one in enumerate(keys) for other in keys[:place]):
        return False
    return choose(
        said("Runs of the same name are"),
        [True, False],
        f"{PLACE}-shared",
        where=where,
        format_func=lambda is_same: "the same trained models" if is_same else "models of their own",
        help=said(
            "One model that translated all test sets, or that serves several language pairs, has its luck on all of"
            " them at once. Where each language pair was trained by itself, runs have nothing in common but their"
            " names."
        ),
    )


def _claims(
    results: Results, names: tuple[str, ...], shares_runs: bool, kept: tuple[Kept, ...]
) -> tuple[Claim, ...] | None:
    experiment, settings, known = results.experiment, results.settings, statistics()
    specs = {key: results.spec(key) for key in settings.metrics if all(one.metrics((key,)) for one in kept)}

    def compute(work: Work) -> tuple[Claim, ...]:
        scored = known.scored(experiment, resolve(settings, experiment.given), work)
        own = [one for one in scored if one.test_set.name in names]
        parts = [(HERE, own), *((one.name, one.scored(tuple(specs), work)) for one in kept)]
        sources = named_apart(parts, is_shared=shares_runs, is_apart_within=not kept)
        return claims(sources, specs, experiment.baseline, settings)

    others = [(one.name, one.experiment.digest, one.settings.deciding) for one in kept]
    key = repr((PLACE, evaluation_key(experiment, settings), names, shares_runs, others))
    return ask(PLACE, key, compute, settings.workers)


def _show(claim: Claim, confidence: float) -> None:
    tell(claim_card(claim, confidence))
    chart(claim_forest(claim, confidence), f"{PLACE}-forest")
    tell(tag("p", forest_words(claim, confidence), class_="mt-quiet"))
    tell(claim_table(claim))
    tell(tag("p", scope_sentences(claim), class_="mt-quiet"))
