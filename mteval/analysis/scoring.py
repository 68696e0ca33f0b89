"""Compute sufficient statistics with given resources: each distinct (segment, hypothesis) pair is scored once.

Tests use statistics by segment, or summed by document.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from itertools import chain, compress
from threading import Event
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval._version import __version__
from mteval.base.arrays import BoolArray, FloatArray, IntArray, StatArray
from mteval.base.digests import digest_of
from mteval.base.errors import DataError
from mteval.base.memory import give_back_freed_memory
from mteval.base.parallel import Engine, engine_for
from mteval.base.paths import cache_directory
from mteval.base.store import StatisticsStore
from mteval.metrics import METRICS, lacking, lacking_on
from mteval.metrics.base import AsksFirst, KeepsMore, Metric, Scorer, ScoresRuns, Watch
from mteval.metrics.options import NoScores
from mteval.stats.base import Score
from mteval.stats.resampling.bootstrap import replicate_scores
from mteval.stats.resampling.streams import seeds_for, sum_by_unit
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_Chunk = tuple[list[int], list[str]]  # segments and hypotheses of some pairs

MANY_SEGMENTS = 100_000
PAIRS_PER_CHUNK = 1 << 14  # a tenth of a second; each distinct word of a chunk is numbered and cut once
SLOW_PAIRS_PER_CHUNK = 128  # for slow metrics, so that they can be cancelled and distributed
SECONDS_PER_CHUNK = 1.0  # of a worker of a cluster: many short ones cost its scheduler more than they take
# A worker of a cluster needs seconds to load what a metric needs; then it is about as fast as a thread here
WORTH_A_CLUSTER = 60.0  # seconds of work left here
THREADS_OF_A_CLUSTER = 2  # at least, per thread here


@dataclass(frozen=True)
class Scored:
    """The statistics of one metric on one test set.

    Parameters
    ----------
    statistics
        For each system, shape ``(runs, segments, d)``, runs in the order of the test set. A run with several samples
        has their mean.
    samples
        For each system with several samples per run, one array per run of shape ``(samples, segments, d)``.
    left_out
        For each run of systems whose runs have no scored segment in common, shape ``(segments, d)``.
    """

    test_set: TestSet
    metric: Metric
    scorer: Scorer
    statistics: Mapping[str, StatArray]
    samples: Mapping[str, tuple[StatArray, ...]] = field(default_factory=dict)
    left_out: Mapping[Run, StatArray] = field(default_factory=dict)

    @cached_property
    def run_scores(self) -> Mapping[str, FloatArray]:
        """Return each system's corpus scores, shape ``(runs,)``, over the segments that all its runs have."""
        return {system: self.scores_on(system, self.present(system)) for system in self.statistics}

    @cached_property
    def mean_scores(self) -> Mapping[str, float]:
        """Return the mean of each system's ``run_scores``."""
        return {system: float(scores.mean()) for system, scores in self.run_scores.items()}

    @cached_property
    def is_complete(self) -> bool:
        """Return whether every run has a score for every segment."""
        return bool(self.present(*self.statistics).all())

    def scores_on(self, system: str, segments: BoolArray) -> FloatArray:
        """Return the corpus scores of a system's runs on some segments, shape ``(runs,)``."""
        return self.scorer.score(self.statistics_on(system, segments).sum(axis=1))

    def statistics_on(self, system: str, segments: BoolArray) -> StatArray:
        """Return the statistics of a system's runs on some segments, shape ``(runs, chosen, d)``."""
        statistics = self.statistics[system]
        if segments.all():
            return statistics  # without a copy
        return statistics[:, segments]

    def present(self, *systems: str) -> BoolArray:
        """Return which segments all runs of the systems have, shape ``(segments,)``; imported scores may be missing."""
        present = np.ones(self.test_set.n_segments, dtype=bool)
        for system in systems:
            statistics = self.statistics[system]
            if statistics.dtype.kind == "f":  # counts are always there
                present &= ~np.isnan(statistics).any(axis=(0, 2))
        return present

    def run_keys(self, system: str) -> tuple[str, ...]:
        """Return the keys of the system's runs, in the order of the arrays."""
        return tuple(run.key for run in self.test_set.runs_of(system))


