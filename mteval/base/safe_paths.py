"""Paths of files that are written under names from elsewhere: of systems, runs, uploads, servers.

A path stays below its folder, any file system can store it, and no two are the same file on one that ignores case or
the form of accented letters. mteval finds the file again when the folder or archive is loaded.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import count

LONGEST_PART = 200  # bytes; file systems take 255, and a suffix such as .new may follow
LONGEST_PATH = 600  # characters
LONGEST_SUFFIX = 20  # bytes, the dot among them
# What file managers leave in folders and archives. Readers ignore it, so no file of ours has such a name.
CLUTTER = ("__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini")
CACHE = "__pycache__"  # ignored as well
_SEPARATOR = re.compile(r"[/\\]")
_NOT_IN_NAMES = frozenset('<>:"|?*/\\')
# Control and format characters, halves of surrogate pairs, line separators, and what is no character.
_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Cs", "Zl", "Zp"))
_JOINERS = "\u200c\u200d"  # format characters that scripts and emoji need
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|clock\$|com[0-9]|lpt[0-9]) *(\..*)?", re.DOTALL)
# Unicode's Default_Ignorable_Code_Point: some file systems ignore these characters when they compare names.
_IGNORED = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


class SafePaths:
    """Gives out paths below one folder, each once.

    Parameters
    ----------
    reserved
        Names that no file or folder gets.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self._reserved = {_compared(name) for name in reserved}
        self._files: set[str] = set()
        self._folders: set[str] = set()
        # Equal names are numbered without counting from the start each time.
        self._candidates: dict[str, Iterator[str]] = {}

    def free(self, name: str) -> str:
        """Return a path for a file, and give it out: the name itself if it is safe and free.

        Parameters
        ----------
        name
            The wanted path. Slashes of either kind separate folders; ``..`` and a root are ignored.
        """
        *folders, file = _parts(name)
        parent = ""  # with a slash at its end
        for folder in folders:
            free_folder = next(part for part in _numbered(folder) if not self._is_no_folder(parent + part))
            parent += f"{free_folder}/"
            self._folders.add(_compared(parent))
        candidates = self._candidates.setdefault(parent + file, _numbered(file))
        path = next(parent + part for part in candidates if not self._is_no_file(parent + part))
        self._files.add(_compared(path))
        return path

    def _is_no_folder(self, path: str) -> bool:
        """Return whether a path cannot be a folder: it is a file, or reserved."""
        return _compared(path) in self._files or self._is_reserved(path)

    def _is_no_file(self, path: str) -> bool:
        """Return whether a path cannot be a new file: it is a file or folder, or reserved."""
        return self._is_no_folder(path) or _compared(f"{path}/") in self._folders

    def _is_reserved(self, path: str) -> bool:
        return _compared(path.rpartition("/")[2]) in self._reserved


def safe_part(name: str) -> str:
    """Return a name for one file or folder, changed as little as needed; slashes become underscores."""
    safer = _safer(name)
    while safer != name:  # one change may need another, e.g. of a space that now comes first
        name = safer
        safer = _safer(name)
    return name


def _safer(name: str) -> str:
    """Return a name after one round of changes."""
    composed = unicodedata.normalize("NFC", name)
    seen = "".join("_" if _is_unsafe(character) else character for character in composed)
    trimmed = _last_bytes(seen.strip(" ").rstrip(" ."), LONGEST_PART)
    compared = _compared(trimmed)
    if not compared:
        return "_"
    is_hidden = trimmed.startswith(".")
    if is_hidden or _DEVICE.fullmatch(compared) or compared in _SKIPPED:
        return f"_{_last_bytes(trimmed, LONGEST_PART - 1)}"
    return trimmed


@lru_cache(maxsize=4_096)
def _is_unsafe(character: str) -> bool:
    """Return whether a character cannot be in a file's name on some system, or cannot be seen there."""
    if character.isalnum():
        return False
    if unicodedata.category(character) in _UNSEEN and character not in _JOINERS:
        return True
    # Programs with an older code page store full-width forms as the ASCII characters.
    return bool(_NOT_IN_NAMES & set(unicodedata.normalize("NFKC", character)))


def _compared(path: str) -> str:
    """Return what is equal for two paths if any file system takes them for the same."""
    return "/".join(_compared_part(part) for part in path.split("/"))


@lru_cache(maxsize=4_096)
def _compared_part(part: str) -> str:
    """Return the same for one folder or file of a path."""
    for _ in range(2):  # folding case may bring up characters that are composed or folded differently
        plain = _IGNORED.sub("", unicodedata.normalize("NFKC", part))
        part = unicodedata.normalize("NFKC", plain.casefold().upper().casefold())
    return part.strip(" ").rstrip(" .")


_SKIPPED = frozenset(_compared(name) for name in (*CLUTTER, CACHE))


def _parts(name: str) -> list[str]:
    """Return folders and file of a path; of very deep ones, without the folders after the first."""
    parts = [safe_part(part) for part in _SEPARATOR.split(name) if part not in ("", ".", "..")]
    if not parts:
        return ["_"]
    while len(parts) > 2 and sum(len(part) for part in parts) + len(parts) > LONGEST_PATH:
        del parts[1]
    return parts


def _numbered(part: str) -> Iterator[str]:
    """Yield the name, then candidates with a number before the suffix: ``a (2).txt``, ``a (3).txt`` …"""
    yield part
    stem, dot, suffix = part.rpartition(".")
    if not stem or len(f"{dot}{suffix}".encode()) > LONGEST_SUFFIX:
        stem = part
        dot = ""
        suffix = ""
    for number in count(2):
        end = f" ({number}){dot}{suffix}"
        yield safe_part(_last_bytes(stem, LONGEST_PART - len(end.encode())) + end)


def _last_bytes(text: str, most: int) -> str:
    """Return the end of a text that is too long in UTF-8; of a file name, it has the suffix."""
    encoded = text.encode("utf-8", "surrogatepass")
    if len(encoded) <= most:
        return text
    return encoded[-most:].decode("utf-8", "ignore")
