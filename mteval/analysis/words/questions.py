"""Questions about the words and outputs of some systems on one test set, answered from all their runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

import numpy as np
import pandas as pd

from mteval.analysis.scoring import Scored, Work, frame_of
from mteval.analysis.segments.table import Partition, by_length, count_words, pieces_of, yardstick_words
from mteval.analysis.two_answers import Measured
from mteval.analysis.words import verdicts
from mteval.analysis.words.groupings import PARSES, Asked, Counted, Grouped, grouped, output_shares, source_accuracy
from mteval.analysis.words.ngrams import LONGEST, NgramEvidence, ngram_evidence
from mteval.analysis.words.texts import WordTexts
from mteval.analysis.words.verdicts import Group, GroupMetric, GroupVerdict, Measure, Named
from mteval.base.arrays import BoolArray, FloatArray, StatArray
from mteval.base.errors import DataError
from mteval.metrics import METRICS, resolve
from mteval.metrics.ngram.bleu import BleuScorer
from mteval.metrics.text.ngrams import Tokenize
from mteval.values.model import TestSet
from mteval.values.notation import Notation, rounded_up
from mteval.values.settings import Settings

LENGTH_DIFFERENCES = (-20, -10, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 11, 21)  # compare-mt's


@dataclass(frozen=True)
class GroupAnswers:
    """Verdicts on groups of words, segments or outputs.

    Parameters
    ----------
    by
        What groups them, for titles.
    measure
        Name of the measure or metric.
    sizes
        What ``size`` counts: words, segments, terms.
    n_left_out
        How many of them are in no group.
    """

    by: str
    measure: str
    notation: Notation
    rows: tuple[GroupVerdict, ...]
    sizes: str = "Words"
    n_left_out: int = 0

    @property
    def frame(self) -> pd.DataFrame:
        """Return one row per group and system."""
        return frame_of(self.rows, GroupVerdict).drop(columns="verdict").join(pd.DataFrame(map(_of_verdict, self.rows)))


_FIELDS = (
    "difference", "improvement", "low", "high", "low_test_set", "high_test_set", "p_test_set", "p_both",
    "p_test_set_adjusted", "p_both_adjusted",
)  # fmt: skip


def _of_verdict(row: GroupVerdict) -> dict[str, object]:
    verdict = row.verdict
    numbers = {name: float("nan") if verdict is None else getattr(verdict, name) for name in _FIELDS}
    return {**numbers, "conclusion": "" if verdict is None else verdict.conclusion.word}


@dataclass(frozen=True, eq=False)
class WordData:
    """A baseline and systems on one test set with texts and references; equal to itself alone.

    Parameters
    ----------
    systems
        The baseline first.
    """

    test_set: TestSet
    systems: tuple[str, ...]
    settings: Settings
    work: Work = field(default_factory=Work)

    def __post_init__(self) -> None:
        """Raise ``DataError`` if words cannot be compared."""
        if len(self.systems) < 2 or not self.systems[0]:
            raise DataError(f"Words need two systems; test set '{self.test_set.name}' has output of one.")
        if not (self.test_set.has_texts and self.test_set.has_references):
            raise DataError(f"Words need outputs and references; test set '{self.test_set.name}' lacks one of them.")

    @property
    def has_parses(self) -> bool:
        """Return whether references have CoNLL-U parses."""
        return self.test_set.reference_parses is not None

    @property
    def baseline(self) -> str:
        """Return the system that others are compared with."""
        return self.systems[0]

    @cached_property
    def tokenize(self) -> Tokenize:
        """Return BLEU's tokenizer."""
        scorer = resolve(replace(self.settings, metrics=("bleu",)))[0].prepare(TestSet("empty", (("",),)))
        assert isinstance(scorer, BleuScorer)
        return scorer.references.tokenize

    @cached_property
    def texts(self) -> WordTexts:
        """Return the words of references and outputs."""
        return WordTexts.of_test_set(self.test_set, self.systems, self.tokenize)

    @cached_property
    def orders(self) -> tuple[WordTexts, ...]:
        """Return words and n-grams."""
        return tuple(self.texts.ngrams(LONGEST))

    def words_of(self, lines: Sequence[str]) -> Iterable[str]:
        """Return the words of some lines."""
        words = self.tokenize(lines)
        return (words.tokens[place] for place in words.in_numbers(range(len(words.tokens))).items.tolist())

    def by_words(self, asked: Asked) -> GroupAnswers:
        """Return precision, recall or F of target words by group, or the accuracy of source words.

        Raises
        ------
        DataError
            If labels or alignments do not fit the texts.
        """
        if asked.alignment:
            names, counts = source_accuracy(self.test_set, self.systems, asked, self.tokenize)
            return self._answers(f"{asked.labels or asked.by} of source words", names, counts, "accuracy")
        found = self.grouped(asked)
        measure: Measure = "recall" if found.of_outputs is None else asked.measure
        by = asked.labels or {"case": "letter case"}.get(asked.by, asked.by)
        return self._answers(by, found.names, found.counts, measure)

    def grouped(self, asked: Asked) -> Grouped:
        """Return the words in groups."""
        known = None if asked.lowercase or asked.by == "label" else self.texts
        return grouped(self.test_set, self.systems, asked, self.tokenize, known)

    def by_terms(self, terms: Terms) -> GroupAnswers:
        """Return the accuracy of required terms.

        Raises
        ------
        DataError
            If no segment requires any.
        """
        found, counts = term_accuracy(self.test_set, self.systems, terms)
        if not found:
            raise DataError(f"None of the {len(terms):,} terms occurs on test set '{self.test_set.name}'.")
        return self._answers("required term", ("all terms",), counts, "accuracy", "Required")

    def by_length_difference(self) -> GroupAnswers:
        """Return the share of outputs by their length less that of the reference, in words."""
        words = {system: self._lengths(system) - yardstick_words(self.test_set) for system in self.systems}
        names, counts = output_shares(words, LENGTH_DIFFERENCES)
        return self._answers("length difference", names, counts, "share", "Outputs")

    def _lengths(self, system: str) -> FloatArray:
        runs, count = self.test_set.runs_of(system), cache(count_words)  # runs share outputs
        return np.array([list(map(count, run.hypotheses)) for run in runs], dtype=np.float64)

    def _answers(
        self, by: str, names: tuple[str, ...], counts: Mapping[str, StatArray], measure: Measure, sizes: str = "Words"
    ) -> GroupAnswers:
        groups, metric = verdicts.groups_of(self.test_set, names, counts, measure), GroupMetric(measure)
        return _answers_about(groups, metric, self.baseline, by, sizes, self.settings, self.work)

    def ngrams(self, system: str, measure: Measure = "recall", asked: Asked | None = None) -> NgramEvidence:
        """Return n-grams that the baseline or a system gets right more often, over words or labels."""
        pair, labels = (self.baseline, system), None if asked is None else self.grouped(asked)
        orders = self.orders if labels is None else tuple(labels.texts.ngrams(LONGEST))
        return ngram_evidence(self.test_set, orders, pair, measure, self.settings, self.work, labels)

    def segments_with(self, ngram: Sequence[str], where: str) -> BoolArray:
        """Return the segments in which the runs of the first two systems differ in an n-gram, or miss it.

        Parameters
        ----------
        where
            ``differs`` (one system has more matches on average) or ``missed`` (both miss some of it, or one has more
            than the reference).
        """
        words, nowhere = self.texts.words, np.zeros(self.test_set.n_segments, dtype=bool)
        if not 1 <= len(ngram) <= LONGEST or not set(ngram) <= set(words):
            return nowhere
        texts = self.orders[len(ngram) - 1]
        found = np.flatnonzero((texts.spelled == [words.index(word) for word in ngram]).all(axis=1))
        if not len(found):
            return nowhere
        here, there = (np.where(one.items == found[0], 0, -1) for one in (texts.references, texts.outputs))
        runs = texts.spread(texts.counts(here, there, 1)[:, 0])
        left, right = (runs[system].mean(axis=0).T for system in self.systems[:2])
        if where == "differs":
            return np.asarray(left[0] != right[0])
        missed = (left[0] < left[2]) & (right[0] < right[2])
        return np.asarray(missed | (left[1] > left[0]) | (right[1] > right[0]))

    def unmatched(self, most: int) -> pd.DataFrame:
        """Return words of references that outputs miss, and words of outputs without a match, mean over runs.

        Columns ``UNMATCHED``; the ``most`` frequent of each kind, those missed most often first.
        """
        texts, n_words = self.texts, len(self.texts.words)
        frame = pd.DataFrame({"word": texts.words})
        for side, system in zip(("baseline", "system"), self.systems, strict=False):
            uses = texts.uses(system)
            weights = uses[texts.output_of]
            matched = weights * (texts.partners >= 0)
            in_reference = np.bincount(texts.chosen, weights=uses, minlength=len(texts.references.lengths))
            sums = [np.bincount(texts.outputs.items, one, n_words) for one in (matched, weights)]
            of_references = np.bincount(texts.references.items, in_reference[texts.reference_of], n_words)
            frame["references"] = of_references
            frame[f"missed_by_{side}"], frame[side] = of_references - sums[0], sums[1] - sums[0]
        frame["missed"] = frame["missed_by_baseline"] + frame["missed_by_system"]
        parts = [frame.nlargest(most, name, keep="first") for name in ("missed", "baseline", "system")]
        chosen = pd.concat(parts).loc[lambda rows: ~rows.index.duplicated()]
        chosen = chosen[(chosen[["missed", "baseline", "system"]] > 0).any(axis=1)]
        return chosen.sort_values("missed", ascending=False, kind="stable", ignore_index=True)[list(UNMATCHED)]


