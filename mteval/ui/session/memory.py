"""Bounded caches of a session; the least recently used value is evicted.

Texts are scored once, whichever page asks.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import partial, singledispatch
from itertools import product
from threading import Lock
from typing import Any, Generic, ParamSpec, TypeVar
from weakref import WeakValueDictionary

import numpy as np
import pandas as pd
import streamlit as st

from mteval.analysis.results import Results
from mteval.analysis.scoring import Scored, Work, means_of_computation, score_experiment
from mteval.base.digests import digest_of
from mteval.metrics import resolve
from mteval.metrics.base import Metric
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.service import session_limits
from mteval.values.settings import Settings

MIB = 1 << 20
MOST_KEPT = 24
MOST_FIGURES = 64  # of all sessions
MOST_BYTES = 512 * MIB
STATISTICS_MOST_BYTES = 1024 * MIB
P = ParamSpec("P")
T = TypeVar("T")


def bytes_of(value: Any) -> int:
    """Return the bytes of arrays and frames in a value; texts and statistics belong to what is loaded."""
    if isinstance(value, Experiment | TestSet | Scored):
        return 0
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, pd.DataFrame):
        return int(value.memory_usage().sum())
    if is_dataclass(value) and not isinstance(value, type):
        return sum(bytes_of(getattr(value, field.name)) for field in fields(value))
    if isinstance(value, Mapping):
        return sum(map(bytes_of, value.values()))
    if isinstance(value, tuple | list) and not (value and isinstance(value[0], str)):
        return sum(map(bytes_of, value))
    return 0


class Memory(Generic[T]):
    """A thread-safe cache of values by key.

    Parameters
    ----------
    most
        How many values it keeps at most.
    most_bytes
        How many bytes they have at most. What was kept last stays, however large it is.
    size
        Bytes of a value.
    """

    def __init__(self, most: int, most_bytes: int, size: Callable[[T], int] = bytes_of) -> None:
        self.most = most
        self.most_bytes = most_bytes
        self._size = size
        self._values: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> T | None:
        """Return a value and count it as used; None if there is none."""
        with self._lock:
            if key not in self._values:
                return None
            self._values.move_to_end(key)
            return self._values[key][0]

    def keep(self, values: Mapping[Any, T]) -> None:
        """Store values that belong together; none of them evicts another."""
        sized = {key: (value, self._size(value)) for key, value in values.items()}
        with self._lock:
            for key, value_and_size in sized.items():
                self._values[key] = value_and_size
                self._values.move_to_end(key)
            # Those just stored are last, so they stay while others are evicted.
            n_bytes = sum(size for _, size in self._values.values())
            while len(self._values) > len(sized) and (len(self._values) > self.most or n_bytes > self.most_bytes):
                _, (_, size) = self._values.popitem(last=False)
                n_bytes -= size

    def forget(self, key: Hashable) -> None:
        """Remove a value, if it is there."""
        with self._lock:
            self._values.pop(key, None)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._values

    @property
    def keys(self) -> tuple[Hashable, ...]:
        """The keys, least recently used first."""
        with self._lock:
            return tuple(self._values)


def of_session(name: str, make: Callable[[], T]) -> T:
    """Return the session's value of that name, made on first use."""
    if name not in st.session_state:
        st.session_state[name] = make()
    value: T = st.session_state[name]
    return value


def share_of_session(most_bytes: int) -> int:
    """Return this number of bytes, or fewer if this server gives a session fewer."""
    mb, _ = session_limits()
    return int(min(most_bytes, mb * MIB))


@singledispatch
def deciding(value: Any) -> Hashable:
    """Return a key of everything that decides what is made of a value; by default the value itself."""
    return value  # type: ignore[no-any-return]  # values of all other kinds are hashable


@deciding.register
def _(results: Results) -> Hashable:
    return (
        deciding(results.experiment),
        results.test_set.name,
        deciding(results.settings),
        deciding(results.shown_names),
        results.people,
    )


@deciding.register
def _(test_set: TestSet) -> Hashable:
    texts = [test_set.name, test_set.role, test_set.digest]
    for run in test_set.runs:
        texts += [run.system, run.key, run.content_digest]
    return digest_of(texts)


@deciding.register
def _(experiment: Experiment) -> Hashable:
    return experiment.digest, *(test_set.languages for test_set in experiment.test_sets)


@deciding.register
def _(run: Run) -> Hashable:
    return run.system, run.key, run.content_digest


@deciding.register
def _(settings: Settings) -> Hashable:
    return deciding(settings.deciding)


@deciding.register
def _(scored: Scored) -> Hashable:
    return deciding(scored.test_set), scored.metric


@deciding.register
def _(mapping: Mapping) -> Hashable:  # type: ignore[type-arg]  # a registered class takes no parameters
    return tuple(sorted((name, deciding(value)) for name, value in mapping.items()))


