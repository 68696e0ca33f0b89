"""Experiments of the library whose test sets take part in a claim, as language pairs that were loaded one by one."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.several_test_sets import claimed_test_sets
from mteval.analysis.work import Work
from mteval.library import Listed
from mteval.metrics import catalog, resolve
from mteval.model import Experiment, TestSet
from mteval.reporting.library.card import card_from
from mteval.reporting.library.experiment import opened
from mteval.settings import Settings
from mteval.ui.parts.choices import choose_some
from mteval.ui.session.progress import ask
from mteval.ui.session.statistics import statistics
from mteval.ui.setup.entry import entry_here, library, mine


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
