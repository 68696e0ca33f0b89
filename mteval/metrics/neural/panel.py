"""What learned metrics have in common: samples judged by one model on its devices, and kept; the scores of segments.

Each distinct sample is judged once, and what is stopped or fails goes on from there. On disk a digest stands for the
texts, so that none of them is kept.
"""

import json
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from threading import Event
from typing import Any, ClassVar

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.base.digests import digest_of, sealed, unsealed
from mteval.base.paths import cache_directory, make_private
from mteval.metrics.base import Metric, MetricSpec, Option, Watch, unwatched
from mteval.metrics.means import FIELDS, MeanScorer
from mteval.metrics.neural import environment
from mteval.metrics.neural.models import MODELS, Judgement, Sample, Wanted
from mteval.metrics.neural.named_models import Family, NamedModel
from mteval.values.judgements import ErrorSpan
from mteval.values.notation import Notation

BATCH_SIZE = Option(
    "batch_size",
    "integer",
    "Batch size",
    "Outputs that the model reads at once. Scores depend on it in the last digits.",
    minimum=1,
    maximum=1024,
)


MOST_BYTES = 2 * 1024**3  # of the file; one that is larger is begun anew
_SECONDS_TO_WAIT = 30.0  # for another process that writes
_AT_ONCE = 500  # keys in one question
_TROUBLE = (OSError, sqlite3.Error, UnicodeError)  # the last where what a damaged file says of itself is no text


def kept_judgements(keys: Sequence[str]) -> dict[str, Judgement]:
    """Those of the keys that are kept; damage to one counts as its absence, as does a file that cannot be read."""
    found: dict[str, Judgement] = {}
    try:
        with _opened() as database:
            for start in range(0, len(keys), _AT_ONCE):
                found.update(_rows(database, keys[start : start + _AT_ONCE]))
    except _TROUBLE:
        return found
    return found


def keep_judgements(judgements: Mapping[str, Judgement]) -> None:
    """Keep judgements under their keys. A full disk is no error: it only costs time later."""
    rows = [(key, sealed(json.dumps(asdict(one)).encode(), key)) for key, one in judgements.items()]
    try:
        with _opened() as database, database:
            database.executemany("INSERT OR REPLACE INTO judgements VALUES (?, ?)", rows)
    except _TROUBLE:
        return


def _rows(database: sqlite3.Connection, keys: Sequence[str]) -> Iterator[tuple[str, Judgement]]:
    marks = ",".join("?" * len(keys))
    rows: Iterable[tuple[object, object]] = database.execute(f"SELECT * FROM judgements WHERE key IN ({marks})", keys)
    for key, content in rows:
        if isinstance(key, str) and isinstance(content, bytes) and (inner := unsealed(content, key)) is not None:
            one = json.loads(inner)
            yield key, Judgement(one["score"], tuple(ErrorSpan(**span) for span in one["spans"]), tuple(one["parts"]))


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    path = cache_directory() / "judgements.sqlite"
    make_private(path.parent)
    if path.is_file() and path.stat().st_size > MOST_BYTES:
        path.unlink(missing_ok=True)
    with closing(sqlite3.connect(path, timeout=_SECONDS_TO_WAIT)) as database:
        try:
            database.execute("CREATE TABLE IF NOT EXISTS judgements (key TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID")
            yield database
        except sqlite3.OperationalError:  # it is locked or the disk is full, and may be well again
            raise
        except (sqlite3.DatabaseError, UnicodeError):
            path.unlink(missing_ok=True)
            raise


_SECONDS_BETWEEN_LOOKS = 0.1
_SAMPLES_A_REQUEST = 2048


@dataclass(frozen=True)
class Panel:
    """A model that judges on its devices.

    Parameters
    ----------
    wanted
        The model.
    devices
        A process each; they share the samples.
    batch_size
        Samples that a process reads at once.
    signature
        All that decides what it says of a sample.
    """

    wanted: Wanted
    devices: tuple[str, ...]
    batch_size: int
    signature: str

    def judgements(self, samples: Mapping[str, Sample], watch: Watch) -> dict[str, Judgement]:
        """One for each sample, under its key; what is said of it is kept.

        Parameters
        ----------
        samples
            By their ``keys``; each under the package's names, ``src``, ``mt``, ``ref``: a text, or several of which the
            last one is judged.
        watch
            Called ten times a second with the share that is done; what it raises stops the work within a second.

        Raises
        ------
        MtevalError
            Where the model does not load or fails.
        """
        found = kept_judgements(list(samples))
        left = {key: sample for key, sample in samples.items() if key not in found}
        if left:
            found |= self._new(left, lambda done: watch((len(found) + done) / len(samples)))
        return found

    def known(self, samples: Sequence[Sample]) -> list[Judgement | None]:
        """What was said of samples before, None where nothing was."""
        keys = self.keys(samples)
        found = kept_judgements(keys)
        return [found.get(key) for key in keys]

    def keys(self, samples: Sequence[Sample]) -> list[str]:
        """Under which judgements of samples are kept: digests of them and of all that decides what is said of them."""
        return [digest_of((self.signature, json.dumps(dict(one), sort_keys=True))) for one in samples]

    def _new(self, samples: Mapping[str, Sample], tell: Callable[[int], None]) -> dict[str, Judgement]:
        # the longest first, so that a lack of memory shows at once, and little is padded
        keys = sorted(samples, key=lambda key: -sum(len("".join(part)) for part in samples[key].values()))
        found: dict[str, Judgement] = {}
        stop = Event()

        def judge(place: int) -> None:
            model = MODELS.of(replace(self.wanted, device=self.devices[place], place=place))
            own = keys[place :: len(self.devices)]
            for start in range(0, len(own), _SAMPLES_A_REQUEST):
                some = own[start : start + _SAMPLES_A_REQUEST]
                for new in model.judge([samples[key] for key in some], self.batch_size, stop):
                    named = {some[number]: judgement for number, judgement in new.items()}
                    keep_judgements(named)
                    found.update(named)

        with ThreadPoolExecutor(len(self.devices)) as pool:
            try:
                left = {pool.submit(judge, place) for place in range(len(self.devices))}
                while left:
                    finished, left = wait(left, timeout=_SECONDS_BETWEEN_LOOKS)
                    for one in finished:
                        one.result()  # the first that fails ends it
                    tell(len(found))
            finally:
                stop.set()
        return found


