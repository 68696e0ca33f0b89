"""Rows of the table: tasks on MultEval's example that a peer does, too."""

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from tempfile import TemporaryDirectory
from unittest.mock import patch
from warnings import catch_warnings, simplefilter

import numpy as np

import mteval
from benchmarks import peers
from benchmarks.example import distinct_outputs, distinct_runs, files, many_runs, resized, with_runs
from benchmarks.timing import Pair, compare, compare_processes, seconds
from mteval.analysis.evaluation import evaluate
from mteval.analysis.scoring import Work, score_experiment
from mteval.analysis.summary import summaries
from mteval.base.parallel import Engine
from mteval.metrics import METRICS, resolve
from mteval.metrics.base import Scorer, StatArray
from mteval.stats import PROCEDURES
from mteval.stats.base import How
from mteval.stats.replication import MOST_COMBINATIONS, differences_by_k
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.resampling.streams import seeds_for
from mteval.stats.runs import run_scores
from mteval.values.model import Experiment, Run
from mteval.values.settings import Settings

SACREBLEU = "sacreBLEU"
ONE_THREAD = Work(Engine(workers=1))
MULTEVAL_SECONDS = 10.4 + 24.2 + 6.3  # its bleu, ter and length, each alone, on a quiet machine with two threads
MULTEVAL_ALL_SECONDS = 219.8
MULTEVAL_METRICS = ("bleu", "meteor", "ter", "length")
Measure = Callable[[Experiment, int], Iterator[Pair]]


