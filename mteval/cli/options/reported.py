"""One test set, and the metrics that can compare all of its systems."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from mteval.analysis.overview import reported_test_set
from mteval.analysis.scoring import Scored
from mteval.cli.console import tell
from mteval.cli.options.systems import Systems
from mteval.errors import DataError
from mteval.model import Experiment


def add_test_set(group: argparse._ActionsContainer) -> None:
    """Add ``--test-set``."""
    group.add_argument("--test-set", metavar="NAME", help="the one reported (default: the first with role test)")


def reported(experiment: Experiment, name: str | None) -> Experiment:
    """The experiment with one test set alone.

    Raises
    ------
    DataError
        Where there is none of that name.
    """
    test_set = reported_test_set(experiment) if name is None else experiment.test_set(name)
    return replace(experiment, test_sets=(test_set,))


def comparable(scored: Sequence[Scored], systems: Systems) -> list[Scored]:
    """The metrics that have scores of all systems; what is said of the others stands on standard error.

    Raises
    ------
    DataError
        Where there is none.
    """
    wanted = {run.system for run in scored[0].test_set.runs} | {systems.experiment.baseline}
    wanted |= {system.key for one in scored for system in one.test_set.systems}
    whole = [one for one in scored if wanted <= set(one.statistics)]
    for one in scored:
        lacking = [systems.names[key] for key in systems.names if key in wanted and key not in one.statistics]
        if lacking and whole:
            tell(f"{one.metric.name} is left out: it has no scores of {', '.join(lacking)}.")
    if not whole:
        names = ", ".join(one.metric.name for one in scored)
        raise DataError(
            f"Nothing is compared: no metric has scores of all systems ({names}). Give scores of all under the same"
            " name, or take another metric."
        )
    return whole
