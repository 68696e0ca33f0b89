"""Metrics of other packages: those that can be used are there, of all others it is said what is wrong."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from mteval.metrics import METRICS
from mteval.metrics.plugins import Registry, find_plugins

HEAD = """
import dataclasses
from mteval.metrics.ngram import unigrams
from mteval.metrics.base import Option, ScoreRange
from mteval.values.notation import Notation
def made(**changes):
    return dataclasses.replace(unigrams.LENGTH, **changes)
"""
OWN = tuple(METRICS.values())  # read before a test installs anything
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Puts a package of one module beside the others, as an installer would, with one entry point."""
    monkeypatch.syspath_prepend(str(tmp_path))
    modules: list[str] = []

    def install(name: str, code: str, entry: str = "") -> None:
        (tmp_path / f"{name}.py").write_text(HEAD + code, encoding="utf-8")
        info = tmp_path / f"{name}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        entries = f"[mteval.metrics]\n{entry or f'{name} = {name}:SPEC'}\n"
        (info / "entry_points.txt").write_text(entries, encoding="utf-8")
        modules.append(name)
        importlib.invalidate_caches()

    yield install
    for name in modules:
        sys.modules.pop(name, None)


def test_plugin_metrics_follow_built_in_metrics(install: Install) -> None:
    install("plugged_a", "SPEC = made(key='width', name='Width')\n")
    registry = Registry(OWN)
    assert list(registry) == [*(spec.key for spec in OWN), "width"]
    assert registry["width"].name == "Width"
    assert registry.problems == ()


def test_a_plugin_may_import_the_registry_while_it_loads(install: Install) -> None:
    """Its own tests import it first; this package then looks for metrics only when somebody asks for them."""
    install("plugged_b", "from mteval.metrics import METRICS\nSPEC = made(key='width')\n")
    assert list(find_plugins(())[0]) == ["width"]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import no_such_module\n", "it does not load (ModuleNotFoundError: No module named 'no_such_module')"),
        ("1 / 0\n", "it does not load (ZeroDivisionError: division by zero)"),
        ("raise SystemExit(3)\n", "it does not load (SystemExit: 3)"),
        ("def SPEC(:\n", "it does not load (SyntaxError"),
        ("", "it does not load (AttributeError"),
        ("SPEC = made(kee='width')\n", "it does not load (TypeError"),
        ("SPEC = made\n", "expected a MetricSpec, found function"),
        ("SPEC = made(key='bleu')\n", "its key 'bleu' is already taken"),
        ("SPEC = made(key='The Width')\n", "its key is 'The Width'; expected lower-case letters"),
        ("SPEC = made(key='width', notation=Notation('up'))\n", "metric direction is 'up'; expected '↑', '↓'"),
        ("SPEC = made(key='width', notation='↑')\n", "its notation is '↑'; expected a Notation"),
        (
            "SPEC = made(key='width', range=ScoreRange(0, 1))\n",
            "expected Notation('', decimals=3) or more decimals",
        ),
        ("SPEC = made(key='width', options=())\n", "its defaults are for ['tokenize'], its options are []"),
        ("SPEC = made(key='width', defaults=lambda c: {}[c])\n", "(KeyError: 'sacrebleu')"),
    ],
)
def test_unusable_plugin_is_ignored_with_package_reason_and_remedy(install: Install, code: str, said: str) -> None:
    install("plugged_c", code)
    install("plugged_d", "SPEC = made(key='height')\n")
    registry = Registry(OWN)
    assert list(registry) == [*(spec.key for spec in OWN), "height"], "the others stay"
    (problem,) = registry.problems
    assert "metric 'plugged_c' of package 'plugged_c' (plugged_c:SPEC)" in problem
    assert said in problem
    assert problem.endswith("pip uninstall plugged_c.")


def test_duplicate_key_goes_to_the_alphabetically_first_package(install: Install) -> None:
    install("plugged_f", "SPEC = made(key='width', name='Later')\n")
    install("plugged_e", "SPEC = made(key='width', name='Earlier')\n")
    specs, problems = find_plugins(())
    assert [spec.name for spec in specs.values()] == ["Earlier"]
    assert len(problems) == 1
    assert "'plugged_f'" in problems[0]
