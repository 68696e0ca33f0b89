"""``mteval gate``: let a candidate pass or fail, with an exit status and files for CI servers."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from mteval.analysis.comparison import compared_system
from mteval.analysis.findings import findings_of
from mteval.analysis.gates import gated
from mteval.analysis.human_scores import verdicts_on_candidate
from mteval.analysis.scoring import score_experiment
from mteval.analysis.several_test_sets import common_systems, named_apart
from mteval.base.errors import MtevalError, SettingsError
from mteval.base.words import composed
from mteval.cli import output_options as output
from mteval.cli import system_options as inputs
from mteval.cli.claim import add_experiments, read_claimed
from mteval.cli.console import (
    add_files,
    add_truth,
    examples,
    file_to_write,
    number,
    refuse,
    refuse_inputs,
    refuse_outputs,
    write_text,
)
from mteval.cli.metric_options import add_metric_options, chosen_metrics
from mteval.metrics import catalog, resolve
from mteval.readers.disk import Loaded
from mteval.report.gate import gate_json, gate_junit, gate_lines, gate_summary
from mteval.values.claim import claimed_test_sets
from mteval.values.gate import OTHERS, Gate, GateRule, Margin, margin_from

SUMMARY = "GITHUB_STEP_SUMMARY"  # file whose content GitHub shows with a job
_BASELINE = "baseline"
_CANDIDATE = "candidate"
_NOTHING = (
    "Nothing to test. Give --refs (or --source) with --baseline and --candidate FILES, or --files or scores with names."
)


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options: those of several experiments if the words name one, otherwise those of files."""
    parser.description = (
        "Test a candidate against the baseline and margins. Exit status: 0 pass, 1 fail, 3 no verdict, 2 bad input."
        " Without a margin, the candidate must be better. A single candidate run is tested against the baseline's"
        " runs (three or more). Systems in --files or scores are named; language pairs are experiment.toml files."
    )
    parser.epilog = examples(
        "gate --baseline old.*.txt --candidate new.*.txt --refs ref.txt --metrics bleu chrf --worse-by 0.3",
        "gate --scores-higher accuracy.tsv --baseline old --candidate new --worse-by 0.01 --junit gate.xml",
        "gate de-en.toml fr-en.toml --runs separate --candidate new --worse-by comet=0.5 bleu=0.3",
    )
    is_of_experiments = any(word.endswith(".toml") for word in words)
    systems = parser.add_argument_group("systems", "Text files have one segment per line, one file per run.")
    add_files(systems, "--baseline", "outputs; or the system's name", "RUN", dest="old")
    add_files(systems, "--candidate", "outputs; or the system's name", "RUN", dest="new")
    if is_of_experiments:
        add_experiments(parser, systems)
        systems.add_argument("--metrics", nargs="+", metavar="KEY", help="metrics (default: those in all files)")
    else:
        inputs.add_references(systems)
        inputs.add_source(systems)
        inputs.add_documents(systems)
        inputs.add_whole(systems)
        inputs.add_text_options(systems)
        text = "folder, or experiment in the library: take the baseline's runs from it, and add candidates that pass"
        systems.add_argument("--history", metavar="ID|FOLDER", help=text)
        inputs.add_score_files(parser)
        add_metric_options(parser, ("bleu",), words, shows_people=True)
        # Reading the systems also needs values that only other commands have options for
        named_one_by_one = {
            "--refs": "refs",
            "--num-refs": "num_refs",
            "--source": "source",
            "--documents": "documents",
        }
        parser.set_defaults(
            systems=None, hyps_baseline=[], dev_refs=[], dev_systems=None, named_one_by_one=named_one_by_one
        )
    group = parser.add_argument_group("gate")
    text = (
        "must be worse by less than X points; per metric: bleu=0.3; people:60%%: the difference at which people prefer"
        " the better of two systems in 60%% of pairs"
    )
    group.add_argument("--worse-by", nargs="+", action="extend", default=[], metavar="X", help=text)
    text = "must be better by more than X points; per metric: bleu=0.3; or people:60%%"
    group.add_argument("--better-by", nargs="+", action="extend", default=[], metavar="X", help=text)
    add_truth(group, "--any", "one metric suffices, adjusted by Holm (default: all must hold)")
    add_truth(group, "--each", "every test set must hold (default: their mean)")
    if is_of_experiments:
        text = "confidence level (default: that of the first file)"
        group.add_argument("--confidence", type=number, metavar="C", help=text)
        group.add_argument("--strict", action="store_true", help="hold the level with few runs; needs --each")
    else:
        group.add_argument(
            "--test-set", type=composed, metavar="NAME", help="the only test set to use (default: all but role dev)"
        )
        output.add_resampling(group, "what tests resample; auto: documents if known")
        output.add_run_word(group)
        output.add_design(group)
    files = output.add_output_options(parser, ("text", "markdown", "json"))
    files.add_argument(
        "--junit", type=file_to_write, metavar="FILE", help="write JUnit XML; a test without a verdict is skipped"
    )
    text = f"append a summary in Markdown (default: ${SUMMARY} if set)"
    of_server = os.environ.get(SUMMARY) or None
    files.add_argument("--summary", type=file_to_write, default=of_server, metavar="FILE", help=text)
    output.add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Read, score, test, print, and set the exit status.

    Raises
    ------
    MtevalError
        On bad input.
    """
    output.check_one_is_printed(options)
    worse_by = _margins("--worse-by", options.worse_by)
    better_by = _margins("--better-by", options.better_by)
    rule = GateRule(worse_by, better_by, options.any, options.each)
    if "experiment" in options:
        gate = _of_experiments(options, rule)
    else:
        gate = _of_files(options, rule)
    options.status = gate.status
    if options.junit:
        write_text(options.junit, gate_junit(gate))
    if options.summary:
        write_text(options.summary, gate_summary(gate), "a")
    if options.format == "markdown":
        lines = iter(gate_summary(gate).removesuffix("\n").split("\n"))
    else:
        lines = gate_lines(gate)
    output.publish(options, lambda: gate_json(gate), lines, gate.findings)


def margin(word: str) -> Margin:
    """Parse a number of points, or a share of pairs such as ``people:60%``."""
    try:
        return margin_from(word)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"expected points, such as 0.5, or people:60%, found '{word}'") from error


def _margins(option: str, words: Iterable[str]) -> dict[str, Margin]:
    """Return margins by metric from ``0.3``, ``bleu=0.3`` or ``people:60%``."""
    margin_of: dict[str, Margin] = {}
    for word in words:
        metric, _, points = word.rpartition("=")
        try:
            of_metric = margin_from(points)
        except ValueError as error:
            raise SettingsError(
                f"{option} is '{word}'; expected 0 or more points, such as 0.3, of one metric bleu=0.3, or people:60%."
            ) from error
        first = margin_of.setdefault(metric.lower() or OTHERS, of_metric)
        if first != of_metric:
            raise SettingsError(f"{option}: the margin of {metric or 'all metrics'} is given twice. Give one.")
    return margin_of


def _named(paths: Sequence[Path], option: str) -> str | None:
    """Return the name of a system given instead of files; None without."""
    if len(paths) > 1:
        raise SettingsError(f"{option} takes one name if systems come from files that name them, not {len(paths)}.")
    if not paths:
        return None
    return composed(str(paths[0]))


def _of_experiments(options: argparse.Namespace, rule: GateRule) -> Gate:
    """Test the candidate of several experiment files."""
    claimed = read_claimed(options)
    if not claimed.sources:
        raise MtevalError("All test sets have role dev. Name those to test with --test-sets.")
    baseline = _named(options.old, "--baseline") or claimed.baseline
    systems = common_systems(claimed.sources, baseline)
    candidate = compared_system(systems, _named(options.new, "--candidate"))
    settings = replace(claimed.settings, strict=options.strict or claimed.settings.strict)
    if options.confidence is not None:
        settings = replace(settings, confidence=options.confidence)
    with output.work_for(options) as work:
        gate = gated(claimed.sources, claimed.specs, baseline, candidate, rule, settings, work, claimed.findings)
        names = {source.scored.test_set.name for source in claimed.sources}
        by_people = verdicts_on_candidate(claimed.experiments, names, (baseline, candidate), gate.settings, work)
    return replace(gate, files=claimed.files, by_people=by_people)


def _of_files(options: argparse.Namespace, rule: GateRule) -> Gate:
    """Test the candidate of named files, or against a history, which keeps a candidate that passes."""
    history = None
    if options.history:
        if options.samples != 1:
            raise SettingsError("--samples cannot be combined with --history. Give one output per run.")
        from mteval.report.history import History  # loads figures

        history = History.at(options.history)
        refuse_outputs(history.files)
    if history is not None and not history.is_new:
        reason = "is part of the history already"
        refuse(options, ("refs", "num_refs", "source", "documents", "sacrebleu_set", "files", "logs", "nested"), reason)
        if options.old:
            raise SettingsError(f"--baseline {reason}.")
        loaded, candidate = history.with_candidate(options.new, _CANDIDATE, inputs.score_files(options))
    else:
        loaded, candidate = _read(options)

    experiment = loaded.experiment
    settings = output.settings_of(options, chosen_metrics(options, loaded), experiment)
    if options.test_set is None:
        test_sets = claimed_test_sets(experiment.test_sets) or experiment.test_sets
    else:
        test_sets = (experiment.test_set(options.test_set),)
    tested = replace(experiment, test_sets=test_sets)
    with output.work_for(options) as work:
        scored = score_experiment(tested, resolve(settings, experiment.given), work)
        sources = named_apart([("", scored)], is_shared=True)
        known = catalog(experiment.given)
        specs = {key: known[key] for key in settings.metrics}
        findings = findings_of(tested, scored, settings)
        gate = gated(sources, specs, experiment.baseline, candidate, rule, settings, work, findings)
        names = [test_set.name for test_set in test_sets]
        pair = (experiment.baseline, candidate)
        by_people = verdicts_on_candidate({"": experiment}, names, pair, gate.settings, work)
    gate = replace(gate, files=experiment.ledger, by_people=by_people)
    if history is not None and gate.passed:
        history.accept(loaded, candidate, settings, _refuse_paths_of_options)
    return gate


def _refuse_paths_of_options(paths: Iterable[Path]) -> None:
    """Check that none of the files of a history is one that the options name, to read or to write.

    Raises
    ------
    SettingsError
        If one is.
    """
    paths = list(paths)
    refuse_inputs(paths)
    refuse_outputs(paths)


def _read(options: argparse.Namespace) -> tuple[Loaded, str]:
    """Return what is compared, and the candidate's name."""
    options.baseline = None
    are_named = bool(options.files or options.logs)
    has_texts = bool(options.refs or options.source or options.sacrebleu_set)
    candidate: str | None = _CANDIDATE
    if has_texts and not are_named:
        options.systems = {_BASELINE: options.old, _CANDIDATE: options.new}
    else:  # the files name the systems
        if not (are_named or options.scores_higher or options.scores_lower):
            raise SettingsError(_NOTHING)
        options.baseline = _named(options.old, "--baseline")
        candidate = _named(options.new, "--candidate")
    loaded = inputs.read_systems(options).loaded
    systems = [system.key for system in loaded.experiment.systems if system.key != loaded.experiment.baseline]
    return loaded, compared_system(systems, candidate)
