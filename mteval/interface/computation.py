"""The functions of the Python interface: compare, score, replicate, plan and people."""

import os
import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from mteval.analysis.evaluation import evaluate
from mteval.analysis.findings import findings_of
from mteval.analysis.people.agreement import LEVELS, PAPER
from mteval.analysis.people.gold import RANK_SUM
from mteval.analysis.people.human_evaluation import HumanChoices, HumanEvaluation
from mteval.analysis.people.judgements import judgement_frame
from mteval.analysis.replication.planning import Plan, Wish, plan_from, replication, strictest_level
from mteval.analysis.replication.pool import Pool, pool_of, variation_of
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import score_experiment
from mteval.analysis.summary import scores_frame
from mteval.analysis.work import Progress, ignore, means_of_computation
from mteval.answers.findings import finding_notes
from mteval.base.errors import DataError
from mteval.interface.inputs import Scores, Systems, Texts, load_given, load_values
from mteval.interface.results import Comparison, People
from mteval.metrics import METRICS, resolve, with_language
from mteval.metrics.base import OptionValue
from mteval.readers.appearance import suggest_convention
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.disk import Loaded, file_at
from mteval.readers.documents import InputFile
from mteval.readers.named_files import ScoreFiles, load_scores
from mteval.readers.replays import read_experiment
from mteval.report.page import human_evaluation, judged_results
from mteval.values.findings import Finding
from mteval.values.settings import Convention, Decision, Design, ExchangeUnit, Settings, Spending

_DEFAULTS = Settings()
Options = Mapping[str, Mapping[str, OptionValue]]
NO_OPTIONS: Options = {}
Listener = Callable[[Progress], None]
FilePath = str | os.PathLike[str]
Judgements = FilePath | Sequence[FilePath] | pd.DataFrame
"""Files of judgements, or a frame with columns ``annotator``, ``system``, ``segment`` and one per scale."""


def compare(
    systems: Systems,
    references: Texts | Sequence[Texts] | None,
    metrics: Sequence[str] = _DEFAULTS.metrics,
    *,
    baseline: str | None = None,
    source: Texts | None = None,
    documents: Texts | None = None,
    languages: str | None = None,
    nested: str = "",
    convention: Convention | None = None,
    options: Options = NO_OPTIONS,
    n_bootstrap: int = _DEFAULTS.n_bootstrap,
    n_shuffles: int = _DEFAULTS.n_shuffles,
    seed: int = _DEFAULTS.seed,
    confidence: float = _DEFAULTS.confidence,
    exchange_unit: ExchangeUnit = _DEFAULTS.exchange_unit,
    design: Design = _DEFAULTS.design,
    strict: bool = _DEFAULTS.strict,
    decision: Decision = _DEFAULTS.decision,
    looks: Sequence[int] = _DEFAULTS.looks,
    spending: Spending = _DEFAULTS.spending,
    run_word: str = _DEFAULTS.run_word,
    workers: int = _DEFAULTS.workers,
    progress: Listener = ignore,
) -> Comparison:
    """Score the runs of each system and test its difference from the baseline.

    Parameters
    ----------
    systems
        Runs of each system: lists of strings, one per segment, or paths of text files with one segment per line.
    references
        One such list or path, or a sequence of several (each covers all segments); None for reference-free metrics.
    metrics
        Metric keys, primary metric first: ``bleu``, ``chrf``, ``ter`` and others listed by ``mteval eval --help``.
    baseline
        The system that others are compared with; the first by default.
    source, documents
        Source sentence and document ID of each segment.
    languages
        Source and target language, e.g. ``en-de``; warn if a model was not trained on them.
    nested
        Pattern of the file names of runs that share a training, e.g. ``seed{training}-*``; they are averaged.
    convention
        ``sacrebleu`` (raw text) or ``multeval`` (tokenized text); None decides from the text.
    options
        Metric options that differ from the convention: ``{"bleu": {"lowercase": True}}``.
    n_bootstrap, n_shuffles, seed, confidence, exchange_unit, design, strict, decision, looks, spending, run_word
        See ``mteval.Settings``.
    workers
        Number of threads, 0 for all cores; results do not depend on it.
    progress
        Callback, called with an ``mteval.analysis.work.Progress``.

    Returns
    -------
    Scores, verdicts, tables and figures.

    Raises
    ------
    MtevalError
        If inputs or settings cannot be used.

    Examples
    --------
    >>> import mteval
    >>> found = mteval.compare(
    ...     {"old": [["a b c d", "e f f"], ["a b c", "e f g"]], "new": [["a b c d", "e f g"], ["a b c d", "e g"]]},
    ...     references=["a b c d", "e f g"], metrics=["length"], n_shuffles=100, n_bootstrap=100,
    ... )
    >>> found.scores["score"].round(1).tolist()
    [100.0, 85.7, 100.0, 85.7]
    """
    loaded = load_values(systems, references, baseline, source, documents, nested=nested).in_languages(languages)
    convention = convention or suggest_convention(loaded.experiment).convention
    settings = Settings(
        metrics=tuple(metrics), convention=convention, options=options, n_bootstrap=n_bootstrap, n_shuffles=n_shuffles,
        seed=seed, confidence=confidence, exchange_unit=exchange_unit, design=design, strict=strict, decision=decision,
        looks=tuple(looks), spending=spending, run_word=run_word, workers=workers,
    )  # fmt: skip
    settings = settings.of_trainings() if nested else settings
    return _compared(loaded, with_language(settings, loaded.experiment), progress)


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
    """Compare systems by scores from another program, without texts.

    Parameters
    ----------
    systems
        Scores of each system, shape ``(runs, items)``; NaN if missing.
    name
        Name of the score.
    higher_is_better
        Direction of the score.
    baseline
        The system that others are compared with; the first by default.
    documents
        Group of each item, if items come in groups: a document, conversation, or repository.
    settings
        Shuffles, seed, confidence and so on; its metrics are ignored.
    progress
        Callback, as in ``compare``.

    Raises
    ------
    MtevalError
        If systems have different numbers of items, or scores are not numbers.

    Examples
    --------
    >>> import mteval
    >>> found = mteval.compare_scores({"old": [[0.1, 0.4, 0.2]], "new": [[0.2, 0.5, 0.4]]}, "accuracy")
    >>> found.comparisons["difference"].round(3).tolist()[0]
    0.133
    """
    loaded = load_given(systems, name, higher_is_better, baseline, documents)
    keys = tuple(metric.key for metric in loaded.experiment.given)
    return _compared(loaded, replace(settings, metrics=keys, options={}), progress)