@deciding.register(tuple | list)
def _(values: Sequence[Any]) -> Hashable:
    return tuple(map(deciding, values))


@deciding.register
def _(frame: pd.DataFrame) -> Hashable:
    return tuple(frame.columns), pd.util.hash_pandas_object(frame, index=False).to_numpy().tobytes()


def key_of(make: Callable[..., Any], arguments: Sequence[Any]) -> Hashable:
    """Return a key of a function and all its arguments.

    Raises
    ------
    ValueError
        If the function may depend on other things: it must be one of a module, which takes all that it needs.
    """
    # The names of lambdas and of functions within functions contain "<lambda>" or "<locals>".
    if "<" in getattr(make, "__qualname__", "<"):
        raise ValueError(f"{make} is not a function of a module; what it depends on cannot be seen.")
    return make, *map(deciding, arguments)


def made_once(make: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Call a function of a module, once per session and arguments.

    Parameters
    ----------
    arguments
        What it is called with; ``deciding`` says what counts of each.
    """
    assert not named, "values are given by their places"
    return remembered(key_of(make, arguments), lambda: make(*arguments, **named))


FIGURES: Memory[Any] = Memory(MOST_FIGURES, MOST_BYTES)  # a reload is a new session, and wants the same ones


def drawn(figure: Callable[[], T]) -> T:
    """Draw a figure of a section, once per server and arguments if it is a function of a module."""
    if not isinstance(figure, partial):
        return figure()
    key = key_of(figure.func, figure.args)
    made: T | None = FIGURES.get(key)
    if made is None:
        made = figure()
        FIGURES.keep({key: made})
    return made


def remembered(key: Hashable, make: Callable[[], T]) -> T:
    """Return the value made under this key before, else make it. ``made_once`` derives the key."""
    memory: Memory[T] = of_session("remembered", lambda: Memory(MOST_KEPT, share_of_session(MOST_BYTES)))
    value = memory.get(key)
    if value is None:
        value = make()
        memory.keep({key: value})
    return value


def forget_made() -> None:
    """Forget what ``made_once`` and ``remembered`` made in this session."""
    st.session_state.pop("remembered", None)


OF_ALL: WeakValueDictionary[tuple[Hashable, Metric], Scored] = WeakValueDictionary()  # sessions share equal ones


class Statistics:
    """Statistics of a session by test set, with its runs, and metric; shared by work in all threads."""

    def __init__(self) -> None:
        self._kept: Memory[Scored] = Memory(
            1_000,
            share_of_session(STATISTICS_MOST_BYTES),
            lambda scored: sum(array.nbytes for array in scored.statistics.values()),  # scorers share the rest
        )

    def has(self, experiment: Experiment, metrics: Sequence[Metric]) -> bool:
        """Return whether everything is scored already."""
        for test_set in experiment.test_sets:
            name = deciding(test_set)
            if not all((name, metric) in self._kept for metric in metrics):
                return False
        return True

    def scored(self, experiment: Experiment, metrics: Sequence[Metric], work: Work) -> tuple[Scored, ...]:
        """Score as ``score_experiment`` does, by test set then metric, reusing what is known."""
        key_of_test_set = {test_set.name: deciding(test_set) for test_set in experiment.test_sets}
        wanted = list(product(key_of_test_set.values(), metrics))
        known: dict[tuple[Hashable, Metric], Scored] = {}
        for key in wanted:
            kept = self._kept.get(key)
            if kept is None:
                kept = OF_ALL.get(key)
            if kept is not None:
                known[key] = kept

        # A metric that lacks any test set is scored on all of them.
        missing = []
        for metric in metrics:
            if any((key, metric) not in known for key in key_of_test_set.values()):
                missing.append(metric)
        if missing:
            for scored in score_experiment(experiment, missing, work):
                known[key_of_test_set[scored.test_set.name], scored.metric] = scored
        OF_ALL.update(known)
        self._kept.keep(known)
        return tuple(known[key] for key in wanted)


def texts_key(experiment: Experiment) -> str:
    """Return a digest of test sets and runs, without baseline and given scores."""
    return digest_of(tuple(map(str, map(deciding, experiment.test_sets))))


def statistics() -> Statistics:
    """Return the session's statistics."""
    return of_session("statistics", Statistics)


def by_metric(scored: Iterable[Scored], metric: str) -> Scored:
    """Return the statistics of one metric."""
    return next(candidate for candidate in scored if candidate.metric.key == metric)


def scored_on(results: Results) -> tuple[Scored, ...]:
    """Return the statistics behind results, by metric; evicted ones come from the disk."""
    metrics = resolve(results.settings, results.experiment.given)
    scored = statistics().scored(results.experiment, metrics, means_of_computation())
    return tuple(candidate for candidate in scored if candidate.test_set.name == results.test_set.name)
