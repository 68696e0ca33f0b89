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
_SAME_TEST = {"ar": "ar-segment", "bs": "bootstrap-rm2005"}  # of sacreBLEU's tests and ours
Measure = Callable[[Experiment, int], Iterator[Pair]]


def scoring(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """Statistics of six runs; our time includes finding the distinct pairs and reading the references."""
    runs = distinct_runs(experiment)
    for key, options, peer, wanted in (
        ("bleu", {}, lambda: peers.bleu("13a"), 25),
        ("bleu", {"tokenize": "none"}, lambda: peers.bleu("none"), None),
        ("chrf", {}, lambda: peers.chrf(0), 40),
        ("chrf++", {}, lambda: peers.chrf(2), 40),
    ):
        settings = Settings(metrics=(key,), options={key: options})
        name = f"{METRICS[key].name} {' '.join(map(str, options.values()))}".strip()
        yield _scoring(f"{name} statistics, 6 runs", experiment, runs, settings, peer, rounds, wanted)
    distinct = distinct_outputs(1, 100, 2_489).test_sets[0].runs
    for task, some, wanted in (
        ("BLEU statistics, 100 runs, shared outputs", many_runs(experiment, 100), 100),
        ("BLEU statistics, 100 runs, distinct outputs", distinct, None),
    ):
        yield _scoring(task, experiment, some, Settings(metrics=("bleu",)), peers.bleu, 1, wanted)


def shell(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """BLEU of one file from the shell, beside sacreBLEU's whole job; theirs has no spread, ours has s_sel."""
    reference, systems = files()
    references, hypotheses = str(reference), str(systems["baseline"][0])
    ours = [sys.executable, "-m", "mteval", "eval", "--refs", references, "--hyps-baseline", hypotheses]
    ours += ["--metrics", "bleu"]
    theirs = [sys.executable, "-m", "sacrebleu", references, "-i", hypotheses, "-m", "bleu"]
    task = "eval --metrics bleu of one file, processor time"
    for also, wanted in (((), 1 / 1.5), (("--confidence",), None)):
        peer = " ".join((f"{SACREBLEU} -m bleu", *also))
        yield compare_processes(task, ours, peer, [*theirs, *also], rounds=3 * rounds, wanted=wanted)
    helped = [[*words[:3], "--help"] for words in (ours, theirs)]
    yield compare_processes("--help, processor time", helped[0], SACREBLEU, helped[1], rounds=3 * rounds)


def ter(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """Time TER with one round of the slow peer."""
    settings = Settings(metrics=("ter",))
    runs = distinct_runs(experiment)
    yield _scoring("TER statistics, 6 runs", experiment, runs, settings, peers.ter, 1, 1000)


def bootstrap(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """1,000 replicates of every run."""
    scorer, statistics = _bleu(experiment)
    metric = peers.bleu("none")
    for n_runs, wanted in ((3, 40), (300, 150)):
        ours = statistics if n_runs == 3 else resized(statistics, n_runs, statistics.shape[1])
        theirs = ours.tolist()
        yield compare(
            f"bootstrap, 1,000 replicates, {n_runs} runs",
            lambda ours=ours: _replicates(ours, scorer),
            SACREBLEU,
            lambda theirs=theirs: peers.bootstrap(metric, theirs, 1000),
            rounds=rounds if n_runs == 3 else 1,
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
        ours = (baseline[:n_runs], system[:n_runs])
        theirs = tuple(np.concatenate(list(array)).tolist() for array in ours)
        yield compare(
            f"randomization, 10,000 shuffles, {task}",
            lambda ours=ours, procedure=procedure: _test(procedure, *ours, scorer),
            f"{SACREBLEU} --paired-ar",
            lambda theirs=theirs: peers.paired_randomization(metric, *theirs, 10_000),
            rounds=rounds,
            wanted=wanted,
        )


def in_rust(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """Text to scores of one run; ours keeps statistics of every segment, which tests need, and theirs does not."""
    (test_set,) = experiment.test_sets
    run, references = test_set.runs_of("baseline")[0], [references[0] for references in test_set.references]
    small = with_runs(experiment, (run,))

    def ours(key: str) -> object:
        (scored,) = score_experiment(small, resolve(Settings(metrics=(key,))), ONE_THREAD)
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
    references = [references[0] for references in test_set.references]
    theirs = [
        peers.compare_mt_statistics(test_set.runs_of(key)[0].hypotheses, references) for key in ("baseline", "sys1")
    ]
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
    scores = [run_scores(resized(runs, 50, runs.shape[1]), scorer.score) for runs in (baseline, system)]
    ks = range(1, 51)
    yield compare(
        f"Figure 2, 1 to 50 of 50 runs, {MOST_COMBINATIONS:,} draws each",
        lambda: differences_by_k(scores[0], scores[1], ks, seeds_for(1, "replication")),
        "loop over the draws with NumPy",
        lambda: peers.differences_in_a_loop(*scores, ks, MOST_COMBINATIONS),
        rounds=1,
    )


def text_to_p_value(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """One run of each of two systems, text to p-value."""
    (test_set,) = experiment.test_sets
    runs = (test_set.runs_of("baseline")[0], test_set.runs_of("sys1")[0])
    streams = [[references[0] for references in test_set.references]]

    def ours(procedure: str) -> object:
        (scored,) = score_experiment(with_runs(experiment, runs), resolve(Settings(metrics=("bleu",))), ONE_THREAD)
        n_resamples = 10_000 if procedure == "ar-segment" else 1_000
        statistics = (scored.statistics["baseline"], scored.statistics["sys1"])
        return _test(procedure, *statistics, scored.scorer, n_resamples)

    for kind, wanted in (("ar", 40), ("bs", None)):

        def theirs(kind: str = kind) -> object:
            return peers.paired_test(kind, runs[0].hypotheses, runs[1].hypotheses, streams, peers.bleu())

        task = f"text to p-value, one run per system, {PROCEDURES[_SAME_TEST[kind]].name}"
        procedure = _SAME_TEST[kind]
        yield compare(
            task, lambda procedure=procedure: ours(procedure), f"{SACREBLEU} --paired-{kind}", theirs, rounds=rounds,
            wanted=wanted,
        )  # fmt: skip


def text_to_numbers(experiment: Experiment, rounds: int) -> Iterator[Pair]:
    """Scores and bootstrap of 20 runs with distinct outputs; then ``mteval.score``, with nothing cached."""
    large, settings = distinct_outputs(1, 20, 2_489), Settings(metrics=("bleu",))
    (test_set,) = large.test_sets
    outputs = [list(run.hypotheses) for run in test_set.runs]
    references = [references[0] for references in test_set.references]

    def ours() -> object:
        fresh = with_runs(large, [replace(run) for run in test_set.runs])  # without digests
        scored = score_experiment(fresh, resolve(settings), ONE_THREAD)
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
    for metrics, theirs in ((("bleu", "ter", "length"), MULTEVAL_SECONDS), (MULTEVAL_METRICS, MULTEVAL_ALL_SECONDS)):
        settings = Settings(metrics=metrics, convention="multeval")

        def ours(settings: Settings = settings) -> object:
            return evaluate(experiment, settings, Work(Engine(workers=2)))

        ours()
        taken = seconds(ours, 3 * rounds)
        names = ", ".join(METRICS[key].name for key in metrics)
        task = f"the example by {names}: scores, 1,000 replicates, 10,000 shuffles, two threads"
        yield Pair(task, "MultEval (recorded)", taken, theirs, theirs / taken, 50)


ALL: tuple[Measure, ...] = (
    shell, scoring, in_rust, bootstrap, compare_mt, randomization, text_to_p_value,
    text_to_numbers, everything, figure_2, ter,
)  # fmt: skip
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
    metrics = resolve(settings)
    (test_set,) = experiment.test_sets
    streams = [[references[0] for references in test_set.references]]
    hypotheses = [run.hypotheses for run in runs]
    small = with_runs(experiment, runs)
    return compare(
        task,
        lambda: score_experiment(small, metrics, ONE_THREAD),
        SACREBLEU,
        lambda: peers.statistics(peer(), hypotheses, streams),
        rounds=rounds,
        wanted=wanted,
    )


def _bleu(experiment: Experiment, system: str = "baseline") -> tuple[Scorer, StatArray]:
    settings = Settings(metrics=("bleu",), options={"bleu": {"tokenize": "none"}})
    (scored,) = score_experiment(experiment, resolve(settings), ONE_THREAD)
    return scored.scorer, scored.statistics[system]


def _replicates(statistics: StatArray, scorer: Scorer) -> object:
    seeds = seeds_for(1, "bootstrap")
    return replicate_scores([statistics], scorer.score, 1000, seeds, map)


def _test(procedure: str, baseline: StatArray, system: StatArray, scorer: Scorer, n_resamples: int = 10_000) -> object:
    how = How(n_resamples, seeds_for(1, procedure), "two-sided", 0.95)
    return PROCEDURES[procedure].function(baseline, system, scorer.score, how)
