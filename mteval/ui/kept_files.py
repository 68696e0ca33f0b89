"""Scripts and styles at addresses of their own, so that browsers keep them.

Streamlit sends the text of an element, e.g. a style or the script of a component, whenever a page is drawn.
"""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mteval.render.html import BLOCKS, TABLES_SCRIPT

FOLDER = Path(__file__).parent
ADDRESS = "static/mteval"  # beside Streamlit's own files
JOINT = "+"  # between the names of files that are one

# The look of all pages, in the order of precedence
STYLES = (BLOCKS, FOLDER / "style.css", FOLDER / "segments" / "page.css")

# The address of Streamlit's own script ends in static/js/NAME, whatever path a proxy puts before it.
LOADER = """\
const { src } = document.querySelector('script[src*="/static/js/"]');
export default (await import(new URL('../mteval/%s', src).href)).default;
"""


class _Served:
    """Whether a layer of this server answers for the addresses; without mteval's own server none does."""

    is_served = False


def serve_files() -> None:
    """Let pages load their scripts and styles from this server."""
    _Served.is_served = True


def loader_of(paths: Sequence[Path]) -> str | None:
    """Return a short script that loads these scripts as one, with their style; None if they must be sent."""
    names = [path.stem for path in paths]
    if not _Served.is_served or any(_path_of().get(name) != path for name, path in zip(names, paths, strict=True)):
        return None
    return LOADER % f"{_digest(_script(names))}/{JOINT.join(names)}.js"


def address_of_style() -> str | None:
    """Return where the look of all pages is below ``ADDRESS``; None if it must be sent."""
    if not _Served.is_served:
        return None
    return f"{_digest(style_of_pages())}/pages.css"


def file_at(address: str) -> bytes | None:
    """Return the file at the last two parts of an address; None if there is none with this content."""
    digest, _, name = address.partition("/")
    content = None
    if name == "pages.css":
        content = style_of_pages()
    elif name.endswith(".js"):
        names = name.removesuffix(".js").split(JOINT)
        if all(part in _path_of() for part in names):
            content = _script(names)
    if content is None or _digest(content) != digest:
        return None
    return content


@cache
def style_of_pages() -> bytes:
    """Return the look of all pages."""
    return b"".join(path.read_bytes() for path in STYLES)


@cache
def _path_of() -> dict[str, Path]:
    """Return the scripts of pages by name."""
    paths = [*FOLDER.rglob("*.js"), TABLES_SCRIPT]
    return {path.stem: path for path in paths}


def _script(names: Sequence[str]) -> bytes:
    """Return scripts as one, with the styles beside them, if any, as ``STYLE``."""
    scripts = []
    styles = []
    for name in names:
        path = _path_of()[name]
        scripts.append(path.read_bytes())
        style = path.with_suffix(".css")
        if style.is_file():
            styles.append(style.read_text(encoding="utf-8"))
    if styles:
        scripts.append(f"const STYLE = {json.dumps(''.join(styles))};\n".encode())  # JSON is JavaScript
    return b"".join(scripts)


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
