"""Scores of segments that a panel gives, and what else it says of them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mteval.arrays import IntArray
from mteval.metrics.base import FloatArray, Watch, unwatched
from mteval.metrics.means import FIELDS, MeanScorer
from mteval.metrics.neural import kept_judgements
from mteval.metrics.neural.kept_judgements import Judgement
from mteval.metrics.neural.models import Sample
from mteval.metrics.neural.panel import Panel


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
        kept_judgements.keep({key: one for key, one in more.items() if isinstance(one, Judgement)})

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
