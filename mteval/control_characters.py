"""Characters that nobody sees but that change how others look: those of terminals, and those that turn text round.

In a name they could make a row, a sentence or a terminal say what nobody wrote.
"""

import re

# Joiners and the marks of a direction, which scripts need and which turn nothing round, are no such characters.
CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|\r(?!\n)")


def visible(text: str) -> str:
    """A text for people: each control character but line ends and tabs as its number, ``⟨U+202E⟩``."""
    return CONTROLS.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)
