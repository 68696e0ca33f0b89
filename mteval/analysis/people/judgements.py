"""What people said, as numbers: judgements, scores of segments, and a metric like any other."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from mteval.analysis.people.judged_values import standardised
from mteval.annotations import Campaign, Mark, Task
from mteval.given import GivenMetric, GivenScores
from mteval.judgements import MQM
from mteval.model import Experiment
from mteval.notation import Notation

FloatArray = npt.NDArray[np.float64]

JUDGEMENTS = ("annotator", "segment", "stratum", "output", "system", "aspect", "value")
ERRORS = ("annotator", "segment", "system", "category", "severity", "side", "comment", "weight", "origin")
ASPECTS: Mapping[str, tuple[str, ...]] = {  # of each way of working
    "rating": ("adequacy", "fluency"),
    "errors": (MQM,),
    "esa": ("esa",),
    "preference": ("preference",),
}
RATED = ("rating", "esa")  # ways whose values mean what their annotator makes of the scale
MARKED = ("errors", "esa")  # ways in which errors are marked
ASPECT_NAMES: Mapping[str, str] = {
    "adequacy": "Adequacy",
    "fluency": "Fluency",
    MQM: "MQM",
    "esa": "ESA",
    "preference": "Preference",
}
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
    """Output, aspect and value of everything that was said in a task, as it was given."""
    if task.output is None:
        shares = {"first": (1.0, 0.0), "second": (0.0, 1.0), "equal": (0.5, 0.5)}.get(task.preference or "", ())
        return [(output, "preference", share) for output, share in enumerate(shares)]
    if campaign.way == "errors":
        return [(task.output, MQM, mqm_score(campaign, task))]
    ratings = (("adequacy", task.adequacy), ("fluency", task.fluency), ("esa", task.score))
    return [(task.output, aspect, value) for aspect, value in ratings if value is not None]


def mqm_score(campaign: Campaign, task: Task) -> float:
    """Minus the weights of the errors, so that 0 is best (Freitag et al. 2021)."""
    return 0.0 - sum(weight_of(campaign, mark) for mark in task.marks)


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
    rows = {output.digest: row for row, output in enumerate(campaign.outputs)}
    return tuple(
        GivenScores(
            test_set.name,
            run.system,
            run.key,
            tuple(None if np.isnan(value) else float(value) for value in means[rows[run.digest]]),
            tuple(int(count) for count in counts[rows[run.digest]]),
        )
        for test_set in experiment.test_sets
        for run in test_set.runs
        if run.digest in rows and counts[rows[run.digest]].any()
    )
