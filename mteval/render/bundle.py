"""Files by path, as a folder or as one reproducible archive, with paths that any system can unpack.

Whoever writes several files calls ``in_folder``, ``zipped`` or ``placed``, with any names.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import SettingsError
from mteval.base.safe_paths import SafePaths
from mteval.readers.documents import FILE_NAME

MANIFEST = "manifest.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that the format knows: the archive depends on content alone
_PERMISSIONS = 0o644


def safe_files(files: Mapping[str, bytes], reserved: Iterable[str] = ()) -> dict[str, bytes]:
    """Return files under paths that stay below their folder and are different on any file system.

    Parameters
    ----------
    reserved
        Names that no file or folder gets.
    """
    paths = SafePaths(reserved)
    return {paths.free(name): content for name, content in files.items()}


def in_folder(folder: Path, files: Mapping[str, bytes]) -> dict[Path, bytes]:
    """Return the files to write below a folder."""
    return {folder / path: content for path, content in safe_files(files).items()}


def placed(place: Path, files: Mapping[str, bytes]) -> dict[Path, bytes]:
    """Return the files to write: one archive if the place ends in ``.zip``, else those of a folder.

    Raises
    ------
    SettingsError
        If the folder has another ``experiment.toml`` that may be somebody's own.
    """
    if place.suffix == ".zip":
        return {place: zipped(files)}
    if FILE_NAME in files:
        refuse_foreign_experiment(place, files[FILE_NAME])
    return in_folder(place, files)


def refuse_foreign_experiment(folder: Path, content: bytes | None = None) -> None:
    """Check that a folder has no ``experiment.toml``, or one that its manifest lists as it is.

    Others are inputs, or were edited.

    Parameters
    ----------
    content
        What the file may have as well, since writing it changes nothing.

    Raises
    ------
    SettingsError
        If it has another one.
    """
    path = folder / FILE_NAME
    try:
        present = path.read_bytes()
    except OSError:  # none, or none that can be replaced
        return
    if present == content or _digest(present) == _digest_in_manifest(folder):
        return
    raise SettingsError(
        f"Cannot write {path}: it may be your own, since {MANIFEST} does not list it as it is. Nothing was written."
        " Name another folder, or remove the file."
    )


def _digest_in_manifest(folder: Path) -> str | None:
    """Return the SHA-256 that the manifest of a folder gives for its experiment; None without."""
    try:
        form = bounded_json((folder / MANIFEST).read_text(encoding="utf-8"))
        return next(str(entry["sha256"]) for entry in form["files"] if entry["path"] == FILE_NAME)
    except (OSError, ValueError, LookupError, TypeError, StopIteration):
        return None


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files, given by path with forward slashes."""
    return archive_of_parts(safe_files(files))


def archive_of_parts(parts: Mapping[str, bytes]) -> bytes:
    """Return an archive whose names are all ours, e.g. those that a format prescribes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in parts.items():
            entry = zipfile.ZipInfo(path, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = _PERMISSIONS << 16  # the upper half is Unix's
            archive.writestr(entry, content)
    return stream.getvalue()


def manifest(files: Mapping[str, bytes], values: Mapping[str, Any]) -> bytes:
    """Return the size and SHA-256 of each file as JSON, after other values."""
    entries = []
    for path, content in files.items():
        entries.append({"path": path, "bytes": len(content), "sha256": _digest(content)})
    text = json.dumps({**values, "files": entries}, indent=1, ensure_ascii=False)
    return f"{text}\n".encode()
