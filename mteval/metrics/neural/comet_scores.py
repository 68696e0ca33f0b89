"""COMET's scores of segments, and the errors that it marks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from mteval.error_spans import Spans
from mteval.metrics.base import FloatArray, Watch, unwatched
from mteval.metrics.means import FIELDS, MeanScorer
from mteval.metrics.neural.kept_judgements import Judgement
from mteval.metrics.neural.models import Sample
from mteval.metrics.neural.panel import Panel
from mteval.model import Run

Several = Literal["mean", "best"]


@dataclass(frozen=True)
class CometScorer(MeanScorer):
    """COMET on one test set. It holds no model, so that it can be copied to another machine."""

    panel: Panel
    several: Several
    severities: tuple[str, ...]
    sources: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]

    def statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str]) -> FloatArray:
        """Score and 1 of n hypotheses, and errors by severity; shape ``(n, 2)`` or ``(n, 5)``.

        Raises
        ------
        MissingDependencyError
            Where the model does not load.
        """
        return self.watched_statistics(segment_ids, hypotheses, unwatched)

    def watched_statistics(self, segment_ids: Sequence[int], hypotheses: Sequence[str], watch: Watch) -> FloatArray:
        """As ``statistics``, while somebody watches."""
        if not hypotheses:
            return np.zeros((0, len(FIELDS) + len(self.severities)))
        samples = [self._samples(*pair) for pair in zip(segment_ids, hypotheses, strict=True)]
        judged = self.panel.judgements([one for of_pair in samples for one in of_pair], watch)
        counts = np.array([len(of_pair) for of_pair in samples])
        rows = np.array([_row(judgement, self.severities) for judgement in judged])
        combined = self._combined(rows, counts)
        return np.column_stack([100 * combined[:, 0], np.ones(len(counts)), combined[:, 1:]])

    def error_spans(self, run: Run) -> tuple[Spans | None, ...] | None:
        """The errors that the model found in a run's outputs when it judged them, of several references by the first.

        None where it finds none, or has not judged the run.
        """
        if not self.severities:
            return None
        if run.digest not in self._marked:
            samples = [self._samples(segment, text)[0] for segment, text in enumerate(run.hypotheses)]
            known = self.panel.known(samples)
            if None in known:
                return None
            self._marked[run.digest] = tuple(one.spans for one in known if one is not None)
        return self._marked[run.digest]

    @cached_property
    def _marked(self) -> dict[str, tuple[Spans | None, ...]]:
        return {}

    def submetrics(self, statistics: FloatArray) -> FloatArray:
        """Errors a segment by severity, shape ``(..., 3)``, or nothing."""
        counts = statistics[..., 1:2].astype(float)
        errors = statistics[..., 2:].astype(float)
        shares: FloatArray = np.divide(errors, counts, out=np.full_like(errors, np.nan), where=counts > 0)
        return shares

    def _samples(self, segment: int, text: str) -> list[Sample]:
        """What the model is asked of one output, under the package's names: once for each reference that it reads."""
        asked = {"src": self.sources[segment], "mt": text}
        references = self.references[segment] if self.references else ()
        return [{**asked, "ref": reference} for reference in references] or [asked]

    def _combined(self, rows: FloatArray, counts: np.ndarray[tuple[int], np.dtype[np.int64]]) -> FloatArray:
        """One row for each hypothesis from those against its references, which stand side by side."""
        starts = np.cumsum(counts) - counts
        if self.several == "best":
            best = [
                start + int(rows[start : start + count, 0].argmax())
                for start, count in zip(starts, counts, strict=True)
            ]
            return np.asarray(rows[best])
        return np.add.reduceat(rows, starts, axis=0) / counts[:, None]


def _row(judgement: Judgement, severities: Sequence[str]) -> list[float]:
    found = [span.severity for span in judgement.spans]
    return [judgement.score, *(float(found.count(severity)) for severity in severities)]
