"""Read bytes or paths into an experiment: decode files, guess their roles, check the data.

``unpack`` turns uploads into documents of streams. ``guess`` assigns a role to each stream, and the user edits it.
``assemble`` builds the experiment and reports what does not fit. ``check`` inspects it before any statistics.
``read_paths`` does all of this for a command line.
Names are imported on first use, so that a command line loads only what it needs.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mteval.readers.assembly.experiment import assemble
    from mteval.readers.checks import Suggestion, check, suggest_convention
    from mteval.readers.documents import (
        FILE_ROLES,
        Assembly,
        Document,
        FileRole,
        Finding,
        InputFile,
        Limits,
        Problem,
        Slot,
        Stream,
    )
    from mteval.readers.formats.uploads import unpack
    from mteval.readers.guesses.layout import guess
    from mteval.readers.named_files import read_paths

__all__ = [
    "FILE_ROLES",
    "Assembly",
    "Document",
    "FileRole",
    "Finding",
    "InputFile",
    "Limits",
    "Problem",
    "Slot",
    "Stream",
    "Suggestion",
    "assemble",
    "check",
    "guess",
    "read_paths",
    "suggest_convention",
    "unpack",
]
_HOMES = {
    "assembly.experiment": "assemble",
    "checks": "Suggestion check suggest_convention",
    "documents": "FILE_ROLES Assembly Document FileRole Finding InputFile Limits Problem Slot Stream",
    "formats.uploads": "unpack",
    "guesses.layout": "guess",
    "named_files": "read_paths",
}


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names.split():
            return getattr(import_module(f"mteval.readers.{home}"), name)
    raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
