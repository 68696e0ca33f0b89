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
from mteval.values.model import Run, TestSet
from mteval.values.notation import MINUS, significant

By = Literal["frequency", "case", "label"]
PARSES = "part of speech"  # from CoNLL-U
GIVEN_LABELS, ALIGNMENT = "labels", "alignment"  # columns of files that are given by name
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
    folded = _folded(test_set) if asked.lowercase else test_set
    texts = known or WordTexts.of_test_set(folded, systems, tokenize)
    names, of_words = classes_of(asked, texts.words, texts.references.items)
    return Grouped(names, texts, of_words[texts.references.items], of_words[texts.outputs.items])


def _folded(test_set: TestSet) -> TestSet:
    """Return lower-cased references and outputs."""
    outputs = chain.from_iterable(run.decodings for run in test_set.runs)
    runs = tuple(Run(one.system, one.key, tuple(map(str.lower, one.hypotheses))) for one in outputs)
    return TestSet(test_set.name, tuple(tuple(map(str.lower, some)) for some in test_set.references), runs)


def classes_of(asked: Asked, words: Sequence[str], counted_in: Int32Array) -> Classes:
    """Return the group of each word of a vocabulary, by case or frequency."""
    if asked.by == "case":
        places = [0 if word.islower() else 1 if word.isupper() else 2 if word.istitle() else 3 for word in words]
        return ("lower case", "upper case", "title case", "other"), np.array(places, dtype=np.int64)
    if asked.counts is None:
        counts = np.bincount(counted_in, minlength=len(words))
    else:
        counts = np.array([asked.counts.get(word, 0) for word in words], dtype=np.int64)
    edges = asked.cutoffs or (1, 2, 3, 4, 5, 10, 100, 1_000)  # compare-mt's
    return between(edges), np.searchsorted(edges, counts, side="right")


def between(edges: Sequence[float], is_whole: bool = True) -> tuple[str, ...]:
    """Return names of the ranges between edges; of whole numbers, with both ends."""
    shown, joint = [_number(edge) for edge in edges], "–" if min(edges) >= 0 else " to "
    inner = [f"{low} to {high}" for low, high in pairwise(shown)]
    if is_whole and all(float(edge).is_integer() for edge in edges):
        last = [_number(edge - 1) for edge in edges[1:]]
        inner = [low if low == high else f"{low}{joint}{high}" for low, high in zip(shown, last, strict=False)]
    first = "0" if is_whole and edges[0] == 1 else f"below {shown[0]}"
    return (first, *inner, f"{shown[-1]} or more")


def _number(value: float) -> str:
    return f"{value:,g}".replace("-", MINUS)


def _by_label(test_set: TestSet, systems: Sequence[str], asked: Asked) -> Grouped:
    of_outputs: Lines | None
    if asked.labels == PARSES:
        texts, lines, of_outputs = _parsed(test_set, systems)
    else:
        lines = labels_in(test_set, asked.labels)
        texts = WordTexts.of_test_set(with_first_reference(test_set), systems, LINES)
        of_outputs = _lines_of_outputs(texts, test_set, systems, asked.output_labels)
    labels, numbers = numbered(LINES([*lines, *(of_outputs or ())]))
    in_references, in_outputs = parted(numbers, len(lines))
    check_lengths(in_references, texts.references, "the reference of segment", asked.labels)
    if of_outputs is not None:
        check_lengths(in_outputs, texts.outputs, "output", asked.labels)
    names, of_labels = label_classes(labels, in_references.items, asked.cutoffs)
    outputs = None if of_outputs is None else of_labels[in_outputs.items]
    return Grouped(names, texts, of_labels[in_references.items], outputs)


def label_classes(labels: Sequence[str], of_words: Int32Array, cutoffs: Sequence[float]) -> Classes:
    """Return the group of each label: the most frequent labels, or ranges if all are numbers."""
    try:
        values = np.array([float(label) for label in labels])
    except ValueError:
        kept = np.argsort(-np.bincount(of_words, minlength=len(labels)), kind="stable")[:30]
        groups = np.full(len(labels), len(kept), dtype=np.int64)
        groups[kept] = np.arange(len(kept))
        return (*(labels[label] for label in kept), *(["other"] if len(labels) > len(kept) else [])), groups
    if cutoffs:
        return between(cutoffs, is_whole=False), np.searchsorted(cutoffs, values, side="right")
    edges = np.unique(np.quantile(values[of_words], np.arange(1, N_PARTS) / N_PARTS))
    return range_names([significant(edge, 4) for edge in edges]), np.searchsorted(edges, values, side="left")


def with_first_reference(test_set: TestSet) -> TestSet:
    return TestSet(test_set.name, tuple(some[:1] for some in test_set.references), test_set.runs)


def label_columns(test_set: TestSet) -> list[str]:
    """Return the columns with one label per word of the first reference, and ``PARSES`` if there are parses."""
    lengths = [len(some[0].split()) if some else 0 for some in test_set.references]
    found = [name for name, lines in test_set.side.items() if [len(line.split()) for line in lines] == lengths]
    has_parses = test_set.reference_parses is not None and any(run.parses is not None for run in test_set.runs)
    return [*([PARSES] if has_parses else []), *found]


