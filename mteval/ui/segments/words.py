"""The Words tab: words and outputs in groups, required terms, n-grams, and words without a match, over all runs."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from functools import partial

import streamlit as st

from mteval.analysis.scoring import Work
from mteval.analysis.words.groupings import Asked, alignment_columns, label_columns
from mteval.analysis.words.questions import GroupAnswers, Terms, WordData, by_scores
from mteval.analysis.words.verdicts import Measure
from mteval.answers import words as answers
from mteval.answers.section import Section
from mteval.answers.segments import SegmentData
from mteval.base.parallel import Engine
from mteval.readers.apart import expanded_text, of_text
from mteval.readers.documents import InputFile
from mteval.readers.formats.text import split_lines
from mteval.readers.formats.word_lists import read_frequencies, read_terms
from mteval.ui.elements import as_label, choose, download, end, errors_end_the_page, quiet, show_section
from mteval.ui.session.memory import deciding, made_once
from mteval.ui.setup.reading import read_at_once
from mteval.ui.setup.workspace import reading

BY, MEASURE = "seg-words-by", "seg-words-measure"
TERMS, COUNTS = "seg-words-terms", "seg-words-counts"
NGRAMS, UNMATCHED, REQUIRED, LENGTHS, SCORES = "n-grams", "unmatched words", "required terms", "length", "score"
HEIGHT = 320


@deciding.register
def _(asked: Asked) -> Hashable:
    counts = None if asked.counts is None else hash(frozenset(asked.counts.items()))
    return asked.by, asked.measure, asked.labels, counts, asked.alignment, asked.lowercase


def word_data(data: SegmentData) -> WordData:
    """Return the two systems with all their runs; two runs of one system are compared as if systems."""
    return made_once(_word_data, data)


def _word_data(data: SegmentData) -> WordData:
    test_set, systems, settings = data.test_set, (data.baseline.system, data.system.system), data.results.settings
    if systems[0] == systems[1]:
        systems = data.labels
        runs = zip(systems, (data.baseline, data.system), strict=True)
        test_set = replace(test_set, runs=tuple(replace(run, system=name) for name, run in runs))
    return WordData(test_set, systems, settings, Work(Engine(settings.workers)))


def words(data: SegmentData, metric: str, on_ngram: Callable[[str], None], on_word: Callable[[str], None]) -> None:
    """Show the chosen question.

    Parameters
    ----------
    metric
        Whose scores of outputs can be counted.
    on_ngram, on_word
        Callbacks for a click on an n-gram, and on a word without a match.
    """
    about, choices = word_data(data), _choices(data)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = choose("Words by", list(choices), BY, width=260)
        asked = choices[chosen]
        measure = _measure(chosen, asked)
        with st.popover("Word lists", icon=":material/upload_file:"):
            counts = _uploaded("Frequencies: counts or a training corpus", COUNTS)
            terms = _uploaded("Terminology: TSV or TBX", TERMS)
    with errors_end_the_page(), st.spinner("Comparing words…"):
        if chosen == UNMATCHED:
            show_section(made_once(answers.missed, about), on_pick=on_word, height=HEIGHT)
            return
        if chosen.startswith(NGRAMS):
            on_pick = on_ngram if asked is None else lambda _: None
            for section in made_once(_ngrams, about, measure, asked):
                show_section(section, on_pick=on_pick, height=HEIGHT, placeholder="–")
            return
        if asked is not None:
            found = _by_words(about, replace(asked, measure=measure), counts)
        else:
            found = _answer(data, about, chosen, metric, terms)
    show_section(answers.groups_section(found, about.baseline, data.results.settings), has_title=True)
    download("Download table (CSV)", f"words-by-{found.by}.csv", found.frame)


def _choices(data: SegmentData) -> dict[str, Asked | None]:
    """Return what the tab can show, by name."""
    labels = {name: Asked("label", labels=name) for name in label_columns(data.test_set)}
    return {
        "frequency": Asked(), "letter case": Asked("case"), **labels,
        **{f"source frequency ({name})": Asked(alignment=name) for name in alignment_columns(data.test_set)},
        NGRAMS: None, **{f"{NGRAMS} of {name}": asked for name, asked in labels.items()},
        UNMATCHED: None, REQUIRED: None, LENGTHS: None, SCORES: None,
    }  # fmt: skip


def _measure(chosen: str, asked: Asked | None) -> Measure:
    """Choose how words are counted, if there is a choice."""
    if chosen.startswith(NGRAMS):
        return choose("Measure", ("recall", "precision"), MEASURE, width=140)
    if asked is None or asked.alignment:
        return "f"
    return choose("Measure", answers.MEASURES, MEASURE, width=140)


def _uploaded(label: str, key: str) -> InputFile | None:
    """Return a file for this tab; it stays until the session ends."""
    if (given := st.file_uploader(label, key=f"{key}-upload", max_upload_size=64)) is not None:
        st.session_state[key] = InputFile(given.name, given.getvalue())
    kept: InputFile | None = st.session_state.get(key)
    if kept is not None:
        quiet(f"Using {as_label(kept.name)}.")
    return kept


def _answer(data: SegmentData, about: WordData, chosen: str, metric: str, terms: InputFile | None) -> GroupAnswers:
    if chosen == LENGTHS:
        return made_once(WordData.by_length_difference, about)
    if chosen == SCORES:
        return made_once(_by_scores, data, metric)
    if terms is None:
        end("note", "Add a list of terms under “Word lists”: source and target term between tabs, or TBX.")
    return made_once(WordData.by_terms, about, made_once(_terms, terms, data.test_set.languages))


def _by_words(about: WordData, asked: Asked, counts: InputFile | None) -> GroupAnswers:
    if counts is not None and asked.by == "frequency":
        asked = replace(asked, counts=made_once(_frequencies, about, counts))
    return made_once(WordData.by_words, about, asked)


def session_terms(data: SegmentData) -> Terms | None:
    """Return the list of terms of the session; None if there is none."""
    file: InputFile | None = st.session_state.get(TERMS)
    return None if file is None else made_once(_terms, file, data.test_set.languages)


@deciding.register
def _(file: InputFile) -> Hashable:
    return file.name, hash(file.content)


def _terms(file: InputFile, languages: str) -> Terms:
    read = partial(of_text, partial(read_terms, languages=languages))
    return read_at_once(lambda client: reading().apply(read, file, (), client))


def _frequencies(about: WordData, file: InputFile) -> Mapping[str, int]:
    text = read_at_once(lambda client: reading().apply(expanded_text, file, (), client))
    return read_frequencies(split_lines(text), file.name, about.words_of)


def _by_scores(data: SegmentData, metric: str) -> GroupAnswers:
    settings, systems = data.results.settings, (data.baseline.system, data.system.system)
    return by_scores(data.scored_by(metric), systems, settings, Work(Engine(settings.workers)))


def _ngrams(about: WordData, measure: Measure, asked: Asked | None) -> tuple[Section, ...]:
    left, right = about.systems
    found = about.ngrams(right, measure, asked)
    what = NGRAMS if asked is None else f"{NGRAMS} of {asked.labels}"
    return tuple(answers.ngram_sections(found, (left, right), about.settings, measure, what))
