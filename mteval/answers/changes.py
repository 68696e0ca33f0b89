"""What changed between two experiments that were kept: files, settings, numbers, and whether a verdict turned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Protocol

import pandas as pd

from mteval.analysis.results import Results
from mteval.answers.section import Column, Row, Section, Table
from mteval.base.words import agreeing, counted
from mteval.metrics import catalog
from mteval.metrics.base import MetricSpec
from mteval.readers.documents import Slot
from mteval.readers.workspace import Workspace
from mteval.values.model import Experiment
from mteval.values.notation import DASH
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

NOTHING = ""  # what is not there, or as usual
NOT_COMPARED = ("workers", "options")  # no number depends on the first; the second is said metric by metric
_OTHER = "other content"
Key = tuple[str, str, str]  # test set, metric, system


class Kept(Protocol):
    """An experiment as it was kept."""

    @property
    def workspace(self) -> Workspace: ...
    @property
    def settings(self) -> Settings | None: ...
    @property
    def experiment(self) -> Experiment | None: ...
    @property
    def results(self) -> Results | None: ...


@dataclass(frozen=True)
class Change:
    """Something that both experiments have a word for.

    Parameters
    ----------
    what
        The name of a file or a setting.
    before, after
        In the first experiment and in the second; empty where it is not there.
    """

    what: str
    before: str
    after: str


@dataclass(frozen=True)
class ScoreChange:
    """The average of one system by one metric on one test set, and the verdict on it; NaN and None where unknown."""

    test_set: str
    metric: str
    system: str
    before: float
    after: float
    spec: MetricSpec
    verdict_before: Verdict | None
    verdict_after: Verdict | None

    @property
    def has_turned(self) -> bool:
        """Whether there are two verdicts that say different things."""
        some, other = self.verdict_before, self.verdict_after
        return some is not None and other is not None and some.conclusion is not other.conclusion

    @property
    def is_same(self) -> bool:
        """Whether average and verdict are the same in both."""
        return self.before == self.after and not self.has_turned


@dataclass(frozen=True)
class Changes:
    """All that changed; of numbers also those that did not."""

    files: tuple[Change, ...]
    settings: tuple[Change, ...]
    scores: tuple[ScoreChange, ...]


def changes(before: Kept, after: Kept) -> Changes:
    """What changed from one experiment to the other."""
    return Changes(
        files=tuple(_changed_files(before, after)),
        settings=tuple(_changed(_settings(before), _settings(after))),
        scores=tuple(_scores(before.results, after.results)),
    )


def _changed(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Change]:
    for name in dict.fromkeys((*before, *after)):
        if before.get(name, NOTHING) != after.get(name, NOTHING):
            yield Change(name, before.get(name, NOTHING), after.get(name, NOTHING))


def _changed_files(before: Kept, after: Kept) -> Iterator[Change]:
    held, holds = _contents(before), _contents(after)
    other = {name: f"{_OTHER}: " for name in held if name in holds and held[name] != holds[name]}
    said = {name: f"{other.get(name, '')}{words}" for name, words in _taken_for(after).items()}
    yield from _changed(_taken_for(before), said)


def _taken_for(kept: Kept) -> dict[str, str]:
    """What each stream is taken for."""
    return {_name(slot.file, slot.stream): _said(slot) for slot in kept.workspace.slots}


def _said(slot: Slot) -> str:
    run = f"run {slot.run}" if slot.run else None
    words = " ".join(filter(None, (slot.role, slot.name, slot.system, run, "on", slot.test_set)))
    return words if slot.included else f"left out: {words}"


def _contents(kept: Kept) -> dict[str, object]:
    streams = ((document.name, stream) for document in kept.workspace.documents for stream in document.streams)
    return {_name(file, stream.label): (stream.lines, stream.scores) for file, stream in streams}


def _name(file: str, stream: str) -> str:
    return f"{file} {stream}".rstrip()


def _settings(kept: Kept) -> dict[str, str]:
    """Every setting in words, the options of all metrics as they are, whether chosen or the convention's."""
    settings, experiment = kept.settings or Settings(), kept.experiment
    said = {name: _shown(value) for name, value in asdict(settings).items() if name not in NOT_COMPARED}
    known = catalog(() if experiment is None else experiment.given)
    for spec in (known[metric] for metric in settings.metrics if metric in known):
        chosen = {**spec.defaults(settings.convention), **settings.options.get(spec.key, {})}
        said |= {f"{spec.name}: {option.label}": _shown(chosen[option.name]) for option in spec.options}
    return {"baseline": "" if experiment is None else experiment.baseline, **said}


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _scores(before: Results | None, after: Results | None) -> Iterator[ScoreChange]:
    both = before, after
    means, verdicts = tuple(map(_means, both)), tuple(map(_verdicts, both))
    specs = {key: spec for one in both if one is not None for key, spec in one.evaluation.metrics.items()}
    for key in dict.fromkeys((*means[0], *means[1])):
        before_mean, after_mean = (of.get(key, float("nan")) for of in means)
        before_said, after_said = (of.get(key) for of in verdicts)
        yield ScoreChange(*key, before_mean, after_mean, specs[key[1]], before_said, after_said)


