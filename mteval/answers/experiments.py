"""What the loaded files contain, and what changed between two saved experiments."""

from __future__ import annotations

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
from mteval.readers.appearance import suggest_convention
from mteval.readers.documents import Slot
from mteval.readers.names import is_called_baseline, natural_order
from mteval.readers.workspace import Workspace
from mteval.values.model import Experiment, Run
from mteval.values.notation import DASH
from mteval.values.run_words import RunWord
from mteval.values.settings import Settings

CONVENTION_NAMES: Mapping[str, str] = {"sacrebleu": "sacreBLEU", "multeval": "MultEval"}


def composition(experiment: Experiment, runs: RunWord) -> Section:
    """Return the number of runs of each system on each test set."""
    systems = [system.key for system in experiment.systems]
    rows: list[list[str]] = [["Test set", "Role", "Segments", "References", *systems]]
    for test_set in experiment.test_sets:
        references = _between(map(len, test_set.references)) if test_set.has_texts else ""
        n_runs = [_counted(test_set.runs_of(system)) for system in systems]
        rows.append([test_set.name, test_set.role, f"{test_set.n_segments:,}", references or "none", *n_runs])
    n_words = 2
    if len(systems) > 6:  # more columns do not fit a window
        rows, n_words = [list(column) for column in zip(*rows, strict=True)], 1
    head, *body = rows
    keys = [str(place) for place in range(len(head))]
    kinds: list[Kind] = ["word" if place < n_words else "number" for place in range(len(head))]
    columns = [Column(*one, write=itemgetter(one[0])) for one in zip(keys, head, kinds, strict=True)]
    table = Table(tuple(columns), pd.DataFrame(body, columns=keys), runs.filled("{Runs} per system and test set"))
    return Section("composition", "Your experiment", table=table)


def _counted(runs: Sequence[Run]) -> str:
    """Return ``3``, or ``3 × 4 samples`` if each run has several; ``outputs`` of nested runs."""
    n_samples, what = {len(run.decodings) for run in runs}, "outputs" if runs[0].members else "samples"
    return f"{len(runs)} × {_between(n_samples)} {what}" if n_samples - {1} else str(len(runs))


def _between(numbers: Iterable[int]) -> str:
    """Return ``2`` or ``1–3``."""
    found = sorted(set(numbers))
    return "–".join(str(number) for number in dict.fromkeys((found[0], found[-1])))


def baseline_note(experiment: Experiment) -> str:
    """Return that the baseline is a guess, if no system is called baseline; else an empty string."""
    first = min((system.key for system in experiment.systems), key=natural_order)
    if len(experiment.systems) < 2 or experiment.baseline != first or is_called_baseline(first):
        return ""
    return f"Baseline: {first}, the first name. Choose another one in the sidebar."


def found_in_words(experiment: Experiment, runs: RunWord, convention: str) -> str:
    """Return ``3 systems × 3 runs, 2,489 segments, tokenized text: MultEval's convention``."""
    systems, n_runs = experiment.systems, [len(system.runs) for system in experiment.systems]
    each, number = (" × ", n_runs[0]) if len({*n_runs}) == 1 else (", ", sum(n_runs))
    *others, last = (test_set.n_segments for test_set in experiment.test_sets)
    segments = " + ".join((*(f"{one:,}" for one in others), counted(last, "segment")))
    said = f"{counted(len(systems), 'system')}{each}{counted(number, runs.noun)}, {segments}"
    if not experiment.has_texts:
        return said
    text = suggest_convention(experiment).text
    return f"{said}, {text}{': ' * bool(text)}{CONVENTION_NAMES[convention]}'s convention"


def files_in_words(slots: Sequence[Slot]) -> str:
    """Return ``9 outputs, 1 reference``, and how many other files there are."""
    used = Counter(_NOUNS.get(slot.role, "other file") if slot.included else "ignored file" for slot in slots)
    return ", ".join(counted(used[noun], noun) for noun in dict.fromkeys(("output", "reference", *used)) if used[noun])


_NOUNS: Mapping[str, str] = {
    "hypothesis": "output", "reference": "reference", "judgements": "judgement file", "scores": "score file",
    "other": "ignored file",
}  # fmt: skip


NOT_COMPARED = ("workers", "options")  # the first affects no number; the second is listed by metric
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


