"""What a list of experiments shows of each: systems, runs, the primary metric and the verdict, without opening it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from mteval.analysis.results import Results
from mteval.counts import counted, counted_range, listed
from mteval.export.prose.verdicts import PROVISIONAL
from mteval.model import Experiment
from mteval.reporting.library.json_form import from_json_form
from mteval.verdict import MANY_SYSTEMS, Conclusion, Verdict


@dataclass(frozen=True)
class Concluded:
    """The verdict on one system by the primary metric: the name of its conclusion, and whether it is provisional."""

    system: str
    conclusion: str
    is_provisional: bool

    @property
    def word(self) -> str:
        """``▲ better``, with what is provisional said to be."""
        conclusion = Conclusion[self.conclusion]
        provisional = f", {PROVISIONAL}" if self.is_provisional else ""
        return f"{conclusion.shape} {conclusion.word}{provisional}"


@dataclass(frozen=True)
class Card:
    """What can be said of an experiment at a glance.

    Parameters
    ----------
    systems
        Keys, the baseline first; none where the files make no experiment yet.
    n_runs
        Of each of them, over all test sets.
    test_set, n_segments
        The one that the verdicts are about, and how many segments it has.
    metric
        Name of the primary metric; empty where nothing was scored.
    concluded
        The verdicts.
    """

    systems: tuple[str, ...] = ()
    n_runs: tuple[int, ...] = ()
    test_set: str = ""
    n_segments: int = 0
    metric: str = ""
    concluded: tuple[Concluded, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdicts in a line: system by system, or of many systems how many have which; empty without numbers."""
        if len(self.systems) < MANY_SYSTEMS:
            return "; ".join(f"{one.system} {one.word}" for one in self.concluded)
        words = Counter(Conclusion[one.conclusion] for one in self.concluded)
        return " · ".join(f"{number} {one.shape} {one.word}" for one in Conclusion if (number := words[one]))


def card_of(experiment: Experiment | None, results: Results | None) -> Card:
    """The card of what is loaded, and of its numbers where there are any."""
    if experiment is None:
        return Card()
    ordered = sorted(experiment.systems, key=lambda system: system.key != experiment.baseline)
    test_set = experiment.test_sets[0] if results is None else results.test_set
    primary = None if results is None else results.settings.primary_metric
    verdicts = () if results is None else results.verdicts(primary)
    return Card(
        systems=tuple(system.key for system in ordered),
        n_runs=tuple(len(system.runs) for system in ordered),
        test_set=test_set.name,
        n_segments=test_set.n_segments,
        metric="" if results is None or primary is None else results.spec(primary).name,
        concluded=tuple(map(_concluded, verdicts)),
    )


def card_from(form: object) -> Card:
    """The card in a list.

    Raises
    ------
    DataError
        Where it is of a form that this version does not know.
    """
    card: Card = from_json_form(Card, form)
    return card


def line_from(form: Mapping[str, object]) -> str:
    """The card in a list as a line.

    Raises
    ------
    DataError
        As ``card_from``.
    """
    return in_a_line(card_from(form)) if form else "what the library said of it is damaged; open it to see"


def _concluded(verdict: Verdict) -> Concluded:
    return Concluded(verdict.system, verdict.conclusion.name, verdict.is_provisional)


def usual_name(experiment: Experiment | None, n_files: int) -> str:
    """What an experiment is called until somebody names it: after its systems."""
    if experiment is None:
        return counted(n_files, "file")
    keys = [system.key for system in experiment.systems]
    return listed(keys) if len(keys) < MANY_SYSTEMS else counted(len(keys), "system")


def in_a_line(card: Card) -> str:
    """``2 systems · 3 runs each · 40 segments · BLEU · new ○ not shown``."""
    if not card.systems:
        return "outputs are missing"
    size = (
        counted(len(card.systems), "system"),
        f"{counted_range(card.n_runs, 'run')} each",
        counted(card.n_segments, "segment"),
    )
    return " · ".join(filter(None, (*size, card.metric or "nothing scored yet", card.verdict)))


def when(seconds: float) -> str:
    """The minute, by the clock of this machine."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")
