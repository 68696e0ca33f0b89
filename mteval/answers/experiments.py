"""What the loaded files contain, and what changed between two saved experiments."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from operator import itemgetter
from typing import Any, Protocol

import pandas as pd

from mteval.analysis.results import Results
from mteval.answers.section import Column, Kind, Section, Table
from mteval.base.words import agreeing, counted
from mteval.metrics import catalog
from mteval.metrics.base import MetricSpec
from mteval.readers.appearance import suggest_convention
from mteval.readers.documents import Slot
from mteval.readers.names import is_called_baseline, natural_order
from mteval.readers.workspace import Workspace
from mteval.values.given import GivenMetric
from mteval.values.model import Experiment, Run
from mteval.values.notation import DASH
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

CONVENTION_NAMES: Mapping[str, str] = {"sacrebleu": "sacreBLEU", "multeval": "MultEval"}
MOST_SIZES = 4  # of test sets that are listed one by one
MOST_SYSTEMS_ACROSS = 6  # more columns do not fit a window
NOT_COMPARED = ("workers", "options")  # the first affects no number; the second is listed by metric
_NOUNS: Mapping[str, str] = {
    "hypothesis": "output",
    "reference": "reference",
    "judgements": "judgement file",
    "scores": "score file",
    "other": "ignored file",
}
_TEXTS = ("output", "reference")
_TABLES = ("judgement file", "score file")

Key = tuple[str, str, str]  # test set, metric, system


class Kept(Protocol):
    """A saved experiment."""

    @property
    def workspace(self) -> Workspace: ...
    @property
    def settings(self) -> Settings | None: ...
    @property
    def experiment(self) -> Experiment | None: ...
    @property
    def results(self) -> Results | None: ...


def composition(experiment: Experiment, runs: RunWord) -> Section:
    """Return the number of runs of each system on each test set."""
    systems = [system.key for system in experiment.systems]
    head = ["Test set", "Role", "Segments", "References", *systems]
    rows = []
    for test_set in experiment.test_sets:
        references = _between(map(len, test_set.references)) if test_set.has_texts else "none"
        n_runs = [_number_of_runs(test_set.runs_of(system)) for system in systems]
        rows.append([test_set.name, test_set.role, f"{test_set.n_segments:,}", references, *n_runs])
    n_words = 2
    if len(systems) > MOST_SYSTEMS_ACROSS:
        # One row per system, and one column per test set.
        head, *rows = [list(cells) for cells in zip(head, *rows, strict=True)]
        n_words = 1

    columns = []
    for place, name in enumerate(head):
        kind: Kind = "word" if place < n_words else "number"
        columns.append(Column(str(place), name, kind, write=itemgetter(str(place))))
    frame = pd.DataFrame(rows, columns=[column.key for column in columns])
    table = Table(tuple(columns), frame, runs.filled("{Runs} per system and test set"))
    return Section("composition", "Your experiment", table=table)


def _number_of_runs(runs: Sequence[Run]) -> str:
    """Return ``3``, or ``3 × 4 samples`` if each run has several; ``outputs`` of nested runs."""
    n_samples = {len(run.decodings) for run in runs}
    if n_samples == {1}:
        return str(len(runs))
    nouns = "outputs" if runs[0].members else "samples"
    return f"{len(runs)} × {_between(n_samples)} {nouns}"


def _between(numbers: Iterable[int]) -> str:
    """Return ``2`` or ``1–3``."""
    distinct = sorted(set(numbers))
    if len(distinct) == 1:
        return str(distinct[0])
    return f"{distinct[0]}–{distinct[-1]}"


def baseline_note(experiment: Experiment) -> str:
    """Return that the baseline is a guess, if no system is called baseline; else an empty string."""
    first = min((system.key for system in experiment.systems), key=natural_order)
    if len(experiment.systems) < 2 or experiment.baseline != first or is_called_baseline(first):
        return ""
    return f"Baseline: {first}, the first name. Choose another one in the sidebar."


def found_in_words(experiment: Experiment, runs: RunWord, convention: str) -> str:
    """Return ``3 systems × 3 runs, 2,489 segments, tokenized text: MultEval's convention``."""
    n_runs = [len(system.runs) for system in experiment.systems]
    text = counted(len(n_runs), "system")
    if len(set(n_runs)) == 1:
        text += f" × {counted(n_runs[0], runs.noun)}"
    else:
        text += f", {counted(sum(n_runs), runs.noun)}"

    sizes = [test_set.n_segments for test_set in experiment.test_sets]
    if len(sizes) > MOST_SIZES:
        text += f", {counted(len(sizes), 'test set')}, {counted(sum(sizes), 'segment')}"
    else:
        segments = [f"{size:,}" for size in sizes[:-1]]
        segments.append(counted(sizes[-1], "segment"))
        text += f", {' + '.join(segments)}"
    if not experiment.has_texts:
        return text

    appearance = suggest_convention(experiment).text
    if appearance:
        appearance += ": "
    return f"{text}, {appearance}{CONVENTION_NAMES[convention]}'s convention"


