"""What the replication page is about: the runs of two systems by one metric on one test set.

Where nothing is loaded it is the experiment that ships with the project, so that the page can be tried without a file.
"""

from dataclasses import dataclass

import streamlit as st

from mteval.analysis.replication.pool import Pool, pool_of
from mteval.analysis.scoring import Scored
from mteval.analysis.work import Work
from mteval.base.errors import MtevalError
from mteval.metrics import catalog, resolve
from mteval.metrics.base import Metric, MetricSpec
from mteval.ui.answers import ONE_SYSTEM
from mteval.ui.page import choose_test_set, settings_of_session
from mteval.ui.parts import messages
from mteval.ui.parts.choices import choose
from mteval.ui.session.evaluation import evaluation_key
from mteval.ui.session.memory import statistics
from mteval.ui.session.progress import ask
from mteval.ui.setup.words import said
from mteval.ui.setup.workspace import loaded_experiment, sample
from mteval.values.model import Experiment, TestSet
from mteval.values.notation import Notation
from mteval.values.run_words import Wording
from mteval.values.settings import Settings

METRIC_KEY = "replication-metric"


@dataclass(frozen=True)
class Chosen:
    """A pool, where it comes from, and the key of everything that is computed from it.

    Parameters
    ----------
    is_sample
        Whether it is the experiment that ships with the project, nothing being loaded.
    """

    experiment: Experiment
    test_set: TestSet
    pool: Pool
    settings: Settings
    key: str
    is_sample: bool

    @property
    def spec(self) -> MetricSpec:
        """How to describe the metric."""
        return catalog(self.experiment.given)[self.pool.scored.metric.key]

    @property
    def metric_name(self) -> str:
        """As on screen."""
        return self.pool.scored.metric.name

    @property
    def said(self) -> Wording:
        """How to say what is said of runs."""
        return self.pool.wording(self.settings.runs)

    @property
    def notation(self) -> Notation:
        """How the metric's numbers are written."""
        return self.spec.notation

    @property
    def n_compared(self) -> int:
        """How many systems are compared with the baseline on the test set."""
        return len(self.test_set.systems) - 1

    @property
    def difference_name(self) -> str:
        """What an axis of differences shows, without the unit."""
        return f"{self.metric_name} of {self.pool.system} − {self.metric_name} of {self.pool.baseline}"


def choose_pool() -> Chosen:
    """Offer metric, test set and system; the page ends here where there is no pool (yet)."""
    settings = settings_of_session()
    if settings is None:
        messages.say("warning", said("The settings in the sidebar cannot be used as they are; see the message there."))
        st.stop()
    experiment = loaded_experiment()
    is_sample = experiment is None
    experiment = experiment or sample_experiment()
    with st.container(horizontal=True, vertical_alignment="bottom", key="replication-choice"):
        metric = _choose_metric(experiment, settings)
        test_set = choose_test_set(experiment)
        system = _choose_system(experiment, test_set)
    scored = scored_on(test_set, metric, settings)
    if scored is None:
        st.stop()
    try:
        pool = pool_of(scored, experiment.baseline, system, settings)
    except MtevalError as error:
        messages.say("error", said(str(error)))
        st.stop()
    key = f"{evaluation_key(experiment, settings)} {test_set.name!r} {metric!r} {system!r}"
    return Chosen(experiment, test_set, pool, settings, key, is_sample)


def sample_experiment() -> Experiment:
    """The experiment that ships with the project."""
    experiment = sample().experiment()
    if experiment is None:
        raise MtevalError("The sample experiment is damaged; restore the folder sample_data.")
    return experiment


def scored_on(test_set: TestSet, metric: Metric, settings: Settings) -> Scored | None:
    """Statistics of one metric on one test set: those that the session has, else computed beside the page."""
    known = statistics()
    alone = Experiment((test_set,), test_set.systems[0].key)

    def score(work: Work) -> Scored:
        return known.scored(alone, (metric,), work)[0]

    return ask(f"scores on {test_set.name}", f"{alone.digest} {metric!r}", score, settings.workers)


def _choose_metric(experiment: Experiment, settings: Settings) -> Metric:
    metrics = {metric.key: metric for metric in resolve(settings, experiment.given)}
    names = {key: metric.name for key, metric in metrics.items()}
    return metrics[choose("Metric", list(names), METRIC_KEY, format_func=names.__getitem__, width=160)]


def _choose_system(experiment: Experiment, test_set: TestSet) -> str:
    others = [system.key for system in test_set.systems if system.key != experiment.baseline]
    if not others:
        messages.say("note", said(ONE_SYSTEM))
        st.stop()
    if len(others) == 1:
        return others[0]
    return choose("System", others, "replication-system", width=240)
