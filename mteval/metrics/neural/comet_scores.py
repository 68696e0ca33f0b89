"""COMET's scores of segments, and the errors that it marks."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from mteval.arrays import IntArray
from mteval.error_spans import Spans
from mteval.metrics.base import FloatArray
from mteval.metrics.neural.judged_scores import JudgedScorer
from mteval.metrics.neural.kept_judgements import Judgement
from mteval.metrics.neural.models import Sample
from mteval.model import Run

Several = Literal["mean", "best"]


@dataclass(frozen=True)
class CometScorer(JudgedScorer):
    """COMET on one test set; the parts of its score are errors a segment by severity, or none.

    Parameters
    ----------
    several
        What becomes of the scores against several references.
    sources, references
        Of each segment; no references where the model reads none.
    before
        For each segment the segments before it that the model reads as well.
    """

    several: Several
    sources: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]
    before: tuple[range, ...]

    def error_spans(self, run: Run) -> tuple[Spans | None, ...] | None:
        """The errors that the model found in a run's outputs when it judged them, of several references by the first.

        None where it finds none, or has not judged the run.
        """
        if not self.submetric_names:
            return None
        if run.digest not in self._marked:
            samples = [self.samples(segment, text)[0] for segment, text in enumerate(run.hypotheses)]
            known = self.panel.known(samples)
            if None in known:
                return None
            self._marked[run.digest] = tuple(one.spans for one in known if one is not None)
        return self._marked[run.digest]

    @cached_property
    def _marked(self) -> dict[str, tuple[Spans | None, ...]]:
        return {}

    def samples(self, segment: int, text: str) -> list[Sample]:
        """What the model is asked of one output: once for each reference that it reads."""
        before = self.before[segment]
        source = self._told([self.sources[one] for one in before], self.sources[segment])
        if not self.references:
            return [{"src": source, "mt": text}]
        asked: list[Sample] = []
        for place, reference in enumerate(self.references[segment]):
            context = [self.references[one][min(place, len(self.references[one]) - 1)] for one in before]
            asked.append({"src": source, "mt": self._told(context, text), "ref": self._told(context, reference)})
        return asked

    @staticmethod
    def _told(context: Sequence[str], text: str) -> str | list[str]:
        return [*context, text] if context else text

    def row(self, judgement: Judgement) -> list[float]:
        """100 times what the model says, and errors by severity."""
        found = [span.severity for span in judgement.spans]
        return [100 * judgement.score, *(float(found.count(severity)) for severity in self.submetric_names)]

    def combined(self, rows: FloatArray, counts: IntArray) -> FloatArray:
        """The mean over references, or what is said by the one with the best score."""
        starts = np.cumsum(counts) - counts
        if self.several == "best":
            best = [
                start + int(rows[start : start + count, 0].argmax())
                for start, count in zip(starts, counts, strict=True)
            ]
            return np.asarray(rows[best])
        return np.add.reduceat(rows, starts, axis=0) / counts[:, None]