def changes_section(before: Kept, after: Kept, names: tuple[str, str]) -> Section:
    """Return what changed from one experiment to the other, the verdicts first.

    Parameters
    ----------
    names
        Of the two experiments.
    """
    files = _changed(_taken_for(before), _said_of_others(before, after))
    settings = _changed(_settings(before), _settings(after))
    words = (Column("what", ""), Column("before", names[0]), Column("after", names[1]))
    changes = [(key, changed) for key, changed in (("files", files), ("settings", settings)) if not changed.empty]
    parts = [Section(key, "", table=Table(words, changed, key.capitalize())) for key, changed in changes]
    scores = _scores(before.results, after.results)
    if differing := [row for row in scores if not row["is_same"]]:
        columns = (
            Column("test_set", "Test set"), Column("metric", "Metric"), Column("system", "System"),
            Column("before", names[0], "number"), Column("after", names[1], "number"),
            Column("difference", "Difference", "difference"),
            Column("verdict_before", f"Verdict in {names[0]}"), Column("verdict_after", f"in {names[1]}"),
        )  # fmt: skip
        parts.append(Section("averages", "", table=Table(columns, pd.DataFrame(differing), "Averages and verdicts")))
    turned, same = (sum(row[what] for row in scores) for what in ("has_turned", "is_same"))
    lead = [f"{counted(turned, 'verdict')} changed" if scores else "No numbers to compare"]
    lead += [f"{counted(len(files), 'file')} and {counted(len(settings), 'setting')} differ"]
    if scores:
        lead += [f"{same} of {counted(len(scores), 'average')} {agreeing(same, 'is', 'are')} the same"]
    return Section("changes", "", (f"{'; '.join(lead)}.",), parts=tuple(parts))


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> pd.DataFrame:
    """Return what differs between two experiments."""
    rows = [(what, before.get(what) or DASH, after.get(what) or DASH) for what in dict.fromkeys((*before, *after))]
    return pd.DataFrame([row for row in rows if row[1] != row[2]], columns=["what", "before", "after"])


def _said_of_others(before: Kept, after: Kept) -> dict[str, str]:
    """Return the role of each stream afterwards, and whether its content changed."""
    held, holds = _contents(before), _contents(after)
    other = {name for name in held.keys() & holds.keys() if held[name] != holds[name]}
    return {name: f"{'other content: ' * (name in other)}{words}" for name, words in _taken_for(after).items()}


def _taken_for(kept: Kept) -> dict[str, str]:
    """Return the role of each stream."""
    return {f"{slot.file} {slot.stream}".rstrip(): _said(slot) for slot in kept.workspace.slots}


def _said(slot: Slot) -> str:
    run = slot.run and f"run {slot.run}"
    words = " ".join(filter(None, (slot.role, slot.name, slot.system, run, "on", slot.test_set)))
    return words if slot.included else f"ignored: {words}"


def _contents(kept: Kept) -> dict[str, object]:
    streams = ((document.name, stream) for document in kept.workspace.documents for stream in document.streams)
    return {f"{file} {stream.label}".rstrip(): (stream.lines, stream.scores) for file, stream in streams}


def _settings(kept: Kept) -> dict[str, str]:
    """Return every setting in words, and the options of all metrics."""
    settings, experiment = kept.settings or Settings(), kept.experiment
    said = {name: _shown(value) for name, value in asdict(settings).items() if name not in NOT_COMPARED}
    known = catalog(() if experiment is None else experiment.given)
    for spec in (known[metric] for metric in settings.metrics if metric in known):
        chosen = {**spec.defaults(settings.convention), **settings.options.get(spec.key, {})}
        said |= {f"{spec.name}: {option.label}": _shown(chosen[option.name]) for option in spec.options}
    return {"baseline": "" if experiment is None else experiment.baseline, **said}


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _scores(before: Results | None, after: Results | None) -> list[dict[str, Any]]:
    """Return the average and verdict of each system by each metric on each test set, in both experiments."""
    both = before, after
    means, verdicts = tuple(map(_means, both)), tuple(map(_verdicts, both))
    specs = {key: spec for one in both if one is not None for key, spec in one.evaluation.metrics.items()}
    rows: list[dict[str, Any]] = []
    for key in dict.fromkeys((*means[0], *means[1])):
        test_set, metric, system = key
        mean, other = (of.get(key, float("nan")) for of in means)
        words = [of.get(key, DASH) for of in verdicts]
        has_turned = DASH not in words and words[0] != words[1]
        rows.append({
            "test_set": test_set, "metric": specs[metric].name, "system": system, "before": mean, "after": other,
            "difference": other - mean, "notation": specs[metric].notation, "verdict_before": words[0],
            "verdict_after": words[1], "has_turned": has_turned, "is_same": mean == other and not has_turned,
        })  # fmt: skip
    return rows


def _means(results: Results | None) -> dict[Key, float]:
    rows = () if results is None else results.evaluation.summaries
    return {(row.test_set, row.metric, row.system): row.mean for row in rows}


def _verdicts(results: Results | None) -> dict[Key, str]:
    on = () if results is None else [results.on(test_set) for test_set in results.experiment.test_sets]
    said = (verdict for one in on for verdict in one.verdicts())
    return {(one.test_set, one.metric, one.system): f"{one.conclusion.shape} {one.conclusion.word}" for one in said}
