"""Where the library of this user is, how much it may hold, how its experiments are named in addresses."""

import os
from dataclasses import dataclass
from pathlib import Path

from mteval.errors import SettingsError
from mteval.library.shelf import GIB, Library
from mteval.paths import data_directory

_WATCHED = "MTEVAL_WATCHED"
VARIABLE = "MTEVAL_LIBRARY_GIB"
USUAL = 5.0  # GiB
LINK = "experiment"  # what stands before a link in the address of a page
NOBODY = ""  # whose experiments are that no visitor has opened for editing yet


def configured_library() -> Library:
    """The library in the data directory; ``MTEVAL_LIBRARY_GIB`` says how many GiB it may hold.

    Raises
    ------
    SettingsError
        Where the variable holds no such number.
    """
    given = os.environ.get(VARIABLE) or str(USUAL)
    try:
        size = int(float(given) * GIB)
    except (ValueError, OverflowError):
        size = 0
    if size <= 0:
        raise SettingsError(f"{VARIABLE} is '{given}'; expected a number of GiB above 0, as 0.5 or 20.")
    return Library(data_directory() / "library", size)


@dataclass(frozen=True)
class Watched:
    """A folder into which training writes runs of an experiment, which its link names."""

    link: str
    folder: Path


def watch(watched: Watched) -> None:
    """Let a dashboard that is started after this look at a folder."""
    os.environ[_WATCHED] = f"{watched.link} {watched.folder}"


def watched() -> Watched | None:
    """The folder that this dashboard was started to look at."""
    link, _, folder = os.environ.get(_WATCHED, "").partition(" ")
    return Watched(link, Path(folder)) if folder else None
