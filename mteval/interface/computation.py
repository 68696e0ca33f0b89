"""Compare, score, replicate, plan, people: what pages and commands compute, from a program's values."""

import os
import warnings
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from mteval.analysis.evaluation import evaluate
from mteval.analysis.people.agreement import LEVELS, PAPER
from mteval.analysis.people.gold import RANK_SUM
from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation
from mteval.analysis.people.judgements import judgement_frame
from mteval.analysis.replication.planning import Plan, Wish, plan_from, replication, strictest_level
from mteval.analysis.replication.pool import Pool, pool_of, variation_of
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import language_warnings, score_experiment
from mteval.analysis.summary import scores_frame
from mteval.analysis.work import Progress, ignore, means_of_computation
from mteval.base.errors import DataError
from mteval.interface.inputs import Scores, Systems, Texts, load_given, load_values
from mteval.interface.results import Comparison, People
from mteval.metrics import METRICS, resolve
from mteval.metrics.base import OptionValue
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.disk import Loaded, file_at
from mteval.readers.documents import InputFile
from mteval.readers.named_files import ScoreFiles, load_scores
from mteval.readers.replays import read_experiment
from mteval.report.people import human_evaluation, judged_results
from mteval.values.model import Experiment
from mteval.values.settings import Convention, Design, ExchangeUnit, Settings, Spending

_DEFAULTS = Settings()
Options = Mapping[str, Mapping[str, OptionValue]]
NO_OPTIONS: Options = {}
Listener = Callable[[Progress], None]
FilePath = str | os.PathLike[str]
Judgements = FilePath | Sequence[FilePath] | pd.DataFrame
"""Files of judgements, or a frame with columns ``annotator``, ``system``, ``segment`` and a column for each scale."""


def compare(
    systems: Systems,
    references: Texts | Sequence[Texts] | None,
    metrics: Sequence[str] = _DEFAULTS.metrics,
    *,
    baseline: str | None = None,
    source: Texts | None = None,
    documents: Texts | None = None,
    languages: str | None = None,
    convention: Convention = _DEFAULTS.convention,
    options: Options = NO_OPTIONS,
    n_bootstrap: int = _DEFAULTS.n_bootstrap,
    n_shuffles: int = _DEFAULTS.n_shuffles,
    seed: int = _DEFAULTS.seed,
    confidence: float = _DEFAULTS.confidence,
    exchange_unit: ExchangeUnit = _DEFAULTS.exchange_unit,
    design: Design = _DEFAULTS.design,
    looks: Sequence[int] = _DEFAULTS.looks,
    spending: Spending = _DEFAULTS.spending,
    run_word: str = _DEFAULTS.run_word,
    workers: int = _DEFAULTS.workers,
    progress: Listener = ignore,
) -> Comparison:
    """Score the runs of systems and ask of each whether luck explains its difference from the baseline.

    Parameters
    ----------
    systems
        For each system its runs: lists of one string a segment, or paths of files with one segment a line.
    references
        One such list or path, or a list of several lists or ``Path`` values, each a reference for every segment;
        None where there are none, for metrics that need none.
    metrics
        Keys, the primary one first: ``bleu``, ``chrf``, ``ter`` and the others that ``mteval eval --help`` lists.
    baseline
        The system that the others are compared with; the first where none is named.
    source, documents
        The source sentence, and the id of the document, of each segment.
    languages
        What is translated into what, as ``en-de``: a language that a model has not seen is a warning.
    convention
        ``sacrebleu`` (detokenized text) or ``multeval`` (text already tokenized).
    options
        For a metric options that differ from the convention's: ``{"bleu": {"lowercase": True}}``.
    n_bootstrap, n_shuffles, seed, confidence, exchange_unit, design, looks, spending, run_word
        As in ``mteval.Settings``. All random numbers follow from the seed.
    workers
        Threads; no number depends on it. 0 takes all cores.
    progress
        Called with how far the work is.

    Raises
    ------
    MtevalError
        Where inputs or settings cannot be used: what was found, what was expected, how to mend it.
    """
    settings = Settings(
        metrics=tuple(metrics), convention=convention, options=options, n_bootstrap=n_bootstrap, n_shuffles=n_shuffles,
        seed=seed, confidence=confidence, exchange_unit=exchange_unit, design=design, looks=tuple(looks),
        spending=spending, run_word=run_word, workers=workers,
    )  # fmt: skip
    loaded = load_values(systems, references, baseline, source, documents).in_languages(languages)
    return _compared(loaded, settings, progress)


