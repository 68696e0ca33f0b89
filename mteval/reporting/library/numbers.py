"""The numbers of an evaluation as bytes, so that an experiment is opened again without computing anything."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mteval import __version__
from mteval.analysis.evaluation import Evaluation
from mteval.analysis.replication.prospects import Prospect
from mteval.analysis.rows import frame_of
from mteval.analysis.summary import Resampled, RunScore, Summary
from mteval.analysis.two_answers import TwoAnswers
from mteval.coverage import Coverage
from mteval.metrics import catalog
from mteval.model import Experiment
from mteval.reporting.library.json_form import from_json_form, to_json_form
from mteval.settings import Settings
from mteval.verdict import Ranking


@dataclass(frozen=True)
class _Numbers:
    """What is kept of an ``Evaluation``: all but the descriptions of its metrics.

    ``experiment`` is the digest of the one that the numbers are of.
    """

    experiment: str
    settings: Settings
    scores: tuple[RunScore, ...]
    summaries: tuple[Summary, ...]
    replicated: tuple[Resampled, ...]
    answers: tuple[TwoAnswers, ...]
    covered: tuple[Coverage, ...]
    signatures: Mapping[str, Mapping[str, str]]
    versions: Mapping[str, str]
    rankings: tuple[Ranking, ...]
    prospects: tuple[Prospect, ...]


_SAME = ("settings", "summaries", "replicated", "answers", "covered", "signatures", "versions", "rankings", "prospects")


def numbers_of(experiment: Experiment, evaluation: Evaluation) -> bytes:
    """The numbers of an experiment's evaluation."""
    rows = evaluation.scores.to_dict("records")
    scores = tuple(RunScore(**{str(name): value for name, value in row.items()}) for row in rows)
    same: dict[str, Any] = {name: getattr(evaluation, name) for name in _SAME}
    kept = _Numbers(experiment=experiment.digest, scores=scores, **same)
    return json.dumps(to_json_form(kept), ensure_ascii=False, allow_nan=False).encode("utf-8")


def evaluation_from(numbers: bytes, experiment: Experiment) -> Evaluation | None:
    """The evaluation again; None where the numbers are of another experiment or were made by another version.

    Raises
    ------
    DataError
        Where they are of a form that this version does not know.
    """
    form = json.loads(numbers)
    if form["versions"].get("mteval") != __version__ or form["experiment"] != experiment.digest:
        return None
    kept: _Numbers = from_json_form(_Numbers, form)
    known = catalog(experiment.given)
    return Evaluation(
        scores=frame_of(kept.scores, RunScore),
        metrics={key: known[key] for key in kept.settings.metrics},
        **{name: getattr(kept, name) for name in _SAME},
    )
