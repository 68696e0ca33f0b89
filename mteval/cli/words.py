"""``mteval words``: which words, n-grams and segments differ between systems, over all runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from mteval.analysis.evaluation import versions
from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.words.groupings import ALIGNMENT, GIVEN_LABELS, Asked
from mteval.analysis.words.ngrams import NgramEvidence
from mteval.analysis.words.questions import BY, USUAL, GroupAnswers, Terms, WordData, answered
from mteval.answers.section import Section
from mteval.answers.words import MEASURES, groups_section, ngram_sections
from mteval.base.errors import SettingsError
from mteval.cli import output_options as output
from mteval.cli.console import Named, examples, number
from mteval.cli.metric_options import add_metric_options
from mteval.cli.request import read_request_on_test_set
from mteval.cli.system_options import add_system_files, add_test_set
from mteval.readers.assembly.ledger import entry_of_lines
from mteval.readers.disk import read_lines
from mteval.readers.formats.word_lists import read_frequencies, read_terms
from mteval.render.frames import to_json, with_old_columns
from mteval.render.text import text_lines
from mteval.values.ledger import Entry
from mteval.values.settings import EXCHANGE_UNITS

Answer = GroupAnswers | NgramEvidence
# Options that a question needs
_NEEDED_OPTION = {
    "label": "labels",
    "label-ngrams": "labels",
    "source": "alignment",
    "terms": "terms",
}


@dataclass(frozen=True)
class _Result:
    """The answer to one question; n-grams are about one system, other answers about all."""

    question: str
    answer: Answer
    system: str


class _File(NamedTuple):
    """The lines of a file, and its entry in the ledger."""

    lines: list[str]
    entry: Entry


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.description = (
        "Show which words, n-grams and segments differ between systems, over all runs, and whether luck could explain"
        " it."
    )
    parser.epilog = examples(
        "words --files runs/ --baseline old",
        "words --files runs/ --by frequency --counts train.en",
        "words --files runs/ --by terms --terms glossary.tsv",
    )
    add_system_files(parser, words)
    group = parser.add_argument_group("words")
    text = f"questions: {', '.join(BY)} (default: {' '.join(USUAL)})"
    group.add_argument("--by", nargs="+", choices=BY, default=list(USUAL), metavar="NAME", help=text)
    group.add_argument("--measure", choices=MEASURES, default=None, help="of words (default: f; of n-grams: recall)")
    text = "frequencies: a training corpus, or lines with a word, a tab and its count"
    group.add_argument("--counts", type=Path, metavar="FILE", help=text)
    text = "one label per word of the first reference (with --alignment: of the source)"
    group.add_argument("--labels", type=Path, metavar="FILE", help=text)
    text = "the labels of a system's outputs, one file per run"
    group.add_argument("--output-labels", action=Named, nargs="+", default={}, metavar=("NAME", "FILE"), help=text)
    text = "where groups of frequencies or numeric labels start"
    group.add_argument("--cutoffs", nargs="+", type=number, default=[], metavar="N", help=text)
    text = "word alignments of source and first reference (0-0 1-2 …), for --by source"
    group.add_argument("--alignment", type=Path, metavar="FILE", help=text)
    text = "required terms: source and target term between tabs, or TBX"
    group.add_argument("--terms", type=Path, metavar="FILE", help=text)
    group.add_argument("--ignore-case", action="store_true", help="compare lower-cased words")
    add_metric_options(parser, ("bleu",), words)
    group = parser.add_argument_group("tests")
    output.add_setting(group, "--ar-shuffles", "n_shuffles", "shuffles per p-value")
    output.add_setting(group, "--ar-unit", "exchange_unit", "what the test permutes", choices=EXCHANGE_UNITS)
    output.add_confidence(group)
    add_test_set(group)
    output.add_design(group)
    output.add_seed(group)
    output.add_output_options(parser, ("text", "markdown", "json"))
    output.add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Read, compute, print.

    Raises
    ------
    MtevalError
        On bad input.
    """
    output.check_one_is_printed(options)
    request = read_request_on_test_set(options)
    experiment = request.experiment
    settings = request.settings
    (test_set,) = experiment.test_sets
    side_columns = dict(test_set.side)
    files = _read_files(options)
    for name, path in ((GIVEN_LABELS, options.labels), (ALIGNMENT, options.alignment)):
        if path is not None:
            side_columns[name] = tuple(files[path].lines)
    systems = [system.key for system in test_set.systems if system.key != experiment.baseline]
    with output.work_for(options) as work:
        with_columns = replace(test_set, side=side_columns)
        data = WordData(with_columns, (experiment.baseline, *systems), settings, work)
        scored = None
        if {"length", "score"} & set(options.by):  # these questions group outputs by a metric's scores
            scored = next(iter(score_experiment(experiment, request.metrics[:1], work)))
        counts = None
        if options.counts is not None:
            counts = read_frequencies(files[options.counts].lines, str(options.counts), data.words_of)
        terms: Terms = {}
        if options.terms is not None:
            terms = read_terms("\n".join(files[options.terms].lines), str(options.terms), test_set.languages)
        results: list[_Result] = []
        for question in options.by:
            results += _answers(options, question, data, scored, systems, files, counts, terms)

    names = request.systems.names
    baseline = names[experiment.baseline]
    sections: list[Section] = []
    frames_of: dict[str, list[pd.DataFrame]] = {question: [] for question in options.by}
    for result in results:
        frames_of[result.question].append(result.answer.frame)
        if isinstance(result.answer, GroupAnswers):
            sections.append(groups_section(result.answer, baseline, settings))
        else:
            compared = (baseline, names[result.system])
            sections += ngram_sections(result.answer, compared, settings, options.measure or "recall")
    frames = {question: pd.concat(parts) for question, parts in frames_of.items()}
    for frame in frames.values():
        # Conclusions are written as their words; some rows have none
        frame["conclusion"] = [getattr(conclusion, "word", conclusion) for conclusion in frame["conclusion"]]
    frames = {question: with_old_columns(frame, "p_both", "p_both_adjusted") for question, frame in frames.items()}
    header = {
        "settings": settings.deciding,
        "versions": dict(versions()),
        "files": experiment.ledger.including(file.entry for file in files.values()).form(),
    }
    output.publish(options, lambda: to_json(frames, header), text_lines(sections, is_underlined=True))


