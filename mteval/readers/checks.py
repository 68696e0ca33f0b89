"""What looks odd in loaded data, and the convention that its text was made for."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mteval.base.words import counted
from mteval.readers.languages import unlisted_codes, unseen_languages
from mteval.readers.slots import Finding, named
from mteval.values.languages import LearnedMetric
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Convention

Tokenization = Literal["tokenized", "detokenized", "unclear"]
Casing = Literal["lowercased", "mixed", "unclear"]
LINES_LOOKED_AT = 1_000
FEWEST = 5
# Only full stop and comma (and their like): French sets a space before ; : ! ? in running text as well.
DETACHED = re.compile(r"\S[ ]+[.,。，、।](?= |$)", re.MULTILINE)
ATTACHED = re.compile(r"[^\W\d_][.,。，、।](?= |$)|[^\W\d_][。，、।]", re.MULTILINE)
MOST_OF_THEM = 0.7
LOWERCASED_BELOW = 0.02
MIXED_FROM = 0.2


@dataclass(frozen=True)
class Appearance:
    """What a text looks like, and why: the shares of detached punctuation and of lines with capitals."""

    tokenization: Tokenization
    casing: Casing
    detached: float
    capitals: float


def appearance(lines: Sequence[str]) -> Appearance:
    """Look at up to a thousand evenly spaced lines. Shares are NaN where there is nothing to tell them from."""
    looked_at = sample(lines)
    text = "\n".join(looked_at)
    detached, attached = len(DETACHED.findall(text)), len(ATTACHED.findall(text))
    share = _share(detached, detached + attached)
    cased = [line for line in looked_at if line.lower() != line.upper()]
    capitals = _share(sum(line != line.lower() for line in cased), len(cased))
    tokenization: Tokenization = "detokenized" if share <= 1 - MOST_OF_THEM else "unclear"
    casing: Casing = "mixed" if capitals >= MIXED_FROM else "unclear"
    return Appearance(
        *(
            "tokenized" if share >= MOST_OF_THEM else tokenization,
            "lowercased" if capitals < LOWERCASED_BELOW else casing,
        ),
        *(share, capitals),
    )


def sample(lines: Sequence[str]) -> list[str]:
    """Evenly spaced lines, all where there are few."""
    step = max(1, len(lines) // LINES_LOOKED_AT)
    return list(lines[::step])


def flat(rows: Iterable[Iterable[str]]) -> list[str]:
    """All strings of all rows."""
    return [text for row in rows for text in row]


def _share(part: int, whole: int) -> float:
    return part / whole if whole >= FEWEST else float("nan")


UNWANTED: Mapping[Convention, Tokenization] = {"sacrebleu": "tokenized", "multeval": "detokenized"}
REMEDIES: Mapping[Convention, tuple[str, Convention]] = {
    "sacrebleu": (
        "the metric will tokenize it once more. Detokenize it, or choose the multeval convention.",
        "multeval",
    ),
    "multeval": (
        "the metric will not split punctuation off. Tokenize it, or choose the sacrebleu convention.",
        "sacrebleu",
    ),
}


@dataclass(frozen=True)
class Suggestion:
    """The convention that fits the text, and why."""

    convention: Convention
    reason: str


def suggest_convention(experiment: Experiment) -> Suggestion:
    """``multeval`` where outputs and references look tokenized already, else ``sacrebleu``."""
    looks = [look for test_set in experiment.test_sets for look in _looks(test_set).values()]
    kinds = {look.tokenization for look in looks} - {"unclear"}
    if kinds == {"tokenized"}:
        return Suggestion("multeval", "Full stops and commas stand apart from words, so the text is tokenized already.")
    if kinds == {"detokenized"}:
        return Suggestion("sacrebleu", "Full stops and commas are attached to words, so the metric has to tokenize.")
    doubt = (
        "Some of the text looks tokenized and some does not" if kinds else "The text has too little punctuation to tell"
    )
    return Suggestion("sacrebleu", f"{doubt}; this is the usual convention.")


def _looks(test_set: TestSet) -> dict[str, Appearance]:
    """Appearance of the references (under the empty name) and of the first run of each system."""
    texts = {"": flat(test_set.references)} if test_set.has_references else {}
    texts |= {system.key: list(test_set.runs_of(system.key)[0].hypotheses) for system in test_set.systems}
    return {name: appearance(lines) for name, lines in texts.items()}


def appearances(test_set: TestSet, convention: Convention) -> Iterator[Finding]:
    """Findings about tokenization that the convention does not expect, and about outputs unlike the references."""
    looks = _looks(test_set)
    unwanted = UNWANTED[convention]
    odd = [name or "the references" for name, look in looks.items() if look.tokenization == unwanted]
    if odd:
        meaning, remedy = REMEDIES[convention]
        detail = f"On '{test_set.name}' the text of {named(odd)} looks {unwanted}; {meaning}"
        yield Finding("warning", f"Text that looks {unwanted}", detail, remedy)
    if not test_set.has_references:
        return
    reference = looks.pop("")
    opposite = {"tokenized", "detokenized"}
    others = [name for name, look in looks.items() if {look.tokenization, reference.tokenization} == opposite]
    if others:
        yield Finding(
            "warning",
            "References tokenized in another way",
            f"On '{test_set.name}' the references look {reference.tokenization}, {named(others)} the opposite;"
            " words next to punctuation will not match. Treat both alike.",
        )
    yield from _casings(test_set, looks, reference)


def _casings(test_set: TestSet, looks: dict[str, Appearance], reference: Appearance) -> Iterator[Finding]:
    others = [name for name, look in looks.items() if {look.casing, reference.casing} == {"lowercased", "mixed"}]
    if others:
        yield Finding(
            "warning",
            "Case differs from the references",
            f"On '{test_set.name}' the references are {CASES[reference.casing]}, the output of {named(others)} is"
            f" {CASES[looks[others[0]].casing]}; words that differ in case alone count as wrong. Lowercase both, or"
            " neither, or choose the option lowercase.",
        )


CASES: Mapping[Casing, str] = {"lowercased": "in lower case", "mixed": "in mixed case"}
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
    systems_of: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for system in test_set.systems:
        systems_of[tuple(sorted(run.digest for run in test_set.runs_of(system.key)))].append(system.key)
    identical = [group for group in systems_of.values() if len(group) > 1]
    for group in identical:
        yield Finding(
            "warning",
            "Identical systems",
            f"{named(group)} have the same output on '{test_set.name}', byte by byte; their difference is 0 and"
            " p is 1. Check that the right files were given.",
        )
    for runs in _equal_runs(test_set):
        systems = list(dict.fromkeys(run.system for run in runs))
        if len(systems) == 1:
            yield Finding(
                "warning",
                "Runs that are copies",
                f"System '{systems[0]}' on '{test_set.name}': runs {named([run.key for run in runs])} are the same."
                " Copies hide how much training luck there is; drop all but one, or give the right files.",
            )
        elif not set(systems) <= {name for group in identical for name in group}:
            yield Finding(
                "warning",
                "Output shared by systems",
                f"On '{test_set.name}' the same output stands as {named([f'{run.system} {run.key}' for run in runs])}."
                " Check that the right files were given.",
            )


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
