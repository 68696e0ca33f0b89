"""Whether texts look tokenized or lowercased, whether they differ in it, and the convention that fits them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from mteval.base.store import kept_beside
from mteval.readers.documents import named
from mteval.values.findings import Finding
from mteval.values.model import Experiment, TestSet
from mteval.values.run_words import RunWord
from mteval.values.settings import Convention

Tokenization = Literal["tokenized", "detokenized", "unclear"]
Casing = Literal["lowercased", "mixed", "unclear"]

# Only full stops and commas: French sets a space before ; : ! ? in ordinary text.
MARKS = ".,。，、।"
DETACHED = re.compile(r"\S[ ]+[.,。，、।](?= |$)", re.MULTILINE)
# A mark after a letter, at the end of a word; marks of scripts without spaces anywhere. Looking back from each mark
# takes a tenth of the time of looking ahead from each letter.
ATTACHED = re.compile(r"[.,。，、।](?<=[^\W\d_].)(?:(?= |$)|(?<=[。，、।]))", re.MULTILINE)

MOST_OF_THEM = 0.7  # share of detached marks from which text counts as tokenized; detokenized if as many are attached
FEW_DETACHED = 0.05  # shares up to this, or from its complement on, need no larger sample
MANY_CAPITALS = 0.5  # a share from here on needs no larger sample
MIXED_CAPITALS = 0.2  # share of lines with capitals from which text counts as mixed
NO_CAPITALS = 0.02  # text with fewer is lowercased
FEWEST_MARKS = 20  # in the smaller sample
FEWEST_MARKS_OF_MANY = 5  # in the larger sample
FEWEST_CASED = 5  # lines


@dataclass(frozen=True)
class Appearance:
    """Apparent tokenization and casing of a text."""

    tokenization: Tokenization
    casing: Casing


def appearance(lines: Sequence[str]) -> Appearance:
    """Inspect a hundred evenly spaced lines, and a thousand where those leave any doubt.

    The answer is ``unclear`` if even these have too little to tell.
    """
    few = _evenly_spaced(lines, 100)
    many = _evenly_spaced(lines, 1_000)

    # NaN, for too little text, fails every comparison: as a doubt below, and as "unclear" in the end.
    detached = _detached_share(few, FEWEST_MARKS)
    is_plain = detached <= FEW_DETACHED or detached >= 1 - FEW_DETACHED
    if not is_plain:
        detached = _detached_share(many, FEWEST_MARKS_OF_MANY)
    capitals = _share_with_capitals(few)
    if not capitals >= MANY_CAPITALS:
        capitals = _share_with_capitals(many)

    tokenization: Tokenization = "unclear"
    if detached >= MOST_OF_THEM:
        tokenization = "tokenized"
    elif detached <= 1 - MOST_OF_THEM:
        tokenization = "detokenized"
    casing: Casing = "unclear"
    if capitals < NO_CAPITALS:
        casing = "lowercased"
    elif capitals >= MIXED_CAPITALS:
        casing = "mixed"
    return Appearance(tokenization, casing)


def _evenly_spaced(lines: Sequence[str], number: int) -> Sequence[str]:
    """Return every n-th line, so that there are at least ``number`` if the text has as many."""
    return lines[:: max(1, len(lines) // number)]


def _detached_share(lines: Sequence[str], fewest: int) -> float:
    """Return the share of full stops and commas that are separate words; NaN if there are too few."""
    text = "\n".join(lines)
    n_detached = 0
    if any(f" {mark}" in text for mark in MARKS):  # most texts need no pattern, which takes longer
        n_detached = len(DETACHED.findall(text))
    n_attached = len(ATTACHED.findall(text))
    n_marks = n_detached + n_attached
    if n_marks < fewest:
        return float("nan")
    return n_detached / n_marks


def _share_with_capitals(lines: Sequence[str]) -> float:
    """Return the share of lines with capitals among those with letters that have case; NaN if there are too few."""
    n_cased = 0
    n_with_capitals = 0
    for line in lines:
        lower = line.lower()
        if lower == line.upper():
            continue  # digits, or a script without case
        n_cased += 1
        n_with_capitals += line != lower
    if n_cased < FEWEST_CASED:
        return float("nan")
    return n_with_capitals / n_cased


# Per convention: the unexpected form of text, what to do, and the convention that expects it.
UNWANTED: Mapping[Convention, tuple[Tokenization, str, Convention]] = {
    "sacrebleu": ("tokenized", "the metric will tokenize it again. Detokenize it", "multeval"),
    "multeval": ("detokenized", "the metric will not split off punctuation. Tokenize it", "sacrebleu"),
}


@dataclass(frozen=True)
class Suggestion:
    """The convention that fits the text, and why.

    Parameters
    ----------
    text
        ``tokenized text``, ``raw text``, or empty if that cannot be seen.
    """

    convention: Convention
    reason: str
    text: str = ""


def suggest_convention(experiment: Experiment) -> Suggestion:
    """Suggest ``multeval`` if outputs and references look tokenized, else ``sacrebleu``."""
    seen = set[Tokenization]()
    for test_set in experiment.test_sets:
        for texts in _appearances_of(test_set).values():
            seen.update(text.tokenization for text in texts)
    seen.discard("unclear")
    if seen == {"tokenized"}:
        reason = "The text is tokenized: full stops and commas are separate words."
        return Suggestion("multeval", reason, "tokenized text")
    if seen == {"detokenized"}:
        reason = "The text is not tokenized: full stops and commas follow words directly."
        return Suggestion("sacrebleu", reason, "raw text")
    doubt = "Only part of the text looks tokenized" if seen else "Too little punctuation to tell"
    return Suggestion("sacrebleu", f"{doubt}. This is the usual convention.")


REFERENCES = ""  # in place of a system's key


@kept_beside  # the convention and the findings rest on it
def _appearances_of(test_set: TestSet) -> Mapping[str, Sequence[Appearance]]:
    """Return the appearance of the references (all together, under ``REFERENCES``) and of each system's runs."""
    looks: dict[str, list[Appearance]] = {}
    if test_set.has_references:
        looks[REFERENCES] = [appearance([*chain.from_iterable(test_set.references)])]
    for system in test_set.systems:
        looks[system.key] = [appearance(run.hypotheses) for run in test_set.runs_of(system.key)]
    return looks


