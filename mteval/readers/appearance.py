"""Whether texts look tokenized or lowercased, whether they differ in it, and the convention that fits them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
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
DETACHED = re.compile(r"\S[ ]+[.,。，、।](?= |$)", re.MULTILINE)
ATTACHED = re.compile(r"[^\W\d_][.,。，、।](?= |$)|[^\W\d_][。，、।]", re.MULTILINE)
MOST_OF_THEM = 0.7


@dataclass(frozen=True)
class Appearance:
    """Apparent tokenization and casing of a text."""

    tokenization: Tokenization
    casing: Casing


def appearance(lines: Sequence[str]) -> Appearance:
    """Inspect a hundred evenly spaced lines, and a thousand where those leave any doubt.

    The answer is ``unclear`` if even these have too little to tell.
    """
    few, many = (lines[:: max(1, len(lines) // number)] for number in (100, 1_000))
    share = _detached(few, 20)
    if not (share <= 0.05 or share >= 0.95):
        share = _detached(many, 5)
    capitals = _capitals(few)
    if not capitals >= 0.5:
        capitals = _capitals(many)
    tokenization: Tokenization = "detokenized" if share <= 1 - MOST_OF_THEM else "unclear"
    tokenization = "tokenized" if share >= MOST_OF_THEM else tokenization
    casing: Casing = "mixed" if capitals >= 0.2 else "unclear"
    return Appearance(tokenization, "lowercased" if capitals < 0.02 else casing)


def _detached(lines: Sequence[str], fewest: int) -> float:
    """Return the share of full stops and commas that stand alone; NaN if there are too few."""
    text = "\n".join(lines)
    detached, attached = (len(form.findall(text)) for form in (DETACHED, ATTACHED))
    return detached / (detached + attached) if detached + attached >= fewest else float("nan")


def _capitals(lines: Sequence[str]) -> float:
    """Return the share of lines with capitals among those with letters that have case; NaN if there are too few."""
    cased = [(line, lower) for line in lines if (lower := line.lower()) != line.upper()]
    return sum(line != lower for line, lower in cased) / len(cased) if len(cased) >= 5 else float("nan")


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
    looks = [look for test_set in experiment.test_sets for some in _looks(test_set).values() for look in some]
    kinds = {look.tokenization for look in looks} - {"unclear"}
    if kinds == {"tokenized"}:
        reason = "The text is tokenized: full stops and commas are separate words."
        return Suggestion("multeval", reason, "tokenized text")
    if kinds == {"detokenized"}:
        reason = "The text is not tokenized: full stops and commas follow words directly."
        return Suggestion("sacrebleu", reason, "raw text")
    doubt = "Only part of the text looks tokenized" if kinds else "Too little punctuation to tell"
    return Suggestion("sacrebleu", f"{doubt}. This is the usual convention.")


@kept_beside  # the convention and the findings rest on it
def _looks(test_set: TestSet) -> Mapping[str, Sequence[Appearance]]:
    """Return the appearance of the references (under the empty name) and of the runs of each system."""
    looks = {"": [appearance([*chain.from_iterable(test_set.references)])]} if test_set.has_references else {}
    runs = {system.key: test_set.runs_of(system.key) for system in test_set.systems}
    return looks | {key: [appearance(run.hypotheses) for run in some] for key, some in runs.items()}


def appearances(test_set: TestSet, convention: Convention, runs: RunWord) -> Iterator[Finding]:
    """Yield findings about unexpected tokenization, about runs that differ, and outputs unlike the references."""
    looks, here = dict(_looks(test_set)), partial(Finding, test_set=test_set.name)
    unwanted, meaning, remedy = UNWANTED[convention]
    if odd := [name for name, some in looks.items() if any(look.tokenization == unwanted for look in some)]:
        about = named(name or "the references" for name in odd)
        detail = f"The text of {about} on '{test_set.name}' looks {unwanted}; {meaning},"
        detail += f" or choose the {remedy} convention."
        systems = () if "" in odd else tuple(odd)
        yield here(f"text-{unwanted}", detail, systems=systems, remedy=remedy)
    for code, noun, words in (
        ("mixed-tokenization", "tokenization", ("tokenized", "detokenized")),
        ("mixed-case", "casing", ("lowercased", "mixed")),
    ):
        kinds = {name: {getattr(look, noun) for look in some} for name, some in looks.items() if name}
        if mixed := [name for name, found in kinds.items() if found >= set(words)]:
            detail = f"Some {runs.nouns} of {named(mixed)} on '{test_set.name}' look {words[0]}, others not."
            yield here(code, f"{detail} Treat all alike.", systems=tuple(mixed))
        elif not test_set.has_references and set(words) <= set().union(*kinds.values()):
            few = [name for name, found in kinds.items() if words[0] in found]
            detail = f"{named(few)} on '{test_set.name}' look {words[0]}, other systems not. Treat all alike."
            yield here(code, detail)
    if not test_set.has_references:
        return
    (reference,) = looks.pop("")

    def unlike(noun: str, opposite: set[str]) -> tuple[str, ...]:
        own = getattr(reference, noun)
        return tuple(
            name for name, some in looks.items() if any({getattr(look, noun), own} == opposite for look in some)
        )

    if others := unlike("tokenization", {"tokenized", "detokenized"}):
        detail = f"The references on '{test_set.name}' look {reference.tokenization}, but not {named(others)}."
        detail += " Words next to punctuation will not match. Treat both alike."
        yield here("tokenization", detail, systems=others)
    if others := unlike("casing", {"lowercased", "mixed"}):
        only = "the references" if reference.casing == "lowercased" else named(others)
        detail = f"Only {only} on '{test_set.name}' look lowercased. Words that differ only in case count as wrong."
        detail += " Lowercase both outputs and references or neither, or use the option lowercase."
        yield here("case", detail, systems=others)
