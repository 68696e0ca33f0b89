"""What every computation is handed: an engine that spreads it, a store that remembers it, an ear for its progress."""

from collections.abc import Callable
from dataclasses import dataclass, field

from mteval.parallel import Engine
from mteval.store import StatisticsStore


@dataclass(frozen=True)
class Progress:
    """How far the work is.

    Parameters
    ----------
    task
        What is being done, in a few words: ``Scoring TER on test``.
    done, total
        Of the whole work, in units that take about equally long.
    """

    task: str
    done: float
    total: float

    @property
    def fraction(self) -> float:
        """Between 0 and 1."""
        return min(1.0, self.done / self.total) if self.total else 1.0


def ignore(progress: Progress) -> None:
    """Listen to nothing."""


@dataclass(frozen=True)
class Work:
    """Means of computation; results do not depend on any of them.

    Parameters
    ----------
    engine
        Spreads work over threads and stops it.
    store
        Keeps statistics between sessions; None keeps nothing.
    report
        Called often, from the thread that asked for the work.
    """

    engine: Engine = field(default_factory=Engine)
    store: StatisticsStore | None = None
    report: Callable[[Progress], None] = ignore
