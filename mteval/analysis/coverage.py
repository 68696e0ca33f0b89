"""What the numbers of each system by each metric rest on."""

from collections.abc import Iterable, Iterator

import numpy as np

from mteval.analysis.scoring import BoolArray, Scored
from mteval.coverage import Coverage
from mteval.metrics.imported import Imported
from mteval.model import TestSet


def coverages(scored_metrics: Iterable[Scored]) -> Iterator[Coverage]:
    """One a test set, metric and system that the metric has scores of."""
    for scored in scored_metrics:
        for system in scored.statistics:
            yield _coverage(scored, system)


def _coverage(scored: Scored, system: str) -> Coverage:
    test_set, present = scored.test_set, scored.present(system)
    return Coverage(
        test_set=test_set.name,
        metric=scored.metric.key,
        system=system,
        n_segments=int(np.count_nonzero(present)),
        of_segments=test_set.n_segments,
        n_documents=n_documents(test_set, present),
        of_documents=n_documents(test_set, np.ones_like(present)),
        n_given=_n_given(scored, system),
        n_judgements=_n_judgements(scored, system),
    )


def n_documents(test_set: TestSet, segments: BoolArray) -> int:
    """How many documents some of the segments are of; 0 where the test set names none."""
    if test_set.documents is None:
        return 0
    return len({document for document, is_there in zip(test_set.documents, segments, strict=True) if is_there})


def _n_given(scored: Scored, system: str) -> int:
    """Scores that the runs of a system came with."""
    if not isinstance(scored.metric, Imported):
        return 0
    return int(np.count_nonzero(~np.isnan(scored.statistics[system][..., 0])))


def _n_judgements(scored: Scored, system: str) -> int:
    """Judgements of people that the scores of a system are means of; 0 where nothing is said of them."""
    if not isinstance(scored.metric, Imported):
        return 0
    here = (scored.test_set.name, system)
    return sum(sum(one.judgements or ()) for one in scored.metric.given.scores if (one.test_set, one.system) == here)