def appearance_findings(test_set: TestSet, convention: Convention, runs: RunWord) -> Iterator[Finding]:
    """Yield findings about unexpected tokenization, about runs that differ, and outputs unlike the references."""
    looks_of = _appearances_of(test_set)
    yield from _unwanted_tokenization(test_set.name, looks_of, convention)
    tokenizations_of = {}
    casings_of = {}
    for name, looks in looks_of.items():
        if name != REFERENCES:
            tokenizations_of[name] = [look.tokenization for look in looks]
            casings_of[name] = [look.casing for look in looks]
    yield from _mixed(test_set, "mixed-tokenization", tokenizations_of, ("tokenized", "detokenized"), runs)
    yield from _mixed(test_set, "mixed-case", casings_of, ("lowercased", "mixed"), runs)
    if not test_set.has_references:
        return

    (reference,) = looks_of[REFERENCES]
    otherwise_tokenized = _unlike(reference.tokenization, tokenizations_of, {"tokenized", "detokenized"})
    if otherwise_tokenized:
        detail = f"The references on '{test_set.name}' look {reference.tokenization},"
        detail += f" but not {named(otherwise_tokenized)}."
        detail += " Words next to punctuation will not match. Treat both alike."
        yield Finding("tokenization", detail, test_set=test_set.name, systems=otherwise_tokenized)
    otherwise_cased = _unlike(reference.casing, casings_of, {"lowercased", "mixed"})
    if otherwise_cased:
        lowercased = "the references" if reference.casing == "lowercased" else named(otherwise_cased)
        detail = f"Only {lowercased} on '{test_set.name}' look lowercased."
        detail += " Words that differ only in case count as wrong."
        detail += " Lowercase both outputs and references or neither, or use the option lowercase."
        yield Finding("case", detail, test_set=test_set.name, systems=otherwise_cased)


def _unwanted_tokenization(
    test_set: str, looks_of: Mapping[str, Sequence[Appearance]], convention: Convention
) -> Iterator[Finding]:
    """Yield a finding if any text has the form that the convention does not expect."""
    unwanted, meaning, remedy = UNWANTED[convention]
    affected = [name for name, texts in looks_of.items() if any(text.tokenization == unwanted for text in texts)]
    if not affected:
        return
    names = named(name or "the references" for name in affected)
    detail = f"The text of {names} on '{test_set}' looks {unwanted}; {meaning},"
    detail += f" or choose the {remedy} convention."
    # References concern every system
    systems = () if REFERENCES in affected else tuple(affected)
    yield Finding(f"text-{unwanted}", detail, test_set=test_set, systems=systems, remedy=remedy)


def _mixed(
    test_set: TestSet, code: str, forms_of: Mapping[str, Sequence[str]], opposites: tuple[str, str], runs: RunWord
) -> Iterator[Finding]:
    """Yield a finding about systems whose runs differ, or, without references, about systems that differ.

    ``forms_of`` has the form of each run by system. If there are references, those tell which systems differ.
    """
    first, second = opposites
    mixed = [name for name, forms in forms_of.items() if first in forms and second in forms]
    if mixed:
        detail = f"Some {runs.nouns} of {named(mixed)} on '{test_set.name}' look {first}, others not."
        yield Finding(code, f"{detail} Treat all alike.", test_set=test_set.name, systems=tuple(mixed))
        return
    all_forms = set(chain.from_iterable(forms_of.values()))
    if not test_set.has_references and all_forms.issuperset(opposites):
        of_first_form = [name for name, forms in forms_of.items() if first in forms]
        detail = f"{named(of_first_form)} on '{test_set.name}' look {first}, other systems not. Treat all alike."
        yield Finding(code, detail, test_set=test_set.name)


def _unlike(of_reference: str, forms_of: Mapping[str, Sequence[str]], opposites: set[str]) -> tuple[str, ...]:
    """Return the systems with a run of the opposite form to the references; none if either is unclear."""
    if of_reference not in opposites:
        return ()
    (opposite,) = opposites - {of_reference}
    return tuple(name for name, forms in forms_of.items() if opposite in forms)