def _means(results: Results | None) -> dict[Key, float]:
    rows = () if results is None else results.evaluation.summaries
    return {(row.test_set, row.metric, row.system): row.mean for row in rows}


def _verdicts(results: Results | None) -> dict[Key, Verdict]:
    sets = () if results is None else results.experiment.test_sets
    said = (verdict for one in sets for verdict in results.on(one).verdicts()) if results is not None else ()
    return {(verdict.test_set, verdict.metric, verdict.system): verdict for verdict in said}


def changes_section(found: Changes, before: str, after: str) -> Section:
    """What changed, the verdicts first; ``before`` and ``after`` are the names of the two experiments."""
    words = (Column("what", ""), Column("before", before), Column("after", after))
    parts = [
        Section(key, "", table=Table(words, pd.DataFrame([_row(one) for one in changed]), caption))
        for key, caption, changed in (("files", "Files", found.files), ("settings", "Settings", found.settings))
        if changed
    ]
    differing = [one for one in found.scores if not one.is_same]
    if differing:
        verdicts = Column("verdict_before", f"Verdict in {before}"), Column("verdict_after", f"in {after}")
        columns = (
            *(Column("test_set", "Test set"), Column("metric", "Metric"), Column("system", "System")),
            *(Column("before", before, "number"), Column("after", after, "number")),
            *(Column("difference", "Difference", "difference"), *verdicts),
        )
        frame = pd.DataFrame([_score_row(one) for one in differing])
        parts.append(Section("averages", "", table=Table(columns, frame, "Averages and verdicts")))
    return Section("changes", "", (summary(found),), parts=tuple(parts))


def summary(found: Changes) -> str:
    """What changed in a sentence, the verdicts first."""
    turned = sum(one.has_turned for one in found.scores)
    same = sum(one.is_same for one in found.scores)
    parts = [f"{counted(turned, 'verdict')} turned" if found.scores else "There are no numbers to compare"]
    parts += [f"{counted(len(found.files), 'file')} and {counted(len(found.settings), 'setting')} differ"]
    if found.scores:
        parts += [f"{same} of {counted(len(found.scores), 'average')} {agreeing(same, 'is', 'are')} the same"]
    return "; ".join(parts) + "."


def _row(change: Change) -> Row:
    return {"what": change.what, "before": change.before or DASH, "after": change.after or DASH}


def _score_row(change: ScoreChange) -> Row:
    def word(verdict: Verdict | None) -> str:
        return DASH if verdict is None else f"{verdict.conclusion.shape} {verdict.conclusion.word}"

    return {
        "test_set": change.test_set, "metric": change.spec.name, "system": change.system, "before": change.before,
        "after": change.after, "difference": change.after - change.before, "notation": change.spec.notation,
        "verdict_before": word(change.verdict_before), "verdict_after": word(change.verdict_after),
    }  # fmt: skip
