"""HTML from trusted parts and untrusted text.

File names, system names and segments are somebody else's: as Markdown they would be links, images, emoji and formulas.
They reach a page through widgets that take plain text, or through here, where every string that is not ``Markup`` is
escaped, and characters that turn round what stands beside them are seen.
"""

from collections.abc import Iterable
from pathlib import Path

import markupsafe
from markupsafe import Markup

from mteval.control_characters import visible

__all__ = ["BLOCKS", "Markup", "escape", "join", "scrolling", "tag"]

BLOCKS = Path(__file__).with_name("blocks.css")  # the look of tables and answers, on pages and in reports


def escape(text: str) -> Markup:
    """Text as HTML; markup as it is."""
    return text if isinstance(text, Markup) else markupsafe.escape(visible(text))


def tag(name: str, *children: str, **attributes: str) -> Markup:
    """An element. Attribute names lose a trailing underscore (``class_``) and turn other underscores into hyphens."""
    written = "".join(f' {key.rstrip("_").replace("_", "-")}="{escape(value)}"' for key, value in attributes.items())
    return Markup(f"<{name}{written}>{join(children)}</{name}>")


def scrolling(table: Markup) -> Markup:
    """A table that may be wider than the page: it is moved with the mouse, a finger or, once it has the focus, keys."""
    return tag("div", table, class_="mt-scroll", tabindex="0")


def join(parts: Iterable[str], separator: str = "") -> Markup:
    """Parts one after the other, those that are text escaped."""
    return escape(separator).join(map(escape, parts))
