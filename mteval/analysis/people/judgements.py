"""Judgements as numbers: from campaigns and imported scores, standardised, averaged, and as scores of a metric."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError
from mteval.base.words import counted, whole_characters
from mteval.metrics.imported import Imported
from mteval.values.given import GivenMetric, GivenScores, missing_as_none
from mteval.values.judgements import HUMAN, MQM, Judgement, RatedError
from mteval.values.model import Experiment, Run, TestSet

if TYPE_CHECKING:  # what has scores but no campaigns needs no annotations
    from mteval.annotations import Campaign, Mark, Task

JUDGED = ("annotator", "system", "segment", "document", "order", "scale", "value", "run")
PROBABILITY = "probability"
AUTOMATIC = "automatic"  # 1 if no annotator gave the judgement, else 0
NUMBERS = {"value", "order", PROBABILITY}
JUDGEMENTS = ("annotator", "segment", "stratum", "output", "system", "aspect", "value", "is_automatic")

SCORE = "score"
PREFERENCE = "preference"  # scale: 1 for the better of two outputs, 0 for the other, 0.5 for ties

# By kind of campaign
ASPECTS = {"rating": ("adequacy", "fluency"), "errors": (MQM,), "esa": ("esa",), PREFERENCE: (PREFERENCE,)}
RATED = ("rating", "esa")  # campaigns with individual use of the scale
MARKED = ("errors", "esa")  # campaigns with marked errors
ASPECT_NAMES = {"adequacy": "Adequacy", "fluency": "Fluency", MQM: "MQM", "esa": "ESA", PREFERENCE: "Preference"}

_OUTPUT = ["annotator", "system", "segment", "scale"]
_FIRST_AND_MEAN = {"document": "first", "order": "min", "value": "mean"}


def judgements_of_scores(given: GivenMetric, test_set: str) -> tuple[Judgement, ...]:
    """Return human scores as judgements by a single annotator; higher is better."""
    scale = SCORE
    if MQM in given.words_of_name:
        scale = MQM
    sign = 1.0
    if not given.higher_is_better:
        sign = -1.0
    judged = []
    for scores in given.scores:
        if scores.test_set != test_set:
            continue
        for number, value in enumerate(scores.values, start=1):
            if value is not None:
                judged.append(Judgement(given.name, scores.system, str(number), scale, sign * value))
    return tuple(judged)


def judgement_frame(judgements: Iterable[Judgement]) -> pd.DataFrame:
    """Return one row per judgement, with the columns ``JUDGED``; higher values are better.

    If segments had known probabilities of being drawn, a column ``probability`` is added; if no annotator gave some of
    the judgements, a column ``automatic``.
    """
    judged = list(judgements)
    columns = list(JUDGED)
    if any(judgement.probability is not None for judgement in judged):
        columns.append(PROBABILITY)
    rows = [tuple(getattr(judgement, column) for column in columns) for judgement in judged]
    numbers = [column for column in columns if column in NUMBERS]
    frame = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(numbers, float))
    if any(judgement.is_automatic for judgement in judged):
        frame[AUTOMATIC] = [int(judgement.is_automatic) for judgement in judged]
    return frame


def asked(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the judgements that annotators gave: without ties and copies that follow from the same text."""
    if AUTOMATIC not in frame:
        return frame
    return frame[frame[AUTOMATIC] == 0].drop(columns=AUTOMATIC)


def n_judgements(frame: pd.DataFrame) -> int:
    """Return the number of judgements that annotators gave.

    A vote between two outputs is one judgement, and so are the ratings of an output on several scales.
    """
    judged = asked(frame)
    is_vote = judged["scale"] == PREFERENCE
    votes = judged[is_vote]
    if votes["system"].nunique() == 2:  # each vote is a row of either system
        votes = votes[votes["system"] == votes["system"].iloc[0]]
    # An output that a rater judged twice has two rows per scale
    output = ["annotator", "system", "run", "segment"]
    n_per_scale = judged[~is_vote].groupby([*output, "scale"], dropna=False).size()
    n_per_output = n_per_scale.groupby(level=output, dropna=False).max()
    return int(n_per_output.sum()) + len(votes)


