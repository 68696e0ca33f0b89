"""Words without a partner in a metric's alignments: MultEval's report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import run_texts
from mteval.analysis.work import Progress, Work
from mteval.metrics.explanation import Alignment, Aligns

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

    def aligned(start: int) -> tuple[Alignment, ...]:
        chunk = hypotheses[start : start + SEGMENTS_A_CHUNK]
        return scorer.alignments(range(start, start + len(chunk)), chunk)

    for start, alignments in zip(starts, work.engine.map(aligned, starts), strict=True):
        for one in alignments:
            total.hypothesis.update(one.unmatched_hypothesis)
            total.reference.update(one.unmatched_reference)
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
