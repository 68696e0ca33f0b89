"""Looks that nobody planned: the same systems were scored before, with fewer runs."""

from collections.abc import Iterable

from mteval.reporting.library.card import Card


def runs_seen_before(card: Card, others: Iterable[Card]) -> tuple[int, ...]:
    """Numbers of runs, fewer than now, with which an experiment's systems were scored, in rising order.

    Experiments are the same but for their runs where they have the same systems, and their verdicts are by the same
    metric on a test set of the same name and size.
    """
    if not card.n_runs:
        return ()
    seen = {min(other.n_runs) for other in others if other.concluded and other.n_runs and _about(other) == _about(card)}
    return tuple(sorted(n_runs for n_runs in seen if n_runs < min(card.n_runs)))


def _about(card: Card) -> tuple[frozenset[str], str, int, str]:
    return frozenset(card.systems), card.test_set, card.n_segments, card.metric
