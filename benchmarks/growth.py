"""What people wait for, through the doors they use: Python, the shell and the pages.

Usage: ``python -m benchmarks.growth [--only ROW ...] [--seed N] [--to FILE.csv]`` in the root of the repository. Texts
are made from the seed, so nothing else is needed; a seed that was used before finds its statistics in the cache. Each
row runs in a process of its own with one thread; kernels are compiled before. Seconds are those of the processor, of
children too, so that other work on the machine changes them little. The ratio is to sacreBLEU's corpus BLEU of the same
outputs in the same process. Of more than 10,000 outputs, sacreBLEU scores so many, and its time is scaled.

``measure`` yields how scoring and testing grow without their doors, for ``benchmarks.run``.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from benchmarks import peers
from benchmarks.example import Texts, distinct_outputs, example, made_up_texts, many_runs, resized, with_runs
from benchmarks.timing import seconds
from mteval.analysis.evaluation import evaluate
from mteval.analysis.scoring import Work, score_experiment
from mteval.base.kernels import code_directory
from mteval.base.parallel import Engine
from mteval.metrics import resolve
from mteval.stats.base import How
from mteval.stats.procedures.randomization import output_p_values
from mteval.stats.resampling.draws import Draws
from mteval.stats.resampling.streams import seeds_for
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

RESULTS = Path(__file__).with_name("growth.csv")
ONE_THREAD = {"NUMBA_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
INSIDE = "inside"  # first words of the processes that measure
ROW = "row"
MOST_BESIDE = 10_000  # outputs that sacreBLEU scores
ROUNDS = 5  # of two short programs in turn; the shortest of each counts
Shape = tuple[int, int, int]  # systems, runs per system, segments
Seconds = Iterator[tuple[str, float]]  # per task

SMALL = (3, 2, 300)  # loads the compiled code that the row uses
METRICS = ("bleu", "chrf", "ter", "length")
RUNS = (3, 30, 300, 1_000)
SEGMENTS = (1_000, 10_000, 100_000, 300_000, 1_000_000)
SYSTEMS = (2, 50, 200, 400)
SHUFFLES = (1_000, 10_000, 100_000)
DRAWN = (5, 50)
KINDS = ("shared", "distinct")


# Through the doors


def used() -> float:
    """Return the seconds of processor that this process and its ended children used."""
    return sum(os.times()[:4])


def by_compare(texts: Texts) -> Seconds:
    """Compare from Python, then test all pairs."""
    import mteval

    def compared(compared_texts: Texts) -> mteval.Comparison:
        return mteval.compare(compared_texts.systems, compared_texts.references, ["bleu"])

    compared(made_up_texts(*SMALL, seed=2)).pairs()
    start = used()
    comparison = compared(texts)
    yield "mteval.compare", used() - start
    if len(texts.systems) > 2:
        start = used()
        comparison.pairs()
        yield "its .pairs()", used() - start


def by_score(texts: Texts) -> Seconds:
    """Score from Python."""
    import mteval

    def scored(scored_texts: Texts) -> None:
        mteval.score(scored_texts.systems, scored_texts.references, ["bleu"])

    scored(made_up_texts(*SMALL, seed=2))
    start = used()
    scored(texts)
    yield "mteval.score", used() - start


def by_score_and_peers(texts: Texts) -> Seconds:
    """Score from Python by metrics that other packages have, then by these packages if they are installed."""
    import mteval

    (runs,) = texts.systems.values()
    # As many other texts: with few, NumPy computes, and compiled code would be loaded when it is timed
    others = made_up_texts(1, len(runs), len(texts.references), seed=2)
    for metric, peers_of_metric in PEERS.items():
        mteval.score(others.systems, others.references, [metric])
        start = used()
        mteval.score(texts.systems, texts.references, [metric])
        yield f"mteval.score, {metric}", used() - start
        for package, corpus_score in peers_of_metric.items():
            if find_spec(package) is None:
                continue
            corpus_score(runs[0][:10], texts.references[:10])  # loads the package
            start = used()
            for run in runs:
                corpus_score(run, texts.references)
            yield f"{package}, {metric}", used() - start


def by_scores(texts: Texts) -> Seconds:
    """Compare scores computed elsewhere, here the lengths of the outputs."""
    import mteval

    def compared(compared_texts: Texts) -> None:
        scores = {}
        for system, runs in compared_texts.systems.items():
            scores[system] = [[len(text) / 100 for text in run] for run in runs]
        mteval.compare_scores(scores)

    compared(made_up_texts(*SMALL, seed=2))
    start = used()
    compared(texts)
    yield "mteval.compare_scores", used() - start


def by_shell(texts: Texts) -> Seconds:
    """Run ``mteval eval``, in turn with sacreBLEU's program if there are at most two outputs."""
    for _ in by_compare(made_up_texts(len(texts.systems), 1, 30, seed=2)):
        pass  # compiles
    _run([sys.executable, "-m", "mteval", "eval", "--help"])  # writes bytecode
    with tempfile.TemporaryDirectory() as folder:
        reference = _written(Path(folder, "reference"), texts.references)
        words = [sys.executable, "-m", "mteval", "eval", "--metrics", "bleu", "--refs", reference]
        all_paths: list[str] = []
        for system, runs in texts.systems.items():
            paths = []
            for place, run in enumerate(runs):
                paths.append(_written(Path(folder, f"{system}.{place}"), run))
            words += ["--system", system, *paths]
            all_paths += paths
        if len(all_paths) > 2:
            yield "mteval eval", _run(words)
            return
        their_words = [sys.executable, "-m", "sacrebleu", reference, "-i", *all_paths, "-m", "bleu"]
        taken = []
        taken_again = []
        their_taken = []
        for number in range(ROUNDS):
            cache = {"MTEVAL_CACHE": f"{folder}/cache {number}"}  # without statistics of the outputs
            taken.append(_run(words, cache))
            taken_again.append(_run(words, cache))
            their_taken.append(_run(their_words))
        yield "mteval eval", min(taken)
        yield "the same again, statistics kept", min(taken_again)
        yield "sacrebleu", min(their_taken)


