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

from mteval.base.safe_paths import SafePaths

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
    """Return the files to write: one archive if the place ends in ``.zip``, else those of a folder."""
    if place.suffix == ".zip":
        return {place: zipped(files)}
    return in_folder(place, files)


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
        digest = hashlib.sha256(content).hexdigest()
        entries.append({"path": path, "bytes": len(content), "sha256": digest})
    text = json.dumps({**values, "files": entries}, indent=1, ensure_ascii=False)
    return f"{text}\n".encode()
