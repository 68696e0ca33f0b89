"""What the tests of the command line share: MultEval's recorded files, and which of its metrics are here."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from mteval.base.errors import MissingDependencyError
from mteval.metrics import METRICS

MULTEVAL_METRICS = ("bleu", "meteor", "ter", "length")


@pytest.fixture(scope="session")
def recorded(data_directory: Path) -> Path:
    """Folder of what MultEval wrote."""
    return data_directory / "reference" / "multeval"


@pytest.fixture(scope="session")
def metrics_here() -> tuple[str, ...]:
    """MultEval's metrics in its order; METEOR only where its data are installed."""
    return tuple(key for key in MULTEVAL_METRICS if _is_here(key))


def _is_here(key: str) -> bool:
    try:
        METRICS[key].configure("multeval", {})
    except MissingDependencyError:
        return False
    return True


@pytest.fixture(scope="session")
def lines_of() -> Callable[[Path], list[str]]:
    """Reads the lines of a text file, which may be compressed."""

    def read(path: Path) -> list[str]:
        content = path.read_bytes()
        text = (gzip.decompress(content) if path.suffix == ".gz" else content).decode("utf-8")
        return text.removesuffix("\n").split("\n")

    return read
