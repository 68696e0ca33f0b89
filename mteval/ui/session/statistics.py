"""The statistics that a session knows: what has been scored is not scored again, whichever page asks for it."""

from collections.abc import Iterable, Sequence

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.work import Work, means_of_computation
from mteval.digests import digest_of
from mteval.metrics import resolve
from mteval.metrics.base import Metric
from mteval.model import Experiment, TestSet
from mteval.ui.session.memory import MIB, Memory, of_session, share_of_session

MOST_BYTES = 1024 * MIB
MOST_STATISTICS = 1_000


class Statistics:
    """By test set, with its runs, and metric. Work in any thread may use it, and leaves there what it has scored."""

    def __init__(self) -> None:
        self._kept: Memory[Scored] = Memory(MOST_STATISTICS, share_of_session(MOST_BYTES), _size)

    def has(self, experiment: Experiment, metrics: Sequence[Metric]) -> bool:
        """Whether nothing would have to be scored."""
        names = map(_name, experiment.test_sets)
        return all((name, metric) in self._kept for name in names for metric in metrics)

    def scored(self, experiment: Experiment, metrics: Sequence[Metric], work: Work) -> tuple[Scored, ...]:
        """As ``score_experiment``, by test set, then metric; what is known is not scored again."""
        names = {test_set.name: _name(test_set) for test_set in experiment.test_sets}
        wanted = [(names[test_set.name], metric) for test_set in experiment.test_sets for metric in metrics]
        known = {key: scored for key in wanted if (scored := self._kept.get(key)) is not None}
        missing = [metric for metric in metrics if any((name, metric) not in known for name in names.values())]
        for scored in score_experiment(experiment, missing, work) if missing else ():
            known[names[scored.test_set.name], scored.metric] = scored
        self._kept.keep(known)
        return tuple(known[key] for key in wanted)


def _name(test_set: TestSet) -> str:
    """Digest of all that its statistics depend on, and of what they are called."""
    runs = (text for run in test_set.runs for text in (run.system, run.key, run.content_digest))
    return digest_of((test_set.name, test_set.role, test_set.digest, *runs))


def _size(scored: Scored) -> int:
    """Bytes of the statistics; what scorers hold is shared among them."""
    return sum(array.nbytes for array in scored.statistics.values())


def texts_key(experiment: Experiment) -> str:
    """Digest of the test sets and their runs, without the choice of the baseline and the scores that were given."""
    return digest_of(tuple(map(_name, experiment.test_sets)))


def statistics() -> Statistics:
    """Those of the session."""
    return of_session("statistics", Statistics)


def by_metric(scored: Iterable[Scored], metric: str) -> Scored:
    """Those of one metric."""
    return next(by for by in scored if by.metric.key == metric)


def scored_on(results: Results) -> tuple[Scored, ...]:
    """The statistics behind results, by metric in their order; those forgotten meanwhile come from the disk."""
    metrics = resolve(results.settings, results.experiment.given)
    scored = statistics().scored(results.experiment, metrics, means_of_computation())
    return tuple(by for by in scored if by.test_set.name == results.test_set.name)
