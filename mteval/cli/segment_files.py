"""MultEval's files of segments: one per run with its scores, one per system and metric with what changed most."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import RunPair, median_pair, rank_table, run_texts, segment_differences
from mteval.base.errors import SettingsError
from mteval.cli.console import made_directory, write_lines
from mteval.report.multeval import rank_file_name, rank_lines, sentence_file_name, sentence_lines


def write_segment_files(
    options: argparse.Namespace, scored_metrics: Sequence[Scored], results: Results, labels: Mapping[str, str]
) -> None:
    """Write the files of ``--sentLevelDir``, one per run, and of ``--rankDir``, one per system and metric.

    Raises
    ------
    MtevalError
        If a file cannot be written, or the median runs of another test set are missing on this one.
    """
    here = [one for one in scored_metrics if one.test_set.name == results.test_set.name]
    if options.sentLevelDir:
        directory = made_directory(options.sentLevelDir)
        by_label = {label: results.evaluation.metrics[key].notation for key, label in labels.items()}
        for number, system in enumerate(here[0].statistics):
            for run, key in enumerate(here[0].run_keys(system)):
                of_run = [(one, one.statistics[system][run]) for one in here]
                scores = {labels[one.metric.key]: one.scorer.segment_score(found) for one, found in of_run}
                parts = [
                    part
                    for one, found in of_run
                    for part in zip(one.metric.submetric_names, one.scorer.submetrics(found).T, strict=True)
                ]
                lines = sentence_lines(run_texts(here[0], system, key), scores, by_label, parts)
                write_lines(directory / sentence_file_name(number, run), lines)
    if options.rankDir:
        chosen_on = options.rank_median or results.test_set.name
        chosen = {one.metric.key: one for one in scored_metrics if one.test_set.name == chosen_on}
        _write_rank_files(made_directory(options.rankDir), here, chosen, results, labels)


def _write_rank_files(
    directory: Path, here: Sequence[Scored], chosen: Mapping[str, Scored], results: Results, labels: Mapping[str, str]
) -> None:
    """Write the segments of the median runs by ``chosen``, in MultEval's order.

    That order is by decreasing difference: for TER, segments that became worse come first.
    """
    baseline = results.experiment.baseline
    notations = {key: spec.notation for key, spec in results.evaluation.metrics.items()}
    pairs = {
        (system, one.metric.key): (one, _pair(one, chosen[one.metric.key], baseline, system))
        for one in here
        for system in one.statistics
        if system != baseline and baseline in one.statistics
    }
    numbers = {system: number for number, system in enumerate(dict.fromkeys(system for system, _ in pairs), start=1)}
    for (system, metric), (one, pair) in pairs.items():
        table = rank_table(segment_differences(here, pair), metric, by="difference")
        texts = run_texts(one, baseline, pair.baseline_run), run_texts(one, system, pair.system_run)
        lines = rank_lines(table, labels, notations, *texts, one.test_set.references)
        write_lines(directory / rank_file_name(numbers[system], labels[metric]), lines)


def _pair(read: Scored, chosen: Scored, baseline: str, system: str) -> RunPair:
    if lacking := [key for key in (baseline, system) if key not in chosen.statistics]:
        raise SettingsError(
            f"--rank-median {chosen.test_set.name}: '{lacking[0]}' has no {chosen.metric.name} scores there. Choose"
            " another test set."
        )
    pair = median_pair(chosen, baseline, system)
    if not pair.is_on(read.test_set):
        raise SettingsError(
            f"--rank-median {chosen.test_set.name}: its median runs by {chosen.metric.name} ('{pair.baseline_run}' of"
            f" '{baseline}', '{pair.system_run}' of '{system}') have no output on '{read.test_set.name}'. Add their"
            " outputs on both test sets."
        )
    return pair
