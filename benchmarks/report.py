"""Table of results, with the machine."""

import platform
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from benchmarks.growth import Growth, peak_megabytes
from benchmarks.timing import Pair
from mteval.base.parallel import available_cores


def line(pair: Pair) -> str:
    """One row of the table."""
    theirs = f"{pair.peer} {duration(pair.theirs)}"
    wanted = ""
    if pair.wanted is not None:
        wanted = times(pair.wanted)
    return f"| {pair.task} | {duration(pair.ours)} | {theirs} | {times(pair.ratio)} | {wanted} |"


def times(ratio: float) -> str:
    """``1,476`` or ``0.71``."""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def duration(seconds: float) -> str:
    """``46 ms`` or ``1.32 s``."""
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1000:.3g} ms"
    return f"{seconds:.3g} s"


def page(pairs: Sequence[Pair], grown: Sequence[Growth]) -> str:
    """All results as a page."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "sacrebleu"))
    lines = [
        "# Measured speed",
        "",
        f"{machine()}, {versions}.",
        "One thread unless a row names more; kernels are compiled before. Both programs run in turn in one process.",
        "Times are medians over rounds. In each round ours is the shortest of several, before and after the peer's.",
        '"wanted" is our own goal for the ratio. Peak memory of the whole benchmark with peers:'
        f" {peak_megabytes():,.0f} MB.",
        "",
        "| task | mteval | peer | ratio | wanted |",
        "|---|---|---|---|---|",
        *map(line, pairs),
        "",
        "## How cost grows",
        "",
        "| what | size | time | peak memory |",
        "|---|---|---|---|",
    ]
    for cost in grown:
        lines.append(f"| {cost.what} | {cost.size} | {duration(cost.seconds)} | {cost.megabytes:,.0f} MB |")
    return "\n".join(lines) + "\n"


def machine() -> str:
    """Processor, cores and Python."""
    return f"{_processor()}, {available_cores()} cores, Python {platform.python_version()}"


def _processor() -> str:
    """Return the name of the processor."""
    for row in Path("/proc/cpuinfo").read_text().splitlines():
        if "model name" in row:
            return row.split(":")[1].strip()
    return platform.processor()
