"""Whether the text fits the convention, and outputs and references each other, by what they look like."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from mteval.model import Experiment, TestSet
from mteval.readers.checks.appearance import Appearance, Tokenization, appearance, flat
from mteval.readers.problems import Finding, named
from mteval.settings import Convention

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
            f"On '{test_set.name}' the references are {_case(reference)}, the output of {named(others)} is"
            f" {_case(looks[others[0]])}; words that differ in case alone count as wrong. Lowercase both, or"
            " neither, or choose the option lowercase.",
        )


def _case(look: Appearance) -> str:
    return "in lower case" if look.casing == "lowercased" else "in mixed case"
