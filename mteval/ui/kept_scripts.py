"""Scripts of components at addresses of their own, so that browsers keep them.

Streamlit sends the text of a component's script with every message about the component, i.e. whenever a page is drawn.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
ADDRESS = "static/mteval"  # beside Streamlit's own files
JOINT = "+"  # between the names of scripts that are one

# The address of Streamlit's own script ends in static/js/NAME, whatever path a proxy puts before it.
LOADER = """\
const { src } = document.querySelector('script[src*="/static/js/"]');
export default (await import(new URL('../mteval/%s', src).href)).default;
"""


class _Served:
    """Whether a layer of this server answers for the addresses; without mteval's own server none does."""

    is_served = False


def serve_scripts() -> None:
    """Let components load their scripts from this server."""
    _Served.is_served = True


def loader_of(paths: Sequence[Path]) -> str | None:
    """Return a short script that loads these scripts as one; None if they must be sent."""
    names = [path.stem for path in paths]
    if not _Served.is_served or any(_path_of().get(name) != path for name, path in zip(names, paths, strict=True)):
        return None
    return LOADER % f"{_digest(_joined(names))}/{JOINT.join(names)}.js"


def script_at(address: str) -> bytes | None:
    """Return the script at the last two parts of an address; None if there is none with this content."""
    digest, _, file = address.partition("/")
    names = file.removesuffix(".js").split(JOINT)
    if any(name not in _path_of() for name in names):
        return None
    script = _joined(names)
    return script if _digest(script) == digest else None


@cache
def _path_of() -> dict[str, Path]:
    """Return the scripts of this package by name."""
    return {path.stem: path for path in FOLDER.rglob("*.js")}


def _joined(names: Sequence[str]) -> bytes:
    return b"".join(_path_of()[name].read_bytes() for name in names)


def _digest(script: bytes) -> str:
    return hashlib.blake2b(script, digest_size=16).hexdigest()
