"""How often are lines that are shifted, moved or lost noticed, and how often lines that are in place?

Usage: ``python -m benchmarks.shifted_lines`` from the root of the repository; about a minute on one core. Prints the
table of ``docs/method.md``. Outputs are the sample's runs, MultEval's example, and WMT23 Hebrew-English with either
reference (``benchmarks.example.data_directory``). Thresholds were fixed on the sample's test set ``dev``.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.example import ROOT, data_directory
from mteval.readers.assembly.alignment import WordLines, misplaced

SAMPLE_SETS = ("dev", "test", "test2")
SYSTEMS = ("baseline", "reordering")
N_RUNS = 30
N_DAMAGED = 10  # outputs of each test set
SEED = 53

Lines = list[str]


def lines_of(path: Path) -> Lines:
    """Return the lines of a file."""
    return path.read_text(encoding="utf-8").splitlines()


def test_sets() -> Iterator[tuple[str, Lines, list[Lines]]]:
    """Yield name, reference and outputs, all of them in place."""
    sample = ROOT / "sample_data"
    for name in SAMPLE_SETS:
        outputs = [lines_of(sample / system / f"{name}.opt{run:02}.txt") for system in SYSTEMS for run in range(N_RUNS)]
        yield name, lines_of(sample / f"reference.{name}.txt"), outputs
    example = data_directory() / "multeval-example"
    outputs = [lines_of(path) for path in sorted(example.glob("hyps*"))]
    yield "MultEval's example", lines_of(example / "refs.test2010.lc.tok.en.0"), outputs
    wmt = data_directory() / "wmt23-he-en"
    outputs = [lines_of(path) for path in sorted((wmt / "system-outputs").glob("*.txt"))]
    for reference in ("refA", "refB"):
        yield f"WMT23, {reference}", lines_of(wmt / f"{reference}.en.txt"), outputs


def damaged(lines: Lines, generator: np.random.Generator) -> Iterator[tuple[str, Lines]]:
    """Yield what was done to an output, and the result, which has as many lines."""
    n = len(lines)
    for shift in (1, 3, 5):
        yield f"last 40 lines shifted by {shift}", lines[: n - 40] + lines[n - 40 - shift : n - shift]
    place = int(generator.integers(n // 4, 3 * n // 4))
    yield "one line lost in the middle", lines[:place] + lines[place + 1 :] + lines[-1:]
    for distance in (2, 5, 10, 30):
        place = int(generator.integers(0, n - distance))
        moved = list(lines)
        moved.insert(place + distance, moved.pop(place))
        yield f"one line moved by {distance}", moved
    place = int(generator.integers(0, n - 1))
    yield "neighbours swapped", [*lines[:place], lines[place + 1], lines[place], *lines[place + 2 :]]


def main() -> None:
    """Print the rates."""
    generator = np.random.default_rng(SEED)
    noticed: dict[str, list[bool]] = defaultdict(list)
    for _, reference, outputs in test_sets():
        references = WordLines.of(reference)
        for output in outputs:
            noticed["nothing"].append(bool(misplaced(WordLines.of(output), references)))
        for place in generator.choice(len(outputs), min(N_DAMAGED, len(outputs)), replace=False):
            for damage, lines in damaged(outputs[place], generator):
                noticed[damage].append(bool(misplaced(WordLines.of(lines), references)))
    print("| damage | outputs | noticed |\n|---|---|---|")
    for damage, are_noticed in noticed.items():
        print(f"| {damage} | {len(are_noticed)} | {np.mean(are_noticed):.0%} |")


if __name__ == "__main__":
    main()
