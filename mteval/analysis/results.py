"""From the comparisons to the answers to the two questions.

An experiment, evaluated, as it is seen on one test set: what tables, figures, texts and pages are made of.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pandas as pd

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.summary import SampledRow
from mteval.analysis.two_answers import verdict_on
from mteval.base.store import kept_beside
from mteval.metrics.base import MetricSpec
from mteval.metrics.neural.environment import names_packages
from mteval.stats import PROCEDURES
from mteval.values.model import Experiment, TestSet
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings
from mteval.values.verdict import MANY_SYSTEMS, Coverage, Ranking, Verdict

if TYPE_CHECKING:
    from mteval.analysis.people.human_evaluation import HumanEvaluation


@kept_beside
def verdicts(evaluation: Evaluation) -> tuple[Verdict, ...]:
    """A verdict for every test set, metric and system of the comparisons, in their order."""
    n_runs = {(row.test_set, row.metric, row.system): row.n_runs for row in evaluation.summaries}
    covered = {(row.test_set, row.metric, row.system): row for row in evaluation.covered}
    together = {(row.test_set, row.metric, row.system): row for row in evaluation.together if row.simultaneous}
    found = []
    for answers in evaluation.answers:
        asked = answers.both
        counts = (n_runs[asked.test_set, asked.metric, system] for system in (asked.baseline, asked.system))
        fewest = PROCEDURES[asked.procedure].fewest_runs(*counts)
        key, spec = (asked.test_set, asked.metric, asked.system), evaluation.metrics[asked.metric]
        verdict = verdict_on(answers, fewest, evaluation.settings, spec, covered.get(key))
        if row := together.get(key):
            low, high = row.low_simultaneous, row.high_simultaneous
            verdict = replace(verdict, simultaneous=row.simultaneous, low_simultaneous=low, high_simultaneous=high)
        found.append(verdict)
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Results:
    """What is known of an experiment on one test set; equal to itself alone.

    Parameters
    ----------
    test_set
        The one that tables, texts and answers are about; one of the experiment's.
    shown_names
        From a system's key to how it is shown, where that differs.
    people
        What people said of the test set; None where nobody did, or nobody asked.
    """

    experiment: Experiment
    evaluation: Evaluation
    test_set: TestSet
    shown_names: Mapping[str, str] = field(default_factory=dict)
    people: HumanEvaluation | None = None

    def on(self, test_set: TestSet) -> Results:
        """The same on another test set, of which people said nothing so far."""
        return replace(self, test_set=test_set, people=None)

    @property
    def settings(self) -> Settings:
        """What was chosen before."""
        return self.evaluation.settings

    @property
    def run_word(self) -> RunWord:
        """What a run is called."""
        return self.settings.runs

    @property
    def metrics(self) -> tuple[str, ...]:
        """Keys, the primary metric first."""
        return self.settings.metrics

    def spec(self, metric: str) -> MetricSpec:
        """How to describe a metric."""
        return self.evaluation.metrics[metric]

    @property
    def systems(self) -> list[str]:
        """Keys of the systems that have output on the test set."""
        return [system.key for system in self.test_set.systems]

    @property
    def signatures(self) -> dict[str, str]:
        """Of the metrics on the test set, by shown name."""
        here = self.evaluation.signatures[self.test_set.name]
        return {self.spec(key).name: here[key] for key in self.metrics}

    @property
    def by_models(self) -> list[str]:
        """Shown names of the metrics that models computed, with packages of their own."""
        return [name for name, signature in self.signatures.items() if names_packages(signature)]

    @property
    def sources(self) -> dict[str, str]:
        """Where the metrics that were computed here are defined, by shown name: what to cite beside them."""
        given = {metric.key for metric in self.experiment.given}
        return {self.spec(key).name: self.spec(key).source for key in self.metrics if key not in given}

    @property
    def run_counts(self) -> list[int]:
        """The numbers of runs that systems have on the test set."""
        return sorted({len(system.runs) for system in self.test_set.systems})

    @property
    def exchanged(self) -> str:
        """What the randomization test exchanged; segments where nothing was compared."""
        return next((verdict.unit for verdict in self.verdicts()), "segment")

    @property
    def unit(self) -> str:
        """What the answer to the second question took as one unit of the test set; segments without a comparison."""
        return next((verdict.unit_both for verdict in self.verdicts()), "segment")

    @property
    def n_shuffles(self) -> int:
        """Most shuffles of a randomization test behind the answers; those of the settings where nothing was drawn."""
        drawn = [
            answers.test_set_luck.n_resamples
            for answers in self.evaluation.answers
            if answers.test_set_luck.test_set == self.test_set.name
        ]
        return max(drawn, default=0) or self.settings.n_shuffles

    def coverage(self, metrics: Collection[str] | None = None) -> dict[str, list[Coverage]]:
        """What the numbers of the systems rest on, by the shown name of each metric or of some."""
        found: dict[str, list[Coverage]] = {}
        for row in self.evaluation.covered:
            if row.test_set == self.test_set.name and (metrics is None or row.metric in metrics):
                found.setdefault(self.spec(row.metric).name, []).append(row)
        return found

    @property
    def has_many_systems(self) -> bool:
        """Whether one figure and one ranking take the place of a block for each system."""
        return len(self.systems) >= MANY_SYSTEMS

    @property
    def ranking(self) -> Ranking | None:
        """All systems by the primary metric; None of few, and of scores that have no better direction."""
        here = self.evaluation.rankings
        return next((one for one in here if one.test_set == self.test_set.name), None)

    def rows(self, frame: pd.DataFrame, metric: str | None = None) -> pd.DataFrame:
        """Of one of the evaluation's frames the rows about the test set, and about a metric where one is named."""
        is_here = frame["test_set"] == self.test_set.name
        return frame[is_here if metric is None else is_here & (frame["metric"] == metric)]

    def verdicts(self, metric: str | None = None) -> tuple[Verdict, ...]:
        """What is said of each system on the test set: by a metric, or by all of them."""
        return tuple(
            verdict
            for verdict in verdicts(self.evaluation)
            if verdict.test_set == self.test_set.name and metric in (None, verdict.metric)
        )

    def sampled(self, metric: str | None = None) -> list[SampledRow]:
        """What is said of several samples of a run on the test set: by a metric, or by all of them."""
        rows = self.evaluation.sampled
        return [row for row in rows if row.test_set == self.test_set.name and metric in (None, row.metric)]

    def name_of(self, system: str) -> str:
        """How a system is shown."""
        return self.shown_names.get(system, system)


def with_names(frame: pd.DataFrame, names: Mapping[str, str], *columns: str) -> pd.DataFrame:
    """A frame with systems as they are shown, in the columns named or else in those that usually hold systems."""
    wanted = columns or tuple(column for column in ("baseline", "system") if column in frame)
    return frame.assign(**{column: frame[column].map(lambda key: names.get(key, key)) for column in wanted})
