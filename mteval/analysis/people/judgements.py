"""Judgements as numbers: from campaigns and imported scores, standardised, averaged, and as scores of a metric."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError
from mteval.base.words import counted, whole_characters
from mteval.metrics.imported import Imported
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import MQM, Judgement, RatedError
from mteval.values.model import Experiment, Run, TestSet

if TYPE_CHECKING:  # what has scores but no campaigns needs no annotations
    from mteval.annotations import Campaign, Mark, Task

SCORE = "score"
OF_PEOPLE = frozenset({MQM, "human", "da", "da-sqm", "sqm", "esa", "adequacy", "fluency"})  # words in names
# Parts of metric names, which often name the judgements that they were trained on: wmt22-comet-da.
OF_METRICS = ("comet", "kiwi", "metricx", "bleurt", "gemba", "eaprompt", "unite", "gpt", "llm")


def is_of_people(given: GivenMetric) -> bool:
    """Return whether imported scores are human, by their counts of judgements or their name."""
    is_named = bool(_words(given.name) & OF_PEOPLE) and not any(part in given.name.lower() for part in OF_METRICS)
    return is_named or any(one.judgements is not None for one in given.scores)


def _words(name: str) -> set[str]:
    plain = name.lower()
    return set(plain.replace("_", ".").replace(" ", ".").split(".")) | set(plain.replace("-", ".").split("."))


def judgements_of_scores(given: GivenMetric, test_set: str) -> tuple[Judgement, ...]:
    """Return human scores as judgements by a single annotator; higher is better."""
    scale, sign = MQM if MQM in _words(given.name) else SCORE, 1.0 if given.higher_is_better else -1.0
    return tuple(
        Judgement(given.name, one.system, str(number), scale, sign * value)
        for one in given.scores
        if one.test_set == test_set
        for number, value in enumerate(one.values, start=1)
        if value is not None
    )


JUDGED = ("annotator", "system", "segment", "document", "order", "scale", "value", "run")
PROBABILITY = "probability"
NUMBERS = {"value", "order", PROBABILITY}
_OUTPUT = ["annotator", "system", "segment", "scale"]
_FIRST_AND_MEAN = {"document": "first", "order": "min", "value": "mean"}
PREFERENCE = "preference"  # scale: 1 for the better of two outputs, 0 for the other, 0.5 for ties


def judgement_frame(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """Return one row per judgement, with the columns ``JUDGED``; higher values are better.

    If segments had known probabilities of being drawn, a column ``probability`` is added.
    """
    judged = list(judgements)
    columns = [*JUDGED, *([PROBABILITY] if any(one.probability is not None for one in judged) else [])]
    rows = [tuple(getattr(one, name) for name in columns) for one in judged]
    return pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(set(columns) & NUMBERS, float))


def is_assigned(frame: pd.DataFrame) -> bool:
    """Return whether systems were judged with different probabilities on a segment, as in adaptive assignment."""
    return PROBABILITY in frame and bool((frame.groupby("segment")[PROBABILITY].nunique() > 1).any())


def standardised(frame: pd.DataFrame, scale: str = "scale") -> pd.DataFrame:
    """Standardise values by the mean and standard deviation of their annotator on that scale (Graham et al. 2013).

    Annotators with a single or constant value are dropped: their scale is unknown.

    Parameters
    ----------
    scale
        The column with the scale.
    """
    groups = frame.groupby(["annotator", scale])["value"]
    spread = groups.transform("std").replace(0.0, np.nan)
    return frame.assign(value=(frame["value"] - groups.transform("mean")) / spread).dropna(subset="value")


def without_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """Average repeated judgements and runs, so that there is one row per annotator, system, segment and scale."""
    if not frame.duplicated(_OUTPUT).any():
        return frame
    how = {**_FIRST_AND_MEAN, **({PROBABILITY: "first"} if PROBABILITY in frame else {})}
    averaged = frame.groupby([*_OUTPUT, "run"], sort=False, as_index=False).agg(how)  # runs weigh the same
    return averaged.groupby(_OUTPUT, sort=False, as_index=False).agg({**how, "run": "first"})[list(frame.columns)]


def is_standardised(scale: str, standardise: bool | None = None) -> bool:
    """Return whether a scale is standardised: by default (None), all but error weights (MQM) and preferences are."""
    return scale not in (MQM, PREFERENCE) if standardise is None else standardise


def prepared(frame: pd.DataFrame, standardise: bool | None = None) -> pd.DataFrame:
    """Standardise judgements by default or on request, as ``is_standardised``, then average repeats."""
    scales = frame.groupby("scale", sort=False)
    parts = [standardised(rows) if is_standardised(str(one), standardise) else rows for one, rows in scales]
    return without_repeats(pd.concat(parts, ignore_index=True)) if parts else frame


def scales_of(frame: pd.DataFrame, wanted: Sequence[str] = ()) -> tuple[str, str | None]:
    """Return the primary scale and the one that breaks its ties.

    Defaults to adequacy and fluency if both were judged, as in Graham et al. (2014), or to the only scale.

    Raises
    ------
    DataError
        If a wanted scale has no judgements, or none is wanted and there are several.
    """
    there = list(dict.fromkeys(frame["scale"]))
    for scale in wanted:
        if scale not in there:
            raise DataError(f"No judgements on the scale '{scale}'. Scales found: {', '.join(there)}.")
    if wanted:
        return wanted[0], wanted[1] if len(wanted) > 1 else None
    if {"adequacy", "fluency"} <= set(there):
        return "adequacy", "fluency"
    if len(there) != 1:
        raise DataError(f"Several scales were judged: {', '.join(there)}. Choose the one that decides.")
    return there[0], None


def usual_scales(frame: pd.DataFrame) -> tuple[str, str | None]:
    """Return the default scales; unlike ``scales_of``, the first of several decides."""
    there = list(dict.fromkeys(frame["scale"]))
    first = "adequacy" if "adequacy" in there else there[0]
    return first, "fluency" if "fluency" in there and first != "fluency" else None


@dataclass(frozen=True)
class HumanScores:
    """Human judgements on one scale, as scores of a test set.

    Parameters
    ----------
    systems
        The judged systems.
    values
        Mean over annotators, shape ``(systems, segments)``; NaN for unjudged segments.
    n_judgements
        Number of judgements behind the values.
    """

    scale: str
    systems: tuple[str, ...]
    values: FloatArray
    n_judgements: int

    @classmethod
    def of(cls, frame: pd.DataFrame, scale: str, test_set: TestSet) -> HumanScores:
        """Average over annotators for each output.

        Raises
        ------
        DataError
            If a judged segment is not in the test set.
        """
        rows = frame[frame["scale"] == scale]
        places = segment_places(test_set)
        if lacking := [segment for segment in rows["segment"].unique() if segment not in places]:
            there = f"the {counted(test_set.n_segments, 'segment')} of test set '{test_set.name}'"
            text = f"Segment '{lacking[0]}' was judged, but is not among {there}. Number segments from 1."
            raise DataError(f"{text} Names like 'document:1' need document IDs.")
        systems = tuple(dict.fromkeys(rows["system"]))
        values = np.full((len(systems), test_set.n_segments), np.nan)
        means = rows.groupby(["system", "segment"])["value"].mean().reset_index()
        row = means["system"].map({system: index for index, system in enumerate(systems)})
        values[row.to_numpy(int), means["segment"].map(places).to_numpy(int)] = means["value"]
        return cls(scale, systems, values, len(rows))

    def as_scored(self, test_set: TestSet) -> Scored:
        """Return the scores as those of a metric, so that every procedure can test human differences."""
        columns = [tuple(None if np.isnan(one) else float(one) for one in row) for row in self.values]
        texts = ("",) * test_set.n_segments
        runs = tuple(Run(system, "0", texts) for system in self.systems)
        judged = TestSet(test_set.name, test_set.references, runs, documents=test_set.documents)
        scores = (GivenScores(judged.name, run.system, run.key, one) for run, one in zip(runs, columns, strict=True))
        given = GivenMetric("people", "People", tuple(scores))
        return score_experiment(Experiment((judged,), self.systems[0], (given,)), (Imported(given),), Work())[0]


def segment_places(test_set: TestSet) -> dict[str, int]:
    """Return the index of each segment by its names: its number from 1, and ``document:number`` within its document."""
    places = {str(index + 1): index for index in range(test_set.n_segments)}
    documents = test_set.documents or ()
    for index, (document, number) in enumerate(zip(documents, numbers_in(documents), strict=True)):
        name = document.rpartition("\t")[2]  # WMT writes the domain before it
        places.setdefault(f"{name}:{number}", index)
    return places


def numbers_in(documents: Iterable[str]) -> list[int]:
    """Return the number of each segment within its document, from 1, given the document of each."""
    counters: dict[str, Iterator[int]] = defaultdict(lambda: count(1))
    return [next(counters[document]) for document in documents]


JUDGEMENTS = ("annotator", "segment", "stratum", "output", "system", "aspect", "value")
# By kind of campaign.
ASPECTS = {"rating": ("adequacy", "fluency"), "errors": (MQM,), "esa": ("esa",), PREFERENCE: (PREFERENCE,)}
RATED = ("rating", "esa")  # campaigns with individual use of the scale
MARKED = ("errors", "esa")  # campaigns with marked errors
ASPECT_NAMES = {"adequacy": "Adequacy", "fluency": "Fluency", MQM: "MQM", "esa": "ESA", PREFERENCE: "Preference"}


def judgements(campaign: Campaign, tasks: Iterable[Task], standardise: bool | None = None) -> pd.DataFrame:
    """Return one row per finished judgement, output and aspect; control items are excluded.

    Higher values are better: ratings standardised by annotator (z), minus the error weights (MQM), or for preferences 1
    for the better output, 0 for the other and 0.5 for ties.

    Parameters
    ----------
    standardise
        Standardise by annotator; by default for ratings only.
    """
    rows = [
        (task.annotator, task.segment, task.stratum, output, campaign.outputs[output].system, aspect, value)
        for task in finished(tasks)
        for output, aspect, value in values_of(campaign, task)
    ]
    frame = pd.DataFrame(rows, columns=list(JUDGEMENTS)).astype({"value": float})
    if standardise is None:
        standardise = campaign.way in RATED
    return standardised(frame, "aspect") if standardise else frame


def finished(tasks: Iterable[Task]) -> list[Task]:
    """Return the finished tasks that are no control items."""
    return [task for task in tasks if task.is_complete and task.control is None]


def values_of(campaign: Campaign, task: Task) -> list[tuple[int, str, float]]:
    """Return the output, aspect and value of every raw judgement in a task, for all outputs with the judged text.

    MQM is minus the error weights, so that 0 is best (Freitag et al. 2021).
    """
    if task.output is None:
        shares = {"first": (1.0, 0.0), "second": (0.0, 1.0), "equal": (0.5, 0.5)}.get(task.preference or "", ())
        return [(output, PREFERENCE, share) for output, share in enumerate(shares)]
    ratings = (("adequacy", task.adequacy), ("fluency", task.fluency), ("esa", task.score))
    said = [(aspect, value) for aspect, value in ratings if value is not None]
    if campaign.way == "errors":
        said = [(MQM, 0.0 - sum(weight_of(campaign, mark) for mark in task.marks))]
    return [(output, aspect, value) for output in campaign.alike(task) for aspect, value in said]


def weight_of(campaign: Campaign, mark: Mark) -> float:
    """Return an error's weight from its file, or by default from the campaign."""
    return campaign.typology.weight(mark.category, mark.severity) if mark.weight is None else mark.weight


