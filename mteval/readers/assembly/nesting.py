"""Runs that share a training: outputs of its checkpoints, decodings or fine-tunings count as one run."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.readers.documents import Problem, Slot, named
from mteval.readers.names import natural_order, sample_name
from mteval.values.model import Run, Sample, TestSet

TRAINING, ANYTHING = "{training}", "*"
MOST_ANYTHING = 4  # matching takes longer with each
RunName = tuple[str, str, str]  # test set, system and run


def nested_pattern(text: str) -> str:
    """Return a pattern of names that share a training, e.g. ``seed{training}-*``, without surrounding spaces.

    ``{training}`` stands for letters and digits, ``*`` for anything within a file or folder name. The rest of
    the name may be longer.

    Raises
    ------
    SettingsError
        If it does not contain ``{training}`` exactly once, or too many ``*``.
    """
    text = text.strip()
    if text.count(TRAINING) != 1 or text.count(ANYTHING) > MOST_ANYTHING:
        raise SettingsError(
            f"The pattern of nested runs is '{text}'. It must contain {TRAINING} once, and * up to"
            f" {counted(MOST_ANYTHING, 'time')}, e.g. seed{TRAINING}-*."
        )
    return text


def with_trainings(test_set: TestSet, pattern: str, slots: Iterable[Slot], problems: list[Problem]) -> TestSet:
    """Return the test set with the runs of each training combined, to be averaged as samples of one run are.

    Parameters
    ----------
    pattern
        From ``nested_pattern``. It is looked for in the name of the run, of its file, and of the file's folders.
    slots
        Outputs of all test sets.
    problems
        Receives a warning about runs whose names do not match; each counts as a training.
    """
    files = {(slot.test_set, str(slot.system), str(slot.run)): slot.file for slot in slots if slot.role == "hypothesis"}
    parts = (re.escape(part) for part in pattern.replace(ANYTHING, "\0").split(TRAINING))
    expression = re.compile(r"([^\W_]+)".join(parts).replace("\0", "[^/]*?"))
    trainings = [_training_of(expression, _names(test_set.name, run, files)) for run in test_set.runs]
    # run names stay unambiguous, e.g. for scores of single outputs
    prefix = "training " if {run.key for run in test_set.runs} & {*trainings} else ""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run, training in zip(test_set.runs, trainings, strict=True):
        groups.setdefault((run.system, run.key if training is None else prefix + training), []).append(run)
    pairs = zip(test_set.runs, trainings, strict=True)
    unmatched = [f"{run.key} of {run.system}" for run, training in pairs if training is None]
    if unmatched:
        text = f"No training found by '{pattern}' in the names of {named(unmatched)} on '{test_set.name}'."
        problems.append(Problem(f"{text} Each counts as a training of its own.", severity="warning"))
    in_order = sorted(groups.items(), key=lambda item: tuple(map(natural_order, item[0])))
    return replace(test_set, runs=tuple(_together(*name, members) for name, members in in_order))


def _names(test_set: str, run: Run, files: Mapping[RunName, str]) -> Iterator[str]:
    """Yield the names to look into: of the run, its file without and with folders."""
    yield run.key
    keys = [sample_name(run.key, sample.key) for sample in run.samples[:1]] or [run.key]
    file = files.get((test_set, run.system, keys[0]), "").replace("\\", "/")
    yield from (file.rsplit("/", 1)[-1], file)


def _training_of(expression: re.Pattern[str], names: Iterable[str]) -> str | None:
    found = (expression.findall(name) for name in names)
    return next((matches[-1] for matches in found if matches), None)  # the last folder tells most


def _together(system: str, training: str, members: Sequence[Run]) -> Run:
    """Return the run of a training; a single output keeps its parses."""
    keys = tuple(run.key for run in members)
    if len(members) == 1 and not members[0].samples:
        return replace(members[0], key=training, members=keys)
    samples = tuple(
        Sample(sample_name(run.key, one.key) if run.samples else run.key, one.hypotheses)
        for run in members
        for one in run.samples or (Sample(run.key, run.hypotheses),)
    )
    return Run(system, training, samples[0].hypotheses, samples=samples, members=keys)
