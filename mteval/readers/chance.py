"""Whether independent runs may have the same output by chance, as short answers to few questions often have."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import combinations, islice
from operator import contains, eq

from mteval.values.model import Run, TestSet

UNLIKELY = 0.01  # that independent runs agree everywhere
MOST_RUNS = 20  # of a system that are compared; 500 runs have 124,750 pairs


def equal_share(texts: Sequence[str], other_texts: Sequence[str]) -> float:
    """Return the share of segments with equal texts."""
    return float(sum(map(eq, texts, other_texts))) / len(texts)


class Chance:
    """How likely independent runs of a system have the same output on a test set.

    Runs that agree in a share ``s`` of ``n`` segments agree in all with a probability of at most ``s ** n``, which is
    reached if all segments are alike. Three things show how large ``s`` is at least.

    * Runs that differ, up to ``MOST_RUNS`` of a system, show how often runs of one system agree.
    * Independent answers agree as often as two segments of one run have the same answer, and runs of one system more.
    * If a run is right in a share ``a``, i.e. equal to a reference, two such runs are both right in ``a ** 2`` or more.
    """

    def __init__(self, test_set: TestSet) -> None:
        self._test_set = test_set
        self._answers: dict[str, bool] = {}  # by digest of an output

    def may_repeat(self, run: Run) -> bool:
        """Return whether an independent run of its system may have the output of this run."""
        if run.digest not in self._answers:
            share = max(self._share_of_runs, _share_of_answers(run), self._share_right(run) ** 2)
            self._answers[run.digest] = float(share**self._test_set.n_segments) >= UNLIKELY
        return self._answers[run.digest]

    @cached_property
    def _share_of_runs(self) -> float:
        """In which share of segments two runs of a system agree that differ, at most; 0 if there are none."""
        runs_of: dict[str, dict[str, Run]] = defaultdict(dict)  # the distinct ones, by system
        for run in self._test_set.runs:
            if any(run.hypotheses):
                runs_of[run.system][run.digest] = run
        shares = [0.0]
        for runs in runs_of.values():
            for first, second in combinations(islice(runs.values(), MOST_RUNS), 2):
                shares.append(equal_share(first.hypotheses, second.hypotheses))
        return max(shares)

    def _share_right(self, run: Run) -> float:
        """In which share of segments a run is equal to a reference."""
        return float(sum(map(contains, self._test_set.references, run.hypotheses))) / self._test_set.n_segments


def _share_of_answers(run: Run) -> float:
    """Return which share of the pairs of segments have the same answer."""
    n_segments = len(run.hypotheses)
    n_equal = sum(n_times * (n_times - 1) for n_times in Counter(run.hypotheses).values())
    return n_equal / max(n_segments * (n_segments - 1), 1)
