"""What people said, for programs: the numbers of ``mteval people`` as frames and figures."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd
import plotly.graph_objects as go

from mteval.analysis.people.claims import LEVELS, PAPER
from mteval.analysis.people.gold import RANK_SUM
from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation
from mteval.analysis.people.judgements import judgement_frame
from mteval.analysis.work import Work, means_of_computation
from mteval.answers.gold import judged_extent
from mteval.answers.people import people_methods
from mteval.base.errors import SettingsError
from mteval.interface.results import Comparison
from mteval.metrics import METRICS
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.disk import file_at
from mteval.readers.documents import InputFile
from mteval.readers.named_files import ScoreFiles, load_scores
from mteval.render.html import Markup, section_parts, styled, tag
from mteval.report.people import human_evaluation, people_figures, people_frames, people_json, people_sections
from mteval.values.settings import Settings

FilePath = str | os.PathLike[str]
Judgements = FilePath | Sequence[FilePath] | pd.DataFrame
"""Files of judgements, or a frame with columns ``annotator``, ``system``, ``segment`` and a column for each scale."""
_DEFAULTS = Settings()


@dataclass(frozen=True, eq=False)
class People:
    """Which systems people tell apart, and whether tests, metrics and other raters say the same.

    Parameters
    ----------
    evaluation
        The answers, each computed when it is asked for; its properties are for the program itself and may change.
    """

    evaluation: HumanEvaluation

    @cached_property
    def frames(self) -> Mapping[str, pd.DataFrame]:
        """The tables that ``mteval people --csv`` writes, by name, of the questions that have an answer: ``gold``,
        ``claims``, ``accuracy``, ``against``, ``shares``, ``agreement``, ``metric_pairs``, ``rater_agreement``,
        ``raters``.
        """
        return people_frames(self.evaluation)

    @cached_property
    def _drawn(self) -> Mapping[str, go.Figure]:
        return people_figures(self.evaluation)

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of the figures there are."""
        return tuple(self._drawn)

    def figure(self, name: str) -> go.Figure:
        """One of ``figures``.

        Raises
        ------
        SettingsError
            Where there is none of that name.
        """
        if name not in self._drawn:
            raise SettingsError(f"There is no figure '{name}'; there are: {', '.join(self.figures)}.")
        return self._drawn[name]

    @property
    def methods(self) -> str:
        """What was done, as a paragraph for a paper."""
        return " ".join(people_methods(self.evaluation))

    def to_json(self) -> str:
        """All numbers, as ``mteval people --json`` writes them."""
        return people_json(self.evaluation)

    def __repr__(self) -> str:
        return f"<mteval.People: {judged_extent(self.evaluation.given)}>"

    def _repr_html_(self) -> str:
        """How a notebook shows it: what a report says of people, but for the figures."""
        parts = (part for section in people_sections(self.evaluation) for part in section_parts(section))
        extent = tag("p", judged_extent(self.evaluation.given))
        return str(styled(extent, *(part for part in parts if isinstance(part, Markup))))


def people(
    judgements: Judgements,
    compared: Comparison | None = None,
    *,
    scales: Sequence[str] = (),
    lower_is_better: Collection[str] = (),
    standardise: bool | None = None,
    gold: str = RANK_SUM,
    gold_unit: str = HumanChoices.gold_unit,
    procedures: Sequence[str] = PAPER,
    sides: str = HumanChoices.sides,
    levels: Sequence[float] = LEVELS,
    baseline: str | None = None,
    scores_higher: Sequence[FilePath] = (),
    scores_lower: Sequence[FilePath] = (),
    documents: Sequence[str] | None = None,
    settings: Settings = _DEFAULTS,
) -> People:
    """Ask of judgements which systems people tell apart, and of metrics, tests and other raters whether they agree.

    Parameters
    ----------
    compared
        Outputs of the systems that were judged, with metrics: people are compared with these.
    scales
        The scale that decides, then the one that breaks its ties; adequacy and fluency, or the only one, without.
    lower_is_better
        Scales on which lower values are better.
    standardise
        By annotator; None does so for ratings and not for weights of errors.
    gold, gold_unit
        The test between people's judgements, ``rank-sum`` or one of ``procedures``, and what it takes as independent:
        ``judgement``, ``segment`` or ``document``.
    procedures, sides, levels
        Tests of metrics that are weighed by people; ``one``, ``two`` or ``both``; levels of both.
    baseline
        The system that the raters are asked about; all pairs without.
    scores_higher, scores_lower
        In the place of ``compared``, files of scores of segments that are better when higher, or lower.
    documents
        In the place of those of ``compared``, the document of each segment.
    settings
        Shuffles, replicates, seed, confidence and units where nothing is ``compared``, which brings its own.

    Raises
    ------
    MtevalError
        Where the judgements cannot be read or do not fit the segments.
    """
    choices = HumanChoices(
        tuple(scales), standardise, gold, gold_unit, tuple(procedures), sides, tuple(levels), baseline
    )
    work = means_of_computation(settings.workers)
    if compared is not None:
        test_set, ids = compared.results.test_set, compared.results.test_set.documents
        frame = _frame(judgements, scales, lower_is_better, ids or documents)
        return People(human_evaluation(frame, compared.experiment, test_set, compared.settings, choices, work))
    frame = _frame(judgements, scales, lower_is_better, documents)
    files = ScoreFiles([Path(path) for path in scores_higher], [Path(path) for path in scores_lower], METRICS)
    return People(_beside_scores(frame, files, documents, choices, settings, work))


def _beside_scores(
    frame: pd.DataFrame,
    files: ScoreFiles,
    documents: Sequence[str] | None,
    choices: HumanChoices,
    settings: Settings,
    work: Work,
) -> HumanEvaluation:
    """With scores of segments, or with nothing."""
    if not files.names:
        return HumanEvaluation(frame, choices, None, lambda: (), settings, work)
    experiment = load_scores(files, documents).experiment
    keys = tuple(given.key for given in experiment.given)
    settings = replace(settings, metrics=keys, options={})
    return human_evaluation(frame, experiment, experiment.test_sets[0], settings, choices, work)


def _frame(
    judgements: Judgements, scales: Sequence[str], lower: Collection[str], documents: Sequence[str] | None
) -> pd.DataFrame:
    if isinstance(judgements, pd.DataFrame):
        content = judgements.to_csv(index=False, sep="\t").encode("utf-8")
        files = [InputFile("judgements.tsv", content)]
    else:
        paths = [judgements] if isinstance(judgements, (str, os.PathLike)) else judgements
        files = [file_at(Path(path)) for path in paths]
    read = read_judgements(files, scales=scales, lower_is_better=lower, documents=documents)
    return judgement_frame(read.judgements)
