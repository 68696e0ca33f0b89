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
from functools import partial
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
    inputs = options.inputs
    if inputs is None:
        inputs = 0 if options.command_lines or options.addresses or options.widgets else INPUTS
    seeds = partial(range, options.seed)
    is_well = tried("files", run_case, seeds(options.seed + inputs), options.seconds)
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        lines = seeds(options.seed + options.command_lines)
        is_well &= tried("command lines", lambda seed: run_line(seed, Path(folder)), lines)
    if options.addresses:
        with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (host, link):
            asked = seeds(options.seed + options.addresses)
            is_well &= tried("addresses", lambda seed: run_address(seed, host, link), asked)
            is_well &= not errors_in((Path(folder) / "log.txt").read_text())
    if options.widgets:
        with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as (host, _):
            is_well &= tried("values of widgets", partial(sent, host, options.widgets), [options.seed])
            is_well &= not errors_in((Path(folder) / "log.txt").read_text())
    return int(not is_well)


def sent(host: str, number: int, seed: int) -> str:
    """Send so many values to all widgets; return to how many widgets."""
    return f"drawn with values for {run_widgets(host, number, seed)} widgets"


def tried(what: str, run: Callable[[int], str], seeds: Iterable[int], seconds: float = inf) -> bool:
    """Try each; whether nothing foreign was raised and none took longer. What became of them is printed."""
    said: Counter[str] = Counter()
    for seed in seeds:
        begun = time.process_time()
        try:
            outcome = run(seed)
        except Exception:
            outcome = "FOREIGN"
            print(f"{what}, seed {seed}: {traceback.format_exc(limit=-3)}", flush=True)
        if time.process_time() - begun > seconds:
            print(f"{what}, seed {seed}: {time.process_time() - begun:.1f} s", flush=True)
            outcome = "SLOW"
        said[outcome] += 1
    if said:
        print(f"{what}: {', '.join(f'{outcome} {number:,}' for outcome, number in sorted(said.items()))}", flush=True)
    return not any(outcome.isupper() for outcome in said)


if __name__ == "__main__":
    raise SystemExit(main())
