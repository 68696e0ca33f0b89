"""What the check of the data says: one finding at a time, in words for the user."""

from collections.abc import Iterable
from dataclasses import dataclass

from mteval.readers.values import Severity

NAMES_SHOWN = 5


@dataclass(frozen=True)
class Finding:
    """One thing that the check found.

    Parameters
    ----------
    severity
        ``warning`` where it changes what the numbers mean, ``note`` where it is worth a look.
    title
        A few words.
    detail
        What was found where, what it means, what to do.
    """

    severity: Severity
    title: str
    detail: str


def named(names: Iterable[str]) -> str:
    """Names for a sentence, the first few of many."""
    listed = list(names)
    if len(listed) > NAMES_SHOWN:
        return f"{', '.join(listed[:NAMES_SHOWN])} and {len(listed) - NAMES_SHOWN} more"
    return " and ".join(filter(None, (", ".join(listed[:-1]), *listed[-1:])))
