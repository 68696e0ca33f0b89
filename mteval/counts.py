"""Counts and lists in words: ``1 run``, ``3 runs``, ``1,910 segments``, and the verbs that go with them."""

from collections.abc import Iterable, Sequence

_VOWELS = "aeiou"


def plural(noun: str) -> str:
    """``runs`` of ``run``, ``entries`` of ``entry``, ``hypotheses`` of ``hypothesis``."""
    if noun.endswith("is"):
        return f"{noun[:-2]}es"
    if noun.endswith("y") and noun[-2] not in _VOWELS:
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def counted(number: int, noun: str) -> str:
    """``1 run``, ``3 runs``, ``0 runs``; thousands are set off by commas."""
    return f"{number:,} {agreeing(number, noun, plural(noun))}"


def counted_range(numbers: Iterable[int], noun: str) -> str:
    """``3 runs`` where all numbers are the same, else ``2 to 5 runs``."""
    lowest, *_, highest = sorted([*(found := list(numbers)), *found])
    return counted(highest, noun) if lowest == highest else f"{lowest:,} to {counted(highest, noun)}"


def counted_part(number: int, total: int, noun: str) -> str:
    """``820 of 1,910 segments``, ``1 of 1 segment``."""
    return f"{number:,} of {counted(total, noun)}"


def all_counted(number: int, noun: str) -> str:
    """``all 12 combinations``, ``the only combination``."""
    return f"the only {noun}" if number == 1 else f"all {counted(number, noun)}"


def agreeing(number: int, singular: str, otherwise: str) -> str:
    """The word that goes with a number: ``is`` with one, ``are`` with any other."""
    return singular if number == 1 else otherwise


def listed(names: Sequence[str]) -> str:
    """``BLEU``, ``BLEU and TER``, ``BLEU, TER and chrF``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
