"""The example of ``docs/own-metric.md``, taken from the page and installed as it says, is a metric like the others."""

import json
import os
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from textwrap import dedent

import pytest

from mteval.values.model import TestSet

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "own-metric.md").read_text(encoding="utf-8")
REFERENCES = ["the cat sat", "it rains", "a dog barked", "he went home"]
BASELINE = ["the cat sat", "It rains", "dogs bark", "home he went"]  # one of four is its reference; two but for case
BETTER = ["the cat sat", "it rains", "a dog barked", "home he went"]  # three of four


def code_block(language: str) -> str:
    """The one block of a language on the page."""
    (code,) = re.findall(rf"^```{language}\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    return str(code)


def install(folder: Path, module: str) -> None:
    """Lay the module and its metadata where an installer would: what ``pip install`` does, without a network."""
    described = tomllib.loads(code_block("toml"))
    name, version = described["project"]["name"], described["project"]["version"]
    (folder / f"{described['tool']['setuptools']['py-modules'][0]}.py").write_text(module, encoding="utf-8")
    info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
    groups = [
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
        for group, entries in described["project"]["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(groups), encoding="utf-8")


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder for ``PYTHONPATH`` with the page's package."""
    install(tmp_path, code_block("python"))
    return tmp_path


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """A folder with the files of a small comparison."""
    folder = tmp_path / "texts"
    folder.mkdir()
    for name, lines in (("ref", REFERENCES), ("base", BASELINE), ("new", BETTER)):
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def python(installed: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter that finds the package."""
    return subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(installed)},
        capture_output=True,
        text=True,
        timeout=300,
    )


def evaluated(installed: Path, texts: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """``mteval eval`` on the texts."""
    files = ["--refs", f"{texts}/ref.txt", "--hyps-baseline", f"{texts}/base.txt", "--hyps-sys1", f"{texts}/new.txt"]
    return python(installed, "-m", "mteval", "eval", *files, "--metrics", *words, "--json", f"{texts}/numbers.json")


def mean_scores(texts: Path) -> dict[tuple[str, str], float]:
    """By metric and system."""
    rows = json.loads((texts / "numbers.json").read_text(encoding="utf-8"))["summary"]
    return {(row["metric"], row["system"]): row["mean"] for row in rows}


def test_the_command_line_has_the_metric_and_its_option(installed: Path, texts: Path) -> None:
    done = evaluated(installed, texts, "bleu", "exact")
    assert done.returncode == 0, done.stderr
    assert "Exact (s_sel" in done.stdout
    assert mean_scores(texts)["exact", "baseline"] == 25
    assert mean_scores(texts)["exact", "sys1"] == 75
    done = evaluated(installed, texts, "exact", "--exact.lowercase", "true")
    assert done.returncode == 0, done.stderr
    assert mean_scores(texts)["exact", "baseline"] == 50


def test_the_contract_of_all_metrics_holds(installed: Path) -> None:
    command = ("-m", "pytest", "tests/contracts/test_metrics.py", "-k", "exact", "-q", "-p", "no:cacheprovider")
    done = python(installed, *command)
    assert done.returncode == 0, done.stdout
    counts = re.search(r"(\d+) passed, \d+ deselected", done.stdout)
    assert counts is not None, done.stdout
    assert int(counts[1]) > 30


def test_the_dashboard_lists_it_with_its_option(installed: Path) -> None:
    script = dedent("""
        from streamlit.testing.v1 import AppTest
        app = AppTest.from_file("app.py", default_timeout=120)
        app.query_params["primary"] = "Exact"
        for opened in ("settings-panel", "metric-options", "about-metrics"):
            app.session_state[opened] = True
        app.run()
        assert not app.exception, app.exception
        (primary,) = [box for box in app.selectbox if box.key == "primary"]
        assert primary.value == "exact", primary
        (further,) = [box for box in app.multiselect if box.key == "metrics"]
        assert "Exact" in further.options
        assert any("one wrong letter" in one.value and "Doe 2025" in one.value for one in app.html)
        assert [box.label for box in app.toggle if box.key == "sacrebleu.exact.lowercase"] == ["Lowercase"]
    """)
    done = python(installed, "-c", script)
    assert done.returncode == 0, done.stderr


def test_a_scorer_can_be_pickled(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(installed))
    monkeypatch.delitem(sys.modules, "mteval_exact", raising=False)  # one of another test
    import mteval_exact

    test_set = TestSet("two", (("the cat sat", "a cat sat"), ("it rains",)))
    scorer = mteval_exact.SPEC.configure("sacrebleu", {}).prepare(test_set)
    copy = pickle.loads(pickle.dumps(scorer))
    rows = copy.statistics([0, 0, 1], ["a  cat sat", "it rains", "it rains"])
    assert rows.tolist() == [[1, 1], [0, 1], [1, 1]]
    del sys.modules["mteval_exact"]


def test_a_broken_package_is_reported_and_ignored(tmp_path: Path, texts: Path) -> None:
    install(tmp_path, "import what_is_not_there\n")
    done = evaluated(tmp_path, texts, "length")
    assert done.returncode == 0
    assert "metric 'exact' of package 'mteval-exact'" in done.stderr
    assert "No module named 'what_is_not_there'" in done.stderr
    assert "pip uninstall mteval-exact" in done.stderr
    script = dedent("""
        from streamlit.testing.v1 import AppTest
        app = AppTest.from_file("app.py", default_timeout=120).run()
        assert not app.exception, app.exception
        assert any("mteval-exact" in one.value and "mt-warning" in one.value for one in app.html)
    """)
    done = python(tmp_path, "-c", script)
    assert done.returncode == 0, done.stderr
