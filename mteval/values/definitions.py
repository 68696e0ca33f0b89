"""The version of the definitions that numbers follow: what p, s_sel or a default means.

It stands beside all numbers that are kept or written. Whoever changes a definition, so that the same data give another
number, adds a row to ``MEANINGS`` that says in one sentence what has changed.
"""

from collections.abc import Mapping
from types import MappingProxyType

from mteval.base.errors import InputError

MEANINGS: Mapping[int, str] = MappingProxyType(
    {1: "The definitions of mteval 0.2, as in docs/ and the papers cited there."}
)
DEFINITIONS = max(MEANINGS)
FIRST = 1  # what was written before versions were is of the first


def changed_since(written: int, file: str | None = None) -> tuple[str, ...]:
    """What has changed since numbers were written, a sentence each; none where they follow today's definitions.

    Parameters
    ----------
    written
        The version that stands beside the numbers, ``FIRST`` where none does.
    file
        Where it stands, for the message.

    Raises
    ------
    InputError
        Where a newer mteval wrote them.
    """
    if written > DEFINITIONS:
        raise InputError(
            f"Written by a newer mteval (definitions version {written}; this mteval supports up to {DEFINITIONS})."
            " Update mteval.",
            file,
        )
    return tuple(MEANINGS[version] for version in range(written + 1, DEFINITIONS + 1))
