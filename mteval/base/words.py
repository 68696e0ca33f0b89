"""Counts, lists and free names as text: ``1 run``, ``3 runs``, ``1,910 segments``."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import count


def plural(noun: str) -> str:
    """Return ``runs`` for ``run``, ``entries`` for ``entry``, ``hypotheses`` for ``hypothesis``."""
    if noun.endswith("is"):
        return f"{noun[:-2]}es"
    if noun.endswith("y") and noun[-2] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def counted(number: int, noun: str) -> str:
    """Return ``1 run``, ``3 runs``, ``1,910 runs``."""
    return f"{number:,} {agreeing(number, noun, plural(noun))}"


def counted_range(numbers: Iterable[int], noun: str) -> str:
    """Return ``3 runs`` if all numbers are equal, else ``2 to 5 runs``."""
    lowest, *_, highest = sorted([*(found := list(numbers)), *found])
    return counted(highest, noun) if lowest == highest else f"{lowest:,} to {counted(highest, noun)}"


def counted_part(number: int, total: int, noun: str) -> str:
    """Return ``820 of 1,910 segments``, ``1 of 1 segment``."""
    return f"{number:,} of {counted(total, noun)}"


def all_counted(number: int, noun: str) -> str:
    """Return ``all 12 combinations``, ``the only combination``."""
    return f"the only {noun}" if number == 1 else f"all {counted(number, noun)}"


def agreeing(number: int, singular: str, otherwise: str) -> str:
    """Return the word for a number: ``is`` for one, ``are`` otherwise."""
    return singular if number == 1 else otherwise


def listed(names: Sequence[str], joint: str = "and") -> str:
    """Return ``BLEU``, ``BLEU and TER``, ``BLEU, TER and chrF``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {joint} {names[-1]}"


def numbered(name: str, mark: str = "") -> Iterator[str]:
    """Yield the name, then ``name (2)``, ``name (3)`` …; with a mark ``name (mark)``, ``name (mark 2)`` …"""
    yield name
    if mark:
        yield f"{name} ({mark})"
    yield from (f"{name} ({f'{mark} {number}'.strip()})" for number in count(2))


def free_name(name: str, is_taken: Callable[[str], bool], candidates: Callable[[str], Iterator[str]] = numbered) -> str:
    """Return the first candidate that is not taken, usually the name itself."""
    return next(candidate for candidate in candidates(name) if not is_taken(candidate))


class Names:
    """Names that were given out. Equal ones are numbered without counting from the start each time."""

    def __init__(self, given: Iterable[str] = ()) -> None:
        self._given = set(given)
        self._last: dict[str, Iterator[str]] = {}

    def free(self, name: str) -> str:
        """Return the first candidate that was not given out, and give it out."""
        candidates = self._last.setdefault(name, numbered(name))
        found = next(candidate for candidate in candidates if candidate not in self._given)
        self._given.add(found)
        return found
