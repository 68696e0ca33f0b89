"""Scorers of learned metrics: samples are judged by one model on its devices, and judgements are cached.

Each distinct sample is judged once, so interrupted work resumes. On disk a digest stands for the texts, so no text is
stored. Judgements are data that took hours to compute: the file is never replaced for its size. Beyond its budget, the
least recently used judgements are evicted, but none that was used within a day.
"""

import json
import sqlite3
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Sized
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from threading import Event
from typing import ClassVar, Literal

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.base.digests import digest_of, sealed, unsealed
from mteval.base.paths import cache_directory, make_private
from mteval.metrics.base import Watch, unwatched
from mteval.metrics.neural.models import MODELS, SECONDS_BETWEEN_LOOKS, Judgement, Sample, Wanted
from mteval.metrics.options import FIELDS, MeanScorer, ratio
from mteval.values.judgements import SEVERITIES, ErrorSpan, Spans
from mteval.values.model import Run

MOST_BYTES = 2 * 1024**3  # of judgements on disk
SECONDS_SHOWN = 86_400  # since its last use, a judgement may belong to what is shown or running
_SECONDS_BETWEEN_MARKS = 3_600  # of use, since each mark is written to disk
_ROWS_TO_EVICT = 5_000  # at once, a fraction of a second
_AT_ONCE = 500  # keys per query
_TROUBLE = (OSError, sqlite3.Error, UnicodeError)  # the last from damaged files


def kept_judgements(keys: Sequence[str]) -> dict[str, Judgement]:
    """Return cached judgements. Damaged entries and unreadable files count as missing."""
    kept: dict[str, Judgement] = {}
    with suppress(*_TROUBLE), _opened() as database:
        unmarked: list[str] = []  # used, and not marked for a while
        now = int(time.time())
        for start in range(0, len(keys), _AT_ONCE):
            for key, judgement, used in _rows(database, keys[start : start + _AT_ONCE]):
                kept[key] = judgement
                if used < now - _SECONDS_BETWEEN_MARKS:
                    unmarked.append(key)
        with database:
            database.executemany("UPDATE judgements SET used = ? WHERE key = ?", [(now, key) for key in unmarked])
    return kept


def keep_judgements(judgements: Mapping[str, Judgement]) -> None:
    """Cache judgements under their keys. A full disk is not an error: it only costs time later."""
    now = int(time.time())
    rows = []
    for key, judgement in judgements.items():
        content = json.dumps(asdict(judgement)).encode()
        rows.append((key, sealed(content, key), now))
    with suppress(*_TROUBLE), _opened() as database:
        with database:
            database.executemany("INSERT OR REPLACE INTO judgements (key, content, used) VALUES (?, ?, ?)", rows)
        while _bytes_of(database) > MOST_BYTES:
            n_evicted = _evict(database, now - SECONDS_SHOWN)
            if n_evicted == 0:
                break


_formats: dict[tuple[Path, str], str] = {}  # of this process, also where nothing can be written


def kept_format(key: str) -> str | None:
    """Return the cached response format of a judge's endpoint; None if there is none."""
    path = _path()
    if (path, key) in _formats or not path.exists():
        return _formats.get((path, key))
    with suppress(*_TROUBLE), _opened() as database:
        row = database.execute("SELECT format FROM formats WHERE key = ?", (key,)).fetchone()
        if row is not None and isinstance(row[0], str):
            _formats[path, key] = row[0]
    return _formats.get((path, key))


def keep_format(key: str, response_format: str) -> None:
    """Cache the response format of a judge's endpoint."""
    _formats[_path(), key] = response_format
    with suppress(*_TROUBLE), _opened() as database, database:
        database.execute("INSERT OR REPLACE INTO formats (key, format) VALUES (?, ?)", (key, response_format))


def _evict(database: sqlite3.Connection, before: int) -> int:
    """Delete some of the least recently used judgements, and return how many."""
    with database:
        oldest = "SELECT key FROM judgements WHERE used < ? ORDER BY used LIMIT ?"
        return database.execute(f"DELETE FROM judgements WHERE key IN ({oldest})", (before, _ROWS_TO_EVICT)).rowcount


