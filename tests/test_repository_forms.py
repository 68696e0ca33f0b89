"""Workflows and forms of the repository call what exists, and ask for what a report needs."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.conftest import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.stem != "config")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
ACTION = ROOT / "action.yml"  # of the gate, which others use in their workflows

each_workflow = pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
each_form = pytest.mark.parametrize("form", FORMS, ids=lambda path: path.name)


def parsed(path: Path) -> dict[Any, Any]:
    """Return a YAML file as a dictionary. YAML 1.1 reads the key ``on`` of a workflow as True."""
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(content, dict)
    return content


def steps(workflow: Path) -> Iterator[dict[str, Any]]:
    """Yield the steps of all jobs of a workflow, or those of the action."""
    content = parsed(workflow)
    if workflow == ACTION:
        yield from content["runs"]["steps"]
        return
    for job in content["jobs"].values():
        yield from job["steps"]


@pytest.mark.parametrize("file", [*WORKFLOWS, ACTION], ids=lambda path: path.name)
def test_actions_are_pinned_by_commit_with_their_version_beside(file: Path) -> None:
    lines = [line.strip() for line in file.read_text(encoding="utf-8").splitlines() if "uses:" in line]
    assert lines
    for line in lines:
        assert re.fullmatch(r"(- )?uses: [\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", line), line


def test_an_action_has_the_same_commit_in_every_workflow() -> None:
    commits: dict[str, set[str]] = {}
    for file in [*WORKFLOWS, ACTION]:
        for step in steps(file):
            if "uses" in step:
                action, commit = step["uses"].split("@")
                commits.setdefault(action, set()).add(commit)
    assert "actions/checkout" in commits
    assert {action for action, pinned in commits.items() if len(pinned) > 1} == set()


@each_workflow
def test_programs_that_workflows_run_exist(workflow: Path) -> None:
    scripts = "\n".join(step["run"] for step in steps(workflow) if "run" in step)
    programs = re.findall(r"(?:^|[\s;|&(])(bin/\w+)", scripts)
    assert programs
    for program in programs:
        assert (ROOT / program).is_file()


@each_workflow
def test_workflows_have_no_right_that_a_job_does_not_name(workflow: Path) -> None:
    content = parsed(workflow)
    assert content["permissions"] == {}
    assert "concurrency" in content
    for job in content["jobs"].values():
        assert job["permissions"]
        assert job["timeout-minutes"] <= 90
    checkouts = [step for step in steps(workflow) if step.get("uses", "").startswith("actions/checkout@")]
    assert checkouts
    for checkout in checkouts:
        assert checkout["with"]["persist-credentials"] is False


def test_changes_are_tested_on_every_python_that_the_package_names_and_can_write_nothing() -> None:
    workflow = ROOT / ".github" / "workflows" / "test.yml"
    job = parsed(workflow)["jobs"]["test"]
    named = [re.fullmatch(r"Programming Language :: Python :: (3\.\d+)", text) for text in PROJECT["classifiers"]]
    assert job["strategy"]["matrix"]["python"] == [version[1] for version in named if version]
    assert job["permissions"] == {"contents": "read"}
    assert "bin/test" in [step.get("run") for step in steps(workflow)]
    assert {"pull_request", "push"} == parsed(workflow)[True].keys()  # not pull_request_target, which has secrets


def test_the_summary_of_a_change_shows_which_lines_the_tests_run() -> None:
    job = parsed(ROOT / ".github" / "workflows" / "test.yml")["jobs"]["coverage"]
    command = job["steps"][-1]["run"]
    assert "--cov mteval" in command
    assert "markdown-append:$GITHUB_STEP_SUMMARY" in command
    assert job["permissions"] == {"contents": "read"}
    locked = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    assert "\npytest-cov==" in locked


def test_a_cache_is_keyed_by_files_that_exist() -> None:
    settings = [step.get("with", {}) for path in WORKFLOWS for step in steps(path)]
    keys = [setting["cache-dependency-path"] for setting in settings if "cache" in setting]
    assert keys
    for key in keys:
        assert list(ROOT.glob(key))


@each_form
def test_a_form_has_a_name_and_fields_with_labels(form: Path) -> None:
    content = parsed(form)
    assert content.keys() == {"name", "description", "labels", "body"}
    fields = [field for field in content["body"] if field["type"] != "markdown"]
    for field in fields:
        assert field.keys() <= {"type", "id", "attributes", "validations"}
        assert field["type"] in ("input", "textarea")
        assert field["attributes"]["label"]
    identifiers = [field["id"] for field in fields]
    assert len(set(identifiers)) == len(identifiers)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("bug", {"version", "command", "input", "expected"}),
        ("wrong-number", {"version", "command", "input", "expected", "source"}),
        ("misread-file", {"version", "command", "file", "writer", "expected"}),
        ("feature", {"question"}),
    ],
)
def test_a_form_requires_what_reproduces_the_problem(name: str, wanted: set[str]) -> None:
    body = parsed(ROOT / ".github" / "ISSUE_TEMPLATE" / f"{name}.yml")["body"]
    required = {field["id"] for field in body if field.get("validations", {}).get("required")}
    assert wanted <= required
