"""What LLM judges read and write: an estimate beforehand, the count afterwards, and answers that are not valid."""

from collections.abc import Iterator, Sequence

import numpy as np

from mteval.analysis.scoring import Scored
from mteval.base.arrays import FloatArray, StatArray
from mteval.base.words import counted, counted_part
from mteval.metrics import METRICS
from mteval.metrics.neural.endpoints import Endpoint
from mteval.metrics.neural.judge import Judge
from mteval.metrics.neural.named_models import LearnedMetric
from mteval.values.findings import Finding
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

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
            prompts = [one for test_set in experiment.test_sets for one in _unanswered(metric, test_set)]
            if prompts:
                read = sum(map(len, prompts)) / 3.5  # of English prose; other scripts need more tokens
                used = _use(metric.model, read, len(prompts) * _TOKENS_OF_AN_ANSWER[metric.protocol], 2)
                requests = counted(len(prompts), "request")
                yield f"{metric.name} sends source and outputs to {metric.model.host}: {requests}, about {used}."


def _unanswered(metric: Judge, test_set: TestSet) -> list[str]:
    """Return the prompts of a test set that have no cached answer."""
    if metric.lacks(test_set):
        return []
    scorer = metric.prepare(test_set)
    outputs = (output for run in test_set.runs for one in run.decodings for output in enumerate(one.hypotheses))
    samples = [sample for pair in dict.fromkeys(outputs) for sample in scorer.samples(*pair)]
    known = scorer.panel.known(samples)
    return [str(sample["prompt"]) for sample, one in zip(samples, known, strict=True) if one is None]


def judge_findings(experiment: Experiment, scored: Sequence[Scored], settings: Settings) -> Iterator[Finding]:
    """Yield what each LLM judge read and wrote, and how many outputs have no valid answer."""
    for one in scored:
        if not isinstance(one.metric, Judge) or not (one.statistics or one.left_out):
            continue
        name, key = one.metric.name, (one.metric.key,)
        rows = _of_distinct_outputs(one)
        read, written = rows[:, 4:6].sum(axis=0)
        used = _use(one.metric.model, read, written, 4)
        detail = f"{name} ({one.metric.model.host}) judged {counted(len(rows), 'distinct output')}: {used}."
        if one.metric.repeats > 1:
            again = rows[rows[:, 2] > 0, 3].mean() if (rows[:, 2] > 0).any() else np.nan
            times = counted(one.metric.repeats, "time")
            detail += f" Asked {times}, it differs from itself by {again:.2f} (SD per output)."
        yield Finding("judge", detail, "note", one.test_set.name, metrics=key)
        n_without = int(np.isnan(rows[:, 0]).sum())
        n_partly = int(((rows[:, 2] > 0) & (rows[:, 2] < 100)).sum())
        if n_without or n_partly:
            part = counted_part(n_without, len(rows), "output")
            text = f"{name} gave no valid answer for {part}, which have no score."
            if n_partly:
                text += f" Some of its answers on {counted(n_partly, 'further output')} were not valid."
            yield Finding("judge-answers", text, test_set=one.test_set.name, metrics=key)


def _of_distinct_outputs(scored: Scored) -> FloatArray:
    """Return statistics of the distinct outputs, shape ``(outputs, d)``."""
    found = dict[tuple[int, str], StatArray]()
    for system in scored.statistics:
        for run, rows in zip(scored.test_set.runs_of(system), scored.statistics[system], strict=True):
            found.update(zip(enumerate(run.hypotheses), rows, strict=True))
    for run, rows in scored.left_out.items():
        found.update(zip(enumerate(run.hypotheses), rows, strict=True))
    return np.array(list(found.values()), dtype=np.float64)


def _use(model: Endpoint, read: float, written: float, digits: int) -> str:
    """Return tokens and, if the price is known, dollars: ``410,000 tokens read and 3,600 written ($1.32)``."""
    words = f"{_rounded(read, digits):,} tokens read and {_rounded(written, digits):,} written"
    if (price := model.price) is None:
        return words
    return f"{words} (${(read * price[0] + written * price[1]) / 1e6:.2f})"


def _rounded(number: float, digits: int) -> int:
    """Round to some significant digits if the number is larger."""
    return round(number) if number < 10**digits else int(float(f"{number:.{digits}g}"))
