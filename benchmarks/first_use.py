"""Time the first use on a machine: MultEval's example without caches, and after ``mteval prepare``.

Usage: ``python -m benchmarks.first_use`` from the root of the repository. Seconds that pass, with all cores, and
in brackets those of the processor; the example is BLEU, TER and Length of six runs, 1,000 replicates, 10,000 shuffles.
"""

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from tempfile import TemporaryDirectory

from benchmarks.example import files

METRICS = ("bleu", "ter", "length")


def main() -> None:
    """Measure and print."""
    reference, systems = files()
    words = ["eval", "--refs", str(reference), "--quiet"]
    for system in ("baseline", "sys1"):
        words += [f"--hyps-{system}", *map(str, systems[system])]
    for metrics in (METRICS, (*METRICS, "meteor")):
        evaluate = [*words, "--metrics", *metrics]
        with TemporaryDirectory() as empty_cache:
            print(f"{', '.join(metrics)}: the first time {took(evaluate, empty_cache)}", flush=True)
        with TemporaryDirectory() as cache:
            prepared = took(["prepare"], cache)
            print(f"  mteval prepare {prepared}, the first time after it {took(evaluate, cache)}", flush=True)


def took(words: Sequence[str], cache: str) -> str:
    """Return the seconds of a command in a new process with caches in a directory."""
    environment = os.environ | {"MTEVAL_CACHE": cache}
    environment.pop("NUMBA_CACHE_DIR", None)
    environment.pop("OMP_NUM_THREADS", None)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # installing writes bytecode
    command = [sys.executable, "-m", "mteval", *words]
    before = os.times()
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    passed = time.perf_counter() - start
    after = os.times()
    worked = after.children_user + after.children_system - before.children_user - before.children_system
    return f"{passed:.1f} s ({worked:.1f} s)"


if __name__ == "__main__":
    main()
