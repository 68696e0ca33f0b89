"""Names in labels, headings and tabs, which Streamlit reads as Markdown: a name is text, whatever it looks like."""

import re

from mteval.control_characters import visible

PUNCTUATION = re.compile(r"([!-/:-@\[-`{-~])")
BREAKS = re.compile(r"[\r\n\u2028\u2029]+")
# Addresses, icons and emoji are looked for after the escapes have been taken away, so these need a character that
# nobody sees between them.
LOOKED_FOR = re.compile(r"(?<=:)(?=\S)|(?<=@)|(?<=www)(?=\.)", re.IGNORECASE)
UNSEEN = "\N{WORD JOINER}"


def as_label(text: str) -> str:
    """A name as part of a label: shown as it is, never a link, an image, an icon, a colour or a formula."""
    return PUNCTUATION.sub(r"\\\1", LOOKED_FOR.sub(UNSEEN, BREAKS.sub(" ", visible(text))))
