"""What the segment page shows, computed once for a pair of runs and kept for the session: a click computes nothing."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import chain

import pandas as pd

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.evidence import NgramCells, UnmatchedWords, count_ngrams
from mteval.analysis.segments.filters import SegmentTexts
from mteval.analysis.segments.runs import RunPair, consistency_frame, segment_differences
from mteval.analysis.segments.table import is_count, segment_table
from mteval.metrics import resolve
from mteval.metrics.explanation import Aligns
from mteval.metrics.ngram.bleu import BleuScorer
from mteval.metrics.text.ngrams import Tokenize
from mteval.ui.session.memory import by_metric, remembered
from mteval.values.model import Run, TestSet
from mteval.values.notation import Notation
from mteval.values.run_words import Wording
from mteval.values.settings import Settings


@dataclass(frozen=True)
class SegmentData:
    """Two runs, segment by segment.

    Parameters
    ----------
    results
        The numbers of all runs, on the test set that the segments are of.
    scored
        The metrics that have scores of both runs.
    baseline, system
        The runs that are compared.
    differences
        One row a metric and segment, as ``mteval.analysis.segments.runs`` makes them.
    table
        One row a segment, as ``mteval.analysis.segments.table`` makes them.
    texts
        What is searched.
    key
        Names what all this is made of.
    """

    results: Results
    scored: tuple[Scored, ...]
    baseline: Run
    system: Run
    differences: pd.DataFrame
    table: pd.DataFrame
    texts: SegmentTexts
    key: Hashable

    @property
    def test_set(self) -> TestSet:
        """The test set that the segments are of."""
        return self.results.test_set

    @property
    def compares_words(self) -> bool:
        """Whether there are texts, and references by which their words are right or wrong."""
        return self.test_set.has_texts and self.test_set.has_references

    @property
    def names(self) -> tuple[str, str]:
        """What the two sides are called: their systems, or with their runs where both are of one."""
        left, right = self.baseline, self.system
        if left.system != right.system:
            return left.system, right.system
        return f"{left.system} · {left.key}", f"{right.system} · {right.key}"

    @property
    def said(self) -> Wording:
        """How to say what is said of runs."""
        sides = ((run.system, run.key) for run in (self.baseline, self.system))
        names = (*chain.from_iterable(sides), *(by.metric.name for by in self.scored))
        return Wording(self.results.run_word, names)

    @property
    def metrics(self) -> tuple[str, ...]:
        """Keys of the metrics, the primary one first."""
        return tuple(by.metric.key for by in self.scored)

    def notation(self, metric: str) -> Notation:
        """How a metric's sentence scores are written."""
        return self.results.spec(metric).notation.coarser

    def scored_by(self, metric: str) -> Scored:
        """One metric's statistics."""
        return by_metric(self.scored, metric)

    def ranked_by(self, metric: str) -> tuple[Scored, ...]:
        """All metrics' statistics, first those of the metric that segments are ranked by."""
        return tuple(sorted(self.scored, key=lambda by: by.metric.key != metric))

    def consistency(self, metric: str) -> pd.DataFrame:
        """How all runs of the two systems compare in each segment."""
        systems = (self.baseline.system, self.system.system)
        return remembered(
            (self.key, "consistency", metric), lambda: consistency_frame(self.scored_by(metric), *systems)
        )

    def ngrams(self) -> tuple[NgramCells, ...]:
        """Words and n-grams of the two runs and the references."""

        def count() -> tuple[NgramCells, ...]:
            texts = self.test_set.references, self.baseline.hypotheses, self.system.hypotheses
            return count_ngrams(_tokenizer(self.scored, self.results.settings), *texts)

        return remembered((self.key, "n-grams"), count)

    def unmatched(self) -> UnmatchedWords | None:
        """The words that the metric's alignments leave over, where a metric aligns words."""
        aligning = [by.scorer for by in self.scored if isinstance(by.scorer, Aligns)]
        return remembered((self.key, "unmatched"), lambda: self._aligned(aligning[0])) if aligning else None

    def _aligned(self, scorer: Aligns) -> UnmatchedWords:
        segments = range(self.test_set.n_segments)
        left, right = (scorer.alignments(segments, run.hypotheses) for run in (self.baseline, self.system))
        return UnmatchedWords.of(left, right)


def part_digits(scored: Scored, part: str) -> int:
    """Decimals of a part of a metric's score: edits are counted, rates are not."""
    return 0 if is_count(scored, part) else 2


def segment_data(results: Results, scored: tuple[Scored, ...], pair: RunPair) -> SegmentData:
    """All that the page shows of a pair of runs; metrics whose scores were not given for both are left out."""
    scored, test_set = tuple(by for by in scored if pair.is_on(by.test_set)), results.test_set
    baseline = _run(test_set, pair.baseline, pair.baseline_run)
    system = _run(test_set, pair.system, pair.system_run)
    metrics = tuple(by.metric for by in scored)
    key = (results.experiment.digest, test_set.name, metrics, pair)

    def make() -> SegmentData:
        differences = segment_differences(scored, pair)
        return SegmentData(
            results=results,
            scored=scored,
            baseline=baseline,
            system=system,
            differences=differences,
            table=segment_table(scored, differences, baseline, system),
            texts=SegmentTexts.of(test_set.source, test_set.references, baseline.hypotheses, system.hypotheses),
            key=key,
        )

    return remembered(key, make)


def _run(test_set: TestSet, system: str, key: str) -> Run:
    return next(run for run in test_set.runs_of(system) if run.key == key)


def _tokenizer(scored: Sequence[Scored], settings: Settings) -> Tokenize:
    """BLEU's, as it was set, or as the convention has it where BLEU is not among the metrics."""
    for by in scored:
        if isinstance(by.scorer, BleuScorer):
            return by.scorer.references.tokenize
    (bleu,) = resolve(Settings(metrics=("bleu",), convention=settings.convention))
    scorer = bleu.prepare(TestSet("empty", (("",),)))
    assert isinstance(scorer, BleuScorer)
    return scorer.references.tokenize
