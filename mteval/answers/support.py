"""What loaded files support, before anything is scored: their extent, the questions they answer, and what they lack."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mteval.base.words import agreeing, counted, counted_range
from mteval.readers.checks import output_columns, uncounted_copies
from mteval.readers.documents import named
from mteval.readers.workspace import Workspace
from mteval.values.model import Experiment, TestSet

FEWEST_RUNS = 2  # of every system, for an answer about training luck
ENOUGH_RUNS = 3  # with fewer, that answer is provisional
FEWEST_TO_AGREE = 2  # systems that people judged and a metric scores
AGREEMENT = "Agreement with human judgements (mteval people)."
BY_PEOPLE = "Comparison of systems by human judgements (mteval people)."


@dataclass(frozen=True)
class Support:
    """What loaded files support.

    Parameters
    ----------
    has
        One line per test set: systems, runs, segments and texts.
    answers
        Questions that can be answered.
    lacks
        What else would need which files.
    """

    has: tuple[str, ...]
    answers: tuple[str, ...]
    lacks: tuple[str, ...]


def support_of(workspace: Workspace) -> Support:
    """Return what the files of a workspace support."""
    experiment = workspace.experiment()
    problems = list(_stops(workspace))
    problems += [problem.message for problem in workspace.assembly.problems if problem.file is None]
    answers: list[str] = []
    has: list[str] = []
    if experiment is not None:
        has += [_extent(test_set, experiment) for test_set in experiment.test_sets]
        answers += _answers(experiment)
        problems += _lacks(experiment)
    for file, n_columns in workspace.references_in_columns.items():
        problems.append(
            f"Each line of {file} has {counted(n_columns, 'column')} separated by tabs, which count as one text."
            f" For {counted(n_columns, 'reference')}, use --refs {file} --num-refs {n_columns}."
        )
    if experiment is not None:
        for test_set in experiment.test_sets:
            findings = (*uncounted_copies(test_set), *output_columns(test_set))
            problems += [finding.detail for finding in findings]
    judged = _judged_systems(workspace)
    if judged:
        loaded: list[str] = []
        if experiment is not None:
            loaded += [system.key for system in experiment.systems]
        can_agree = len({*judged} & {*loaded}) >= FEWEST_TO_AGREE
        answers.append(AGREEMENT if can_agree else BY_PEOPLE)
        if loaded and not can_agree:
            problems.append(
                "Agreement of metrics with people needs two systems that both have. Give systems the same names in all"
                f" files. Judged: {named(judged)}. With outputs or scores: {named(loaded)}."
            )
    if workspace.has_nbest_lists:
        answers.append("Scores and ranks of n-best lists (mteval nbest).")
    return Support(tuple(has), tuple(answers), tuple(dict.fromkeys(problems)))


def _stops(workspace: Workspace) -> Iterator[str]:
    """Yield which read files stop commands; a file that cannot be read is left out instead, if its folder was named."""
    errors = [problem for problem in workspace.assembly.problems if problem.severity == "error"]
    files = list(dict.fromkeys(problem.file for problem in errors if problem.file))
    if files:
        are = agreeing(len(files), "is", "are")
        yield f"Commands stop until {named(files)} {are} corrected or removed."


def _judged_systems(workspace: Workspace) -> list[str]:
    """Return the systems that people judged, in the order of the files."""
    systems: dict[str, None] = {}
    for of_test_set in workspace.judgements.values():
        for judgements in of_test_set.values():
            systems.update(dict.fromkeys(judgement.system for judgement in judgements))
    return list(systems)


def _extent(test_set: TestSet, experiment: Experiment) -> str:
    """Return the line of one test set."""
    n_runs = [len(system.runs) for system in test_set.systems]
    systems = counted(len(n_runs), "system")
    if len(set(n_runs)) == 1:
        outputs = f"{systems} × {counted(n_runs[0], 'run')}"
    else:
        outputs = f"{systems} with {counted_range(n_runs, 'run')}"
    segments = counted(test_set.n_segments, "segment")
    if test_set.documents is not None:
        segments += f" in {counted(len(set(test_set.documents)), 'document')}"
    parts = [outputs, segments]
    if test_set.has_texts:
        if test_set.has_references:
            n_references = {len(references) for references in test_set.references}
            parts.append(counted_range(n_references, "reference"))
        else:
            parts.append("no reference")
        if test_set.source is not None:
            parts.append("source")
        else:
            parts.append("no source")
    else:
        parts.append("scores without texts")
    scores = [metric.name for metric in experiment.given if _has_scores(metric.scores, test_set)]
    if scores:
        parts.append(f"scores {named(scores)}")
    return f"{test_set.name}: {', '.join(parts)}"


def _has_scores(scores: tuple[object, ...], test_set: TestSet) -> bool:
    """Whether any run on a test set has such scores."""
    return any(getattr(of_run, "test_set", "") == test_set.name for of_run in scores)


def _answers(experiment: Experiment) -> Iterator[str]:
    """Yield the questions that the outputs answer, with the names of the test sets where these differ."""
    names_of: dict[str, list[str]] = {}
    for test_set in experiment.test_sets:
        names_of.setdefault(_answered(test_set), []).append(test_set.name)
    for answered, names in names_of.items():
        if len(names_of) == 1:
            yield f"{answered}."
        else:
            yield f"{named(names)}: {answered[0].lower()}{answered[1:]}."


def _answered(test_set: TestSet) -> str:
    """Return the question that the outputs of one test set answer."""
    if len(test_set.systems) < 2:
        return "Scores of one system"
    fewest = min(len(system.runs) for system in test_set.systems)
    if fewest >= ENOUGH_RUNS:
        return "Test-set and training luck"
    if fewest >= FEWEST_RUNS:
        return "Test-set luck; training luck only provisionally"
    return "Test-set luck"


def _lacks(experiment: Experiment) -> Iterator[str]:
    """Yield what other questions and metrics would need."""
    if len(experiment.systems) < 2:
        yield "A comparison needs a second system."
    of_test_sets = [system for test_set in experiment.test_sets for system in test_set.systems]
    few = list(dict.fromkeys(system.key for system in of_test_sets if len(system.runs) < ENOUGH_RUNS))
    if few:
        yield f"A final answer on training luck needs three runs per system. Fewer runs: {named(few)}."
    with_texts = [test_set for test_set in experiment.test_sets if test_set.has_texts]
    if any(test_set.source is None for test_set in with_texts):
        yield "COMET needs a source."
    if any(not test_set.has_references for test_set in with_texts):
        yield "BLEU, chrF and TER need references."
    if any(test_set.documents is None for test_set in experiment.test_sets):
        yield "Tests over documents need a document ID per segment."