def is_assigned(frame: pd.DataFrame) -> bool:
    """Return whether systems were judged with different probabilities on a segment, as in adaptive assignment."""
    if PROBABILITY not in frame:
        return False
    n_probabilities = frame.groupby("segment")[PROBABILITY].nunique()
    return bool((n_probabilities > 1).any())


def standardised(frame: pd.DataFrame, scale: str = "scale") -> pd.DataFrame:
    """Standardise values by the mean and standard deviation of their annotator on that scale (Graham et al. 2013).

    Annotators with a single or constant value are dropped: their scale is unknown.

    Parameters
    ----------
    scale
        The column with the scale.
    """
    groups = frame.groupby(["annotator", scale])["value"]
    means = groups.transform("mean")
    deviations = groups.transform("std").replace(0.0, np.nan)
    return frame.assign(value=(frame["value"] - means) / deviations).dropna(subset="value")


def without_repeats(frame: pd.DataFrame) -> pd.DataFrame:
    """Average repeated judgements and runs, so that there is one row per annotator, system, segment and scale."""
    if not frame.duplicated(_OUTPUT).any():
        return frame
    combined = dict(_FIRST_AND_MEAN)
    if PROBABILITY in frame:
        combined[PROBABILITY] = "first"
    if AUTOMATIC in frame:
        combined[AUTOMATIC] = "min"
    # Within runs first, so that all runs weigh the same
    of_runs = frame.groupby([*_OUTPUT, "run"], sort=False, as_index=False).agg(combined)
    averaged = of_runs.groupby(_OUTPUT, sort=False, as_index=False).agg({**combined, "run": "first"})
    return averaged[list(frame.columns)]


def is_standardised(scale: str, standardise: bool | None = None) -> bool:
    """Return whether a scale is standardised.

    By default (None), all are but error weights (MQM), preferences, and scores published without annotators.
    """
    if standardise is None:
        return scale not in (MQM, PREFERENCE, HUMAN)
    return standardise


def prepared(frame: pd.DataFrame, standardise: bool | None = None) -> pd.DataFrame:
    """Standardise judgements by default or on request, as ``is_standardised``, then average repeats."""
    if frame.empty:
        return frame
    parts = []
    for scale, rows in frame.groupby("scale", sort=False):
        if is_standardised(str(scale), standardise):
            parts.append(standardised(rows))
        else:
            parts.append(rows)
    return without_repeats(pd.concat(parts, ignore_index=True))


def scales_of(frame: pd.DataFrame, wanted: Sequence[str] = ()) -> tuple[str, str | None]:
    """Return the primary scale and the one that breaks its ties.

    Defaults to adequacy and fluency if both were judged, as in Graham et al. (2014), or to the only scale.

    Raises
    ------
    DataError
        If a wanted scale has no judgements, or none is wanted and there are several.
    """
    judged = list(dict.fromkeys(frame["scale"]))
    for scale in wanted:
        if scale not in judged:
            raise DataError(f"No judgements on the scale '{scale}'. Scales found: {', '.join(judged)}.")
    if len(wanted) > 1:
        return wanted[0], wanted[1]
    if len(wanted) == 1:
        return wanted[0], None
    if "adequacy" in judged and "fluency" in judged:
        return "adequacy", "fluency"
    if len(judged) != 1:
        raise DataError(f"Several scales were judged: {', '.join(judged)}. Choose the one that decides.")
    return judged[0], None


