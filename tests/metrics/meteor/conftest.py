"""METEOR's recorded outputs, and the plain METEOR."""

import gzip
import importlib.util
import sys
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from mteval.values.model import TestSet

CHUNKS = 20
FIRST_MATCHES = 21


@dataclass(frozen=True)
class Recorded:
    """What METEOR 1.5 put out for one file: ``statistics`` with folded chunks, of segments and of their sum."""

    test_set: TestSet
    hypotheses: tuple[str, ...]
    statistics: np.ndarray
    total: np.ndarray
    parts: np.ndarray  # precision, recall, penalty, score of each segment
    total_parts: np.ndarray
    alignments: list[str]


def lines_of(file: Path) -> tuple[str, ...]:
    """The lines of a file, split at line feeds only."""
    return tuple(file.read_text(encoding="utf-8").split("\n")[:-1])


def read_recorded(file: Path, hypotheses: Path, references: list[Path]) -> Recorded:
    """Read what METEOR put out: a row for each segment, and one for their sum."""
    with gzip.open(file, "rt", encoding="utf-8") as stream:
        rows = [line.rstrip("\n").split("\t") for line in stream]
    *segments, sum_of_segments = rows
    _, total, *total_parts = sum_of_segments
    statistics = np.array([row[0].split() for row in segments], dtype=float).astype(np.int64)
    # METEOR's own sum leaves out the chunk of a segment whose words are all matched in one chunk. The lengths of task
    # util are in characters, so that "all" is told by the penalty, which is 0 in this case only.
    penalties = np.array([row[3] for row in segments], dtype=float)
    statistics[penalties == 0, CHUNKS] = 0

    alignments = []
    for row in segments:
        alignment = ""
        if len(row) > 5:
            alignment = row[5]
        alignments.append(alignment)
    return Recorded(
        TestSet("recorded", tuple(zip(*map(lines_of, references), strict=True))),
        lines_of(hypotheses),
        statistics,
        np.array(total.split(), dtype=float),
        np.array([row[1:5] for row in segments], dtype=float),
        np.array(total_parts, dtype=float),
        alignments,
    )


@pytest.fixture(scope="session")
def plain() -> ModuleType:
    """The plain METEOR beside this file."""
    path = Path(__file__).with_name("plain_meteor.py")
    spec = importlib.util.spec_from_file_location("plain_meteor", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


EXAMPLES = [
    "hyps.lc.tok.en.baseline.opt0.java.en.rank.0.1",
    "hyps.lc.tok.en.baseline.opt1.java.en.rank.0.1",
    "hyps.lc.tok.en.baseline.opt2.java.en.rank.0.1",
    "hyps.lc.tok.en.sys1.opt0.java.en.rank.0.1",
    "hyps.lc.tok.en.sys1.opt1.java.en.rank.0.1",
    "hyps.lc.tok.en.sys1.opt2.java.en.rank.0.1",
]
NEWS = [
    "ONLINE-A.txt.java.en.rank.0.2",
    "ONLINE-A.txt.java.en.rank.2.2",
    "ONLINE-A.txt.java.en.rank.3.2",
    "NLLB_Greedy.txt.java.en.adq.1.1",
    "NLLB_Greedy.txt.java.en.util.2.1",
]


@pytest.fixture(scope="session", params=EXAMPLES + NEWS)
def case(request: pytest.FixtureRequest, data_directory: Path) -> tuple[Recorded, str, int]:
    """A recorded file with the task and the level of normalization."""
    hypotheses, _, rest = request.param.partition(".java.en.")
    task, level, n_references = rest.split(".")
    if hypotheses.startswith("hyps"):
        folder = data_directory / "data" / "multeval-example"
        hypothesis_file = folder / hypotheses
        reference_files = [folder / "refs.test2010.lc.tok.en.0"]
    else:
        folder = data_directory / "data" / "wmt23-he-en"
        hypothesis_file = folder / "system-outputs" / hypotheses
        reference_files = [folder / "refA.en.txt", folder / "refB.en.txt"]
    record = data_directory / "reference" / "meteor" / f"{request.param}.gz"
    recorded = read_recorded(record, hypothesis_file, reference_files[: int(n_references)])
    return recorded, task, int(level)
