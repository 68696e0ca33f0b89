"""When an evaluation starts, and which results pages may show."""

import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from weakref import WeakValueDictionary

import streamlit as st

from mteval.analysis.evaluation import Evaluation, evaluate_scored
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.metrics import catalog, resolve
from mteval.metrics.base import Metric
from mteval.metrics.imported import Imported
from mteval.report.kept_experiment import Card, card_of
from mteval.ui.elements import Severity
from mteval.ui.session.background import Job, ignore
from mteval.ui.session.memory import forget_made, of_session, statistics, texts_key
from mteval.ui.session.progress import GRACE, background, first_results
from mteval.values.model import Experiment
from mteval.values.settings import Settings

PLACE = "evaluation"


@dataclass
class Evaluations:
    """What a session remembers of its evaluations; the results are values of its background.

    Parameters
    ----------
    latest
        From texts and baseline to the key of the last evaluation, whichever scores had been given by then.
    first_primary
        From texts to the primary metric when their scoring began, or when the proposal of human scores was answered.
    shown, answered
        Texts whose numbers were shown; texts for which the user answered whether human scores decide.
    scored
        From texts to the metrics that they were scored by.
    seen
        Experiments whose numbers the session has seen, even if runs were added since.
    is_requested
        Whether the user pressed the button; the work starts with the settings of the run that follows.
    link
        Names the saved experiment; empty if nothing of what is shown is saved.
    keep
        Called with the results by the thread that computed them, even if nobody looks at the page by then.
    """

    latest: dict[str, str] = field(default_factory=dict)
    first_primary: dict[str, str] = field(default_factory=dict)
    shown: set[str] = field(default_factory=set)
    answered: set[str] = field(default_factory=set)
    scored: dict[str, set[Metric]] = field(default_factory=dict)
    seen: list[Card] = field(default_factory=list)
    is_requested: bool = False
    link: str = ""
    keep: Callable[[Results], None] = ignore

    def note(self, results: Results) -> None:
        """Record a finished evaluation."""
        first_results().set()
        self.latest[_compared_texts(results.experiment)] = evaluation_key(results.experiment, results.settings)
        metrics = resolve(results.settings, results.experiment.given)
        self.scored.setdefault(texts_key(results.experiment), set()).update(metrics)
        card = card_of(results.experiment, results)
        if card not in self.seen:
            self.seen.append(replace(card, scored=time.time()))

    def seen_card(self, results: Results) -> Card:
        """Return the card of results, with the time when they were first seen if that is known."""
        card = card_of(results.experiment, results)
        return next((seen for seen in self.seen if seen == card), card)


def evaluations() -> Evaluations:
    """Return the session's memory."""
    return of_session("evaluations", Evaluations)


def _compared_texts(experiment: Experiment) -> str:
    """Return the key of texts and baseline: their results are shown until there are newer ones."""
    return texts_key(experiment) + experiment.baseline


def evaluation_key(experiment: Experiment, settings: Settings) -> str:
    """Return the key of everything that decides the results: experiment and settings without workers."""
    return experiment.digest + json.dumps(settings.deciding, sort_keys=True)


def restore(results: Results, first: str, seen: Iterable[Card]) -> None:
    """Restore saved results, their first primary metric, and what was seen by then."""
    memory = evaluations()
    for card in seen:
        if card not in memory.seen:
            memory.seen.append(card)
    key = evaluation_key(results.experiment, results.settings)
    if background().values.get(key) not in (None, results):
        forget_made()  # of the same experiment and settings, perhaps by another version
    background().values.keep({key: results})
    memory.first_primary.setdefault(texts_key(results.experiment), first)
    memory.shown.add(texts_key(results.experiment))
    memory.note(results)


def request() -> None:
    """Start scoring in the next run, with the settings as they are then."""
    evaluations().is_requested = True


def stop() -> None:
    """Stop scoring."""
    background().stop(PLACE)


def refresh(experiment: Experiment, settings: Settings, is_settled: bool) -> list[str]:
    """Start requested scoring, and by itself what needs no click; collect what has ended. Once per run.

    Parameters
    ----------
    is_settled
        Whether nothing is open about the files, so that fast metrics are scored without a click.

    Returns
    -------
    Keys of the metrics that wait for a click: slow ones without scores.
    """
    work = background()
    memory = evaluations()
    work.collect()
    is_requested = memory.is_requested
    memory.is_requested = False
    waiting = _waiting_metrics(experiment, settings)
    key = evaluation_key(experiment, settings)
    if key in work.values or work.is_under_way(PLACE, key):
        return waiting
    if is_requested:
        _begin(experiment, settings, key)
        return waiting

    # Without a click, only the fast metrics are scored.
    if settings.primary_metric in waiting:
        return waiting
    if not is_settled and not _scores_no_text(experiment, settings):
        return waiting
    fast_metrics = tuple(metric for metric in settings.metrics if metric not in waiting)
    fast_settings = replace(settings, metrics=fast_metrics)
    fast_key = evaluation_key(experiment, fast_settings)
    if fast_key in work.values:
        memory.latest[_compared_texts(experiment)] = fast_key
    elif fast_key not in work.failures and not work.is_under_way(PLACE, fast_key):
        _begin(experiment, fast_settings, fast_key)
    return waiting


