"""Slow work on a real Dask scheduler with two workers on loopback gives the same results, also when one is killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Timer
from typing import Any, cast

import distributed
import numpy as np
import psutil
import pytest

from mteval.analysis import scoring
from mteval.analysis.nbest import ListScorers, score_lists
from mteval.analysis.scoring import Progress, Work, score_experiment
from mteval.analysis.summary import spans_of
from mteval.base.errors import CancelledError, MtevalError
from mteval.base.parallel import ClusterEngine, Engine, engine_for
from mteval.metrics import resolve
from mteval.metrics.meteor.scorer import MeteorScorer
from mteval.metrics.neural import worker as neural_worker
from mteval.readers.formats.nbest import NbestEntry, NbestList
from mteval.values.judgements import ErrorSpan, Spans
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings
from tests.conftest import BERTSCORE_MODEL
from tests.extras import needs_meteor
from tests.patience import OUTER_LIMIT

SECONDS_BETWEEN_CLEAN_UPS = 0.1  # in which the scheduler drops copies of data from workers that are idle


def make_work(seconds: float) -> Callable[[int, int], int]:
    """A function that takes its time. Made inside another one, it travels to the workers by value."""

    def work(common: int, item: int) -> int:
        time.sleep(seconds)
        return common + item * item

    return work


def make_deadly_work(done_once: Path) -> Callable[[int, int], int]:
    """A function that takes its worker down with it, at item 1 and for the first time only."""

    def work(common: int, item: int) -> int:
        if item == 1 and not done_once.exists():
            done_once.touch()
            time.sleep(10 * SECONDS_BETWEEN_CLEAN_UPS)
            os.kill(os.getpid(), signal.SIGKILL)
        return common + item * item

    return work


class Cluster:
    """A scheduler and two workers, each a process of its own."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.variables = variables
        self.address_file = folder / "scheduler.json"
        self.processes = [self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard")]
        self.folder = folder
        self.processes += [self.start_worker() for _ in range(2)]

    def start_worker(self, **variables: str) -> subprocess.Popen[bytes]:
        self.variables |= variables
        return self._start(
            "worker", "--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", str(self.folder)
        )

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:]]
        command += ["--scheduler-file", str(self.address_file)]
        interval = {"DASK_DISTRIBUTED__SCHEDULER__ACTIVE_MEMORY_MANAGER__INTERVAL": f"{SECONDS_BETWEEN_CLEAN_UPS}s"}
        return subprocess.Popen(command, stderr=subprocess.DEVNULL, env=os.environ | interval | self.variables)

    def address(self) -> str:
        with distributed.Client(scheduler_file=str(self.address_file), timeout=OUTER_LIMIT) as client:
            client.wait_for_workers(2, timeout=OUTER_LIMIT)
            return str(client.scheduler_info()["address"])

    def kill_a_worker(self) -> None:
        self.processes[1].send_signal(signal.SIGKILL)

    def kill(self, scheduler: bool) -> None:
        """The scheduler, or all workers."""
        for process in self.processes[:1] if scheduler else self.processes[1:]:
            process.kill()
            process.wait()

    def stop(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine take its time to connect."""
    monkeypatch.setattr("mteval.base.parallel._SECONDS_TO_CONNECT", OUTER_LIMIT)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    yield from running(Cluster(tmp_path))


@pytest.fixture
def cluster_apart(tiny_models: Path, tmp_path: Path) -> Iterator[Cluster]:
    """One whose workers see no files that are kept here, and have a model."""
    there = {"MTEVAL_CACHE": str(tmp_path / "cache of the workers"), "MTEVAL_COMET": str(tiny_models / "xcomet")}
    there["MTEVAL_BERTSCORE"] = str(tiny_models / BERTSCORE_MODEL)
    yield from running(Cluster(tmp_path, **there))


def running(cluster: Cluster) -> Iterator[Cluster]:
    try:
        yield cluster
    finally:
        cluster.stop()


@contextmanager
def given_up_in_the_end(engine: Engine) -> Iterator[None]:
    """Let a result that never comes fail the test instead of hanging it."""
    patience = Timer(OUTER_LIMIT, engine.cancelled.set)
    patience.start()
    try:
        yield
    finally:
        patience.cancel()


EXPECTED = [7 + item * item for item in range(60)]


def test_results_are_those_of_this_machine_also_when_a_worker_is_killed_half_way(cluster: Cluster) -> None:
    address = cluster.address()
    assert list(Engine(2).spread(make_work(0), 7, range(60))) == EXPECTED
    engine = ClusterEngine(address=address)
    results = engine.spread(make_work(0.05), 7, range(60))
    first = [next(results) for _ in range(20)]
    cluster.kill_a_worker()
    with given_up_in_the_end(engine):
        assert first + list(results) == EXPECTED

    engine = ClusterEngine(address=address)
    results = engine.spread(make_work(OUTER_LIMIT), 7, range(4))
    engine.cancelled.set()
    start = time.monotonic()
    with pytest.raises(CancelledError):
        list(results)
    assert time.monotonic() - start < OUTER_LIMIT / 2, "nobody waits for work that was cancelled"


@pytest.mark.parametrize(("scheduler", "said"), [(True, "stopped answering"), (False, "had no worker for 1 s")])
def test_a_cluster_that_dies_half_way_is_named_and_what_came_before_is_there(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, scheduler: bool, said: str
) -> None:
    monkeypatch.setattr("mteval.base.parallel._SECONDS_WITHOUT_WORKERS", 1.0)
    results = ClusterEngine(address=cluster.address()).spread(make_work(0.05), 7, range(60))
    first = [next(results) for _ in range(10)]
    cluster.kill(scheduler)
    with pytest.raises(MtevalError, match=rf"The cluster at tcp://.* {said}\. .* start again"):
        list(results)
    assert first == EXPECTED[:10]


def test_an_error_stays_what_it_is_and_what_all_items_need_outlives_the_worker_that_has_the_last_copy(
    cluster: Cluster, tmp_path: Path
) -> None:
    engine = ClusterEngine(address=cluster.address())
    with pytest.raises(OSError, match="No such file"):
        list(engine.spread(make_deadly_work(tmp_path / "no" / "folder"), 7, range(2)))
    engine = ClusterEngine(address=cluster.address())
    assert list(engine.spread(make_deadly_work(tmp_path / "done once"), 7, range(2))) == EXPECTED[:2]


@needs_meteor
def test_meteor_scored_by_a_cluster_that_loses_a_worker_is_meteor_scored_here(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "WORTH_A_CLUSTER", 0.0)
    references = tuple((f"the quick brown fox number {n} jumps over the lazy dogs of the town",) for n in range(1500))
    outputs = tuple(f"a fast brown fox number {n} jumped over lazy dogs in town" for n in range(1500))
    experiment = Experiment((TestSet("test", references, (Run("base", "0", outputs),)),), baseline="base")
    metrics = resolve(Settings(metrics=("meteor",)))
    (here,) = score_experiment(experiment, metrics, Work())
    assert isinstance(here.scorer, MeteorScorer)
    monkeypatch.setattr(scoring, "SECONDS_PER_CHUNK", 0.0)  # twelve small chunks
    engine = ClusterEngine(1, address=cluster.address())
    later_shares = []

    def kill_half_way(progress: Progress) -> None:
        if progress.fraction > 0.5:
            cluster.kill_a_worker()
            later_shares.append(progress.fraction)

    (there,) = score_experiment(experiment, metrics, Work(engine, report=kill_half_way))
    np.testing.assert_array_equal(there.statistics["base"], here.statistics["base"])
    assert here.run_scores["base"][0] > 0
    assert len(later_shares) > 3, "the worker was killed before the end"
    assert cluster.processes[1].wait(OUTER_LIMIT) == -signal.SIGKILL


@needs_meteor
def test_meteor_stays_here_if_this_machine_has_as_many_threads_as_the_cluster(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scoring, "WORTH_A_CLUSTER", 0.0)
    references = tuple((f"the quick brown fox number {n}",) for n in range(600))
    outputs = tuple(f"a fast brown fox number {n}" for n in range(600))
    experiment = Experiment((TestSet("test", references, (Run("base", "0", outputs),)),), baseline="base")
    metrics = resolve(Settings(metrics=("meteor",)))
    address = cluster.address()
    spread = []
    monkeypatch.setattr(
        ClusterEngine, "spread", lambda engine, *work: spread.append(engine) or Engine.spread(engine, *work)
    )
    score_experiment(experiment, metrics, Work(ClusterEngine(2, address=address)))
    assert spread == []
    score_experiment(experiment, metrics, Work(ClusterEngine(1, address=address)))
    assert len(spread) == 1


@needs_meteor
def test_meteor_stays_here_where_a_cluster_would_not_gain(monkeypatch: pytest.MonkeyPatch) -> None:
    references = tuple((f"the quick brown fox number {n}",) for n in range(600))
    outputs = tuple(f"a fast brown fox number {n}" for n in range(600))
    experiment = Experiment((TestSet("test", references, (Run("base", "0", outputs),)),), baseline="base")
    metrics = resolve(Settings(metrics=("meteor",)))
    shares = []
    no_workers = ClusterEngine(address="tcp://127.0.0.1:1")
    work = Work(no_workers, report=lambda progress: shares.append(progress.fraction))
    (there,) = score_experiment(experiment, metrics, work)
    (here,) = score_experiment(experiment, metrics, Work())
    np.testing.assert_array_equal(there.statistics["base"], here.statistics["base"])
    assert shares == sorted(shares)
    monkeypatch.setattr(scoring, "WORTH_A_CLUSTER", 0.0)
    monkeypatch.setattr("mteval.base.parallel._SECONDS_TO_CONNECT", 0.2)
    with pytest.raises(MtevalError, match="No cluster answers"):
        score_experiment(experiment, metrics, Work(no_workers))


def test_lists_go_to_a_cluster_with_a_learned_metric_and_take_the_other_metrics_along(cluster: Cluster) -> None:
    test_set = TestSet("test", (("the cat sat on the mat .",), ("a dog barked .",)))
    metrics = resolve(Settings(metrics=("bleu", "chrf", "ter")))
    scorers = ListScorers.of(metrics, test_set)
    lists = []
    for segment, text in enumerate(("the cat sat .", "a dog barks .")):
        lists.append(NbestList(segment, (NbestEntry(text, "", 0.0), NbestEntry(f"well , {text}", "", 0.0))))
    here = list(score_lists(lists, scorers, 2, Work()))

    class Learned:
        """A scorer that claims to run a model. Made inside a function, it travels to the workers by value."""

        stays_here = False

        def __init__(self, scorer: Any) -> None:
            self.statistics = scorer.statistics
            self.segment_score = scorer.segment_score
            self.submetrics = scorer.submetrics

        def statistics_and_more(self, *pairs: Any) -> tuple[Any, dict[str, object]]:
            return self.statistics(*pairs), {}

        def keep(self, more: object) -> None:
            """Keep nothing."""

    *others, last = scorers.scorers
    learned = ListScorers(scorers.metrics, (*others, cast(Any, Learned(last))))
    spread = []

    class Watched(ClusterEngine):
        def spread(self, function: Any, common: Any, items: Any, /) -> Any:
            spread.append(common)
            return super().spread(function, common, items)

    engine = Watched(address=cluster.address())
    for of_lists in (scorers, learned):
        there = list(score_lists(lists, of_lists, 2, Work(engine)))
        for list_here, list_there in zip(here, there, strict=True):
            for key, scores in list_here.metrics.items():
                np.testing.assert_array_equal(list_there.metrics[key].scores, scores.scores)
    assert spread == [learned]


def test_chunks_of_a_cluster_take_about_a_second() -> None:
    run = Run("base", "0", tuple(f"output {n}" for n in range(20_000)))
    pairs = scoring.DistinctPairs.of([run], (1, 20_000))
    chunks = scoring._Chunks(pairs, np.arange(20_000), 128)
    sizes = []
    for place, (segments, texts) in enumerate(chunks):
        assert len(segments) == len(texts)
        sizes.append(len(texts))
        chunks.adapt(len(texts), len(texts) / (4_000 if place < 3 else 50))
    assert sizes[:4] == [128, 3_968, 3_968, 3_968]
    assert set(sizes[4:-1]) == {128}
    assert sum(sizes) == 20_000


@pytest.mark.long
def test_a_learned_metric_that_this_machine_lacks_has_equal_bits_and_each_worker_loads_the_model_once(
    tiny_models: Path, cluster_apart: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))
    segments = [
        ("the quick brown fox", "der schnelle braune Fuchs"),
        ("a lazy dog sleeps", "ein fauler Hund schläft"),
    ] * 8
    outputs = tuple(f"{reference} number {number}" for number, (reference, _) in enumerate(segments))
    test_set = TestSet(
        "test",
        tuple((reference,) for reference, _ in segments),
        (Run("base", "0", outputs),),
        source=tuple(source for _, source in segments),
    )
    experiment = Experiment((test_set,), baseline="base")
    monkeypatch.setattr("mteval.analysis.scoring.SLOW_PAIRS_PER_CHUNK", 2)
    settings = Settings(metrics=("comet", "bertscore"))
    engine = ClusterEngine(address=cluster_apart.address())
    monkeypatch.setenv("MTEVAL_CLUSTER", engine.address)
    python = os.environ["MTEVAL_NEURAL_PYTHON"]
    monkeypatch.setenv("MTEVAL_NEURAL_PYTHON", str(tmp_path / "this machine has no packages"))
    metrics = resolve(settings)
    there, similar_there = score_experiment(experiment, metrics, Work(engine))
    assert [len(models_below(process.pid)) for process in cluster_apart.processes] == [0, 2, 2]
    marked = spans_of(there, test_set.runs[0])
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "nothing is known"))
    monkeypatch.delenv("MTEVAL_CLUSTER")
    monkeypatch.setenv("MTEVAL_COMET", str(tiny_models / "xcomet"))
    monkeypatch.setenv("MTEVAL_BERTSCORE", str(tiny_models / BERTSCORE_MODEL))
    monkeypatch.setenv("MTEVAL_NEURAL_PYTHON", python)
    own = resolve(settings)
    assert [metric.signature() for metric in own] == [metric.signature() for metric in metrics]
    here, similar_here = score_experiment(experiment, own, Work())
    np.testing.assert_array_equal(there.statistics["base"], here.statistics["base"])
    np.testing.assert_array_equal(similar_there.statistics["base"], similar_here.statistics["base"])
    assert places(marked) == places(spans_of(here, test_set.runs[0]))
    assert sum(map(len, places(marked))) > 5
    assert np.ptp(here.statistics["base"][..., 0]) > 0


def places(marked: Sequence[Spans | None]) -> list[list[tuple[int, int, str]]]:
    """Where errors were marked in each output; -1 where nothing is known."""
    unknown = (ErrorSpan(-1, -1, "unknown"),)
    return [[(span.start, span.end, span.severity) for span in (unknown if of is None else of)] for of in marked]


def models_below(process: int) -> list[psutil.Process]:
    """The processes of learned models that a process has started."""
    below = psutil.Process(process).children(recursive=True)
    return [one for one in below if neural_worker.__file__ in one.cmdline()]


@pytest.mark.long
def test_workers_that_differ_or_lack_the_model_are_one_clear_error(
    cluster_apart: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_CLUSTER", cluster_apart.address())
    (metric,) = resolve(Settings(metrics=("comet",)))
    assert "device:cpu" in metric.signature()
    monkeypatch.setenv("MTEVAL_COMET", "/no/model")
    missing = r"Worker tcp://\S+ of the cluster: COMET: checkpoint '/no/model' does not exist"
    with pytest.raises(MtevalError, match=missing):
        resolve(Settings(metrics=("comet",)))
    monkeypatch.delenv("MTEVAL_COMET")
    cluster_apart.processes.append(cluster_apart.start_worker(MTEVAL_NEURAL_DEVICES="cuda:0"))
    with distributed.Client(os.environ["MTEVAL_CLUSTER"]) as client:
        client.wait_for_workers(3, timeout=OUTER_LIMIT)
    with pytest.raises(MtevalError) as differing:  # asked with an option for the first time
        resolve(Settings(metrics=("comet",), options={"comet": {"batch_size": 2}}))
    assert str(differing.value).count("tcp://") == 3
    assert "device:cpu" in str(differing.value)
    assert "device:cuda" in str(differing.value)
    assert "torch" not in str(differing.value)


def make_failing_work(tries: Path) -> Callable[[int, int], int]:
    """A function that fails, and notes each try."""

    def work(common: int, item: int) -> int:
        with tries.open("a") as file:
            file.write("tried\n")
        raise LookupError("no such model")

    return work


def make_killing_work() -> Callable[[int, int], int]:
    """A function that takes every worker down with it."""
    return lambda common, item: os.kill(os.getpid(), signal.SIGKILL) or 0


def test_failures_are_tried_once_and_deaths_as_often_as_dask_allows(tmp_path: Path) -> None:
    with closing(running(Cluster(tmp_path, DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES="1"))) as running_cluster:
        address = next(running_cluster).address()
        with pytest.raises(LookupError, match="no such model"):
            list(ClusterEngine(address=address).spread(make_failing_work(tmp_path / "tries"), 7, range(1)))
        assert (tmp_path / "tries").read_text() == "tried\n"
        with pytest.raises(MtevalError, match=r"lost 2 workers on the same task \(allowed-failures"):
            list(ClusterEngine(address=address).spread(make_killing_work(), 7, range(1)))


SCRIPT = """
import sys, time
from mteval.base import parallel
from mteval.base.parallel import ClusterEngine
from mteval.base.errors import MtevalError
parallel._SECONDS_TO_CONNECT = float(sys.argv[2])
try:
    for result in ClusterEngine(address=sys.argv[1]).spread(lambda common, item: time.sleep(0.1), 7, range(100)):
        print("one", flush=True)
except MtevalError as error:
    print(error)
"""


def test_a_killed_scheduler_prints_no_traceback(cluster: Cluster) -> None:
    # A question on its way when the scheduler dies is repeated for as long as a connection may take.
    seconds_to_connect = OUTER_LIMIT / 30
    words = [sys.executable, "-c", SCRIPT, cluster.address(), str(seconds_to_connect)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "one\n"
        cluster.kill(scheduler=True)
        said, errors = process.communicate(timeout=OUTER_LIMIT)
    assert errors == ""
    assert "stopped answering" in said.splitlines()[-1]


def test_a_cluster_that_does_not_answer_is_named_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mteval.base.parallel._SECONDS_TO_CONNECT", 0.5)
    engine = engine_for(cluster="tcp://127.0.0.1:9")
    with pytest.raises(MtevalError, match=r"No cluster answers at tcp://127.0.0.1:9.*--cluster"):
        list(engine.spread(make_work(0), 7, range(3)))


def test_the_environment_names_a_cluster_unless_the_caller_does(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not isinstance(engine_for(), ClusterEngine)
    monkeypatch.setenv("MTEVAL_CLUSTER", "tcp://here:1")
    assert engine_for().address == "tcp://here:1"
    assert engine_for(cluster="tcp://there:2").address == "tcp://there:2"
