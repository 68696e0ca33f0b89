"""Assemble documents and the assignment table into an experiment, and report what is ignored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mteval.base.errors import DataError
from mteval.base.words import agreeing, composed
from mteval.readers.assembly.alignment import Assigned
from mteval.readers.assembly.given_scores import empty_texts, given_metrics, has_no_texts, why_no_test_set
from mteval.readers.assembly.ledger import findings_of_refused, ledger_of
from mteval.readers.assembly.nesting import suspected_nesting
from mteval.readers.assembly.test_sets import Built, build_test_set, with_trainings
from mteval.readers.chance import Chance
from mteval.readers.documents import Assembly, Document, Edits, Problem, Slot, grouped, named
from mteval.readers.names import guess_baseline, is_dev, is_doubtful_reference, role_in, without_suffixes
from mteval.values.findings import Finding
from mteval.values.given import GivenMetric
from mteval.values.ledger import Entry
from mteval.values.model import Experiment, Role, Run, TestSet

DOUBTFUL = "The name suggests a machine-made reference. It is not used until you confirm its role."
JUDGED_ALONE = (
    "Human judgements only. Compare systems with 'mteval people' or on the page People. Add outputs or scores to"
    " compare metrics with them."
)
LISTS_ALONE = "N-best lists only. Read them with 'mteval nbest' or on the page Segments, or add outputs."
NO_OUTPUT = "No system output yet. Add at least one hypothesis file."
BESIDE = ("other", "nbest", "judgements")  # roles that are not part of an experiment
NOUNS: Mapping[str, str] = {"hypothesis": "an output", "reference": "a reference", "source": "the source"}


def assemble(
    documents: Sequence[Document],
    edits: Edits,
    baseline: str | None = None,
    reserved: Collection[str] = (),
    unread: Sequence[Entry] = (),
) -> Assembly:
    """Assemble the experiment that the edits describe, and account for every file.

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
    unread
        Files that did not become a document.
    """
    if baseline is not None:
        baseline = composed(baseline)
    assembly = _assembled(documents, edits, baseline, reserved)
    ledger = ledger_of(documents, edits.slots, assembly.problems, unread)
    experiment = assembly.experiment
    if experiment is not None:
        refused = findings_of_refused(assembly.problems, unread)
        experiment = replace(experiment, ledger=ledger, noticed=(*experiment.noticed, *refused))
    return replace(assembly, experiment=experiment, ledger=ledger)


def _assembled(
    documents: Sequence[Document], edits: Edits, baseline: str | None, reserved: Collection[str]
) -> Assembly:
    """Return the experiment and the problems of its files."""
    problems = list(_warnings_of_files(documents, edits.slots))
    assigned = list(_assigned(documents, edits.slots, problems))
    included = [slot for slot in edits.slots if slot.included]
    nbest = tuple(slot.file for slot in included if slot.role == "nbest")
    scores = [item for item in assigned if item.slot.role == "scores"]
    are_scores_alone = not _test_sets_with_texts(included)

    built = _built_test_sets(_texts(documents, included, assigned), edits.roles, problems)
    if not built:
        has_outputs = any(slot.role == "hypothesis" for slot in included)
        if not has_outputs:  # with outputs, their test sets' problems say why
            problems += _problems_without_outputs(included, scores, are_scores_alone)
        return Assembly(None, tuple(problems), nbest)

    outputs = [item.slot for item in assigned if item.slot.role == "hypothesis"]
    references = [slot for slot in edits.slots if slot.role == "reference"]
    problems += _contradicting_names(assigned)
    if not edits.is_described:
        problems += _runs_named_by_words(outputs)
    given, score_problems = given_metrics(scores, built, outputs + references, edits.directions, reserved)
    problems += score_problems
    problems += _versions_apart(documents, included)
    if are_scores_alone and not given:  # none has a usable direction, which given_metrics reported
        return Assembly(None, tuple(problems), nbest)

    names_with_targets = _test_sets_of_logs(documents, included)
    test_sets = []
    for name, built_test_set in built.items():
        test_set = replace(
            built_test_set.test_set,
            languages=edits.languages.get(name, ""),
            has_targets=name in names_with_targets,
        )
        if edits.nested:
            test_set = with_trainings(test_set, edits.nested, outputs, problems)
        if not edits.keeps_copies:
            test_set = _without_copies(test_set, given)
        test_sets.append(test_set)

    problems += _systems_spelled_apart(test_sets)
    suspected: list[Finding] = []
    if not edits.nested:
        suspected += suspected_nesting(test_sets, outputs)

    systems = list(dict.fromkeys(system.key for test_set in test_sets for system in test_set.systems))
    if baseline is not None and baseline not in systems:
        problems.append(Problem(f"The baseline '{baseline}' has no output. Choose one of {', '.join(systems)}."))
        baseline = None
    try:
        experiment = Experiment(
            test_sets=tuple(test_sets),
            baseline=baseline or guess_baseline(systems) or "",
            given=given,
            noticed=(*_findings(problems, given), *suspected),
            keeps_copies=edits.keeps_copies,
            nested=edits.nested,
        )
    except DataError as error:
        problems.append(Problem(str(error)))
        return Assembly(None, tuple(problems), nbest)
    return Assembly(experiment, tuple(problems), nbest)


def _warnings_of_files(documents: Iterable[Document], slots: Iterable[Slot]) -> Iterator[Problem]:
    """Yield the warnings of files that are in use."""
    used = {slot.file for slot in slots if slot.included and slot.role != "other"}
    for document in documents:
        if document.name in used:
            for warning in document.warnings:
                yield Problem(warning, document.name, severity="warning")


def _versions_apart(documents: Iterable[Document], slots: Iterable[Slot]) -> Iterator[Problem]:
    """Yield a warning per program that scored systems in different versions."""
    document_of = {document.name: document for document in documents}
    versions_of: dict[str, dict[str, set[str]]] = {}  # by program, then by system
    for slot in slots:
        document = document_of.get(slot.file)
        if slot.role != "scores" or document is None or not document.version:
            continue
        stream = document.stream(slot.stream)
        for column in () if stream is None else stream.scores:
            system = column.system or slot.system or ""
            versions_of.setdefault(document.program, {}).setdefault(system, set()).add(document.version)
    for program, of_systems in versions_of.items():
        systems_of = grouped((" and ".join(sorted(versions)), system) for system, versions in of_systems.items())
        if len(systems_of) > 1:
            parts = [f"{named(systems)} by version {versions}" for versions, systems in systems_of.items()]
            message = f"{program} scored {'; '.join(parts)}. Scores of different versions may not be comparable."
            yield Problem(f"{message} Score all systems with one version.", severity="warning", code="not-compared")


def _assigned(documents: Sequence[Document], slots: Iterable[Slot], problems: list[Problem]) -> Iterator[Assigned]:
    """Yield the slots of test sets with their streams."""
    document_of = {document.name: document for document in documents}
    for slot in slots:
        if is_asked_about(slot):
            problems.append(Problem(DOUBTFUL, slot.file, None, "warning"))
        if not slot.included or slot.role in BESIDE:
            continue
        document = document_of.get(slot.file)
        stream = None
        if document is not None:
            stream = document.stream(slot.stream)
        if stream is None:
            problems.append(Problem(_why_missing(slot, document), slot.file))
        elif slot.role == "hypothesis" and not (slot.system and slot.run):
            problems.append(Problem("The output has no system or run. Set both in the table.", slot.file))
        elif not slot.test_set:
            problems.append(Problem("The file has no test set. Set one in the table.", slot.file))
        else:
            yield Assigned(slot, stream)


def is_asked_about(slot: Slot) -> bool:
    """Whether the user still has to confirm the role of a possibly machine-made reference."""
    return slot.role == "reference" and not slot.included and is_doubtful_reference(slot.file)


def _why_missing(slot: Slot, document: Document | None) -> str:
    """Return the message for a file or part that is not loaded."""
    if document is None:
        return "The file is not loaded. Add it again."
    labels = [repr(stream.label) for stream in document.streams if stream.label]
    present = f"Found: {named(labels)}" if labels else "Plain text has no parts"
    return f"No part {slot.stream!r} in the file. {present}. Change the part, or add the file again."


def _test_sets_with_texts(included: Iterable[Slot]) -> set[str]:
    return {slot.test_set for slot in included if slot.role in ("hypothesis", "reference", "nbest")}


def _test_sets_of_logs(documents: Iterable[Document], included: Iterable[Slot]) -> set[str]:
    """Return the test sets whose outputs and references all come from logs of other programs."""
    logs = {document.name for document in documents if document.format == "json"}
    are_of_logs: dict[str, bool] = {}
    for slot in included:
        if slot.role in ("hypothesis", "reference"):
            are_of_logs[slot.test_set] = are_of_logs.get(slot.test_set, True) and slot.file in logs
    return {name for name, is_of_logs in are_of_logs.items() if is_of_logs}


def _texts(documents: Iterable[Document], included: Sequence[Slot], assigned: Sequence[Assigned]) -> list[Assigned]:
    """Return everything but scores that belongs to a test set, with empty texts for test sets of scores alone."""
    # Documents beside judgements alone belong to these and make no test set
    with_judgements = {slot.test_set for slot in included if slot.role == "judgements"}
    with_more = {item.slot.test_set for item in assigned if item.slot.role != "documents"}
    only_judged = with_judgements - with_more
    texts = [item for item in assigned if item.slot.role != "scores" and item.slot.test_set not in only_judged]

    with_texts = _test_sets_with_texts(included)
    logs = {document.name for document in documents if document.format == "json"}
    only_scored = set()
    for item in assigned:
        if item.slot.role != "scores" or item.slot.test_set in with_texts:
            continue
        # A log may have scores only, beside other logs with outputs of other tasks
        if not with_texts or (item.slot.file in logs and has_no_texts(item)):
            only_scored.add(item.slot.test_set)
    texts += empty_texts([item for item in assigned if item.slot.test_set in only_scored])
    return texts


def _built_test_sets(items: Iterable[Assigned], roles: Mapping[str, Role], problems: list[Problem]) -> dict[str, Built]:
    """Build the test sets by name, reported ones first."""
    items_of = grouped((item.slot.test_set, item) for item in items)
    role_of: dict[str, Role] = {}
    for name in items_of:
        if roles.get(name):
            role_of[name] = roles[name]
        elif name == "analysis":
            role_of[name] = "analysis"
        else:
            role_of[name] = "dev" if is_dev(name) else "test"
    built = {}
    for name in sorted(role_of, key=lambda name: role_of[name] == "dev"):
        test_set, problems_of_test_set = build_test_set(name, role_of[name], items_of[name])
        problems += problems_of_test_set
        if test_set is not None:
            built[name] = test_set
    return built


def _problems_without_outputs(
    included: Iterable[Slot], scores: Sequence[Assigned], are_scores_alone: bool
) -> list[Problem]:
    """Return the problems to report if there is neither a test set nor an output."""
    if are_scores_alone and scores:
        return list(map(why_no_test_set, scores))
    if any(slot.role == "judgements" for slot in included):
        return [Problem(JUDGED_ALONE, severity="note")]
    if any(slot.role == "nbest" for slot in included):
        return [Problem(LISTS_ALONE, severity="note")]
    return [Problem(NO_OUTPUT)]


def _contradicting_names(assigned: Iterable[Assigned]) -> Iterator[Problem]:
    """Warn about text files whose names state another role than they have."""
    for item in assigned:
        role = item.slot.role
        role_in_name = role_in(item.slot.file)
        if role not in NOUNS or role_in_name is None or item.slot.stream:
            continue
        if role_in_name != role:
            yield item.problem(f"is {NOUNS[role]}, but its name says {NOUNS[role_in_name]}.", None, "warning", "name")


def _runs_named_by_words(outputs: Iterable[Slot]) -> Iterator[Problem]:
    """Warn about folders that are read as systems whose files have names without numbers, which may be systems too."""
    files_of = grouped((slot.system or "", slot) for slot in outputs if "/" in slot.file and not slot.stream)
    systems = []
    runs: dict[str, None] = {}
    for system, slots in files_of.items():
        names = {slot.run or "" for slot in slots if without_suffixes(slot.file.rpartition("/")[2]) == slot.run}
        words = [name for name in names if not any(map(str.isdigit, name))]
        if len(words) > 1:
            systems.append(system)
            runs.update(dict.fromkeys(sorted(words)))
    if systems:
        message = f"Files {named(runs)} of {agreeing(len(systems), 'folder', 'folders')} {named(systems)} were read as"
        message += " runs of one system per folder. If they are systems, use --system, or the table on the page."
        yield Problem(f"{message} If they are runs, number their names.", severity="warning")


def _systems_spelled_apart(test_sets: Iterable[TestSet]) -> Iterator[Problem]:
    """Warn about systems whose names differ in case or spaces alone, if no test set has more than one of them."""
    test_sets_of: dict[str, set[str]] = defaultdict(set)
    spellings: dict[str, dict[str, None]] = defaultdict(dict)
    for test_set in test_sets:
        for system in test_set.systems:
            test_sets_of[system.key].add(test_set.name)
            spellings[system.key.strip().casefold()][system.key] = None
    for systems in spellings.values():
        names = set[str]().union(*(test_sets_of[system] for system in systems))
        n_outputs = sum(len(test_sets_of[system]) for system in systems)
        if len(systems) > 1 and n_outputs == len(names):
            named_systems = named(f"'{system}'" for system in systems)
            message = f"Systems {named_systems} are on different test sets, so they are not compared."
            yield Problem(
                f"{message} If they are one system, give them one name.", severity="warning", code="not-compared"
            )


def _without_copies(test_set: TestSet, given: Sequence[GivenMetric]) -> TestSet:
    """Return the test set without copies of earlier runs, unless scores tell them apart or chance may explain them.

    If all outputs of a system are equal, they count as one run in any case: they do not show how much runs differ.
    """
    scores_of: dict[tuple[str, str], dict[str, object]] = defaultdict(dict)
    for metric in given:
        for scores in metric.scores:
            if scores.test_set == test_set.name:
                scores_of[scores.system, scores.run][metric.key] = scores.values

    def has_scores_of(run: Run, earlier: Run) -> bool:
        """Whether no metric has other scores of an earlier run."""
        of_earlier = scores_of[earlier.system, earlier.key]
        for key, values in scores_of[run.system, run.key].items():
            if key in of_earlier and of_earlier[key] != values:
                return False
        return True

    chance = Chance(test_set)
    outputs_of: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    for run in test_set.runs:
        outputs_of[run.system].add(tuple(decoding.digest for decoding in run.decodings))
    kept_of: dict[tuple[str, ...], list[Run]] = defaultdict(list)
    kept: list[Run] = []
    copies: list[Run] = []
    for run in test_set.runs:
        earlier_runs = kept_of[run.system, *(decoding.digest for decoding in run.decodings)]
        is_equal = any(run.hypotheses) and any(has_scores_of(run, earlier) for earlier in earlier_runs)
        if is_equal and (len(outputs_of[run.system]) == 1 or not chance.may_repeat(run)):
            copies.append(run)
        else:
            kept.append(run)
            earlier_runs.append(run)
    if not copies:
        return test_set
    return replace(test_set, runs=tuple(kept), copies=tuple(copies))


def _findings(problems: Iterable[Problem], given: Iterable[GivenMetric]) -> Iterator[Finding]:
    """Yield the findings that warnings become."""
    key_of = {metric.name: metric.key for metric in given}
    for problem in problems:
        if problem.severity == "warning":
            metrics = (key_of[problem.metric],) if problem.metric in key_of else ()
            files = (problem.file,) if problem.file else ()
            yield Finding(problem.code, problem.text, metrics=metrics, files=files)
