"""What the library holds of an experiment, and what a list says of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Content:
    """What is kept of an experiment; in a change, None leaves what is kept as it is.

    Parameters
    ----------
    made
        What was made of the files: edits, settings, baseline; whatever JSON can say.
    card
        What a list shows, so that listing reads the index alone.
    files
        By name, as they came.
    numbers
        The results as bytes; empty where there are none.
    """

    made: Mapping[str, Any]
    card: Mapping[str, Any]
    files: Mapping[str, bytes] | None = None
    numbers: bytes | None = None


@dataclass(frozen=True)
class Listed:
    """An experiment as a list shows it.

    Parameters
    ----------
    uid
        The link of those who may change it.
    reader
        The link of those who may only read it.
    owner
        Whose it is; empty for nobody's.
    created, used
        When it was first kept, and when it was last opened or changed, in seconds since 1970.
    """

    uid: str
    reader: str
    owner: str
    name: str
    note: str
    is_pinned: bool
    created: float
    used: float
    card: Mapping[str, Any]