BY = ("frequency", "case", "label", "source", "terms", "ngrams", "label-ngrams", "length-difference", "length", "score")
USUAL = ("frequency", "case", "ngrams")


def answered(
    data: WordData, by: str, asked: Asked, terms: Terms, scored: Scored | None, system: str
) -> GroupAnswers | NgramEvidence:
    """Return the answers to one of the questions ``BY``.

    Parameters
    ----------
    asked
        Options of groups of words.
    terms
        For ``terms``.
    scored
        A metric, for ``length`` and ``score``.
    system
        For n-grams, the system to compare with the baseline.
    """
    labels = asked.labels or (PARSES if data.has_parses else "")
    match by:
        case "terms":
            return data.by_terms(terms)
        case "ngrams":
            return data.ngrams(system, asked.measure)
        case "label-ngrams":
            return data.ngrams(system, asked.measure, replace(asked, by="label", labels=labels, alignment=""))
        case "length-difference":
            return data.by_length_difference()
        case "length" if scored is not None:
            partition = by_length(yardstick_words(data.test_set))
            metric = scored.metric
            notation = METRICS[metric.key].notation if metric.key in METRICS else verdicts.NOTATION
            return by_segments(scored, data.systems, partition, "length", notation, data.settings, data.work)
        case "score" if scored is not None:
            return by_scores(scored, data.systems, data.settings, data.work)
        case "source":
            return data.by_words(replace(asked, by="label" if asked.labels else "frequency"))
        case "label":
            return data.by_words(replace(asked, by="label", labels=labels, alignment=""))
    return data.by_words(replace(asked, by="case" if by == "case" else "frequency", labels="", alignment=""))


