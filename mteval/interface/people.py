"""Human judgements in the Python interface: ``people`` and its answer."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import pandas as pd

from mteval.analysis.judged import human_evaluation, read_people
from mteval.analysis.people.agreement import LEVELS, PAPER
from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation
from mteval.analysis.people.judgements import judgement_frame
from mteval.analysis.scoring import means_of_computation
from mteval.answers.gold import judged_extent
from mteval.answers.people import people_methods
from mteval.interface.inputs import FilePath, Keywords, settings_from
from mteval.interface.results import Comparison
from mteval.interface.showing import figure_named, notebook_html
from mteval.metrics import METRICS
from mteval.readers.assembly.judgements import Judged
from mteval.readers.disk import file_at
from mteval.readers.documents import InputFile
from mteval.readers.named_files import ScoreFiles, load_scores
from mteval.render.html import tag
from mteval.report import page
from mteval.values.ledger import Ledger
from mteval.values.settings import Settings

if TYPE_CHECKING:
    import plotly.graph_objects as go


Judgements = FilePath | Sequence[FilePath] | pd.DataFrame
"""Files of judgements, or a frame with columns ``annotator``, ``system``, ``segment`` and one per scale."""


@dataclass(frozen=True, eq=False)
class People:
    """Human judgements of systems, compared with metrics, tests and other raters.

    Parameters
    ----------
    evaluation
        The answers, each computed when first used. Internal; its properties may change.
    ledger
        The files behind them.
    """

    evaluation: HumanEvaluation
    ledger: Ledger

    @cached_property
    def frames(self) -> Mapping[str, pd.DataFrame]:
        """Return the tables of ``mteval people --csv`` by name, as far as the data allow.

        The names are ``averages``, ``gold``, ``claims``, ``accuracy``, ``accuracies_apart``, ``against``, ``shares``,
        ``agreement``, ``metric_pairs``, ``beside_metrics``, ``rater_agreement``, ``raters``, ``judges`` and
        ``judge_raters``.
        """
        return self.evaluation.answered_frames()

    @cached_property
    def _drawn(self) -> Mapping[str, go.Figure]:
        return page.people_figures(self.evaluation)

    @property
    def figures(self) -> tuple[str, ...]:
        """Return the names of the figures."""
        return tuple(self._drawn)

    def figure(self, name: str) -> go.Figure:
        """Return one of ``figures``.

        Raises
        ------
        SettingsError
            If the name is unknown.
        """
        return figure_named(self._drawn, name)

    @property
    def methods(self) -> str:
        """Return the methods paragraph for a paper."""
        return " ".join(people_methods(self.evaluation))

    def to_json(self) -> str:
        """Return all numbers, as ``mteval people --json`` writes them."""
        return page.people_json(self.evaluation, self.ledger)

    def __repr__(self) -> str:
        return f"<mteval.People: {judged_extent(self.evaluation.given)}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the report's section on people, without figures."""
        return notebook_html(page.people_sections(self.evaluation), tag("p", judged_extent(self.evaluation.given)))