@dataclass(frozen=True)
class DistinctPairs:
    """The distinct (segment, hypothesis) pairs of some runs.

    ``places`` has shape ``(runs, segments)`` and holds the index of each run's pair.
    """

    segments: npt.NDArray[np.int64]
    hypotheses: tuple[str, ...]
    places: npt.NDArray[np.int64]

    @classmethod
    def of(cls, runs: Iterable[Run], shape: tuple[int, int]) -> DistinctPairs:
        """Collect the pairs, sorted by segment: outputs of one segment share words and are scored together."""
        n_runs, n_segments = shape
        outputs = list(chain.from_iterable(zip(*(run.hypotheses for run in runs), strict=True)))
        first_places = _first_places(outputs, n_runs)
        is_distinct = first_places == np.arange(len(outputs))
        places = (np.cumsum(is_distinct) - 1)[first_places]
        return cls(
            np.flatnonzero(is_distinct) // n_runs,
            tuple(compress(outputs, is_distinct.tolist())),
            np.ascontiguousarray(places.reshape(n_segments, n_runs).T),
        )

    def chunk(self, wanted: npt.NDArray[np.int64]) -> _Chunk:
        """Return the segments and hypotheses of some pairs."""
        return self.segments[wanted].tolist(), [self.hypotheses[place] for place in wanted.tolist()]


def _first_places(outputs: Sequence[str], n_runs: int) -> IntArray:
    """Return the place of the first output of the same segment that equals each output, shape ``(outputs,)``.

    Parameters
    ----------
    outputs
        All outputs of the first segment, one per run, then those of the second, and so on.
    """
    # Sorting the hashes of a segment takes half as long as a dictionary of all outputs
    hashes = np.fromiter(map(hash, outputs), np.int64, len(outputs))
    first_places = _first_in_row(hashes.reshape(-1, n_runs))
    repeated = np.flatnonzero(first_places != np.arange(len(outputs)))
    pairs = zip(repeated.tolist(), first_places[repeated].tolist(), strict=True)
    if all(outputs[place] == outputs[first] for place, first in pairs):
        return first_places

    # Different texts have the same hash
    number_of: dict[str, int] = {}
    numbers = np.array([number_of.setdefault(output, len(number_of)) for output in outputs])
    return _first_in_row(numbers.reshape(-1, n_runs))


def _first_in_row(numbers: IntArray) -> IntArray:
    """Return for each of ``(rows, columns)`` numbers the place of the first equal one in its row, among all."""
    order = np.argsort(numbers, axis=1, kind="stable")  # the first of equal numbers stays the first
    ordered = np.take_along_axis(numbers, order, axis=1)
    starts = np.zeros(numbers.shape, dtype=np.int64)  # where in the order each group of equal numbers starts
    starts[:, 1:] = np.where(ordered[:, 1:] != ordered[:, :-1], np.arange(1, numbers.shape[1]), 0)
    np.maximum.accumulate(starts, axis=1, out=starts)
    columns = np.empty_like(order)
    np.put_along_axis(columns, order, np.take_along_axis(order, starts, axis=1), axis=1)
    row_starts = numbers.shape[1] * np.arange(numbers.shape[0])
    return np.asarray(columns + row_starts[:, None]).ravel()


def score_experiment(experiment: Experiment, metrics: Sequence[Metric], work: Work) -> tuple[Scored, ...]:
    """Compute the statistics of every metric on every test set, except those already in the store.

    Raises
    ------
    DataError
        If no test set has what a metric needs.
    CancelledError
        If the work was cancelled.
    """
    for metric in metrics:
        missing = lacking(metric, experiment)
        if missing:
            raise DataError(missing)
    total = len(experiment.test_sets) * len(metrics)
    scored: list[Scored] = []
    for test_set in experiment.test_sets:
        table = RunTable(test_set, work)
        for metric in metrics:
            scored.append(_score(table, metric, len(scored), total))
    if work.store is not None:
        work.store.trim()
    return tuple(scored)


class RunTable:
    """The distinct runs of a test set and, computed lazily, their distinct pairs."""

    def __init__(self, test_set: TestSet, work: Work) -> None:
        self.test_set = test_set
        self.work = work
        output_of: dict[str, Run] = {}  # by digest, since runs may be copies
        for run in work.engine.checked(test_set.runs):
            for output in run.decodings:
                output_of[output.digest] = output
        self.runs = tuple(output_of.values())

    @cached_property
    def pairs(self) -> DistinctPairs:
        """The distinct (segment, hypothesis) pairs of the runs."""
        return DistinctPairs.of(self.work.engine.checked(self.runs), (len(self.runs), self.test_set.n_segments))


