"""Measure scoring and resampling against the peers, and how cost grows. Writes ``results.md`` beside this file.

Usage: ``python -m benchmarks.run [--quick]`` from the root of the repository. One thread unless a row says otherwise.
"""

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy is loaded

import argparse  # noqa: E402
from pathlib import Path  # noqa: E402

from benchmarks import growth, report, rows  # noqa: E402
from benchmarks.example import example  # noqa: E402

RESULTS = Path(__file__).with_name("results.md")


def main() -> None:
    """Measure, print as it goes, write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of the fast peers; leaves results.md as it is")
    options = parser.parse_args()
    experiment = example()
    rounds = 1 if options.quick else 3
    pairs = []
    for measure in rows.ALL:
        if options.quick and measure in rows.SLOW:
            continue
        for pair in measure(experiment, rounds):
            print(report.line(pair), flush=True)
            pairs.append(pair)
    grown = [] if options.quick else list(growth.measure(experiment))
    if not options.quick:
        RESULTS.write_text(report.page(pairs, grown), encoding="utf-8")


if __name__ == "__main__":
    main()
