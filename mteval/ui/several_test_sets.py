"""One claim over several test sets, including those of saved experiments (e.g. language pairs)."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored, Work
from mteval.analysis.several_test_sets import claims, claims_frame, named_apart, on_one_frame
from mteval.answers.claims import claim_sections
from mteval.answers.verdict import nothing_compared
from mteval.library import Listed
from mteval.metrics import catalog, resolve
from mteval.report.kept_experiment import card_from, opened
from mteval.ui.elements import choose, choose_some, download, end, show_section
from mteval.ui.page import choose_metric
from mteval.ui.segments.link import on_test_set
from mteval.ui.session.memory import Statistics, deciding, statistics
from mteval.ui.session.progress import awaited
from mteval.ui.setup.entry import entry_here, library, mine
from mteval.values.claim import Claim, claimed_test_sets
from mteval.values.model import Experiment, TestSet
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

PLACE = "claim"
HERE = "here"  # tells this experiment's test set from others of the same name


@dataclass(frozen=True, eq=False)
class Kept:
    """A saved experiment: name, settings, and the test sets that take part."""

    name: str
    experiment: Experiment
    settings: Settings
    test_sets: tuple[TestSet, ...]

    def scored(self, known: Statistics, metrics: Sequence[str], work: Work) -> list[Scored]:
        """Return the statistics of its test sets by these metrics, with its own options."""
        settings = replace(self.settings, metrics=tuple(metrics))
        names = [test_set.name for test_set in self.test_sets]
        return _scored_on(names, known, self.experiment, settings, work)


@deciding.register
def _(kept: Kept) -> Hashable:
    return kept.name, deciding(kept.experiment), deciding(kept.settings)


def has_several_test_sets(results: Results) -> bool:
    """Return whether several test sets are loaded, or saved with some of these systems."""
    if len(results.experiment.test_sets) > 1:
        return True
    return any(_compares_same_systems(listed, results) for listed in mine())


def several_test_sets_tab(results: Results) -> None:
    """Show the claim about one system over the chosen test sets."""
    test_sets = results.experiment.test_sets
    settings = results.settings
    saved_experiments = _choose_saved_experiments(results)
    if len(test_sets) + len(saved_experiments) < 2:
        end("note", "Only one test set is loaded. Add saved experiments, or use “mteval claim”.")

    columns = st.columns([0.9, 1.3, 2.2, 1.7], vertical_alignment="bottom")
    metric = choose_metric(results, f"{PLACE}-metric", where=columns[0])
    names = choose_some(
        "Test sets",
        [test_set.name for test_set in test_sets],
        f"{PLACE}-sets",
        default=[test_set.name for test_set in claimed_test_sets(test_sets)],
        where=columns[2],
        help="Each counts equally. Remove sets that the systems were tuned on.",
    )
    claimed = [test_set for test_set in test_sets if test_set.name in names]
    for saved in saved_experiments:
        claimed.extend(saved.test_sets)
    shares_runs = _shares_runs(claimed, columns[3], settings.runs)
    if len(claimed) < 2:
        end("note", "Choose two or more test sets.")

    catalogs = [catalog(saved.experiment.given) for saved in saved_experiments]
    metrics = tuple(key for key in settings.metrics if all(key in known for known in catalogs))
    all_claims = awaited(
        PLACE,
        _claims,
        statistics(),
        results,
        tuple(names),
        shares_runs,
        saved_experiments,
        metrics,
        workers=settings.workers,
    )
    claim_of = {claim.system: claim for claim in all_claims if claim.metric == metric}
    if not claim_of:
        end("note", f"No other system has scores on all of these test sets. {nothing_compared(results)}")
    system = choose("System", list(claim_of), f"{PLACE}-system", where=columns[1])
    mark = "the square of a test set"
    if saved_experiments:
        mark = "the square of a test set of this experiment"
    on_mark = on_test_set(results, metric, system, _names_in_claims(names, saved_experiments), mark)
    for section in claim_sections([claim_of[system]], settings.confidence):
        show_section(section, picks={section.key: on_mark})
    with st.container(horizontal=True):
        download("Download claims (CSV)", "claims.csv", claims_frame(all_claims))
        download("Download test sets (CSV)", "claims-by-test-set.csv", on_one_frame(all_claims))


def _choose_saved_experiments(results: Results) -> tuple[Kept, ...]:
    """Offer saved experiments with the same systems; the page ends while the chosen ones are being read."""
    listed_of = {listed.uid: listed for listed in mine() if _compares_same_systems(listed, results)}
    if not listed_of:
        return ()
    uids = choose_some(
        "Add saved experiments",
        {uid: listed.name for uid, listed in listed_of.items()},
        f"{PLACE}-kept",
        in_address=False,
        help="Experiments with the same baseline and at least one of these systems. Tuning sets are ignored.",
    )
    if not uids:
        return ()
    stamps = [(uid, listed_of[uid].name, listed_of[uid].used) for uid in uids]
    settings = results.settings
    return awaited(f"{PLACE}-kept", _read_experiments, stamps, settings, workers=settings.workers)


def _compares_same_systems(listed: Listed, results: Results) -> bool:
    """Return whether another saved experiment has the same baseline and some of the other systems."""
    entry = entry_here()
    if entry is not None and entry.listed.uid == listed.uid:
        return False
    baseline = results.experiment.baseline
    saved_systems = set(card_from(listed.card).systems)
    compared_systems = {system.key for system in results.experiment.systems} - {baseline}
    return baseline in saved_systems and not saved_systems.isdisjoint(compared_systems)


def _read_experiments(
    stamps: Sequence[tuple[str, str, float]], default_settings: Settings, work: Work
) -> tuple[Kept, ...]:
    """Read saved experiments, given by link, name and time of last use."""
    saved_experiments = []
    for uid, name, _ in stamps:
        work.engine.check()
        content = opened(library().content(uid))
        experiment = content.experiment
        assert experiment is not None, "its card says that it has systems, so that its files make one"
        settings = content.settings
        if settings is None:
            settings = default_settings
        saved_experiments.append(Kept(name, experiment, settings, claimed_test_sets(experiment.test_sets)))
    return tuple(saved_experiments)


def _shares_runs(test_sets: Sequence[TestSet], where: DeltaGenerator, runs: RunWord) -> bool:
    """Ask whether runs of the same name are the same models; without such names they are not."""
    names_of_runs = [{(run.system, run.key) for run in test_set.runs} for test_set in test_sets]
    if all(names.isdisjoint(other_names) for names, other_names in combinations(names_of_runs, 2)):
        return False
    return choose(
        runs.filled("{Runs} of the same name are"),
        {True: "the same trained models", False: "separate models"},
        f"{PLACE}-shared",
        where=where,
        help="One model has the same luck on all test sets. Choose “separate models” if each language pair was trained"
        " by itself.",
    )


def _claims(
    known: Statistics,
    results: Results,
    names: Sequence[str],
    shares_runs: bool,
    saved_experiments: Sequence[Kept],
    metrics: Sequence[str],
    work: Work,
) -> tuple[Claim, ...]:
    """Return the claims about every system by these metrics, on test sets of this and of saved experiments.

    Parameters
    ----------
    names
        Of the test sets of this experiment that take part.
    """
    experiment = results.experiment
    parts = [(HERE, _scored_on(names, known, experiment, results.settings, work))]
    for saved in saved_experiments:
        parts.append((saved.name, saved.scored(known, metrics, work)))
    sources = named_apart(parts, is_shared=shares_runs, is_apart_within=not saved_experiments)
    specs = {metric: results.spec(metric) for metric in metrics}
    return claims(sources, specs, experiment.baseline, results.settings)


def _names_in_claims(names: Iterable[str], saved_experiments: Iterable[Kept]) -> dict[str, str]:
    """Return the chosen test sets of this experiment by their names in claims, which tell those of one name apart."""
    saved_names = {test_set.name for saved in saved_experiments for test_set in saved.test_sets}
    return {f"{HERE}/{name}" if name in saved_names else name: name for name in names}


def _scored_on(
    names: Sequence[str], known: Statistics, experiment: Experiment, settings: Settings, work: Work
) -> list[Scored]:
    """Return the statistics on the test sets of these names."""
    metrics = resolve(settings, experiment.given)
    return [scored for scored in known.scored(experiment, metrics, work) if scored.test_set.name in names]
