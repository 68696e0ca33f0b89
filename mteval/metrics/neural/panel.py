"""Samples judged by one model on one or several devices, while somebody watches.

Scores of segments that a panel gives, and what else it says of them.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import Event

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.base.digests import digest_of
from mteval.metrics.base import Watch, unwatched
from mteval.metrics.means import FIELDS, MeanScorer
from mteval.metrics.neural.kept_judgements import keep_judgements, kept_judgements
from mteval.metrics.neural.models import MODELS, Judgement, Sample, Wanted

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
        keys = sorted(samples, key=lambda key: -_length(samples[key]))
        found: dict[str, Judgement] = {}
        stop = Event()

        def judge(place: int) -> None:
            model = MODELS.of(replace(self.wanted, device=self.devices[place], place=place))
            for some in _portions(keys[place :: len(self.devices)]):
                for new in model.judge([samples[key] for key in some], self.batch_size, stop):
                    named = {some[number]: judgement for number, judgement in new.items()}
                    keep_judgements(named)
                    found.update(named)

        with ThreadPoolExecutor(len(self.devices)) as pool:
            try:
                _attend([pool.submit(judge, place) for place in range(len(self.devices))], lambda: tell(len(found)))
            finally:
                stop.set()
        return found


def _length(sample: Sample) -> int:
    return sum(len("".join(part)) for part in sample.values())


def _portions(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), _SAMPLES_A_REQUEST):
        yield keys[start : start + _SAMPLES_A_REQUEST]


def _attend(working: Sequence["Future[None]"], look: Callable[[], None]) -> None:
    """Look while they work; the first that fails ends it."""
    left = set(working)
    while left:
        finished, left = wait(left, timeout=_SECONDS_BETWEEN_LOOKS)
        for one in finished:
            one.result()
        look()


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
