"""Claims and gates over several test sets in the Python interface."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from mteval.analysis import several_test_sets as several
from mteval.analysis.comparison import compared_system
from mteval.analysis.gates import gate_frame, gated
from mteval.analysis.human_scores import verdicts_on_candidate
from mteval.analysis.scoring import means_of_computation
from mteval.answers.gate import gate_section
from mteval.base.errors import DataError, SettingsError
from mteval.interface.results import Comparison
from mteval.interface.showing import notebook_html
from mteval.metrics import catalog
from mteval.metrics.base import MetricSpec
from mteval.report.gate import gate_json, gate_junit, gate_lines, gate_summary
from mteval.values import gate as gates
from mteval.values.claim import Claim, claimed_test_sets
from mteval.values.findings import Finding
from mteval.values.gate import OTHERS, GateRule, Margin, margin_from
from mteval.values.ledger import Ledger


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
        If a test set is unknown, fewer than two have a system in common, or it is unknown whether runs are shared.

    Examples
    --------
    >>> import mteval
    >>> texts = ["a b c", "d e f", "g h i"]
    >>> wrong = ["a b x", "d e f", "g x i"]
    >>> comparison = mteval.compare(
    ...     {"old": [wrong, wrong[::-1], texts], "new": [texts, texts, wrong]}, texts, "wer",
    ...     test_sets={"news": {"systems": {"old": [wrong] * 3, "new": [texts] * 3}, "references": texts}},
    ... )  # doctest: +SKIP
    >>> mteval.claim(comparison)["question"].tolist()  # doctest: +SKIP
    """
    claimed = _claimed(comparisons, test_sets, shared)
    claims: Sequence[Claim] = ()
    if claimed.sources:
        first = claimed.first
        claims = several.claims(claimed.sources, claimed.specs, first.experiment.baseline, first.settings)
    if not claims:
        raise DataError("A claim needs a system with scores on two or more test sets.")
    return several.claims_frame(claims)


def gate(
    comparisons: Comparison | Mapping[str, Comparison],
    *,
    worse_by: float | str | Mapping[str, float | str] | None = None,
    better_by: float | str | Mapping[str, float | str] | None = None,
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
        Margin for all metrics, or by metric, in points or as ``"people:60%"``: the difference at which people prefer
        the better of two systems in 60% of pairs. The candidate must be worse by less, or better by more. Without any
        it must be better.
    candidate
        The system to test; optional if there is only one besides the baseline.
    any_metric
        Whether one metric suffices (Holm); otherwise all must hold.
    each
        Whether every test set must hold; otherwise their mean.
    test_sets, shared
        As in ``claim``; tuning sets are tested if there are no others.

    Raises
    ------
    MtevalError
        If the candidate or a test set is unknown, or a margin or metric cannot be used.

    Examples
    --------
    >>> import mteval
    >>> old = [[0.5, 0.4, 0.5, 0.6, 0.5], [0.4, 0.4, 0.4, 0.5, 0.4], [0.6, 0.5, 0.6, 0.6, 0.5]]
    >>> comparison = mteval.compare_scores({"old": old, "new": [[0.5, 0.5, 0.5, 0.5, 0.5]]}, "accuracy")
    >>> mteval.gate(comparison, worse_by=0.3).outcome
    'pass'
    """
    claimed = _claimed(comparisons, test_sets, shared)
    if not claimed.sources:  # all are tuning sets
        claimed = _claimed(comparisons, claimed.names_of_test_sets, shared)
    settings = claimed.first.settings
    baseline = claimed.first.experiment.baseline
    systems = several.common_systems(claimed.sources, baseline)
    tested = compared_system(systems, candidate)
    rule = GateRule(_margins(worse_by), _margins(better_by), is_any=any_metric, is_each=each)
    findings: list[Finding] = []
    for comparison in claimed.comparisons.values():
        findings += comparison.results.evaluation.findings
    work = means_of_computation(settings.workers)
    answer = gated(claimed.sources, claimed.specs, baseline, tested, rule, settings, work, findings)
    entries = [entry for comparison in claimed.comparisons.values() for entry in comparison.experiment.ledger]
    experiments = {name: comparison.experiment for name, comparison in claimed.comparisons.items()}
    names = {source.scored.test_set.name for source in claimed.sources}
    by_people = verdicts_on_candidate(experiments, names, (baseline, tested), answer.settings, work)
    answer = replace(answer, files=Ledger(tuple(dict.fromkeys(entries))), by_people=by_people)
    return Gate(**vars(answer))  # the same fields, with the methods of this module


def _margins(margin: float | str | Mapping[str, float | str] | None) -> dict[str, Margin]:
    """Return margins by metric, ``OTHERS`` for one of all metrics.

    Raises
    ------
    SettingsError
        If one is no margin.
    """
    if margin is None:
        return {}
    if not isinstance(margin, Mapping):
        margin = {OTHERS: margin}
    margins: dict[str, Margin] = {}
    for key, given in margin.items():
        try:
            margins[key] = margin_from(str(given))
        except ValueError as error:
            raise SettingsError(f"A margin is {given}. Give 0 or more points, or people:60%.") from error
    return margins


@dataclass(frozen=True)
class _Claimed:
    """Comparisons by name, and the statistics and metrics of all on the named test sets.

    Parameters
    ----------
    first
        The comparison with the settings and the baseline.
    """

    comparisons: Mapping[str, Comparison]
    first: Comparison
    sources: tuple[several.Source, ...]
    specs: Mapping[str, MetricSpec]

    @property
    def names_of_test_sets(self) -> list[str]:
        """Return the names of all test sets of all comparisons."""
        names: list[str] = []
        for comparison in self.comparisons.values():
            names += comparison.test_sets
        return names


def _claimed(
    comparisons: Comparison | Mapping[str, Comparison], test_sets: Sequence[str] | None, shared: bool | None
) -> _Claimed:
    """Return what comparisons claim together.

    Raises
    ------
    DataError
        If there is no comparison or no such test set, or it is unknown whether runs are shared.
    """
    if isinstance(comparisons, Comparison):
        comparison_of = {"": comparisons}
    else:
        comparison_of = dict(comparisons)
    if not comparison_of:
        raise DataError("There are no comparisons. Pass one, or several by name.")
    if test_sets is not None:
        if not test_sets:
            raise DataError("No test sets are named. Name some, or pass no test_sets.")
        several.refuse_unknown(test_sets, [comparison.experiment for comparison in comparison_of.values()])
    first = next(iter(comparison_of.values()))
    if shared is None and len(comparison_of) > 1:
        raise DataError("It is unknown whether runs of one name are the same model. Pass shared=True or shared=False.")
    parts = []
    for name, comparison in comparison_of.items():
        if test_sets is None:
            wanted = {test_set.name for test_set in claimed_test_sets(comparison.experiment.test_sets)}
        else:
            wanted = set(test_sets)
        parts.append((name, [scored for scored in comparison.scored_on_all if scored.test_set.name in wanted]))
    is_apart_within = shared is False and len(comparison_of) == 1
    sources = several.named_apart(parts, is_shared=shared is not False, is_apart_within=is_apart_within)
    known = catalog(first.experiment.given)
    specs = {key: known[key] for key in first.settings.metrics}
    return _Claimed(comparison_of, first, sources, specs)
