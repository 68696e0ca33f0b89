"""Bytes or paths to an experiment: the only code that decodes; the guess of the layout; the check of the data.

``unpack`` turns uploads into documents of streams, ``guess`` says what each stream is, the user edits that,
``assemble`` makes the experiment and names what does not fit, ``check`` looks at it before any statistics.
``read_paths`` does all of it for a command line.
Each name is loaded when it is asked for: a command line that names its files needs no guess and no check.
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