def _score(table: RunTable, metric: Metric, done: int, total: int) -> Scored:
    """Score a test set by one metric; ``done`` of ``total`` such steps are done."""
    test_set = table.test_set
    work = table.work
    task = f"Scoring {metric.name} on {test_set.name}"
    work.report(Progress(task, done, total))
    if lacking_on(metric, test_set):
        return Scored(replace(test_set, runs=()), metric, NoScores(), {})
    metric = _after_asking(table, metric)
    scorer = metric.prepare(test_set)
    _give_back(test_set)
    if isinstance(scorer, ScoresRuns):
        statistics_of = {run: scorer.run_statistics(run) for run in test_set.runs}
        return _of_whole_runs(test_set, metric, scorer, statistics_of)

    known = {} if work.store is None else _load(table, metric, work.store)
    if len(known) < len(table.runs):
        _score_missing(table, metric, scorer, known, lambda part: work.report(Progress(task, done + part, total)))

    statistics = {}
    samples = {}
    for system in test_set.systems:
        samples_of_runs = []  # shape ``(samples, segments, d)`` each
        means = []
        for run in test_set.runs_of(system.key):
            of_run = stacked([known[output.digest] for output in run.decodings])
            samples_of_runs.append(of_run)
            if len(of_run) == 1:
                means.append(of_run[0])  # keeps its integer counts
            else:
                means.append(np.asarray(of_run.mean(axis=0)))
        statistics[system.key] = stacked(means)
        if max(map(len, samples_of_runs)) > 1:
            samples[system.key] = tuple(samples_of_runs)
    _give_back(test_set)
    return _comparable(Scored(test_set, metric, scorer, statistics, samples))


def _of_whole_runs(test_set: TestSet, metric: Metric, scorer: Scorer, statistics_of: Mapping[Run, StatArray]) -> Scored:
    """Return what a metric that scores whole runs has about them; runs without scores are skipped."""
    runs = tuple(run for run, statistics in statistics_of.items() if not np.isnan(statistics).all())
    scored_set = replace(test_set, runs=runs)
    of_systems = {}
    for system in scored_set.systems:
        of_systems[system.key] = np.stack([statistics_of[run] for run in scored_set.runs_of(system.key)])
    return _comparable(Scored(scored_set, metric, scorer, of_systems))


def _after_asking(table: RunTable, metric: Metric) -> Metric:
    """Return a metric with its final signature, which is part of the key of everything that is kept."""
    if not isinstance(metric, AsksFirst) or not table.runs:
        return metric
    return metric.after_asking(table.test_set, table.runs[0].hypotheses[0], lambda _: table.work.engine.check())


def _give_back(test_set: TestSet) -> None:
    """Release unused memory after a step with large arrays, if the test set is large."""
    if test_set.n_segments >= MANY_SEGMENTS:
        give_back_freed_memory()


def stacked(arrays: Sequence[StatArray]) -> StatArray:
    """Return arrays of one shape along a new first axis; one alone is not copied."""
    if len(arrays) == 1:
        return arrays[0][np.newaxis]
    return np.stack(arrays)


def _comparable(scored: Scored) -> Scored:
    """Leave out systems whose runs have no scored segment in common."""
    compared = {}
    left_out: dict[Run, StatArray] = {}
    for system, statistics in scored.statistics.items():
        if scored.present(system).any():
            compared[system] = statistics
        else:
            left_out.update(zip(scored.test_set.runs_of(system), statistics, strict=True))
    if len(compared) == len(scored.statistics):
        return scored
    runs = tuple(run for run in scored.test_set.runs if run not in left_out)
    samples = {system: of_system for system, of_system in scored.samples.items() if system in compared}
    return Scored(replace(scored.test_set, runs=runs), scored.metric, scored.scorer, compared, samples, left_out)


def _text_key(table: RunTable, metric: Metric) -> tuple[str, ...]:
    """Return everything that determines a run's statistics, but the run."""
    digest_of_part = table.test_set.part_digests
    read = [digest_of((part, digest_of_part.get(part, ""))) for part in metric.reads]
    return __version__, metric.key, metric.signature(), *read


def _load(table: RunTable, metric: Metric, store: StatisticsStore) -> dict[str, StatArray]:
    """Return the stored statistics of the runs, by digest."""
    key = _text_key(table, metric)
    shape = (table.test_set.n_segments, len(metric.fields))
    loaded = {}
    for run in table.work.engine.checked(table.runs):
        statistics = store.load(*key, run.digest)
        if statistics is not None and statistics.shape == shape:
            loaded[run.digest] = statistics
    return loaded