def human_metrics(campaign: Campaign, tasks: Sequence[Task], experiment: Experiment) -> tuple[GivenMetric, ...]:
    """Return judgements of the experiment's runs as one metric per aspect, from the random stratum only.

    Runs are matched by content, not by name. Empty if nothing matches.
    """
    judged, metrics = judgements(campaign, tasks), []
    judged = judged[judged["stratum"] == "random"]  # randomly drawn segments, which represent the test set
    for aspect in ASPECTS[campaign.way]:
        if given := _given(campaign, judged[judged["aspect"] == aspect], experiment):
            key, name = f"human-{aspect}-{campaign.uid[:6]}", f"{ASPECT_NAMES[aspect]} ({campaign.name})"
            metrics.append(GivenMetric(key, name, given, origin=f"annotators-{campaign.uid[:12]}"))
    return tuple(metrics)


def _given(campaign: Campaign, judged: pd.DataFrame, experiment: Experiment) -> tuple[GivenScores, ...]:
    """Return the scores of the judged runs, with the number of judgements behind each."""
    means = np.full((len(campaign.outputs), len(campaign.references)), np.nan)
    counts = np.zeros(means.shape, dtype=int)
    of_output = judged.groupby(["output", "segment"])["value"].agg(["mean", "count"]).reset_index()
    at = of_output["output"].to_numpy(int), of_output["segment"].to_numpy(int)
    means[at], counts[at] = of_output["mean"], of_output["count"]
    rows, found = {output.digest: row for row, output in enumerate(campaign.outputs)}, []
    for name, run in [(test_set.name, run) for test_set in experiment.test_sets for run in test_set.runs]:
        row = rows.get(run.digest)
        if row is not None and counts[row].any():
            values = tuple(None if np.isnan(value) else float(value) for value in means[row])
            found.append(GivenScores(name, run.system, run.key, values, tuple(map(int, counts[row]))))
    return tuple(found)


