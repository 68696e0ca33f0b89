"""Claims and gates over several test sets in the Python interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from mteval.analysis import several_test_sets as several
from mteval.analysis.comparison import compared_system
from mteval.analysis.gates import gate_frame, gated
from mteval.analysis.scoring import means_of_computation
from mteval.answers.gate import gate_section
from mteval.base.errors import DataError
from mteval.interface.results import Comparison
from mteval.interface.showing import notebook_html
from mteval.metrics import catalog
from mteval.metrics.base import MetricSpec
from mteval.report.gate import gate_json, gate_junit, gate_lines, gate_summary
from mteval.values import gate as gates
from mteval.values.gate import OTHERS, GateRule


class Gate(gates.Gate):
    """Whether a candidate passes: ``outcome``, ``passed``, and everything in the forms of ``mteval gate``."""

    @property
    def frame(self) -> pd.DataFrame:
        """Return one row per metric and test set, with p-values and what would settle an open answer."""
        return gate_frame(self)

    def to_json(self) -> str:
        """Return all numbers, as ``mteval gate --json`` writes them."""
        return gate_json(self)

    def to_junit(self) -> str:
        """Return JUnit XML, as ``mteval gate --junit`` writes it."""
        return gate_junit(self)

    def to_markdown(self) -> str:
        """Return the summary that ``mteval gate --summary`` appends."""
        return gate_summary(self)

    def __str__(self) -> str:
        return "\n".join(gate_lines(self))

    def __repr__(self) -> str:
        return f"<mteval.Gate: {self.outcome}>"

    def _repr_html_(self) -> str:
        """Return what a notebook shows."""
        return notebook_html([gate_section(self)])


def claim(
    comparisons: Comparison | Mapping[str, Comparison],
    *,
    test_sets: Sequence[str] | None = None,
    shared: bool | None = None,
) -> pd.DataFrame:
    """Test the mean difference over several test sets or language pairs, weighted equally.

    Parameters
    ----------
    comparisons
        One with several test sets, or several by name. Settings and baseline are those of the first, whose metrics all
        must have.
    test_sets
        Names of test sets; by default all but tuning sets.
    shared
        Whether runs of one name are the same trained model; within one comparison they are by default.

    Returns
    -------
    One row per metric, system and question: difference, interval, p-value, adjusted p-value and notes.

    Raises
    ------
    DataError
        If fewer than two test sets have a system in common, or it is unknown whether runs are shared.

    Examples
    --------
    >>> import mteval
    >>> texts = ["a b c", "d e f", "g h i"]
    >>> wrong = ["a b x", "d e f", "g x i"]
    >>> found = mteval.compare(
    ...     {"old": [wrong, wrong[::-1], texts], "new": [texts, texts, wrong]}, texts, "wer",
    ...     test_sets={"news": {"systems": {"old": [wrong] * 3, "new": [texts] * 3}, "references": texts}},
    ... )  # doctest: +SKIP
    >>> mteval.claim(found)["question"].tolist()  # doctest: +SKIP
    """
    first, sources, specs = _claimed(comparisons, test_sets, shared)
    found = several.claims(sources, specs, first.experiment.baseline, first.settings) if sources else ()
    if not found:
        raise DataError("A claim needs a system with scores on two or more test sets.")
    return several.claims_frame(found)


def gate(
    comparisons: Comparison | Mapping[str, Comparison],
    *,
    worse_by: float | Mapping[str, float] | None = None,
    better_by: float | Mapping[str, float] | None = None,
    candidate: str | None = None,
    any_metric: bool = False,
    each: bool = False,
    test_sets: Sequence[str] | None = None,
    shared: bool | None = None,
) -> Gate:
    """Let a candidate pass or fail against margins, as ``mteval gate``.

    Parameters
    ----------
    comparisons
        One, or several by name, e.g. language pairs. Settings and baseline are those of the first. A single candidate
        run is tested against the baseline's runs.
    worse_by, better_by
        Margin in points for all metrics, or by metric: the candidate must be worse by less, or better by more. Without
        any it must be better.
    candidate
        The system to test; optional if there is only one besides the baseline.
    any_metric
        Whether one metric suffices (Holm); otherwise all must hold.
    each
        Whether every test set must hold; otherwise their mean.
    test_sets, shared
        As in ``claim``.

    Raises
    ------
    MtevalError
        If the candidate is unknown, or a margin or metric cannot be used.

    Examples
    --------
    >>> import mteval
    >>> old = [[0.5, 0.4, 0.5], [0.4, 0.4, 0.4], [0.6, 0.5, 0.6]]
    >>> found = mteval.compare_scores({"old": old, "new": [[0.5, 0.5, 0.5]]}, "accuracy")
    >>> mteval.gate(found, worse_by=0.3).outcome
    'pass'
    """
    first, sources, specs = _claimed(comparisons, test_sets, shared)
    baseline = first.experiment.baseline
    chosen = compared_system(several.common_systems(sources, baseline), candidate)
    margins = [
        {} if margin is None else dict(margin) if isinstance(margin, Mapping) else {OTHERS: float(margin)}
        for margin in (worse_by, better_by)
    ]
    rule, work = GateRule(margins[0], margins[1], any_metric, each), means_of_computation(first.settings.workers)
    every = [first] if isinstance(comparisons, Comparison) else [*comparisons.values()]
    findings = (finding for one in every for finding in one.results.evaluation.findings)
    return Gate(**vars(gated(sources, specs, baseline, chosen, rule, first.settings, work, findings)))


def _claimed(
    comparisons: Comparison | Mapping[str, Comparison], test_sets: Sequence[str] | None, shared: bool | None
) -> tuple[Comparison, tuple[several.Source, ...], dict[str, MetricSpec]]:
    """Return the first comparison, and the statistics and metrics of all on the named test sets."""
    named = {"": comparisons} if isinstance(comparisons, Comparison) else dict(comparisons)
    first = next(iter(named.values()))
    if shared is None and len(named) > 1:
        raise DataError("It is unknown whether runs of one name are the same model. Pass shared=True or shared=False.")
    parts = []
    for name, one in named.items():
        named_here = {test_set.name for test_set in several.claimed_test_sets(one.experiment.test_sets)}
        wanted = named_here if test_sets is None else set(test_sets)
        parts.append((name, [scored for scored in one.scored_on_all if scored.test_set.name in wanted]))
    sources = several.named_apart(
        parts, is_shared=shared is not False, is_apart_within=shared is False and len(named) == 1
    )
    known = catalog(first.experiment.given)
    return first, sources, {key: known[key] for key in first.settings.metrics}
