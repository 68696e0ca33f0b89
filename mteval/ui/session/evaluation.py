"""When an evaluation starts, and what the pages may show of it."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

import streamlit as st

from mteval.analysis.evaluation import Evaluation, evaluate_scored
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.work import Work
from mteval.metrics import catalog, resolve
from mteval.metrics.imported import Imported
from mteval.report.kept_experiment import Card, card_of
from mteval.ui.parts.messages import Severity
from mteval.ui.session.background import Job, ignore
from mteval.ui.session.memory import of_session, statistics, texts_key
from mteval.ui.session.progress import GRACE, background, show_progress
from mteval.values.model import Experiment
from mteval.values.settings import Settings

PLACE = "evaluation"


@dataclass
class Evaluations:
    """What a session remembers of its evaluations; they themselves are among the values of its work.

    Parameters
    ----------
    latest
        From texts and baseline to the key of the last evaluation, whichever scores had been given by then.
    first_primary
        From texts to the metric that the numbers were first read by.
    seen
        What the session has seen numbers of, also where runs were added since.
    is_requested
        The user pressed the button; the work starts with the settings of the run that follows.
    link
        Names the experiment that is kept; empty where nothing is kept of what is shown.
    keep
        Told numbers by the thread that computed them, whether or not anybody looks at the page by then.
    """

    latest: dict[str, str] = field(default_factory=dict)
    first_primary: dict[str, str] = field(default_factory=dict)
    seen: list[Card] = field(default_factory=list)
    is_requested: bool = False
    link: str = ""
    keep: Callable[[Results], None] = ignore

    def note(self, results: Results) -> None:
        """Take down what has been computed."""
        self.latest[_compared_texts(results.experiment)] = evaluation_key(results.experiment, results.settings)
        self.first_primary.setdefault(texts_key(results.experiment), results.settings.primary_metric)
        card = card_of(results.experiment, results)
        if card not in self.seen:
            self.seen.append(card)


def evaluations() -> Evaluations:
    """The session's memory."""
    return of_session("evaluations", Evaluations)


def _compared_texts(experiment: Experiment) -> str:
    """Texts and baseline: what is shown as long as there is nothing newer."""
    return texts_key(experiment) + experiment.baseline


def evaluation_key(experiment: Experiment, settings: Settings) -> str:
    """All that decides the numbers: the experiment, and the settings but for the number of workers."""
    return experiment.digest + json.dumps(settings.deciding, sort_keys=True)


def restore(results: Results, first: str, seen: Iterable[Card]) -> None:
    """Take over numbers that were computed before, the metric that they were first read by, what was seen by then."""
    evaluations().seen.extend(card for card in seen if card not in evaluations().seen)
    background().values.keep({evaluation_key(results.experiment, results.settings): results})
    evaluations().first_primary.setdefault(texts_key(results.experiment), first)
    evaluations().note(results)


def request() -> None:
    """Let the work start in the run that follows, with the settings as they are then."""
    evaluations().is_requested = True


def stop() -> None:
    """Tell the work to stop."""
    background().stop(PLACE)


def refresh(experiment: Experiment, settings: Settings) -> None:
    """Start what was asked for, and by itself what scores no text; take over what has ended. Called once a run."""
    work, memory = background(), evaluations()
    work.collect()
    key = evaluation_key(experiment, settings)
    is_requested, memory.is_requested = memory.is_requested, False
    if key in work.values or work.is_under_way(PLACE, key):
        return
    if is_requested or (key not in work.failures and _scores_no_text(experiment, settings)):
        _begin(experiment, settings, key)


def _scores_no_text(experiment: Experiment, settings: Settings) -> bool:
    """Whether what is known of texts that have numbers already suffices, with scores that were given."""
    metrics = [metric for metric in resolve(settings, experiment.given) if not isinstance(metric, Imported)]
    return texts_key(experiment) in evaluations().first_primary and statistics().has(experiment, metrics)


def _begin(experiment: Experiment, settings: Settings, key: str) -> None:
    known, earlier, link, keep = statistics(), _earlier(experiment), evaluations().link, evaluations().keep

    def compute(work: Work) -> Results:
        scored = known.scored(experiment, resolve(settings, experiment.given), work)
        evaluation = evaluate_scored(experiment, scored, settings, work, earlier)
        results = Results(experiment, evaluation, reported_test_set(experiment))
        keep(results)
        return results

    work = background()
    job = work.begin(PLACE, key, compute, settings.workers, evaluations().note, bool(link))
    if link:
        _under_way()[link] = job
    if job.wait(GRACE):
        work.collect()


@st.cache_resource(show_spinner=False)
def _under_way() -> WeakValueDictionary[str, Job[Results]]:
    """The last work on each experiment that is kept, whichever session began it."""
    return WeakValueDictionary()


def adopt(link: str) -> None:
    """Wait for work on an experiment that is under way since before its page was loaded anew."""
    job = _under_way().get(link)
    if job is not None and not job.is_done:
        background().adopt(PLACE, job, evaluations().note)


def _kept(key: str) -> Results | None:
    results: Results | None = background().values.get(key)
    return results


def _earlier(experiment: Experiment) -> Evaluation | None:
    """The last evaluation of this experiment under whatever settings."""
    results = _kept(evaluations().latest.get(_compared_texts(experiment), ""))
    return None if results is None or results.experiment.digest != experiment.digest else results.evaluation


def is_working() -> bool:
    """Whether work is under way."""
    return PLACE in background().jobs


def progress() -> None:
    """How far it is."""
    show_progress(PLACE)


def notice() -> tuple[Severity, str] | None:
    """How the last work ended, where there is something to say."""
    failure = background().failure_at(PLACE)
    if failure is None:
        return None
    return ("error", failure.error) if failure.error else ("note", "Stopped. What had been scored is kept.")


def current(experiment: Experiment, settings: Settings | None) -> Results | None:
    """The results under the settings, else the last ones under others, else None; on the test set shown first."""
    results = None if settings is None else _kept(evaluation_key(experiment, settings))
    results = results or _kept(evaluations().latest.get(_compared_texts(experiment), ""))
    return results if results is None or results.experiment.digest != experiment.digest else _about(results, experiment)


def _about(results: Results, experiment: Experiment) -> Results:
    """With the languages as they are declared now, which no number depends on."""
    return replace(results, experiment=experiment, test_set=experiment.test_set(results.test_set.name))


def is_outdated(results: Results, experiment: Experiment, settings: Settings) -> bool:
    """Whether results are of other settings than these, or of other scores that were given."""
    return evaluation_key(results.experiment, results.settings) != evaluation_key(experiment, settings)


def first_primary(experiment: Experiment) -> str | None:
    """The metric that the numbers of this experiment were first read by."""
    first = evaluations().first_primary.get(texts_key(experiment))
    return first if first in catalog(experiment.given) else None