def by_import(texts: Texts) -> Seconds:
    """Import a function in a new process; the number of its modules beside the seconds."""
    code = "import sys; from mteval import compare; print(len(sys.modules))"
    _run([sys.executable, "-c", code])
    taken = min(_run([sys.executable, "-c", code]) for _ in range(3))
    modules = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    yield f"from mteval import compare ({int(modules):,} modules)", taken


def by_statistics(texts: Texts) -> Seconds:
    """Compute the statistics of BLEU, without a door."""
    metrics = resolve(Settings(metrics=("bleu",)))
    work = Work(Engine(workers=1))
    score_experiment(_experiment(made_up_texts(*SMALL, seed=2)), metrics, work)
    taken = []
    for _ in range(3):
        experiment = _experiment(texts)  # anew, since digests are kept beside a run
        start = used()
        score_experiment(experiment, metrics, work)
        taken.append(used() - start)
    yield "text to statistics", min(taken)


def by_pages(texts: Texts) -> Seconds:
    """Load files, press the button and wait for the verdict; open each page twice."""
    from benchmarks.visited import visits

    for _ in visits(made_up_texts(2, 3, 30, seed=2), used):
        pass  # compiles, and draws each page once
    yield from visits(texts, used)


def _written(path: Path, lines: Sequence[str]) -> str:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def _run(words: Sequence[str], places: Mapping[str, str] | None = None) -> float:
    """Return the seconds of processor of a new process, with further variables in its environment."""
    start = used()
    subprocess.run(words, check=True, capture_output=True, env={**os.environ, **(places or {})})
    return used() - start


def _experiment(texts: Texts) -> Experiment:
    runs = []
    for system, outputs in texts.systems.items():
        for place, output in enumerate(outputs):
            runs.append(Run(system, str(place), tuple(output)))
    references = tuple((line,) for line in texts.references)
    return Experiment((TestSet("test", references, tuple(runs)),), baseline=runs[0].system)


PEERS: Mapping[str, Mapping[str, Callable[[Sequence[str], Sequence[str]], object]]] = {
    "bleu": {"sacrebleu": peers.sacrebleu_bleu, "bleuscore": peers.bleuscore},
    "chrf": {"sacrebleu": peers.sacrebleu_chrf, "fastchrf": peers.fastchrf},
    "wer": {"jiwer": peers.jiwer, "rapidfuzz": peers.rapidfuzz},
}


