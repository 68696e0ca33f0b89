"""Everything odd about the data behind an evaluation, found once after scoring.

To add a finding, write a function of this form and list it in ``CHECKS``; give its code a title in
``mteval.values.findings``.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence

from mteval.analysis.assumptions import assumptions
from mteval.analysis.judges import judge_findings
from mteval.analysis.scoring import Scored
from mteval.base.errors import SettingsError
from mteval.base.words import counted_part
from mteval.metrics import METRICS, with_language
from mteval.metrics.neural import learned
from mteval.readers.checks import check
from mteval.values.findings import Finding
from mteval.values.model import MOVED, REALIGNED, Experiment
from mteval.values.settings import Settings

Check = Callable[[Experiment, Sequence[Scored], Settings], Iterable[Finding]]


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


CHECKS: tuple[Check, ...] = (_of_data, _languages, _realigned, judge_findings, assumptions)


def findings_of(experiment: Experiment, scored: Sequence[Scored], settings: Settings) -> tuple[Finding, ...]:
    """Return all findings, warnings first."""
    every = (finding for one in CHECKS for finding in one(experiment, scored, settings))
    found = (one for one in every if not one.metrics or not set(one.metrics).isdisjoint(settings.metrics))
    return tuple(sorted(dict.fromkeys(found), key=lambda finding: finding.severity != "warning"))
