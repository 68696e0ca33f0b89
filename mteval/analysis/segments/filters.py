"""Which segments are looked at: conditions that all have to hold."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.segments.runs import luck_of_two_runs
from mteval.analysis.segments.table import column

Stream = Literal["any", "source", "reference", "baseline", "system"]
Outputs = Literal["all", "different", "identical"]
Agreement = Literal["all", "better", "worse", "luck"]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class SegmentFilter:
    """Conditions on a segment; by default none.

    Parameters
    ----------
    metric
        Whose improvement ``least`` and ``most`` bound, both included.
    shortest, longest
        Bounds of the mean number of reference words, or of source words where there are no references.
    documents
        Ids; none means all.
    text, stream
        What to find, without regard to case, and in which texts.
    outputs
        Whether the two runs say the same.
    agreement
        ``better`` and ``worse`` are kinds of ``consistency_frame``; ``luck`` is what ``luck_of_two_runs`` finds.
    """

    metric: str
    least: float | None = None
    most: float | None = None
    shortest: float | None = None
    longest: float | None = None
    documents: tuple[str, ...] = ()
    text: str = ""
    stream: Stream = "any"
    outputs: Outputs = "all"
    agreement: Agreement = "all"


@dataclass(frozen=True)
class SegmentTexts:
    """What is searched: for each stream one string a segment, case folded. Several references are one string."""

    streams: dict[str, tuple[str, ...]]

    @classmethod
    def of(
        cls,
        source: Sequence[str] | None,
        references: Sequence[Sequence[str]],
        baseline: Sequence[str],
        system: Sequence[str],
    ) -> "SegmentTexts":
        """The texts of two runs and what they are translated from and compared with."""
        streams = {
            "source": source or (),
            "reference": tuple(map("\n".join, references)) if any(references) else (),
            "baseline": baseline,
            "system": system,
        }
        return cls({name: tuple(text.casefold() for text in texts) for name, texts in streams.items() if texts})

    def contain(self, wanted: str, stream: Stream) -> BoolArray:
        """Whether each segment has the text, in one stream or in any."""
        folded = wanted.casefold()
        searched = self.streams.values() if stream == "any" else [self.streams.get(stream, ())]
        found = [np.array([folded in text for text in texts], dtype=bool) for texts in searched if texts]
        n_segments = len(self.streams["system"])
        either: BoolArray = np.logical_or.reduce([np.zeros(n_segments, dtype=bool), *found])
        return either


def matching(table: pd.DataFrame, consistency: pd.DataFrame, texts: SegmentTexts, wanted: SegmentFilter) -> BoolArray:
    """Which segments meet all conditions, shape ``(segments,)``; an undefined difference is within no bounds."""
    holds = np.ones(len(table), dtype=bool)
    holds &= _within(table[column(wanted.metric, "improvement")], wanted.least, wanted.most)
    for name in {"reference_words", "source_words"} & set(table):
        holds &= _within(table[name], wanted.shortest, wanted.longest)
    if wanted.documents:
        holds &= table["document"].isin(wanted.documents).to_numpy() if "document" in table else False
    if wanted.text:
        holds &= texts.contain(wanted.text, wanted.stream)
    if wanted.outputs != "all":
        holds &= table["is_identical"].to_numpy() == (wanted.outputs == "identical")
    if wanted.agreement == "luck":
        holds &= luck_of_two_runs(table[column(wanted.metric, "improvement")].to_numpy(), consistency)
    elif wanted.agreement != "all":
        holds &= (consistency["kind"] == wanted.agreement).to_numpy()
    return holds


def _within(values: "pd.Series[float]", low: float | None, high: float | None) -> BoolArray:
    numbers = values.to_numpy()
    holds = np.ones(len(numbers), dtype=bool)
    if low is not None:
        holds &= numbers >= low
    if high is not None:
        holds &= numbers <= high
    return holds