Terms = Mapping[str, Sequence[str]]  # accepted translations of each source term


def joined_words(text: str) -> str:
    """Return a text with each word between two spaces, ignoring case; words cannot be cut in two by a search."""
    return "".join(f" {piece} " for piece in pieces_of(text.casefold()) if not piece.isspace())


def term_accuracy(test_set: TestSet, systems: Sequence[str], terms: Terms) -> Counted:
    """Count the required terms that outputs have.

    A term is required as often as it occurs in the source; without a source, as its translations occur in the reference
    with most of them.

    Returns
    -------
    The terms that occur, and counts ``(runs, segments, 1, 3)`` of each system: found, and twice required.
    """
    required = required_terms(test_set, terms)
    variants = {term: _variants(terms, term) for here in required for term in here}

    @cache
    def found(segment: int, text: str) -> int:
        words = joined_words(text) if required[segment] else ""
        return sum(min(n, sum(map(words.count, variants[term]))) for term, n in required[segment].items())

    counts, places = {}, range(test_set.n_segments)
    totals = np.array([sum(here.values()) for here in required])
    for system in systems:
        runs = [[list(map(found, places, one.hypotheses)) for one in run.decodings] for run in test_set.runs_of(system)]
        matches = np.stack([np.mean(one, axis=0) for one in runs])
        whole = np.broadcast_to(totals, matches.shape)
        counts[system] = np.stack([matches, whole, whole], axis=-1)[:, :, np.newaxis]
    return tuple(variants), counts


