"""What a talk is about, and which slides it has."""

from collections.abc import Mapping
from dataclasses import dataclass

import plotly.graph_objects as go

from mteval.analysis.replication.combinations import numbers_to_draw
from mteval.analysis.replication.pool import Pool
from mteval.figures.large_type import enlarged
from mteval.figures.words import in_words
from mteval.metrics.base import MetricSpec
from mteval.notation import Notation
from mteval.run_words import Wording
from mteval.settings import Settings
from mteval.stats.procedures.registry import answering
from mteval.stats.runs import copies_or_single_runs

WHO, RUNS, DRAWS, NUMBERS, PAIR, PUBLISHED, VARIANCE, VERDICT = (
    "who", "runs", "draws", "numbers", "pair", "published", "variance", "verdict",
)  # fmt: skip


@dataclass(frozen=True)
class Subject:
    """Who competes, and by what.

    Parameters
    ----------
    colors
        From system to colour.
    """

    pool: Pool
    spec: MetricSpec
    settings: Settings
    colors: Mapping[str, str]

    @property
    def notation(self) -> Notation:
        """How the metric's numbers are written."""
        return self.spec.notation

    @property
    def systems(self) -> tuple[str, str]:
        """Baseline and system."""
        return self.pool.baseline, self.pool.system

    @property
    def difference_name(self) -> str:
        """What an axis of differences shows, without the unit."""
        return f"{self.spec.name} of {self.pool.system} − {self.spec.name} of {self.pool.baseline}"

    @property
    def refusal(self) -> str:
        """Why nothing can be said of other runs; empty where it can."""
        return copies_or_single_runs(*self.pool.statistics)

    @property
    def said(self) -> Wording:
        """How to say what is said of runs."""
        return self.pool.wording(self.settings.runs)

    def drawn(self, figure: go.Figure, width: int, height: int, **how: int) -> go.Figure:
        """A figure in a slide's size and in the user's word for a run."""
        return enlarged(in_words(figure, self.said), width, height, **how)

    def outline(self) -> tuple[str, ...]:
        """The slides in order; those that these data cannot support stay away, but for the one that says why."""
        can_draw = bool(numbers_to_draw(self.pool.sizes))
        keys = [WHO, RUNS, DRAWS]
        if not self.refusal:
            keys += [NUMBERS, PAIR]
        if can_draw:
            keys.append(PUBLISHED)
        return (*keys, *(() if self.refusal else (VARIANCE,)), VERDICT)

    def testers(self) -> tuple[str, ...]:
        """The procedures of the two answers that can judge draws of runs."""
        return tuple(answering(luck, self.pool.unit).key for luck in ("test-set", "both"))
