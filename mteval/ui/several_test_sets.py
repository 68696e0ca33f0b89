"""One claim over several test sets, including those of saved experiments (e.g. language pairs)."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored, Work
from mteval.analysis.several_test_sets import claimed_test_sets, claims, claims_frame, named_apart, on_one_frame
from mteval.answers.claims import claim_sections
from mteval.answers.verdict import nothing_compared
from mteval.library import Listed
from mteval.metrics import catalog, resolve
from mteval.report.kept_experiment import card_from, opened
from mteval.ui.elements import choose, choose_some, download, end, show_section
from mteval.ui.page import choose_metric
from mteval.ui.session.memory import Statistics, deciding, statistics
from mteval.ui.session.progress import awaited
from mteval.ui.setup.entry import entry_here, library, mine
from mteval.values.claim import Claim
from mteval.values.model import Experiment, TestSet
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

PLACE, HERE = "claim", "here"  # tells this experiment's test set from others of the same name


@dataclass(frozen=True, eq=False)
class Kept:
    """A saved experiment: name, settings, and the test sets that take part."""

    name: str
    experiment: Experiment
    settings: Settings
    test_sets: tuple[TestSet, ...]

    def scored(self, known: Statistics, metrics: Sequence[str], work: Work) -> list[Scored]:
        """Return the statistics of its test sets by these metrics, with its own options."""
        settings, names = replace(self.settings, metrics=tuple(metrics)), [one.name for one in self.test_sets]
        found = known.scored(self.experiment, resolve(settings, self.experiment.given), work)
        return [one for one in found if one.test_set.name in names]


@deciding.register
def _(kept: Kept) -> Hashable:
    return kept.name, deciding(kept.experiment), deciding(kept.settings)


def has_several_test_sets(results: Results) -> bool:
    """Return whether several test sets are loaded, or saved with some of these systems."""
    return len(results.experiment.test_sets) > 1 or any(_compares_the_same(one, results) for one in mine())


def several_test_sets_tab(results: Results) -> None:
    """Show the claim about one system over the chosen test sets."""
    test_sets, settings = results.experiment.test_sets, results.settings
    kept = _choose_kept(results)
    if len(test_sets) + len(kept) < 2:
        end("note", "Only one test set is loaded. Add saved experiments, or use “mteval claim”.")
    columns = st.columns([0.9, 1.3, 2.2, 1.7], vertical_alignment="bottom")
    metric = choose_metric(results, f"{PLACE}-metric", where=columns[0])
    usual = claimed_test_sets(test_sets)
    names = choose_some(
        "Test sets", [one.name for one in test_sets], f"{PLACE}-sets", default=[one.name for one in usual],
        where=columns[2], help="Each counts equally. Remove sets that the systems were tuned on.",
    )  # fmt: skip
    own = [one for one in test_sets if one.name in names]
    chosen = [*own, *(test_set for one in kept for test_set in one.test_sets)]
    shares_runs = _shares_runs(chosen, columns[3], settings.runs)
    if len(chosen) < 2:
        end("note", "Choose two or more test sets.")
    metrics = tuple(key for key in settings.metrics if all(key in catalog(one.experiment.given) for one in kept))
    asked = results, tuple(names), shares_runs, kept, metrics
    found = awaited(PLACE, _claims, statistics(), *asked, workers=settings.workers)
    if not (here := {claim.system: claim for claim in found if claim.metric == metric}):
        end("note", f"No other system has scores on all of these test sets. {nothing_compared(results)}")
    system = choose("System", list(here), f"{PLACE}-system", where=columns[1])
    for section in claim_sections([here[system]], settings.confidence):
        show_section(section)
    with st.container(horizontal=True):
        download("Download claims (CSV)", "claims.csv", claims_frame(found))
        download("Download test sets (CSV)", "claims-by-test-set.csv", on_one_frame(found))


def _choose_kept(results: Results) -> tuple[Kept, ...]:
    """Offer saved experiments with the same systems; the page ends while the chosen ones are being read."""
    if not (offered := {one.uid: one for one in mine() if _compares_the_same(one, results)}):
        return ()
    chosen = choose_some(
        "Add saved experiments", {uid: one.name for uid, one in offered.items()}, f"{PLACE}-kept", in_address=False,
        help="Experiments with the same baseline and at least one of these systems. Tuning sets are ignored.",
    )  # fmt: skip
    stamps = [(uid, offered[uid].name, offered[uid].used) for uid in chosen]
    settings = results.settings
    return awaited(f"{PLACE}-kept", _read, stamps, settings, workers=settings.workers) if chosen else ()


def _compares_the_same(listed: Listed, results: Results) -> bool:
    here = entry_here()
    is_here = here is not None and here.listed.uid == listed.uid
    systems = set(card_from(listed.card).systems)
    others = {system.key for system in results.experiment.systems} - {results.experiment.baseline}
    return not is_here and results.experiment.baseline in systems and bool(systems & others)


def _read(stamps: Sequence[tuple[str, str, float]], otherwise: Settings, work: Work) -> tuple[Kept, ...]:
    """Read saved experiments, given by link, name and time of last use."""
    kept = []
    for uid, name, _ in stamps:
        work.engine.check()
        found = opened(library().content(uid))
        assert found.experiment is not None, "its card says that it has systems, so that its files make one"
        test_sets = claimed_test_sets(found.experiment.test_sets)
        kept.append(Kept(name, found.experiment, found.made.settings or otherwise, test_sets))
    return tuple(kept)


def _shares_runs(chosen: Sequence[TestSet], where: st.delta_generator.DeltaGenerator, runs: RunWord) -> bool:
    """Ask whether runs of the same name are the same models; without such names they are not."""
    keys = [{(run.system, run.key) for run in test_set.runs} for test_set in chosen]
    if not any(one & other for place, one in enumerate(keys) for other in keys[:place]):
        return False
    return choose(
        runs.filled("{Runs} of the same name are"), {True: "the same trained models", False: "separate models"},
        f"{PLACE}-shared", where=where,
        help="One model has the same luck on all test sets. Choose “separate models” if each language pair was trained"
        " by itself.",
    )  # fmt: skip


def _claims(
    known: Statistics, results: Results, names: Sequence[str], shares_runs: bool, kept: Sequence[Kept],
    metrics: Sequence[str], work: Work,
) -> tuple[Claim, ...]:  # fmt: skip
    experiment, settings = results.experiment, results.settings
    scored = known.scored(experiment, resolve(settings, experiment.given), work)
    own = [one for one in scored if one.test_set.name in names]
    parts = [(HERE, own), *((one.name, one.scored(known, metrics, work)) for one in kept)]
    sources = named_apart(parts, is_shared=shares_runs, is_apart_within=not kept)
    return claims(sources, {key: results.spec(key) for key in metrics}, experiment.baseline, settings)