def _bytes_of(database: sqlite3.Connection) -> int:
    """Return the size of the used pages; the file itself does not shrink, but its free pages are used again."""
    tables = "pragma_page_count, pragma_freelist_count, pragma_page_size"
    return int(database.execute(f"SELECT (page_count - freelist_count) * page_size FROM {tables}").fetchone()[0])


def _rows(database: sqlite3.Connection, keys: Sequence[str]) -> Iterator[tuple[str, Judgement, int]]:
    """Yield the undamaged judgements of some keys, each with its key and the time of its last use."""
    placeholders = ",".join("?" * len(keys))
    query = f"SELECT key, content, used FROM judgements WHERE key IN ({placeholders})"
    rows: Iterable[tuple[object, object, object]] = database.execute(query, keys)
    for key, content, used in rows:
        if not isinstance(key, str) or not isinstance(content, bytes):
            continue
        inner = unsealed(content, key)
        if inner is None:
            continue
        values = json.loads(inner)
        spans = tuple(ErrorSpan(**span) for span in values["spans"])
        judgement = Judgement(values["score"], spans, tuple(values["parts"]))
        yield key, judgement, used if isinstance(used, int) else 0


def _path() -> Path:
    """Return the file of all judgements."""
    return cache_directory() / "judgements.sqlite"


@contextmanager
def _opened() -> Iterator[sqlite3.Connection]:
    """Open the file of judgements, and make or update its tables. A damaged file is removed."""
    path = _path()
    make_private(path.parent)
    with closing(sqlite3.connect(path, timeout=30.0)) as database:  # seconds for another process to finish writing
        try:
            database.execute("CREATE TABLE IF NOT EXISTS judgements (key TEXT PRIMARY KEY, content BLOB) WITHOUT ROWID")
            columns = [column[1] for column in database.execute("PRAGMA table_info(judgements)")]
            if "used" not in columns:
                with suppress(sqlite3.OperationalError):  # another process added it meanwhile
                    database.execute("ALTER TABLE judgements ADD COLUMN used INTEGER NOT NULL DEFAULT 0")
            database.execute("CREATE TABLE IF NOT EXISTS formats (key TEXT PRIMARY KEY, format TEXT) WITHOUT ROWID")
            database.execute("CREATE INDEX IF NOT EXISTS by_use ON judgements (used)")
            yield database
        except sqlite3.OperationalError:  # locked or disk full: temporary
            raise
        except (sqlite3.DatabaseError, UnicodeError):
            path.unlink(missing_ok=True)
            raise


_SAMPLES_A_REQUEST = 2048


class Cached(ABC):
    """What judges samples, each only once: answers are cached under a digest of sample and signature."""

    signature: str

    def judgements(self, samples: Mapping[str, Sample], watch: Watch) -> dict[str, Judgement]:
        """Return a judgement for each key, and cache new ones.

        Parameters
        ----------
        samples
            By key (see ``keys``).
        watch
            Called ten times a second with the completed share; an exception in it stops the work within a second.

        Raises
        ------
        MtevalError
            If the judge does not answer or fails.
        """
        judgements = kept_judgements(list(samples))
        missing = {key: sample for key, sample in samples.items() if key not in judgements}
        if not missing:
            return judgements
        n_kept = len(judgements)

        def tell(n_new: int) -> None:
            watch((n_kept + n_new) / len(samples))

        return judgements | self.new(missing, tell)

    def known(self, samples: Sequence[Sample]) -> list[Judgement | None]:
        """Return cached judgements of samples; None if there is none."""
        keys = self.keys(samples)
        kept = kept_judgements(keys)
        return [kept.get(key) for key in keys]

    def keys(self, samples: Sequence[Sample]) -> list[str]:
        """Return cache keys of samples: digests of them and of everything that affects their judgement."""
        return [digest_of((self.signature, json.dumps(dict(sample), sort_keys=True))) for sample in samples]

    @abstractmethod
    def new(self, samples: Mapping[str, Sample], tell: Callable[[int], None]) -> dict[str, Judgement]:
        """Judge and cache samples, and tell how many are done."""


def follow(left: set[Future[None]], judged: Sized, tell: Callable[[int], None]) -> None:
    """Wait for all work, and tell now and then how many samples are judged; the first failure ends the work."""
    while left:
        finished, left = wait(left, timeout=SECONDS_BETWEEN_LOOKS)
        for future in finished:
            future.result()
        tell(len(judged))


