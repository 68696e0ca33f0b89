"""The check of the data, shown before any statistics: what would spoil the numbers, or make them mean less."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from mteval.counts import counted
from mteval.languages import LearnedMetric
from mteval.model import Experiment, Run, TestSet
from mteval.readers.checks.convention import appearances
from mteval.readers.checks.languages import unlisted_codes, unseen_languages
from mteval.readers.problems import Finding, named
from mteval.settings import Convention

MANY_COPIES = 0.05  # of the segments; fewer are names, numbers and addresses
SHORTEST_COPY = 3  # words; shorter lines are often the same in both languages


def check(experiment: Experiment, convention: Convention, learned: Sequence[LearnedMetric] = ()) -> tuple[Finding, ...]:
    """What deserves a look before any statistics, warnings first; of scores alone texts are not looked at.

    Parameters
    ----------
    convention
        How the metrics will treat the text; whether the text looks tokenized is judged against it.
    learned
        Metrics that are to be computed by models of which it is known what languages they saw.
    """
    findings: list[Finding] = []
    for test_set in experiment.test_sets if experiment.has_texts else ():
        findings += _copies(test_set)
        findings += _empty(test_set)
        findings += _source_copies(test_set)
        findings += appearances(test_set, convention)
    for test_set in experiment.test_sets:
        findings += unseen_languages(test_set, experiment.given, learned)
        findings += unlisted_codes(test_set)
    findings += _single_runs(experiment)
    findings += _samples(experiment)
    return tuple(sorted(findings, key=lambda finding: finding.severity != "warning"))


def _copies(test_set: TestSet) -> Iterator[Finding]:
    """Runs that are equal byte by byte: within a system, of two systems, and whole systems."""
    sets = {system.key: sorted(run.digest for run in test_set.runs_of(system.key)) for system in test_set.systems}
    for group in _equal(sets):
        yield Finding(
            "warning",
            "Identical systems",
            f"{named(group)} have the same output on '{test_set.name}', byte by byte; their difference is 0 and"
            " p is 1. Check that the right files were given.",
        )
    same_system = {name for group in _equal(sets) for name in group}
    for runs in _equal_runs(test_set):
        systems = list(dict.fromkeys(run.system for run in runs))
        if len(systems) == 1:
            yield Finding(
                "warning",
                "Runs that are copies",
                f"System '{systems[0]}' on '{test_set.name}': runs {named([run.key for run in runs])} are the same."
                " Copies hide how much training luck there is; drop all but one, or give the right files.",
            )
        elif not set(systems) <= same_system:
            yield Finding(
                "warning",
                "Output shared by systems",
                f"On '{test_set.name}' the same output stands as {named([f'{run.system} {run.key}' for run in runs])}."
                " Check that the right files were given.",
            )


def _equal(items: dict[str, list[str]]) -> list[list[str]]:
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, value in items.items():
        groups[tuple(value)].append(name)
    return [group for group in groups.values() if len(group) > 1]


def _equal_runs(test_set: TestSet) -> list[list[Run]]:
    """Groups of equal runs: first those inside each system, then one of each system across systems."""
    inside: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in test_set.runs:
        inside[run.system, run.digest].append(run)
    across: dict[str, list[Run]] = defaultdict(list)
    for group in inside.values():
        across[group[0].digest].append(group[0])
    return [group for group in (*inside.values(), *across.values()) if len(group) > 1]


def _empty(test_set: TestSet) -> Iterator[Finding]:
    yield from _per_system(
        test_set,
        "Empty hypotheses",
        "empty hypotheses",
        "They count as translations with no word.",
        lambda run: [index for index, text in enumerate(run.hypotheses) if _is_empty(text)],
    )
    empty = [index for index, texts in enumerate(test_set.references) if any(map(_is_empty, texts))]
    if empty:
        yield Finding(
            "warning",
            "Empty references",
            f"Test set '{test_set.name}' has an empty reference in {len(empty)} of"
            f" {counted(test_set.n_segments, 'segment')}, the first is {empty[0] + 1}. Whatever a system says there"
            " counts as wrong; mend the reference.",
        )


def _is_empty(text: str) -> bool:
    return not text or text.isspace()


def _source_copies(test_set: TestSet) -> Iterator[Finding]:
    if test_set.source is None:
        return
    long_enough = {index: line for index, line in enumerate(test_set.source) if len(line.split()) >= SHORTEST_COPY}
    yield from _per_system(
        test_set,
        "Lines that copy the source",
        "segments that repeat the source",
        "Where they are many, check that this is a translation and not the source.",
        lambda run: [index for index, line in long_enough.items() if run.hypotheses[index] == line],
        MANY_COPIES,
    )


def _per_system(
    test_set: TestSet, title: str, what: str, meaning: str, find: Callable[[Run], list[int]], many: float = 0.0
) -> Iterator[Finding]:
    """One finding for each system in whose runs something is found; only a note up to a share ``many`` of segments."""
    for system in test_set.systems:
        affected = [(run, segments) for run in test_set.runs_of(system.key) if (segments := find(run))]
        if not affected:
            continue
        run, segments = max(affected, key=lambda item: len(item[1]))
        runs = (
            ""
            if len(system.runs) == 1
            else f" in {len(affected)} of {counted(len(system.runs), 'run')}; most in run '{run.key}'"
        )
        where = f"{len(segments):,} of {test_set.n_segments:,}, the first is {segments[0] + 1:,}"
        yield Finding(
            "warning" if len(segments) > many * test_set.n_segments else "note",
            title,
            f"System '{system.key}' on '{test_set.name}' has {what}{runs}: {where}. {meaning}",
        )


def _single_runs(experiment: Experiment) -> Iterator[Finding]:
    single = [system.key for system in experiment.systems if len(system.runs) == 1]
    if single:
        is_baseline = single == [experiment.baseline] and len(experiment.systems) > 1
        unless = ", unless it is declared as fixed in the settings," if is_baseline else ""
        yield Finding(
            "warning",
            "A single run",
            f"{named(single)} {'has' if len(single) == 1 else 'have'} one run. How much training luck moves the score"
            f" cannot be seen from it, so{unless} the tests speak about test-set luck alone. Three runs a system answer"
            " both.",
        )


def _samples(experiment: Experiment) -> Iterator[Finding]:
    sampled = {run.system: None for test_set in experiment.test_sets for run in test_set.runs if run.samples}
    if sampled:
        yield Finding(
            "note",
            "Samples of one trained model",
            f"Runs of {named(list(sampled))} hold several decoding samples, which are averaged within their run. Their"
            " spread is sampling luck and says nothing of training luck. Texts that are shown are those of the first"
            " sample.",
        )
