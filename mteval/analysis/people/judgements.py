"""Scores that people gave to outputs and that came as those of a metric do: told by their names, as judgements.

Judgements as a frame: standardised by annotator, repeats of one judge averaged, and as scores of a test set.

What people said, as numbers: judgements, scores of segments, and a metric like any other.

Judgements from campaigns, and the texts that a campaign is about.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np
import pandas as pd

from mteval.analysis.scoring import Scored, score_experiment
from mteval.analysis.work import Work
from mteval.annotations import Campaign, Mark, Task
from mteval.base.arrays import FloatArray
from mteval.base.errors import DataError
from mteval.base.words import counted
from mteval.metrics.imported import Imported
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.judgements import MQM, Judgement, RatedError
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.notation import Notation

SCORE = "score"
OF_PEOPLE = frozenset({MQM, "human", "da", "da-sqm", "sqm", "esa", "adequacy", "fluency"})  # words of names
# Parts of names of metrics, which are often called after the judgements that they were trained on: wmt22-comet-da.
OF_METRICS = ("comet", "kiwi", "metricx", "bleurt", "gemba", "eaprompt", "unite", "gpt", "llm")


def is_of_people(given: GivenMetric) -> bool:
    """Whether given scores are said to be people's: by how many judgements they are made of, or by their name."""
    is_named = bool(_words(given.name) & OF_PEOPLE) and not any(part in given.name.lower() for part in OF_METRICS)
    return is_named or any(one.judgements is not None for one in given.scores)


def _words(name: str) -> set[str]:
    plain = name.lower()
    return set(plain.replace("_", ".").replace(" ", ".").split(".")) | set(plain.replace("-", ".").split("."))


def judgements_of_scores(given: GivenMetric, test_set: str) -> tuple[Judgement, ...]:
    """Scores that were put together from judgements: as if one annotator had given them; higher is better."""
    scale, sign = MQM if MQM in _words(given.name) else SCORE, 1.0 if given.higher_is_better else -1.0
    return tuple(
        Judgement(given.name, one.system, str(number), scale, sign * value)
        for one in given.scores
        if one.test_set == test_set
        for number, value in enumerate(one.values, start=1)
        if value is not None
    )


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