def _variants(terms: Terms, term: str) -> set[str]:
    return {joined_words(variant) for variant in terms[term]} - {""}


def required_terms(test_set: TestSet, terms: Terms) -> list[Counter[str]]:
    """Return how often each segment requires each term; terms that it does not require are left out."""
    streams: Sequence[Sequence[str]] = test_set.references
    wanted = {term: _variants(terms, term) for term in terms}
    if test_set.source is not None:
        streams, wanted = [(text,) for text in test_set.source], {term: {joined_words(term)} - {""} for term in terms}
    found = []
    for texts in (list(map(joined_words, of_segment)) for of_segment in streams):
        counts = {term: max((sum(map(text.count, some)) for text in texts), default=0) for term, some in wanted.items()}
        found.append(+Counter(counts))
    return found


UNMATCHED = ("word", "references", "missed_by_baseline", "missed_by_system", "baseline", "system")


def by_segments(
    scored: Scored, systems: Sequence[str], partition: Partition, by: str, notation: Notation, settings: Settings,
    work: Work,
) -> GroupAnswers:  # fmt: skip
    """Return the difference by a metric in each bucket of segments; segments that any run lacks are in none."""
    places = np.where(scored.present(*systems), partition.places, -1)
    groups = [
        Group(name, int(inside.sum()), verdicts.part_of(scored, inside, systems))
        for place, name in enumerate(partition.names)
        if (inside := places == place).any()
    ]
    about, left_out = Named(scored.metric.name, notation), int((places < 0).sum())
    return _answers_about(groups, about, systems[0], by, "Segments", settings, work, left_out)


def by_scores(scored: Scored, systems: Sequence[str], settings: Settings, work: Work) -> GroupAnswers:
    """Return the share of outputs by their score, in ten parts of equal width."""
    present = scored.present(*systems)
    values = {system: scored.scorer.segment_score(scored.statistics_on(system, present)) for system in systems}
    low, high = min(map(np.nanmin, values.values())), max(map(np.nanmax, values.values()))
    width = rounded_up((high - low) / 10) if high > low else 1.0
    first = np.floor(low / width) + 1
    edges = [float(round(width * (first + place), 10)) for place in range(int(np.ceil((high - low) / width)))]
    names, counts = output_shares(values, edges, is_whole=False)
    groups = verdicts.groups_of(verdicts.part_of(scored, present, systems).test_set, names, counts, "share")
    by, left_out = f"{scored.metric.name} of the output", int((~present).sum())
    return _answers_about(groups, GroupMetric("share"), systems[0], by, "Outputs", settings, work, left_out)


def _answers_about(
    groups: Sequence[Group], about: Measured, baseline: str, by: str, sizes: str, settings: Settings, work: Work,
    n_left_out: int = 0,
) -> GroupAnswers:  # fmt: skip
    rows = verdicts.group_verdicts(groups, baseline, about, settings, work)
    return GroupAnswers(by, about.name, about.notation, rows, sizes, n_left_out)