@dataclass(frozen=True)
class Panel(Cached):
    """A model on its devices. Samples have the package's fields ``src``, ``mt``, ``ref``: a text, or several of which
    the last is judged.

    Parameters
    ----------
    wanted
        The model.
    devices
        One process each; they share the samples.
    batch_size
        Samples per batch.
    signature
        Everything that affects a judgement.
    made_there
        On a machine that delegates: how the machine that computes makes the model of this signature with its own files
        and devices, or fails if it would compute other numbers.
    """

    wanted: Wanted
    devices: tuple[str, ...]
    batch_size: int
    signature: str
    made_there: Callable[[str], "Panel"] | None = None

    def new(self, samples: Mapping[str, Sample], tell: Callable[[int], None]) -> dict[str, Judgement]:
        """Judge on all devices, and cache each batch."""
        if self.made_there is not None:
            return self.made_there(self.signature).new(samples, tell)

        def length(key: str) -> int:
            return sum(len("".join(part)) for part in samples[key].values())

        # Longest first, so a lack of memory shows at once and little is padded
        keys = sorted(samples, key=length, reverse=True)
        judgements: dict[str, Judgement] = {}
        stop = Event()

        def judge(place: int) -> None:
            """Judge the samples of one device: every so many-th, so that all devices have long and short ones."""
            model = MODELS.of(replace(self.wanted, device=self.devices[place], place=place))
            own = keys[place :: len(self.devices)]
            for start in range(0, len(own), _SAMPLES_A_REQUEST):
                requested = own[start : start + _SAMPLES_A_REQUEST]
                for judgement_of_number in model.judge([samples[key] for key in requested], self.batch_size, stop):
                    new = {requested[number]: judgement for number, judgement in judgement_of_number.items()}
                    keep_judgements(new)
                    judgements.update(new)

        with ThreadPoolExecutor(len(self.devices)) as pool:
            try:
                futures = {pool.submit(judge, place) for place in range(len(self.devices))}
                follow(futures, judgements, tell)
            finally:
                stop.set()
        return judgements


@dataclass(frozen=True)
class JudgedScorer(MeanScorer, ABC):
    """A learned metric on one test set. It holds no model, so it can be sent to another machine.

    Parameters
    ----------
    panel
        The model on its devices.
    submetric_names
        Names of the m components of a segment's score.
    """

    panel: Cached
    submetric_names: tuple[str, ...]

    stays_here: ClassVar[bool] = False

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> FloatArray:
        """Return score, 1, and components of n hypotheses, shape ``(n, 2 + m)``.

        Raises
        ------
        MissingDependencyError
            If the model does not load.
        """
        return self.statistics_and_more(segment_ids, hypotheses)[0]

    def keep(self, more: Mapping[str, object]) -> None:
        """Cache on this machine what the model judged on another."""
        keep_judgements({key: judgement for key, judgement in more.items() if isinstance(judgement, Judgement)})

    def statistics_and_more(
        self, segment_ids: Sequence[int], hypotheses: Sequence[str], watch: Watch = unwatched
    ) -> tuple[FloatArray, Mapping[str, Judgement]]:
        """As ``statistics``, with the judgement of each sample, reporting progress to ``watch``."""
        if not hypotheses:
            return np.zeros((0, len(FIELDS) + len(self.submetric_names))), {}
        # All samples in a row, and the number of those of each hypothesis
        samples: list[Sample] = []
        counts = []
        for segment, text in zip(segment_ids, hypotheses, strict=True):
            samples_of_hypothesis = self.samples(segment, text)
            samples += samples_of_hypothesis
            counts.append(len(samples_of_hypothesis))
        keys = self.panel.keys(samples)
        judgements = self.panel.judgements(dict(zip(keys, samples, strict=True)), watch)

        # Score and components: shape (samples, 1 + m), then (hypotheses, 1 + m)
        rows = np.array([self.row(judgements[key]) for key in keys])
        combined = self.combined(rows, np.array(counts))
        return np.column_stack([combined[:, 0], np.ones(len(counts)), combined[:, 1:]]), judgements

    def submetrics(self, statistics: FloatArray) -> FloatArray:
        """Return means of the components over segments, shape ``(..., m)``."""
        return ratio(statistics[..., 2:], statistics[..., 1:2])

    @abstractmethod
    def samples(self, segment: int, text: str) -> list[Sample]:
        """Return the samples of one output in the package's field names, one per reference that the model reads."""

    @abstractmethod
    def row(self, judgement: Judgement) -> list[float]:
        """Return score and components as displayed, length ``1 + m``."""

    @abstractmethod
    def combined(self, rows: FloatArray, counts: IntArray) -> FloatArray:
        """Combine rows of samples into one row per hypothesis; ``counts`` says how many neighbouring rows each
        hypothesis has.
        """

    def error_spans(self, run: Run) -> tuple[Spans | None, ...] | None:
        """Return the errors that the judge found in a run's outputs (with several samples per output, in the first).

        None if it marks no errors or has not judged the run.
        """
        if not set(SEVERITIES) <= set(self.submetric_names):
            return None
        if run.digest not in self._marked:
            samples = [self.samples(segment, text)[0] for segment, text in enumerate(run.hypotheses)]
            spans = []
            for judgement in self.panel.known(samples):
                if judgement is None:
                    return None
                spans.append(judgement.spans)
            self._marked[run.digest] = tuple(spans)
        return self._marked[run.digest]

    @cached_property
    def _marked(self) -> dict[str, tuple[Spans | None, ...]]:
        """The errors of the runs that were asked for, by digest."""
        return {}


