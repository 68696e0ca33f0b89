"""``experiment.toml``: files, their roles and settings; and the file of a plan, with a digest that shows changes.

``parse_experiment`` reads what ``describe`` and ``experiment_toml`` write. To add a key, edit both the structs and
``describe``.
"""

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal, TypeVar, get_type_hints

import tomli_w
from msgspec import UNSET, Struct, defstruct, structs

from mteval._version import __version__
from mteval.base.bounded_input import Filled, Finite, Whole, bounded_toml, decoded, shown
from mteval.base.errors import InputError, SettingsError
from mteval.readers.assembly.test_sets import nested_pattern
from mteval.readers.documents import Edits, FileRole, Slot
from mteval.values.definitions import DEFINITIONS, FIRST, changed_since
from mteval.values.given import GivenMetric
from mteval.values.languages import language_pair
from mteval.values.model import Experiment, Role, TestSet
from mteval.values.plan import Plan, Planned, PlannedTestSet, deviations
from mteval.values.settings import NOT_DECIDING, Settings

FORMAT = 1
NO_PATHS: Mapping[tuple[str, str], str] = {}
T = TypeVar("T")
U = TypeVar("U")
_HEAD = """\
# Files, their roles, and settings. To compute the numbers again: mteval run experiment.toml
# Paths are relative to the folder of this file.

"""


class _Part(Struct, forbid_unknown_fields=True):
    """One column, system or reference in a file."""

    file: Filled
    part: Filled


Location = Filled | _Part
Locations = dict[str, Location]
Keyed = tuple[Slot, str]  # with its key in the file


class _TestSetTable(Struct, forbid_unknown_fields=True):
    """A table ``[[test_sets]]``. It may lack texts if there are scores."""

    name: Filled
    role: Role
    references: list[Location] | None = None
    source: Location | None = None
    documents: Location | None = None
    labels: Locations = {}
    nbest: list[Location] = []
    judgements: list[Location] = []
    systems: dict[str, Locations] | None = None
    reference_parses: list[Location] = []
    parses: dict[str, Locations] = {}
    languages: Filled | None = None


class _ScoresFile(Struct, forbid_unknown_fields=True):
    file: Filled
    part: Filled | None = None
    test_set: Filled | None = None
    system: Filled | None = None
    run: Filled | None = None


class _ScoresTable(Struct, forbid_unknown_fields=True):
    """A table ``[[scores]]``: scores of one metric, computed elsewhere."""

    name: Filled
    better: Literal["higher", "lower"]
    files: list[Filled | _ScoresFile]


_KINDS: Mapping[str, Any] = get_type_hints(Settings) | {  # of numbers and texts more exactly, for errors
    "metrics": tuple[Filled, ...],
    "options": dict[str, dict[str, str | Whole | Finite | bool]],
    "n_bootstrap": Whole,
    "n_shuffles": Whole,
    "seed": Whole,
    "confidence": Finite,
    "looks": tuple[Whole, ...],
    "run_word": Filled,
}
# Settings that a file states; the rest have their defaults.
_FIELDS = [(name, kind, UNSET) for name, kind in _KINDS.items() if name not in NOT_DECIDING]
_SettingsTable = defstruct("_SettingsTable", _FIELDS, forbid_unknown_fields=True)


class _File(Struct, forbid_unknown_fields=True):
    format: int
    baseline: Filled
    settings: dict[str, Any]
    test_sets: list[_TestSetTable]
    scores: list[_ScoresTable] = []
    made_with: Filled | None = None
    definitions: Whole = FIRST
    keeps_copies: bool = False
    nested: str = ""


@dataclass(frozen=True)
class ExperimentFile:
    """Content of an experiment file.

    Parameters
    ----------
    edits
        Role of each file, and what else it states about them; paths are relative to the file's folder.
    keys
        Key of each slot in the file, for messages.
    baseline
        Key of the system to compare with.
    made_with
        Program and version that wrote it; empty if written by hand.
    changed
        Changes of definitions since it was written, one sentence each.
    """

    edits: Edits
    keys: tuple[str, ...]
    baseline: str
    settings: Settings
    made_with: str = ""
    changed: tuple[str, ...] = ()


