"""TOML counted before it is parsed: the parser of Python takes time and memory by the square of a key's depth.

``experiment.toml``: which file is what, and the settings: all that it takes to compute the same numbers again.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from mteval.base.bounded_input import Table
from mteval.base.errors import InputError, SettingsError
from mteval.base.words import counted
from mteval.readers.documents import FileRole
from mteval.readers.slots import Slot
from mteval.values.languages import language_pair
from mteval.values.model import ROLES, Role
from mteval.values.run_words import RUN_WORDS
from mteval.values.settings import CONVENTIONS, DESIGNS, EXCHANGE_UNITS, NOT_DECIDING, SPENDINGS, Settings

MOST_CHARACTERS = 4_000_000
DEEPEST = 32  # tables and lists in one another; an experiment has six
BASIC, LITERAL = r'"(?:[^"\\\n]++|\\.)*+"?+', r"'[^'\n]*+'?+"
TEXT_OR_COMMENT = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)' + r"|'''(?:[^']++|'(?!''))*+(?:'''|\Z)" + f"|{BASIC}|{LITERAL}|#[^\n]*+",
    re.DOTALL,
)
DEEP_KEY = re.compile(rf"(?<![\w-])(?:[\w-]*+[ \t]*+\.[ \t]*+){{{DEEPEST}}}")
BRACKET = re.compile(r"[\[{\]}]")


def refuse_costly_toml(text: str, file: str) -> None:
    """Raise InputError where the text is long, or tables or lists stand deep in one another."""
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"It has {counted(len(text), 'character')}; at most {MOST_CHARACTERS:,} are read.", file)
    plain = TEXT_OR_COMMENT.sub("q", text)
    depth = deepest = 0
    for bracket in BRACKET.findall(plain):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > DEEPEST or DEEP_KEY.search(plain):
        raise InputError(f"Tables or lists stand more than {DEEPEST} deep in one another; expected six at most.", file)


FILE_NAME = "experiment.toml"
FORMAT = 1
TOP_KEYS = ("format", "made_with", "baseline", "settings", "test_sets", "scores")
TEST_SET_KEYS = (
    *("name", "role", "references", "source", "documents", "labels", "nbest", "judgements", "systems"),
    *("reference_parses", "parses", "languages"),
)
PART_KEYS = ("file", "part")
SCORES_KEYS = ("name", "better", "files")
SCORES_FILE_KEYS = ("file", "part", "test_set", "system", "run")
DIRECTIONS: Mapping[str, bool] = {"higher": True, "lower": False}
SETTINGS_KEYS = tuple(setting.name for setting in fields(Settings) if setting.name not in NOT_DECIDING)
_CHOICES: Mapping[str, Sequence[str]] = {
    "convention": CONVENTIONS,
    "exchange_unit": EXCHANGE_UNITS,
    "design": DESIGNS,
    "run_word": tuple(RUN_WORDS),
    "spending": SPENDINGS,
}


@dataclass(frozen=True)
class ExperimentFile:
    """What the file says.

    Parameters
    ----------
    slots
        What each file is taken for; paths as they stand in the file, relative to its folder.
    keys
        Where in the file each slot stands, for messages.
    baseline
        Key of the system that the others are compared with.
    roles
        Of the test sets, by name.
    languages
        Of those where it says them.
    directions
        Of the scores computed elsewhere, by name: whether higher is better.
    made_with
        Program and version that wrote it; empty where it was written by hand.
    """

    slots: tuple[Slot, ...]
    keys: tuple[str, ...]
    baseline: str
    roles: Mapping[str, Role]
    settings: Settings
    made_with: str = ""
    directions: Mapping[str, bool] = field(default_factory=dict)
    languages: Mapping[str, str] = field(default_factory=dict)


def parse_experiment(text: str, file: str) -> ExperimentFile:
    """The meaning of an ``experiment.toml``.

    Raises
    ------
    InputError
        Where it is no TOML, or a key is unknown, missing or has a value that cannot be used.
    """
    refuse_costly_toml(text, file)
    try:
        top = Table(tomllib.loads(text), file)
    except (ValueError, RecursionError) as error:  # of numbers and dates as well
        raise InputError(f"It is not valid TOML: {error}. Mend that place.", file) from error
    top.allow(TOP_KEYS)
    if top.whole("format") != FORMAT:
        top.refuse("format", str(top.whole("format")), f"{FORMAT}, the only one that this version reads")
    scores = list(top.tables("scores")) if "scores" in top.values else []
    rows = [row for table in top.tables("test_sets") for row in _test_set(table, has_scores=bool(scores))]
    roles = _roles(top)
    if not roles:
        top.refuse("test_sets", "an empty list", "at least one table [[test_sets]]")
    rows += [row for table in scores for row in _scores(table, tuple(roles))]
    return ExperimentFile(
        slots=tuple(slot for slot, _ in rows),
        keys=tuple(key for _, key in rows),
        baseline=top.text("baseline"),
        roles=roles,
        settings=_settings(top.table("settings")),
        made_with=top.text("made_with") if "made_with" in top.values else "",
        directions=_directions(scores),
        languages=dict(_languages(top)),
    )


def _roles(top: Table) -> dict[str, Role]:
    roles: dict[str, Role] = {}
    for table in top.tables("test_sets"):
        name = table.text("name")
        if name in roles:
            table.refuse("name", f"'{name}', as of an earlier test set", "a name of its own")
        roles[name] = next(role for role in ROLES if role == table.text("role", ROLES))
    return roles


def _languages(top: Table) -> Iterator[tuple[str, str]]:
    for table in top.tables("test_sets"):
        if "languages" in table.values:
            try:
                yield table.text("name"), language_pair(table.text("languages"))
            except SettingsError as error:
                raise InputError(f"'{table.full_key('languages')}': {error}", table.file) from error


def _directions(scores: Sequence[Table]) -> dict[str, bool]:
    directions: dict[str, bool] = {}
    for table in scores:
        name = table.text("name")
        if name in directions:
            table.refuse("name", f"'{name}', as of earlier scores", "a name of its own")
        directions[name] = DIRECTIONS[table.text("better", tuple(DIRECTIONS))]
    return directions


def _scores(table: Table, test_sets: Sequence[str]) -> Iterator[tuple[Slot, str]]:
    """The slots of one metric whose scores were computed elsewhere."""
    table.allow(SCORES_KEYS)
    name = table.text("name")
    if not table.listed("files"):
        table.refuse("files", "an empty list", "at least one file")
    for number, value in enumerate(table.listed("files"), start=1):
        key = f"files[{number}]"
        values = value if isinstance(value, dict) else {"file": Table({key: value}, table.file, table.key).text(key)}
        entry = Table(values, table.file, table.full_key(key))
        entry.allow(SCORES_FILE_KEYS)
        texts = {name: entry.text(name) for name in SCORES_FILE_KEYS if name in values}
        test_set = entry.text("test_set", test_sets) if "test_set" in texts or len(test_sets) > 1 else test_sets[0]
        system, run, part = texts.get("system"), texts.get("run"), texts.get("part", "")
        yield Slot(entry.text("file"), "scores", system, run, test_set, part, name=name), entry.key


def _test_set(table: Table, *, has_scores: bool) -> Iterator[tuple[Slot, str]]:
    """The slots of one test set, in the order in which they are assembled; where there are scores it may lack texts."""
    table.allow(TEST_SET_KEYS)
    name = table.text("name")
    has_texts = not has_scores or not {"references", "systems"}.isdisjoint(table.values)
    several: tuple[tuple[str, FileRole], ...] = (
        ("references", "reference"),
        ("nbest", "nbest"),
        ("judgements", "judgements"),
    )
    for key, role in several:
        for number, value in enumerate(table.listed(key) if key in table.values else [], start=1):
            yield _slot(table, f"{key}[{number}]", value, role, name)
    single: tuple[FileRole, ...] = ("source", "documents")
    for role in single:
        if role in table.values:
            yield _slot(table, role, table.values[role], role, name)
    labels = table.table("labels").values if "labels" in table.values else {}
    for label, value in labels.items():
        slot, key = _slot(table.table("labels"), label, value, "labels", name)
        yield replace(slot, name=label), key
    if has_texts:
        yield from _of_runs(table, "systems", "hypothesis", name)
    parses = table.listed("reference_parses") if "reference_parses" in table.values else []
    for number, value in enumerate(parses, start=1):
        yield _slot(table, f"reference_parses[{number}]", value, "parses", name, run=str(number))
    if "parses" in table.values:
        yield from _of_runs(table, "parses", "parses", name)


def _of_runs(table: Table, key: str, role: FileRole, name: str) -> Iterator[tuple[Slot, str]]:
    """The slots of a table with a table for each system, which has a file for each run."""
    systems = table.table(key)
    for system in systems.values:
        runs = systems.table(system)
        for run, value in runs.values.items():
            yield _slot(runs, run, value, role, name, system, run)


def _slot(
    table: Table, key: str, value: Any, role: FileRole, test_set: str, system: str | None = None, run: str | None = None
) -> tuple[Slot, str]:
    """A file, given as its path or as a table of its path and the part of it that is meant."""
    if role == "hypothesis" and not (system and run):
        raise InputError(f"'{table.full_key(key)}': systems and runs need names that are not empty.", table.file)
    if isinstance(value, dict):
        entry = Table(value, table.file, table.full_key(key))
        entry.allow(PART_KEYS)
        file, part = entry.text("file"), entry.text("part")
    else:
        file, part = Table({key: value}, table.file, table.key).text(key), ""
    return Slot(file, role, system, run, test_set, part), table.full_key(key)


def _settings(table: Table) -> Settings:
    table.allow(SETTINGS_KEYS)
    given: dict[str, Any] = {}
    for name in table.values:
        if name in ("n_bootstrap", "n_shuffles", "seed"):
            given[name] = table.whole(name)
        elif name == "confidence":
            given[name] = table.number(name)
        elif name == "looks":
            given[name] = tuple(_whole_numbers(table, name))
        elif name == "metrics":
            given[name] = tuple(_texts(table, name))
        elif name == "options":
            options = table.table(name)
            given[name] = {metric: _options(options.table(metric)) for metric in options.values}
        else:
            given[name] = table.text(name, _CHOICES[name])
    try:
        return Settings(**given)
    except SettingsError as error:
        raise InputError(f"'{table.key}': {error}", table.file) from error


def _texts(table: Table, name: str) -> Iterator[str]:
    for number, value in enumerate(table.listed(name), start=1):
        key = f"{name}[{number}]"
        yield Table({key: value}, table.file, table.key).text(key)


def _whole_numbers(table: Table, name: str) -> Iterator[int]:
    for number, value in enumerate(table.listed(name), start=1):
        key = f"{name}[{number}]"
        yield Table({key: value}, table.file, table.key).whole(key)


def _options(table: Table) -> dict[str, str | int | float | bool | None]:
    for name, value in table.values.items():
        if not isinstance(value, (str, int, float)):
            table.refuse(name, "a list, table or date", "text, a number, true or false")
        table.refuse_long(name)
    return dict(table.values)
