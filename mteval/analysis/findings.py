"""Everything odd about the data behind an evaluation, found once after scoring; and what LLM judges read and write.

To add a finding, write a function of this form and list it in ``CHECKS``; give its code a title in
``mteval.values.findings``.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from mteval.analysis.judge_answers import AT_ONCE, LATER, JudgeAnswers, judge_answers, judged_outputs
from mteval.analysis.scoring import Scored, unit_sizes, units_of
from mteval.base.arrays import FloatArray
from mteval.base.errors import SettingsError
from mteval.base.words import counted, counted_part
from mteval.metrics import METRICS, catalog, with_language
from mteval.metrics.neural import learned
from mteval.metrics.neural.endpoints import Endpoint
from mteval.metrics.neural.judge import Judge
from mteval.metrics.neural.named_models import LearnedMetric
from mteval.readers.checks import check
from mteval.stats.assumptions import informative_sizes, run_apart
from mteval.stats.units import unit_values
from mteval.values.findings import Finding
from mteval.values.model import MOVED, REALIGNED, Experiment, TestSet
from mteval.values.notation import Notation, p_equals, percent, signed
from mteval.values.settings import Settings

Check = Callable[[Experiment, Sequence[Scored], Settings], Iterable[Finding]]
LEVEL = 0.05  # of each question, over all systems of a test set
FAR = 2.0  # a run far from the others, in standard errors of a score over segments; see docs/calibration.md


def _of_data(experiment: Experiment, scored: Sequence[Scored], settings: Settings) -> Iterator[Finding]:
    """Yield what reading the files found, and the check of the texts."""
    yield from experiment.noticed
    is_computed = any(key in METRICS for key in settings.metrics)
    for finding in check(experiment, settings.convention, learned(settings.metrics), settings.runs):
        if finding.remedy is None or is_computed:
            yield finding


def _languages(experiment: Experiment, scored: Sequence[Scored], settings: Settings) -> Iterator[Finding]:
    """Yield a finding if METEOR compares English words of another language, as in MultEval or earlier versions."""
    try:
        is_english = with_language(settings, experiment) == settings
    except SettingsError:
        is_english = False
    if not is_english:
        detail = "The references are not English, but METEOR uses English stems, synonyms and paraphrases."
        yield Finding("meteor-language", f"{detail} Set its language.", metrics=("meteor",))


def _realigned(experiment: Experiment, scored: Sequence[Scored], settings: Settings) -> Iterator[Finding]:
    """Yield the share of segments whose line another program chose."""
    for test_set in experiment.test_sets:
        marks = test_set.side.get(REALIGNED, ())
        if not marks:
            continue
        n_moved = marks.count(MOVED)
        part = counted_part(n_moved, len(marks), "segment")
        detail = (
            "Outputs were realigned with the references within documents (mweralign)."
            f" Lines moved in {part} ({n_moved / len(marks):.0%}). Segment scores depend on that alignment."
        )
        yield Finding("realigned", detail, test_set=test_set.name)


def _left_out(experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings) -> Iterator[Finding]:
    """Yield systems that a metric cannot compare, since their runs have no scored segment in common."""
    for scored in scored_metrics:
        metric = scored.metric
        for system, n_runs in Counter(run.system for run in scored.left_out).items():
            if n_runs == 1:
                why = "{metric} scored no segment of {system}"
            else:
                why = "No segment has a score from {metric} in all {runs} of {system}"
            text = settings.runs.filled(
                f"{why}, so {{metric}} does not compare {{system}}.", metric=metric.name, system=system
            )
            yield Finding(
                "not-compared",
                text,
                severity="warning",
                test_set=scored.test_set.name,
                systems=(system,),
                metrics=(metric.key,),
            )


def _optimized(experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings) -> Iterator[Finding]:
    """Yield each metric that favours a system, since it was declared as trained or decoded towards the metric."""
    specs = catalog(experiment.given)
    for system, metric in settings.optimized_pairs:
        if metric in settings.metrics:
            detail = (
                f"{system} is declared as trained or decoded towards {specs[metric].name}, which therefore favours it."
                " Decide by another metric, or by people."
            )
            yield Finding("optimized-metric", detail, systems=(system,), metrics=(metric,))


def _assumptions(experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings) -> Iterator[Finding]:
    """Yield a finding per violated assumption of the two-way test: a run far from the others, informative length."""
    for scored in scored_metrics:
        if scored.metric.key == settings.primary_metric and scored.is_complete:
            yield from _of_runs(scored, catalog(experiment.given)[scored.metric.key].notation, settings)
            yield from _of_lengths(scored, experiment.baseline, settings)


def _of_runs(scored: Scored, notation: Notation, settings: Settings) -> Iterator[Finding]:
    """Yield runs far from the others: beyond chance among normal runs, and beyond what the test set adds to a score.

    Scores of independent runs are often skewed, so the first condition alone is often met.
    """
    test_set = scored.test_set.name
    several = [system for system, scores in scored.run_scores.items() if len(set(scores.tolist())) >= 3]
    for system in several:
        apart = run_apart(scored.run_scores[system])
        if apart.p_value * len(several) <= LEVEL and _is_far(scored, system, *apart.places):
            (place,) = apart.places
            text = _run_apart_text(scored, system, place, apart.p_value, notation, settings)
            yield Finding("run-apart", text, test_set=test_set, systems=(system,))


def _is_far(scored: Scored, system: str, place: int) -> bool:
    """Return whether a run's score is further from all others than the choice of segments explains."""
    scores = scored.run_scores[system]
    gap = np.abs(np.delete(scores, place) - scores[place]).min()
    units = units_of(scored, system, "segment", scored.present(system))
    values = unit_values(units, scored.scorer.score, None)  # shape ``(runs, segments)``
    error = values.std(axis=1, ddof=1).mean() / np.sqrt(values.shape[1])
    return bool(gap > FAR * error)


