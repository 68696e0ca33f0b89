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
from mteval.analysis.scoring import score_experiment
from mteval.analysis.several_test_sets import claimed_test_sets, common_systems, named_apart
from mteval.base.errors import SettingsError
from mteval.cli import output_options as output
from mteval.cli import system_options as inputs
from mteval.cli.claim import add_experiments, read_claimed
from mteval.cli.console import add_files, add_truth, examples, file_to_write, refuse, write_text
from mteval.cli.metric_options import add_metric_options, chosen_metrics
from mteval.metrics import catalog, resolve
from mteval.readers.disk import Loaded
from mteval.report.gate import gate_json, gate_junit, gate_lines, gate_summary
from mteval.values.gate import OTHERS, Gate, GateRule

SUMMARY = "GITHUB_STEP_SUMMARY"  # file whose content GitHub shows with a job
_BASELINE, _CANDIDATE = "baseline", "candidate"
_NOTHING = (
    "Nothing to test. Give --refs (or --source) with --baseline and --candidate FILES, or --files or scores with names."
)
_OF_TEXTS = ("refs", "source", "documents", "sacrebleu_set")


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
    own = parser.add_argument_group("systems", "Text files have one segment per line, one file per run.")
    add_files(own, "--baseline", "outputs; or the system's name", "RUN", dest="old")
    add_files(own, "--candidate", "outputs; or the system's name", "RUN", dest="new")
    if is_of_experiments:
        add_experiments(parser, own)
        own.add_argument("--metrics", nargs="+", metavar="KEY", help="metrics (default: those in all files)")
    else:
        inputs.add_references(own)
        inputs.add_source(own)
        inputs.add_documents(own)
        inputs.add_whole(own)
        inputs.add_text_options(own)
        text = "folder, or experiment in the library: take the baseline's runs from it, and add candidates that pass"
        own.add_argument("--history", metavar="ID|FOLDER", help=text)
        inputs.add_score_files(parser)
        add_metric_options(parser, ("bleu",), words)
        # what 'eval' has besides
        one_by_one = {f"--{name}": name for name in _OF_TEXTS[:3]}
        parser.set_defaults(systems=None, hyps_baseline=[], dev_refs=[], dev_systems=None, named_one_by_one=one_by_one)
    group = parser.add_argument_group("gate")
    for side in ("worse", "better"):
        text = f"must be {'worse by less' if side == 'worse' else 'better by more'} than X points; per metric: bleu=0.3"
        group.add_argument(f"--{side}-by", nargs="+", action="extend", default=[], metavar="X", help=text)
    add_truth(group, "--any", "one metric suffices, adjusted by Holm (default: all must hold)")
    add_truth(group, "--each", "every test set must hold (default: their mean)")
    if is_of_experiments:
        text = "confidence level (default: that of the first file)"
        group.add_argument("--confidence", type=float, metavar="C", help=text)
        group.add_argument("--strict", action="store_true", help="hold the level with few runs; needs --each")
    else:
        group.add_argument("--test-set", metavar="NAME", help="the only test set to use (default: all but role dev)")
        output.add_resampling(group, "what tests resample; auto: documents if known")
        output.add_run_word(group)
        output.add_design(group)
    files = output.add_output_options(parser, ("text", "markdown", "json"))
    files.add_argument("--junit", type=file_to_write, metavar="FILE", help="write JUnit XML; no verdict is skipped")
    text = f"append a summary in Markdown (default: ${SUMMARY} if set)"
    files.add_argument("--summary", type=file_to_write, metavar="FILE", help=text)
    output.add_computing_options(parser)


def run(options: argparse.Namespace) -> None:
    """Read, score, test, print, and set the exit status.

    Raises
    ------
    MtevalError
        On bad input.
    """
    output.is_taken(options)
    rule = GateRule(_margins(options.worse_by), _margins(options.better_by), options.any, options.each)
    gate = _of_experiments(options, rule) if "experiment" in options else _of_files(options, rule)
    options.status = gate.status
    if options.junit:
        write_text(options.junit, gate_junit(gate))
    summary = options.summary or Path(os.environ.get(SUMMARY, ""))
    if summary != Path():
        write_text(summary, gate_summary(gate), "a")
    if options.format == "markdown":
        lines = iter(gate_summary(gate).removesuffix("\n").split("\n"))
    else:
        lines = gate_lines(gate)
    output.publish(options, lambda: gate_json(gate), lines, gate.findings)


