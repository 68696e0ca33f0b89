"""Assemble documents and the assignment table into an experiment, and report what is ignored."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.base.errors import DataError
from mteval.readers.assembly.alignment import Assigned
from mteval.readers.assembly.given_scores import NO_SYSTEM, empty_texts, given_metrics, has_no_texts
from mteval.readers.assembly.test_sets import Built, build_test_set, with_trainings
from mteval.readers.documents import Assembly, Document, Edits, Problem, Slot, grouped, named
from mteval.readers.names import checkpoint_of, guess_baseline, is_dev, is_doubtful_reference, role_in
from mteval.values.findings import Finding
from mteval.values.given import GivenMetric
from mteval.values.model import Experiment, Role, Run, TestSet

DOUBTFUL = "The name suggests a machine-made reference. It is not used until you confirm its role."
JUDGED_ALONE = "Human judgements only. See the page People, or add outputs or scores to compare metrics with them."
UNKNOWN = "not recognised as output or reference"
NO_OUTPUT = "No system output yet. Add at least one hypothesis file."
BESIDE = ("other", "nbest", "judgements")  # roles that are not part of an experiment


def assemble(
    documents: Sequence[Document], edits: Edits, baseline: str | None = None, reserved: Collection[str] = ()
) -> Assembly:
    """Assemble the experiment that the edits describe, with a problem for everything that is ignored.

    Scores without texts make one too, once their direction is known. Reported test sets come before tuning sets. Never
    raises for anything a user may load or type.

    Parameters
    ----------
    documents, edits
        Unpacked documents, and the role of each stream. Slots that are not included are ignored, and metrics without a
        direction are not used.
    baseline
        Key of the system to compare with; None guesses it from the names.
    reserved
        Metric keys that given scores must not use.
    """
    problems: list[Problem] = []
    assigned = list(_assigned(documents, edits.slots, problems))
    included = [slot for slot in edits.slots if slot.included]
    scores = [item for item in assigned if item.slot.role == "scores"]
    nbest = tuple(slot.file for slot in included if slot.role == "nbest")
    with_texts = {slot.test_set for slot in included if slot.role in ("hypothesis", "reference", "nbest")}
    are_alone = not with_texts
    # documents beside judgements alone belong to these and make no test set
    judgements = {slot.test_set for slot in included if slot.role == "judgements"}
    judged = judgements - {item.slot.test_set for item in assigned if item.slot.role != "documents"}
    texts_of = [item for item in assigned if item.slot.role != "scores" and item.slot.test_set not in judged]
    # a log may have scores only, beside other logs with outputs of other tasks
    logs = {document.name for document in documents if document.format == "json"}
    alone = {item.slot.test_set for item in scores if are_alone or (item.slot.file in logs and has_no_texts(item))}
    texts_of += empty_texts([item for item in assigned if item.slot.test_set in alone - with_texts])
    if not (built := _test_sets(texts_of, edits.roles, problems)):
        if not any(slot.role == "hypothesis" for slot in included):
            nothing_yet = Problem(JUDGED_ALONE, severity="note") if judgements else Problem(NO_OUTPUT)
            problems += [item.problem(NO_SYSTEM) for item in scores if are_alone] or [nothing_yet]
        return Assembly(None, tuple(problems), nbest)
    texts = [item.slot for item in assigned if item.slot.role == "hypothesis"]
    texts += [slot for slot in edits.slots if slot.role == "reference"]
    problems += (*(() if edits.nested else _checkpoints(texts)), *_contradicting_names(assigned))
    given, score_problems = given_metrics(scores, built, texts, edits.directions, reserved)
    problems += score_problems
    if are_alone and not given:
        return Assembly(None, tuple(problems), nbest)
    test_sets = tuple(replace(one.test_set, languages=edits.languages.get(name, "")) for name, one in built.items())
    if edits.nested:
        test_sets = tuple(with_trainings(test_set, edits.nested, texts, problems) for test_set in test_sets)
    if not edits.keeps_copies:
        test_sets = tuple(_counted_once(test_set, given) for test_set in test_sets)
    systems = list(dict.fromkeys(system.key for test_set in test_sets for system in test_set.systems))
    if baseline is not None and baseline not in systems:
        problems.append(Problem(f"The baseline '{baseline}' has no output. Choose one of {', '.join(systems)}."))
        baseline = None
    keys = {metric.name: (metric.key,) for metric in given}
    warned = [(one, (one.file,) if one.file else ()) for one in problems if one.severity == "warning"]
    noticed = (Finding(one.code, one.text, metrics=keys.get(one.metric, ()), files=files) for one, files in warned)
    try:
        chosen = baseline or guess_baseline(systems) or ""
        experiment = Experiment(test_sets, chosen, given, tuple(noticed), edits.keeps_copies, edits.nested)
    except DataError as error:
        return Assembly(None, (*problems, Problem(str(error))), nbest)
    return Assembly(experiment, tuple(problems), nbest)


def _counted_once(test_set: TestSet, given: Sequence[GivenMetric]) -> TestSet:
    """Return the test set without copies of earlier runs, unless given scores tell them apart."""
    scores: dict[tuple[str, str], dict[str, object]] = defaultdict(dict)
    for metric in given:
        for one in metric.scores:
            if one.test_set == test_set.name:
                scores[one.system, one.run][metric.key] = one.values
    kept: dict[tuple[str, ...], list[Run]] = defaultdict(list)
    copies: list[Run] = []
    for run in test_set.runs:
        own = scores[run.system, run.key]
        same = kept[run.system, *(decoding.digest for decoding in run.decodings)]
        earlier = (scores[one.system, one.key] for one in same)
        if any(run.hypotheses) and any(all(known.get(key, own[key]) == own[key] for key in own) for known in earlier):
            copies.append(run)
        else:
            same.append(run)
    names = {(run.system, run.key) for run in copies}
    runs = tuple(run for run in test_set.runs if (run.system, run.key) not in names)
    return replace(test_set, runs=runs, copies=tuple(copies)) if copies else test_set


def is_asked_about(slot: Slot) -> bool:
    """Whether the user still has to confirm the role of a possibly machine-made reference."""
    return slot.role == "reference" and not slot.included and is_doubtful_reference(slot.file)


def _test_sets(items: Sequence[Assigned], roles: Mapping[str, Role], problems: list[Problem]) -> dict[str, Built]:
    """Build the test sets by name, reported ones first."""
    role_of: dict[str, Role] = {}
    of_name = grouped((item.slot.test_set, item) for item in items)
    for name in of_name:
        usual: Role = "dev" if is_dev(name) else "test"
        role_of[name] = roles.get(name) or ("analysis" if name == "analysis" else usual)
    built = {}
    for name in sorted(role_of, key=lambda name: role_of[name] == "dev"):
        test_set, set_problems = build_test_set(name, role_of[name], of_name[name])
        problems += set_problems
        if test_set is not None:
            built[name] = test_set
    return built


def _assigned(documents: Sequence[Document], slots: Iterable[Slot], problems: list[Problem]) -> Iterable[Assigned]:
    """Yield the slots of test sets with their streams."""
    by_name: Mapping[str, Document] = {document.name: document for document in documents}
    for slot in slots:
        if slot.role == "other":
            problems.append(Problem(f"Ignored: {UNKNOWN}.", slot.file, None, "note"))
        if is_asked_about(slot):
            problems.append(Problem(DOUBTFUL, slot.file, None, "warning"))
        if not slot.included or slot.role in BESIDE:
            continue
        stream = by_name[slot.file].stream(slot.stream) if slot.file in by_name else None
        if stream is None:
            problems.append(Problem(_missing(slot, by_name.get(slot.file)), slot.file))
        elif slot.role == "hypothesis" and not (slot.system and slot.run):
            problems.append(Problem("The output has no system or run. Set both in the table.", slot.file))
        elif not slot.test_set:
            problems.append(Problem("The file has no test set. Set one in the table.", slot.file))
        else:
            yield Assigned(slot, stream)


def _missing(slot: Slot, document: Document | None) -> str:
    """Return the message for a file or part that is not loaded."""
    if document is None:
        return "The file is not loaded. Add it again."
    labels = [stream.label for stream in document.streams if stream.label]
    there = f"Found: {named(map(repr, labels))}" if labels else "Plain text has no parts"
    return f"No part {slot.stream!r} in the file. {there}. Change the part, or add the file again."


def _checkpoints(outputs: Iterable[Slot]) -> Iterator[Problem]:
    """Warn if runs are checkpoints of one training."""
    runs = grouped((str(slot.system), slot) for slot in outputs if slot.role == "hypothesis")
    found = {system: {(one.run, checkpoint_of(one.file)) for one in slots} for system, slots in runs.items()}
    if systems := [system for system, names in found.items() if len(names) > 1 and all(a and a == b for a, b in names)]:
        message = f"The runs of {named(systems)} are checkpoints, by their file names. Checkpoints of one training do"
        message += " not show training luck. Declare their trainings to average within each, or use one per training."
        yield Problem(message, severity="warning", code="near-copies")


_NAMED_AS: Mapping[str, str] = {"hypothesis": "an output", "reference": "a reference", "source": "the source"}


def _contradicting_names(assigned: Iterable[Assigned]) -> Iterator[Problem]:
    """Warn about text files whose names state another role than they have."""
    for item in assigned:
        role, said = item.slot.role, role_in(item.slot.file)
        if role in _NAMED_AS and said is not None and said != role and not item.slot.stream:
            yield item.problem(f"is {_NAMED_AS[role]}, but its name says {_NAMED_AS[said]}.", None, "warning", "name")
