"""Show that hours of use and killed servers lose nothing: ``python -m benchmarks.soak`` writes ``soak.md``.

Visitors load the sample, have it scored and read all pages, round after round. In some rounds the server is killed
while they do, and another one is started on the same folder. After each round every kept experiment is opened.
"""

import argparse
import asyncio
import itertools
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from benchmarks.report import machine
from benchmarks.served import library_in, started
from benchmarks.visitors import all_visits, memory
from mteval.base.errors import MtevalError
from mteval.library import Library
from mteval.report.kept_experiment import opened

RESULTS = Path(__file__).with_name("soak.md")
ROOM = 0.002  # GiB for the library, so that old experiments make room for new ones
LONGEST = 20.0  # seconds of a round before its server is killed
HEAD = """\
# Continuous use, with killed servers

{machine}, {visitors} visitors at once; the server is killed in one round of {kill_every}. *MiB*, *threads* and *files*
are the server's after the round. *kept* counts the saved experiments; each is opened after every round.
Written by `python -m benchmarks.soak --minutes {minutes:g} --visitors {visitors} --kill-every {kill_every}`.

| minute | rounds | kills | MiB | threads | files | kept | unreadable | errors in the log |
|---|---|---|---|---|---|---|---|---|
"""


@dataclass(frozen=True)
class Round:
    """State of server and library after some rounds.

    Attributes
    ----------
    memory, threads, files
        MiB, threads and open files of the server.
    kept, unreadable
        Experiments in the library, and those that cannot be opened.
    errors
        Tracebacks in the server's log.
    """

    minute: float
    number: int
    kills: int
    memory: int
    threads: int
    files: int
    kept: int
    unreadable: int
    errors: int

    def row(self) -> str:
        """Return the row of the table."""
        counts = (self.number, self.kills, self.memory, self.threads, self.files, self.kept, self.unreadable)
        return f"| {self.minute:.0f} | {' | '.join(map(str, counts))} | {self.errors} |"


async def killed(address: str, visitors: int, server: "subprocess.Popen[bytes]", seconds: float) -> None:
    """Let visitors come, and kill their server some seconds later."""
    visits = asyncio.create_task(all_visits(address, visitors))
    await asyncio.wait([visits], timeout=seconds)
    server.kill()
    await asyncio.gather(visits, return_exceptions=True)


def unreadable(library: Library) -> list[str]:
    """Return the experiments that are listed and cannot be opened."""
    failed = []
    for entry in library.listed():
        try:
            opened(library.content(entry.uid))
        except MtevalError:
            failed.append(entry.uid)
    # Those that are not listed any more made room meanwhile.
    listed = {entry.uid for entry in library.listed()}
    return [uid for uid in failed if uid in listed]


def soaked(folder: Path, minutes: float, visitors: int, kill_every: int, seed: int = 0) -> Iterator[Round]:
    """Yield the state after each round, until the time is over."""
    chance = random.Random(seed)
    begun = time.monotonic()
    kills = 0
    library = library_in(folder)
    with ExitStack() as running:
        address, server = running.enter_context(started(folder, MTEVAL_LIBRARY_GIB=str(ROOM)))
        for number in itertools.count(1):
            if number % kill_every:
                asyncio.run(all_visits(address, visitors))
            else:
                asyncio.run(killed(address, visitors, server, chance.uniform(0, LONGEST)))
                kills += 1
                running.close()
                address, server = running.enter_context(started(folder, MTEVAL_LIBRARY_GIB=str(ROOM)))
            process = Path(f"/proc/{server.pid}")
            minute = (time.monotonic() - begun) / 60
            yield Round(
                minute=minute,
                number=number,
                kills=kills,
                memory=memory(server.pid),
                threads=len(list((process / "task").iterdir())),
                files=len(list((process / "fd").iterdir())),
                kept=len(library.listed()),
                unreadable=len(unreadable(library)),
                errors=(folder / "log.txt").read_text(encoding="utf-8").count("Traceback"),
            )
            if minute > minutes:
                return


def main() -> int:
    """Print each round and write the table; the exit status is 1 if something was lost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=120)
    parser.add_argument("--visitors", type=int, default=3)
    parser.add_argument("--kill-every", type=int, default=5, help="rounds")
    options = parser.parse_args()
    table = HEAD.format(machine=machine(), **vars(options))
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        for state in soaked(Path(folder), options.minutes, options.visitors, options.kill_every):
            print(state.row(), flush=True)
            table += f"{state.row()}\n"
            if state.unreadable or state.errors:
                status = 1
    RESULTS.write_text(table, encoding="utf-8")
    return status


if __name__ == "__main__":
    raise SystemExit(main())
