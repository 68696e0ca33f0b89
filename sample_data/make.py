"""Make the sample experiment anew: ``python sample_data/make.py [--output DIR]``. The same bytes come out each time."""

import argparse
from pathlib import Path

from maker.experiment import RUNS, files


def main() -> None:
    """Write all files below the output folder, by default the one that this script is in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent, help="folder to write into")
    parser.add_argument("--runs", type=int, nargs="+", default=range(RUNS), help="make these alone (default: all)")
    given = parser.parse_args()
    folder = given.output
    for name, content in files(runs=given.runs).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())


if __name__ == "__main__":
    main()
