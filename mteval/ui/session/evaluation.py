"""When an evaluation starts, and which results pages may show."""

import json
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
from mteval.ui.session.memory import of_session, statistics, texts_key
from mteval.ui.session.progress import GRACE, background
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
        From texts to the primary metric when their scoring began.
    scored
        From texts to the metrics that they were scored by.
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
    scored: dict[str, set[Metric]] = field(default_factory=dict)
    seen: list[Card] = field(default_factory=list)
    is_requested: bool = False
    link: str = ""
    keep: Callable[[Results], None] = ignore

    def note(self, results: Results) -> None:
        """Record a finished evaluation."""
        self.latest[_compared_texts(results.experiment)] = evaluation_key(results.experiment, results.settings)
        metrics = resolve(results.settings, results.experiment.given)
        self.scored.setdefault(texts_key(results.experiment), set()).update(metrics)
        card = card_of(results.experiment, results)
        if card not in self.seen:
            self.seen.append(card)


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
    evaluations().seen.extend(card for card in seen if card not in evaluations().seen)
    background().values.keep({evaluation_key(results.experiment, results.settings): results})
    evaluations().first_primary.setdefault(texts_key(results.experiment), first)
    evaluations().note(results)


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
    work, memory = background(), evaluations()
    work.collect()
    is_requested, memory.is_requested = memory.is_requested, False
    waits, whole = _waiting(experiment, settings), evaluation_key(experiment, settings)
    if whole in work.values or work.is_under_way(PLACE, whole):
        return waits
    if is_requested:
        _begin(experiment, settings, whole)
    elif settings.primary_metric not in waits and (is_settled or _scores_no_text(experiment, settings)):
        fast = replace(settings, metrics=tuple(key for key in settings.metrics if key not in waits))
        key = evaluation_key(experiment, fast)
        if key in work.values:
            memory.latest[_compared_texts(experiment)] = key
        elif key not in work.failures and not work.is_under_way(PLACE, key):
            _begin(experiment, fast, key)
    return waits


def _waiting(experiment: Experiment, settings: Settings) -> list[str]:
    known, specs = evaluations().scored.get(texts_key(experiment), set()), catalog(experiment.given)
    slow = [metric for metric in resolve(settings, experiment.given) if specs[metric.key].is_slow]
    return [one.key for one in slow if one not in known and not statistics().has(experiment, [one])]


def _scores_no_text(experiment: Experiment, settings: Settings) -> bool:
    """Return whether all needed scores are known or given."""
    metrics = [metric for metric in resolve(settings, experiment.given) if not isinstance(metric, Imported)]
    return texts_key(experiment) in evaluations().scored and statistics().has(experiment, metrics)


def _begin(experiment: Experiment, settings: Settings, key: str) -> None:
    known, earlier, link, keep = statistics(), _earlier(experiment), evaluations().link, evaluations().keep
    evaluations().first_primary.setdefault(texts_key(experiment), settings.primary_metric)

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
    """Return the last job on each saved experiment, whichever session started it."""
    return WeakValueDictionary()


def adopt(link: str) -> None:
    """Wait for scoring that started before the page was reloaded."""
    job = _under_way().get(link)
    if job is not None and not job.is_done:
        background().adopt(PLACE, job, evaluations().note)


def _kept(key: str) -> Results | None:
    results: Results | None = background().values.get(key)
    return results


def _earlier(experiment: Experiment) -> Evaluation | None:
    """Return the last evaluation of this experiment under any settings."""
    results = _kept(evaluations().latest.get(_compared_texts(experiment), ""))
    return None if results is None or results.experiment.digest != experiment.digest else results.evaluation


def is_working() -> bool:
    """Return whether scoring is running."""
    return PLACE in background().jobs


def notice() -> tuple[Severity, str] | None:
    """Return how the last scoring ended, if there is something to show."""
    if (failure := background().failure_at(PLACE)) is None:
        return None
    return ("error", failure) if failure else ("note", "Stopped. Scores computed so far are kept.")


def current(experiment: Experiment, settings: Settings | None) -> Results | None:
    """Return results under these settings, else the last ones under others, else None."""
    results = None if settings is None else _kept(evaluation_key(experiment, settings))
    results = results or _kept(evaluations().latest.get(_compared_texts(experiment), ""))
    return results if results is None or results.experiment.digest != experiment.digest else _about(results, experiment)


def _about(results: Results, experiment: Experiment) -> Results:
    """Return results with the languages as declared now, which change no number."""
    return replace(results, experiment=experiment, test_set=experiment.test_set(results.test_set.name))


def is_outdated(results: Results, experiment: Experiment, settings: Settings) -> bool:
    """Return whether results are for other settings or other given scores."""
    return evaluation_key(results.experiment, results.settings) != evaluation_key(experiment, settings)


def first_primary(experiment: Experiment) -> str | None:
    """Return the primary metric when scoring of this experiment began."""
    first = evaluations().first_primary.get(texts_key(experiment))
    return first if first in catalog(experiment.given) else None
