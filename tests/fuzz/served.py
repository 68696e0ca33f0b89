"""A server with the sample in its library."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.served import ROOT, library_in, started
from mteval.report.merging import entry_of


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, str]]:
    """Serve from a folder whose library holds the sample; yield host and port, and the link of the sample."""
    link = entry_of([ROOT / "sample_data"], library_in(folder), 0).uid
    with started(folder) as (host, _):
        yield host, link
