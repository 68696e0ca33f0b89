"""From documents and the assignment table to an experiment; what does not fit is left out and named."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.base.errors import DataError
from mteval.readers.assembly.alignment import Assigned
from mteval.readers.assembly.given_scores import NO_SYSTEM, given_metrics
from mteval.readers.assembly.scores_alone import empty_texts
from mteval.readers.assembly.test_sets import Built, build_test_set
from mteval.readers.documents import Assembly, Document, Problem, Slot, named
from mteval.readers.names import checkpoint_of, guess_baseline, is_dev, is_doubtful_reference
from mteval.values.given import GivenMetric
from mteval.values.model import Experiment, Role, TestSet

DOUBTFUL = "By its name this may be no reference that people wrote. It is not used until you say what it is."
JUDGED_ALONE = (
    "There are judgements of people and no outputs. The page People says which systems people tell apart and whether"
    " raters agree; add outputs or scores to compare metrics with them."
)
NO_OUTPUT = "There is no output of a system yet; add at least one hypothesis file."
BESIDE = ("other", "nbest", "judgements")  # roles of what is no part of an experiment
NO_ROLES: Mapping[str, Role] = {}
NO_DIRECTIONS: Mapping[str, bool] = {}
NO_LANGUAGES: Mapping[str, str] = {}


def assemble(
    documents: Sequence[Document],
    slots: Sequence[Slot],
    baseline: str | None = None,
    roles: Mapping[str, Role] = NO_ROLES,
    directions: Mapping[str, bool] = NO_DIRECTIONS,
    reserved: Collection[str] = (),
    languages: Mapping[str, str] = NO_LANGUAGES,
) -> Assembly:
    """The experiment that the slots describe, and a problem for everything that is left out of it.

    Scores without any text make one too, once it is known which of them are better. Test sets that are reported come
    before those that systems were tuned on. Never raises for what a user may have dropped or typed.

    Parameters
    ----------
    documents, slots
        What was unpacked, and what each stream of it is; slots that are not included are ignored.
    baseline
        Key of the system that the others are compared with; None guesses it from the names.
    roles
        Of test sets, by name; that of others follows from their name.
    directions
        Of metrics whose scores are given, by name: whether higher is better. Those of others are not used.
    reserved
        Keys of metrics that given ones must not have.
    languages
        Of test sets, by name, where they were declared.
    """
    problems: list[Problem] = []
    assigned = list(_assigned(documents, slots, problems))
    scores = [item for item in assigned if item.slot.role == "scores"]
    nbest = tuple(slot.file for slot in slots if slot.included and slot.role == "nbest")
    are_alone = not any(slot.included and slot.role in ("hypothesis", "reference", "nbest") for slot in slots)
    # documents of judgements that stand alone are read with these, and make no test set
    judged = {slot.test_set for slot in slots if slot.included and slot.role == "judgements"}
    judged -= {item.slot.test_set for item in assigned if item.slot.role != "documents"}
    texts_of = [item for item in assigned if item.slot.role != "scores" and item.slot.test_set not in judged]
    texts_of += empty_texts(assigned) if are_alone else ()
    built = _test_sets(texts_of, roles, problems)
    if not built:
        if not any(slot.included and slot.role == "hypothesis" for slot in slots):
            is_judged = any(slot.included and slot.role == "judgements" for slot in slots)
            nothing_yet = Problem(JUDGED_ALONE, severity="note") if is_judged else Problem(NO_OUTPUT)
            problems += [item.problem(NO_SYSTEM) for item in scores if are_alone] or [nothing_yet]
        return Assembly(None, tuple(problems), nbest)
    texts = [item.slot for item in assigned if item.slot.role == "hypothesis"]
    texts += [slot for slot in slots if slot.role == "reference"]
    problems += _checkpoints(texts)
    given, score_problems = given_metrics(scores, built, texts, directions, reserved)
    if are_alone and not given:
        return Assembly(None, (*problems, *score_problems), nbest)
    test_sets = tuple(replace(one.test_set, languages=languages.get(name, "")) for name, one in built.items())
    experiment, last_problems = _experiment(test_sets, baseline, given)
    return Assembly(experiment, (*problems, *score_problems, *last_problems), nbest)


def is_asked_about(slot: Slot) -> bool:
    """Whether a slot waits for the user to say whether it is a reference."""
    return slot.role == "reference" and not slot.included and is_doubtful_reference(slot.file)


def _test_sets(items: Sequence[Assigned], roles: Mapping[str, Role], problems: list[Problem]) -> dict[str, Built]:
    """The test sets by name, those that are reported first."""
    role_of = {item.slot.test_set: roles.get(item.slot.test_set) or _role(item.slot.test_set) for item in items}
    built = {}
    for name in sorted(role_of, key=lambda name: role_of[name] == "dev"):
        here = [item for item in items if item.slot.test_set == name]
        test_set, set_problems = build_test_set(name, role_of[name], here)
        problems += set_problems
        if test_set is not None:
            built[name] = test_set
    return built


def _assigned(documents: Sequence[Document], slots: Iterable[Slot], problems: list[Problem]) -> Iterable[Assigned]:
    """The slots that hold segments of a test set, with their streams."""
    by_name: Mapping[str, Document] = {document.name: document for document in documents}
    for slot in slots:
        if slot.role == "other":
            problems.append(Problem("Left out: taken for neither output nor reference.", slot.file, None, "note"))
        if is_asked_about(slot):
            problems.append(Problem(DOUBTFUL, slot.file, None, "warning"))
        if not slot.included or slot.role in BESIDE:
            continue
        stream = by_name[slot.file].stream(slot.stream) if slot.file in by_name else None
        if stream is None:
            problems.append(Problem(_missing(slot, by_name.get(slot.file)), slot.file))
        elif slot.role == "hypothesis" and not (slot.system and slot.run):
            problems.append(Problem("The output has no system or run; name both in the table.", slot.file))
        elif not slot.test_set:
            problems.append(Problem("The file has no test set; name one in the table.", slot.file))
        else:
            yield Assigned(slot, stream)


def _missing(slot: Slot, document: Document | None) -> str:
    """That a file is not there, or which parts it has instead of the one that is wanted."""
    if document is None:
        return "Nothing is loaded under this name: the file is missing; add it again."
    labels = [stream.label for stream in document.streams if stream.label]
    there = f"it has {named(map(repr, labels))}" if labels else "it is plain text without parts"
    return f"It has no part {slot.stream!r}: {there}. Name one of these, or add the file again."


def _checkpoints(outputs: Iterable[Slot]) -> Iterator[Problem]:
    """What is to be said where runs are checkpoints, which are no trainings of their own."""
    runs: dict[str, set[str | None]] = defaultdict(set)
    for slot in outputs:
        if slot.role == "hypothesis":
            runs[str(slot.system)].add(slot.run if slot.run == checkpoint_of(slot.file) else None)
    systems = [system for system, checkpoints in runs.items() if len(checkpoints) > 1 and None not in checkpoints]
    if systems:
        yield Problem(
            f"By the names of the files the runs of {named(systems)} are checkpoints. Those of one training are alike"
            " and do not show how trainings differ: give one checkpoint of each of several trainings.",
            severity="warning",
        )


def _role(test_set: str) -> Role:
    if test_set == "analysis":
        return "analysis"
    return "dev" if is_dev(test_set) else "test"


def _experiment(
    test_sets: tuple[TestSet, ...], baseline: str | None, given: tuple[GivenMetric, ...]
) -> tuple[Experiment | None, list[Problem]]:
    systems = list(dict.fromkeys(system.key for test_set in test_sets for system in test_set.systems))
    problems = []
    if baseline is not None and baseline not in systems:
        problems.append(Problem(f"The baseline '{baseline}' has no output; choose one of {', '.join(systems)}."))
        baseline = None
    chosen = baseline or guess_baseline(systems)
    try:
        return Experiment(test_sets, chosen or "", given), problems
    except DataError as error:
        return None, [*problems, Problem(str(error))]