def files_in_words(slots: Sequence[Slot]) -> str:
    """Return ``9 outputs, 1 reference``, and how many other files there are.

    A table may have several outputs. Of scores and judgements, files are counted and not their columns; other files are
    those that have nothing else.
    """
    nouns_of: dict[str, list[str]] = {}  # by file
    for slot in slots:
        nouns_of.setdefault(slot.file, []).append(_noun_of(slot))
    number_of: Counter[str] = Counter()
    for nouns in nouns_of.values():
        texts = [noun for noun in nouns if noun in _TEXTS]
        tables = {noun for noun in nouns if noun in _TABLES}
        number_of.update(texts)
        number_of.update(tables)
        if not texts and not tables:
            number_of[nouns[0]] += 1
    nouns_in_order = dict.fromkeys((*_TEXTS, *map(_noun_of, slots)))
    return ", ".join(counted(number_of[noun], noun) for noun in nouns_in_order if number_of[noun])


def _noun_of(slot: Slot) -> str:
    if not slot.included:
        return "ignored file"
    return _NOUNS.get(slot.role, "other file")


def changes_section(before: Kept, after: Kept, names: tuple[str, str]) -> Section:
    """Return what changed from one experiment to the other, the verdicts first.

    Parameters
    ----------
    names
        Of the two experiments.
    """
    files = _differing(_roles(before), _roles_afterwards(before, after))
    settings = _differing(_settings_in_words(before), _settings_in_words(after))
    scores = _compared_scores(before.results, after.results)

    columns = (Column("what", ""), Column("before", names[0]), Column("after", names[1]))
    parts = []
    if not files.empty:
        parts.append(Section("files", "", table=Table(columns, files, "Files")))
    if not settings.empty:
        parts.append(Section("settings", "", table=Table(columns, settings, "Settings")))
    differing_scores = [row for row in scores if not row["is_same"]]
    if differing_scores:
        parts.append(_differing_averages(differing_scores, names))

    n_same = sum(row["is_same"] for row in scores)
    n_turned = sum(row["has_turned"] for row in scores)
    differing = f"{counted(len(files), 'file')} and {counted(len(settings), 'setting')} differ"
    if scores:
        lead = [
            f"{counted(n_turned, 'verdict')} changed",
            differing,
            f"{n_same} of {counted(len(scores), 'average')} {agreeing(n_same, 'is', 'are')} the same",
        ]
    else:
        lead = ["No numbers to compare", differing]
    return Section("changes", "", (f"{'; '.join(lead)}.",), parts=tuple(parts))


def _differing_averages(rows: Sequence[Mapping[str, Any]], names: tuple[str, str]) -> Section:
    columns = (
        Column("test_set", "Test set"),
        Column("metric", "Metric"),
        Column("system", "System"),
        Column("before", names[0], "number"),
        Column("after", names[1], "number"),
        Column("difference", "Difference", "difference"),
        Column("verdict_before", f"Verdict in {names[0]}"),
        Column("verdict_after", f"in {names[1]}"),
    )
    return Section("averages", "", table=Table(columns, pd.DataFrame(rows), "Averages and verdicts"))


def _differing(before: Mapping[str, str], after: Mapping[str, str]) -> pd.DataFrame:
    """Return the entries that differ between two experiments; a dash if one of them lacks an entry."""
    rows = []
    for name in dict.fromkeys((*before, *after)):
        text_before = _text_or_dash(before, name)
        text_after = _text_or_dash(after, name)
        if text_before != text_after:
            rows.append((name, text_before, text_after))
    return pd.DataFrame(rows, columns=["what", "before", "after"])


def _text_or_dash(texts: Mapping[str, str], name: str) -> str:
    """Return a text; a dash if it is absent or empty."""
    text = texts.get(name)
    return text if text else DASH


