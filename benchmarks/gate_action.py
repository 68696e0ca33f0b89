"""Run the steps of ``action.yml`` in a scratch repository on candidates that pass, fail and have no verdict.

Usage: ``python -m benchmarks.gate_action docs/gate-runs.md`` from the root of the repository, a minute. The steps run
as scripts in an environment of their own, into which the action's first step installs mteval.
"""

import argparse
import os
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

ROOT = Path(__file__).parent.parent
SAMPLE = ROOT / "sample_data"
EARLIER = (0, 1, 2, 3, 4, 6, 7, 8)
ARGUMENTS = "--baseline runs/*.txt --candidate candidate.txt --refs ref.txt --metrics bleu chrf --worse-by 0.5"
HEAD = """\
# The action on three candidates

`python -m benchmarks.gate_action docs/gate-runs.md` makes this page. A scratch git repository holds eight runs of the
sample's baseline. Each candidate is a commit, on which the steps of [`action.yml`](../action.yml) run as scripts with

```
{arguments}
```
"""


def candidates() -> Mapping[str, list[str]]:
    """Return the text of each candidate: another system, the same with lost words, and another run of the baseline."""
    another_system = (SAMPLE / "reordering" / "test.opt00.txt").read_text(encoding="utf-8").splitlines()
    another_run = (SAMPLE / "baseline" / "test.opt20.txt").read_text(encoding="utf-8").splitlines()
    words_lost = list(another_run)
    for place in range(0, len(another_run), 3):
        words_lost[place] = " ".join(another_run[place].split()[::2])
    return {"another system": another_system, "words lost": words_lost, "another run": another_run}


def steps() -> Iterator[tuple[str, str]]:
    """Yield name and script of each step."""
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    for step in action["runs"]["steps"]:
        if "run" in step:
            yield step["name"], step["run"]


def on_candidate(name: str, script: str, repository: Path, environment: Mapping[str, str]) -> Iterator[str]:
    """Commit a candidate, run the step that tests it, and yield what it left."""
    git("add", "-A", cwd=repository)
    git("commit", "--quiet", "--message", name, cwd=repository)
    output = repository.parent / "output"
    summary = repository.parent / "summary.md"
    output.write_text("")
    summary.write_text("")
    inputs = {
        "GITHUB_OUTPUT": str(output),
        "GITHUB_STEP_SUMMARY": str(summary),
        "ARGUMENTS": ARGUMENTS,
        "NO_VERDICT": "fail",
        "JUNIT": "gate.xml",
        "JSON": "gate.json",
    }
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        cwd=repository,
        env={**environment, **inputs},
        check=False,
        stdout=subprocess.DEVNULL,
    )
    yield f"\n## {name}\n"
    yield f"Exit status {done.returncode}; `{output.read_text().strip()}`.\n"
    yield f"```xml\n{(repository / 'gate.xml').read_text().strip()}\n```\n"
    yield summary.read_text().replace("\n### ", "\n#### ").strip()
    for written in ("gate.xml", "gate.json"):
        (repository / written).unlink()


def git(*words: str, cwd: Path) -> None:
    """Run git without anybody's settings."""
    identity = {
        "GIT_AUTHOR_NAME": "mteval",
        "GIT_AUTHOR_EMAIL": "mteval",
        "GIT_COMMITTER_NAME": "mteval",
        "GIT_COMMITTER_EMAIL": "mteval",
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull}
    subprocess.run(["git", *words], cwd=cwd, check=True, env=environment)


def page(place: Path) -> Iterator[str]:
    """Yield the lines of the page."""
    repository = place / "repository"
    (repository / "runs").mkdir(parents=True)
    git("init", "--quiet", cwd=repository)
    (repository / "ref.txt").write_bytes((SAMPLE / "reference.test.txt").read_bytes())
    for run in EARLIER:
        text = (SAMPLE / "baseline" / f"test.opt{run:02}.txt").read_bytes()
        (repository / "runs" / f"{run}.txt").write_bytes(text)
    subprocess.run([sys.executable, "-m", "venv", str(place / "venv")], check=True)
    (packages,) = (place / "venv").glob("lib/python*/site-packages")
    (packages / "here.pth").write_text("\n".join(site.getsitepackages()))  # so that pip downloads nothing
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    environment |= {"PATH": f"{place / 'venv' / 'bin'}:{os.environ['PATH']}", "GITHUB_ACTION_PATH": str(ROOT)}
    (_, install), (_, test) = steps()
    subprocess.run(["bash", "-eo", "pipefail", "-c", install], cwd=repository, env=environment, check=True)
    yield HEAD.format(arguments=ARGUMENTS)
    for name, lines in candidates().items():
        (repository / "candidate.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        yield from on_candidate(name, test, repository, environment)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    target = parser.parse_args().page
    with tempfile.TemporaryDirectory() as folder:
        target.write_text("\n".join(page(Path(folder))) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
