"""A plan of an evaluation, fixed before results are seen, and how an evaluation deviates from it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mteval.base.bounded_input import Filled, Whole
from mteval.base.words import counted, listed
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

CHECKED = ("references", "source", "documents")
_NAMES: Mapping[str, str] = {  # of settings, in words
    "n_bootstrap": "bootstrap replicates",
    "n_shuffles": "shuffles",
    "exchange_unit": "unit of the tests",
    "decision": "decision over metrics",
    "looks": "interim analyses",
    "spending": "levels of interim analyses",
    "run_word": "word for a run",
}


@dataclass(frozen=True)
class PlannedTestSet:
    """A test set by its content: a digest for each of its parts ``CHECKED`` that was known."""

    name: Filled
    n_segments: Whole
    digests: Mapping[str, Filled]

    @classmethod
    def of(cls, test_set: TestSet) -> "PlannedTestSet":
        """Describe a test set."""
        digests = {part: digest for part, digest in test_set.part_digests.items() if part in CHECKED}
        return cls(test_set.name, test_set.n_segments, digests)


@dataclass(frozen=True)
class Plan:
    """What is fixed before results are seen.

    Parameters
    ----------
    systems
        Systems to compare with the baseline.
    n_runs
        Runs per system; with interim analyses, the most.
    target
        Smallest difference that matters, in points of the primary metric; None if not stated.
    margin
        Largest difference that still counts as equal, in the same points; None if not stated.
    """

    baseline: str
    systems: tuple[str, ...]
    n_runs: int
    test_sets: tuple[PlannedTestSet, ...]
    settings: Settings
    target: float | None = None
    margin: float | None = None


@dataclass(frozen=True)
class Planned:
    """A plan beside an evaluation.

    Parameters
    ----------
    file
        Name of the plan's file.
    digest
        Of the plan.
    deviations
        One sentence each; empty if everything is as planned.
    """

    file: str
    digest: str
    deviations: tuple[str, ...]


def deviations(plan: Plan, experiment: Experiment, settings: Settings) -> Iterator[str]:
    """Yield how an evaluation differs from its plan, one sentence each."""
    planned, now = plan.settings.deciding, settings.deciding
    for name, value in planned.items():
        if value != now[name]:
            yield f"{_NAMES.get(name, name).capitalize()}: planned {_shown(value)}; used {_shown(now[name])}."
    if experiment.baseline != plan.baseline:
        yield f"Baseline: planned {plan.baseline}; used {experiment.baseline}."
    known = {system.key for system in experiment.systems}
    for what, names in (("missing", {plan.baseline, *plan.systems} - known),
                        ("not planned", known - {plan.baseline, *plan.systems})):  # fmt: skip
        if names:
            yield f"Systems {what}: {listed(sorted(names))}."
    allowed = {plan.n_runs, *plan.settings.looks}
    found = {test_set.name: test_set for test_set in experiment.test_sets}
    for test_set in experiment.test_sets:
        if odd := {system.key: len(system.runs) for system in test_set.systems if len(system.runs) not in allowed}:
            counts = listed([f"{n} of {name}" for name, n in odd.items()])
            yield f"{settings.runs.nouns.capitalize()} on {test_set.name}: planned {plan.n_runs}; used {counts}."
    for one in plan.test_sets:
        if one.name not in found:
            yield f"Test set {one.name} was planned, but is missing."
            continue
        digests = PlannedTestSet.of(found[one.name]).digests
        if changed := [part for part, digest in one.digests.items() if digests.get(part) != digest]:
            size = counted(one.n_segments, "segment")
            what = f"{listed(changed)} {'differs' if changed == ['source'] else 'differ'} from what was planned"
            yield f"Test set {one.name}: {what} ({size})."
    if more := sorted(found.keys() - {one.name for one in plan.test_sets}):
        yield f"Test sets not planned: {listed(more)}."


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(one)}" for key, one in value.items()) or "none"
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple) else str(value)