def usual_scales(frame: pd.DataFrame) -> tuple[str, str | None]:
    """Return the default scales; unlike ``scales_of``, the first of several decides."""
    judged = list(dict.fromkeys(frame["scale"]))
    first = judged[0]
    if "adequacy" in judged:
        first = "adequacy"
    if "fluency" in judged and first != "fluency":
        return first, "fluency"
    return first, None


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
        Number of judgements behind the values, without automatic ones.
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
        segment_indices = segment_places(test_set)
        for segment in rows["segment"].unique():
            if segment not in segment_indices:
                segments = f"the {counted(test_set.n_segments, 'segment')} of test set '{test_set.name}'"
                problem = f"Segment '{segment}' was judged, but is not among {segments}. Number segments from 1."
                raise DataError(f"{problem} Names like 'document:1' need document IDs.")
        systems = tuple(dict.fromkeys(rows["system"]))
        system_indices = {system: index for index, system in enumerate(systems)}
        means = rows.groupby(["system", "segment"])["value"].mean().reset_index()
        at_system = means["system"].map(system_indices).to_numpy(int)
        at_segment = means["segment"].map(segment_indices).to_numpy(int)
        values = np.full((len(systems), test_set.n_segments), np.nan)
        values[at_system, at_segment] = means["value"]
        return cls(scale, systems, values, len(asked(rows)))

    def as_scored(self, test_set: TestSet) -> Scored:
        """Return the scores as those of a metric, so that every procedure can test human differences."""
        texts = ("",) * test_set.n_segments
        runs = tuple(Run(system, "0", texts) for system in self.systems)
        judged = TestSet(test_set.name, test_set.references, runs, documents=test_set.documents)
        scores = []
        for run, values in zip(runs, self.values.tolist(), strict=True):
            scores.append(GivenScores(judged.name, run.system, run.key, missing_as_none(values)))
        people = GivenMetric("people", "People", tuple(scores))
        experiment = Experiment((judged,), self.systems[0], (people,))
        return score_experiment(experiment, (Imported(people),), Work())[0]


def segment_places(test_set: TestSet) -> dict[str, int]:
    """Return the index of each segment by its names: its number from 1, and ``document:number`` within its document."""
    indices = {str(index + 1): index for index in range(test_set.n_segments)}
    documents = test_set.documents or ()
    for index, (document, number) in enumerate(zip(documents, numbers_in(documents), strict=True)):
        name = document.rpartition("\t")[2]  # WMT writes the domain before it
        indices.setdefault(f"{name}:{number}", index)
    return indices


def may_count_from_0(frame: pd.DataFrame, test_set: TestSet) -> bool:
    """Return whether every segment but the last was judged, by its number: numbers may count from 0, and lack 0."""
    numbers = {str(number) for number in range(1, test_set.n_segments)}
    return bool(numbers) and set(frame["segment"]) == numbers


def numbers_in(documents: Iterable[str]) -> list[int]:
    """Return the number of each segment within its document, from 1, given the document of each."""
    n_segments: dict[str, int] = defaultdict(int)  # of each document so far
    numbers = []
    for document in documents:
        n_segments[document] += 1
        numbers.append(n_segments[document])
    return numbers


def judgements(campaign: Campaign, tasks: Iterable[Task], standardise: bool | None = None) -> pd.DataFrame:
    """Return one row per finished judgement, output and aspect; control items are excluded.

    Higher values are better: ratings standardised by annotator (z), minus the error weights (MQM), or for preferences 1
    for the better output, 0 for the other and 0.5 for ties.

    Parameters
    ----------
    standardise
        Standardise by annotator; by default for ratings only.
    """
    rows = []
    for task in finished(tasks):
        for output, aspect, value in values_of(campaign, task):
            system = campaign.outputs[output].system
            place = (task.annotator, task.segment, task.stratum, output, system)
            rows.append((*place, aspect, value, is_derived(task, output)))
    frame = pd.DataFrame(rows, columns=list(JUDGEMENTS)).astype({"value": float, "is_automatic": bool})
    if standardise is None:
        standardise = campaign.way in RATED
    if standardise:
        return standardised(frame, "aspect")
    return frame


def finished(tasks: Iterable[Task]) -> list[Task]:
    """Return the finished tasks that are no control items.

    Automatic ones count once their annotator has finished another.
    """
    done = [task for task in tasks if task.is_complete and task.control is None]
    have_answered = {task.annotator for task in done if not task.is_automatic}
    return [task for task in done if task.annotator in have_answered]


def is_derived(task: Task, output: int) -> bool:
    """Return whether an output has its judgement without an annotator: by a tie, or from another with its text."""
    return task.is_automatic or (task.output is not None and output != task.output)