def _run_apart_text(
    scored: Scored, system: str, place: int, p_value: float, notation: Notation, settings: Settings
) -> str:
    """Return how far one run is from the others of its system."""
    scores = scored.run_scores[system]
    others = np.delete(scores, place)
    return settings.runs.filled(
        "{Run} {name} of {system} has {score} {metric}, the other {n} have {low} to {high} (Grubbs' test, {p})."
        " Find out why, but keep it: without its worst {run}, any system looks better.",
        name=scored.run_keys(system)[place],
        system=system,
        score=notation.number(scores[place]),
        metric=scored.metric.name,
        n=str(len(others)),
        low=notation.number(np.min(others)),
        high=notation.number(np.max(others)),
        p=p_equals(p_value),
    )


def _of_lengths(scored: Scored, baseline: str, settings: Settings) -> Iterator[Finding]:
    """Yield systems whose gain depends on the length of documents."""
    if scored.test_set.documents is None or settings.exchange_unit == "segment" or baseline not in scored.statistics:
        return
    others = [system for system in scored.statistics if system != baseline]
    for system in others:
        present = scored.present(baseline, system)
        sizes = unit_sizes(scored, "document", present)
        if sizes is None:
            continue
        # Scores by document of all runs pooled, shape ``(documents,)``
        baseline_sums = units_of(scored, baseline, "document", present).sum(axis=0)
        system_sums = units_of(scored, system, "document", present).sum(axis=0)
        baseline_scores = scored.scorer.score(baseline_sums.astype(float))
        system_scores = scored.scorer.score(system_sums.astype(float))

        informative = informative_sizes(system_scores - baseline_scores, sizes)
        if informative.p_value * len(others) <= LEVEL:
            text = (
                f"The gain of {system} depends on document length (rank correlation {signed(informative.value, 2)},"
                f" {p_equals(informative.p_value)}). Tests over documents then reject too often: up to 7% at 5%, and"
                " up to 21% if lengths are very unequal."
            )
            yield Finding("informative-length", text, test_set=scored.test_set.name, systems=(system,))


def judge_findings(experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings) -> Iterator[Finding]:
    """Yield what each LLM judge read and wrote, and how many of its answers were not understood."""
    for scored in scored_metrics:
        metric = scored.metric
        if not isinstance(metric, Judge) or not (scored.statistics or scored.left_out):
            continue
        rows = judged_outputs(scored)
        answers = list(judge_answers(scored, experiment.baseline))
        test_set = scored.test_set.name
        yield Finding("judge", _judge_detail(metric, rows), "note", test_set, metrics=(metric.key,))
        if any(row.never for row in answers):
            text = _not_understood(metric, rows, answers, experiment.baseline)
            yield Finding("judge-answers", text, test_set=test_set, metrics=(metric.key,))


def _judge_detail(metric: Judge, rows: FloatArray) -> str:
    """Return what a judge read, wrote and was understood of; rows are those of distinct outputs."""

    def column(name: str) -> FloatArray:
        return rows[:, metric.fields.index(name)]

    at_once = column(AT_ONCE).mean() / 100
    later = column(LATER).mean() / 100
    never = max(0.0, 1 - (at_once + later))
    used = _use(metric.model, column("tokens read").sum(), column("tokens written").sum(), 4)
    detail = (
        f"{metric.name} ({metric.model.host}) judged {counted(len(rows), 'distinct output')}:"
        f" {used}. {percent(at_once, 1)} of its answers were understood at"
        f" once, {percent(later, 1)} after asking again, {percent(never, 1)} never."
    )
    if metric.repeats == 1:
        return detail
    is_scored = ~np.isnan(rows[:, 0])
    deviations = column("SD of repeats")[is_scored]
    mean_deviation = deviations.mean() if len(deviations) else np.nan
    asked = counted(metric.repeats, "time")
    return f"{detail} Asked {asked}, it differs from itself by {mean_deviation:.2f} (SD per output)."


