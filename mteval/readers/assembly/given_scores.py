"""Match scores from files with loaded runs and segments, and report what is ignored."""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mteval.base.errors import DataError, InputError
from mteval.base.words import free_name, numbered
from mteval.readers.assembly.alignment import Assigned
from mteval.readers.assembly.scores_alone import aligned, at, doubt_about, places_of, runs_with, scores_of
from mteval.readers.assembly.test_sets import Built
from mteval.readers.documents import Problem, ScoreColumn, Slot, named
from mteval.readers.names import REFERENCE_WORD, common_tail, words_of
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Run, TestSet

NO_SYSTEM = "names no system. Add a column system, and a column run if systems have several runs."
NOT_IN_KEYS = re.compile(r"[^\w.+]+")
RunName = tuple[str, str, str]  # test set, system and run
Metric = dict[RunName, tuple[GivenScores, str]]  # scores of one metric, each with its file


@dataclass(frozen=True)
class Outputs:
    """What scores are matched with: test sets by name, and the slots of outputs and references."""

    built: Mapping[str, Built]
    slots: Sequence[Slot]

    def runs_named(self, system: str, run: str | None, test_set: TestSet) -> list[tuple[str, str]]:
        """Return the runs that a file names by system and optional run, or by the file of an output.

        The file with the longest common end matches.
        """
        runs = [(loaded.system, loaded.key) for loaded in test_set.runs_of(system) if run in (None, loaded.key)]
        if runs or run is not None or test_set.runs_of(system):
            return runs
        of_test_set = [slot for slot in self.slots if (slot.role, slot.test_set) == ("hypothesis", test_set.name)]
        tails = [common_tail(system, slot.file) for slot in of_test_set]
        longest = max(tails, default=0)
        named = (slot for slot, tail in zip(of_test_set, tails, strict=True) if tail == longest > 0)
        return [(str(slot.system), str(slot.run)) for slot in named]

    def runs_in(self, file: str, test_set: TestSet) -> list[Run]:
        """Return the runs loaded from a file."""
        slots = [slot for slot in self.slots if (slot.role, slot.file) == ("hypothesis", file)]
        names = {(str(slot.system), str(slot.run)) for slot in slots if slot.test_set == test_set.name}
        return [run for run in test_set.runs if (run.system, run.key) in names]

    def is_reference(self, name: str, test_set: TestSet) -> bool:
        """Whether a name in a file of scores is that of a reference file, e.g. ``refB`` for ``refB.en.txt``."""
        files = [slot.file for slot in self.slots if (slot.role, slot.test_set) == ("reference", test_set.name)]
        words = {word.lower() for file in files for word in words_of(file.rsplit("/", 1)[-1])}
        is_word = REFERENCE_WORD.fullmatch(name) is not None and name.lower() in words
        return is_word or any(common_tail(name, file) for file in files)


def given_metrics(
    items: Iterable[Assigned],
    built: Mapping[str, Built],
    slots: Sequence[Slot],
    directions: Mapping[str, bool],
    reserved: Collection[str],
) -> tuple[tuple[GivenMetric, ...], list[Problem]]:
    """Return the metrics with a known direction, and problems with the rest.

    Parameters
    ----------
    items
        The scores; those with one name are one metric.
    built
        Test sets by name.
    slots
        Slots of outputs in use and of references.
    directions
        Whether higher is better, by name.
    reserved
        Keys of other metrics.
    """
    problems: list[Problem] = []
    metrics: dict[str, Metric] = defaultdict(dict)
    outputs = Outputs(built, slots)
    for item in items:
        problems += _read(item, outputs, metrics[item.slot.shown_name])
    given, taken = [], set(reserved)
    for name, metric in metrics.items():
        if name in directions and metric:
            runs = ((test_set, run.system, run.key) for test_set, one in built.items() for run in one.test_set.runs)
            scores = tuple(metric[run_name][0] for run_name in runs if run_name in metric)
            free = free_name(name, lambda one: key_of_scores(one) in taken, partial(numbered, mark="given"))
            taken.add(key_of_scores(free))
            given.append(GivenMetric(key_of_scores(free), free, scores, directions[name], "file"))
            problems += _gaps(name, metric, built)
            problems = [replace(one, metric=free) if one.metric == name else one for one in problems]
        elif metric:
            message = f"The scores '{name}' are ignored until you choose whether higher or lower is better"
            message += " (command line: --scores-higher or --scores-lower)."
            problems.append(Problem(message, severity="warning"))
    return tuple(given), problems