def values_of(campaign: Campaign, task: Task) -> list[tuple[int, str, float]]:
    """Return the output, aspect and value of every raw judgement in a task, for all outputs with the judged text.

    MQM is minus the error weights, so that 0 is best (Freitag et al. 2021).
    """
    if task.output is None:  # two outputs were compared
        if task.preference == "first":
            return [(0, PREFERENCE, 1.0), (1, PREFERENCE, 0.0)]
        if task.preference == "second":
            return [(0, PREFERENCE, 0.0), (1, PREFERENCE, 1.0)]
        if task.preference == "equal":
            return [(0, PREFERENCE, 0.5), (1, PREFERENCE, 0.5)]
        return []

    values = []
    if campaign.way == "errors":
        weights = sum(weight_of(campaign, mark) for mark in task.marks)
        values.append((MQM, 0.0 - weights))  # not -weights: without errors, this is 0 and not -0
    else:
        for aspect, rating in (("adequacy", task.adequacy), ("fluency", task.fluency), ("esa", task.score)):
            if rating is not None:
                values.append((aspect, rating))
    of_outputs = []
    for output in campaign.alike(task):
        for aspect, value in values:
            of_outputs.append((output, aspect, value))
    return of_outputs


def weight_of(campaign: Campaign, mark: Mark) -> float:
    """Return an error's weight from its file, or by default from the campaign."""
    if mark.weight is None:
        return campaign.typology.weight(mark.category, mark.severity)
    return mark.weight


def human_metrics(campaign: Campaign, tasks: Sequence[Task], experiment: Experiment) -> tuple[GivenMetric, ...]:
    """Return judgements of the experiment's runs as one metric per aspect, from the random stratum only.

    Runs are matched by content, not by name. Empty if nothing matches.
    """
    judged = judgements(campaign, tasks)
    judged = judged[judged["stratum"] == "random"]  # randomly drawn segments, which represent the test set
    metrics = []
    for aspect in ASPECTS[campaign.way]:
        scores = _scores_of_judged_runs(campaign, judged[judged["aspect"] == aspect], experiment)
        if scores:
            key = f"human-{aspect}-{campaign.uid[:6]}"
            name = f"{ASPECT_NAMES[aspect]} ({campaign.name})"
            metrics.append(GivenMetric(key, name, scores, origin=f"annotators-{campaign.uid[:12]}"))
    return tuple(metrics)


def _scores_of_judged_runs(campaign: Campaign, judged: pd.DataFrame, experiment: Experiment) -> tuple[GivenScores, ...]:
    """Return the scores of the experiment's runs, with the number of annotators' judgements behind each."""
    # Both have the shape (outputs, segments)
    means = np.full((len(campaign.outputs), len(campaign.references)), np.nan)
    counts = np.zeros(means.shape, dtype=int)
    statistics = judged.groupby(["output", "segment"])["value"].mean().reset_index()
    means[statistics["output"].to_numpy(int), statistics["segment"].to_numpy(int)] = statistics["value"]
    by_annotators = judged[~judged["is_automatic"]]
    n_judged = by_annotators.groupby(["output", "segment"])["value"].count().reset_index()
    counts[n_judged["output"].to_numpy(int), n_judged["segment"].to_numpy(int)] = n_judged["value"]

    output_of_digest = {output.digest: index for index, output in enumerate(campaign.outputs)}
    scores = []
    for test_set in experiment.test_sets:
        for run in test_set.runs:
            output = output_of_digest.get(run.digest)
            if output is None or np.isnan(means[output]).all():
                continue
            values = missing_as_none(means[output].tolist())
            n_judgements = tuple(counts[output].tolist())
            scores.append(GivenScores(test_set.name, run.system, run.key, values, n_judgements))
    return tuple(scores)


