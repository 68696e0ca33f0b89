"""Time two programs in turn, so that a machine that slows down slows both."""

import os
import statistics
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Work = Callable[[], object]


@dataclass(frozen=True)
class Pair:
    """Times of one task.

    Parameters
    ----------
    task
        What was done.
    peer
        The name of the other program.
    ours, theirs
        Median seconds of a round.
    ratio
        Median over rounds of their time over ours in the same round.
    wanted
        The ratio that the project set itself; None where it set none.
    """

    task: str
    peer: str
    ours: float
    theirs: float
    ratio: float
    wanted: float | None = None


def seconds(work: Work, repeats: int = 1) -> float:
    """Return the shortest of several warm times: the cost of undisturbed work."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def seconds_of_process(command: Sequence[str]) -> float:
    """Seconds of processor, its own and the system's, of a new process: other work beside it counts little."""
    environment = dict(os.environ)
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = os.times()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def compare_processes(
    task: str, ours: Sequence[str], peer: str, theirs: Sequence[str], *, rounds: int, wanted: float | None = None
) -> Pair:
    """Two commands in turn, each in a new process, after one of ours that leaves nothing to be compiled."""
    seconds_of_process(ours)
    pairs = [(seconds_of_process(ours), seconds_of_process(theirs)) for _ in range(rounds)]
    return _pair(task, peer, pairs, wanted)


def compare(
    task: str, ours: Work, peer: str, theirs: Work, *, rounds: int = 3, repeats: int = 5, wanted: float | None = None
) -> Pair:
    """Time theirs once, and our work ``repeats`` times before and after it, round by round, after one warm-up of ours.

    What takes milliseconds would otherwise be at the mercy of one moment of the machine.
    """
    ours()
    pairs = []
    for _ in range(rounds):
        before = seconds(ours, repeats)
        of_peer = seconds(theirs)
        after = seconds(ours, repeats)
        pairs.append((min(before, after), of_peer))
    return _pair(task, peer, pairs, wanted)


def _pair(task: str, peer: str, pairs: Sequence[tuple[float, float]], wanted: float | None) -> Pair:
    """Medians of the rounds: ours, theirs, and of the ratio in each."""
    ours = statistics.median(own for own, _ in pairs)
    theirs = statistics.median(of_peer for _, of_peer in pairs)
    ratio = statistics.median(of_peer / own for own, of_peer in pairs)
    return Pair(task, peer, ours, theirs, ratio, wanted)