def compare_scores(
    systems: Scores,
    name: str = "score",
    *,
    higher_is_better: bool = True,
    baseline: str | None = None,
    documents: Sequence[str] | None = None,
    settings: Settings = _DEFAULTS,
    progress: Listener = ignore,
) -> Comparison:
    """The same questions of scores that some other program gave to items, whose texts are not at hand.

    Parameters
    ----------
    systems
        For each system its scores, shape ``(runs, items)``; NaN where there is none.
    name
        What the score is called.
    baseline
        The system that the others are compared with; the first where none is named.
    documents
        What each item belongs to, where items come in groups: a conversation, a page, a repository.
    settings
        Shuffles, seed, confidence and the like; its metrics are not looked at.

    Raises
    ------
    MtevalError
        Where the scores have different numbers of items, or are no numbers.
    """
    loaded = load_given(systems, name, higher_is_better, baseline, documents)
    keys = tuple(metric.key for metric in loaded.experiment.given)
    return _compared(loaded, replace(settings, metrics=keys, options={}), progress)


def load(path: str | Path, *, progress: Listener = ignore) -> Comparison:
    """The comparison that an ``experiment.toml`` describes, computed again.

    Raises
    ------
    MtevalError
        Where the file, one that it names or its settings cannot be used.
    """
    replay = read_experiment(Path(path), reserved=METRICS)
    return _compared(replay.loaded, replay.file.settings, progress)


def score(
    systems: Systems,
    references: Texts | Sequence[Texts] | None,
    metrics: Sequence[str] = _DEFAULTS.metrics,
    *,
    source: Texts | None = None,
    languages: str | None = None,
    convention: Convention = _DEFAULTS.convention,
    options: Options = NO_OPTIONS,
    workers: int = _DEFAULTS.workers,
    progress: Listener = ignore,
) -> pd.DataFrame:
    """Corpus scores alone, one row a run and metric: ``system, run, metric, score``. Parameters as in ``compare``.

    Raises
    ------
    MtevalError
        As ``compare``.
    """
    loaded = load_values(systems, references, None, source, None).in_languages(languages)
    settings = Settings(tuple(metrics), convention, options, workers=workers)
    _warn(loaded.experiment, settings, above=1)
    work = means_of_computation(workers, report=progress)
    scored = score_experiment(loaded.experiment, resolve(settings), work)
    return scores_frame(scored).drop(columns="test_set")


def replicate(comparison: Comparison, system: str | None = None, metric: str | None = None) -> pd.DataFrame:
    """What other runs would have shown, for 1, 2, … runs of each system: Clark et al.'s Figure 2 as a frame.

    Parameters
    ----------
    system
        Compared with the baseline; may be left out where there is one.
    metric
        The primary one where none is named.

    Returns
    -------
    One row a number of runs, with the columns of ``analysis.replication.planning.OUTLOOK``.

    Raises
    ------
    DataError
        Where the system or metric is not there, or runs are too few.
    """
    pool = _pool(comparison, system, metric)
    return replication(pool, comparison.settings, min(pool.sizes)).outlook


def plan(
    comparison: Comparison,
    target: float,
    *,
    power: float = 0.8,
    system: str | None = None,
    metric: str | None = None,
) -> Plan:
    """How many runs and segments it takes to find a true difference of ``target`` points with such a power.

    Other parameters as in ``replicate``. The target is the difference that matters, not the one observed.

    Raises
    ------
    DataError
        As ``replicate``.
    """
    pool = _pool(comparison, system, metric)
    n_compared = len(comparison.results.systems) - 1
    wish = Wish(target, power, strictest_level(comparison.settings, n_compared))
    return plan_from(pool, variation_of(pool), wish)