def prepared(frame: pd.DataFrame, standardise: bool | None = None) -> pd.DataFrame:
    """Judgements ready to be compared: standardised where that is usual or wanted, then without repeats.

    Weights of errors are not standardised unless somebody wants it.
    """
    parts = [
        standardised(rows) if (scale != MQM if standardise is None else standardise) else rows
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
        scores = (GivenScores(judged.name, run.system, run.key, one) for run, one in zip(runs, columns, strict=True))
        given = GivenMetric(PEOPLE, "People", tuple(scores))
        return score_experiment(Experiment((judged,), self.systems[0], (given,)), (Imported(given),), Work())[0]


def segment_places(test_set: TestSet) -> dict[str, int]:
    """Index of each segment by its names: its number from 1, and ``document:number`` counted within its document."""
    places = {str(index + 1): index for index in range(test_set.n_segments)}
    numbers: dict[str, Iterator[int]] = defaultdict(lambda: count(1))
    for index, document in enumerate(test_set.documents or ()):
        name = document.rpartition("\t")[2]  # WMT writes the domain before it
        places.setdefault(f"{name}:{next(numbers[document])}", index)
    return places


JUDGEMENTS = ("annotator", "segment", "stratum", "output", "system", "aspect", "value")
ERRORS = ("annotator", "segment", "system", "category", "severity", "side", "comment", "weight", "origin")
# Of each way of working.
ASPECTS = {"rating": ("adequacy", "fluency"), "errors": (MQM,), "esa": ("esa",), "preference": ("preference",)}
RATED = ("rating", "esa")  # ways whose values mean what their annotator makes of the scale
MARKED = ("errors", "esa")  # ways in which errors are marked
ASPECT_NAMES = {"adequacy": "Adequacy", "fluency": "Fluency", MQM: "MQM", "esa": "ESA", "preference": "Preference"}
ASPECT_NOTATION = Notation("↑")  # of judgements and their averages, which are small numbers of few segments


def judgements(campaign: Campaign, tasks: Iterable[Task], standardise: bool | None = None) -> pd.DataFrame:
    """One row for everything that an annotator is done with, output and aspect; items with known answers left out.

    ``value`` is better when higher: a rating standardised by its annotator (z), minus the weights of the errors (MQM),
    or for a preference 1 for the better output, 0 for the other and one half for both where they are equal.

    Parameters
    ----------
    standardise
        By annotator; where nobody says, ratings are.
    """
    complete = [task for task in tasks if task.is_complete and task.control is None]
    rows = [
        (task.annotator, task.segment, task.stratum, output, campaign.outputs[output].system, aspect, value)
        for task in complete
        for output, aspect, value in values_of(campaign, task)
    ]
    frame = pd.DataFrame(rows, columns=list(JUDGEMENTS)).astype({"value": float})
    if standardise is None:
        standardise = campaign.way in RATED
    return standardised(frame, "aspect") if standardise else frame


def values_of(campaign: Campaign, task: Task) -> list[tuple[int, str, float]]:
    """Output, aspect and value of everything that was said in a task, as it was given.

    MQM is minus the weights of the errors, so that 0 is best (Freitag et al. 2021).
    """
    if task.output is None:
        shares = {"first": (1.0, 0.0), "second": (0.0, 1.0), "equal": (0.5, 0.5)}.get(task.preference or "", ())
        return [(output, "preference", share) for output, share in enumerate(shares)]
    if campaign.way == "errors":
        return [(task.output, MQM, 0.0 - sum(weight_of(campaign, mark) for mark in task.marks))]
    ratings = (("adequacy", task.adequacy), ("fluency", task.fluency), ("esa", task.score))
    return [(task.output, aspect, value) for aspect, value in ratings if value is not None]


def weight_of(campaign: Campaign, mark: Mark) -> float:
    """What its file says that an error weighs, else what the campaign does."""
    return campaign.typology.weight(mark.category, mark.severity) if mark.weight is None else mark.weight


def errors(campaign: Campaign, tasks: Iterable[Task]) -> pd.DataFrame:
    """One row for every error that stands in a task that is done; ``origin`` is the metric that found it, if any."""
    rows = [
        (
            task.annotator, task.segment, campaign.outputs[task.output or 0].system, mark.category, mark.severity,
            mark.side, mark.comment, weight_of(campaign, mark), mark.origin,
        )
        for task in tasks
        if task.is_complete and task.control is None
        for mark in task.marks
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(ERRORS))


def score_matrix(campaign: Campaign, judged: pd.DataFrame, aspect: str) -> FloatArray:
    """Score of every segment, the mean over its annotators; shape ``(outputs, segments)``, NaN where nobody judged."""
    return _matrix(campaign, judged[judged["aspect"] == aspect], "mean", np.nan)


def _matrix(campaign: Campaign, judged: pd.DataFrame, what: str, nothing: float) -> FloatArray:
    """What pandas calls so of every segment's judgements, shape ``(outputs, segments)``."""
    matrix = np.full((len(campaign.outputs), len(campaign.references)), nothing)
    found = judged.groupby(["output", "segment"])["value"].agg(what).reset_index()
    matrix[found["output"].to_numpy(int), found["segment"].to_numpy(int)] = found["value"]
    return matrix


def random_stratum(judged: pd.DataFrame) -> pd.DataFrame:
    """The judgements that speak for the test set: segments picked for their improvement or decline do not."""
    return judged[judged["stratum"] == "random"]


def human_metrics(campaign: Campaign, tasks: Sequence[Task], experiment: Experiment) -> tuple[GivenMetric, ...]:
    """What people said about runs of the experiment, as one metric an aspect, from the random stratum alone.

    Runs are found by their content, whatever their names are now. Empty where nothing fits.
    """
    judged = random_stratum(judgements(campaign, tasks))
    metrics = []
    for aspect in ASPECTS[campaign.way]:
        given = _given(campaign, judged[judged["aspect"] == aspect], experiment)
        if given:
            key, name = f"human-{aspect}-{campaign.uid[:6]}", f"{ASPECT_NAMES[aspect]} ({campaign.name})"
            metrics.append(GivenMetric(key, name, given, origin=f"annotators-{campaign.uid[:12]}"))
    return tuple(metrics)


def _given(campaign: Campaign, judged: pd.DataFrame, experiment: Experiment) -> tuple[GivenScores, ...]:
    """The scores of the loaded runs that were judged, with how many judgements each is the mean of."""
    means, counts = _matrix(campaign, judged, "mean", np.nan), _matrix(campaign, judged, "count", 0)
    rows, found = {output.digest: row for row, output in enumerate(campaign.outputs)}, []
    for name, run in [(test_set.name, run) for test_set in experiment.test_sets for run in test_set.runs]:
        row = rows.get(run.digest)
        if row is not None and counts[row].any():
            values = tuple(None if np.isnan(value) else float(value) for value in means[row])
            found.append(GivenScores(name, run.system, run.key, values, tuple(map(int, counts[row]))))
    return tuple(found)


def judgements_of_campaign(campaign: Campaign, tasks: Iterable[Task]) -> tuple[Judgement, ...]:
    """What was said of single outputs in the tasks that are done; a preference is none of one output.

    Items with known answers are no outputs.
    """
    documents = campaign.documents or [None] * len(campaign.references)
    return tuple(
        Judgement(
            task.annotator, output.system, str(task.segment + 1), aspect, value, documents[task.segment],
            float(task.position), rated_errors(campaign, task), output.hypotheses[task.segment],
        )
        for task in tasks
        if task.is_complete and task.control is None and task.output is not None
        for output in [campaign.outputs[task.output]]
        for _, aspect, value in values_of(campaign, task)
    )  # fmt: skip


def rated_errors(campaign: Campaign, task: Task) -> tuple[RatedError, ...]:
    """The errors that stand, with what each weighs and what found it."""
    return tuple(
        RatedError(
            mark.category, mark.severity, mark.side, mark.start, mark.end, weight_of(campaign, mark), mark.origin
        )
        for mark in task.marks
    )  # fmt: skip


def campaign_test_set(campaign: Campaign) -> TestSet:
    """The texts that a campaign is about, where the files that it was made from are not loaded."""
    runs = tuple(Run(output.system, output.run, output.hypotheses) for output in campaign.outputs)
    return TestSet(campaign.test_set, campaign.references, runs, source=campaign.source, documents=campaign.documents)
