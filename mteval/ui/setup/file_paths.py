"""Paths where there is little room: their ends, which tell files apart."""

from collections.abc import Iterable

from mteval.readers.names import shared_length

LONGEST_PATH = 44  # characters


def path_ends(files: Iterable[str]) -> list[str]:
    """Paths without the folders that all of them share; long ones from their end."""
    paths = [file.split("/") for file in files]
    shared = shared_length([path[:-1] for path in paths])
    return [_end("/".join(path[shared:])) for path in paths]


def _end(path: str) -> str:
    return path if len(path) <= LONGEST_PATH else "…" + path[1 - LONGEST_PATH :]
