"""Where the library of this user is, and how much it may hold."""

import os

from mteval.errors import SettingsError
from mteval.library.shelf import GIB, Library
from mteval.paths import data_directory

VARIABLE = "MTEVAL_LIBRARY_GIB"
USUAL = 5.0  # GiB


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
