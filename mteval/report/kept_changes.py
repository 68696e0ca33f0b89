"""What changed from one experiment to another: files, settings, numbers, and whether a verdict turned.

Looks that nobody planned: the same systems were scored before, with fewer runs.

An experiment that the dashboard is started on: files of this machine, put into the library.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from mteval.analysis.results import Results
from mteval.base.errors import InputError
from mteval.library import Library, Listed
from mteval.library.configuration import NOBODY
from mteval.metrics import METRICS, catalog
from mteval.metrics.base import MetricSpec
from mteval.readers.disk import file_at, files_below
from mteval.readers.documents import InputFile
from mteval.readers.experiment_file import FILE_NAME, parse_experiment
from mteval.readers.formats.text import decode
from mteval.readers.slots import Slot
from mteval.readers.workspace import Workspace
from mteval.report.kept_experiment import Card, Made, Opened, content_of, usual_name
from mteval.values.notation import Notation
from mteval.values.settings import Settings
from mteval.values.verdict import Verdict

NOTHING = ""  # what is not there, or as usual
NOT_COMPARED = ("workers", "options")  # no number depends on the first; the second is said metric by metric
_OTHER = "other content"


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
    def notation(self) -> Notation:
        """How its numbers are written."""
        return self.spec.notation

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


def changes(before: Opened, after: Opened) -> Changes:
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


def _changed_files(before: Opened, after: Opened) -> Iterator[Change]:
    held, holds = _contents(before), _contents(after)
    other = {name: f"{_OTHER}: " for name in held if name in holds and held[name] != holds[name]}
    said = {name: f"{other.get(name, '')}{words}" for name, words in _taken_for(after).items()}
    yield from _changed(_taken_for(before), said)


def _taken_for(kept: Opened) -> dict[str, str]:
    """What each stream is taken for."""
    return {_name(slot.file, slot.stream): _said(slot) for slot in kept.workspace.slots}


def _contents(kept: Opened) -> dict[str, object]:
    streams = ((document.name, stream) for document in kept.workspace.documents for stream in document.streams)
    return {_name(file, stream.label): (stream.lines, stream.scores) for file, stream in streams}


def _name(file: str, stream: str) -> str:
    return f"{file} {stream}".rstrip()


def _said(slot: Slot) -> str:
    run = f"run {slot.run}" if slot.run else None
    words = " ".join(filter(None, (slot.role, slot.name, slot.system, run, "on", slot.test_set)))
    return words if slot.included else f"left out: {words}"


def _settings(kept: Opened) -> dict[str, str]:
    """Every setting in words, the options of all metrics as they are, whether chosen or the convention's."""
    settings, experiment = kept.made.settings or Settings(), kept.experiment
    said = {name: _shown(value) for name, value in asdict(settings).items() if name not in NOT_COMPARED}
    known = catalog(() if experiment is None else experiment.given)
    for spec in (known[metric] for metric in settings.metrics if metric in known):
        chosen = {**spec.defaults(settings.convention), **settings.options.get(spec.key, {})}
        said |= {f"{spec.name}: {option.label}": _shown(chosen[option.name]) for option in spec.options}
    return {"baseline": "" if experiment is None else experiment.baseline, **said}


def _shown(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


Key = tuple[str, str, str]


def _scores(before: Results | None, after: Results | None) -> Iterator[ScoreChange]:
    means = _means(before), _means(after)
    verdicts = _verdicts(before), _verdicts(after)
    specs = _specs(before) | _specs(after)
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


def _specs(results: Results | None) -> dict[str, MetricSpec]:
    return {} if results is None else dict(results.evaluation.metrics)


def runs_seen_before(card: Card, others: Iterable[Card]) -> tuple[int, ...]:
    """Numbers of runs, fewer than now, with which an experiment's systems were scored, in rising order.

    Experiments are the same but for their runs where they have the same systems, and their verdicts are by the same
    metric on a test set of the same name and size.
    """
    if not card.n_runs:
        return ()
    seen = {min(other.n_runs) for other in others if other.concluded and other.n_runs and _about(other) == _about(card)}
    return tuple(sorted(n_runs for n_runs in seen if n_runs < min(card.n_runs)))


def _about(card: Card) -> tuple[frozenset[str], str, int, str]:
    return frozenset(card.systems), card.test_set, card.n_segments, card.metric


def entry_of(paths: Sequence[Path], library: Library, left_to_grow: float = 0) -> Listed:
    """The experiment that the files make: the one that has them already, as it was left, else a new one.

    Parameters
    ----------
    paths
        An ``experiment.toml``, which brings the files that it names, folders, or files.
    left_to_grow
        Files of folders that were written to in the last so many seconds are left out.

    Raises
    ------
    MtevalError
        Where a file cannot be read, or the library cannot be written to.
    """
    workspace = Workspace(reserved=frozenset(METRICS)).add(
        [file for path in paths for file in _files_at(path, left_to_grow)]
    )
    for problem in workspace.rejected:
        if problem.severity == "error":
            raise problem.as_error()
    described = workspace.described
    settings, baseline = (None, None) if described is None else (described.settings, described.baseline)
    made = Made(workspace.edits, settings, baseline)
    content = content_of(workspace, made, None)
    for listed in library.with_files(content.files or {}):
        if described is None or library.content(listed.uid).made == content.made:
            library.touch(listed.uid)
            return listed
    name = usual_name(workspace.experiment(made.baseline), len(workspace.documents))
    return library.add(content, name, NOBODY)


def _files_at(path: Path, left_to_grow: float) -> Iterator[InputFile]:
    """The files of a path, by the names that they have when it is dropped."""
    if path.is_dir():
        for name, there in files_below(path.resolve()).items():
            if time.time() - there.stat().st_mtime >= left_to_grow:
                yield InputFile(name, file_at(there).content)
    elif path.name == FILE_NAME:
        text = file_at(path)
        yield InputFile(FILE_NAME, text.content)
        described = parse_experiment(decode(text.content, str(path)), str(path))
        for name in dict.fromkeys(slot.file for slot in described.slots):
            yield InputFile(name, file_at(path.parent / name).content)
    elif path.is_file():
        yield InputFile(path.as_posix(), file_at(path).content)
    else:
        raise InputError(f"There is no such file or folder; name an {FILE_NAME}, a folder or files.", str(path))
