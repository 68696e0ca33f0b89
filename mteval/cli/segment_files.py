"""MultEval's files of segments: one per run with its scores, one per system and metric with what changed most."""

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import RunPair, median_pair, rank_table, run_texts, segment_differences
from mteval.base.arrays import FloatArray
from mteval.base.errors import SettingsError
from mteval.cli.console import made_directory, refuse_inputs, write_lines
from mteval.report.multeval import rank_file_name, rank_lines, sentence_file_name, sentence_lines


def write_segment_files(
    options: argparse.Namespace, scored_metrics: Sequence[Scored], results: Results, labels: Mapping[str, str]
) -> None:
    """Write the files of ``--sentLevelDir``, one per run, and of ``--rankDir``, one per system and metric.

    Parameters
    ----------
    scored_metrics
        Of all test sets; files are written for the test set of the results.
    labels
        Names of the metrics in the files, by key.

    Raises
    ------
    MtevalError
        If a file cannot be written or is an input, or the median runs of another test set are missing on this one.
    """
    scored_here = [scored for scored in scored_metrics if scored.test_set.name == results.test_set.name]
    sentence_path_of: dict[tuple[str, str], Path] = {}
    pair_of: dict[tuple[str, str], tuple[Scored, RunPair]] = {}
    rank_path_of: dict[tuple[str, str], Path] = {}
    if options.sentLevelDir:
        sentence_path_of = _sentence_paths(options.sentLevelDir, scored_here[0])
    if options.rankDir:
        test_set_of_medians = options.rank_median or results.test_set.name
        scored_for_medians = {
            scored.metric.key: scored for scored in scored_metrics if scored.test_set.name == test_set_of_medians
        }
        pair_of = _median_pairs(scored_here, scored_for_medians, results.experiment.baseline)
        rank_path_of = _rank_paths(options.rankDir, pair_of, labels)

    # All paths and pairs come before the first file, so that none is written if one cannot be
    refuse_inputs([*sentence_path_of.values(), *rank_path_of.values()])
    if options.sentLevelDir:
        made_directory(options.sentLevelDir)
        _write_sentence_files(sentence_path_of, scored_here, results, labels)
    if options.rankDir:
        made_directory(options.rankDir)
        _write_rank_files(rank_path_of, pair_of, scored_here, results, labels)


def _sentence_paths(directory: Path, scored: Scored) -> dict[tuple[str, str], Path]:
    """Return the path of the file of each run, by system and key of the run."""
    path_of = {}
    for number, system in enumerate(scored.statistics):
        for run, run_key in enumerate(scored.run_keys(system)):
            path_of[system, run_key] = directory / sentence_file_name(number, run)
    return path_of


def _median_pairs(
    scored_metrics: Sequence[Scored], scored_for_medians: Mapping[str, Scored], baseline: str
) -> dict[tuple[str, str], tuple[Scored, RunPair]]:
    """Return the scores and the median runs, by system and metric.

    Parameters
    ----------
    scored_for_medians
        By key of the metric, on the test set that chooses the median runs.
    """
    pair_of = {}
    for scored in scored_metrics:
        for system in scored.statistics:
            if system != baseline and baseline in scored.statistics:
                for_medians = scored_for_medians[scored.metric.key]
                pair = _median_runs(scored, for_medians, baseline, system)
                pair_of[system, scored.metric.key] = (scored, pair)
    return pair_of


def _rank_paths(
    directory: Path, systems_and_metrics: Iterable[tuple[str, str]], labels: Mapping[str, str]
) -> dict[tuple[str, str], Path]:
    """Return the path of the file of each system and metric; systems are numbered from 1."""
    number_of: dict[str, int] = {}
    path_of = {}
    for system, metric in systems_and_metrics:
        number = number_of.setdefault(system, len(number_of) + 1)
        path_of[system, metric] = directory / rank_file_name(number, labels[metric])
    return path_of


def _write_sentence_files(
    path_of: Mapping[tuple[str, str], Path],
    scored_metrics: Sequence[Scored],
    results: Results,
    labels: Mapping[str, str],
) -> None:
    """Write the scores of all segments, one file per run."""
    notations = {label: results.evaluation.metrics[key].notation for key, label in labels.items()}
    first = scored_metrics[0]
    for system in first.statistics:
        for run, run_key in enumerate(first.run_keys(system)):
            scores = {}
            parts: list[tuple[str, FloatArray]] = []
            for scored in scored_metrics:
                statistics = scored.statistics[system][run]
                scores[labels[scored.metric.key]] = scored.scorer.segment_score(statistics)
                columns = scored.scorer.submetrics(statistics).T
                parts += zip(scored.metric.submetric_names, columns, strict=True)
            lines = sentence_lines(run_texts(first, system, run_key), scores, notations, parts)
            write_lines(path_of[system, run_key], lines)


def _write_rank_files(
    path_of: Mapping[tuple[str, str], Path],
    pair_of: Mapping[tuple[str, str], tuple[Scored, RunPair]],
    scored_metrics: Sequence[Scored],
    results: Results,
    labels: Mapping[str, str],
) -> None:
    """Write the segments of the median runs, in MultEval's order.

    That order is by decreasing difference: for TER, segments that became worse come first.
    """
    baseline = results.experiment.baseline
    notations = {key: spec.notation for key, spec in results.evaluation.metrics.items()}
    for (system, metric), (scored, pair) in pair_of.items():
        table = rank_table(segment_differences(scored_metrics, pair), metric, by="difference")
        baseline_texts = run_texts(scored, baseline, pair.baseline_run)
        system_texts = run_texts(scored, system, pair.system_run)
        references = scored.test_set.references
        lines = rank_lines(table, labels, notations, baseline_texts, system_texts, references)
        write_lines(path_of[system, metric], lines)


def _median_runs(scored: Scored, for_medians: Scored, baseline: str, system: str) -> RunPair:
    """Return the median runs on the test set of ``for_medians``.

    Raises
    ------
    SettingsError
        If they have no scores there, or no outputs on the test set of ``scored``.
    """
    option = f"--rank-median {for_medians.test_set.name}"
    metric = for_medians.metric.name
    for key in (baseline, system):
        if key not in for_medians.statistics:
            raise SettingsError(f"{option}: '{key}' has no {metric} scores there. Choose another test set.")
    pair = median_pair(for_medians, baseline, system)
    if not pair.is_on(scored.test_set):
        raise SettingsError(
            f"{option}: its median runs by {metric} ('{pair.baseline_run}' of '{baseline}', '{pair.system_run}' of"
            f" '{system}') have no output on '{scored.test_set.name}'. Add their outputs on both test sets."
        )
    return pair