def _not_understood(metric: Judge, rows: FloatArray, answers: Sequence[JudgeAnswers], baseline: str) -> str:
    """Return how many outputs and answers are missing, and whether that differs between systems."""
    is_missing = np.isnan(rows[:, 0])
    understood = rows[:, metric.fields.index(AT_ONCE)] + rows[:, metric.fields.index(LATER)]
    n_partly = int(np.count_nonzero(~is_missing & (understood < 100 - 1e-9)))
    text = f"{metric.name}: no answer was understood for {counted_part(int(is_missing.sum()), len(rows), 'output')},"
    text += " which have no score."
    if n_partly:
        text += f" Some of its answers on {counted(n_partly, 'further output')} were not understood."
    if len(answers) > 1:
        shares = [f"{row.system} {percent(row.never / row.n_answers, 1)}" for row in answers]
        text += f" Answers never understood, by system: {', '.join(shares)}."
    for row in answers:
        if row.differs:
            text += (
                f" {row.system} differs from {baseline} (sign test over segments, {p_equals(row.p_value)}), so the"
                " scores that are left may favour one of them."
            )
    return text


def _use(model: Endpoint, read: float, written: float, digits: int) -> str:
    """Return tokens and, if the price is known, dollars: ``410,000 tokens read and 3,600 written ($1.32)``."""
    words = f"{_rounded(read, digits):,} tokens read and {_rounded(written, digits):,} written"
    if model.price is None:
        return words
    price_read, price_written = model.price  # of a million tokens
    dollars = (read * price_read + written * price_written) / 1e6
    return f"{words} (${dollars:.2f})"


def _rounded(number: float, digits: int) -> int:
    """Round to some significant digits if the number is larger."""
    if number < 10**digits:
        return round(number)
    return int(float(f"{number:.{digits}g}"))


CHECKS: tuple[Check, ...] = (_of_data, _languages, _realigned, judge_findings, _left_out, _optimized, _assumptions)


def findings_of(experiment: Experiment, scored: Sequence[Scored], settings: Settings) -> tuple[Finding, ...]:
    """Return all findings, warnings first."""
    findings: dict[Finding, None] = {}  # without duplicates, in order
    for check_data in CHECKS:
        for finding in check_data(experiment, scored, settings):
            if not finding.metrics or not set(finding.metrics).isdisjoint(settings.metrics):
                findings[finding] = None
    return tuple(sorted(findings, key=lambda finding: finding.severity != "warning"))


_TOKENS_OF_AN_ANSWER = {"direct": 4, "mqm": 80, "esa": 90}


def expected_use(experiment: Experiment, settings: Settings) -> Iterator[str]:
    """Yield where each model computes and, for each LLM judge, where texts will be sent and about how much that takes.

    Nothing for a judge whose answers are all cached.

    Raises
    ------
    SettingsError
        If a judge cannot be configured.
    """
    for key in settings.metrics:
        if key not in METRICS:
            continue
        metric = METRICS[key].configure(settings.convention, settings.options.get(key, {}))
        if isinstance(metric, LearnedMetric):
            where = "the cluster's workers" if metric.recipe else "this machine"
            yield f"{metric.name} is computed on {where} ({', '.join(metric.devices)})."
        if isinstance(metric, Judge):
            prompts = []
            for test_set in experiment.test_sets:
                prompts += _unanswered(metric, test_set)
            if prompts:
                read = sum(map(len, prompts)) / 3.5  # of English prose; other scripts need more tokens
                written = len(prompts) * _TOKENS_OF_AN_ANSWER[metric.protocol]
                requests = counted(len(prompts), "request")
                yield (
                    f"{metric.name} sends source and outputs to {metric.model.host}: {requests}, about"
                    f" {_use(metric.model, read, written, 2)}."
                )


def _unanswered(metric: Judge, test_set: TestSet) -> list[str]:
    """Return the prompts of a test set that have no cached answer."""
    if metric.lacks(test_set):
        return []
    outputs: dict[tuple[int, str], None] = {}  # distinct ones, by segment and text
    for run in test_set.runs:
        for decoding in run.decodings:
            outputs.update(dict.fromkeys(enumerate(decoding.hypotheses)))
    scorer = metric.prepare(test_set)
    samples = []
    for segment, text in outputs:
        samples += scorer.samples(segment, text)
    answers = scorer.panel.known(samples)
    return [str(sample["prompt"]) for sample, answer in zip(samples, answers, strict=True) if answer is None]
