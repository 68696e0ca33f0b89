"""Measure scoring and resampling against the peers, and how cost grows. Writes ``results.md`` beside this file.

Usage: ``python -m benchmarks.run [--quick] [--only ROW ...]`` in the root of the repository. One thread unless a row
names more. Peers come by ``pip install -r benchmarks/requirements.txt -e ".[meteor]"``, in a virtual environment of its
own.
"""

import argparse
from pathlib import Path

from benchmarks import growth, peers, report, rows
from benchmarks.example import example

RESULTS = Path(__file__).with_name("results.md")


def main() -> None:
    """Measure, print as it goes, write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round of the fast peers; leaves results.md as it is")
    names = [measure.__name__ for measure in rows.ALL]
    parser.add_argument("--only", nargs="+", choices=names, metavar="ROW", help=f"some of {', '.join(names)}; as above")
    options = parser.parse_args()
    if not peers.has_others():
        parser.error("Peers are missing. Install them: pip install -r benchmarks/requirements.txt -e '.[meteor]'")
    measures = [measure for measure in rows.ALL if measure.__name__ in (options.only or names)]
    rounds = 3
    if options.quick:
        measures = [measure for measure in measures if measure not in rows.SLOW]
        rounds = 1
    experiment = example()
    pairs = []
    for measure in measures:
        for pair in measure(experiment, rounds):
            print(report.line(pair), flush=True)
            pairs.append(pair)
    if len(measures) == len(rows.ALL):
        RESULTS.write_text(report.page(pairs, list(growth.measure())), encoding="utf-8")


if __name__ == "__main__":
    main()
