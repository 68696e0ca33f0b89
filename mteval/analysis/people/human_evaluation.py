"""Human judgements of a test set and their comparison with metrics; each answer is computed on demand."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property

import pandas as pd

from mteval.analysis.comparison import Question
from mteval.analysis.people import agreement
from mteval.analysis.people.averages import Matrix, Preferences, assisted_frame, averages_frame, beside_metrics, voted
from mteval.analysis.people.gold import RANK_SUM, Gold, gold_of
from mteval.analysis.people.judge import judges_frames
from mteval.analysis.people.judgements import PREFERENCE, PROBABILITY, HumanScores, is_of_people, prepared, scales_of
from mteval.analysis.people.meta import FEWEST_SYSTEMS, Agreement, agreement_with_people
from mteval.analysis.people.raters import rater_agreement_frame, raters_frame
from mteval.analysis.scoring import Scored, Work, means_of_computation
from mteval.analysis.significance import question_on, unit_of
from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.metrics import catalog
from mteval.metrics.imported import Imported
from mteval.stats.alternative_annotator import EXPERTS
from mteval.stats.procedures.randomization import AR_SEGMENT
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

QUESTIONS = ("gold", "tests", "metrics", "raters", "judge")


@dataclass(frozen=True)
class HumanChoices:
    """What to ask of judgements, chosen before the answers are seen.

    Parameters
    ----------
    scales
        The primary scale and the one that breaks its ties, as in ``scales_of``.
    standardise
        As in ``prepared``.
    gold, gold_unit
        The test between human judgements, and its independent unit.
    procedures, sides, levels
        Tests of metrics to compare with people, a key of ``SIDES``, and the significance levels of both.
    baseline
        The system to compare others with in tests over raters; None for all pairs.
    judge
        What raters that count as one judge share in their names, as in ``raters.as_judges``.
    is_assisted
        Whether metrics assist the differences that people see.
    epsilon
        Margin of the alternative annotator test, from 0 to 1.
    """

    scales: tuple[str, ...] = ()
    standardise: bool | None = None
    gold: str = RANK_SUM
    gold_unit: str = "judgement"
    procedures: tuple[str, ...] = agreement.PAPER
    sides: str = "one"
    levels: tuple[float, ...] = agreement.LEVELS
    baseline: str | None = None
    judge: str = ""
    epsilon: float = EXPERTS
    is_assisted: bool = False

    def __post_init__(self) -> None:
        """Check the pattern of judges and the margin.

        Raises
        ------
        SettingsError
            If it is no regular expression, or the margin not between 0 and 1.
        """
        if not 0 <= self.epsilon < 1:
            raise SettingsError(f"The margin epsilon is {self.epsilon:g}. Use a number from 0 to 1, e.g. {EXPERTS}.")
        try:
            re.compile(self.judge)
        except re.error as error:
            raise SettingsError(f"'{self.judge}' is not a regular expression: {error}.") from error


@dataclass(frozen=True, eq=False)
class HumanEvaluation:
    """Judgements of one test set and metrics on it; equal to itself alone.

    Parameters
    ----------
    given
        Judgements as imported, with the columns ``JUDGED``.
    test_set
        The judged test set; None without outputs or scores.
    scorer
        Returns the metrics on that test set; empty without metrics to compare.
    settings
        Replicates, shuffles, seed, confidence and units.
    """

    given: pd.DataFrame
    choices: HumanChoices
    test_set: TestSet | None
    scorer: Callable[[], Sequence[Scored]]
    settings: Settings
    work: Work

    def __getstate__(self) -> dict[str, object]:
        """Pickle what was asked and the metrics' scores; answers are computed again."""
        kept = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in ("scorer", "work")}
        return {**kept, "scored": list(self.scored)}

    def __setstate__(self, state: Mapping[str, object]) -> None:
        """Restore what was pickled."""
        self.__dict__.update(state, work=means_of_computation())

    @cached_property
    def scored(self) -> Sequence[Scored]:
        """Return the metrics to compare with people."""
        return self.scorer()

    @property
    def deciding(self) -> dict[str, object]:
        """Return all choices and settings that determine the answers."""
        return {"choices": asdict(self.choices), "settings": self.settings.deciding}

    @property
    def n_annotators(self) -> int:
        """Return the number of annotators on the primary scale."""
        return int(self.given.loc[self.given["scale"] == self.scales[0], "annotator"].nunique())

    @property
    def names(self) -> dict[str, str]:
        """Return the names of the metrics by key."""
        return {one.metric.key: one.metric.name for one in self.scored}

    @cached_property
    def scales(self) -> tuple[str, str | None]:
        """Return the primary scale and the one that breaks its ties."""
        return scales_of(self.given, self.choices.scales)

    @cached_property
    def frame(self) -> pd.DataFrame:
        """Return the judgements, prepared for comparison."""
        return prepared(self.given, self.choices.standardise)

    @property
    def unit(self) -> str:
        """Return the unit of tests of metrics and of intervals of agreement."""
        return unit_of(self.scored[0], self.settings) if self.scored else "segment"

    @property
    def question(self) -> Question:
        """Return the test between human judgements, with its unit."""
        test, unit = self.choices.gold, self.choices.gold_unit
        if test == RANK_SUM and self.scales[0] == PREFERENCE:
            test = AR_SEGMENT.key  # votes for one of two outputs are no independent samples
        if test == RANK_SUM:
            return Question(test, unit)
        return question_on(test, self.unit if unit == HumanChoices.gold_unit else unit)

    @cached_property
    def averages(self) -> tuple[pd.DataFrame, ...]:
        """Return the systems' means and differences on each scale, with the columns ``AVERAGES``."""
        scales = [scale for scale in self.scales if scale is not None]
        about = self.choices.baseline, self.settings, self.work
        return tuple(averages_frame(self.frame, scale, *about) for scale in scales)

    @cached_property
    def assisted(self) -> pd.DataFrame:
        """Return differences assisted by the metrics, as ``assisted_frame``."""
        against = str(self.averages[0]["against"].iloc[0])
        return assisted_frame(self.frame, self.scales[0], against, self.scored, self.settings)

    @cached_property
    def votes(self) -> Preferences | None:
        """Return the votes if people chose between the outputs of two systems; else None."""
        is_vote = self.scales[0] == PREFERENCE and self.given["system"].nunique() == 2
        return voted(self.given, self.settings) if is_vote else None

    @property
    def judged_unit(self) -> str:
        """Return the unit of mean judgements and of their differences: documents if known."""
        return Matrix.of(self.given, self.scales[0], self.settings).unit

    @property
    def ranks_systems(self) -> bool:
        """Return whether enough systems were judged and scored to say who agrees on their order."""
        shared = set(self.given["system"]).intersection(*(one.statistics for one in self.scored))
        return bool(self.scored) and len(shared) >= FEWEST_SYSTEMS

    @property
    def pair(self) -> tuple[str, str]:
        """Return the baseline, or else the worst-judged system, and the best of the others."""
        ordered = list(self.averages[0]["system"])
        first = ordered[-1] if self.choices.baseline is None else self.choices.baseline
        return first, next(system for system in ordered if system != first)

    @cached_property
    def beside(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return how people and metrics see the difference of one pair, as ``beside_metrics``."""
        return beside_metrics(self.frame, self.scales[0], self.pair, self.scored, self.settings)

    @cached_property
    def gold(self) -> Gold:
        """Return which systems people find better."""
        gold = gold_of(self.frame, self.scales, self.question, self.test_set, self.settings, self.work)
        return replace(gold, is_selected=PROBABILITY in self.frame and self.frame[PROBABILITY].nunique() > 1)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """Return the result of each test of a metric on each pair of systems."""
        asked = [question_on(procedure, self.unit) for procedure in self.choices.procedures]
        sides = agreement.SIDES[self.choices.sides]
        return agreement.claims_frame(self.scored, asked, self.settings, self.work, sides)

    @cached_property
    def accuracy(self) -> pd.DataFrame:
        """Return how often tests conclude what people do, at every level."""
        return agreement.accuracy_frame(self.claims, self.gold, self.choices.levels, self.settings.confidence)

    @cached_property
    def against(self) -> pd.DataFrame:
        """Compare tests with each other at the first level."""
        return agreement.against_frame(self.claims, self.gold, self.choices.levels[0])

    @cached_property
    def shares(self) -> pd.DataFrame:
        """Return the share of people expected to agree with each metric's differences.

        Raises
        ------
        MissingDependencyError
            If mt-thresholds is not installed.
        """
        return agreement.shares_frame(self.claims, self.gold, self.scored)

    @cached_property
    def agreement(self) -> Agreement:
        """Return how well each metric agrees with people."""
        human = HumanScores.of(self.frame, self.scales[0], self.scored[0].test_set)
        return agreement_with_people(self.scored, human, self.unit, self.settings, self.work)

    @cached_property
    def rater_agreement(self) -> pd.DataFrame:
        """Return how well raters agree."""
        return rater_agreement_frame(self.given, self.scales[0])

    @cached_property
    def raters(self) -> pd.DataFrame:
        """Test whether the differences would hold for other raters."""
        has_documents = self.settings.exchange_unit != "segment" and bool(self.given["document"].notna().all())
        units = ("segment", "document") if has_documents else ("segment",)
        return raters_frame(self.given, self.scales[0], self.settings, self.choices.baseline, units, self.choices.judge)

    @cached_property
    def judges(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Test whether judges and metrics may replace a person, as ``judges_frames``."""
        about = self.given, self.scales[0], self.choices.judge, self.scored, self.choices.epsilon
        return judges_frames(*about, self.settings, self.choices.standardise)

    @property
    def questions(self) -> tuple[str, ...]:
        """Return the questions that are asked unless others are named; about judges only if some are."""
        return QUESTIONS if self.choices.judge else tuple(one for one in QUESTIONS if one != "judge")

    def frames(self, questions: Collection[str] = QUESTIONS) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield every available table that answers one of the questions, with its name."""
        if "gold" in questions:
            yield "averages", pd.concat(self.averages, ignore_index=True)
            if self.choices.is_assisted:
                yield "assisted", self.assisted
        if "gold" in questions or (self.ranks_systems and "tests" in questions):
            yield "gold", self.gold.cells(agreement.LEVELS[0])
        if self.ranks_systems and "tests" in questions:
            yield from (("claims", self.claims), ("accuracy", self.accuracy), ("against", self.against))
            with suppress(MissingDependencyError):
                yield "shares", self.shares
        if self.scored and "metrics" in questions and not self.ranks_systems:
            yield "beside_metrics", self.beside[0]
        if self.ranks_systems and "metrics" in questions:
            yield from (("agreement", self.agreement.frame), ("metric_pairs", self.agreement.pairs))
        if "raters" in questions:
            yield from (("rater_agreement", self.rater_agreement), ("raters", self.raters))
        if "judge" in questions:
            yield from zip(("judges", "judge_raters"), self.judges, strict=True)


def metrics_beside_people(experiment: Experiment, settings: Settings) -> dict[str, str]:
    """Return the names of the settings' metrics to compare with people, by key.

    Metrics without a better direction and human scores are excluded.
    """
    human = {given.key for given in experiment.given if is_of_people(given)}
    known = catalog(experiment.given)
    chosen = [key for key in settings.metrics if key in known and key not in human]
    return {key: known[key].name for key in chosen if known[key].notation.has_direction}


def scored_beside_people(scored: Sequence[Scored], test_set: str) -> tuple[Scored, ...]:
    """Return the metrics scored on a test set; imported metrics only if they have scores there."""
    here = (one for one in scored if one.test_set.name == test_set)
    return tuple(one for one in here if one.statistics or not isinstance(one.metric, Imported))
