"""Where the library is, how addresses name its experiments, and what a dashboard that is started later opens first."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path

from mteval.base.databases import url_in
from mteval.base.errors import SettingsError
from mteval.base.paths import data_directory
from mteval.library.blobs import Objects
from mteval.library.index import DATABASE
from mteval.library.shelf import Library

GIB = 1 << 30  # bytes
# Set for a dashboard that this process starts later
_WATCHED = "MTEVAL_WATCHED"  # an experiment's ID, a space, a folder
_OPENED = "MTEVAL_OPENED"  # a link; later its ticket, a space, the link
VARIABLE = "MTEVAL_LIBRARY_GIB"
OBJECTS = "MTEVAL_LIBRARY_OBJECTS"
LINK = "experiment"  # what names an experiment in a page's address
KEY = "key"  # name of the secret of a link; it leaves the address at once
TICKET = "ticket"  # name of its one-time ticket


def configured_library() -> Library:
    """Return the library in the data directory, or in the database and the object store that variables name.

    Raises
    ------
    SettingsError
        If a variable is invalid.
    """
    size = os.environ.get(VARIABLE) or "5.0"  # GiB
    try:
        max_bytes = int(float(size) * GIB)
    except (ValueError, OverflowError):
        max_bytes = 0
    if max_bytes <= 0:
        raise SettingsError(f"{VARIABLE} is '{size}'. Expected a number of GiB above 0, e.g. 0.5 or 20.")
    folder = data_directory() / "library"
    objects = None
    url_of_objects = os.environ.get(OBJECTS)
    if url_of_objects:
        objects = Objects(url_of_objects.rstrip("/"))
    database = None
    if os.environ.get(DATABASE):
        database = url_in(DATABASE, folder / "index.sqlite")
    return Library(folder, max_bytes, database, objects)


@dataclass(frozen=True)
class Watched:
    """A folder that training writes to, and its experiment."""

    uid: str
    folder: Path


def watch(watched: Watched) -> None:
    """Make a dashboard started later watch a folder."""
    os.environ[_WATCHED] = f"{watched.uid} {watched.folder}"


def watched() -> Watched | None:
    """Return the folder that this dashboard should watch, if any."""
    uid, _, folder = os.environ.get(_WATCHED, "").partition(" ")
    if not folder:
        return None
    return Watched(uid, Path(folder))


def open_first(link: str) -> None:
    """Make a dashboard started later open an experiment in the browser it starts."""
    os.environ[_OPENED] = link


def ticket() -> str:
    """Return a ticket for the link of that experiment; empty if there is none.

    All users of a machine can list its processes and see the address a browser is started with. The link itself is in
    the environment, which only this user can read.
    """
    link = os.environ.get(_OPENED, "")
    if not link:
        return ""
    new_ticket = secrets.token_urlsafe(16)
    os.environ[_OPENED] = f"{new_ticket} {link}"
    return new_ticket


def redeemed(shown_ticket: str) -> str | None:
    """Return the link for a ticket, once; otherwise None."""
    valid_ticket, _, link = os.environ.get(_OPENED, "").partition(" ")
    if not link or not secrets.compare_digest(valid_ticket.encode(), shown_ticket.encode()):
        return None
    del os.environ[_OPENED]
    return link
