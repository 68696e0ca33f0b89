"""How judgements are read: which scale decides, what is standardised, and by which test people tell systems apart."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import pandas as pd
import streamlit as st

from mteval.analysis.comparison import Question
from mteval.analysis.people.gold import GOLD_TESTS, JUDGED_UNITS, RANK_SUM, Gold, gold_of
from mteval.analysis.people.human_evaluation import HumanChoices, metrics_beside_people, scored_beside_people
from mteval.analysis.people.judgements import prepared, usual_scales
from mteval.analysis.people.raters import usual_baseline
from mteval.analysis.scoring import Scored
from mteval.analysis.significance import question_on
from mteval.analysis.work import Work
from mteval.answers.judgements import STANDARDISED, judged_extent, people_methods
from mteval.answers.people import UNITS
from mteval.metrics import resolve
from mteval.stats.procedures.registry import usual
from mteval.ui.parts.choices import choose
from mteval.ui.people.sources import People
from mteval.ui.session.memory import statistics
from mteval.ui.session.progress import ask
from mteval.ui.setup.given_scores import keep_choices
from mteval.ui.setup.sidebar import settings_of_session
from mteval.values.settings import Settings

T = TypeVar("T")
STANDARDISE = {words: value for value, words in STANDARDISED.items()}
NO_TIES = "nothing"


@dataclass(frozen=True)
class Plan:
    """What is asked of the judgements.

    Parameters
    ----------
    scales
        The one that decides, and the one that breaks its ties.
    standardise
        As ``prepared`` takes it.
    question
        The test between people's judgements and what it takes as independent.
    """

    people: People
    scales: tuple[str, str | None]
    standardise: bool | None
    question: Question
    settings: Settings

    @cached_property
    def frame(self) -> pd.DataFrame:
        """The judgements ready to be compared."""
        return prepared(self.people.frame, self.standardise)

    @property
    def methods(self) -> str:
        """What is done with the judgements, for a paper."""
        scales = [scale for scale in self.scales if scale is not None]
        test, unit = GOLD_TESTS[self.question.procedure], UNITS.get(self.question.unit, self.question.unit)
        standardised = STANDARDISED[self.standardise]
        return people_methods(judged_extent(self.people.frame), scales, standardised, test, unit)

    @property
    def has_metrics(self) -> bool:
        """Whether there is anything to compare with people."""
        return bool(self.names)

    @property
    def names(self) -> dict[str, str]:
        """Names of the metrics in the settings that people can be compared with, by key."""
        experiment = self.people.experiment
        return {} if experiment is None else metrics_beside_people(experiment, self.settings)

    def asked(self, place: str, choice: Hashable, compute: Callable[[Work], T]) -> T | None:
        """What is computed beside the page, as ``ask`` gives it, under all that the plan decides and the choice."""
        decided = (
            self.people.key,
            self.scales,
            self.standardise,
            self.question,
            sorted(self.settings.deciding.items()),
        )
        experiment = "" if self.people.experiment is None else self.people.experiment.digest
        return ask(f"people-{place}", repr((place, decided, experiment, choice)), compute, self.settings.workers)

    def gold(self) -> Gold | None:
        """Which systems people tell apart; None until that is known."""
        test_set = self.people.test_set
        return self.asked(
            "gold", "", lambda work: gold_of(self.frame, self.scales, self.question, test_set, self.settings, work)
        )

    def scorer(self) -> Callable[[Work], tuple[Scored, ...]]:
        """Gives the statistics of the metrics on the judged test set; what is known is not scored again."""
        known, experiment, test_set = statistics(), self.people.experiment, self.people.test_set
        assert experiment is not None  # there are metrics
        assert test_set is not None
        chosen = [metric for metric in resolve(self.settings, experiment.given) if metric.key in self.names]

        def scored(work: Work) -> tuple[Scored, ...]:
            return scored_beside_people(known.scored(experiment, chosen, work), test_set.name)

        return scored


def choose_plan(people: People) -> Plan:
    """The choices that all answers share."""
    settings = settings_of_session() or Settings()
    scales = list(dict.fromkeys(people.frame["scale"]))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        first = choose("Scale", scales, "people-scale", default=usual_scales(people.frame)[0], width=130)
        second = _ties(scales, first)
        standardised = choose(
            "Standardised by annotator", list(STANDARDISE), "people-standardised", width=220,
            help="By the mean and standard deviation of all that an annotator gave. Weights of errors mean the same for"
            " all, so they stay as they are unless you say otherwise.",
        )  # fmt: skip
        test = choose(
            "Told apart by", _tests(people), "people-test", format_func=GOLD_TESTS.__getitem__, width=295,
            help="The rank-sum test compares all judgements of two systems, as Graham et al. (2014) do; the others pair"
            " the segments that were judged for both.",
        )  # fmt: skip
        units = _units(people, first, test)
        unit = choose(
            "Units", units, "people-unit", format_func=UNITS.__getitem__, width=140,
            help="What that test takes as independent. Judgements of one document are not.",
        )  # fmt: skip
    question = Question(test, unit) if test == RANK_SUM else question_on(test, unit)
    standardise, baseline = STANDARDISE[standardised], usual_baseline(people.frame, first)
    chosen = (first, second) if second else (first,)
    keep_choices(HumanChoices(chosen, standardise, test, unit, baseline=baseline))
    return Plan(people, (first, second), standardise, question, settings)


def _ties(scales: list[str], first: str) -> str | None:
    others = [NO_TIES, *(scale for scale in scales if scale != first)]
    if len(others) == 1:
        return None
    default = "fluency" if "fluency" in others else NO_TIES
    chosen = choose("Its ties decided by", others, "people-ties", default=default, width=170)
    return None if chosen == NO_TIES else chosen


def _tests(people: People) -> list[str]:
    return [RANK_SUM, *(usual() if people.test_set is not None else ())]


def _units(people: People, scale: str, test: str) -> list[str]:
    if test == RANK_SUM:
        rows = people.frame[people.frame["scale"] == scale]
        return [unit for unit in JUDGED_UNITS if unit != "document" or rows["document"].notna().all()]
    has_documents = people.test_set is not None and people.test_set.documents is not None
    return ["document", "segment"] if has_documents else ["segment"]
