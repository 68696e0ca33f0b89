"""A folder into which training writes: which of its files are whole, and which are still growing."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from mteval.readers.disk import file_at
from mteval.readers.documents import InputFile
from mteval.readers.experiment_file.contents import FILE_NAME
from mteval.readers.names import natural_order

Seen = Mapping[str, tuple[int, int]]  # by name relative to the folder's parent: size and time of the last change


def files_below(folder: Path) -> dict[str, Path]:
    """The files of a folder by the names that they have when it is dropped, hidden ones left out."""
    found = ((path.relative_to(folder.parent), path) for path in folder.rglob("*") if path.is_file())
    shown = (
        (name.as_posix(), path) for name, path in found if not any(part.startswith(".") for part in name.parts[1:])
    )
    return dict(sorted(shown, key=lambda item: natural_order(item[0])))


def _is_hidden(name: Path) -> bool:
    return any(part.startswith(".") for part in name.parts[1:])


@dataclass(frozen=True)
class FolderGrowth:
    """What was seen in a folder at two looks, some time apart.

    Parameters
    ----------
    known
        Names of the files that are loaded. What an ``experiment.toml`` says was said when it was loaded.
    """

    folder: Path
    known: frozenset[str] = frozenset()
    before: Seen = field(default_factory=dict)
    now: Seen = field(default_factory=dict)

    def look(self, known: Collection[str]) -> "FolderGrowth":
        """The same after another look."""
        return FolderGrowth(self.folder, frozenset(known), self.now, dict(_seen(self.folder)))

    @property
    def whole(self) -> tuple[str, ...]:
        """Files that are not loaded and did not change between the looks."""
        return tuple(name for name in self._new if self.now[name] == self.before.get(name) and self.now[name][0])

    @property
    def growing(self) -> tuple[str, ...]:
        """Files that are not loaded and are still written, or empty."""
        whole = set(self.whole)
        return tuple(name for name in self._new if name not in whole)

    @property
    def _new(self) -> tuple[str, ...]:
        return tuple(name for name in self.now if name not in self.known and Path(name).name != FILE_NAME)

    def read(self) -> list[InputFile]:
        """The files that are whole.

        Raises
        ------
        InputError
            Where one cannot be read.
        """
        return [InputFile(name, file_at(self.folder.parent / name).content) for name in self.whole]


def _seen(folder: Path) -> Iterator[tuple[str, tuple[int, int]]]:
    for name, path in files_below(folder).items():
        try:
            status = path.stat()
        except FileNotFoundError:  # training moved it meanwhile
            continue
        yield name, (status.st_size, status.st_mtime_ns)