def metrics_of_judgements(
    judged_on: Mapping[str, Iterable[Judgement]], experiment: Experiment
) -> tuple[GivenMetric, ...]:
    """Return judgements from tables as one metric per scale, standardised as ``is_standardised`` says by default.

    Votes between two outputs are none. Judgements of other systems or segments are ignored, as are those that name no
    run of a system with several.

    Parameters
    ----------
    judged_on
        Judgements by test set.
    """
    scores_of: dict[str, list[GivenScores]] = {}  # by scale
    for test_set in experiment.test_sets:
        frame = judgement_frame(judged_on.get(test_set.name, ()))
        for scale, rows in frame.groupby("scale", sort=False):
            if scale == PREFERENCE:
                continue
            if is_standardised(str(scale)):
                rows = standardised(rows)
            scores = _scores_of_runs(rows, test_set)
            if scores:
                scores_of.setdefault(str(scale), []).extend(scores)
    metrics = []
    for scale, scores in scores_of.items():
        name = f"{ASPECT_NAMES.get(scale, scale)} (people)"
        metrics.append(GivenMetric(f"human-{scale}".lower(), name, tuple(scores), origin="annotators"))
    return tuple(metrics)


def _scores_of_runs(rows: pd.DataFrame, test_set: TestSet) -> list[GivenScores]:
    """Return the mean over annotators of each judged output of a test set, with the number of judgements behind it."""
    place_of = segment_places(test_set)
    scores = []
    for run in test_set.runs:
        is_only_run = len(test_set.runs_of(run.system)) == 1
        names_of_run = {run.key, ""} if is_only_run else {run.key}
        of_run = rows[(rows["system"] == run.system) & rows["run"].isin(names_of_run)]
        of_run = of_run[of_run["segment"].isin(place_of.keys())]
        if of_run.empty:
            continue
        by_place = of_run.groupby(of_run["segment"].map(place_of))["value"]
        values = np.full(test_set.n_segments, np.nan)
        values[by_place.mean().index.to_numpy(int)] = by_place.mean()
        counts = np.zeros(test_set.n_segments, dtype=int)
        counts[by_place.count().index.to_numpy(int)] = by_place.count()
        scores.append(
            GivenScores(test_set.name, run.system, run.key, missing_as_none(values.tolist()), tuple(counts.tolist()))
        )
    return scores


def judgements_of_campaign(campaign: Campaign, tasks: Iterable[Task]) -> tuple[Judgement, ...]:
    """Return the finished judgements, one per output and scale; control items are excluded."""
    judged = []
    for task in finished(tasks):
        document = None
        if campaign.documents:
            document = campaign.documents[task.segment]
        for index, aspect, value in values_of(campaign, task):
            output = campaign.outputs[index]
            judgement = Judgement(
                annotator=task.annotator,
                system=output.system,
                segment=str(task.segment + 1),
                scale=aspect,
                value=value,
                document=document,
                order=float(task.position),
                errors=rated_errors(campaign, task),
                hypothesis=output.hypotheses[task.segment],
                run=output.run,
                probability=campaign.probability(task),
                is_automatic=is_derived(task, index),
            )
            judged.append(judgement)
    return tuple(judged)


def rated_errors(campaign: Campaign, task: Task) -> tuple[RatedError, ...]:
    """Return the errors of a task, with their weight and origin."""
    errors = []
    for mark in task.marks:
        error = RatedError(
            category=mark.category,
            severity=mark.severity,
            side=mark.side,
            start=mark.start,
            end=mark.end,
            score=weight_of(campaign, mark),
            origin=mark.origin,
            comment=mark.comment,
        )
        errors.append(error)
    return tuple(errors)


def campaign_test_set(campaign: Campaign) -> TestSet:
    """Return the campaign's texts as a test set, for use without the original files.

    Campaigns of earlier versions may contain halves of surrogate pairs. These become question marks, as in files.
    """
    runs = []
    for output in campaign.outputs:
        system = whole_characters(output.system)
        run = whole_characters(output.run)
        runs.append(Run(system, run, _whole_texts(output.hypotheses)))
    references = tuple(_whole_texts(texts) for texts in campaign.references)
    source = None
    if campaign.source is not None:
        source = _whole_texts(campaign.source)
    documents = None
    if campaign.documents is not None:
        documents = _whole_texts(campaign.documents)
    name = whole_characters(campaign.test_set)
    return TestSet(name, references, tuple(runs), source=source, documents=documents)


def _whole_texts(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(whole_characters(text) for text in texts)
