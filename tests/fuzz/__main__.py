"""Try mutated files: ``python -m tests.fuzz --inputs 100000 [--seed 0] [--seconds 2]``; seeds that fail are printed."""

import argparse
import time
import traceback
from collections import Counter

from tests.fuzz.targets import run_case


def main() -> int:
    """Try them; the exit status is 1 where one of them raised what is not ours, or took too long."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--inputs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--seconds", type=float, default=2.0, help="that an input may take")
    options = parser.parse_args()
    said: Counter[str] = Counter()
    for seed in range(options.seed, options.seed + options.inputs):
        begun = time.process_time()
        try:
            outcome = run_case(seed)
        except Exception:
            outcome = "FOREIGN"
            print(f"seed {seed}: {traceback.format_exc(limit=-3)}", flush=True)
        if time.process_time() - begun > options.seconds:
            print(f"seed {seed}: {time.process_time() - begun:.1f} s", flush=True)
            outcome = "SLOW"
        said[outcome] += 1
    print(", ".join(f"{outcome}: {number:,}" for outcome, number in sorted(said.items())))
    return int(any(outcome.isupper() for outcome in said))


if __name__ == "__main__":
    raise SystemExit(main())