@dataclass(frozen=True)
class CometScorer(JudgedScorer):
    """COMET on one test set; its components are errors per segment by severity, or none.

    Parameters
    ----------
    several
        How scores against several references combine.
    sources, references
        Of each segment; no references if the model reads none.
    before
        For each segment, the preceding segments that the model reads.
    scale
        Displayed score per unit of the model's.
    """

    several: Literal["mean", "best"]
    sources: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    before: tuple[range, ...]
    scale: float = 100.0

    def samples(self, segment: int, text: str) -> list[Sample]:
        """Return the samples of one output, one per reference that the model reads."""
        before = self.before[segment]
        source = self._with_context([self.sources[earlier] for earlier in before], self.sources[segment])
        if not self.references:
            return [{"src": source, "mt": text}]
        samples: list[Sample] = []
        for place, reference in enumerate(self.references[segment]):
            # The earlier segments' reference in the same place, or their last one if they have fewer
            context = []
            for earlier in before:
                references = self.references[earlier]
                context.append(references[min(place, len(references) - 1)])
            sample: Sample = {
                "src": source,
                "mt": self._with_context(context, text),
                "ref": self._with_context(context, reference),
            }
            samples.append(sample)
        return samples

    @staticmethod
    def _with_context(context: Sequence[str], text: str) -> str | list[str]:
        """Return a text after those of earlier segments, if there are any."""
        if not context:
            return text
        return [*context, text]

    def row(self, judgement: Judgement) -> list[float]:
        """Return the score as displayed, and the number of errors by severity."""
        severities = [span.severity for span in judgement.spans]
        n_errors = [float(severities.count(severity)) for severity in self.submetric_names]
        return [self.scale * judgement.score, *n_errors]

    def combined(self, rows: FloatArray, counts: IntArray) -> FloatArray:
        """Return the mean over references, or the row with the best score."""
        ends = np.cumsum(counts)
        starts = ends - counts
        if self.several == "best":
            best = []
            for start, end in zip(starts, ends, strict=True):
                best.append(start + rows[start:end, 0].argmax())
            return np.asarray(rows[best])
        return np.add.reduceat(rows, starts, axis=0) / counts[:, None]


@dataclass(frozen=True)
class BertScorer(JudgedScorer):
    """BERTScore on one test set; its components are precision and recall.

    Parameters
    ----------
    references
        Of each segment.
    """

    references: tuple[tuple[str, ...], ...]

    def samples(self, segment: int, text: str) -> list[Sample]:
        """Return the output with each reference."""
        return [{"mt": text, "ref": reference} for reference in self.references[segment]]

    def row(self, judgement: Judgement) -> list[float]:
        """Return 100 times F, precision and recall."""
        return [100 * number for number in (judgement.score, *judgement.parts)]

    def combined(self, rows: FloatArray, counts: IntArray) -> FloatArray:
        """Return the best of each over references, as the package does; they may come from different references."""
        return np.maximum.reduceat(rows, np.cumsum(counts) - counts, axis=0)