def scoring(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """Statistics of six runs; our time includes finding the distinct pairs and reading the references."""
    runs = distinct_runs(experiment)
    untokenized = Settings(metrics=("bleu",), options={"bleu": {"tokenize": "none"}})
    for task, settings, peer, wanted in (
        ("BLEU statistics, 6 runs", Settings(metrics=("bleu",)), lambda: peers.bleu("13a"), 25),
        ("BLEU none statistics, 6 runs", untokenized, lambda: peers.bleu("none"), None),
        ("chrF statistics, 6 runs", Settings(metrics=("chrf",)), lambda: peers.chrf(0), 40),
        ("chrF++ statistics, 6 runs", Settings(metrics=("chrf++",)), lambda: peers.chrf(2), 40),
    ):
        yield _scoring(task, experiment, runs, settings, peer, rounds, wanted)

    settings = Settings(metrics=("bleu",))
    shared = many_runs(experiment, 100)
    yield _scoring("BLEU statistics, 100 runs, shared outputs", experiment, shared, settings, peers.bleu, 1, 100)
    distinct = distinct_outputs(1, 100, 2_489).test_sets[0].runs
    yield _scoring("BLEU statistics, 100 runs, distinct outputs", experiment, distinct, settings, peers.bleu, 1, None)


def shell(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """BLEU of one file from the shell, beside sacreBLEU's whole job; theirs has no spread, ours has s_sel."""
    reference, systems = files()
    references = str(reference)
    hypotheses = str(systems["baseline"][0])
    our_program = [sys.executable, "-m", "mteval"]
    their_program = [sys.executable, "-m", "sacrebleu"]
    rounds *= 3

    task = "eval --metrics bleu of one file, processor time"
    ours = [*our_program, "eval", "--refs", references, "--hyps-baseline", hypotheses, "--metrics", "bleu"]
    theirs = [*their_program, references, "-i", hypotheses, "-m", "bleu"]
    yield compare_processes(task, ours, f"{SACREBLEU} -m bleu", theirs, rounds=rounds, wanted=1 / 1.5)
    with_interval = [*theirs, "--confidence"]
    yield compare_processes(task, ours, f"{SACREBLEU} -m bleu --confidence", with_interval, rounds=rounds)

    task = "--help, processor time"
    yield compare_processes(task, [*our_program, "--help"], SACREBLEU, [*their_program, "--help"], rounds=rounds)


def ter(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """Time TER with one round of the slow peer."""
    settings = Settings(metrics=("ter",))
    runs = distinct_runs(experiment)
    yield _scoring("TER statistics, 6 runs", experiment, runs, settings, peers.ter, 1, 1000)


def bootstrap(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """1,000 replicates of every run."""
    scorer, of_3_runs = _bleu(experiment)
    of_300_runs = resized(of_3_runs, 300, of_3_runs.shape[1])
    metric = peers.bleu("none")
    for statistics, rounds_of_task, wanted in ((of_3_runs, rounds, 40), (of_300_runs, 1, 150)):
        yield compare(
            f"bootstrap, 1,000 replicates, {len(statistics)} runs",
            partial(_replicates, statistics, scorer),
            SACREBLEU,
            partial(peers.bootstrap, metric, statistics.tolist(), 1000),
            rounds=rounds_of_task,
            wanted=wanted,
        )


def randomization(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """10,000 shuffles: one run, three runs with each output on its own, three runs with a segment's runs together."""
    scorer, baseline = _bleu(experiment)
    _, system = _bleu(experiment, "sys1")
    metric = peers.bleu("none")
    for task, procedure, n_runs, wanted in (
        ("one run", "ar-segment", 1, 400),
        ("3 runs, outputs", "ar-output", 3, 400),
        ("3 runs, segments", "ar-segment", 3, None),
    ):
        # sacreBLEU knows one run: it is handed the segments of all runs one after the other.
        all_baseline = np.concatenate(list(baseline[:n_runs])).tolist()
        all_system = np.concatenate(list(system[:n_runs])).tolist()
        yield compare(
            f"randomization, 10,000 shuffles, {task}",
            partial(_test, procedure, baseline[:n_runs], system[:n_runs], scorer),
            f"{SACREBLEU} --paired-ar",
            partial(peers.paired_randomization, metric, all_baseline, all_system, 10_000),
            rounds=rounds,
            wanted=wanted,
        )


def in_rust(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """Text to scores of one run; ours keeps statistics of every segment, which tests need, and theirs does not."""
    (test_set,) = experiment.test_sets
    run = test_set.runs_of("baseline")[0]
    references = _first_references(experiment)
    of_one_run = with_runs(experiment, (run,))

    def ours(key: str) -> object:
        (scored,) = score_experiment(of_one_run, resolve(Settings(metrics=(key,))), ONE_THREAD)
        return run_scores(scored.statistics["baseline"], scored.scorer.score)

    for task, key, peer in (
        ("BLEU of one run, text to score", "bleu", peers.bleuscore),
        ("chrF of one run, text to score", "chrf", peers.fastchrf),
    ):
        theirs = partial(peer, run.hypotheses, references)
        yield compare(task, partial(ours, key), peer.__name__, theirs, rounds=rounds)


def compare_mt(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """1,000 replicates of one run of either system, from statistics to who wins how often."""
    scorer, baseline = _bleu(experiment)
    _, system = _bleu(experiment, "sys1")
    (test_set,) = experiment.test_sets
    references = _first_references(experiment)
    theirs = []
    for key in ("baseline", "sys1"):
        run = test_set.runs_of(key)[0]
        theirs.append(peers.compare_mt_statistics(run.hypotheses, references))
    yield compare(
        "paired bootstrap, 1,000 replicates, one run per system",
        lambda: _test("paired-bootstrap", baseline[:1], system[:1], scorer, 1_000),
        "compare-mt, replicates of half the segments",
        lambda: peers.compare_mt_bootstrap(theirs, 1_000),
        rounds=rounds,
    )


def figure_2(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """Clark et al.'s Figure 2 from the scores of 50 runs of either system; the loop is slow, so one round must do."""
    scorer, baseline = _bleu(experiment)
    _, system = _bleu(experiment, "sys1")
    of_baseline = run_scores(resized(baseline, 50, baseline.shape[1]), scorer.score)
    of_system = run_scores(resized(system, 50, system.shape[1]), scorer.score)
    ks = range(1, 51)
    yield compare(
        f"Figure 2, 1 to 50 of 50 runs, {MOST_COMBINATIONS:,} draws each",
        lambda: differences_by_k(of_baseline, of_system, ks, seeds_for(1, "replication")),
        "loop over the draws with NumPy",
        lambda: peers.differences_in_a_loop(of_baseline, of_system, ks, MOST_COMBINATIONS),
        rounds=1,
    )


def text_to_p_value(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """One run of each of two systems, text to p-value."""
    (test_set,) = experiment.test_sets
    baseline = test_set.runs_of("baseline")[0]
    system = test_set.runs_of("sys1")[0]
    streams = [_first_references(experiment)]

    def ours(procedure: str, n_resamples: int) -> object:
        of_two_runs = with_runs(experiment, (baseline, system))
        (scored,) = score_experiment(of_two_runs, resolve(Settings(metrics=("bleu",))), ONE_THREAD)
        statistics = scored.statistics
        return _test(procedure, statistics["baseline"], statistics["sys1"], scored.scorer, n_resamples)

    def theirs(kind: str) -> object:
        return peers.paired_test(kind, baseline.hypotheses, system.hypotheses, streams, peers.bleu())

    for procedure, n_resamples, kind, wanted in (
        ("ar-segment", 10_000, "ar", 40),
        ("bootstrap-rm2005", 1_000, "bs", None),
    ):
        yield compare(
            f"text to p-value, one run per system, {PROCEDURES[procedure].name}",
            partial(ours, procedure, n_resamples),
            f"{SACREBLEU} --paired-{kind}",
            partial(theirs, kind),
            rounds=rounds,
            wanted=wanted,
        )


def text_to_numbers(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """Scores and bootstrap of 20 runs with distinct outputs; then ``mteval.score``, with nothing cached."""
    large = distinct_outputs(1, 20, 2_489)
    settings = Settings(metrics=("bleu",))
    (test_set,) = large.test_sets
    outputs = [list(run.hypotheses) for run in test_set.runs]
    references = _first_references(large)

    def ours() -> object:
        without_digests = with_runs(large, [replace(run) for run in test_set.runs])
        scored = score_experiment(without_digests, resolve(settings), ONE_THREAD)
        return summaries(scored, settings, ONE_THREAD)

    def theirs(n_bootstrap: int) -> object:
        metric = peers.bleu()
        return [metric.corpus_score(output, [references], n_bootstrap=n_bootstrap) for output in outputs]

    def checked() -> object:
        with TemporaryDirectory() as folder, patch.dict(os.environ, {"MTEVAL_CACHE": folder}), catch_warnings():
            simplefilter("ignore")  # about the made-up runs
            return mteval.score({"many": outputs}, references, ["bleu"])

    task = "BLEU with bootstrap, 20 runs, distinct outputs, text to numbers"
    yield compare(task, ours, SACREBLEU, lambda: theirs(1_000), rounds=rounds)
    task = "mteval.score by BLEU, 20 runs, distinct outputs, with checks of the texts"
    yield compare(task, checked, SACREBLEU, lambda: theirs(1), rounds=rounds)


def everything(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """MultEval's whole job, with only kernels cached; MultEval's times were recorded on a similar machine."""
    for metrics, seconds_of_multeval in (
        (("bleu", "ter", "length"), MULTEVAL_SECONDS),
        (MULTEVAL_METRICS, MULTEVAL_ALL_SECONDS),
    ):
        settings = Settings(metrics=metrics, convention="multeval")

        def ours(settings: Settings = settings) -> object:
            return evaluate(experiment, settings, Work(Engine(workers=2)))

        ours()  # compiles the kernels
        our_seconds = seconds(ours, 3 * rounds)
        names = ", ".join(METRICS[key].name for key in metrics)
        task = f"the example by {names}: scores, 1,000 replicates, 10,000 shuffles, two threads"
        ratio = seconds_of_multeval / our_seconds
        yield Pair(task, "MultEval (recorded)", our_seconds, seconds_of_multeval, ratio, 50)


ALL: tuple[Measure, ...] = (
    shell,
    scoring,
    in_rust,
    bootstrap,
    compare_mt,
    randomization,
    text_to_p_value,
    text_to_numbers,
    everything,
    figure_2,
    ter,
)
SLOW: tuple[Measure, ...] = (compare_mt, figure_2, ter)


def _scoring(
    task: str,
    experiment: Experiment,
    runs: tuple[Run, ...],
    settings: Settings,
    peer: Callable[[], object],
    rounds: int,
    wanted: float | None,
) -> Pair:
    """Compare the statistics of every segment of some runs with those of a peer."""
    metrics = resolve(settings)
    streams = [_first_references(experiment)]
    hypotheses = [run.hypotheses for run in runs]
    of_runs = with_runs(experiment, runs)
    return compare(
        task,
        lambda: score_experiment(of_runs, metrics, ONE_THREAD),
        SACREBLEU,
        lambda: peers.statistics(peer(), hypotheses, streams),
        rounds=rounds,
        wanted=wanted,
    )


def _first_references(experiment: Experiment) -> list[str]:
    """Return the first reference of each segment."""
    (test_set,) = experiment.test_sets
    return [references[0] for references in test_set.references]


def _bleu(experiment: Experiment, system: str = "baseline") -> tuple[Scorer, StatArray]:
    """Return BLEU of untokenized text, and its statistics of all runs of a system."""
    settings = Settings(metrics=("bleu",), options={"bleu": {"tokenize": "none"}})
    (scored,) = score_experiment(experiment, resolve(settings), ONE_THREAD)
    return scored.scorer, scored.statistics[system]


def _replicates(statistics: StatArray, scorer: Scorer) -> object:
    """Return the scores of 1,000 replicates of each run."""
    seeds = seeds_for(1, "bootstrap")
    return replicate_scores([statistics], scorer.score, 1000, seeds, map)


def _test(procedure: str, baseline: StatArray, system: StatArray, scorer: Scorer, n_resamples: int = 10_000) -> object:
    """Return the answer of a procedure."""
    how = How(n_resamples, seeds_for(1, procedure), "two-sided", 0.95)
    return PROCEDURES[procedure].function(baseline, system, scorer.score, how)
