"""What an experiment was made from, as the content of an ``experiment.toml`` that makes it again."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from typing import Any

from mteval import __version__
from mteval.model import Experiment, TestSet
from mteval.readers.experiment_file import FORMAT, SETTINGS_KEYS
from mteval.readers.values import Problem, Slot
from mteval.settings import Settings


def slots_in_use(experiment: Experiment, slots: Iterable[Slot], problems: Iterable[Problem]) -> Iterator[Slot]:
    """The slots that the experiment was made from: those that were left out of it would be in the way of a replay."""
    refused = {problem.file for problem in problems if problem.severity == "error"}
    runs = {(one.name, run.system, run.key) for one in experiment.test_sets for run in one.runs}
    names = {one.name for one in experiment.test_sets}
    for slot in slots:
        if not slot.included or slot.test_set not in names or slot.role == "other":
            continue
        if slot.role != "hypothesis":
            if slot.file not in refused:
                yield slot
        elif (place := (slot.test_set, str(slot.system), str(slot.run))) in runs:
            runs.remove(place)  # the first file of a run is it; a second was left out
            yield slot


def describe(
    experiment: Experiment, slots: Iterable[Slot], settings: Settings, shown_path: Callable[[str], str]
) -> dict[str, Any]:
    """Content of the file, to be written by ``mteval.export``.

    Parameters
    ----------
    slots
        Those in use.
    shown_path
        From the name of a document to its path as the file is to give it, relative to the file's folder.
    """
    chosen = list(slots)
    return {
        "format": FORMAT,
        "made_with": f"mteval {__version__}",
        "baseline": experiment.baseline,
        "settings": _settings(settings),
        "test_sets": [_test_set(one, chosen, shown_path) for one in experiment.test_sets],
    }


def _settings(settings: Settings) -> dict[str, Any]:
    values = {name: value for name, value in asdict(settings).items() if name in SETTINGS_KEYS}
    values["metrics"] = list(settings.metrics)
    # TOML has no null; an option is None only where that is its default, so that it may be left out
    values["options"] = {
        metric: {name: value for name, value in options.items() if value is not None}
        for metric, options in settings.options.items()
    }
    return values


def _test_set(test_set: TestSet, slots: Iterable[Slot], shown_path: Callable[[str], str]) -> dict[str, Any]:
    found: dict[str, Any] = {"name": test_set.name, "role": test_set.role, "references": [], "nbest": []}
    systems: dict[str, dict[str, Any]] = {}
    for slot in slots:
        if slot.test_set != test_set.name:
            continue
        path = shown_path(slot.file)
        place = {"file": path, "part": slot.stream} if slot.stream else path
        if slot.role == "hypothesis":
            systems.setdefault(str(slot.system), {})[str(slot.run)] = place
        elif slot.role in ("source", "documents"):
            found.setdefault(slot.role, place)
        else:
            found["references" if slot.role == "reference" else slot.role].append(place)
    return {key: value for key, value in found.items() if value} | {"systems": systems}
