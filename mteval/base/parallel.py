"""Executors: threads on this machine and, for slow work, an optional Dask cluster.

The compiled kernels release the interpreter's lock, so threads suffice.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from threading import Event
from typing import Any, ClassVar, TypeVar

from mteval.base.errors import CancelledError, MissingDependencyError, MtevalError

C = TypeVar("C")
T = TypeVar("T")
U = TypeVar("U")

CLUSTER_VARIABLE = "MTEVAL_CLUSTER"
_SECONDS_TO_CONNECT = 10
_SECONDS_BETWEEN_LOOKS = 0.2
_ITEMS_AHEAD = 4  # per thread of the cluster, to hide network latency
_LOST_WORKERS_AN_ITEM = 5  # worker deaths per item before giving up
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
        return self.workers or available_cores()

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

    def spread(self, function: Callable[[C, T], U], common: C, items: Iterable[T], /) -> Iterator[U]:
        """Map ``function(common, item)`` over slow work; a cluster gets ``common`` once."""
        return self.map(partial(function, common), items)


@dataclass(frozen=True)
class ClusterEngine(Engine):
    """Executor for slow work on an existing Dask cluster, whose workers have this package installed.

    Items of a worker that dies are computed again elsewhere.

    Parameters
    ----------
    address
        Of the scheduler, e.g. ``tcp://host:8786``.
    """

    address: str = ""

    is_remote: ClassVar[bool] = True

    def spread(self, function: Callable[[C, T], U], common: C, items: Iterable[T], /) -> Iterator[U]:
        """Yield results in the order of the items, each computed on the cluster.

        Raises
        ------
        CancelledError
            If the work was cancelled.
        MtevalError
            If the cluster cannot be reached or is lost.
        """
        with _connect(self.address) as client, self._losses_named():
            import dask

            # as the result of a task, since data placed on a worker die with it
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
                shared = client.submit(_itself, common, pure=False, retries=_LOST_WORKERS_AN_ITEM)
            ahead = _ITEMS_AHEAD * max(1, sum(client.nthreads().values()))
            submit = partial(client.submit, function, shared, pure=False, retries=_LOST_WORKERS_AN_ITEM)
            for future in _ahead(map(submit, items), ahead):
                yield self._result(client, future)

    def _result(self, client: Any, future: Any) -> Any:
        """Return the result of an item; if its worker died, wait again."""
        last_seen = time.monotonic()  # when there was a worker
        while True:
            self.check()
            if future.done():
                try:
                    return future.result(timeout=_SECONDS_TO_CONNECT)
                except TimeoutError:
                    if future.status == "error":  # one of the function's own
                        raise
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            if client.nthreads():
                last_seen = time.monotonic()
            elif time.monotonic() - last_seen > _SECONDS_WITHOUT_WORKERS:
                raise self._lost(f"had no worker for {_SECONDS_WITHOUT_WORKERS:g} s")

    @contextmanager
    def _losses_named(self) -> Iterator[None]:
        """Translate errors of a lost cluster."""
        from distributed import CancelledError as LostError
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        try:
            yield
        except KilledWorker as error:
            raise self._lost("lost several workers on the same task") from error
        except (CommClosedError, LostError) as error:
            raise self._lost("stopped answering") from error

    def _lost(self, what: str) -> MtevalError:
        return MtevalError(
            f"The cluster at {self.address} {what}. Finished metrics are cached. Check its scheduler and its workers'"
            " memory and start again, or omit --cluster to compute on this machine."
        )


def engine_for(workers: int = 0, cluster: str | None = None, cancelled: Event | None = None) -> Engine:
    """Return an executor: threads, plus the cluster given here or in ``MTEVAL_CLUSTER``."""
    address = cluster or os.environ.get(CLUSTER_VARIABLE, "")
    stop = cancelled or Event()
    return ClusterEngine(workers, stop, address) if address else Engine(workers, stop)


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
    return common


def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingDependencyError(
            f"The cluster at {address} needs a package that is not installed: pip install distributed."
        ) from error
    try:
        return Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]  # it has no types
    except (OSError, ValueError) as error:
        raise MtevalError(
            f"No cluster answers at {address}. Start a Dask scheduler there, correct --cluster or"
            f" {CLUSTER_VARIABLE}, or omit both to compute on this machine."
        ) from error


def available_cores() -> int:
    """Return the number of cores available to this process, e.g. in a container."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
