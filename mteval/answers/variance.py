"""What spreads suggest, in words: like is compared with like, and chance is asked first.

How far the run scores of two systems overlap, in words (Clark et al. 2011, Figure 1).
"""

from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from mteval.answers.procedures import UNIT_NAMES
from mteval.base.words import counted
from mteval.values.notation import p_equals, percent
from mteval.values.run_words import RUN, RunWord
from mteval.values.verdict import Spreads

Source = Literal["runs", "test set", "both"]
_ADVICE = {
    "runs": "further runs would help more than a larger test set",
    "test set": "a larger test set would help more than further runs",
    "both": "a larger test set and further runs would both help",
}


def larger_source(runs: float, test_set: float) -> Source:
    """Which of two variances of a difference is more than twice the other; ``both`` where neither is."""
    if runs > 2 * test_set:
        return "runs"
    return "test set" if test_set > 2 * runs else "both"


def spread_remarks(spreads: Spreads, level: float, runs: RunWord = RUN) -> Iterator[str]:
    """What the spreads of one system suggest; nothing where they suggest nothing.

    Parameters
    ----------
    level
        Up to which a p-value is more than chance.
    runs
        What a run is called.
    """
    if spreads.s_test > spreads.s_dev and spreads.p_larger <= level:
        yield _larger_on_test(spreads, runs)
    if spreads.is_open and spreads.error_test_set > 0 and spreads.error_runs >= 0:
        yield _sources(spreads, runs)


def _larger_on_test(spreads: Spreads, runs: RunWord) -> str:
    """Clark et al. 2011, section 4.1."""
    number = spreads.notation.number
    holm = f" after Holm over {counted(spreads.n_tested, 'such pair')}" if spreads.n_tested > 1 else ""
    return (
        f"{spreads.system}: {spreads.metric_name} varies more between the same {counted(spreads.n_runs, runs.noun)} on"
        f" the test set ({number(spreads.s_test)}) than on the tuning set ({number(spreads.s_dev)}), and by more than"
        f" chance (test of Pitman and Morgan, {p_equals(spreads.p_larger)}{holm}): {runs.nouns} that do equally well in"
        " tuning may differ in how well they generalize."
    )


def _sources(spreads: Spreads, runs: RunWord) -> str:
    """Standard errors of the same difference, from either source."""
    number, advice = spreads.notation.number, larger_source(spreads.error_runs**2, spreads.error_test_set**2)
    return (
        f"{spreads.system}: the standard error of the difference from {spreads.baseline} in {spreads.metric_name} is"
        f" {number(spreads.error_test_set)} from the choice of {UNIT_NAMES[spreads.unit]} and"
        f" {number(spreads.error_runs)} from which {runs.nouns} were made: {runs.said(_ADVICE[advice])}."
    )


def overlap_sentence(baseline: str, system: str, baseline_scores: Sequence[float], scores: Sequence[float]) -> str:
    """How many pairs of single runs would have shown the opposite of the averages, or no difference.

    All pairs of a run of one system with a run of the other are counted. Runs without a score are left out.
    """
    first, second = (
        np.array([x for x in values if np.isfinite(x)], dtype=float) for values in (baseline_scores, scores)
    )
    if not len(first) or not len(second):
        return f"{baseline} and {system} have no run scores to compare."
    difference = float(second.mean() - first.mean())
    n_pairs = len(first) * len(second)
    if n_pairs == 1:
        return f"One run of {baseline} and one of {system}: how far their scores overlap cannot be seen."
    if np.isclose(difference, 0, atol=1e-9):
        return f"{baseline} and {system} have the same average."
    opposite = int(np.sum(np.subtract.outer(second, first) * np.sign(difference) <= 1e-9))
    above, below = (system, baseline) if difference > 0 else (baseline, system)
    if not opposite:
        return f"The scores do not overlap: every run of {above} scores higher than every run of {below}."
    return (
        f"The scores overlap: on average {above} scores higher, but in {opposite:,} of {n_pairs:,} pairs of single runs"
        f" ({percent(opposite / n_pairs, 0)}) {below} scores as high or higher."
    )
