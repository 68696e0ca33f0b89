"""METEOR's words are those that METEOR 1.5 makes of a line.

``tokenized.jsonl`` holds what METEOR 1.5 put out (``-norm -writeAlignments``, without and with ``-noPunct``, Java 17)
for lines made to try its tokenizer: language, level, line, words.
"""

import json
import re
from itertools import product
from pathlib import Path

import pytest

from mteval.metrics.meteor.data import LANGUAGES, read_packaged
from mteval.metrics.meteor.words import Normalizer, read_prefixes
from tests.extras import needs_meteor

RECORDED = [json.loads(line) for line in Path(__file__).with_name("tokenized.jsonl").read_text("utf-8").splitlines()]


@needs_meteor
@pytest.mark.parametrize("language", ["en", "fr", "de", "es", "ru", "cz"])
def test_words_equal_meteors(language):
    prefixes = read_prefixes(read_packaged(f"nonbreaking/{LANGUAGES[language]}.prefixes"))
    rows = [row for row in RECORDED if row[0] == language]
    assert len(rows) >= 4
    for _, level, line, recorded_words in rows:
        expected_words = []
        if recorded_words:
            expected_words = recorded_words.split(" ")
        assert Normalizer(level, language, prefixes).words(line) == expected_words, (level, line)


def test_untokenized_text_is_split_at_five_kinds_of_white_space_only():
    text = "\fThe\tcat  sat\u00a0on\ra\nMAT\v\x1c\u2028."

    assert Normalizer("none").words(text) == ["The", "cat", "sat\u00a0on", "a", "MAT\v\x1c\u2028."]
    assert Normalizer("lowercase").words(text)[-1] == "mat\v\x1c\u2028."


def test_blank_text_has_no_words():
    for level in ("none", "lowercase", "tokenize", "no-punctuation"):
        assert Normalizer(level).words(" \t ") == []


def test_commas_are_set_apart_as_by_three_rules_one_after_the_other():
    for letters in product("a1, ", repeat=6):
        line = f" {''.join(letters)} "
        expected = line
        for rule in ("([^0-9]),([^0-9])", "([0-9]),([^0-9])", "([^0-9]),([0-9])"):
            expected = re.sub(rule, r"\1 , \2", expected)
        assert Normalizer("tokenize").words(line) == expected.split(), line
