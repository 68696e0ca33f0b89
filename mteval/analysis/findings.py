"""Everything odd about the data behind an evaluation, found once after scoring.

To add a finding, write a function of this form and list it in ``CHECKS``; give its code a title in
``mteval.values.findings``.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np

from mteval.analysis.judges import judge_findings
from mteval.analysis.scoring import Scored, unit_sizes, units_of
from mteval.base.errors import SettingsError
from mteval.base.words import counted_part
from mteval.metrics import METRICS, catalog, with_language
from mteval.metrics.neural import learned
from mteval.readers.checks import NEARLY_ALL, check, equal_share
from mteval.stats.assumptions import informative_sizes, run_apart, runs_alike
from mteval.stats.units import unit_values
from mteval.values.findings import Finding
from mteval.values.model import MOVED, REALIGNED, Experiment
from mteval.values.notation import Notation, p_equals, signed
from mteval.values.settings import Settings

Check = Callable[[Experiment, Sequence[Scored], Settings], Iterable[Finding]]
LEVEL = 0.05  # of each question, over all systems of a test set
EXCESS = 0.5  # of a correlation between runs; less is what one noisier run of three gives, too


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
        if marks:
            share, part = marks.count(MOVED) / len(marks), counted_part(marks.count(MOVED), len(marks), "segment")
            detail = "Outputs were realigned with the references within documents (mweralign)."
            detail = f"{detail} Lines moved in {part} ({share:.0%})."
            yield Finding("realigned", f"{detail} Segment scores depend on that alignment.", test_set=test_set.name)


def _left_out(experiment: Experiment, scored: Sequence[Scored], settings: Settings) -> Iterator[Finding]:
    """Yield systems that a metric cannot compare, since their runs have no scored segment in common."""
    for one in scored:
        for system, n_runs in Counter(run.system for run in one.left_out).items():
            why = "{metric} scored no segment of {system}" if n_runs == 1 else (
                "No segment has a score from {metric} in all {runs} of {system}"
            )  # fmt: skip
            text = settings.runs.filled(
                f"{why}, so {{metric}} does not compare {{system}}.",
                metric=one.metric.name, system=system,
            )  # fmt: skip
            about = one.test_set.name, (system,), (one.metric.key,)
            yield Finding("not-compared", text, "warning", *about)


def _assumptions(experiment: Experiment, scored_metrics: Sequence[Scored], settings: Settings) -> Iterator[Finding]:
    """Yield what of the two-way test's assumptions does not hold: runs like each other, gains that ignore length."""
    for scored in scored_metrics:
        if scored.metric.key == settings.primary_metric and scored.is_complete:
            notation = catalog(experiment.given)[scored.metric.key].notation
            yield from _of_runs(scored, notation, settings)
            yield from _of_lengths(scored, experiment.baseline, settings)


def _of_runs(scored: Scored, notation: Notation, settings: Settings) -> Iterator[Finding]:
    """Yield runs far from the others, and runs more alike than independent ones; samples of one model are alike."""
    runs, test_set = settings.runs, scored.test_set.name
    several = [system for system, scores in scored.run_scores.items() if len(set(scores.tolist())) >= 3]
    for system in several:
        keys, scores = scored.run_keys(system), scored.run_scores[system]
        apart = run_apart(scores)
        if apart.p_value * len(several) <= LEVEL:
            (place,) = apart.places
            low, high = (notation.number(end(np.delete(scores, place))) for end in (np.min, np.max))
            text = runs.filled(
                "{Run} {name} of {system} has {score} {metric}, the other {n} have {low} to {high} (Grubbs' test, {p})."
                " Find out why, but keep it: without its worst {run}, any system looks better.",
                name=keys[place], system=system, score=notation.number(scores[place]), metric=scored.metric.name,
                n=str(len(scores) - 1), low=low, high=high, p=p_equals(apart.p_value),
            )  # fmt: skip
            yield Finding("run-apart", text, test_set=test_set, systems=(system,))
        units = units_of(scored, system, "segment", scored.present(system))
        alike, expected = runs_alike(unit_values(units, scored.scorer.score, None)), -1 / (len(keys) - 1)
        is_odd = settings.design != "released" and alike.value - expected >= EXCESS
        if is_odd and alike.p_value * len(several) <= LEVEL:
            texts = [scored.test_set.runs_of(system)[place].hypotheses for place in alike.places]
            if scored.test_set.has_texts and equal_share(*texts) >= NEARLY_ALL:
                continue  # a finding of its own
            one, other = (keys[place] for place in alike.places)
            text = runs.filled(
                "{Runs} {one} and {other} of {system} are more alike than independent {runs} (residual correlation"
                " {found}, expected {expected}). If they share a training, declare it: they then count as one.",
                one=one, other=other, system=system, found=signed(alike.value, 2), expected=signed(expected, 2),
            )  # fmt: skip
            yield Finding("runs-alike", text, test_set=test_set, systems=(system,))


def _of_lengths(scored: Scored, baseline: str, settings: Settings) -> Iterator[Finding]:
    """Yield systems whose gain depends on the length of documents."""
    others = [system for system in scored.statistics if system != baseline]
    if scored.test_set.documents is None or settings.exchange_unit == "segment" or baseline not in scored.statistics:
        return
    for system in others:
        present = scored.present(baseline, system)
        sizes = unit_sizes(scored, "document", present)
        if sizes is None:
            continue
        sums = (units_of(scored, one, "document", present).sum(axis=0) for one in (baseline, system))
        without, with_it = (scored.scorer.score(one.astype(float)) for one in sums)
        found = informative_sizes(with_it - without, sizes)
        if found.p_value * len(others) <= LEVEL:
            text = (
                f"The gain of {system} depends on document length (rank correlation {signed(found.value, 2)},"
                f" {p_equals(found.p_value)}). Tests over documents then reject too often: up to 7% at 5%, and"
                " up to 21% if lengths are very unequal."
            )
            yield Finding("informative-length", text, test_set=scored.test_set.name, systems=(system,))


CHECKS: tuple[Check, ...] = (_of_data, _languages, _realigned, judge_findings, _left_out, _assumptions)


def findings_of(experiment: Experiment, scored: Sequence[Scored], settings: Settings) -> tuple[Finding, ...]:
    """Return all findings, warnings first."""
    every = (finding for one in CHECKS for finding in one(experiment, scored, settings))
    found = (one for one in every if not one.metrics or not set(one.metrics).isdisjoint(settings.metrics))
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: finding.severity != "warning"))