def alignment_columns(test_set: TestSet) -> list[str]:
    """Return the columns with word alignments of source and first reference."""
    if test_set.source is None:
        return []
    found = ((name, lines) for name, lines in test_set.side.items() if any("-" in line for line in lines))
    return [name for name, lines in found if all(PHARAOH.fullmatch(line) for line in lines)]


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
    references = [_columns(some[0]) for some in test_set.reference_parses or ()]
    runs = [run for system in systems for run in test_set.runs_of(system)]
    parsed = {run: [_columns(parse) for parse in run.parses] for run in runs if run.parses is not None}
    lacking = [f"'{run.key}' of {run.system}" for run in runs if run not in parsed]
    if lacking or not references:
        missing = lacking[0] if lacking else "the references"
        text = f"Parts of speech need CoNLL-U parses of the references and of every run. Missing: {missing}."
        raise DataError(f"{text} Add them, or load the parsed runs only.")
    words = {system: [[[form for form, _ in parsed[run]]] for run in test_set.runs_of(system)] for system in systems}
    texts = WordTexts.of([(form,) for form, _ in references], words, split_at(SEPARATOR))
    tags = {(segment, form): tag for found in parsed.values() for segment, (form, tag) in enumerate(found)}
    return texts, [tag for _, tag in references], list(tags.values())


def _columns(parse: str) -> tuple[str, str]:
    """Return the words of a parse and their parts of speech, each joined."""
    words = [word for sentence in sentences(parse.split("\n")) for word in sentence.words()]
    return SEPARATOR.join(word.form for word in words), " ".join(word.tag.replace(" ", "_") or "_" for word in words)


def _lines_of_outputs(
    texts: WordTexts, test_set: TestSet, systems: Sequence[str], given: Mapping[tuple[str, str], Lines]
) -> list[str] | None:
    """Return the labels of each distinct output; None if no run has labels."""
    if not given:
        return None
    lines = [""] * len(texts.segments)
    for system in systems:
        for run, places in zip(test_set.runs_of(system), texts.places[system], strict=True):
            labels = given.get((system, run.key))
            if labels is None or len(labels) != test_set.n_segments:
                found = "none" if labels is None else counted(len(labels), "line")
                wanted = f"one line for each of {counted(test_set.n_segments, 'segment')}"
                raise DataError(f"Labels of system '{system}', run '{run.key}': {found}; expected {wanted}.")
            for output, line in zip(places[0].tolist(), labels, strict=True):
                lines[output] = line
    return lines


def check_lengths(labels: Sequences, texts: Sequences, what: str, name: str) -> None:
    wrong = np.flatnonzero(labels.lengths != texts.lengths)
    if len(wrong):
        place = int(wrong[0])
        have, words = counted(int(labels.lengths[place]), "label"), counted(int(texts.lengths[place]), "word")
        text = f"'{name}': {have} for {words} in {what} {place + 1}."
        raise DataError(f"{text} Give one label for each word between spaces.")


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
    source, lines = test_set.source or (), labels_in(test_set, asked.alignment)
    texts = WordTexts.of_test_set(with_first_reference(test_set), systems, LINES)
    words, numbers = numbered(LINES(source))
    if asked.by == "label":
        labels, of_labels = numbered(LINES(labels_in(test_set, asked.labels)))
        check_lengths(of_labels, numbers, "the source of segment", asked.labels)
        names, classes = label_classes(labels, of_labels.items, asked.cutoffs)
    else:
        of_labels, (names, classes) = numbers, classes_of(asked, words, numbers.items)
    groups = classes[of_labels.items]
    links = _links(lines, numbers, texts.references)
    is_matched = np.zeros((len(texts.segments), texts.references.lengths.max(initial=0)), dtype=bool)
    starts, matched = texts.references.starts, texts.partners >= 0
    rows = texts.output_of[matched]
    is_matched[rows, texts.partners[matched] - starts[texts.chosen[rows]]] = True
    counts = np.zeros((len(texts.segments), len(names), 3), dtype=np.int64)
    of_segment = [np.flatnonzero(texts.segments == segment) for segment in range(len(source))]
    for segment, outputs in enumerate(of_segment):
        first = int(numbers.starts[segment])
        for word, targets in links[segment].items():
            group = groups[first + word]
            counts[outputs, group, 0] += is_matched[outputs][:, targets].all(axis=1)
            counts[outputs, group, 1:] += 1
    return names, texts.spread(counts)


def _links(lines: Lines, source: Sequences, references: Sequences) -> list[dict[int, list[int]]]:
    """Return the reference words aligned with each source word, per segment."""
    found = []
    every = zip(lines, source.lengths.tolist(), references.lengths.tolist(), strict=True)
    for number, (line, n_source, n_target) in enumerate(every, start=1):
        links: dict[int, list[int]] = {}
        for pair in line.split():
            word, _, target = pair.partition("-")
            if not (word.isdecimal() and target.isdecimal() and int(word) < n_source and int(target) < n_target):
                words = f"{counted(n_source, 'source word')} and {counted(n_target, 'reference word')}"
                text = f"Alignment of segment {number}: '{pair[:30]}' does not fit {words}."
                raise DataError(f"{text} Expected pairs such as 0-0, counted from 0.")
            links.setdefault(int(word), []).append(int(target))
        found.append(links)
    return found


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
    names, n_groups = between(edges, is_whole), len(edges) + 1
    places = {key: np.searchsorted(edges, of_runs, side="right")[..., np.newaxis] for key, of_runs in values.items()}
    inside = {key: one == np.arange(n_groups) for key, one in places.items()}
    kept = np.flatnonzero(np.any([one.any(axis=(0, 1)) for one in inside.values()], axis=0))
    shown = {key: one[..., kept] for key, one in inside.items()}
    counts = {key: np.stack([one, *[np.ones_like(one)] * 2], axis=-1).astype(np.int64) for key, one in shown.items()}
    return tuple(names[place] for place in kept), counts
