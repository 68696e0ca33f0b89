"""Words without a partner in a metric's alignments: MultEval's report, here also for two runs at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import run_texts
from mteval.analysis.work import Progress, Work
from mteval.base.arrays import IntArray
from mteval.metrics.explanation import Alignment, Aligns

UNMATCHED = ("word", "references", "missed_by_baseline", "missed_by_system", "missed_by_both", "baseline", "system")

SEGMENTS_A_CHUNK = 256


@dataclass(frozen=True)
class LeftOver:
    """How often each word of one run, and of the references aligned with it, has no match."""

    hypothesis: Counter[str]
    reference: Counter[str]


def left_over(scorer: Aligns, hypotheses: Sequence[str], name: str, work: Work) -> LeftOver:
    """Count the unmatched words of one run; ``name`` identifies it in the progress.

    Raises
    ------
    CancelledError
        If the work was cancelled.
    """
    total = LeftOver(Counter(), Counter())
    starts = range(0, len(hypotheses), SEGMENTS_A_CHUNK)
    for start, found in zip(starts, work.engine.map(partial(_left_over, scorer, hypotheses), starts), strict=True):
        total.hypothesis.update(found.hypothesis)
        total.reference.update(found.reference)
        work.report(Progress(f"Aligning the words of {name}", start, len(hypotheses)))
    return total


def of_medians(scored: Sequence[Scored], evaluation: Evaluation, work: Work) -> list[LeftOver]:
    """Count the unmatched words of each system's median run, by every metric that aligns words."""
    medians = {(row.test_set, row.metric, row.system): row.median_run for row in evaluation.summaries}
    found = []
    for one in scored:
        if not isinstance(one.scorer, Aligns):
            continue
        known: dict[tuple[str, ...], LeftOver] = {}  # runs may be copies
        for system in one.statistics:
            texts = run_texts(one, system, medians[one.test_set.name, one.metric.key, system])
            if texts not in known:
                known[texts] = left_over(one.scorer, texts, system, work)
            found.append(known[texts])
    return found


def _left_over(scorer: Aligns, hypotheses: Sequence[str], start: int) -> LeftOver:
    """Count the unmatched words of one chunk of segments."""
    chunk = hypotheses[start : start + SEGMENTS_A_CHUNK]
    alignments = scorer.alignments(range(start, start + len(chunk)), chunk)
    return LeftOver(
        _total([one.unmatched_hypothesis for one in alignments]),
        _total([one.unmatched_reference for one in alignments]),
    )


@dataclass(frozen=True)
class UnmatchedWords:
    """Unmatched words of two runs, per segment.

    Parameters
    ----------
    references
        Words of the reference that the baseline was aligned with.
    missed_by_baseline, missed_by_system
        Reference words without a match.
    baseline, system
        Hypothesis words without a match.
    """

    references: tuple[Counter[str], ...]
    missed_by_baseline: tuple[Counter[str], ...]
    missed_by_system: tuple[Counter[str], ...]
    baseline: tuple[Counter[str], ...]
    system: tuple[Counter[str], ...]

    @classmethod
    def of(cls, baseline: Sequence[Alignment], system: Sequence[Alignment]) -> UnmatchedWords:
        """Build from one alignment per segment of each run."""
        return cls(
            tuple(Counter(one.reference_words) for one in baseline),
            tuple(one.unmatched_reference for one in baseline),
            tuple(one.unmatched_reference for one in system),
            tuple(one.unmatched_hypothesis for one in baseline),
            tuple(one.unmatched_hypothesis for one in system),
        )

    @property
    def missed_by_both(self) -> tuple[Counter[str], ...]:
        """Return the reference words that the better of the two misses."""
        return tuple(left & right for left, right in zip(self.missed_by_baseline, self.missed_by_system, strict=True))

    def frame(self, most: int) -> pd.DataFrame:
        """Return the ``most`` frequent words of each kind, with the columns ``UNMATCHED``; missed by both first."""
        totals = {name: _total(getattr(self, name)) for name in UNMATCHED[1:]}
        frequent = [totals[name].most_common(most) for name in ("missed_by_both", "baseline", "system")]
        words = dict.fromkeys(word for kind in frequent for word, _ in kind)
        rows = [(word, *(totals[name][word] for name in UNMATCHED[1:])) for word in words]
        frame = pd.DataFrame(rows, columns=list(UNMATCHED))
        return frame.sort_values("missed_by_both", ascending=False, kind="stable", ignore_index=True)

    def segments_with(self, word: str) -> IntArray:
        """Return the segments in which both runs miss the word, or one has it without a match."""
        kinds = zip(self.missed_by_both, self.baseline, self.system, strict=True)
        return np.array([place for place, kind in enumerate(kinds) if any(word in one for one in kind)], dtype=np.int64)


def _total(counters: Sequence[Counter[str]]) -> Counter[str]:
    total = Counter[str]()
    for counter in counters:
        total.update(counter)
    return total
