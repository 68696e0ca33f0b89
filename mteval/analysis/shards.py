"""Score an experiment in shards, one per job of a cluster, and merge them to the bits of a single run.

A shard has every n-th distinct (segment, hypothesis) pair of each test set. Its file has numbers and judgements: no
text, and nothing that could run code when read.
"""

import os
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from mteval.analysis.scoring import Progress, RunTable, Work, after_asking, keep_runs, scored_parts, text_key
from mteval.base.arrays import StatArray
from mteval.base.digests import digest_of
from mteval.base.errors import DataError, InputError, MtevalError
from mteval.base.words import listed
from mteval.metrics import lacking, lacking_on
from mteval.metrics.base import AsksFirst, KeepsMore, Metric, Scorer, ScoresRuns
from mteval.metrics.neural.models import Judgement
from mteval.values.model import Experiment

_TOLD = "told"  # the array that says what the others are


@dataclass(frozen=True)
class _Task:
    """One metric on one test set."""

    table: RunTable
    metric: Metric
    scorer: Scorer

    def with_metric(self, metric: Metric) -> "_Task":
        """Return the task with an equal metric of another signature."""
        if metric is self.metric:
            return self
        return replace(self, metric=metric, scorer=metric.prepare(self.table.test_set))

    @property
    def name(self) -> str:
        return f"{self.metric.name} on {self.table.test_set.name}"

    @property
    def texts(self) -> str:
        """Digest of all that determines the statistics but what the signature says."""
        return digest_of((*text_key(self.table, self.metric), *(run.digest for run in self.table.runs)))


@dataclass(frozen=True)
class _Told:
    """What a shard's file says besides statistics.

    Parameters
    ----------
    number, total
        Which shard it is, from 1, and of how many.
    tasks
        Name, signature and digest of texts of each task.
    judgements
        Of learned metrics.
    """

    number: int
    total: int
    tasks: tuple[tuple[str, str, str], ...]
    judgements: dict[str, Judgement]