@dataclass(frozen=True, kw_only=True)
class LearnedMetric:
    """A metric that a model computes.

    Parameters
    ----------
    model, python
        The model, and the interpreter that has its package.
    batch_size
        Outputs that the model reads at once.
    devices
        What it computes on, a process each.
    """

    model: NamedModel
    python: Path
    batch_size: int = 16
    devices: tuple[str, ...] = ("cpu",)

    higher_is_better: ClassVar[bool] = True
    is_segment_mean: ClassVar[bool] = True
    family: ClassVar[Family]
    package: ClassVar[str]

    @property
    def key(self) -> str:
        """The model's name, in lower case."""
        return self.model.key

    @property
    def name(self) -> str:
        """The model's name; of the usual one the package's."""
        return self.family.metric_name(self.model.name)

    @property
    def computed_by(self) -> str:
        """The part of signatures that says what computed: packages, kind of device."""
        versions = environment.versions_signed(self.python, self.package)
        return f"device:{environment.kinds_of(self.devices)}|scale:100|{versions}"

    @abstractmethod
    def signature(self) -> str:
        """All that decides the numbers."""

    def panel(self, path: Path, kind: str, *options: tuple[str, str | int | bool]) -> Panel:
        """The model on its devices, given where it lies and what the worker is told to load."""
        wanted = Wanted(f"{self.name} ('{path}')", self.python, kind, options, self.model.digest)
        return Panel(wanted, self.devices, self.batch_size, self.signature())


def spec_of(family: Family, name: str, configure: Callable[..., Metric], **more: Any) -> MetricSpec:
    """The registry's line of the metric that a model of this name makes; ``configure`` takes its key first."""
    return MetricSpec(
        key=name.lower(),
        name=family.metric_name(name),
        notation=Notation("↑"),
        configure=partial(configure, name.lower()),
        is_slow=True,
        **more,
    )


@dataclass(frozen=True)
class JudgedScorer(MeanScorer, ABC):
    """A learned metric on one test set. It holds no model, so that it can be copied to another machine.

    Parameters
    ----------
    panel
        The model, on its devices.
    submetric_names
        What is known of a segment beside its score, m names.
    """

    panel: Panel
    submetric_names: tuple[str, ...]

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> FloatArray:
        """Score and 1 of n hypotheses, and the parts of the score; shape ``(n, 2 + m)``.

        Raises
        ------
        MissingDependencyError
            Where the model does not load.
        """
        return self.watched_statistics(segment_ids, hypotheses, unwatched)

    def watched_statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str], watch: Watch) -> FloatArray:
        """As ``statistics``, while somebody watches."""
        return self._judged(segment_ids, hypotheses, watch)[0]

    def statistics_and_more(
        self, segment_ids: Sequence[int], hypotheses: Sequence[str]
    ) -> tuple[FloatArray, Mapping[str, object]]:
        """As ``statistics``, with what the model said of each sample."""
        return self._judged(segment_ids, hypotheses, unwatched)

    def keep(self, more: Mapping[str, object]) -> None:
        """Know on this machine what the model said on another."""
        keep_judgements({key: one for key, one in more.items() if isinstance(one, Judgement)})

    def _judged(
        self, segment_ids: Sequence[int], hypotheses: Sequence[str], watch: Watch
    ) -> tuple[FloatArray, Mapping[str, Judgement]]:
        if not hypotheses:
            return np.zeros((0, len(FIELDS) + len(self.submetric_names))), {}
        asked = [self.samples(*pair) for pair in zip(segment_ids, hypotheses, strict=True)]
        samples = [one for of_pair in asked for one in of_pair]
        keys = self.panel.keys(samples)
        judged = self.panel.judgements(dict(zip(keys, samples, strict=True)), watch)
        counts = np.array([len(of_pair) for of_pair in asked])
        combined = self.combined(np.array([self.row(judged[key]) for key in keys]), counts)
        return np.column_stack([combined[:, 0], np.ones(len(counts)), combined[:, 1:]]), judged

    def submetrics(self, statistics: FloatArray) -> FloatArray:
        """Means of the parts of the score over segments, shape ``(..., m)``."""
        counts = statistics[..., 1:2].astype(float)
        parts = statistics[..., 2:].astype(float)
        means: FloatArray = np.divide(parts, counts, out=np.full_like(parts, np.nan), where=counts > 0)
        return means

    @abstractmethod
    def samples(self, segment: int, text: str) -> list[Sample]:
        """What the model is asked of one output, under the package's names: once for each reference that it reads."""

    @abstractmethod
    def row(self, judgement: Judgement) -> list[float]:
        """Score and its parts, as they are shown; length ``1 + m``."""

    @abstractmethod
    def combined(self, rows: FloatArray, counts: IntArray) -> FloatArray:
        """From rows of samples, as many a hypothesis as ``counts`` says, side by side, to one for each hypothesis."""