def parse_experiment(text: str, file: str) -> ExperimentFile:
    """Parse an ``experiment.toml``.

    Raises
    ------
    InputError
        If it is not valid TOML, a newer version wrote it, or a key is unknown, missing or invalid.
    """
    form = bounded_toml(text, file)
    version = form.get("format")
    if isinstance(version, int) and version != FORMAT:  # another version, so nothing else can be read
        _refuse("format", shown(version), f"{FORMAT} (other versions of mteval wrote it)", file)
    definitions = form.get("definitions")
    if isinstance(definitions, int):  # before unknown settings
        changed_since(definitions, file)
    content = decoded(form, _File, file)
    if not content.test_sets:
        _refuse("test_sets", "an empty list", "at least one table [[test_sets]]", file)
    roles: dict[str, Role] = {}
    languages: dict[str, str] = {}
    directions: dict[str, bool] = {}
    rows: list[Keyed] = []
    for number, table in enumerate(content.test_sets, start=1):
        key = f"test_sets[{number}]"
        if table.name in roles:
            _refuse(f"{key}.name", f"'{table.name}', as for an earlier test set", "another name", file)
        roles[table.name] = table.role
        if table.languages is not None:
            languages[table.name] = _valid(language_pair, table.languages, f"{key}.languages", file)
        if table.systems is None and (table.references is not None or not content.scores):
            raise InputError(f"The key '{key}.systems' is missing. Expected a table.", file)
        rows += _slots(table, key, file)
    for number, scores in enumerate(content.scores, start=1):
        key = f"scores[{number}]"
        if scores.name in directions:
            _refuse(f"{key}.name", f"'{scores.name}', as for earlier scores", "another name", file)
        directions[scores.name] = scores.better == "higher"
        rows += _slots_of_scores(scores, key, tuple(roles), file)
    settings = settings_from(content.settings, file)
    nested = ""
    if content.nested:
        nested = _valid(nested_pattern, content.nested, "nested", file)
        settings = settings.of_trainings()
    edits = Edits(
        slots=tuple(slot for slot, _ in rows),
        directions=directions,
        roles=roles,
        is_described=True,
        languages=languages,
        keeps_copies=content.keeps_copies,
        nested=nested,
    )
    keys = tuple(key for _, key in rows)
    changed = changed_since(content.definitions, file)
    return ExperimentFile(edits, keys, content.baseline, settings, content.made_with or "", changed)


def _valid(made_of: Callable[[T], U], value: T, key: str, file: str) -> U:
    """Return what a function makes of a value; its error names the key and the file."""
    try:
        return made_of(value)
    except SettingsError as error:
        raise InputError(f"'{key}': {error}", file) from error


def _refuse(key: str, value: str, expected: str, file: str) -> None:
    """Raise the error of a value that a key cannot have."""
    raise InputError(f"'{key}' is {value}. Expected {expected}.", file)


def _slots(table: _TestSetTable, key: str, file: str) -> Iterator[Keyed]:
    """Yield the slots of a test set with their keys, in assembly order."""

    def slot(
        where: str, location: Location, role: FileRole, system: str | None = None, run: str | None = None
    ) -> Keyed:
        if isinstance(location, str):
            location = _Part(location, "")
        return Slot(location.file, role, system, run, table.name, location.part), f"{key}.{where}"

    for number, location in enumerate(table.references or (), start=1):
        yield slot(f"references[{number}]", location, "reference")
    for number, location in enumerate(table.nbest, start=1):
        yield slot(f"nbest[{number}]", location, "nbest")
    for number, location in enumerate(table.judgements, start=1):
        yield slot(f"judgements[{number}]", location, "judgements")
    if table.source is not None:
        yield slot("source", table.source, "source")
    if table.documents is not None:
        yield slot("documents", table.documents, "documents")
    for label, location in table.labels.items():
        unnamed, where = slot(f"labels.{label}", location, "labels")
        yield replace(unnamed, name=label), where
    for system, runs in (table.systems or {}).items():
        for run, location in runs.items():
            where = f"systems.{system}.{run}"
            if not (system and run):
                raise InputError(f"'{key}.{where}': systems and runs need names.", file)
            yield slot(where, location, "hypothesis", system, run)
    for number, location in enumerate(table.reference_parses, start=1):
        yield slot(f"reference_parses[{number}]", location, "parses", run=str(number))
    for system, runs in table.parses.items():
        for run, location in runs.items():
            yield slot(f"parses.{system}.{run}", location, "parses", system, run)