def people(
    judgements: Judgements,
    compared: Comparison | None = None,
    *,
    scales: Sequence[str] = (),
    lower_is_better: Collection[str] = (),
    standardise: bool | None = None,
    gold: str = RANK_SUM,
    gold_unit: str = HumanChoices.gold_unit,
    procedures: Sequence[str] = PAPER,
    sides: str = HumanChoices.sides,
    levels: Sequence[float] = LEVELS,
    baseline: str | None = None,
    scores_higher: Sequence[FilePath] = (),
    scores_lower: Sequence[FilePath] = (),
    documents: Sequence[str] | None = None,
    settings: Settings = _DEFAULTS,
) -> People:
    """Ask of judgements which systems people tell apart, and of metrics, tests and other raters whether they agree.

    Parameters
    ----------
    compared
        Outputs of the systems that were judged, with metrics: people are compared with these.
    scales
        The scale that decides, then the one that breaks its ties; adequacy and fluency, or the only one, without.
    lower_is_better
        Scales on which lower values are better.
    standardise
        By annotator; None does so for ratings and not for weights of errors.
    gold, gold_unit
        The test between people's judgements, ``rank-sum`` or one of ``procedures``, and what it takes as independent:
        ``judgement``, ``segment`` or ``document``.
    procedures, sides, levels
        Tests of metrics that are weighed by people; ``one``, ``two`` or ``both``; levels of both.
    baseline
        The system that the raters are asked about; all pairs without.
    scores_higher, scores_lower
        In the place of ``compared``, files of scores of segments that are better when higher, or lower.
    documents
        In the place of those of ``compared``, the document of each segment.
    settings
        Shuffles, replicates, seed, confidence and units where nothing is ``compared``, which brings its own.

    Raises
    ------
    MtevalError
        Where the judgements cannot be read or do not fit the segments.
    """
    choices = HumanChoices(
        tuple(scales), standardise, gold, gold_unit, tuple(procedures), sides, tuple(levels), baseline
    )
    work = means_of_computation(settings.workers)
    if compared is not None:
        test_set, settings = compared.results.test_set, compared.settings
        frame = _judged(judgements, scales, lower_is_better, test_set.documents or documents)
        return People(human_evaluation(frame, compared.experiment, test_set, settings, choices, work))
    frame = _judged(judgements, scales, lower_is_better, documents)
    files = ScoreFiles([Path(path) for path in scores_higher], [Path(path) for path in scores_lower], METRICS)
    if not files.names:
        return People(HumanEvaluation(frame, choices, None, lambda: (), settings, work))
    experiment = load_scores(files, documents).experiment
    settings = replace(settings, metrics=tuple(given.key for given in experiment.given), options={})
    return People(human_evaluation(frame, experiment, experiment.test_sets[0], settings, choices, work))


def _judged(
    judgements: Judgements, scales: Sequence[str], lower: Collection[str], documents: Sequence[str] | None
) -> pd.DataFrame:
    if isinstance(judgements, pd.DataFrame):
        files = [InputFile("judgements.tsv", judgements.to_csv(index=False, sep="\t").encode("utf-8"))]
    else:
        paths = [judgements] if isinstance(judgements, (str, os.PathLike)) else judgements
        files = [file_at(Path(path)) for path in paths]
    read = read_judgements(files, scales=scales, lower_is_better=lower, documents=documents)
    return judgement_frame(read.judgements)


def _compared(loaded: Loaded, settings: Settings, progress: Listener) -> Comparison:
    _warn(loaded.experiment, settings, above=2)
    work = means_of_computation(settings.workers, report=progress)
    evaluation = evaluate(loaded.experiment, settings, work)
    results = Results(loaded.experiment, evaluation, reported_test_set(loaded.experiment))
    return Comparison(judged_results(results, loaded, work), loaded)


def _warn(experiment: Experiment, settings: Settings, above: int) -> None:
    """Warn of languages that models have not seen, at the line of whoever called the function so far above."""
    for said in language_warnings(experiment, settings.metrics):
        warnings.warn(said, stacklevel=above + 2)


def _pool(comparison: Comparison, system: str | None, metric: str | None) -> Pool:
    results, settings = comparison.results, comparison.settings
    compared = [key for key in results.systems if key != results.experiment.baseline]
    chosen = compared[0] if system is None and len(compared) == 1 else system
    if chosen not in compared:
        raise DataError(f"System {chosen!r} is not compared with the baseline; name one of {', '.join(compared)}.")
    key = metric or settings.primary_metric
    if key not in settings.metrics:
        raise DataError(f"The metric '{key}' was not computed; name one of {', '.join(settings.metrics)}.")
    reported = replace(results.experiment, test_sets=(results.test_set,))
    scored = score_experiment(reported, resolve(settings, reported.given), means_of_computation(settings.workers))
    return pool_of(next(one for one in scored if one.metric.key == key), results.experiment.baseline, chosen, settings)