def _read(item: Assigned, outputs: Outputs, metric: Metric) -> list[Problem]:
    """Add the scores of a slot; return problems."""
    built = outputs.built.get(item.slot.test_set)
    if built is None:
        names = named(outputs.built) or "none"
        return [item.problem(f"is for test set '{item.slot.test_set}', which is not loaded. Loaded: {names}.")]
    try:
        columns = scores_of(item.stream, item.slot.file)
    except InputError as error:
        return [Problem.of(error)]
    problems: list[Problem] = []
    absent: list[str] = []
    for column in columns:
        try:
            runs = _runs_of(item, column, built, outputs, len(columns))
            if not runs:
                absent.append(" ".join(filter(None, (column.system or item.slot.system, column.run or item.slot.run))))
            # of identical runs only those without scores, since each may have its own file
            fresh = [run for run in runs if (built.test_set.name, run.system, run.key) not in metric]
            for run in fresh if len(runs) > 1 and fresh else runs:
                problems += _take(item, column, built, run, metric)
        except DataError as error:
            problems.append(item.problem(str(error)))
    return problems + list(_absent(item, absent, len(columns), outputs, built.test_set))


def _runs_of(item: Assigned, column: ScoreColumn, built: Built, outputs: Outputs, n_columns: int) -> list[Run]:
    """Return the runs that a column scores: by the user's choice, by names in the file, else by its texts.

    Identical outputs of several runs have the same scores.

    Raises
    ------
    DataError
        If a name fits several runs, or there is no name and no run has the texts.
    """
    said = item.slot.system if n_columns == 1 else None
    system, run = said or column.system or item.slot.system, column.run or item.slot.run
    if not system and column.texts is not None:
        own = outputs.runs_in(item.slot.file, built.test_set)  # the run loaded from the same file
        if len(own) == 1:
            return own
        return runs_with(at(places_of(column, built, item.slot.file), column.texts), built.test_set.runs)
    if not system:
        raise DataError(NO_SYSTEM)
    names = outputs.runs_named(system, run, built.test_set)
    if len(names) > 1:
        raise DataError(f"names '{system}', which could be {named(' '.join(run) for run in names)}. Add a column run.")
    return [run for run in built.test_set.runs if (run.system, run.key) in names]


def _take(item: Assigned, column: ScoreColumn, built: Built, run: Run, metric: Metric) -> list[Problem]:
    """Add the scores of a run; return problems."""
    run_name = built.test_set.name, run.system, run.key
    places = places_of(column, built, run.system)
    doubt = "" if column.texts is None else doubt_about(run, at(places, column.texts))
    found = aligned(column, places, built.test_set.name, run)
    if run_name in metric:
        message = f"has scores of system '{run.system}', run '{run.key}', but so does '{metric[run_name][1]}'."
        raise DataError(f"{message} Rename the scores, or remove one file.")
    metric[run_name] = found, item.slot.file
    return [item.problem(doubt, severity="warning")] if doubt else []


def _absent(item: Assigned, names: list[str], n_columns: int, outputs: Outputs, test_set: TestSet) -> Iterator[Problem]:
    """Report names in a file of scores that are not loaded systems; some may be references."""
    references = [name for name in names if outputs.is_reference(name, test_set)]
    absent = [name for name in names if name not in references]
    if absent and len(names) == n_columns:
        systems = named(system.key for system in test_set.systems)
        message = f"names {named(absent)}, but '{test_set.name}' has {systems}."
        yield item.problem(f"{message} Use the same names in the table and the file.")
    elif absent:
        message = f"names {named(absent)}, not loaded on '{test_set.name}'. Their scores are ignored."
        yield item.problem(message, severity="note")
    if references:
        message = f"has scores of the reference {named(references)}, which are ignored."
        yield item.problem(message, severity="note")


def _gaps(name: str, metric: Metric, built: Mapping[str, Built]) -> Iterator[Problem]:
    """Report runs or test sets without scores."""
    for test_set in (built_set.test_set for built_set in built.values()):
        run_names = [(test_set.name, run.system, run.key) for run in test_set.runs]
        lacking = [f"{run_name[1]} {run_name[2]}" for run_name in run_names if run_name not in metric]
        if len(lacking) == len(run_names):
            yield Problem(f"'{name}' has no scores on '{test_set.name}'.", severity="note")
        elif lacking:
            message = f"'{name}' has no scores for {named(lacking)} on '{test_set.name}', so it does not compare them."
            yield Problem(message, severity="warning", metric=name)


def key_of_scores(name: str) -> str:
    """Return the key of a metric on the command line."""
    return NOT_IN_KEYS.sub("-", name.lower()).strip("-.") or "scores"
