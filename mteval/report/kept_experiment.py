"""Values as JSON and back, by the types that their fields declare: what is read is what was written, bit for bit.

The numbers of an evaluation as bytes, so that an experiment is opened again without computing anything.

What a list of experiments shows of each: systems, runs, the primary metric and the verdict, without opening it.

An experiment as the library keeps it, and as an ``experiment.toml`` with its files: one can be made of the other.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from mteval._version import __version__
from mteval.analysis.evaluation import Evaluation
from mteval.analysis.overview import reported_test_set
from mteval.analysis.results import Results
from mteval.answers.verdict import PROVISIONAL
from mteval.base.errors import DataError
from mteval.base.words import counted, counted_range, listed
from mteval.library import Content
from mteval.metrics import METRICS, catalog
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Edits, Workspace
from mteval.report.package import packed_inputs
from mteval.values.model import Experiment
from mteval.values.settings import Settings
from mteval.values.verdict import MANY_SYSTEMS, Conclusion, Verdict

INFINITE = {"inf": float("inf"), "-inf": float("-inf")}  # which JSON does not know; NaN is null
Json = Any


def to_json_form(value: Any) -> Json:
    """Dataclasses as objects, sequences and arrays as lists, NaN as null.

    Raises
    ------
    TypeError
        On a value that has no such form.
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json_form(getattr(value, field.name)) for field in fields(value) if field.init}
    if isinstance(value, np.ndarray | np.generic):
        return to_json_form(value.tolist())
    if isinstance(value, Mapping):
        return {str(key): to_json_form(one) for key, one in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [to_json_form(one) for one in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None if np.isnan(value) else str(value)
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def from_json_form(kind: Any, form: Json) -> Any:
    """The value of a declared type.

    Raises
    ------
    DataError
        Where the form is none of that type: what was written by another version.
    """
    try:
        return _value(kind, form)
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise DataError(f"What is kept is not of the form that this version knows: {error}.") from error


def _value(kind: Any, form: Json) -> Any:
    origin, parts = get_origin(kind), get_args(kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return _dataclass(kind, form)
    if origin in (Union, UnionType):
        others = [part for part in parts if part is not NoneType]
        return None if form is None and NoneType in parts else _first_fitting(others, form)
    if origin is Literal:
        return parts[parts.index(form)]
    if origin is np.ndarray:
        return np.array([_number(one) for one in form], dtype=np.float64)
    if origin is tuple:
        kinds = [parts[0]] * len(form) if parts[-1:] == (...,) else parts
        return tuple(_value(one, item) for one, item in zip(kinds, form, strict=True))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return {key: _value(parts[1], item) for key, item in form.items()}
    if isinstance(origin, type) and issubclass(origin, Sequence):
        return [_value(parts[0], item) for item in form]
    if kind is float:
        return _number(form)
    if kind is not Any and type(form) is not kind:
        raise TypeError(f"{form!r} where {kind} is expected")
    return form


def _first_fitting(kinds: Sequence[Any], form: Json) -> Any:
    if len(kinds) == 1:
        return _value(kinds[0], form)
    if type(form) in kinds:
        return form
    raise TypeError(f"{form!r} where one of {kinds} is expected")


def _number(form: Json) -> float:
    if form is None:
        return float("nan")
    return INFINITE[form] if isinstance(form, str) else float(form)


def _dataclass(kind: Any, form: Json) -> Any:
    hints = _hints(kind)
    unknown = set(form) - set(hints)
    if unknown:
        raise TypeError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    wanted = [field for field in fields(kind) if field.init and (field.name in form or _is_needed(field))]
    return kind(**{field.name: _value(hints[field.name], form[field.name]) for field in wanted})


def _is_needed(field: Any) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


@cache
def _hints(kind: Hashable) -> Mapping[str, Any]:
    return get_type_hints(kind)


KEPT = tuple(field.name for field in fields(Evaluation) if field.name != "metrics")  # how to describe them is known


def numbers_of(experiment: Experiment, evaluation: Evaluation) -> bytes:
    """The numbers of an experiment's evaluation."""
    form = {name: to_json_form(getattr(evaluation, name)) for name in KEPT}
    return json.dumps({"experiment": experiment.digest, **form}, ensure_ascii=False, allow_nan=False).encode("utf-8")


def evaluation_from(numbers: bytes, experiment: Experiment) -> Evaluation | None:
    """The evaluation again; None where the numbers are of another experiment, or were made by another version.

    None as well where one of its metrics is there no more: a model that is named no longer, a package that is gone.
    """
    form = json.loads(numbers)
    is_of_another = form.pop("experiment") != experiment.digest
    if is_of_another or set(form) != set(KEPT) or form["versions"].get("mteval") != __version__:
        return None
    kinds, known = get_type_hints(Evaluation), catalog(experiment.given)
    try:
        kept: dict[str, Any] = {name: from_json_form(kinds[name], value) for name, value in form.items()}
    except DataError:  # of the same version on its way to the next one
        return None
    metrics = kept["settings"].metrics
    return Evaluation(metrics={key: known[key] for key in metrics}, **kept) if set(metrics) <= set(known) else None


@dataclass(frozen=True)
class Concluded:
    """The verdict on one system by the primary metric: the name of its conclusion, and whether it is provisional."""

    system: str
    conclusion: str
    is_provisional: bool

    @property
    def word(self) -> str:
        """``▲ better``, with what is provisional said to be."""
        conclusion = Conclusion[self.conclusion]
        provisional = f", {PROVISIONAL}" if self.is_provisional else ""
        return f"{conclusion.shape} {conclusion.word}{provisional}"


@dataclass(frozen=True)
class Card:
    """What can be said of an experiment at a glance.

    Parameters
    ----------
    systems
        Keys, the baseline first; none where the files make no experiment yet.
    n_runs
        Of each of them, over all test sets.
    test_set, n_segments
        The one that the verdicts are about, and how many segments it has.
    metric
        Name of the primary metric; empty where nothing was scored.
    concluded
        The verdicts.
    """

    systems: tuple[str, ...] = ()
    n_runs: tuple[int, ...] = ()
    test_set: str = ""
    n_segments: int = 0
    metric: str = ""
    concluded: tuple[Concluded, ...] = ()

    @property
    def verdict(self) -> str:
        """The verdicts in a line: system by system, or of many systems how many have which; empty without numbers."""
        if len(self.systems) < MANY_SYSTEMS:
            return "; ".join(f"{one.system} {one.word}" for one in self.concluded)
        words = Counter(Conclusion[one.conclusion] for one in self.concluded)
        return " · ".join(f"{number} {one.shape} {one.word}" for one in Conclusion if (number := words[one]))


def card_of(experiment: Experiment | None, results: Results | None) -> Card:
    """The card of what is loaded, and of its numbers where there are any."""
    if experiment is None:
        return Card()
    ordered = sorted(experiment.systems, key=lambda system: system.key != experiment.baseline)
    test_set = experiment.test_sets[0] if results is None else results.test_set
    primary = None if results is None else results.settings.primary_metric
    verdicts = () if results is None else results.verdicts(primary)
    return Card(
        systems=tuple(system.key for system in ordered),
        n_runs=tuple(len(system.runs) for system in ordered),
        test_set=test_set.name,
        n_segments=test_set.n_segments,
        metric="" if results is None or primary is None else results.spec(primary).name,
        concluded=tuple(map(_concluded, verdicts)),
    )


def card_from(form: object) -> Card:
    """The card in a list.

    Raises
    ------
    DataError
        Where it is of a form that this version does not know.
    """
    card: Card = from_json_form(Card, form)
    return card


def line_from(form: Mapping[str, object]) -> str:
    """The card in a list as a line.

    Raises
    ------
    DataError
        As ``card_from``.
    """
    return in_a_line(card_from(form)) if form else "what the library said of it is damaged; open it to see"


def _concluded(verdict: Verdict) -> Concluded:
    return Concluded(verdict.system, verdict.conclusion.name, verdict.is_provisional)


def usual_name(experiment: Experiment | None, n_files: int) -> str:
    """What an experiment is called until somebody names it: after its systems."""
    if experiment is None:
        return counted(n_files, "file")
    keys = [system.key for system in experiment.systems]
    return listed(keys) if len(keys) < MANY_SYSTEMS else counted(len(keys), "system")


def in_a_line(card: Card) -> str:
    """``2 systems · 3 runs each · 40 segments · BLEU · new ○ not shown``."""
    if not card.systems:
        return "outputs are missing"
    size = (
        counted(len(card.systems), "system"),
        f"{counted_range(card.n_runs, 'run')} each",
        counted(card.n_segments, "segment"),
    )
    return " · ".join(filter(None, (*size, card.metric or "nothing scored yet", card.verdict)))


def when(seconds: float) -> str:
    """The minute, by the clock of this machine."""
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M")


@dataclass(frozen=True)
class Bookmarks:
    """Segments of a test set that somebody wants to find again; zero-based."""

    test_set: str
    segments: tuple[int, ...]


@dataclass(frozen=True)
class Made:
    """What was made of the files.

    Parameters
    ----------
    edits
        What each file is taken for.
    settings
        None where those of the sidebar could not be used.
    baseline
        The system that was chosen to compare with; None leaves it to the guess.
    first_primary
        The metric that the numbers were first read by; None where there are none.
    seen
        What was seen of these systems, also with fewer runs: later runs do not make it unseen.
    bookmarks
        Of the test sets that have any.
    """

    edits: Edits
    settings: Settings | None
    baseline: str | None
    first_primary: str | None = None
    seen: tuple[Card, ...] = ()
    bookmarks: tuple[Bookmarks, ...] = ()


@dataclass(frozen=True, eq=False)
class Opened:
    """An experiment that was kept, as it was."""

    workspace: Workspace
    made: Made
    experiment: Experiment | None
    results: Results | None

    @property
    def settings(self) -> Settings | None:
        """As in ``Made``."""
        return self.made.settings


def content_of(
    workspace: Workspace, made: Made, results: Results | None, *, with_files: bool = True, with_numbers: bool = True
) -> Content:
    """What is kept of what is loaded, ``results`` its numbers where there are any.

    Files and numbers that are the same as before need not be written again.
    """
    numbers = None
    if with_numbers:
        numbers = b"" if results is None else numbers_of(results.experiment, results.evaluation)
    return Content(
        made=to_json_form(made),
        card=to_json_form(card_of(workspace.experiment(made.baseline), results)),
        files={file.name: file.content for file in workspace.files} if with_files else None,
        numbers=numbers,
    )


def opened(content: Content) -> Opened:
    """What was kept, as it was; nothing is guessed anew and nothing is computed.

    Raises
    ------
    DataError
        Where it is of a form that this version does not know.
    """
    made: Made = from_json_form(Made, content.made)
    files = [InputFile(name, blob) for name, blob in (content.files or {}).items()]
    workspace = Workspace.of(files, made.edits, frozenset(METRICS))
    experiment = workspace.experiment(made.baseline)
    evaluation = evaluation_from(content.numbers, experiment) if content.numbers and experiment is not None else None
    if experiment is None or evaluation is None:
        return Opened(workspace, made, experiment, None)
    return Opened(workspace, made, experiment, Results(experiment, evaluation, reported_test_set(experiment)))


def exported(workspace: Workspace, made: Made) -> dict[str, bytes]:
    """``experiment.toml`` and the files that it names, by path: dropped on the first page it is the experiment again.

    Raises
    ------
    DataError
        Where the files make no experiment yet.
    """
    experiment = workspace.experiment(made.baseline)
    if experiment is None:
        raise DataError("Its files make no experiment yet: outputs are missing. Open it to add them.")
    return packed_inputs(workspace.loaded(experiment), made.settings or Settings())