@dataclass(frozen=True)
class Row:
    """A door and the size of what goes through it."""

    door: Callable[[Texts], Seconds]
    shape: Shape


ROWS: Mapping[str, Row] = {
    "import": Row(by_import, (1, 1, 1)),
    "statistics": Row(by_statistics, (2, 3, 2_489)),
    "eval-300": Row(by_shell, (1, 1, 300)),
    "eval-2489": Row(by_shell, (1, 1, 2_489)),
    "eval-two": Row(by_shell, (2, 1, 1_000)),
    "eval-systems": Row(by_shell, (200, 1, 500)),
    "score": Row(by_score, (1, 12, 2_489)),
    "peers": Row(by_score_and_peers, (1, 12, 2_489)),
    "scores": Row(by_scores, (12, 5, 1_000)),
    "systems": Row(by_compare, (50, 5, 500)),
    "runs": Row(by_compare, (2, 500, 300)),
    "segments": Row(by_compare, (2, 2, 100_000)),
    "pages": Row(by_pages, (2, 30, 300)),
    "pages-systems": Row(by_pages, (50, 5, 500)),
    "pages-segments": Row(by_pages, (2, 2, 100_000)),
}


def beside(texts: Texts) -> float:
    """Return sacreBLEU's seconds for the corpus BLEU of all runs."""
    from sacrebleu.metrics import BLEU

    outputs = [run for runs in texts.systems.values() for run in runs]
    n_segments = len(texts.references)
    n_scored = min(n_segments, MOST_BESIDE)
    scored_runs = outputs[: max(1, MOST_BESIDE // n_segments)]
    start = used()
    for run in scored_runs:
        BLEU(force=True).corpus_score(run[:n_scored], [texts.references[:n_scored]])
    taken = used() - start
    return taken * (len(outputs) * n_segments) / (len(scored_runs) * n_scored)


def measured(name: str, seed: int) -> Iterator[dict[str, object]]:
    """Yield the results of a row in this process."""
    import_module("numba")  # otherwise the few texts that load compiled code would do without
    row = ROWS[name]
    texts = made_up_texts(*row.shape, seed=seed)
    results = list(row.door(texts))
    theirs = beside(texts)
    for task, taken in results:
        if task == "sacrebleu":
            theirs = taken  # the whole program
    n_systems, n_runs, n_segments = row.shape
    for task, taken in results:
        yield {
            "row": name,
            "task": task,
            "systems": n_systems,
            "runs": n_runs,
            "segments": n_segments,
            "seconds": round(taken, 3),
            "sacrebleu": round(theirs, 3),
            "ratio": round(taken / theirs, 3) if theirs else "",
        }


def through_doors(names: Sequence[str], seed: int) -> Iterator[dict[str, object]]:
    """Yield the results of rows, each in a process of its own."""
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            # Compiled code is kept, statistics of the same texts in another row are not
            places = {
                "MTEVAL_HOME": folder,
                "MTEVAL_CACHE": f"{folder}/cache",
                "NUMBA_CACHE_DIR": str(code_directory()),
            }
            environment = {**os.environ, **ONE_THREAD, **places}
            environment.pop("PYTHONDONTWRITEBYTECODE", None)  # each start would compile 180 modules
            words = [sys.executable, "-m", "benchmarks.growth", ROW, name, str(seed)]
            done = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, env=environment)
        yield from json.loads(done.stdout.splitlines()[-1])


# Without doors


@dataclass(frozen=True)
class Growth:
    """Seconds of processor and peak memory of one size."""

    what: str
    size: str
    seconds: float
    megabytes: float


def measure() -> Iterator[Growth]:
    """Yield every size in a process of its own, from text to all numbers; then draws of runs."""
    for kind in KINDS:
        numbers_of_runs = RUNS
        if kind == "shared":
            numbers_of_runs = RUNS[:-1]
        for runs in numbers_of_runs:
            numbers = [2, runs, 3_000, 10_000]
            yield _measured(f"runs (2 systems, 3,000 segments, four metrics, {kind} outputs)", runs, kind, numbers)
    for segments in SEGMENTS:
        yield _measured("segments (2 systems, BLEU, distinct outputs)", segments, "bleu", [2, 1, segments, 10_000])
    for systems in SYSTEMS:
        yield _measured("systems (500 segments, BLEU, distinct outputs)", systems, "bleu", [systems, 1, 500, 10_000])
    for shuffles in SHUFFLES:
        task = "shuffles (2 systems, 3 runs, 2,489 segments, four metrics)"
        yield _measured(task, shuffles, "shared", [2, 3, 2_489, shuffles])
    for n_runs in DRAWN:
        yield _measured("250 draws, 10,000 shuffles of outputs, runs per draw", n_runs, "draws", [n_runs])


def _measured(task: str, size: int, kind: str, numbers: Sequence[int]) -> Growth:
    """Return the cost of one size, measured by ``main`` in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.growth", INSIDE, kind, *map(str, numbers)]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    cost = json.loads(done.stdout)
    return Growth(task, f"{size:,}", cost["seconds"], cost["megabytes"])


def everything(kind: str, n_systems: int, n_runs: int, n_segments: int, n_shuffles: int) -> float:
    """Seconds of processor from text to all numbers, which other work beside it hardly changes."""
    metrics = METRICS
    if kind == "bleu":
        metrics = ("bleu",)
    settings = Settings(metrics=metrics, n_shuffles=n_shuffles)
    evaluate(with_runs(example(), example().test_sets[0].runs[:6]), settings, Work())  # loads kernels
    if kind == "shared":
        experiment = shared_outputs(n_runs, n_segments)
    else:
        experiment = distinct_outputs(n_systems, n_runs, n_segments)
    start = time.process_time()
    evaluate(experiment, settings, Work(Engine()))
    return time.process_time() - start


def draws(n_runs: int) -> float:
    """Seconds for Clark et al.'s Table 2: draws from 50 runs per system, outputs exchanged, two threads."""
    (scored,) = score_experiment(example(), resolve(Settings(metrics=("bleu",), convention="multeval")), Work())
    pools = [resized(scored.statistics[system], 50, 2_489) for system in ("baseline", "sys1")]
    draws_of_runs = Draws.random((50, 50), n_runs, 250, np.random.default_rng(3))

    def ours() -> object:
        how = How(10_000, seeds_for(1, "draws"), "two-sided", 0.95, Engine(workers=2).map)
        return output_p_values(*pools, scored.scorer.score, draws_of_runs, how)

    ours()
    return seconds(ours)


def shared_outputs(n_runs: int, n_segments: int) -> Experiment:
    """Two systems whose runs share the example's six outputs, on its first segments, or repeated ones."""
    experiment = example()
    (test_set,) = experiment.test_sets
    segments = np.arange(n_segments) % test_set.n_segments
    runs = []
    for index, run in enumerate(many_runs(experiment, 2 * n_runs)):
        system = "baseline" if index < n_runs else "system"
        hypotheses = tuple(run.hypotheses[segment] for segment in segments)
        runs.append(Run(system, run.key, hypotheses))
    references = tuple(test_set.references[segment] for segment in segments)
    return Experiment((TestSet("test", references, tuple(runs)),), baseline="baseline")


def peak_megabytes() -> float:
    """The most memory that this process had since it began; the usual call counts its parent's before it."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.split("VmHWM:")[1].split()[0]) / 1024


def main() -> None:
    """Measure rows, print them, and write them to a file; or measure one size in this process and print it."""
    if sys.argv[1:2] == [INSIDE]:
        kind, *numbers = sys.argv[2:]
        taken = draws(int(numbers[0])) if kind == "draws" else everything(kind, *map(int, numbers))
        print(json.dumps({"seconds": taken, "megabytes": peak_megabytes()}))
        return
    if sys.argv[1:2] == [ROW]:
        warnings.simplefilter("ignore")  # about the made-up texts
        if hasattr(os, "sched_setaffinity"):  # mteval takes as many threads as it has cores
            os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
        print(json.dumps(list(measured(sys.argv[2], int(sys.argv[3])))))
        return

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=list(ROWS), default=list(ROWS), metavar="ROW", help=", ".join(ROWS)
    )
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32, help="of the texts; by default a new one")
    parser.add_argument("--to", type=Path, help=f"write a table, e.g. {RESULTS.name}")
    options = parser.parse_args()
    results = []
    for result in through_doors(options.only, options.seed):
        print(*(f"{name}={value}" for name, value in result.items()), flush=True)
        results.append(result)
    if options.to is not None:
        with options.to.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(results[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(results)


if __name__ == "__main__":
    main()
