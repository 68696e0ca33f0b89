"""Try what chance makes: ``python -m tests.fuzz --inputs 100000 --command-lines 1000 --addresses 500
--widgets 200 [--seed 0]``.

Files are given to readers, command lines to the program in this process, addresses and values of widgets to a server
beside it. Seeds of what raises something that is not ours, or of a file that takes too long, are printed.
"""

import argparse
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from math import inf
from pathlib import Path

from tests.fuzz.addresses import run_address
from tests.fuzz.command_lines import run_line, write_files
from tests.fuzz.served import served
from tests.fuzz.targets import run_case
from tests.fuzz.widgets import errors_in, run_widgets

INPUTS = 1_000  # files, where nothing is said


def main() -> int:
    """Try them; the exit status is 1 where one of them raised what is not ours, or took too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, help=f"files ({INPUTS} where nothing else is asked for)")
    parser.add_argument("--command-lines", type=int, default=0)
    parser.add_argument("--addresses", type=int, default=0)
    parser.add_argument("--widgets", type=int, default=0, help="values, each sent to all widgets of a page")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0, help="that a file may take")
    options = parser.parse_args()
    n_files = options.inputs
    if n_files is None:
        is_other_asked_for = options.command_lines or options.addresses or options.widgets
        n_files = 0 if is_other_asked_for else INPUTS

    is_well = tried("files", run_case, seeds(options.seed, n_files), options.seconds)

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_files(folder)
        is_well &= tried(
            "command lines",
            lambda seed: run_line(seed, folder),
            seeds(options.seed, options.command_lines),
        )

    if options.addresses:
        with tempfile.TemporaryDirectory() as name, served(Path(name)) as (host, link):
            is_well &= tried(
                "addresses",
                lambda seed: run_address(seed, host, link),
                seeds(options.seed, options.addresses),
            )
            is_well &= not errors_in(log_in(name))

    if options.widgets:
        with tempfile.TemporaryDirectory() as name, served(Path(name)) as (host, _):
            is_well &= tried(
                "values of widgets",
                lambda seed: send_values(host, options.widgets, seed),
                [options.seed],
            )
            is_well &= not errors_in(log_in(name))
    return int(not is_well)


def seeds(first: int, number: int) -> range:
    """So many seeds, from the first on."""
    return range(first, first + number)


def log_in(folder: str) -> str:
    """The log of the server that keeps all in a folder."""
    return (Path(folder) / "log.txt").read_text()


def send_values(host: str, number: int, seed: int) -> str:
    """Send so many values to all widgets; return to how many widgets."""
    return f"drawn with values for {run_widgets(host, number, seed)} widgets"


def tried(what: str, run: Callable[[int], str], seeds: Iterable[int], limit: float = inf) -> bool:
    """Try each; whether nothing foreign was raised and none took longer. What became of them is printed."""
    n_outcomes: Counter[str] = Counter()
    for seed in seeds:
        start = time.process_time()
        try:
            outcome = run(seed)
        except Exception:
            outcome = "FOREIGN"
            print(f"{what}, seed {seed}: {traceback.format_exc(limit=-3)}", flush=True)
        seconds = time.process_time() - start
        if seconds > limit:
            outcome = "SLOW"
            print(f"{what}, seed {seed}: {seconds:.1f} s", flush=True)
        n_outcomes[outcome] += 1

    if n_outcomes:
        counts = ", ".join(f"{outcome} {number:,}" for outcome, number in sorted(n_outcomes.items()))
        print(f"{what}: {counts}", flush=True)
    return n_outcomes["FOREIGN"] == n_outcomes["SLOW"] == 0


if __name__ == "__main__":
    raise SystemExit(main())
