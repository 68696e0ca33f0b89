"""The image and its composition, as far as they can be looked at without a container engine; tests/image runs it."""

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from mteval.values import service

ROOT = Path(__file__).parent.parent
VARIABLES = {service.BASE_PATH, service.SIGN_IN, service.DEMO, service.FRAMED}
VARIABLES |= {service.SESSION_MB, service.SESSION_MINUTES, "MTEVAL_HOSTS"}


def test_the_linter_of_dockerfiles_has_nothing_to_say() -> None:
    program = shutil.which("hadolint", path=str(Path(sys.executable).parent))
    if program is None:
        pytest.skip("hadolint is not installed (requirements/dev.txt)")
    done = subprocess.run([program, "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0)


def test_both_stages_start_from_the_base_that_a_release_names_by_its_digest() -> None:
    text = (ROOT / "Dockerfile").read_text()
    assert re.findall(r"^FROM (\S+)", text, re.MULTILINE) == ["${BASE}", "${BASE}"]
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())["jobs"]["release"]["steps"]
    resolved, built = (next(step for step in steps if step.get("id") == name) for name in ("base", "image"))
    script = resolved["run"].splitlines()[0] + '; echo "$name"'
    name = subprocess.run(["bash", "-c", script], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert name == "debian:bookworm-slim\n"
    assert built["env"]["BASE"] == "${{ steps.base.outputs.image }}"
    assert '--build-arg "BASE=$BASE"' in built["run"]


def test_the_image_installs_nothing_but_the_lock_and_the_project() -> None:
    text = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")
    installed = re.findall(r"pip install ([^&\n]*)", text)
    assert len(installed) == 2
    assert all("--no-deps" in options for options in installed)
    assert {"--require-hashes", "--only-binary", "image.txt"} <= set(installed[0].split())
    assert "--no-build-isolation" in installed[1]


def test_the_image_does_not_run_as_root_and_asks_for_its_health() -> None:
    text = (ROOT / "Dockerfile").read_text()
    *_, last_stage = text.split("\nFROM ")
    (user,) = re.findall(r"^USER (\d+)$", last_stage, re.MULTILINE)
    assert int(user) > 0
    assert last_stage.index("\nUSER ") < last_stage.index("\nENTRYPOINT ")
    assert "/_stcore/health" in re.findall(r"HEALTHCHECK.*?\n    CMD (.*)", last_stage)[0]


def test_what_is_packed_is_sent_and_nothing_else() -> None:
    lines = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in lines
    sent = [line[1:] for line in lines if line.startswith("!")]
    assert all((ROOT / path).exists() for path in sent)
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    packed = [*wheel["packages"], *wheel["force-include"]]
    assert set(packed) <= set(sent)


def test_the_composition_hands_on_the_variables_that_the_documentation_names() -> None:
    composed = yaml.safe_load((ROOT / "compose.yaml").read_text())["services"]["mteval"]
    documentation = (ROOT / "docs" / "hosting.md").read_text()
    assert set(composed["environment"]) == VARIABLES | {
        "MTEVAL_DATABASE", "MTEVAL_LIBRARY_DATABASE", "MTEVAL_LIBRARY_OBJECTS",
    }  # fmt: skip
    assert all(f"`{variable}" in documentation for variable in composed["environment"])
    assert composed["read_only"]
    assert composed["cap_drop"] == ["ALL"]
    assert all(port.startswith("127.0.0.1:") for port in composed["ports"])
    kept = re.findall(r'VOLUME \["(.*)", "(.*)"\]', (ROOT / "Dockerfile").read_text())[0]
    assert kept == tuple(volume.partition(":")[2] for volume in composed["volumes"][:2])
