"""The words behind a difference: those that one run gets right more often, and those without a match."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mteval.analysis.segments.evidence import (
    NgramCells,
    UnmatchedWords,
    count_ngrams,
    evidence_frame,
    unmatched_frame,
)
from mteval.answers.section import Column, Section, Table
from mteval.answers.segments import SegmentData
from mteval.metrics import resolve
from mteval.metrics.explanation import Aligns
from mteval.metrics.ngram.bleu import BleuScorer
from mteval.metrics.text.ngrams import Tokenize
from mteval.values.model import TestSet
from mteval.values.settings import Settings

MOST = 150  # n-grams each way, words of each kind


def ngrams(data: SegmentData) -> tuple[NgramCells, ...]:
    """Return words and n-grams of the two runs and the references."""
    texts = data.test_set.references, data.baseline.hypotheses, data.system.hypotheses
    return count_ngrams(_tokenizer(data), *texts)


def _tokenizer(data: SegmentData) -> Tokenize:
    """Return BLEU's tokenizer as chosen, or the convention's if BLEU is not among the metrics."""
    (bleu,) = resolve(Settings(metrics=("bleu",), convention=data.results.settings.convention))
    scorers = [*(by.scorer for by in data.scored), bleu.prepare(TestSet("empty", (("",),)))]
    return next(scorer.references.tokenize for scorer in scorers if isinstance(scorer, BleuScorer))


def unmatched(data: SegmentData) -> UnmatchedWords | None:
    """Return the words without a partner in the metric's alignments, if a metric aligns words."""
    scorer = next((by.scorer for by in data.scored if isinstance(by.scorer, Aligns)), None)
    if scorer is None:
        return None
    segments = range(data.test_set.n_segments)
    left, right = (scorer.alignments(segments, run.hypotheses) for run in (data.baseline, data.system))
    return UnmatchedWords.of(left, right)


def gained_and_lost(data: SegmentData, cells: Sequence[NgramCells]) -> Iterator[Section]:
    """Yield n-grams that the second run gets right more often, and those that the first does."""
    gains, (left, right) = evidence_frame(cells, MOST), data.names
    help_text = "log₂ of (matches of the second + 1) / (matches of the first + 1)"
    columns = (
        Column("ngram", "Words"), Column("baseline", left, "count"), Column("system", right, "count"),
        Column("log_ratio", "Log ratio", "number", help_text, digits=2), Column("references", "Refs.", "count"),
    )  # fmt: skip
    for key, name, is_among in (("gained", right, gains["difference"] > 0), ("lost", left, gains["difference"] < 0)):
        yield Section(f"words-{key}", f"{name} gets right more often", table=Table(columns, gains[is_among]))


def missed(data: SegmentData, words: NgramCells, aligned: UnmatchedWords | None) -> Section:
    """Return words of references that outputs miss, and words of outputs that no reference has.

    Parameters
    ----------
    words
        The first of ``ngrams``.
    aligned
        From ``unmatched``.
    """
    left, right = data.names
    how = "Exact matches."
    if aligned is not None:
        how = "Matches are METEOR's alignments, with stems, synonyms and paraphrases if enabled."
    lead = f"Words of references that outputs miss, and words of outputs without a match. {how}"
    titles = {
        "references": "In references", "missed_by_both": "Missed by both", "missed_by_baseline": f"Missed by {left}",
        "missed_by_system": f"Missed by {right}", "baseline": f"Too many in {left}", "system": f"Too many in {right}",
    }  # fmt: skip
    columns = (Column("word", "Word"), *(Column(key, name, "count") for key, name in titles.items()))
    frame = unmatched_frame(words, MOST) if aligned is None else aligned.frame(MOST)
    return Section("words-unmatched", "Words without a match", (lead,), Table(columns, frame))