def load(path: str | Path, *, progress: Listener = ignore) -> Comparison:
    """Recompute the comparison of a saved ``experiment.toml``.

    Raises
    ------
    MtevalError
        If the file, a file that it names, or its settings cannot be used.

    Examples
    --------
    >>> import mteval
    >>> found = mteval.load("experiment.toml")  # doctest: +SKIP
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
    convention: Convention | None = None,
    options: Options = NO_OPTIONS,
    workers: int = _DEFAULTS.workers,
    progress: Listener = ignore,
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
    loaded = load_values(systems, references, None, source, None).in_languages(languages)
    experiment = loaded.experiment
    settings = Settings(tuple(metrics), convention or suggest_convention(experiment).convention, options)
    settings = with_language(settings, experiment)
    early = findings_of(experiment, (), settings)
    _warn(early, above=1)
    scored = score_experiment(experiment, resolve(settings), means_of_computation(workers, report=progress))
    _warn(findings_of(experiment, scored, settings), above=1, said=early)
    return scores_frame(scored).drop(columns="test_set")


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
    >>> outlook = mteval.replicate(found, metric="bleu")  # doctest: +SKIP
    """
    pool = _pool(comparison, system, metric)
    return replication(pool, comparison.settings, min(pool.sizes)).outlook


def plan(
    comparison: Comparison, target: float, *, power: float = 0.8, system: str | None = None, metric: str | None = None
) -> Plan:
    """Return how many runs and segments are needed to detect a true difference of ``target`` points.

    Parameters
    ----------
    target
        The difference that matters, not the observed one.
    power
        Probability of detecting it.
    system, metric
        As in ``replicate``.

    Raises
    ------
    DataError
        If the system or metric is unknown, or there are too few runs.

    Examples
    --------
    >>> needed = mteval.plan(found, target=0.5)  # doctest: +SKIP
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
    """Compare human judgements of systems with metrics, significance tests and other raters.

    Parameters
    ----------
    judgements
        Files of judgements, or a frame with columns ``annotator``, ``system``, ``segment`` and one per scale.
    compared
        Comparison of the judged systems' outputs, with the metrics to evaluate.
    scales
        The scale that decides, then one that breaks ties; adequacy and fluency, or the only scale, by default.
    lower_is_better
        Scales on which lower values are better.
    standardise
        Whether to standardise scores per annotator; None standardises ratings but not error weights.
    gold, gold_unit
        Test between judgements (``rank-sum`` or a procedure of ``mteval compare``) and its independent unit
        (``judgement``, ``segment`` or ``document``).
    procedures, sides, levels
        Tests of the metrics; ``one``, ``two`` or ``both`` sides; significance levels.
    baseline
        Ask about other raters for this system only; all pairs by default.
    scores_higher, scores_lower
        Files of segment scores where higher (lower) is better, instead of ``compared``.
    documents
        Document ID of each segment, if ``compared`` has none.
    settings
        Shuffles, replicates, seed, confidence and units; ignored if ``compared`` is given.

    Raises
    ------
    MtevalError
        If the judgements cannot be read or do not match the segments.

    Examples
    --------
    >>> found = mteval.people("judgements.tsv", scores_higher=["COMET.seg.score"])  # doctest: +SKIP
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
    early = findings_of(loaded.experiment, (), settings)  # said before what takes long
    _warn(early, above=2)
    work = means_of_computation(settings.workers, report=progress)
    evaluation = evaluate(loaded.experiment, settings, work)
    _warn(evaluation.findings, above=2, said=early)
    results = Results(loaded.experiment, evaluation, reported_test_set(loaded.experiment))
    return Comparison(judged_results(results, loaded, work), loaded)


def _warn(findings: Iterable[Finding], above: int, said: Collection[Finding] = ()) -> None:
    """Warn about the data, unless said before, at the line of the caller ``above`` functions up."""
    for note in finding_notes(one for one in findings if one not in said):
        warnings.warn(note.text, stacklevel=above + 2)


def _pool(comparison: Comparison, system: str | None, metric: str | None) -> Pool:
    results, settings = comparison.results, comparison.settings
    compared = [key for key in results.systems if key != results.experiment.baseline]
    chosen = compared[0] if system is None and len(compared) == 1 else system
    if chosen not in compared:
        raise DataError(f"System {chosen!r} is not compared with the baseline. Compared: {', '.join(compared)}.")
    key = metric or settings.primary_metric
    if key not in settings.metrics:
        raise DataError(f"Metric '{key}' was not computed. Computed: {', '.join(settings.metrics)}.")
    reported = replace(results.experiment, test_sets=(results.test_set,))
    scored = score_experiment(reported, resolve(settings, reported.given), means_of_computation(settings.workers))
    return pool_of(next(one for one in scored if one.metric.key == key), results.experiment.baseline, chosen, settings)
