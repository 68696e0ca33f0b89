"""What ``mteval prepare`` leaves on disk for later starts."""

import os
import subprocess
import sys
from pathlib import Path

VISITS = """
import numpy as np
from mteval.analysis.evaluation import prepare_further
from mteval.analysis.scoring import Work
from mteval.metrics import resolve
from mteval.metrics.edits.distance_kernels import limited_distance
from mteval.metrics.edits.ter_kernels import logged_edits
from mteval.stats.replication import differences_by_k
from mteval.stats.stats_kernels import draw
from mteval.values.model import TestSet
from mteval.values.settings import Settings

def made():
    '''How many versions of each kernel have been compiled, or read from the cache.'''
    kernels = (logged_edits, limited_distance, draw)
    return [len({*kernel.stats.cache_hits, *kernel.stats.cache_misses}) for kernel in kernels]

prepare_further(Work())
prepared = made()
assert all(prepared), prepared
(ter,) = resolve(Settings(metrics=("ter",)))
ter.prepare(TestSet("test", (("the cat sat on the mat .",),), ())).explain(0, "on the mat the cat sat")
scores_of_runs = np.random.default_rng(0).normal(30, 1, 30)
differences_by_k(scores_of_runs, scores_of_runs, range(1, 31), np.random.SeedSequence(1))
assert made() == prepared
"""
CODE = """
import pathlib, sys, other_package, mteval.cli.prepare
assert sys.dont_write_bytecode
mteval.cli.prepare.keep_bytecode(pathlib.Path(sys.argv[1]))
"""


def test_bytecode_is_kept_although_python_is_told_not_to(tmp_path: Path) -> None:
    package = tmp_path / "package"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("VALUE = 1\n", encoding="utf-8")
    (package / "inner" / "module.py").write_text("VALUE = 2\n", encoding="utf-8")
    (package / "broken.py").write_text("VALUE =\n", encoding="utf-8")
    (tmp_path / "other_package.py").write_text("VALUE = 3\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), str(Path.cwd())])
    command = [sys.executable, "-c", CODE, str(package)]
    for _ in range(2):
        subprocess.run(command, env=environment, check=True)
    kept = sorted(path.name.partition(".")[0] for path in tmp_path.rglob("*.pyc"))
    assert kept == ["__init__", "module", "other_package"]


def test_segments_and_replication_compile_nothing_after_prepare() -> None:
    subprocess.run([sys.executable, "-c", VISITS], check=True)
