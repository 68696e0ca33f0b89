"""Judgements as a frame: standardised by annotator, repeats of one judge averaged, and as scores of a test set."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.work import Work
from mteval.counts import counted
from mteval.errors import DataError
from mteval.given import GivenMetric, GivenScores
from mteval.judgements import MQM, Judgement
from mteval.metrics.imported import Imported
from mteval.model import Experiment, Run, TestSet

FloatArray = npt.NDArray[np.float64]
JUDGED = ("annotator", "system", "segment", "document", "order", "scale", "value")
_OUTPUT = ["annotator", "system", "segment", "scale"]
PEOPLE = "people"


def judgement_frame(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """One row a judgement, with the columns ``JUDGED``; ``value`` as it was given, better when higher."""
    rows = [tuple(getattr(one, name) for name in JUDGED) for one in judgements]
    return pd.DataFrame(rows, columns=list(JUDGED)).astype({"value": float, "order": float})


def standardised(frame: pd.DataFrame, scale: str = "scale") -> pd.DataFrame:
    """Values by the mean and standard deviation of all that their annotator gave on that scale (Graham et al. 2013).

    Left out is an annotator who gave one value always, or a single one: nobody knows what it is worth.

    Parameters
    ----------
    scale
        The column that tells scales apart.
    """
    groups = frame.groupby(["annotator", scale])["value"]
    spread = groups.transform("std").replace(0.0, np.nan)
    return frame.assign(value=(frame["value"] - groups.transform("mean")) / spread).dropna(subset="value")


def without_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """One row for each annotator, output and scale: a judge asked again, as a model may be, is no second judge."""
    if not frame.duplicated(_OUTPUT).any():
        return frame
    means = frame.groupby(_OUTPUT, sort=False, as_index=False)
    return means.agg({"document": "first", "order": "min", "value": "mean"})[list(JUDGED)]


def is_standardised(scale: str) -> bool:
    """Whether judgements on a scale are standardised unless somebody says otherwise: weights of errors are not."""
    return scale != MQM


def prepared(frame: pd.DataFrame, standardise: bool | None = None) -> pd.DataFrame:
    """Judgements ready to be compared: standardised where that is usual or wanted, then without repeats."""
    parts = [
        standardised(rows) if (is_standardised(str(scale)) if standardise is None else standardise) else rows
        for scale, rows in frame.groupby("scale", sort=False)
    ]
    return without_repeats(pd.concat(parts, ignore_index=True)) if parts else frame


def scales_of(frame: pd.DataFrame, wanted: Sequence[str] = ()) -> tuple[str, str | None]:
    """The scale that decides and the one that breaks its ties.

    Those wanted, in that order; else adequacy and fluency where both were judged, as in Graham et al. (2014), and the
    only scale where there is one.

    Raises
    ------
    DataError
        Where nobody judged a wanted scale, or there are several and none is wanted.
    """
    there = list(dict.fromkeys(frame["scale"]))
    for scale in wanted:
        if scale not in there:
            raise DataError(f"Nobody judged '{scale}'; there are: {', '.join(there)}.")
    if wanted:
        return wanted[0], wanted[1] if len(wanted) > 1 else None
    if {"adequacy", "fluency"} <= set(there):
        return "adequacy", "fluency"
    if len(there) != 1:
        raise DataError(f"There are judgements of {', '.join(there)}; name the scale that decides.")
    return there[0], None


def usual_scales(frame: pd.DataFrame) -> tuple[str, str | None]:
    """As ``scales_of`` without a wish, but for several scales that nobody chose among: the first decides."""
    there = list(dict.fromkeys(frame["scale"]))
    first = "adequacy" if "adequacy" in there else there[0]
    return first, "fluency" if "fluency" in there and first != "fluency" else None


@dataclass(frozen=True)
class HumanScores:
    """What people said of outputs on one scale, as scores of a test set.

    Parameters
    ----------
    systems
        Those that were judged.
    values
        Mean over annotators, shape ``(systems, segments)``; NaN where nobody judged.
    n_judgements
        That they are made of.
    """

    scale: str
    systems: tuple[str, ...]
    values: FloatArray
    n_judgements: int

    @classmethod
    def of(cls, frame: pd.DataFrame, scale: str, test_set: TestSet) -> HumanScores:
        """The mean of all annotators for each output.

        Raises
        ------
        DataError
            Where a segment is not one of the test set.
        """
        rows = frame[frame["scale"] == scale]
        places = segment_places(test_set)
        lacking = [segment for segment in rows["segment"].unique() if segment not in places]
        if lacking:
            raise DataError(
                f"Segment '{lacking[0]}' was judged, and test set '{test_set.name}' has"
                f" {counted(test_set.n_segments, 'segment')} without one of that name. Number the segments from 1, or"
                " give the document ids if they are called 'document:1', 'document:2' …"
            )
        systems = tuple(dict.fromkeys(rows["system"]))
        values = np.full((len(systems), test_set.n_segments), np.nan)
        means = rows.groupby(["system", "segment"])["value"].mean().reset_index()
        row = means["system"].map({system: index for index, system in enumerate(systems)})
        values[row.to_numpy(int), means["segment"].map(places).to_numpy(int)] = means["value"]
        return cls(scale, systems, values, len(rows))

    def as_scored(self, test_set: TestSet) -> Scored:
        """The same as scores of a metric, so that every test of the house can be asked about people's differences."""
        columns = [tuple(None if np.isnan(one) else float(one) for one in row) for row in self.values]
        texts = ("",) * test_set.n_segments
        runs = tuple(Run(system, "0", texts) for system in self.systems)
        judged = TestSet(test_set.name, test_set.references, runs, documents=test_set.documents)
        given = GivenMetric(
            PEOPLE,
            "People",
            tuple(
                GivenScores(judged.name, *place) for place in zip(self.systems, "0" * len(runs), columns, strict=True)
            ),
        )
        return score_experiment(Experiment((judged,), self.systems[0], (given,)), (Imported(given),), Work())[0]


def segment_places(test_set: TestSet) -> dict[str, int]:
    """Index of each segment by its names: its number from 1, and ``document:number`` counted within its document."""
    places = {str(index + 1): index for index in range(test_set.n_segments)}
    counts: dict[str, int] = {}
    for index, document in enumerate(test_set.documents or ()):
        counts[document] = counts.get(document, 0) + 1
        name = document.rpartition("\t")[2]  # WMT writes the domain before it
        places.setdefault(f"{name}:{counts[document]}", index)
    return places