def _slots_of_scores(table: _ScoresTable, key: str, test_sets: tuple[str, ...], file: str) -> Iterator[Keyed]:
    if not table.files:
        _refuse(f"{key}.files", "an empty list", "at least one file", file)
    for number, path_or_table in enumerate(table.files, start=1):
        where = f"{key}.files[{number}]"
        entry = _ScoresFile(path_or_table) if isinstance(path_or_table, str) else path_or_table
        test_set = entry.test_set
        if not test_set and len(test_sets) == 1:
            test_set = test_sets[0]
        if test_set is None:
            raise InputError(f"The key '{where}.test_set' is missing. Expected one of {', '.join(test_sets)}.", file)
        if test_set not in test_sets:
            _refuse(f"{where}.test_set", f"'{test_set}'", f"one of {', '.join(test_sets)}", file)
        yield Slot(entry.file, "scores", entry.system, entry.run, test_set, entry.part or "", name=table.name), where


def experiment_toml(description: Mapping[str, Any]) -> str:
    """Return the text of the file for a description from ``describe``."""
    return _HEAD + tomli_w.dumps(description)


def describe(
    experiment: Experiment,
    slots: Iterable[Slot],
    settings: Settings,
    shown_path: Callable[[str], str],
    given_paths: Mapping[tuple[str, str], str] = NO_PATHS,
) -> dict[str, Any]:
    """Return the content of the file.

    Parameters
    ----------
    slots
        Slots in use.
    shown_path
        Maps a document name to its path relative to the file's folder.
    given_paths
        Paths of given scores, by metric key and test set.
    """
    slots_in_use = list(slots)
    description: dict[str, Any] = {
        "format": FORMAT,
        "made_with": f"mteval {__version__}",
        "definitions": DEFINITIONS,
        "baseline": experiment.baseline,
    }
    if experiment.keeps_copies:
        description["keeps_copies"] = True
    if experiment.nested:
        description["nested"] = experiment.nested
    description["settings"] = settings_form(settings)
    description["test_sets"] = [_test_set_form(test_set, slots_in_use, shown_path) for test_set in experiment.test_sets]
    if experiment.given:
        description["scores"] = [_scores_form(metric, given_paths) for metric in experiment.given]
    return description


def _scores_form(metric: GivenMetric, paths: Mapping[tuple[str, str], str]) -> dict[str, Any]:
    files = [{"file": path, "test_set": test_set} for (key, test_set), path in paths.items() if key == metric.key]
    return {"name": metric.name, "better": "higher" if metric.higher_is_better else "lower", "files": files}


def settings_from(form: Mapping[str, Any], file: str) -> Settings:
    """Return the settings of a file.

    Raises
    ------
    InputError
        If a value is out of range.
    """
    table = structs.asdict(decoded(form, _SettingsTable, file, "settings"))
    given = {name: value for name, value in table.items() if value is not UNSET}
    return _valid(lambda values: Settings(**values), given, "settings", file)


def settings_form(settings: Settings) -> dict[str, Any]:
    """Return the table of settings."""
    values = settings.deciding
    values["metrics"] = list(settings.metrics)
    values["looks"] = list(settings.looks)
    # TOML has no null; an option is None only by default, so it can be omitted
    values["options"] = {}
    for metric, options in settings.options.items():
        values["options"][metric] = {name: value for name, value in options.items() if value is not None}
    return values


