"""Time, memory and answer of every hostile input: ``python -m tests.hostile [--here | --served]``.

Each is read in a process of its own, as the dashboard reads uploads; with ``--here`` as it did before there was such a
process, in the server. A line is the name, seconds, MiB at most, and what was said. With ``--served`` a browser drops
them on a server; a line is the name, seconds until the page says what has become of them, and the longest that another
visitor waited meanwhile to hear that the server is well.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from mteval.annotations import from_json
from mteval.readers.checks import check
from mteval.readers.documents import InputFile
from mteval.readers.workspace import Workspace
from tests.hostile.inputs import CAMPAIGNS, REFERENCE, UPLOADS

SECONDS = 45
SHOWN = 110


def main() -> None:
    """Measure one input, or all."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--here", action="store_true")
    options.add_argument("--served", action="store_true")
    options.add_argument("--only")
    given = options.parse_args()
    if given.served:
        measure_served()
        return
    if given.only:
        measure(given.only, given.here)
        return
    for name in (*UPLOADS, *CAMPAIGNS):
        how = [sys.executable, "-m", "tests.hostile", "--only", name, *(["--here"] if given.here else [])]
        try:
            done = subprocess.run(how, capture_output=True, text=True, timeout=SECONDS, check=False)
            print(done.stdout.strip() or f"{name} | - | - | {done.stderr.strip().splitlines()[-1][:SHOWN]}", flush=True)
        except subprocess.TimeoutExpired:
            print(f"{name} | over {SECONDS} | - | killed", flush=True)


def measure(name: str, is_here: bool) -> None:
    """Print the line of one input."""
    content = UPLOADS[name]() if name in UPLOADS else CAMPAIGNS[name]()
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.perf_counter()
    try:
        said = " / ".join(uploaded(content, is_here) if isinstance(content, dict) else imported(str(content)))
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    seconds = time.perf_counter() - begun
    most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    print(f"{name} | {seconds:.1f} | {(max(most, base)) >> 10} | {said.splitlines()[0][:SHOWN] if said else 'read'}")


def measure_served() -> None:
    """Print the lines of all uploads, after one that is harmless, which finds all that is loaded once."""
    from tests.hostile.served import dropped, visited  # here: its modules would count as memory of the others

    with tempfile.TemporaryDirectory() as folder, visited(Path(folder)) as (host, browser):
        for name, content in {"a reference and an output": lambda: REFERENCE, **UPLOADS}.items():
            seconds, wait = dropped(host, browser, content())
            print(f"{name} | {seconds:.1f} | {wait:.2f}", flush=True)


def imported(text: str) -> Iterator[str]:
    """What is said of a campaign."""
    from_json(text, "c.json")
    yield "read"


def uploaded(content: dict[str, bytes], is_here: bool) -> Iterator[str]:
    """What is said of files."""
    files = [InputFile(name, content) for name, content in content.items()]
    if is_here:
        workspace = Workspace().add(files)
    else:
        from mteval.readers.apart import Apart

        workspace = Workspace().add(files, read=Apart().unpack)
    for problem in (*workspace.rejected, *workspace.assembly.problems):
        yield problem.text
    experiment = workspace.experiment()
    if experiment is not None:
        check(experiment, "sacrebleu")


if __name__ == "__main__":
    main()
