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
    used_settings = settings.deciding
    for name, planned in plan.settings.deciding.items():
        used = used_settings[name]
        if used != planned:
            yield f"{_NAMES.get(name, name).capitalize()}: planned {_shown(planned)}; used {_shown(used)}."
    yield from _other_systems(plan, experiment)

    # With interim analyses, an evaluation may end at each of them
    allowed_numbers = {plan.n_runs, *plan.settings.looks}
    for test_set in experiment.test_sets:
        other_numbers = []
        for system in test_set.systems:
            if len(system.runs) not in allowed_numbers:
                other_numbers.append(f"{len(system.runs)} of {system.key}")
        if other_numbers:
            nouns = settings.runs.nouns.capitalize()
            yield f"{nouns} on {test_set.name}: planned {plan.n_runs}; used {listed(other_numbers)}."
    yield from _other_test_sets(plan, experiment)


def _other_systems(plan: Plan, experiment: Experiment) -> Iterator[str]:
    """Yield how baseline and systems differ from the plan."""
    if experiment.baseline != plan.baseline:
        yield f"Baseline: planned {plan.baseline}; used {experiment.baseline}."
    planned = {plan.baseline, *plan.systems}
    used = {system.key for system in experiment.systems}
    if planned - used:
        yield f"Systems missing: {listed(sorted(planned - used))}."
    if used - planned:
        yield f"Systems not planned: {listed(sorted(used - planned))}."


def _other_test_sets(plan: Plan, experiment: Experiment) -> Iterator[str]:
    """Yield how the test sets differ from the plan, by name and content."""
    used = {test_set.name: test_set for test_set in experiment.test_sets}
    for planned in plan.test_sets:
        if planned.name not in used:
            yield f"Test set {planned.name} was planned, but is missing."
            continue
        digests = PlannedTestSet.of(used[planned.name]).digests
        changed = [part for part, digest in planned.digests.items() if digests.get(part) != digest]
        if changed:
            differ = "differs" if changed == ["source"] else "differ"  # the other parts are plurals
            size = counted(planned.n_segments, "segment")
            yield f"Test set {planned.name}: {listed(changed)} {differ} from what was planned ({size})."
    unplanned = sorted(used.keys() - {planned.name for planned in plan.test_sets})
    if unplanned:
        yield f"Test sets not planned: {listed(unplanned)}."


def _shown(value: object) -> str:
    """Return the value of a setting in words."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_shown(item)}" for key, item in value.items()) or "none"
    if isinstance(value, tuple):
        return ", ".join(map(str, value)) or "none"
    return str(value)