def write_shard(
    experiment: Experiment, metrics: Sequence[Metric], work: Work, place: tuple[int, int], folder: Path
) -> Path:
    """Score one shard, write its file atomically, and return its path.

    Parameters
    ----------
    place
        Number of the shard, from 1, and number of shards.
    folder
        Where the files of all shards go.

    Raises
    ------
    MtevalError
        If a metric fails or the file cannot be written.
    """
    number, total = place
    tasks = [task.with_metric(after_asking(task.table, task.metric)) for task in _tasks(experiment, metrics, work)]
    arrays: dict[str, Any] = {}
    judgements: dict[str, Judgement] = {}
    for done, task in enumerate(tasks):
        pairs, tell = task.table.pairs, partial(_tell, work.report, task, done, len(tasks))
        tell(0.0)
        wanted = np.arange(number - 1, len(pairs.hypotheses), total)
        found = list(scored_parts(task.metric, task.scorer, pairs, wanted, work, tell)) if len(wanted) else []
        arrays[_array_name(done)] = np.concatenate([part for part, _ in found]) if found else np.zeros(0, np.int8)
        for _, more in found:
            judgements |= {key: one for key, one in more.items() if isinstance(one, Judgement)}
    told = _Told(number, total, tuple((task.name, task.metric.signature(), task.texts) for task in tasks), judgements)
    arrays[_TOLD] = np.frombuffer(msgspec.msgpack.encode(told), np.uint8)
    path = folder / _file_name(number, total)
    part = path.with_suffix(f".part-{os.getpid()}")
    try:
        with part.open("wb") as file:
            np.savez_compressed(file, **arrays)
        os.replace(part, path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise MtevalError(f"Cannot write {path}: {error.strerror}.") from error
    return path


def merge_shards(experiment: Experiment, metrics: Sequence[Metric], work: Work, folder: Path) -> int:
    """Fill the caches from the shards in a folder, so that nothing is left to compute; return the number of shards.

    Raises
    ------
    MtevalError
        If a shard is missing, given twice, damaged, or of other files, metrics, options or versions.
    """
    tasks = _tasks(experiment, metrics, work)
    shards: dict[int, tuple[Path, _Told]] = {}
    total = 0
    for path in sorted(folder.glob("*.npz")):
        told = _told(path)
        tasks = _as_signed(tasks, told)
        _check_belongs(path, told, tasks)
        total = total or told.total
        if told.total != total:
            raise InputError(f"It is one of {told.total} shards, others are of {total}. Remove one kind.", str(path))
        if told.number in shards:
            raise InputError(f"Same shard as {shards[told.number][0].name}. Remove one of them.", str(path))
        shards[told.number] = path, told
    if missing := [number for number in range(1, max(1, total) + 1) if number not in shards]:
        names = ", ".join(_file_name(number, total) for number in missing) if total else "shard-*.npz"
        raise DataError(f"{folder} lacks {names}. Score each with --shard.")
    for place, task in enumerate(tasks):
        parts = {number: _array(path, _array_name(place)) for number, (path, _) in shards.items()}
        shape = len(task.table.pairs.hypotheses), len(task.metric.fields)
        statistics = np.zeros(shape, np.result_type(*(part.dtype for part in parts.values() if len(part))))
        for number, part in parts.items():
            own = statistics[number - 1 :: total]
            if part.shape != own.shape and len(own):
                raise _damaged(shards[number][0])
            own[:] = part if len(own) else own
        keep_runs(task.table, task.metric, statistics)
        if isinstance(task.scorer, KeepsMore):
            for _, told in shards.values():
                task.scorer.keep(told.judgements)
    if work.store is not None:
        work.store.trim()
    return total


def _tasks(experiment: Experiment, metrics: Sequence[Metric], work: Work) -> list[_Task]:
    """Return all that can be computed; scores that come with the runs cannot."""
    for missing in filter(None, (lacking(metric, experiment) for metric in metrics)):
        raise DataError(missing)
    tables = [RunTable(test_set, work) for test_set in experiment.test_sets]
    of_each = [(table, metric) for table in tables for metric in metrics if not lacking_on(metric, table.test_set)]
    tasks = [_Task(table, metric, metric.prepare(table.test_set)) for table, metric in of_each]
    if not (found := [task for task in tasks if not isinstance(task.scorer, ScoresRuns)]):
        raise DataError("Nothing to score: the metrics only read given scores. Name others with --metrics.")
    return found


def _as_signed(tasks: Sequence[_Task], told: _Told) -> list[_Task]:
    """Return the tasks signed as a shard's, where only a model that this machine never asked could say how."""
    signature_of = {name: signature for name, signature, _ in told.tasks}
    signed: list[_Task] = []
    for task in tasks:
        if isinstance(task.metric, AsksFirst) and task.name in signature_of:
            task = task.with_metric(task.metric.as_signed(signature_of[task.name]))
        signed.append(task)
    return signed


def _tell(report: Callable[[Progress], None], task: _Task, done: int, total: int, part: float) -> None:
    report(Progress(f"Scoring {task.name}", done + part, total))


def _file_name(number: int, total: int) -> str:
    return f"shard-{number}-of-{total}.npz"


def _array_name(place: int) -> str:
    return f"statistics {place}"


def _array(path: Path, name: str) -> StatArray:
    """Return an array of a shard's file; nothing in it is run."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return np.asarray(arrays[name])
    except (OSError, ValueError, LookupError, zipfile.BadZipFile, zlib.error) as error:
        raise _damaged(path) from error


def _told(path: Path) -> _Told:
    try:
        return msgspec.msgpack.decode(_array(path, _TOLD).tobytes(), type=_Told)
    except msgspec.DecodeError as error:  # also of what is valid and of another form
        raise _damaged(path) from error


def _damaged(path: Path) -> InputError:
    return InputError("Damaged, or not written by mteval score. Score this shard again.", str(path))


def _check_belongs(path: Path, told: _Told, tasks: Sequence[_Task]) -> None:
    """Raise an error that says what differs if a shard is not of these tasks."""
    names, own = [name for name, _, _ in told.tasks], [task.name for task in tasks]
    if names != own:
        text = f"It has {listed(names)}; expected {listed(own)}. Use the files and metrics of --shard."
        raise InputError(text, str(path))
    for task, (name, signature, texts) in zip(tasks, told.tasks, strict=True):
        here, there = (one.split("|") for one in (task.metric.signature(), signature))
        if here != there:
            own_part, other = ([part for part in a if part not in b] for a, b in ((here, there), (there, here)))
            text = f"{name} was scored with {' '.join(other)}, not {' '.join(own_part)}."
            raise InputError(f"{text} Use the options of --shard, e.g. --device.", str(path))
        if texts != task.texts:
            raise InputError(f"{name} was scored on other texts, or by another version of mteval.", str(path))
