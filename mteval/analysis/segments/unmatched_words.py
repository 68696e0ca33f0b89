"""Words that find no match in a metric's alignments: MultEval's report of unmatched words, and for two runs at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.evidence import UNMATCHED
from mteval.analysis.segments.runs import run_texts
from mteval.analysis.work import Progress, Work
from mteval.base.arrays import IntArray
from mteval.metrics.explanation import Alignment, Aligns

SEGMENTS_A_CHUNK = 256


@dataclass(frozen=True)
class LeftOver:
    """How often each word of one run, and of the references that it was aligned with, has no match."""

    hypothesis: Counter[str]
    reference: Counter[str]


def left_over(scorer: Aligns, hypotheses: Sequence[str], name: str, work: Work) -> LeftOver:
    """Of one run of a test set; ``name`` says in the progress whose it is.

    Raises
    ------
    CancelledError
        When the work was told to stop.
    """
    total = LeftOver(Counter(), Counter())
    starts = range(0, len(hypotheses), SEGMENTS_A_CHUNK)
    for start, found in zip(starts, work.engine.share(_left_over, (scorer, hypotheses), starts), strict=True):
        total.hypothesis.update(found.hypothesis)
        total.reference.update(found.reference)
        work.report(Progress(f"Aligning the words of {name}", start, len(hypotheses)))
    return total


def of_medians(scored: Sequence[Scored], evaluation: Evaluation, work: Work) -> list[LeftOver]:
    """What the median run of each system leaves over, by the metric that aligns words; nothing where none does."""
    return [found for one in scored if isinstance(one.scorer, Aligns) for found in _of_metric(one, evaluation, work)]


def _of_metric(one: Scored, evaluation: Evaluation, work: Work) -> Iterator[LeftOver]:
    assert isinstance(one.scorer, Aligns)
    medians = {
        row.system: row.median_run
        for row in evaluation.summaries
        if row.test_set == one.test_set.name and row.metric == one.metric.key
    }
    known: dict[tuple[str, ...], LeftOver] = {}  # runs may be copies
    for system in one.statistics:
        texts = run_texts(one, system, medians[system])
        if texts not in known:
            known[texts] = left_over(one.scorer, texts, system, work)
        yield known[texts]


def _left_over(common: tuple[Aligns, Sequence[str]], start: int) -> LeftOver:
    """Of one chunk of segments."""
    scorer, hypotheses = common
    chunk = hypotheses[start : start + SEGMENTS_A_CHUNK]
    alignments = scorer.alignments(range(start, start + len(chunk)), chunk)
    return LeftOver(
        _total([one.unmatched_hypothesis for one in alignments]),
        _total([one.unmatched_reference for one in alignments]),
    )


@dataclass(frozen=True)
class UnmatchedWords:
    """For each segment the words that the alignments of two runs leave over.

    Parameters
    ----------
    references
        Words of the reference that the baseline was aligned with.
    missed_by_baseline, missed_by_system
        Words of the references without a match.
    baseline, system
        Words of the hypotheses without one.
    """

    references: tuple[Counter[str], ...]
    missed_by_baseline: tuple[Counter[str], ...]
    missed_by_system: tuple[Counter[str], ...]
    baseline: tuple[Counter[str], ...]
    system: tuple[Counter[str], ...]

    @classmethod
    def of(cls, baseline: Sequence[Alignment], system: Sequence[Alignment]) -> UnmatchedWords:
        """From one alignment a segment of each run."""
        return cls(
            tuple(Counter(one.reference_words) for one in baseline),
            tuple(one.unmatched_reference for one in baseline),
            tuple(one.unmatched_reference for one in system),
            tuple(one.unmatched_hypothesis for one in baseline),
            tuple(one.unmatched_hypothesis for one in system),
        )

    @property
    def missed_by_both(self) -> tuple[Counter[str], ...]:
        """Words of the references that the better of the two misses."""
        return tuple(left & right for left, right in zip(self.missed_by_baseline, self.missed_by_system, strict=True))

    def frame(self, most: int) -> pd.DataFrame:
        """Columns and order as ``unmatched_frame``, with the ``most`` words of each kind."""
        totals = {name: _total(getattr(self, name)) for name in UNMATCHED[1:]}
        frequent = [totals[name].most_common(most) for name in ("missed_by_both", "baseline", "system")]
        words = dict.fromkeys(word for kind in frequent for word, _ in kind)
        rows = [(word, *(totals[name][word] for name in UNMATCHED[1:])) for word in words]
        frame = pd.DataFrame(rows, columns=list(UNMATCHED))
        return frame.sort_values("missed_by_both", ascending=False, kind="stable", ignore_index=True)

    def segments_with(self, word: str) -> IntArray:
        """Segments in which both runs miss the word or one has it without a match."""
        kinds = zip(self.missed_by_both, self.baseline, self.system, strict=True)
        return np.array([place for place, kind in enumerate(kinds) if any(word in one for one in kind)], dtype=np.int64)


def _total(counters: Sequence[Counter[str]]) -> Counter[str]:
    total = Counter[str]()
    for counter in counters:
        total.update(counter)
    return total
