"""Whether independent runs may have the same output by chance, as short answers to a few questions often do."""

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
    """Whether independent runs of a system may well have the same output on a test set.

    If runs agree with probability ``s`` in each of ``n`` independent segments, they agree in all with ``s ** n``. The
    largest of three estimates stands for ``s``:

    * the share of segments in which two different runs of a system agree, for up to ``MOST_RUNS`` runs of each;
    * the share of pairs of segments with the same answer: answers drawn at random would agree as often;
    * the square of the share of segments in which the run equals a reference: two such runs are both right there.
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
        """Return the largest share of segments in which two different runs of a system agree; 0 if there are none."""
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
        """Return the share of segments in which a run equals a reference."""
        return float(sum(map(contains, self._test_set.references, run.hypotheses))) / self._test_set.n_segments


def _share_of_answers(run: Run) -> float:
    """Return the share of pairs of segments with the same answer."""
    n_segments = len(run.hypotheses)
    n_equal = sum(n_times * (n_times - 1) for n_times in Counter(run.hypotheses).values())
    return n_equal / max(n_segments * (n_segments - 1), 1)