def people(
    judgements: Judgements,
    compared: Comparison | None = None,
    *,
    scales: Sequence[str] = (),
    lower_is_better: Collection[str] = (),
    standardise: bool | None = None,
    gold: str = HumanChoices.gold,
    gold_unit: str = HumanChoices.gold_unit,
    procedures: Sequence[str] = PAPER,
    sides: str = HumanChoices.sides,
    levels: Sequence[float] = LEVELS,
    baseline: str | None = None,
    judge: str = "",
    epsilon: float = HumanChoices.epsilon,
    assist: bool = False,
    scores_higher: Sequence[FilePath] = (),
    scores_lower: Sequence[FilePath] = (),
    documents: Sequence[str] | None = None,
    settings: Settings | None = None,
    **changed: Unpack[Keywords],
) -> People:
    """Compare human judgements of systems with metrics, significance tests and other raters.

    Parameters
    ----------
    judgements
        Files of judgements, or a frame with columns ``annotator``, ``system``, ``segment`` and one per scale.
    compared
        Comparison of the judged systems' outputs, with the metrics to evaluate.
    scales
        The scale that decides, then one that breaks ties; adequacy and fluency, or the only scale, by default.
    lower_is_better
        Scales on which lower values are better.
    standardise
        Whether to standardise scores per annotator; None standardises ratings but not error weights.
    gold, gold_unit
        Test between judgements (``rank-sum`` or a procedure of ``mteval compare``) and its independent unit
        (``judgement``, ``segment`` or ``document``). By default, judgements are paired by segment if all systems were
        judged on the same segments, with documents as units if known.
    procedures, sides, levels
        Tests of the metrics; ``one``, ``two`` or ``both`` sides; significance levels.
    baseline
        Ask about other raters for this system only; all pairs by default.
    judge
        Regular expression: raters whose names share its match or first group count as one judge, e.g. ``^gpt-4o``.
    epsilon
        Margin of the test whether the judge may replace a person: 0.2 for experts, 0.1 for crowd workers.
    assist
        Make people's differences more precise by the metrics' scores of all segments.
    scores_higher, scores_lower
        Files of segment scores where higher (lower) is better, instead of ``compared``.
    documents
        Document ID of each segment, if ``compared`` has none.
    settings, changed
        As in ``compare``; ignored if ``compared`` is given.

    Returns
    -------
    Tables, figures and the methods paragraph.

    Raises
    ------
    MtevalError
        If the judgements cannot be read or do not match the segments, or ``judge`` is no regular expression.

    Examples
    --------
    >>> people = mteval.people("judgements.tsv", scores_higher=["COMET.seg.score"])  # doctest: +SKIP
    """
    choices = HumanChoices(
        scales=tuple(scales),
        standardise=standardise,
        gold=gold,
        gold_unit=gold_unit,
        procedures=tuple(procedures),
        sides=sides,
        levels=tuple(levels),
        baseline=baseline,
        judge=judge,
        epsilon=epsilon,
        is_assisted=assist,
    )
    asked = settings_from(settings, changed)
    work = means_of_computation(asked.workers)
    if compared is not None:
        test_set = compared.results.test_set
        judged = _judged(judgements, scales, lower_is_better, test_set.documents or documents)
        frame = judgement_frame(judged.judgements)
        evaluation = human_evaluation(frame, compared.experiment, test_set, compared.settings, choices, work)
        return People(evaluation, compared.experiment.ledger.including(judged.entries))

    judged = _judged(judgements, scales, lower_is_better, documents)
    frame = judgement_frame(judged.judgements)
    files = ScoreFiles([Path(path) for path in scores_higher], [Path(path) for path in scores_lower], METRICS)
    if not files.names:
        evaluation = HumanEvaluation(frame, choices, None, lambda: (), asked, work)
        return People(evaluation, Ledger().including(judged.entries))
    experiment = load_scores(files, documents).experiment
    asked = replace(asked, metrics=tuple(given.key for given in experiment.given), options={})
    evaluation = human_evaluation(frame, experiment, experiment.test_sets[0], asked, choices, work)
    return People(evaluation, experiment.ledger.including(judged.entries))


def _judged(
    judgements: Judgements, scales: Sequence[str], lower: Collection[str], documents: Sequence[str] | None
) -> Judged:
    """Return the judgements of files or a frame."""
    if isinstance(judgements, pd.DataFrame):
        rows = judgements.astype(object).where(judgements.notna(), None).to_dict("records")
        lines = (f"{json.dumps(row, default=str)}\n" for row in rows)  # unlike in a table, texts stay
        files = [InputFile("judgements.jsonl", "".join(lines).encode("utf-8"))]
    else:
        paths = [judgements] if isinstance(judgements, (str, os.PathLike)) else judgements
        files = [file_at(Path(path)) for path in paths]
    return read_people(files, scales=scales, lower_is_better=lower, documents=documents)
