"""How work is spread: threads of this machine, and for slow work the machines of a cluster where one is named.

The compiled kernels release the interpreter's lock, so threads suffice on one machine.
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
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
_ITEMS_AHEAD = 4  # for each thread of the cluster, so that none waits for the network
_LOST_WORKERS_AN_ITEM = 5  # so many may die over one item before it is given up
_SECONDS_WITHOUT_WORKERS = 60.0  # in which those that died may be started again


@dataclass(frozen=True)
class Engine:
    """Runs functions over items, in order, and stops soon after it is told to.

    Parameters
    ----------
    workers
        Threads; 0 takes all cores that this process may use.
    cancelled
        When set, from any thread, the work stops before the next item.
    """

    workers: int = 0
    cancelled: Event = field(default_factory=Event, compare=False)

    is_remote: ClassVar[bool] = False  # whether slow work goes to other machines

    @property
    def n_workers(self) -> int:
        """Number of threads."""
        return self.workers or available_cores()

    def check(self) -> None:
        """Raise ``CancelledError`` if the work was told to stop."""
        if self.cancelled.is_set():
            raise CancelledError("Stopped before it was finished; nothing was changed.")

    def checked(self, items: Iterable[T]) -> Iterator[T]:
        """The items, for a loop in this thread that is to stop before the next one when it is told to.

        Raises
        ------
        CancelledError
            When the work was told to stop.
        """
        for item in items:
            self.check()
            yield item

    def map(self, function: Callable[[T], U], items: Iterable[T], /) -> Iterator[U]:
        """Results in the order of the items, at most two items a worker ahead of the reader.

        Raises
        ------
        CancelledError
            When the work was told to stop.
        """
        if self.n_workers == 1:
            yield from map(function, self.checked(items))
            return

        def run(item: T) -> U:
            self.check()
            return function(item)

        waiting: deque[Future[U]] = deque()
        with ThreadPoolExecutor(self.n_workers) as pool:
            try:
                for item in items:
                    waiting.append(pool.submit(run, item))
                    if len(waiting) >= 2 * self.n_workers:
                        yield waiting.popleft().result()
                while waiting:
                    yield waiting.popleft().result()
            finally:
                pool.shutdown(wait=True, cancel_futures=True)

    def spread(self, function: Callable[[C, T], U], common: C, items: Iterable[T], /) -> Iterator[U]:
        """As ``map`` of ``function(common, item)``, for slow work; a cluster gets ``common`` once."""
        return self.map(partial(function, common), items)


@dataclass(frozen=True)
class ClusterEngine(Engine):
    """An engine that gives slow work to an existing Dask cluster, whose workers have this package installed.

    A worker that dies takes nothing with it: its items are computed again elsewhere.

    Parameters
    ----------
    address
        Of the scheduler, as ``tcp://host:8786``.
    """

    address: str = ""

    is_remote: ClassVar[bool] = True

    def spread(self, function: Callable[[C, T], U], common: C, items: Iterable[T], /) -> Iterator[U]:
        """Results in the order of the items, each computed by some worker of the cluster.

        Raises
        ------
        CancelledError
            When the work was told to stop.
        MtevalError
            When the cluster cannot be reached, or is lost half way.
        """
        with _connect(self.address) as client, self._losses_named():
            import dask

            # as the result of a task of its own: data that are merely placed on workers die with them
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}):
                shared = client.submit(_itself, common, pure=False, retries=_LOST_WORKERS_AN_ITEM)
            ahead = _ITEMS_AHEAD * max(1, sum(client.nthreads().values()))
            waiting: deque[Any] = deque()
            for item in items:
                waiting.append(client.submit(function, shared, item, pure=False, retries=_LOST_WORKERS_AN_ITEM))
                if len(waiting) >= ahead:
                    yield self._result(client, waiting.popleft())
            while waiting:
                yield self._result(client, waiting.popleft())

    def _result(self, client: Any, future: Any) -> Any:
        """What came of an item; where the worker that has it died, it is waited for once more."""
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
        """Say what became of the cluster where it is lost half way."""
        from distributed import CancelledError as LostError
        from distributed import KilledWorker
        from distributed.comm.core import CommClosedError

        try:
            yield
        except KilledWorker as error:
            raise self._lost("lost one worker after another over the same piece of work") from error
        except (CommClosedError, LostError) as error:
            raise self._lost("stopped answering") from error

    def _lost(self, what: str) -> MtevalError:
        return MtevalError(
            f"The cluster at {self.address} {what}. Metrics that were scored are kept: see to its scheduler and its"
            " workers, their memory too, and start again, or leave --cluster out to compute on this machine."
        )


def engine_for(workers: int = 0, cluster: str | None = None, cancelled: Event | None = None) -> Engine:
    """Threads of this machine, and the cluster named here or in ``MTEVAL_CLUSTER`` for slow work."""
    address = cluster or os.environ.get(CLUSTER_VARIABLE, "")
    stop = cancelled or Event()
    return ClusterEngine(workers, stop, address) if address else Engine(workers, stop)


def _itself(common: C) -> C:
    return common


def _connect(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingDependencyError(
            f"A cluster is named ({address}), but the package that talks to it is missing: pip install distributed."
        ) from error
    try:
        return Client(address, timeout=_SECONDS_TO_CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise MtevalError(
            f"No cluster answers at {address}. Start a Dask scheduler there, correct --cluster or"
            f" {CLUSTER_VARIABLE}, or leave both out to compute on this machine."
        ) from error


def available_cores() -> int:
    """Cores that this process may use, which in a container can be fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
