"""The functions of the Python interface: compare, score, claim, nbest, replicate, plan and people."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal, Unpack

import pandas as pd

from mteval.analysis.comparison import compared_system
from mteval.analysis.evaluation import evaluate_scored
from mteval.analysis.findings import findings_of
from mteval.analysis.judged import judged_results
from mteval.analysis.nbest import ListScorers, NbestSummary, summarize_lists
from mteval.analysis.noticed import in_points
from mteval.analysis.replication.planning import Plan, Wish, plan_from, replication, strictest_level
from mteval.analysis.replication.pool import Pool, pool_of, variation_of
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Progress, ignore, means_of_computation, score_experiment
from mteval.analysis.summary import scores_frame
from mteval.answers.findings import finding_notes
from mteval.base.errors import DataError, SettingsError
from mteval.interface import inputs
from mteval.interface.inputs import FilePath, Keywords, ReferenceTexts, Scores, Systems, TestSetInputs, Texts
from mteval.interface.results import Comparison
from mteval.metrics import METRICS, resolve
from mteval.readers.disk import Loaded
from mteval.readers.formats.nbest import read_nbest
from mteval.readers.replays import read_experiment
from mteval.values.findings import Finding
from mteval.values.gate import margin_from
from mteval.values.settings import Settings

Listener = Callable[[Progress], None]


def compare(
    systems: Systems,
    references: Texts | Sequence[ReferenceTexts] | None,
    metrics: str | Sequence[str] | None = None,
    *,
    scores: Mapping[str, Scores | FilePath] | None = None,
    lower_is_better: Collection[str] = (),
    test_sets: Mapping[str, TestSetInputs] | None = None,
    samples: int = 1,
    baseline: str | None = None,
    source: Texts | None = None,
    documents: Texts | None = None,
    languages: str | None = None,
    align: Literal["document"] | None = None,
    nested: str = "",
    settings: Settings | None = None,
    progress: Listener = ignore,
    **changed: Unpack[Keywords],
) -> Comparison:
    """Score the runs of each system and test its difference from the baseline.

    Parameters
    ----------
    systems
        Runs of each system: lists of strings, one per segment, or paths of text files.
    references
        One such list or path, or several (each covers all segments); None for reference-free metrics.
    metrics
        Keys, primary first: ``"bleu,chrf"`` or a list. By default BLEU, chrF, TER, length and all given scores.
    scores, lower_is_better
        Segment scores computed elsewhere, by name: an array ``(runs, segments)`` per system, or a file. Names of those
        on which lower is better.
    test_sets
        Further test sets by name, with keys such as ``systems``, ``references`` and ``role`` (``dev`` if systems were
        tuned on it). The one of the other arguments is named ``test``.
    samples, nested
        How many consecutive texts are samples of one run. File names of runs that share a training.
    baseline
        The system that others are compared with; the first by default.
    source, documents, languages, align
        Source sentence and document ID of each segment; languages, e.g. ``en-de``. With ``align="document"``, outputs
        with other lines than the references are realigned (needs ``mweralign``).
    settings, changed
        Settings, and keywords that change them, e.g. ``seed=1``: fields of ``mteval.Settings``.
    progress
        Callback, called with an ``mteval.analysis.scoring.Progress``.

    Returns
    -------
    Scores, verdicts, tables and figures.

    Raises
    ------
    MtevalError
        For wrong values also a ``ValueError``, for missing files a ``FileNotFoundError``.
    """
    loaded = inputs.load_values(
        systems,
        references,
        baseline,
        source,
        documents,
        scores=scores,
        lower_is_better=lower_is_better,
        test_sets=test_sets,
        samples=samples,
        nested=nested,
        aligns=align is not None,
    )
    loaded = loaded.in_languages(languages)
    settings = inputs.settings_from(settings, changed, loaded, metrics)
    if nested:
        settings = settings.of_trainings()
    return _compared(loaded, settings, progress)


def compare_scores(
    systems: Scores | FilePath | Sequence[FilePath],
    name: str = "score",
    *,
    higher_is_better: bool = True,
    lower_is_better: Collection[str] = (),
    baseline: str | None = None,
    documents: Sequence[str] | None = None,
    settings: Settings | None = None,
    progress: Listener = ignore,
    **changed: Unpack[Keywords],
) -> Comparison:
    """Compare systems by scores from another program, without texts.

    Parameters
    ----------
    systems
        Scores of each system, shape ``(runs, items)``; NaN if missing. Or logs of another program: files or folders.
    name
        Name of the score; in logs the primary one, if they have it.
    higher_is_better
        Direction of the score.
    lower_is_better
        Names of scores in logs on which lower is better.
    baseline
        The system that others are compared with; the first by default.
    documents
        Group of each item, if items come in groups: a document, conversation, or repository.
    settings, changed
        As in ``compare``; the metrics of the settings are ignored.
    progress
        Callback, as in ``compare``.

    Returns
    -------
    Verdicts, tables and figures.

    Raises
    ------
    MtevalError
        If systems have different numbers of items, or scores are not numbers.

    Examples
    --------
    >>> import mteval
    >>> comparison = mteval.compare_scores({"old": [[0.1, 0.4, 0.2]], "new": [[0.2, 0.5, 0.4]]}, "accuracy")
    >>> comparison.comparisons["difference"].round(3).tolist()[0]
    0.133
    """
    loaded = inputs.load_scored(systems, name, higher_is_better, lower_is_better, baseline, documents)
    # The named metric comes first, since that is the primary one; False is sorted before True
    named_first = sorted(loaded.experiment.given, key=lambda metric: name not in (metric.name, metric.key))
    keys = tuple(metric.key for metric in named_first)
    settings = replace(inputs.settings_from(settings, changed), metrics=keys, options={})
    return _compared(loaded, settings, progress)


def load(path: str | Path, *, progress: Listener = ignore) -> Comparison:
    """Recompute the comparison of a saved ``experiment.toml``.

    Returns
    -------
    As ``compare``, on the settings of the file.

    Raises
    ------
    MtevalError
        If the file, a file that it names, or its settings cannot be used.

    Examples
    --------
    >>> import mteval
    >>> comparison = mteval.load("experiment.toml")  # doctest: +SKIP
    """
    replay = read_experiment(Path(path), reserved=METRICS)
    return _compared(replay.loaded, replay.file.settings, progress)


def score(
    systems: Systems,
    references: Texts | Sequence[ReferenceTexts] | None,
    metrics: str | Sequence[str] | None = None,
    *,
    source: Texts | None = None,
    languages: str | None = None,
    settings: Settings | None = None,
    progress: Listener = ignore,
    **changed: Unpack[Keywords],
) -> pd.DataFrame:
    """Compute corpus scores only. Parameters are those of ``compare``.

    Returns
    -------
    One row per run and metric: ``system, run, metric, score``.

    Raises
    ------
    MtevalError
        If inputs or settings cannot be used.

    Examples
    --------
    >>> import mteval
    >>> mteval.score({"A": [["a b c d e"]]}, ["a b c d e"], ["bleu"])["score"].round(1).tolist()
    [100.0]
    """
    loaded = inputs.load_values(systems, references, None, source, None).in_languages(languages)
    experiment = loaded.experiment
    settings = inputs.settings_from(settings, changed, loaded, metrics)
    findings_before = findings_of(experiment, (), settings)
    _warn(findings_before, above=1)
    work = means_of_computation(settings.workers, report=progress)
    scored = score_experiment(experiment, resolve(settings), work)
    _warn(findings_of(experiment, scored, settings), above=1, known=findings_before)
    frame = scores_frame(scored)
    del frame["test_set"]  # a third of the time of drop()
    return frame


def replicate(comparison: Comparison, system: str | None = None, metric: str | None = None) -> pd.DataFrame:
    """Return how the difference varies over other runs, for 1, 2, … runs per system (Clark et al., Figure 2).

    Parameters
    ----------
    system
        The system compared with the baseline; optional if there is only one.
    metric
        Metric key; the primary metric by default.

    Returns
    -------
    One row per number of runs, with the columns of ``analysis.replication.planning.OUTLOOK``.

    Raises
    ------
    DataError
        If the system or metric is unknown, or there are too few runs.

    Examples
    --------
    >>> outlook = mteval.replicate(comparison, metric="bleu")  # doctest: +SKIP
    """
    pool = _pool(comparison, system, metric)
    return replication(pool, comparison.settings, min(pool.sizes)).outlook


def plan(
    comparison: Comparison,
    target: float | str,
    *,
    power: float = 0.8,
    system: str | None = None,
    metric: str | None = None,
) -> Plan:
    """Return how many runs and segments are needed to detect a true difference.

    Parameters
    ----------
    target
        The difference that matters, not the observed one: in points, or as ``"people:60%"``, at which people prefer
        the better of two systems in 60% of pairs.
    power
        Probability of detecting it.
    system, metric
        As in ``replicate``.

    Raises
    ------
    DataError
        If the system or metric is unknown, there are too few runs, or no difference is preferred so often.
    SettingsError
        If the target is neither, or people's preferences are not known for the metric.

    Examples
    --------
    >>> needed = mteval.plan(comparison, target=0.5)  # doctest: +SKIP
    """
    pool = _pool(comparison, system, metric)
    level = strictest_level(comparison.settings, len(comparison.results.systems) - 1)
    try:
        margin = margin_from(str(target))
    except ValueError as error:
        raise SettingsError(f"The target is {target}. Give points, such as 0.5, or people:60%.") from error
    return plan_from(pool, variation_of(pool), Wish(in_points(margin, pool.scored.metric), power, level))


def nbest(
    lists: FilePath,
    references: Texts | Sequence[ReferenceTexts] | None,
    metrics: str | Sequence[str] = ("bleu", "ter"),
    *,
    source: Texts | None = None,
    settings: Settings | None = None,
    **changed: Unpack[Keywords],
) -> NbestSummary:
    """Score every hypothesis of n-best lists (lines ``id ||| hypothesis ||| features ||| score``).

    Parameters
    ----------
    lists
        The file, plain or compressed.
    references, metrics, source, settings, changed
        As in ``compare``.

    Returns
    -------
    Frames ``oracles`` (corpus scores of the first, best and worst hypotheses), ``depths`` and ``lists``.

    Raises
    ------
    MtevalError
        If the file cannot be read, or a metric lacks its inputs.

    Examples
    --------
    >>> summary = mteval.nbest("list.gz", "ref.txt", "bleu")  # doctest: +SKIP
    >>> summary.oracles[["choice", "score"]]  # doctest: +SKIP
    """
    test_set = inputs.reference_set(references, source)
    used_settings = replace(inputs.settings_from(settings, changed), metrics=inputs.metric_keys(metrics), options={})
    if settings is None and "convention" not in changed:  # n-best lists are tokenized
        used_settings = replace(used_settings, convention="multeval")
    scorers = ListScorers.of(resolve(used_settings), test_set)
    work = means_of_computation(used_settings.workers)
    all_lists = read_nbest(Path(lists), test_set.n_segments)
    return summarize_lists(all_lists, scorers, test_set.n_segments, work)


def _compared(loaded: Loaded, settings: Settings, progress: Listener) -> Comparison:
    """Return the comparison of loaded files, and warn about them at the line that called the caller."""
    findings_before = findings_of(loaded.experiment, (), settings)  # known before the scores, which take long
    _warn(findings_before, above=2)
    work = means_of_computation(settings.workers, report=progress)
    scored = score_experiment(loaded.experiment, resolve(settings, loaded.experiment.given), work)
    evaluation = evaluate_scored(loaded.experiment, scored, settings, work)
    _warn(evaluation.findings, above=2, known=findings_before)
    results = Results(loaded.experiment, evaluation, reported_test_set(loaded.experiment))
    comparison = Comparison(judged_results(results, loaded, work), loaded)
    vars(comparison)["scored_on_all"] = scored  # further tests reuse the scores and the results kept with them
    return comparison


def _warn(findings: Iterable[Finding], above: int, known: Collection[Finding] = ()) -> None:
    """Warn about the data, but not of known findings, at the line of the caller ``above`` functions up."""
    new = [finding for finding in findings if finding not in known]
    for note in finding_notes(new):
        warnings.warn(note.text, stacklevel=above + 2)


def _pool(comparison: Comparison, system: str | None, metric: str | None) -> Pool:
    """Return the runs of the baseline and a system by a metric.

    Raises
    ------
    DataError
        If the system or metric is unknown.
    """
    settings = comparison.settings
    baseline = comparison.experiment.baseline
    others = [key for key in comparison.results.systems if key != baseline]
    compared = compared_system(others, system)
    wanted = metric or settings.primary_metric
    if wanted not in settings.metrics:
        raise DataError(f"Metric '{wanted}' was not computed. Computed: {', '.join(settings.metrics)}.")
    scored = next(scored for scored in comparison.scored if scored.metric.key == wanted)
    return pool_of(scored, baseline, compared, settings, comparison.scored)