def _roles(kept: Kept) -> dict[str, str]:
    """Return the role of each stream, in words."""
    return {f"{slot.file} {slot.stream}".rstrip(): _role_in_words(slot) for slot in kept.workspace.slots}


def _role_in_words(slot: Slot) -> str:
    """Return ``hypothesis base run 1 on test``, without what is unknown."""
    run = f"run {slot.run}" if slot.run else ""
    words = (slot.role, slot.name, slot.system, run, "on", slot.test_set)
    text = " ".join(word for word in words if word)
    if not slot.included:
        return f"ignored: {text}"
    return text


def _roles_afterwards(before: Kept, after: Kept) -> dict[str, str]:
    """Return the role of each stream afterwards, and whether its content changed."""
    old_contents = _contents(before)
    new_contents = _contents(after)
    roles = {}
    for name, role in _roles(after).items():
        is_in_both = name in old_contents and name in new_contents
        if is_in_both and old_contents[name] != new_contents[name]:
            role = f"other content: {role}"
        roles[name] = role
    return roles


def _contents(kept: Kept) -> dict[str, object]:
    """Return the lines and scores of each stream."""
    contents: dict[str, object] = {}
    for document in kept.workspace.documents:
        for stream in document.streams:
            contents[f"{document.name} {stream.label}".rstrip()] = (stream.lines, stream.scores)
    return contents


def _settings_in_words(kept: Kept) -> dict[str, str]:
    """Return the baseline, every setting, and the options of all metrics."""
    experiment = kept.experiment
    settings = kept.settings
    if settings is None:
        settings = Settings()
    baseline = ""
    given: Sequence[GivenMetric] = ()
    if experiment is not None:
        baseline = experiment.baseline
        given = experiment.given
    texts = {"baseline": baseline}
    for name, value in asdict(settings).items():
        if name not in NOT_COMPARED:
            texts[name] = _value_in_words(value)

    specs = catalog(given)
    for metric in settings.metrics:
        if metric not in specs:
            continue
        spec = specs[metric]
        values = {**spec.defaults(settings.convention), **settings.options.get(spec.key, {})}
        for option in spec.options:
            texts[f"{spec.name}: {option.label}"] = _value_in_words(values[option.name])
    return texts


def _value_in_words(value: object) -> str:
    if isinstance(value, tuple | list):
        return ", ".join(map(str, value))
    return str(value)


def _compared_scores(before: Results | None, after: Results | None) -> list[dict[str, Any]]:
    """Return the average and verdict of each system by each metric on each test set, in both experiments."""
    means_before = _means(before)
    means_after = _means(after)
    verdicts_before = _verdicts(before)
    verdicts_after = _verdicts(after)
    specs: dict[str, MetricSpec] = {}
    for results in (before, after):
        if results is not None:
            specs.update(results.evaluation.metrics)

    rows: list[dict[str, Any]] = []
    for key in dict.fromkeys((*means_before, *means_after)):
        test_set, metric, system = key
        mean_before = means_before.get(key, math.nan)
        mean_after = means_after.get(key, math.nan)
        verdict_before = verdicts_before.get(key, DASH)
        verdict_after = verdicts_after.get(key, DASH)
        has_turned = DASH not in (verdict_before, verdict_after) and verdict_before != verdict_after
        rows.append(
            {
                "test_set": test_set,
                "metric": specs[metric].name,
                "system": system,
                "before": mean_before,
                "after": mean_after,
                "difference": mean_after - mean_before,
                "notation": specs[metric].notation,
                "verdict_before": verdict_before,
                "verdict_after": verdict_after,
                "has_turned": has_turned,
                "is_same": mean_before == mean_after and not has_turned,
            }
        )
    return rows


def _means(results: Results | None) -> dict[Key, float]:
    if results is None:
        return {}
    return {(row.test_set, row.metric, row.system): row.mean for row in results.evaluation.summaries}


def _verdicts(results: Results | None) -> dict[Key, str]:
    """Return the shape and word of each verdict."""
    if results is None:
        return {}
    verdicts = {}
    for test_set in results.experiment.test_sets:
        for verdict in results.on(test_set).verdicts():
            key = (verdict.test_set, verdict.metric, verdict.system)
            verdicts[key] = f"{verdict.conclusion.shape} {verdict.conclusion.word}"
    return verdicts
