"""Paths where there is little room: their ends, which tell files apart."""

from collections.abc import Iterable, Sequence

from mteval.readers.names import shared_length

LONGEST_PATH = 44  # characters


def path_ends(files: Iterable[str]) -> list[str]:
    """Paths without the folders that all of them share; long ones from their end."""
    paths = [file.split("/") for file in files]
    shared = shared_length([path[:-1] for path in paths])
    short = ["/".join(path[shared:]) for path in paths]
    ends = [_end(path, 0) for path in short]
    return [_end(path, _n_alike(end, ends, short)) for path, end in zip(short, ends, strict=True)]


def _n_alike(end: str, ends: Sequence[str], paths: Sequence[str]) -> int:
    """With how many characters all paths end that are shown by the same end; 0 where there is one such path."""
    alike = [path[::-1] for path, other in zip(paths, ends, strict=True) if other == end]
    return shared_length(alike) if len(set(alike)) > 1 else 0


def _end(path: str, n_alike: int) -> str:
    """The end of a path; where others end in the same way, what stands before that, and less of the end."""
    if len(path) <= LONGEST_PATH:
        return path
    if not n_alike:
        return "…" + path[1 - LONGEST_PATH :]
    half = LONGEST_PATH // 2 - 1
    return f"…{path[:-n_alike][-half:]}…{path[-half:]}"
