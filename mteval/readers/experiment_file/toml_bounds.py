"""TOML counted before it is parsed: the parser of Python takes time and memory by the square of a key's depth."""

import re

from mteval.counts import counted
from mteval.errors import InputError

MOST_CHARACTERS = 4_000_000
DEEPEST = 32  # tables and lists in one another; an experiment has six
BASIC, LITERAL = r'"(?:[^"\\\n]++|\\.)*+"?+', r"'[^'\n]*+'?+"
TEXT_OR_COMMENT = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*+(?:"""|\Z)' + r"|'''(?:[^']++|'(?!''))*+(?:'''|\Z)" + f"|{BASIC}|{LITERAL}|#[^\n]*+",
    re.DOTALL,
)
DEEP_KEY = re.compile(rf"(?<![\w-])(?:[\w-]*+[ \t]*+\.[ \t]*+){{{DEEPEST}}}")
BRACKET = re.compile(r"[\[{\]}]")


def refuse_costly_toml(text: str, file: str) -> None:
    """Raise InputError where the text is long, or tables or lists stand deep in one another."""
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"It has {counted(len(text), 'character')}; at most {MOST_CHARACTERS:,} are read.", file)
    plain = TEXT_OR_COMMENT.sub("q", text)
    depth = deepest = 0
    for bracket in BRACKET.findall(plain):
        depth += 1 if bracket in "[{" else -1
        deepest = max(deepest, depth)
    if deepest > DEEPEST or DEEP_KEY.search(plain):
        raise InputError(f"Tables or lists stand more than {DEEPEST} deep in one another; expected six at most.", file)
