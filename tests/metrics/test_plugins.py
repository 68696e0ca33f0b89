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


def test_a_metric_of_a_package_stands_behind_those_of_the_program(install: Install) -> None:
    install("plugged_a", "SPEC = made(key='width', name='Width')\n")
    registry = Registry(OWN)
    assert list(registry) == [*(spec.key for spec in OWN), "width"]
    assert registry["width"].name == "Width"
    assert registry.problems == ()


def test_a_package_may_import_the_registry_before_it_is_finished_itself(install: Install) -> None:
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
        ("SPEC = made(key='bleu')\n", "there is a metric with the key 'bleu' already"),
        ("SPEC = made(key='The Width')\n", "its key is 'The Width'; expected lower-case letters"),
        ("SPEC = made(key='width', notation=Notation('up'))\n", "the direction of a metric is 'up'; expected '↑', '↓'"),
        ("SPEC = made(key='width', notation='↑')\n", "its notation is '↑'; expected a Notation"),
        (
            "SPEC = made(key='width', range=ScoreRange(0, 1))\n",
            "its scores lie between 0 and 1 and are written with 2 decimals, which hides small differences;"
            " expected Notation('', decimals=3) or more decimals",
        ),
        ("SPEC = made(key='width', options=())\n", "its defaults are those of ['tokenize']; its options are []"),
        ("SPEC = made(key='width', defaults=lambda c: {}[c])\n", "its defaults cannot be had (KeyError: 'sacrebleu')"),
    ],
)
def test_a_metric_that_cannot_be_used_is_left_out_with_the_package_the_reason_and_the_remedy(
    install: Install, code: str, said: str
) -> None:
    install("plugged_c", code)
    install("plugged_d", "SPEC = made(key='height')\n")
    registry = Registry(OWN)
    assert list(registry) == [*(spec.key for spec in OWN), "height"], "the others stay"
    (problem,) = registry.problems
    assert problem.startswith("The metric 'plugged_c' of the package 'plugged_c' (plugged_c:SPEC) is left out: ")
    assert said in problem
    assert problem.endswith("Mend or update the package, or remove it: pip uninstall plugged_c.")


def test_of_two_packages_with_one_key_the_first_in_the_alphabet_has_it(install: Install) -> None:
    install("plugged_f", "SPEC = made(key='width', name='Later')\n")
    install("plugged_e", "SPEC = made(key='width', name='Earlier')\n")
    specs, problems = find_plugins(())
    assert [spec.name for spec in specs.values()] == ["Earlier"]
    assert len(problems) == 1
    assert "'plugged_f'" in problems[0]
