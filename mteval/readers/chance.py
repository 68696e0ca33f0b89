"""Whether independent runs may have the same output by chance, as short answers to few questions often have."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, islice
from operator import eq

from mteval.values.model import Run, TestSet

UNLIKELY = 0.01  # that independent runs agree everywhere
MOST_RUNS = 20  # of a system that are compared; 500 runs have 124,750 pairs


def equal_share(texts: Sequence[str], other_texts: Sequence[str]) -> float:
    """Return the share of segments with equal texts."""
    return float(sum(map(eq, texts, other_texts))) / len(texts)


def may_be_equal_by_chance(test_set: TestSet) -> bool:
    """Return whether independent runs of a system may have the same output on a test set.

    Runs that differ, up to ``MOST_RUNS`` of a system, show how often runs of one system agree in a segment. If they
    agree in a share ``s`` of ``n`` segments, they agree in all with a probability of at most ``s ** n``, which is
    reached if all segments are alike. Without runs that differ there is no sign of chance.
    """
    runs_of: dict[str, dict[str, Run]] = defaultdict(dict)  # the distinct ones, by system
    for run in test_set.runs:
        if any(run.hypotheses):
            runs_of[run.system][run.digest] = run
    shares = []
    for runs in runs_of.values():
        for first, second in combinations(islice(runs.values(), MOST_RUNS), 2):
            shares.append(equal_share(first.hypotheses, second.hypotheses))
    if not shares:
        return False
    return float(max(shares) ** test_set.n_segments) >= UNLIKELY
