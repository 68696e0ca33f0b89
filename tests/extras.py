"""What is left out, with a word, where an extra of the package is not installed.

Whether it is there is found out apart from the code under test, which might say so by mistake.
"""

from importlib.util import find_spec

import pytest

_OF_METEOR = ("pycocoevalcap", "snowballstemmer")
_OF_SPBLEU = "sentencepiece"
_absent = [name for name in _OF_METEOR if find_spec(name) is None]

needs_meteor = pytest.mark.skipif(
    bool(_absent), reason=f"METEOR's extra is not installed ({', '.join(_absent)}): pip install -e '.[meteor]'"
)
needs_sentencepiece = pytest.mark.skipif(
    find_spec(_OF_SPBLEU) is None, reason="sentencepiece is not installed: pip install -e '.[flores]'"
)


def marks_of(metric: str) -> list[pytest.MarkDecorator]:
    """What tests of a metric have to be marked with, given its key."""
    if metric == "spbleu":
        return [needs_sentencepiece]
    return [needs_meteor] if metric == "meteor" else []
