"""Groups of words, target or source, by frequency, letter case, label or number; and of outputs by a value."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, pairwise
from typing import Literal

import numpy as np

from mteval.analysis.segments.table import PARTS as N_PARTS
from mteval.analysis.segments.table import range_names
from mteval.analysis.words.texts import WordTexts, numbered, parted, split_at
from mteval.analysis.words.verdicts import Measure
from mteval.base.arrays import FloatArray, Int32Array, IntArray, StatArray
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.metrics.text.ngrams import Sequences, Tokenize
from mteval.values.conllu import sentences
from mteval.values.model import Run, Sample, TestSet
from mteval.values.notation import MINUS, significant

By = Literal["frequency", "case", "label"]
PARSES = "part of speech"  # from CoNLL-U

# Columns of files that are given by name
GIVEN_LABELS = "labels"
ALIGNMENT = "alignment"

FREQUENCIES = (1, 2, 3, 4, 5, 10, 100, 1_000)  # where groups start by default; compare-mt's
MOST_LABELS = 30  # groups; rarer labels share one
PHARAOH = re.compile(r"\s*(\d+-\d+(\s+\d+-\d+)*)?\s*")
SEPARATOR = "\x1f"  # between words of a parse, which may contain spaces
LINES = split_at(" ", "\t")
Lines = Sequence[str]


@dataclass(frozen=True)
class Asked:
    """How words are grouped.

    Parameters
    ----------
    by
        What decides the group of a word.
    measure
        F, precision or recall of target words; of source words, the accuracy is shown.
    labels
        Name of the labels: ``PARSES``, or a column of the test set with one label per word of the first reference (or
        of the source). Numbers are grouped by ``cutoffs``.
    output_labels
        One label per word of each output, by system and run; without them only recall is known.
    counts
        Frequencies of words, e.g. in the training corpus; those in the test set if None.
    cutoffs
        Where groups of numbers start; ``FREQUENCIES`` or five equal parts by default.
    alignment
        Column with word alignments of source and first reference in Pharaoh format: source words are grouped.
    lowercase
        Whether to ignore case.
    """

    by: By = "frequency"
    measure: Measure = "f"
    labels: str = ""
    output_labels: Mapping[tuple[str, str], Lines] = field(default_factory=dict)
    counts: Mapping[str, int] | None = None
    cutoffs: tuple[float, ...] = ()
    alignment: str = ""
    lowercase: bool = False


@dataclass(frozen=True)
class Grouped:
    """Words in groups.

    Parameters
    ----------
    names
        Of the groups.
    texts
        The words, and their matches.
    of_references, of_outputs
        Group of each word, -1 for none; ``of_outputs`` is None if unknown.
    """

    names: tuple[str, ...]
    texts: WordTexts
    of_references: IntArray
    of_outputs: IntArray | None

    @property
    def counts(self) -> dict[str, StatArray]:
        """Return matches, words of outputs and words of references, shape ``(runs, segments, groups, 3)`` each."""
        return self.texts.spread(self.texts.counts(self.of_references, self.of_outputs, len(self.names)))


Classes = tuple[tuple[str, ...], IntArray]  # names of groups, and the group of each distinct word
Counted = tuple[tuple[str, ...], dict[str, StatArray]]  # names of groups, and their counts by system


def grouped(
    test_set: TestSet, systems: Sequence[str], asked: Asked, tokenize: Tokenize, known: WordTexts | None = None
) -> Grouped:
    """Group the words of references and outputs.

    Parameters
    ----------
    known
        The words as they are, if they are known already.

    Raises
    ------
    DataError
        If labels are missing or their number differs from that of the words.
    """
    if asked.by == "label":
        return _by_label(test_set, systems, asked)
    texts = known
    if texts is None:
        if asked.lowercase:
            test_set = _lowercased(test_set)
        texts = WordTexts.of_test_set(test_set, systems, tokenize)
    names, group_of_word = classes_of(asked, texts.words, texts.references.items)
    return Grouped(names, texts, group_of_word[texts.references.items], group_of_word[texts.outputs.items])


def _lowercased(test_set: TestSet) -> TestSet:
    """Return lower-cased references and outputs."""
    runs = []
    for run in test_set.runs:
        samples = tuple(Sample(sample.key, _in_lower_case(sample.hypotheses)) for sample in run.samples)
        runs.append(Run(run.system, run.key, _in_lower_case(run.hypotheses), samples=samples))
    references = tuple(map(_in_lower_case, test_set.references))
    return TestSet(test_set.name, references, tuple(runs))


def _in_lower_case(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(text.lower() for text in texts)


def classes_of(asked: Asked, words: Sequence[str], counted_in: Int32Array) -> Classes:
    """Return the group of each word of a vocabulary, by case or frequency.

    ``counted_in`` has the number of every word of the references, to count frequencies without ``asked.counts``.
    """
    if asked.by == "case":
        groups = np.array([_case_of(word) for word in words], dtype=np.int64)
        return ("lower case", "upper case", "title case", "other"), groups
    if asked.counts is None:
        counts = np.bincount(counted_in, minlength=len(words))
    else:
        counts = np.array([asked.counts.get(word, 0) for word in words], dtype=np.int64)
    edges = asked.cutoffs or FREQUENCIES
    return between(edges), np.searchsorted(edges, counts, side="right")


def _case_of(word: str) -> int:
    """Return the group of a word by letter case."""
    if word.islower():
        return 0
    if word.isupper():
        return 1
    if word.istitle():
        return 2
    return 3


def between(edges: Sequence[float], is_whole: bool = True) -> tuple[str, ...]:
    """Return names of the ranges between edges; of whole numbers, with both ends."""
    starts = [_number(edge) for edge in edges]
    if is_whole and all(float(edge).is_integer() for edge in edges):
        joint = "–" if min(edges) >= 0 else " to "
        ends = [_number(edge - 1) for edge in edges[1:]]
        inner = []
        for start, end in zip(starts, ends, strict=False):
            name = start
            if start != end:
                name = f"{start}{joint}{end}"
            inner.append(name)
    else:
        inner = [f"{low} to {high}" for low, high in pairwise(starts)]
    first = f"below {starts[0]}"
    if is_whole and edges[0] == 1:
        first = "0"
    return (first, *inner, f"{starts[-1]} or more")


def _number(value: float) -> str:
    return f"{value:,g}".replace("-", MINUS)


def _by_label(test_set: TestSet, systems: Sequence[str], asked: Asked) -> Grouped:
    """Group words by their labels."""
    of_outputs: Lines | None
    if asked.labels == PARSES:
        texts, of_references, of_outputs = _parsed(test_set, systems)
    else:
        of_references = labels_in(test_set, asked.labels)
        texts = WordTexts.of_test_set(with_first_reference(test_set), systems, LINES)
        of_outputs = _lines_of_outputs(texts, test_set, systems, asked.output_labels)

    # Labels are numbered as words are: first those of references, then those of outputs
    lines = list(of_references)
    if of_outputs is not None:
        lines += of_outputs
    labels, numbers = numbered(LINES(lines))
    in_references, in_outputs = parted(numbers, len(of_references))
    check_lengths(in_references, texts.references, "the reference of segment", asked.labels)
    if of_outputs is not None:
        check_lengths(in_outputs, texts.outputs, "output", asked.labels)

    names, group_of_label = label_classes(labels, in_references.items, asked.cutoffs)
    output_groups = None
    if of_outputs is not None:
        output_groups = group_of_label[in_outputs.items]
    return Grouped(names, texts, group_of_label[in_references.items], output_groups)


def label_classes(labels: Sequence[str], of_words: Int32Array, cutoffs: Sequence[float]) -> Classes:
    """Return the group of each label: the most frequent labels, or ranges if all are numbers."""
    try:
        values = np.array([float(label) for label in labels])
    except ValueError:
        return _most_frequent(labels, of_words)
    if cutoffs:
        return between(cutoffs, is_whole=False), np.searchsorted(cutoffs, values, side="right")
    edges = np.unique(np.quantile(values[of_words], np.arange(1, N_PARTS) / N_PARTS))
    return range_names([significant(edge, 4) for edge in edges]), np.searchsorted(edges, values, side="left")


def _most_frequent(labels: Sequence[str], of_words: Int32Array) -> Classes:
    """Return a group for each of the most frequent labels, and one for the others if there are any."""
    frequencies = np.bincount(of_words, minlength=len(labels))
    kept = np.argsort(-frequencies, kind="stable")[:MOST_LABELS]
    groups = np.full(len(labels), len(kept), dtype=np.int64)
    groups[kept] = np.arange(len(kept))
    names = [labels[label] for label in kept]
    if len(labels) > len(kept):
        names.append("other")
    return tuple(names), groups


def with_first_reference(test_set: TestSet) -> TestSet:
    """Return the test set with the first reference of each segment only, without other texts."""
    first = tuple(of_segment[:1] for of_segment in test_set.references)
    return TestSet(test_set.name, first, test_set.runs)


def label_columns(test_set: TestSet) -> list[str]:
    """Return the columns with one label per word of the first reference, and ``PARSES`` if there are parses."""
    lengths = []
    for references in test_set.references:
        n_words = 0
        if references:
            n_words = len(references[0].split())
        lengths.append(n_words)
    columns = []
    if test_set.reference_parses is not None and any(run.parses is not None for run in test_set.runs):
        columns.append(PARSES)
    for name, lines in test_set.side.items():
        if [len(line.split()) for line in lines] == lengths:
            columns.append(name)
    return columns


def alignment_columns(test_set: TestSet) -> list[str]:
    """Return the columns with word alignments of source and first reference."""
    if test_set.source is None:
        return []
    columns = []
    for name, lines in test_set.side.items():
        has_pairs = any("-" in line for line in lines)
        if has_pairs and all(PHARAOH.fullmatch(line) for line in lines):
            columns.append(name)
    return columns


def labels_in(test_set: TestSet, name: str) -> Lines:
    """Return a column of labels.

    Raises
    ------
    DataError
        If there is none.
    """
    if name not in test_set.side:
        known = ", ".join(test_set.side) or "none"
        raise DataError(f"Test set '{test_set.name}' has no column of labels '{name}'. Columns found: {known}.")
    return test_set.side[name]


def _parsed(test_set: TestSet, systems: Sequence[str]) -> tuple[WordTexts, Lines, Lines]:
    """Return the words of parses, with the parts of speech of references and outputs."""
    runs = list(chain.from_iterable(test_set.runs_of(system) for system in systems))
    unparsed = [f"'{run.key}' of {run.system}" for run in runs if run.parses is None]
    if unparsed or not test_set.reference_parses:
        missing = unparsed[0] if unparsed else "the references"
        raise DataError(
            f"Parts of speech need CoNLL-U parses of the references and of every run. Missing: {missing}."
            " Add them, or load the parsed runs only."
        )

    reference_words = []
    reference_tags = []
    for parses in test_set.reference_parses:
        words, tags = _words_and_tags(parses[0])
        reference_words.append((words,))
        reference_tags.append(tags)

    # Equal outputs of a segment are one text; the last parse of it has its parts of speech
    words_of: dict[str, list[list[list[str]]]] = {}
    tags_of: dict[tuple[int, str], str] = {}
    for system in systems:
        words_of[system] = []
        for run in test_set.runs_of(system):
            words_of_run = []
            for segment, parse in enumerate(run.parses or ()):
                words, tags = _words_and_tags(parse)
                words_of_run.append(words)
                tags_of[segment, words] = tags
            words_of[system].append([words_of_run])
    texts = WordTexts.of(reference_words, words_of, split_at(SEPARATOR))
    return texts, reference_tags, list(tags_of.values())


def _words_and_tags(parse: str) -> tuple[str, str]:
    """Return the words of a parse and their parts of speech, each joined."""
    words = list(chain.from_iterable(sentence.words() for sentence in sentences(parse.split("\n"))))
    forms = SEPARATOR.join(word.form for word in words)
    tags = " ".join(word.tag.replace(" ", "_") or "_" for word in words)
    return forms, tags


def _lines_of_outputs(
    texts: WordTexts, test_set: TestSet, systems: Sequence[str], given: Mapping[tuple[str, str], Lines]
) -> list[str] | None:
    """Return the labels of each distinct output; None if no run has labels."""
    if not given:
        return None
    lines = [""] * len(texts.segments)
    for system in systems:
        for run, places in zip(test_set.runs_of(system), texts.places[system], strict=True):
            if len(run.samples) > 1:
                raise DataError(
                    f"Labels of system '{system}', run '{run.key}': the run has {counted(len(run.samples), 'sample')};"
                    " labels need exactly one. Remove the labels of outputs, or load one sample."
                )
            labels = given.get((system, run.key))
            if labels is None or len(labels) != test_set.n_segments:
                n_lines = "none" if labels is None else counted(len(labels), "line")
                n_segments = counted(test_set.n_segments, "segment")
                raise DataError(
                    f"Labels of system '{system}', run '{run.key}': {n_lines}; expected one line for each of"
                    f" {n_segments}."
                )
            for output, line in zip(places[0].tolist(), labels, strict=True):
                lines[output] = line
    return lines


def check_lengths(labels: Sequences, texts: Sequences, noun: str, name: str) -> None:
    """Raise ``DataError`` if texts do not have one label per word; ``noun`` is what the message calls a text."""
    wrong = np.flatnonzero(labels.lengths != texts.lengths)
    if len(wrong):
        place = int(wrong[0])
        n_labels = counted(int(labels.lengths[place]), "label")
        n_words = counted(int(texts.lengths[place]), "word")
        raise DataError(
            f"'{name}': {n_labels} for {n_words} in {noun} {place + 1}. Give one label for each word between spaces."
        )


def source_accuracy(test_set: TestSet, systems: Sequence[str], asked: Asked, tokenize: Tokenize) -> Counted:
    """Count the source words that are translated correctly: all words of the reference aligned with them are matched.

    Source words without an alignment are not counted.

    Returns
    -------
    Names of the groups, and counts ``(runs, segments, groups, 3)`` of each system: correct words, and twice all words.

    Raises
    ------
    DataError
        If an alignment names a word that the source or the reference does not have.
    """
    source = test_set.source or ()
    lines = labels_in(test_set, asked.alignment)
    texts = WordTexts.of_test_set(with_first_reference(test_set), systems, LINES)
    words, source_words = numbered(LINES(source))
    if asked.by == "label":
        labels, of_words = numbered(LINES(labels_in(test_set, asked.labels)))
        check_lengths(of_words, source_words, "the source of segment", asked.labels)
        names, group_of = label_classes(labels, of_words.items, asked.cutoffs)
        groups = group_of[of_words.items]
    else:
        names, group_of = classes_of(asked, words, source_words.items)
        groups = group_of[source_words.items]
    links = _links(lines, source_words, texts.references)

    # Whether each output has a partner for each word of its reference, shape ``(outputs, longest reference)``
    references = texts.references
    is_matched = np.zeros((len(texts.segments), references.lengths.max(initial=0)), dtype=bool)
    has_partner = texts.partners >= 0
    outputs = texts.output_of[has_partner]
    is_matched[outputs, texts.partners[has_partner] - references.starts[texts.chosen[outputs]]] = True

    # A source word is correct in an output that matches all reference words aligned with it
    counts = np.zeros((len(texts.segments), len(names), 3), dtype=np.int64)
    for segment in range(len(source)):
        outputs = np.flatnonzero(texts.segments == segment)
        first = int(source_words.starts[segment])
        for word, targets in links[segment].items():
            group = groups[first + word]
            counts[outputs, group, 0] += is_matched[outputs][:, targets].all(axis=1)
            counts[outputs, group, 1:] += 1
    return names, texts.spread(counts)


def _links(lines: Lines, source: Sequences, references: Sequences) -> list[dict[int, list[int]]]:
    """Return the reference words aligned with each source word, per segment."""
    links_of_segments = []
    sizes = zip(lines, source.lengths.tolist(), references.lengths.tolist(), strict=True)
    for number, (line, n_source, n_target) in enumerate(sizes, start=1):
        links: dict[int, list[int]] = {}
        for pair in line.split():
            word, _, target = pair.partition("-")
            if not (word.isdecimal() and target.isdecimal() and int(word) < n_source and int(target) < n_target):
                words = f"{counted(n_source, 'source word')} and {counted(n_target, 'reference word')}"
                raise DataError(
                    f"Alignment of segment {number}: '{pair[:30]}' does not fit {words}."
                    " Expected pairs such as 0-0, counted from 0."
                )
            links.setdefault(int(word), []).append(int(target))
        links_of_segments.append(links)
    return links_of_segments


def output_shares(values: Mapping[str, FloatArray], edges: Sequence[float], is_whole: bool = True) -> Counted:
    """Count outputs by a value of each, e.g. its score or its length less that of the reference.

    Parameters
    ----------
    values
        Of each system's outputs, shape ``(runs, segments)``.
    edges
        Where groups start.
    is_whole
        Whether values are whole numbers.

    Returns
    -------
    Names of the groups with any output, and counts ``(runs, segments, groups, 3)``: whether the output is in the group,
    and twice 1.
    """
    names = between(edges, is_whole)
    groups = np.arange(len(names))
    has_outputs = np.zeros(len(names), dtype=bool)
    is_inside = {}  # shape ``(runs, segments, groups)`` of each system
    for system, of_outputs in values.items():
        places = np.searchsorted(edges, of_outputs, side="right")
        is_inside[system] = places[..., np.newaxis] == groups
        has_outputs |= is_inside[system].any(axis=(0, 1))

    kept = np.flatnonzero(has_outputs)
    counts = {}
    for system, inside in is_inside.items():
        in_kept = inside[..., kept].astype(np.int64)
        every = np.ones_like(in_kept)
        counts[system] = np.stack([in_kept, every, every], axis=-1)
    return tuple(names[group] for group in kept), counts
