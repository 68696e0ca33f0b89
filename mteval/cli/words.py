"""``mteval words``: which words, n-grams and segments differ between systems, over all runs."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from mteval.analysis.evaluation import versions
from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.words.groupings import ALIGNMENT, GIVEN_LABELS, Asked
from mteval.analysis.words.ngrams import NgramEvidence
from mteval.analysis.words.questions import BY, USUAL, GroupAnswers, WordData, answered
from mteval.answers.words import MEASURES, groups_section, ngram_sections
from mteval.base.errors import SettingsError
from mteval.cli import output_options as output
from mteval.cli.console import Named, examples
from mteval.cli.metric_options import add_metric_options
from mteval.cli.request import read_request_on_test_set
from mteval.cli.system_options import add_system_files, add_test_set
from mteval.readers.disk import read_lines
from mteval.readers.formats.word_lists import read_frequencies, read_terms
from mteval.render.frames import to_json
from mteval.render.text import text_lines
from mteval.values.settings import EXCHANGE_UNITS

Found = GroupAnswers | NgramEvidence


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
    group.add_argument("--cutoffs", nargs="+", type=float, default=[], metavar="N", help=text)
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
    output.is_taken(options)
    request = read_request_on_test_set(options)
    compared = request.systems
    experiment = request.experiment
    settings = request.settings
    (test_set,) = experiment.test_sets
    lines = {GIVEN_LABELS: options.labels, ALIGNMENT: options.alignment}
    side = {name: tuple(read_lines(path)) for name, path in lines.items() if path is not None}
    others = [system.key for system in test_set.systems if system.key != experiment.baseline]
    with output.work_for(options) as work:
        test_set = replace(test_set, side={**test_set.side, **side})
        data = WordData(test_set, (experiment.baseline, *others), settings, work)
        scored = None
        if {"length", "score"} & set(options.by):
            scored = next(iter(score_experiment(experiment, request.metrics[:1], work)))
        found = [(by, one) for by in options.by for one in _found(options, by, data, scored, others)]
    names = compared.names
    sections = [
        section
        for _, (one, system) in found
        for section in (
            [groups_section(one, names[experiment.baseline], settings)]
            if isinstance(one, GroupAnswers)
            else ngram_sections(one, (names[experiment.baseline], names[system]), settings, options.measure or "recall")
        )
    ]
    frames = {by: pd.concat([one.frame for name, (one, _) in found if name == by]) for by in options.by}
    for frame in frames.values():
        frame["conclusion"] = [getattr(one, "word", one) for one in frame["conclusion"]]
    other = {"settings": settings.deciding, "versions": dict(versions())}
    output.publish(options, lambda: to_json(frames, other), text_lines(sections, is_underlined=True))


def _found(
    options: argparse.Namespace, by: str, data: WordData, scored: Scored | None, others: Sequence[str]
) -> Iterator[tuple[Found, str]]:
    """Yield the answers to one question, with the system that n-grams are about."""
    needs = {"label": "labels", "label-ngrams": "labels", "source": "alignment", "terms": "terms"}
    if by in needs and getattr(options, needs[by]) is None and not (by.startswith("label") and data.has_parses):
        raise SettingsError(f"--by {by} needs --{needs[by]} FILE.")
    counts = None
    if options.counts is not None:
        counts = read_frequencies(read_lines(options.counts), str(options.counts), data.words_of)
    labels = {
        (system, key): read_lines(path)
        for system, paths in options.output_labels.items()
        for key, path in zip((run.key for run in data.test_set.runs_of(system)), paths, strict=False)
    }
    asked = Asked(
        measure=options.measure or ("recall" if "ngrams" in by else "f"),
        labels="" if options.labels is None else GIVEN_LABELS, output_labels=labels, counts=counts,
        cutoffs=tuple(options.cutoffs), alignment="" if options.alignment is None else ALIGNMENT,
        lowercase=options.ignore_case,
    )  # fmt: skip
    terms = {}
    if options.terms is not None:
        terms = read_terms("\n".join(read_lines(options.terms)), str(options.terms), data.test_set.languages)
    for system in others if "ngrams" in by else [""]:
        yield answered(data, by, asked, terms, scored, system), system