def _score_missing(table: RunTable, metric: Metric, scorer: Scorer, known: dict[str, StatArray], tell: Watch) -> None:
    """Score the pairs that no known run has; add the missing runs to ``known`` and the store."""
    pairs = table.pairs
    _give_back(table.test_set)
    is_known_run = np.array([run.digest in known for run in table.runs])
    is_known = np.zeros(len(pairs.hypotheses), dtype=bool)
    is_known[pairs.places[is_known_run]] = True
    wanted = np.flatnonzero(~is_known)

    # Of all pairs, shape ``(pairs, d)``; as narrow as the numbers allow
    statistics: StatArray = np.zeros((len(pairs.hypotheses), len(metric.fields)), dtype=np.bool_)

    def with_part(places: npt.NDArray[np.int64], part: StatArray) -> StatArray:
        wide: StatArray = statistics.astype(np.result_type(statistics, part), copy=False)
        wide[places] = part
        return wide

    for run, places in zip(table.runs, pairs.places, strict=True):
        if run.digest in known:
            statistics = with_part(places, known[run.digest])
    start = 0
    for part in _scored_parts(metric, scorer, pairs, wanted, table.work, tell):
        statistics = with_part(wanted[start : start + len(part)], part)
        start += len(part)
    _give_back(table.test_set)
    known |= _keep_runs(table, metric, statistics, known)


def _keep_runs(table: RunTable, metric: Metric, statistics: StatArray, known: Collection[str]) -> dict[str, StatArray]:
    """Return the statistics of the runs that are not known, by digest, and keep them in the store.

    Parameters
    ----------
    statistics
        Of all distinct pairs, shape ``(pairs, d)``.
    """
    key = _text_key(table, metric)
    store = table.work.store
    kept: dict[str, StatArray] = {}
    for run, places in zip(table.work.engine.checked(table.runs), table.pairs.places, strict=True):
        if run.digest not in known:
            kept[run.digest] = statistics[places]
            if store is not None:
                store.keep(kept[run.digest], *key, run.digest)
    return kept