def _margins(words: Iterable[str]) -> dict[str, float]:
    """Return margins by metric from ``0.3`` or ``bleu=0.3``."""
    found: dict[str, float] = {}
    for word in words:
        metric, _, number = word.rpartition("=")
        try:
            margin = float(number)
        except ValueError as error:
            raise SettingsError(f"The margin '{word}' is not a number of points. Use e.g. 0.3 or bleu=0.3.") from error
        if found.setdefault(metric.lower() or OTHERS, margin) != margin:
            raise SettingsError(f"The margin of {metric or 'all metrics'} is given twice. Give one.")
    return found


def _named(paths: Sequence[Path], option: str) -> str | None:
    """Return the name of a system given instead of files."""
    if len(paths) > 1:
        raise SettingsError(f"{option} takes one name if systems come from files that name them, not {len(paths)}.")
    return str(paths[0]) if paths else None


def _of_experiments(options: argparse.Namespace, rule: GateRule) -> Gate:
    read = read_claimed(options)
    baseline = _named(options.old, "--baseline") or read.baseline
    candidate = compared_system(common_systems(read.sources, baseline), _named(options.new, "--candidate"))
    confidence = read.settings.confidence if options.confidence is None else options.confidence
    settings = replace(read.settings, confidence=confidence, strict=options.strict or read.settings.strict)
    with output.work_for(options) as work:
        return gated(read.sources, read.specs, baseline, candidate, rule, settings, work, read.findings)


def _of_files(options: argparse.Namespace, rule: GateRule) -> Gate:
    history = None
    if options.history and options.samples != 1:
        raise SettingsError("--samples cannot be combined with --history. Give one output per run.")
    if options.history:
        from mteval.report.history import History  # loads figures

        history = History.at(options.history)
    if history is not None and not history.is_new:
        why = "is part of the history already"
        refuse(options, (*_OF_TEXTS, "files", "logs", "nested"), why)
        if options.old:
            raise SettingsError(f"--baseline {why}.")
        loaded, candidate = history.with_candidate(options.new, _CANDIDATE, inputs.score_files(options))
    else:
        loaded, candidate = _read(options)
    experiment = loaded.experiment
    settings = output.settings_of(options, chosen_metrics(options, loaded), experiment)
    test_sets = claimed_test_sets(experiment.test_sets) or experiment.test_sets
    if options.test_set is not None:
        test_sets = (experiment.test_set(options.test_set),)
    tested = replace(experiment, test_sets=test_sets)
    with output.work_for(options) as work:
        scored = score_experiment(tested, resolve(settings, experiment.given), work)
        known, sources = catalog(experiment.given), named_apart([("", scored)], is_shared=True)
        specs, findings = {key: known[key] for key in settings.metrics}, findings_of(tested, scored, settings)
        gate = gated(sources, specs, experiment.baseline, candidate, rule, settings, work, findings)
    if history is not None and gate.passed:
        history.accept(loaded, candidate, settings)
    return gate


def _read(options: argparse.Namespace) -> tuple[Loaded, str]:
    """Return what is compared, and the candidate's name."""
    options.baseline = None
    are_named = options.files or options.logs
    if are_named or not any(getattr(options, name) for name in ("refs", "source", "sacrebleu_set")):
        if not (are_named or options.scores_higher or options.scores_lower):
            raise SettingsError(_NOTHING)
        options.baseline, name = _named(options.old, "--baseline"), _named(options.new, "--candidate")
    else:
        name, options.systems = _CANDIDATE, {_BASELINE: options.old, _CANDIDATE: options.new}
    loaded = inputs.read_systems(options).loaded
    others = [system.key for system in loaded.experiment.systems if system.key != loaded.experiment.baseline]
    return loaded, compared_system(others, name)