def _waiting_metrics(experiment: Experiment, settings: Settings) -> list[str]:
    """Return the keys of slow metrics that have no scores yet."""
    specs = catalog(experiment.given)
    scored = evaluations().scored.get(texts_key(experiment), set())
    waiting = []
    for metric in resolve(settings, experiment.given):
        if not specs[metric.key].is_slow or metric in scored:
            continue
        if not statistics().has(experiment, [metric]):
            waiting.append(metric.key)
    return waiting


def _scores_no_text(experiment: Experiment, settings: Settings) -> bool:
    """Return whether all needed scores are known or given."""
    metrics = [metric for metric in resolve(settings, experiment.given) if not isinstance(metric, Imported)]
    return texts_key(experiment) in evaluations().scored and statistics().has(experiment, metrics)


def _begin(experiment: Experiment, settings: Settings, key: str) -> None:
    """Start scoring. The thread reads nothing of the session, so all that it needs is read here."""
    statistics_of_session = statistics()
    earlier = _earlier(experiment)
    memory = evaluations()
    link = memory.link
    keep = memory.keep
    memory.first_primary.setdefault(texts_key(experiment), settings.primary_metric)

    def compute(work: Work) -> Results:
        scored = statistics_of_session.scored(experiment, resolve(settings, experiment.given), work)
        evaluation = evaluate_scored(experiment, scored, settings, work, earlier)
        results = Results(experiment, evaluation, reported_test_set(experiment))
        keep(results)
        return results

    work = background()
    job = work.begin(PLACE, key, compute, settings.workers, listener=memory.note, is_kept=bool(link))
    if link:
        _under_way()[link] = job
    if job.wait(GRACE):
        work.collect()


@st.cache_resource(show_spinner=False)
def _under_way() -> WeakValueDictionary[str, Job[Results]]:
    """Return the last job on each saved experiment, whichever session started it."""
    return WeakValueDictionary()


def adopt(link: str) -> None:
    """Wait for scoring that started before the page was reloaded."""
    job = _under_way().get(link)
    if job is not None and not job.is_done:
        background().adopt(PLACE, job, evaluations().note)


def _kept(key: str) -> Results | None:
    """Return the results of an evaluation; None if there are none any more."""
    results: Results | None = background().values.get(key)
    return results


def _earlier(experiment: Experiment) -> Evaluation | None:
    """Return the last evaluation of this experiment under any settings."""
    results = _kept(evaluations().latest.get(_compared_texts(experiment), ""))
    if results is None or results.experiment.digest != experiment.digest:
        return None
    return results.evaluation


def is_working() -> bool:
    """Return whether scoring is running."""
    return PLACE in background().jobs


def notice() -> tuple[Severity, str] | None:
    """Return how the last scoring ended, if there is something to show."""
    failure = background().failure_at(PLACE)
    if failure is None:
        return None
    if not failure:  # the user stopped it
        return "note", "Stopped. Scores computed so far are kept."
    return "error", failure


def current(experiment: Experiment, settings: Settings | None) -> Results | None:
    """Return results under these settings, else the last ones under others, else None.

    Scoring begins as soon as files arrive. Before any number of these texts was shown, results by another primary
    metric than the chosen one are none that anyone asked for.
    """
    memory = evaluations()
    results = None
    if settings is not None:
        results = _kept(evaluation_key(experiment, settings))
    if results is None:
        results = _kept(memory.latest.get(_compared_texts(experiment), ""))
        is_by_another = (
            results is not None and settings is not None and results.settings.primary_metric != settings.primary_metric
        )
        if is_by_another and texts_key(experiment) not in memory.shown:
            return None
    if results is None or results.experiment is experiment or results.experiment.digest != experiment.digest:
        return results
    # The same experiment may have other languages now, which change no number.
    return replace(results, experiment=experiment, test_set=experiment.test_set(results.test_set.name))


def is_outdated(results: Results, experiment: Experiment, settings: Settings) -> bool:
    """Return whether results are for other settings or other given scores."""
    return evaluation_key(results.experiment, results.settings) != evaluation_key(experiment, settings)


def proposed_primary(experiment: Experiment, settings: Settings) -> str | None:
    """Return the human scores to propose as primary metric, before any number is shown; None if that is settled."""
    if not may_propose(experiment):
        return None
    human = [given.key for given in experiment.given if given.is_of_people]
    if not human or settings.primary_metric in human:
        return None
    return human[0]


def may_propose(experiment: Experiment) -> bool:
    """Return whether no number of these texts was shown, and the question who decides is open."""
    texts = texts_key(experiment)
    memory = evaluations()
    return texts not in memory.shown and texts not in memory.answered


def answer_proposal(experiment: Experiment, primary: str) -> None:
    """Record the answer to the proposal: a planned primary metric, since no number was shown before."""
    texts = texts_key(experiment)
    memory = evaluations()
    memory.answered.add(texts)
    memory.first_primary[texts] = primary


def note_shown(experiment: Experiment) -> None:
    """Record that numbers of these texts were shown."""
    evaluations().shown.add(texts_key(experiment))


def first_primary(experiment: Experiment) -> str | None:
    """Return the primary metric when scoring of this experiment began."""
    first = evaluations().first_primary.get(texts_key(experiment))
    if first not in catalog(experiment.given):
        return None
    return first
