"""The Words tab: words and outputs in groups, required terms, n-grams, and words without a match, over all runs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
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
from mteval.ui.elements import (
    Pick,
    as_label,
    choose,
    click_hint,
    download,
    end,
    errors_end_the_page,
    quiet,
    show_section,
)
from mteval.ui.session.background import ignore
from mteval.ui.session.memory import deciding, made_once
from mteval.ui.setup.reading import read_at_once
from mteval.ui.setup.workspace import reading

HEIGHT = 320  # of a table, in pixels

# Keys of the session's state
BY = "seg-words-by"
MEASURE = "seg-words-measure"
TERMS = "seg-words-terms"
COUNTS = "seg-words-counts"

# Questions besides those about groups of words
NGRAMS = "n-grams"
UNMATCHED = "unmatched words"
REQUIRED = "required terms"
LENGTHS = "length"
SCORES = "score"


# ``made_once`` compares these values to see whether it was called with the same words or file before. Large values are
# hashed.
@deciding.register
def _(grouping: Asked) -> Hashable:
    counts = None
    if grouping.counts is not None:
        counts = hash(frozenset(grouping.counts.items()))
    return grouping.by, grouping.measure, grouping.labels, counts, grouping.alignment, grouping.lowercase


@deciding.register
def _(file: InputFile) -> Hashable:
    return file.name, hash(file.content)


def word_data(data: SegmentData) -> WordData:
    """Return the two systems with all their runs; two runs of one system are compared as if systems."""
    return made_once(_word_data, data)


def _word_data(data: SegmentData) -> WordData:
    test_set = data.test_set
    systems = (data.baseline.system, data.system.system)
    if data.baseline.system == data.system.system:  # two runs of it, each of which becomes a system
        systems = data.labels
        baseline = replace(data.baseline, system=data.labels[0])
        system = replace(data.system, system=data.labels[1])
        test_set = replace(test_set, runs=(baseline, system))
    settings = data.results.settings
    return WordData(test_set, systems, settings, Work(Engine(settings.workers)))


def show_words(data: SegmentData, metric: str, *, on_ngram: Pick, on_word: Pick) -> None:
    """Show the chosen question.

    Parameters
    ----------
    metric
        Whose scores of outputs can be counted.
    on_ngram, on_word
        For a click on an n-gram, and on a word without a match.
    """
    compared = word_data(data)
    questions = _questions(data)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        question = choose("Words by", list(questions), BY, width=260)
        grouping = questions[question]
        measure = _choose_measure(question, grouping)
        with st.popover("Word lists", icon=":material/upload_file:"):
            counts = _uploaded("Frequencies: counts or a training corpus", COUNTS)
            terms = _uploaded("Terminology: TSV or TBX", TERMS)
    with errors_end_the_page(), st.spinner("Comparing words…"):
        if question == UNMATCHED:
            show_section(made_once(answers.missed, compared), on_pick=on_word, height=HEIGHT)
            return
        if question.startswith(NGRAMS):
            call = on_ngram.call
            if grouping is not None:  # n-grams of labels are not words of the texts, so they find no segment
                call = ignore
            else:
                click_hint(on_ngram.what)  # once for all tables
            for section in made_once(_ngram_sections, compared, measure, grouping):
                show_section(section, on_pick=Pick(call, ""), height=HEIGHT, placeholder="–")
            return
        if grouping is not None:
            groups = _groups_of_words(compared, replace(grouping, measure=measure), counts)
        else:
            groups = _groups_of_outputs(data, compared, question, metric, terms)
    show_section(answers.groups_section(groups, compared.baseline, data.results.settings), has_title=True)
    download("Download table (CSV)", f"words-by-{groups.by}.csv", groups.frame)


def _questions(data: SegmentData) -> dict[str, Asked | None]:
    """Return what the tab can show, by name: how words are grouped, or None for another question."""
    labels = {name: Asked("label", labels=name) for name in label_columns(data.test_set)}
    questions: dict[str, Asked | None] = {"frequency": Asked(), "letter case": Asked("case")}
    questions.update(labels)
    for name in alignment_columns(data.test_set):
        questions[f"source frequency ({name})"] = Asked(alignment=name)
    questions[NGRAMS] = None
    for name, grouping in labels.items():
        questions[f"{NGRAMS} of {name}"] = grouping
    questions.update(dict.fromkeys((UNMATCHED, REQUIRED, LENGTHS, SCORES)))
    return questions


def _choose_measure(question: str, grouping: Asked | None) -> Measure:
    """Choose how words are counted, if there is a choice."""
    if question.startswith(NGRAMS):
        return choose("Measure", ("recall", "precision"), MEASURE, width=140)
    if grouping is None or grouping.alignment:
        return "f"
    return choose("Measure", answers.MEASURES, MEASURE, width=140)


def _uploaded(label: str, key: str) -> InputFile | None:
    """Return a file for this tab; it stays until the session ends."""
    upload = st.file_uploader(label, key=f"{key}-upload", max_upload_size=64)
    if upload is not None:
        st.session_state[key] = InputFile(upload.name, upload.getvalue())
    file: InputFile | None = st.session_state.get(key)
    if file is not None:
        quiet(f"Using {as_label(file.name)}.")
    return file


def _groups_of_words(compared: WordData, grouping: Asked, counts: InputFile | None) -> GroupAnswers:
    """Compare the systems on groups of words; given counts decide which words are frequent."""
    if counts is not None and grouping.by == "frequency":
        grouping = replace(grouping, counts=made_once(_frequencies, compared, counts))
    return made_once(WordData.by_words, compared, grouping)


def _groups_of_outputs(
    data: SegmentData, compared: WordData, question: str, metric: str, terms: InputFile | None
) -> GroupAnswers:
    """Compare the systems on outputs by length or score, or on required terms."""
    if question == LENGTHS:
        return made_once(WordData.by_length_difference, compared)
    if question == SCORES:
        return made_once(_groups_by_scores, data, metric)
    if terms is None:
        end("note", "Add a list of terms under “Word lists”: source and target term between tabs, or TBX.")
    return made_once(WordData.by_terms, compared, made_once(_terms, terms, data.test_set.languages))


def _groups_by_scores(data: SegmentData, metric: str) -> GroupAnswers:
    settings = data.results.settings
    systems = (data.baseline.system, data.system.system)
    return by_scores(data.scored_by(metric), systems, settings, Work(Engine(settings.workers)))


def _ngram_sections(compared: WordData, measure: Measure, grouping: Asked | None) -> tuple[Section, ...]:
    left, right = compared.systems
    ngrams = compared.ngrams(right, measure, grouping)
    name = NGRAMS
    if grouping is not None:
        name = f"{NGRAMS} of {grouping.labels}"
    return tuple(answers.ngram_sections(ngrams, (left, right), compared.settings, measure, name))


def session_terms(data: SegmentData) -> Terms | None:
    """Return the list of terms of the session; None if there is none."""
    file: InputFile | None = st.session_state.get(TERMS)
    if file is None:
        return None
    return made_once(_terms, file, data.test_set.languages)


def _terms(file: InputFile, languages: str) -> Terms:
    """Read a list of terms in a process apart."""
    read = partial(of_text, partial(read_terms, languages=languages))
    return read_at_once(lambda client: reading().apply(read, file, (), client))


def _frequencies(compared: WordData, file: InputFile) -> Mapping[str, int]:
    """Read the counts of words from a list, or count them in a training corpus."""
    text = read_at_once(lambda client: reading().apply(expanded_text, file, (), client))
    return read_frequencies(split_lines(text), file.name, compared.words_of)
