"""The user's word for a run in HTML that says run."""

import re

from mteval.export.markup import Markup, escape
from mteval.run_words import RUN, Wording

_TAG = re.compile(r"(<[^>]*>)")
_SHOWN = re.compile(r'(?P<start> (?:title|aria-label)=")(?P<text>[^"]*)')  # attributes that people read or hear


def in_words(part: str, said: Wording) -> str:
    """Markup with its text and what is shown where it is pointed at in the user's word; plain text as ``said``."""
    if said.runs == RUN or not isinstance(part, Markup):
        return said(part)
    written = Wording(said.runs, tuple(str(escape(name)) for name in said.names))
    return Markup("".join(_worded(piece, written) for piece in _TAG.split(part)))


def _worded(piece: str, said: Wording) -> str:
    """A tag, or the text between two."""
    if piece.startswith("<"):
        return _SHOWN.sub(lambda found: found["start"] + said(found["text"]), piece)
    return said(piece)