def _test_set_form(test_set: TestSet, slots: Iterable[Slot], shown_path: Callable[[str], str]) -> dict[str, Any]:
    content: dict[str, Any] = {
        "name": test_set.name,
        "role": test_set.role,
        "languages": test_set.languages,
        "references": [],
        "nbest": [],
        "judgements": [],
    }
    systems: dict[str, dict[str, Any]] = defaultdict(dict)
    parses: dict[str, dict[str, Any]] = defaultdict(dict)
    for slot in slots:
        if slot.test_set != test_set.name:
            continue
        path = shown_path(slot.file)
        location = {"file": path, "part": slot.stream} if slot.stream else path
        if slot.role == "hypothesis":
            systems[str(slot.system)][str(slot.run)] = location
        elif slot.role == "parses":
            system, run = slot.parsed_text
            parses[system][run] = location
        elif slot.role in ("source", "documents"):
            content.setdefault(slot.role, location)
        elif slot.role == "labels":
            content.setdefault("labels", {}).setdefault(slot.shown_name, location)
        elif slot.role == "reference":
            content["references"].append(location)
        else:
            content[slot.role].append(location)
    of_references = parses.pop("", {})
    content["reference_parses"] = [of_references[number] for number in sorted(of_references, key=int)]
    content["systems"] = systems
    content["parses"] = parses
    return {key: value for key, value in content.items() if value}


_PLAN_HEAD = "# A plan, frozen before results were seen. To check results against it: mteval eval … --plan FILE\n\n"


class _PlanFile(Struct, forbid_unknown_fields=True):
    format: int
    made_with: Filled
    definitions: Whole
    frozen: Filled
    baseline: Filled
    systems: tuple[Filled, ...]
    n_runs: Whole
    settings: dict[str, Any]
    test_sets: tuple[PlannedTestSet, ...]
    digest: Filled
    target: Finite | None = None
    margin: Finite | None = None


def plan_toml(plan: Plan) -> str:
    """Return the text of a plan's file, with the present time and its digest."""
    form: dict[str, Any] = {
        "format": 1,
        "made_with": f"mteval {__version__}",
        "definitions": DEFINITIONS,
        "frozen": datetime.now(UTC).isoformat(timespec="seconds"),
        "baseline": plan.baseline,
        "systems": list(plan.systems),
        "n_runs": plan.n_runs,
    }
    if plan.target is not None:
        form["target"] = plan.target
    if plan.margin is not None:
        form["margin"] = plan.margin
    form["settings"] = settings_form(plan.settings)
    form["test_sets"] = [asdict(test_set) for test_set in plan.test_sets]
    return _PLAN_HEAD + tomli_w.dumps({"digest": _digest(form), **form})


def checked_plan(text: str, file: str, experiment: Experiment, settings: Settings) -> Planned:
    """Compare an evaluation with the plan in a file.

    Raises
    ------
    InputError
        If the file is no plan, or a newer mteval wrote it.
    """
    form = bounded_toml(text, file)
    content = decoded(form, _PlanFile, file)
    changed = [f"Definition changed since: {sentence}" for sentence in changed_since(content.definitions, file)]
    digested = {key: value for key, value in form.items() if key != "digest"}
    if _digest(digested) != content.digest:
        changed.insert(0, f"The plan was edited after {content.frozen}: its digest does not match.")
    planned = settings_from(content.settings, file)
    plan = Plan(
        content.baseline, content.systems, content.n_runs, content.test_sets, planned, content.target, content.margin
    )
    return Planned(file, content.digest, (*changed, *deviations(plan, experiment, settings)))


def _digest(form: Mapping[str, Any]) -> str:
    return hashlib.sha256(tomli_w.dumps(form).encode("utf-8")).hexdigest()