def _read_files(options: argparse.Namespace) -> dict[Path, _File]:
    """Read the files that only this command has, once each, since standard input can be read only once."""
    roles: list[tuple[Path, str]] = []
    for option in ("labels", "alignment", "counts", "terms"):
        path = getattr(options, option)
        if path is not None:
            roles.append((path, option))
    for paths in options.output_labels.values():
        roles += [(path, "labels") for path in paths]
    files = {}
    for path, role in roles:
        lines = read_lines(path)
        files[path] = _File(lines, entry_of_lines(path, role, lines))
    return files


def _answers(
    options: argparse.Namespace,
    question: str,
    data: WordData,
    scored: Scored | None,
    systems: Sequence[str],
    files: Mapping[Path, _File],
    counts: Mapping[str, int] | None,
    terms: Terms,
) -> Iterator[_Result]:
    """Yield the answers to one question: one about each system for n-grams, otherwise one about all.

    Parameters
    ----------
    files
        What ``_read_files`` returns.
    counts, terms
        Of the training data, and required ones; None and empty if not given.
    """
    _check_needed(options, question, data)
    is_of_ngrams = "ngrams" in question
    measure = options.measure
    if measure is None:
        measure = "recall" if is_of_ngrams else "f"
    asked = Asked(
        measure=measure,
        labels="" if options.labels is None else GIVEN_LABELS,
        output_labels=_output_labels(options, data, files),
        counts=counts,
        cutoffs=tuple(options.cutoffs),
        alignment="" if options.alignment is None else ALIGNMENT,
        lowercase=options.ignore_case,
    )
    compared_systems = systems if is_of_ngrams else [""]
    for system in compared_systems:
        yield _Result(question, answered(data, question, asked, terms, scored, system), system)


def _check_needed(options: argparse.Namespace, question: str, data: WordData) -> None:
    """Raise an error if a file that a question needs is missing; parses have labels of their own."""
    if question not in _NEEDED_OPTION:
        return
    option = _NEEDED_OPTION[question]
    has_labels_of_parses = option == "labels" and data.has_parses
    if getattr(options, option) is None and not has_labels_of_parses:
        raise SettingsError(f"--by {question} needs --{option} FILE.")


def _output_labels(
    options: argparse.Namespace, data: WordData, files: Mapping[Path, _File]
) -> dict[tuple[str, str], list[str]]:
    """Return the labels of outputs, by system and run."""
    labels = {}
    for system, paths in options.output_labels.items():
        run_keys = [run.key for run in data.test_set.runs_of(system)]
        for key, path in zip(run_keys, paths, strict=False):
            labels[system, key] = files[path].lines
    return labels
