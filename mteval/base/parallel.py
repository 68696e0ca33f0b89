"""Executors: threads on this machine and, for slow work, an optional Dask cluster.

The compiled kernels release the interpreter's lock, so threads suffice.
"""

import logging
import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any, ClassVar, TypeVar

from mteval._version import __version__
from mteval.base.errors import CancelledError, MissingDependencyError, MtevalError, shortened
from mteval.base.installing import how_to_install
from mteval.base.words import counted

C = TypeVar("C")
T = TypeVar("T")
U = TypeVar("U")

CLUSTER_VARIABLE = "MTEVAL_CLUSTER"
_SECONDS_TO_CONNECT = 10
_SECONDS_TO_FETCH = 10  # a result, whose worker may have died meanwhile
_SECONDS_BETWEEN_LOOKS = 0.2
_ITEMS_AHEAD = 4  # per thread of the cluster, to hide network latency
_SECONDS_WITHOUT_WORKERS = 60.0  # in which workers may be restarted


@dataclass(frozen=True)
class Engine:
    """Executor that maps functions over items in order, and can be cancelled.

    Parameters
    ----------
    workers
        Number of threads; 0 uses all available cores.
    cancelled
        Set from any thread to stop before the next item.
    """

    workers: int = 0
    cancelled: Event = field(default_factory=Event, compare=False)

    is_remote: ClassVar[bool] = False  # whether slow work runs on other machines

    @property
    def n_workers(self) -> int:
        """Number of threads."""
        if not self.workers:
            return available_cores()
        return self.workers

    def check(self) -> None:
        """Raise ``CancelledError`` if the work was cancelled."""
        if self.cancelled.is_set():
            raise CancelledError("Stopped before it finished; nothing was changed.")

    def checked(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items of a loop in this thread, with a check for cancellation before each.

        Raises
        ------
        CancelledError
            If the work was cancelled.
        """
        for item in items:
            self.check()
            yield item

    def map(self, function: Callable[[T], U], items: Iterable[T], /) -> Iterator[U]:
        """Yield results in the order of the items, at most two items per worker ahead.

        Raises
        ------
        CancelledError
            If the work was cancelled.
        """
        if self.n_workers == 1:
            yield from map(function, self.checked(items))
            return

        def run(item: T) -> U:
            self.check()
            return function(item)

        with ThreadPoolExecutor(self.n_workers) as pool:
            try:
                for future in _ahead((pool.submit(run, item) for item in items), 2 * self.n_workers):
                    yield future.result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def n_remote_threads(self) -> int:
        """Return how many threads ``spread`` uses on other machines."""
        return 0

    def spread(self, function: Callable[[C, T], U], common: C, items: Iterable[T], /) -> Iterator[U]:
        """Map ``function(common, item)`` over slow work; a cluster gets ``common`` once."""
        return self.map(partial(function, common), items)


@dataclass(frozen=True)
class ClusterEngine(Engine):
    """Executor for slow work on an existing Dask cluster, whose workers have this package installed.

    Items of a worker that dies are computed again elsewhere, as often as Dask's ``allowed-failures`` says.

    Parameters
    ----------
    address
        Of the scheduler, e.g. ``tcp://host:8786``.
    """

    address: str = ""

    is_remote: ClassVar[bool] = True

    def n_remote_threads(self) -> int:
        """Return how many threads the workers have now.

        Raises
        ------
        MtevalError
            If the cluster cannot be reached.
        """
        with self._connected() as client:
            return sum(client.nthreads().values())

    def spread(self, function: Callable[[C, T], U], common: C, items: Iterable[T], /) -> Iterator[U]:
        """Yield results in the order of the items, each computed on the cluster.

        Raises
        ------
        CancelledError
            If the work was cancelled.
        MtevalError
            If the cluster cannot be reached, is lost or fails. Errors of the function stay what they are.
        """
        failure: Exception | None = None
        with self._connected() as client:
            import dask

            # What all items share is the result of a task. If its worker dies, Dask computes it again; data placed on a
            # worker would be lost with it. Tasks are marked as not pure. Dask names pure ones by a hash of their
            # arguments, which takes long for a corpus, and might return the result of an earlier evaluation.
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
                shared = client.submit(_itself, common, pure=False)
            ahead = _ITEMS_AHEAD * max(1, sum(client.nthreads().values()))
            submit = partial(client.submit, _outcome, function, __version__, shared, pure=False)
            for future in _ahead(map(submit, items), ahead):
                result, failure = self._result(client, future)
                if failure is not None:
                    break
                yield result
        if failure is not None:
            raise failure  # outside the block, which would report an error of the function as one of Dask

    def on_every_worker(self, function: Callable[[T], U], item: T) -> dict[str, U]:
        """Return the result of a function on each worker, by its address.

        Raises
        ------
        MtevalError
            If there is no worker, or the function fails on one.
        """
        with self._connected() as client:
            try:
                client.wait_for_workers(1, timeout=_SECONDS_TO_CONNECT)
            except TimeoutError as error:
                raise self._lost("has no workers") from error
            outcome_of = client.run(_outcome, function, __version__, item)
        for worker, (_, failure) in outcome_of.items():
            if failure is not None:
                raise MtevalError(f"Worker {worker} of the cluster: {failure}") from failure
        return {worker: result for worker, (result, _) in outcome_of.items()}

    def _result(self, client: Any, future: Any) -> Any:
        """Return the outcome of an item; if the worker that had it died, wait again."""
        last_seen = time.monotonic()  # when there was a worker
        while True:
            self.check()
            if future.done():
                with suppress(TimeoutError):
                    return future.result(timeout=_SECONDS_TO_FETCH)
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            if client.nthreads():
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > _SECONDS_WITHOUT_WORKERS:
                raise self._lost(f"had no worker for {_SECONDS_WITHOUT_WORKERS:g} s")

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """Provide a connection, and translate Dask's errors."""
        try:
            from distributed import CancelledError as LostError
            from distributed import Client, KilledWorker
        except ImportError as error:
            raise MissingDependencyError(
                f"The cluster at {self.address} needs the package distributed. {how_to_install('cluster')}"
            ) from error
        for name in ("distributed", "distributed.client"):  # they print tracebacks of what is raised here
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            client = Client(self.address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)
        except Exception as error:  # whatever Dask raises
            raise MtevalError(
                f"No cluster answers at {self.address}. Start a Dask scheduler there, correct --cluster or"
                f" {CLUSTER_VARIABLE}, or omit both to compute on this machine."
            ) from error
        try:
            with client:
                yield client
        except MtevalError:
            raise
        except KilledWorker as error:
            lost = counted(error.allowed_failures + 1, "worker")
            raise self._lost(f"lost {lost} on the same task (allowed-failures in Dask's settings)") from error
        except (OSError, LostError) as error:
            raise self._lost("stopped answering") from error
        except Exception as error:  # Dask's own, and those of its transport
            reason = shortened(f"{type(error).__name__}: {error}").splitlines()[0]
            raise self._lost(f"failed ({reason})") from error

    def _lost(self, failure: str) -> MtevalError:
        """Return an error of the cluster, which e.g. ``has no workers``."""
        return MtevalError(
            f"The cluster at {self.address} {failure}. Finished metrics are cached. Check its scheduler and its"
            " workers' memory and start again, or omit --cluster to compute on this machine."
        )


def engine_for(workers: int = 0, cluster: str | None = None, cancelled: Event | None = None) -> Engine:
    """Return an executor: threads, plus the cluster given here or in ``MTEVAL_CLUSTER``."""
    address = cluster
    if not address:
        address = os.environ.get(CLUSTER_VARIABLE, "")
    if cancelled is None:
        cancelled = Event()
    if address:
        return ClusterEngine(workers, cancelled, address)
    return Engine(workers, cancelled)


def _ahead(futures: Iterable[T], most: int) -> Iterator[T]:
    """Yield futures in order, with at most that many submitted ahead."""
    waiting: deque[T] = deque()
    for future in futures:
        waiting.append(future)
        if len(waiting) >= most:
            yield waiting.popleft()
    while waiting:
        yield waiting.popleft()


def _itself(common: C) -> C:
    """Return what it is given: the task whose result all items share."""
    return common


def _outcome(function: Callable[..., T], version: str, *arguments: Any) -> tuple[T | None, Exception | None]:
    """Return a function's result or error on a worker, so that Dask does not take the error for its own."""
    try:
        if version != __version__:
            raise MtevalError(
                f"A worker has mteval {__version__}, this machine has {version}. Install the same version."
            )
        return function(*arguments), None
    except Exception as error:  # any error: it is raised again on the machine that submitted the work
        return None, error


def available_cores() -> int:
    """Return the number of cores available to this process, e.g. in a container."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
