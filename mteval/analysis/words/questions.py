"""Questions about the words and outputs of some systems on one test set, answered from all their runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import chain, starmap

import numpy as np
import pandas as pd

from mteval.analysis.scoring import Scored, Work, frame_of
from mteval.analysis.segments.table import Partition, by_length, pieces_of, word_counts, yardstick_words
from mteval.analysis.two_answers import Measured
from mteval.analysis.words import verdicts
from mteval.analysis.words.groupings import PARSES, Asked, Counted, Grouped, grouped, output_shares, source_accuracy
from mteval.analysis.words.ngrams import LONGEST, NgramEvidence, ngram_evidence
from mteval.analysis.words.texts import NOWHERE, WordTexts
from mteval.analysis.words.verdicts import Group, GroupMetric, GroupVerdict, Measure, Named
from mteval.base.arrays import BoolArray, FloatArray, StatArray
from mteval.base.errors import DataError
from mteval.metrics import METRICS, resolve
from mteval.metrics.ngram.bleu import BleuScorer
from mteval.metrics.text.ngrams import Tokenize
from mteval.values.model import TestSet
from mteval.values.notation import Notation, rounded_up
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

# Questions, and those asked by default
BY = ("frequency", "case", "label", "source", "terms", "ngrams", "label-ngrams", "length-difference", "length", "score")
USUAL = ("frequency", "case", "ngrams")

# Columns of groups that are fields of a verdict, and of words without a match
OF_VERDICTS = (
    "difference",
    "improvement",
    "low",
    "high",
    "low_test_set",
    "high_test_set",
    "p_test_set",
    "p_run",
    "p_test_set_adjusted",
    "p_run_adjusted",
)
UNMATCHED = ("word", "references", "missed_by_baseline", "missed_by_system", "baseline", "system")

Terms = Mapping[str, Sequence[str]]  # accepted translations of each source term

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
        frame = frame_of(self.rows, GroupVerdict).drop(columns="verdict")
        return frame.join(pd.DataFrame([_columns_of_verdict(row.verdict) for row in self.rows]))


def _columns_of_verdict(verdict: Verdict | None) -> dict[str, object]:
    """Return the numbers of a verdict and its conclusion; NaN and an empty text without one."""
    columns: dict[str, object] = {}
    for name in OF_VERDICTS:
        columns[name] = float("nan") if verdict is None else getattr(verdict, name)
    columns["conclusion"] = "" if verdict is None else verdict.conclusion.word
    return columns


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

        words = self.grouped(asked)
        measure = asked.measure
        if words.of_outputs is None:
            measure = "recall"
        if asked.labels:
            by = asked.labels
        elif asked.by == "case":
            by = "letter case"
        else:
            by = asked.by
        return self._answers(by, words.names, words.counts, measure)

    def grouped(self, asked: Asked) -> Grouped:
        """Return the words in groups."""
        known = None
        if not asked.lowercase and asked.by != "label":
            known = self.texts
        return grouped(self.test_set, self.systems, asked, self.tokenize, known)

    def by_terms(self, terms: Terms) -> GroupAnswers:
        """Return the accuracy of required terms.

        Raises
        ------
        DataError
            If no segment requires any.
        """
        occurring, counts = term_accuracy(self.test_set, self.systems, terms)
        if not occurring:
            raise DataError(f"None of the {len(terms):,} terms occurs on test set '{self.test_set.name}'.")
        return self._answers("required term", ("all terms",), counts, "accuracy", "Required")

    def by_length_difference(self) -> GroupAnswers:
        """Return the share of outputs by their length less that of the reference, in words."""
        reference_words = yardstick_words(self.test_set)
        differences = {system: self._lengths(system) - reference_words for system in self.systems}
        names, counts = output_shares(differences, LENGTH_DIFFERENCES)
        return self._answers("length difference", names, counts, "share", "Outputs")

    def _lengths(self, system: str) -> FloatArray:
        """Return the number of words of each output, shape ``(runs, segments)``."""
        lengths_of_runs = [word_counts(run.hypotheses) for run in self.test_set.runs_of(system)]
        return np.array(lengths_of_runs, dtype=np.float64)

    def _answers(
        self, by: str, names: tuple[str, ...], counts: Mapping[str, StatArray], measure: Measure, sizes: str = "Words"
    ) -> GroupAnswers:
        """Return the verdicts on groups from their counts ``(runs, segments, groups, 3)`` of each system."""
        groups = verdicts.groups_of(self.test_set, names, counts, measure)
        return _answers_about(groups, GroupMetric(measure), self.baseline, by, sizes, self.settings, self.work)

    def ngrams(self, system: str, measure: Measure = "recall", asked: Asked | None = None) -> NgramEvidence:
        """Return n-grams that the baseline or a system gets right more often, over words or labels."""
        pair = (self.baseline, system)
        if asked is None:
            return ngram_evidence(self.test_set, self.orders, pair, measure, self.settings, self.work)
        labels = self.grouped(asked)
        orders = tuple(labels.texts.ngrams(LONGEST))
        return ngram_evidence(self.test_set, orders, pair, measure, self.settings, self.work, labels)

    def segments_with(self, ngram: Sequence[str], where: str) -> BoolArray:
        """Return the segments in which the runs of the first two systems differ in an n-gram, or miss it.

        Parameters
        ----------
        where
            ``differs`` (one system has more matches on average) or ``missed`` (both miss some of it, or one has more
            than the reference).
        """
        words = self.texts.words
        nowhere = np.zeros(self.test_set.n_segments, dtype=bool)
        if not 1 <= len(ngram) <= LONGEST or not set(ngram) <= set(words):
            return nowhere
        texts = self.orders[len(ngram) - 1]
        spelled = [words.index(word) for word in ngram]
        numbers = np.flatnonzero((texts.spelled == spelled).all(axis=1))
        if len(numbers) == 0:
            return nowhere

        # Matches, and occurrences in outputs and references: shape ``(runs, segments, 3)`` of each system, of which the
        # means over runs have shape ``(3, segments)``
        of_references = np.where(texts.references.items == numbers[0], 0, NOWHERE)
        of_outputs = np.where(texts.outputs.items == numbers[0], 0, NOWHERE)
        counts_of = texts.spread(texts.counts(of_references, of_outputs, 1)[:, 0])
        first, second = (counts_of[system].mean(axis=0).T for system in self.systems[:2])
        if where == "differs":
            return np.asarray(first[0] != second[0])
        both_miss_some = (first[0] < first[2]) & (second[0] < second[2])
        has_unmatched = (first[1] > first[0]) | (second[1] > second[0])
        return np.asarray(both_miss_some | has_unmatched)

    def unmatched(self, most: int) -> pd.DataFrame:
        """Return words of references that outputs miss, and words of outputs without a match, mean over runs.

        Columns ``UNMATCHED``; the ``most`` frequent of each kind, those missed most often first.
        """
        texts = self.texts
        n_words = len(texts.words)
        frame = pd.DataFrame({"word": texts.words})
        for side, system in zip(("baseline", "system"), self.systems, strict=False):
            # Every text counts by the share of the system's runs that have it, or that are matched with it
            uses = texts.uses(system)
            uses_of_words = uses[texts.output_of]
            matched = np.bincount(texts.outputs.items, uses_of_words * (texts.partners >= 0), n_words)
            in_outputs = np.bincount(texts.outputs.items, uses_of_words, n_words)
            reference_uses = np.bincount(texts.chosen, weights=uses, minlength=len(texts.references.lengths))
            in_references = np.bincount(texts.references.items, reference_uses[texts.reference_of], n_words)
            frame["references"] = in_references
            frame[f"missed_by_{side}"] = in_references - matched
            frame[side] = in_outputs - matched
        frame["missed"] = frame["missed_by_baseline"] + frame["missed_by_system"]

        kinds = ["missed", "baseline", "system"]
        frequent = pd.concat([frame.nlargest(most, kind, keep="first") for kind in kinds])
        frequent = frequent[~frequent.index.duplicated()]
        frequent = frequent[(frequent[kinds] > 0).any(axis=1)]
        frequent = frequent.sort_values("missed", ascending=False, kind="stable", ignore_index=True)
        return frequent[list(UNMATCHED)]


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
    labels = asked.labels
    if not labels and data.has_parses:
        labels = PARSES
    asked_by_label = replace(asked, by="label", labels=labels, alignment="")
    match by:
        case "terms":
            return data.by_terms(terms)
        case "ngrams":
            return data.ngrams(system, asked.measure)
        case "label-ngrams":
            return data.ngrams(system, asked.measure, asked_by_label)
        case "length-difference":
            return data.by_length_difference()
        case "length" if scored is not None:
            partition = by_length(yardstick_words(data.test_set))
            notation = verdicts.NOTATION
            if scored.metric.key in METRICS:
                notation = METRICS[scored.metric.key].notation
            return by_segments(scored, data.systems, partition, "length", notation, data.settings, data.work)
        case "score" if scored is not None:
            return by_scores(scored, data.systems, data.settings, data.work)
        case "source":
            return data.by_words(replace(asked, by="label" if asked.labels else "frequency"))
        case "label":
            return data.by_words(asked_by_label)
        case "case":
            return data.by_words(replace(asked, by="case", labels="", alignment=""))
    return data.by_words(replace(asked, by="frequency", labels="", alignment=""))


def joined_words(text: str) -> str:
    """Return a text with each word between two spaces, ignoring case; words cannot be cut in two by a search."""
    pieces = pieces_of(text.casefold())
    return "".join(f" {piece} " for piece in pieces if not piece.isspace())


def term_accuracy(test_set: TestSet, systems: Sequence[str], terms: Terms) -> Counted:
    """Count the required terms that outputs have.

    A term is required as often as it occurs in the source; without a source, as its translations occur in the reference
    with most of them.

    Returns
    -------
    The terms that occur, and counts ``(runs, segments, 1, 3)`` of each system: found, and twice required.
    """
    required = required_terms(test_set, terms)
    occurring = dict.fromkeys(chain.from_iterable(required))
    variants = {term: _variants(terms, term) for term in occurring}

    @cache
    def n_found(segment: int, text: str) -> int:
        if not required[segment]:
            return 0
        words = joined_words(text)
        total = 0
        for term, n_required in required[segment].items():
            n_occurrences = sum(words.count(variant) for variant in variants[term])
            total += min(n_required, n_occurrences)
        return total

    n_required = np.array([of_segment.total() for of_segment in required])
    counts = {}
    for system in systems:
        means = []  # over samples, shape ``(segments,)`` of each run
        for run in test_set.runs_of(system):
            samples = [list(starmap(n_found, enumerate(sample.hypotheses))) for sample in run.decodings]
            means.append(np.mean(samples, axis=0))
        matches = np.stack(means)
        all_required = np.broadcast_to(n_required, matches.shape)
        counts[system] = np.stack([matches, all_required, all_required], axis=-1)[:, :, np.newaxis]
    return tuple(variants), counts


def _variants(terms: Terms, term: str) -> set[str]:
    """Return the accepted translations of a term, as ``joined_words``."""
    return {joined_words(variant) for variant in terms[term]} - {""}


def required_terms(test_set: TestSet, terms: Terms) -> list[Counter[str]]:
    """Return how often each segment requires each term; terms that it does not require are left out."""
    texts_of_segments: Sequence[Sequence[str]]
    if test_set.source is None:
        texts_of_segments = test_set.references
        searched = {term: _variants(terms, term) for term in terms}
    else:
        texts_of_segments = [(text,) for text in test_set.source]
        searched = {term: {joined_words(term)} - {""} for term in terms}

    required = []
    for texts in texts_of_segments:
        # The most that a term occurs in one of the texts
        counts: Counter[str] = Counter()
        for text in texts:
            words = joined_words(text)
            for term, variants in searched.items():
                n_in_text = sum(words.count(variant) for variant in variants)
                counts[term] = max(counts[term], n_in_text)
        required.append(+counts)  # only those that occur
    return required


def by_segments(
    scored: Scored,
    systems: Sequence[str],
    partition: Partition,
    by: str,
    notation: Notation,
    settings: Settings,
    work: Work,
) -> GroupAnswers:
    """Return the difference by a metric in each bucket of segments; segments that any run lacks are in none."""
    places = np.where(scored.present(*systems), partition.places, -1)
    groups = []
    for place, name in enumerate(partition.names):
        is_inside = places == place
        if is_inside.any():
            groups.append(Group(name, int(is_inside.sum()), verdicts.part_of(scored, is_inside, systems)))
    measured = Named(scored.metric.name, notation)
    n_left_out = int((places < 0).sum())
    return _answers_about(groups, measured, systems[0], by, "Segments", settings, work, n_left_out)


def by_scores(scored: Scored, systems: Sequence[str], settings: Settings, work: Work) -> GroupAnswers:
    """Return the share of outputs by their score, in ten parts of equal width."""
    present = scored.present(*systems)
    scores = {system: scored.scorer.segment_score(scored.statistics_on(system, present)) for system in systems}

    # Edges are multiples of the width, a round number
    low = min(np.nanmin(of_system) for of_system in scores.values())
    high = max(np.nanmax(of_system) for of_system in scores.values())
    width = 1.0
    if high > low:
        width = rounded_up((high - low) / 10)
    first = np.floor(low / width) + 1
    n_edges = int(np.ceil((high - low) / width))
    edges = [float(round(width * (first + index), 10)) for index in range(n_edges)]

    names, counts = output_shares(scores, edges, is_whole=False)
    part = verdicts.part_of(scored, present, systems)
    groups = verdicts.groups_of(part.test_set, names, counts, "share")
    by = f"{scored.metric.name} of the output"
    n_left_out = int((~present).sum())
    return _answers_about(groups, GroupMetric("share"), systems[0], by, "Outputs", settings, work, n_left_out)


def _answers_about(
    groups: Sequence[Group],
    measured: Measured,
    baseline: str,
    by: str,
    sizes: str,
    settings: Settings,
    work: Work,
    n_left_out: int = 0,
) -> GroupAnswers:
    """Return the verdicts on some groups."""
    rows = verdicts.group_verdicts(groups, baseline, measured, settings, work)
    return GroupAnswers(by, measured.name, measured.notation, rows, sizes, n_left_out)
