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
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return stream.getvalue()


def manifest(files: Mapping[str, bytes], about: Mapping[str, Any]) -> bytes:
    """Return the size and SHA-256 of each file as JSON, after other values."""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    listed = [{"path": name, "bytes": len(files[name]), "sha256": digest} for name, digest in digests.items()]
    return (json.dumps({**about, "files": listed}, indent=1, ensure_ascii=False) + "\n").encode("utf-8")