def _scored_parts(
    metric: Metric, scorer: Scorer, pairs: DistinctPairs, wanted: npt.NDArray[np.int64], work: Work, tell: Watch
) -> Iterator[StatArray]:
    """Yield the statistics of the wanted pairs in chunks."""
    engine = work.engine
    if isinstance(scorer, KeepsMore) and (scorer.stays_here or not engine.is_remote):

        def watch(done: float) -> None:
            engine.check()
            tell(done)

        part, _ = scorer.statistics_and_more(*pairs.chunk(wanted), watch)  # the scorer has cached the rest here
        yield part
        return

    is_slow = metric.key in METRICS and METRICS[metric.key].is_slow
    size = SLOW_PAIRS_PER_CHUNK if is_slow else PAIRS_PER_CHUNK
    n_done = 0
    is_spread = is_slow and engine.is_remote
    if is_spread and not isinstance(scorer, KeepsMore):
        # The first chunk loads what the metric needs; the second tells what the others would take here
        seconds = 0.0
        for _ in range(min(2, -(-len(wanted) // size))):
            part, _, seconds = _score_chunk(scorer, pairs.chunk(wanted[n_done : n_done + size]))
            n_done += len(part)
            yield part
            tell(n_done / len(wanted))
        seconds_left = seconds / size * (len(wanted) - n_done) / engine.n_workers
        fewest_threads = THREADS_OF_A_CLUSTER * engine.n_workers
        is_spread = seconds_left > WORTH_A_CLUSTER and engine.n_remote_threads() >= fewest_threads

    chunks = _Chunks(pairs, wanted[n_done:], size)
    if is_spread:
        results = engine.spread(_score_chunk, scorer, chunks)
    else:
        results = engine.map(partial(_score_chunk, scorer), chunks)
    for part, more, seconds in results:
        if isinstance(scorer, KeepsMore):
            scorer.keep(more)
        if is_spread:
            chunks.adapt(len(part), seconds)
        n_done += len(part)
        yield part
        tell(n_done / len(wanted))


class _Chunks:
    """Chunks of pairs, made when they are handed out: of ``size`` pairs at first, and of multiples of that later."""

    def __init__(self, pairs: DistinctPairs, wanted: npt.NDArray[np.int64], size: int) -> None:
        self._pairs = pairs
        self._wanted = wanted
        self._least = size
        self.size = size

    def __iter__(self) -> Iterator[_Chunk]:
        start = 0
        while start < len(self._wanted):
            end = start + self.size
            yield self._pairs.chunk(self._wanted[start:end])
            start = end

    def adapt(self, n_pairs: int, seconds: float) -> None:
        """Let later chunks take about a second each, given what one took; none is smaller than the first."""
        n_in_time = int(n_pairs * SECONDS_PER_CHUNK / max(seconds, 1e-6))
        self.size = max(self._least, n_in_time // self._least * self._least)


def _score_chunk(scorer: Scorer, chunk: _Chunk) -> tuple[StatArray, Mapping[str, object], float]:
    """Score one chunk, possibly on another machine; return also what the scorer learned there, and the seconds."""
    start = time.perf_counter()
    more: Mapping[str, object] = {}
    if isinstance(scorer, KeepsMore):
        statistics, more = scorer.statistics_and_more(*chunk)
    else:
        statistics = scorer.statistics(*chunk)
    return statistics, more, time.perf_counter() - start


def n_documents(test_set: TestSet, segments: BoolArray) -> int:
    """Return the number of documents among some segments; 0 without document IDs."""
    return len(set(compress(test_set.documents or (), segments)))


def is_accuracy(scored: Scored, system: str, present: BoolArray) -> bool:
    """Return whether every score of a segment is 0 or 1."""
    if not scored.metric.is_segment_mean:
        return False
    scores = scored.scorer.segment_score(scored.statistics_on(system, present))
    return bool(((scores == 0) | (scores == 1)).all())


def units_of(scored: Scored, system: str, unit: str, present: BoolArray) -> StatArray:
    """Return a system's statistics on some segments, summed by document if documents are the units.

    Parameters
    ----------
    present
        The segments, shape ``(segments,)``.

    Returns
    -------
    Shape ``(runs, units, d)``.
    """
    return summed(scored.test_set, scored.statistics_on(system, present), unit, present)


def summed(test_set: TestSet, statistics: StatArray, unit: str, present: BoolArray) -> StatArray:
    """Sum statistics by document if documents are the units; shape ``(outputs, units, d)``."""
    if unit != "document" or test_set.documents is None:
        return statistics
    return sum_by_unit(statistics, np.array(test_set.documents, dtype=object)[present])


def unit_sizes(scored: Scored, unit: str, present: BoolArray) -> IntArray | None:
    """Return the segments per unit, shape ``(units,)``, in the order of ``units_of``; None for segments as units."""
    if unit != "document" or scored.test_set.documents is None:
        return None
    ids = np.array(scored.test_set.documents, dtype=object)[present]
    _, first, counts = np.unique(ids, return_index=True, return_counts=True)
    return np.asarray(counts[np.argsort(first)])


Row = TypeVar("Row", bound="DataclassInstance")


@dataclass(frozen=True)
class Progress:
    """The progress of a computation.

    Parameters
    ----------
    task
        The current step in a few words: ``Scoring TER on test``.
    done, total
        In units of about equal duration.
    """

    task: str
    done: float
    total: float

    @property
    def fraction(self) -> float:
        """Return the share that is done, between 0 and 1."""
        if not self.total:
            return 1.0
        return min(1.0, self.done / self.total)


def ignore(progress: Progress) -> None:
    """Do nothing with the progress."""


@dataclass(frozen=True)
class Work:
    """Resources for a computation; results do not depend on them.

    Parameters
    ----------
    engine
        Spreads work over threads and cancels it.
    store
        Caches statistics between sessions; None for no cache.
    report
        Progress callback, called often from the calling thread.
    """

    engine: Engine = field(default_factory=Engine)
    store: StatisticsStore | None = None
    report: Callable[[Progress], None] = ignore


def means_of_computation(
    workers: int = 0,
    cluster: str | None = None,
    cancelled: Event | None = None,
    report: Callable[[Progress], None] = ignore,
) -> Work:
    """Return threads of this machine or a cluster, as in ``engine_for``, and the statistics cache on disk."""
    return Work(engine_for(workers, cluster, cancelled), StatisticsStore(cache_directory() / "statistics"), report)


def on_replicates(systems: Sequence[StatArray], score: Score, settings: Settings, work: Work) -> FloatArray:
    """Score systems, ``(runs, units, d)`` each, on bootstrap replicates of the units, shape ``(runs, n_bootstrap)``."""
    seeds = seeds_for(settings.seed, "bootstrap")
    return replicate_scores(systems, score, settings.n_bootstrap, seeds, work.engine.map)


def columns_of(kind: type[DataclassInstance]) -> tuple[str, ...]:
    """Return the column names of a row type."""
    return tuple(field.name for field in fields(kind))


def frame_of(rows: Iterable[Row], kind: type[Row]) -> pd.DataFrame:
    """Return a frame with one row per value; without rows it still has the columns."""
    columns = columns_of(kind)
    values = []
    for row in rows:
        values.append([getattr(row, column) for column in columns])
    return pd.DataFrame(values, columns=list(columns))
