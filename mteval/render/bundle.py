"""Files as one reproducible archive with a manifest, with names that any system can unpack."""

import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mteval.base.words import free_name, numbered

MANIFEST = "manifest.json"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that the format knows: the archive depends on content alone
_UNSAFE = re.compile(r'[\x00-\x1f\x7f<>:"|?*]')
# Devices on Windows, whatever the suffix.
_RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return an archive of files, given by path with forward slashes."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return stream.getvalue()


def manifest(files: Mapping[str, bytes], about: Mapping[str, Any]) -> bytes:
    """Return the size and SHA-256 of each file as JSON, after other values."""
    digests = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    listed = [{"path": name, "bytes": len(files[name]), "sha256": digest} for name, digest in digests.items()]
    return (json.dumps({**about, "files": listed}, indent=1, ensure_ascii=False) + "\n").encode("utf-8")


def safe_paths(names: Iterable[str], folder: str = "") -> dict[str, str]:
    """Return a safe, unique path for each name, inside its folder and valid on any system."""
    taken: set[str] = set()
    paths = {}
    for name in dict.fromkeys(names):
        parts = [safe_part(part) for part in name.replace("\\", "/").split("/") if part not in ("", ".", "..")]
        path = "/".join([*([folder] if folder else []), *(parts or ["file"])])
        free = free_name(path, lambda path: path.casefold() in taken, numbered_files)
        taken.add(free.casefold())
        paths[name] = free
    return paths


def numbered_files(path: str) -> Iterator[str]:
    """Yield candidates with a number before the suffix."""
    stem, dot, suffix = path.rpartition(".")
    if not dot or "/" in suffix:
        return numbered(path)
    return (f"{candidate}.{suffix}" for candidate in numbered(stem))


def safe_part(name: str) -> str:
    """Return a safe name for a file or folder; of long names, the end is kept with its suffix."""
    plain = _UNSAFE.sub("_", name).replace("/", "_").replace("\\", "_").strip(" ").rstrip(".")
    if _RESERVED.fullmatch(plain):
        plain = f"_{plain}"
    return plain[-100:] or "_"
