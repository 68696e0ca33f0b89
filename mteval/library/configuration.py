"""Where the library of this user is, how much it may hold, how its experiments are named in addresses."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from mteval.base.errors import SettingsError
from mteval.base.paths import data_directory
from mteval.library.shelf import GIB, Library

_WATCHED, _OPENED = "MTEVAL_WATCHED", "MTEVAL_OPENED"
VARIABLE = "MTEVAL_LIBRARY_GIB"
USUAL = 5.0  # GiB
LINK = "experiment"  # what stands before a link in the address of a page
TICKET = "ticket"  # and before what stands for one once
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


def open_first(link: str) -> None:
    """Let a dashboard that is started after this open an experiment in the browser that it starts itself."""
    os.environ[_OPENED] = link


def ticket() -> str:
    """What the first who brings it gets the link of that experiment for; empty where there is none to open.

    Addresses that a browser is started with are seen by everybody on the machine who lists its processes. The link
    itself travels in the environment, which the user alone can read.
    """
    link = os.environ.get(_OPENED, "")
    if not link:
        return ""
    new = secrets.token_urlsafe(16)
    os.environ[_OPENED] = f"{new} {link}"
    return new


def redeemed(brought: str) -> str | None:
    """The link that a ticket is for, once; None for all others."""
    new, _, link = os.environ.get(_OPENED, "").partition(" ")
    if not link or not secrets.compare_digest(new.encode(), brought.encode()):
        return None
    del os.environ[_OPENED]
    return link