def judgements_of_campaign(campaign: Campaign, tasks: Iterable[Task]) -> tuple[Judgement, ...]:
    """Return the finished judgements, one per output and scale; control items are excluded."""
    documents = campaign.documents or [None] * len(campaign.references)
    return tuple(
        Judgement(
            task.annotator, campaign.outputs[output].system, str(task.segment + 1), aspect, value,
            documents[task.segment], float(task.position), rated_errors(campaign, task),
            campaign.outputs[output].hypotheses[task.segment], campaign.outputs[output].run,
            campaign.probability(task),
        )
        for task in finished(tasks)
        for output, aspect, value in values_of(campaign, task)
    )  # fmt: skip


def rated_errors(campaign: Campaign, task: Task) -> tuple[RatedError, ...]:
    """Return the errors of a task, with their weight and origin."""
    return tuple(
        RatedError(
            mark.category, mark.severity, mark.side, mark.start, mark.end, weight_of(campaign, mark), mark.origin,
            comment=mark.comment,
        )
        for mark in task.marks
    )  # fmt: skip


def campaign_test_set(campaign: Campaign) -> TestSet:
    """Return the campaign's texts as a test set, for use without the original files.

    Campaigns of earlier versions may contain halves of surrogate pairs. These become question marks, as in files.
    """
    runs = tuple(
        Run(whole_characters(output.system), whole_characters(output.run), _whole_texts(output.hypotheses))
        for output in campaign.outputs
    )
    references = tuple(_whole_texts(texts) for texts in campaign.references)
    source = None
    if campaign.source is not None:
        source = _whole_texts(campaign.source)
    documents = None
    if campaign.documents is not None:
        documents = _whole_texts(campaign.documents)
    return TestSet(whole_characters(campaign.test_set), references, runs, source=source, documents=documents)


def _whole_texts(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(whole_characters(text) for text in texts)
