"""MultEval's files of single segments: one a run with its scores, one a system and metric with what changed most."""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from mteval.analysis.scoring import Scored
from mteval.analysis.segments.runs import RunPair, median_pair, rank_table, run_texts, segment_differences
from mteval.base.arrays import FloatArray
from mteval.base.errors import SettingsError
from mteval.cli.console import directory_to_write, made_directory, write_lines
from mteval.report.multeval import rank_file_name, rank_lines, sentence_file_name, sentence_lines
from mteval.values.model import Experiment, TestSet
from mteval.values.notation import Notation


def add_segment_file_options(group: argparse._ArgumentGroup) -> None:
    """Add ``--rankDir``, ``--rank-median`` and ``--sentLevelDir``."""
    group.add_argument(
        "--rankDir", type=directory_to_write, metavar="DIR",
        help="write there, for each system and metric, the segments of the median runs by what changed",
    )  # fmt: skip
    group.add_argument(
        "--rank-median", metavar="TEST_SET",
        help="choose the median runs of --rankDir on this test set, so that the choice is free of what is read"
        " (default: the one that is read)",
    )  # fmt: skip
    group.add_argument(
        "--sentLevelDir",
        type=directory_to_write,
        metavar="DIR",
        help="write there, for each run, the scores of its segments",
    )


def check_median(options: argparse.Namespace, experiment: Experiment) -> None:
    """Refuse a test set of ``--rank-median`` that is not there, before anything is scored.

    Raises
    ------
    MtevalError
        Where there is none of that name, or no rank files are wanted.
    """
    if options.rank_median is None:
        return
    if not options.rankDir:
        raise SettingsError("--rank-median is about the files of --rankDir; name a directory for them.")
    experiment.test_set(options.rank_median)


def write_segment_files(
    options: argparse.Namespace,
    scored_metrics: Sequence[Scored],
    experiment: Experiment,
    test_set: TestSet,
    labels: Mapping[str, str],
    notations: Mapping[str, Notation],
) -> None:
    """Write the files about a test set into the directories that were named.

    Raises
    ------
    MtevalError
        Where a directory or file cannot be written, and where median runs of another test set are not on this one.
    """
    here = [one for one in scored_metrics if one.test_set.name == test_set.name]
    if options.sentLevelDir:
        _write_sentence_files(made_directory(options.sentLevelDir), here, labels, notations)
    if options.rankDir:
        chosen_on = options.rank_median or test_set.name
        chosen = {one.metric.key: one for one in scored_metrics if one.test_set.name == chosen_on}
        _write_rank_files(made_directory(options.rankDir), here, chosen, experiment.baseline, labels, notations)


def _write_sentence_files(
    directory: Path, here: Sequence[Scored], labels: Mapping[str, str], notations: Mapping[str, Notation]
) -> None:
    """One file a run, numbered from 1 with the baseline as the first system."""
    by_label = {label: notations[key] for key, label in labels.items()}
    for number, system in enumerate(here[0].statistics):
        for run, key in enumerate(here[0].run_keys(system)):
            scores, parts = dict[str, FloatArray](), list[tuple[str, FloatArray]]()
            for one in here:
                statistics = one.statistics[system][run]
                scores[labels[one.metric.key]] = one.scorer.segment_score(statistics)
                parts += zip(one.metric.submetric_names, one.scorer.submetrics(statistics).T, strict=True)
            texts = run_texts(here[0], system, key)
            write_lines(directory / sentence_file_name(number, run), sentence_lines(texts, scores, by_label, parts))


def _write_rank_files(
    directory: Path,
    here: Sequence[Scored],
    chosen: Mapping[str, Scored],
    baseline: str,
    labels: Mapping[str, str],
    notations: Mapping[str, Notation],
) -> None:
    """One file a system and metric, of the median runs by ``chosen``, in MultEval's order.

    That order is by falling difference: for TER the segments that became worse come first.
    """
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
    lacking = [key for key in (baseline, system) if key not in chosen.statistics]
    if lacking:
        raise SettingsError(
            f"--rank-median {chosen.test_set.name}: '{lacking[0]}' has no {chosen.metric.name} scores there, so"
            " that its median run cannot be chosen; name another test set."
        )
    pair = median_pair(chosen, baseline, system)
    if not pair.is_on(read.test_set):
        raise SettingsError(
            f"--rank-median {chosen.test_set.name}: the median runs by {chosen.metric.name} there are"
            f" '{pair.baseline_run}' of '{baseline}' and '{pair.system_run}' of '{system}', and '{read.test_set.name}'"
            " does not have both; give all runs their output on both test sets."
        )
    return pair
