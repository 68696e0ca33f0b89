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
from mteval.analysis.people.gold import AUTO, RANK_SUM, Gold, are_judged_alike, gold_of
from mteval.analysis.people.judge import judges_frames
from mteval.analysis.people.judgements import PREFERENCE, PROBABILITY, HumanScores, prepared, scales_of
from mteval.analysis.people.meta import FEWEST_SYSTEMS, Agreement, agreement_with_people
from mteval.analysis.people.rater_agreement import rater_agreement_frame
from mteval.analysis.people.raters import raters_frame
from mteval.analysis.scoring import Scored, Work, means_of_computation
from mteval.analysis.significance import question_on, unit_of
from mteval.base.errors import MtevalError, SettingsError
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
        The test between human judgements, and its independent unit. By default, judgements are paired by segment, with
        documents as units if known, if all systems were judged on the same segments; otherwise, it is the rank-sum test
        of judgements.
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
    gold: str = AUTO
    gold_unit: str = AUTO
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
        state: dict[str, object] = {}
        for field in fields(self):
            if field.name not in ("scorer", "work"):
                state[field.name] = getattr(self, field.name)
        state["scored"] = list(self.scored)
        return state

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
        return {scores.metric.key: scores.metric.name for scores in self.scored}

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
        if not self.scored:
            return "segment"
        return unit_of(self.scored[0], self.settings)

    @property
    def question(self) -> Question:
        """Return the test between human judgements, with its unit."""
        test = self.choices.gold
        unit = self.choices.gold_unit
        if self.scales[0] == PREFERENCE:
            is_ranked = False  # votes for one of two outputs are no independent samples
        elif test == AUTO:
            is_ranked = unit == "judgement" or not are_judged_alike(self.frame, self.scales)
        else:
            is_ranked = test == RANK_SUM
        if is_ranked:
            return Question(RANK_SUM, "judgement" if unit == AUTO else unit)
        if test in (AUTO, RANK_SUM):
            test = AR_SEGMENT.key
        if unit in (AUTO, "judgement"):
            unit = self.judged_unit
        return question_on(test, unit)

    @cached_property
    def averages(self) -> tuple[pd.DataFrame, ...]:
        """Return the systems' means and differences on each scale, with the columns ``AVERAGES``."""
        frames = []
        for scale in self.scales:
            if scale is not None:
                frames.append(averages_frame(self.frame, scale, self.choices.baseline, self.settings, self.work))
        return tuple(frames)

    @cached_property
    def assisted(self) -> pd.DataFrame:
        """Return differences assisted by the metrics, as ``assisted_frame``."""
        against = str(self.averages[0]["against"].iloc[0])
        return assisted_frame(self.frame, self.scales[0], against, self.scored, self.settings)

    @cached_property
    def votes(self) -> Preferences | None:
        """Return the votes if people chose between the outputs of two systems; else None."""
        if self.scales[0] == PREFERENCE and self.given["system"].nunique() == 2:
            return voted(self.given, self.settings)
        return None

    @property
    def judged_unit(self) -> str:
        """Return the unit of mean judgements and of their differences: documents if known."""
        return Matrix.of(self.given, self.scales[0], self.settings).unit

    @property
    def ranks_systems(self) -> bool:
        """Return whether enough systems were judged and scored to say who agrees on their order."""
        shared = set(self.given["system"])
        for scores in self.scored:
            shared &= scores.statistics.keys()
        return len(self.scored) > 0 and len(shared) >= FEWEST_SYSTEMS

    @property
    def pair(self) -> tuple[str, str]:
        """Return the baseline, or else the worst-judged system, and the best of the others."""
        best_first = list(self.averages[0]["system"])
        baseline = best_first[-1]
        if self.choices.baseline is not None:
            baseline = self.choices.baseline
        best_other = next(system for system in best_first if system != baseline)
        return baseline, best_other

    @cached_property
    def beside(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return how people and metrics see the difference of one pair, as ``beside_metrics``."""
        return beside_metrics(self.frame, self.scales[0], self.pair, self.scored, self.settings)

    @cached_property
    def gold(self) -> Gold:
        """Return which systems people find better."""
        gold = gold_of(self.frame, self.scales, self.question, self.test_set, self.settings, self.work)
        is_selected = PROBABILITY in self.frame and self.frame[PROBABILITY].nunique() > 1
        return replace(gold, is_selected=is_selected)

    @cached_property
    def claims(self) -> pd.DataFrame:
        """Return the result of each test of a metric on each pair of systems."""
        questions = [question_on(procedure, self.unit) for procedure in self.choices.procedures]
        sides = agreement.SIDES[self.choices.sides]
        return agreement.claims_frame(self.scored, questions, self.settings, self.work, sides)

    @cached_property
    def accuracy(self) -> pd.DataFrame:
        """Return how often tests conclude what people do, at every level."""
        return agreement.accuracy_frame(self.claims, self.gold, self.choices.levels, self.settings.confidence)

    @cached_property
    def accuracies_apart(self) -> pd.DataFrame:
        """Test whether the accuracies of metrics differ, and those of tests, at every level."""
        return agreement.apart_frame(self.accuracy)

    @cached_property
    def against(self) -> pd.DataFrame:
        """Compare tests with each other at the first level."""
        return agreement.against_frame(self.claims, self.gold, self.choices.levels[0])

    @cached_property
    def shares(self) -> pd.DataFrame:
        """Return how often people are expected to prefer the better-scored system, and how often they do."""
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
        units = ["segment"]
        documents = self.given.drop_duplicates("segment")["document"]
        is_known = self.settings.exchange_unit != "segment" and bool(documents.notna().all())
        if is_known and documents.nunique() < len(documents):  # else documents are segments
            units.append("document")
        return raters_frame(self.given, self.scales[0], self.settings, self.choices.baseline, units, self.choices.judge)

    @cached_property
    def judges(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Test whether judges and metrics may replace a person, as ``judges_frames``."""
        return judges_frames(
            self.given,
            self.scales[0],
            self.choices.judge,
            self.scored,
            self.choices.epsilon,
            self.settings,
            self.choices.standardise,
        )

    @property
    def questions(self) -> tuple[str, ...]:
        """Return the questions that are asked unless others are named; about judges only if some are."""
        if self.choices.judge:
            return QUESTIONS
        return tuple(question for question in QUESTIONS if question != "judge")

    def frames(self, questions: Collection[str] = QUESTIONS) -> Iterator[tuple[str, pd.DataFrame]]:
        """Yield every available table that answers one of the questions, with its name."""
        if "gold" in questions:
            yield "averages", pd.concat(self.averages, ignore_index=True)
            if self.choices.is_assisted:
                yield "assisted", self.assisted
        if "gold" in questions or (self.ranks_systems and "tests" in questions):
            yield "gold", self.gold.cells(agreement.LEVELS[0])
        if self.ranks_systems and "tests" in questions:
            yield "claims", self.claims
            yield "accuracy", self.accuracy
            yield "accuracies_apart", self.accuracies_apart
            yield "against", self.against
            yield "shares", self.shares
        if self.scored and "metrics" in questions and not self.ranks_systems:
            yield "beside_metrics", self.beside[0]
        if self.ranks_systems and "metrics" in questions:
            yield "agreement", self.agreement.frame
            yield "metric_pairs", self.agreement.pairs
        if "raters" in questions:
            yield "rater_agreement", self.rater_agreement
            yield "raters", self.raters
        if "judge" in questions:
            judges, judge_raters = self.judges
            yield "judges", judges
            yield "judge_raters", judge_raters

    def answered_frames(self) -> dict[str, pd.DataFrame]:
        """Return every table by name, of the questions that can be answered."""
        frames: dict[str, pd.DataFrame] = {}
        for question in self.questions:
            with suppress(MtevalError):
                frames |= self.frames([question])
        return frames


def metrics_beside_people(experiment: Experiment, settings: Settings) -> dict[str, str]:
    """Return the names of the settings' metrics to compare with people, by key.

    Metrics without a better direction and human scores are excluded.
    """
    human = {given.key for given in experiment.given if given.is_of_people}
    metrics = catalog(experiment.given)
    names = {}
    for key in settings.metrics:
        if key in metrics and key not in human and metrics[key].notation.has_direction:
            names[key] = metrics[key].name
    return names


def scored_beside_people(scored: Sequence[Scored], test_set: str) -> tuple[Scored, ...]:
    """Return the metrics scored on a test set; imported metrics only if they have scores there."""
    selected = []
    for scores in scored:
        if scores.test_set.name != test_set:
            continue
        if scores.statistics or not isinstance(scores.metric, Imported):
            selected.append(scores)
    return tuple(selected)
