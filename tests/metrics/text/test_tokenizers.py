"""Words and tokens against Python's and sacreBLEU's own."""

import pickle
import random
import sys
from functools import partial
from itertools import pairwise, product
from types import ModuleType

import pytest
import sacrebleu

from mteval.base.errors import MissingDependencyError
from mteval.metrics.text.ngrams import by_word, python_spaces
from mteval.metrics.text.tokenizers import (
    TOKENIZERS,
    missing_for,
    multeval_tokenizer,
    require_tokenizer,
    sacrebleu_tokenizer,
)

INSTALLED_TOKENIZERS = [name for name in TOKENIZERS if missing_for(name) is None]
PYTHON_SPACES = [character for character in map(chr, range(sys.maxunicode + 1)) if character.isspace()]


def tokens_of(tokenize, texts):
    """Return the list of tokens of each text."""
    words = tokenize(texts)
    places = words.in_numbers(range(len(words.tokens)))

    # The tokens of all texts in a row; text k has those from starts[k] to starts[k + 1].
    tokens = [words.tokens[place] for place in places.items.tolist()]
    starts = places.starts.tolist()
    return [tokens[start:end] for start, end in pairwise(starts)]


@pytest.mark.parametrize("lowercase", [False, True])
@pytest.mark.parametrize("name", INSTALLED_TOKENIZERS)
def test_tokens_equal_sacrebleus(texts, broken_texts, name, lowercase):
    peer = sacrebleu.BLEU(tokenize=name, lowercase=lowercase)
    for lines in (texts.hypotheses, broken_texts.hypotheses):
        tokens = tokens_of(sacrebleu_tokenizer(name, lowercase), lines)

        assert tokens == [peer._preprocess_segment(line).split() for line in lines]


def test_words_are_cut_together_as_one_by_one():
    generator = random.Random(4)
    letters = "aB5.,-&'\"()$\u00e9\u4e61\u3002"
    texts = []
    for _ in range(300):
        words = ["".join(generator.choices(letters, k=generator.randint(1, 7))) for _ in range(5)]
        texts.append(" ".join([*words, "&quot;<skipped>"]))
    peer = sacrebleu.BLEU(tokenize="13a")
    expected = [peer._preprocess_segment(text).split() for text in texts]

    assert tokens_of(sacrebleu_tokenizer("13a"), texts) == expected

    # A text with the character that is set between words
    texts.append("a\ue000b. \ue000")
    expected.append(["a\ue000b", ".", "\ue000"])
    assert tokens_of(sacrebleu_tokenizer("13a"), texts) == expected


def test_words_equal_pythons_for_every_space_and_beyond_the_first_table():
    texts = []
    for number in range(500):
        for space in PYTHON_SPACES:
            texts.append(f"{space}w{number}{space}{space}x{number % 7}")

    words = tokens_of(lambda lines: by_word(lines, lambda words: [[word] for word in words]), texts)

    assert words == [text.split() for text in texts]


def test_words_of_any_length_and_letters_are_distinguished():
    """Around seven letters, the longest that are their own keys; of one byte, of several, and of value 0."""
    generator = random.Random(3)
    letters = "ab\x00\xff\u0100\u4e61\ud800\U0001f600"
    words = []
    for length in range(1, 18):
        for _ in range(400):
            words.append("".join(generator.choices(letters, k=length)))
    texts = [" ".join(generator.choices(words, k=9)) for _ in range(3000)]
    words_of_texts = [text.split(" ") for text in texts]

    assert tokens_of(lambda lines: by_word(lines, partial(map, list), str.strip), texts) == words_of_texts
    assert len(by_word(texts, partial(map, list), str.strip).tokens) == len(set().union(*words_of_texts))


def test_a_text_larger_than_the_first_table_is_read():
    long = " ".join(map(str, range(9000)))
    texts = ["7 a", long, "8999 a", "", long + " b"]

    tokens = tokens_of(lambda lines: by_word(lines, partial(map, list), str.isalnum), texts)

    assert tokens == [text.split() for text in texts]


def test_table_of_spaces_is_complete():
    characters_after_the_table = map(chr, range(python_spaces().size, sys.maxunicode + 1))

    assert not any(character.isspace() for character in characters_after_the_table)


def test_lowercasing_words_equals_lowercasing_the_text():
    """The Greek sigma looks at its neighbours, but not across a space."""
    texts = []
    for space, left, right in product(PYTHON_SPACES, ("", "Α", "Α."), ("", "Α", ".Α")):
        texts.append(f"{left}Σ{space}{right}")

    tokens = tokens_of(sacrebleu_tokenizer("none", lowercase=True), texts)

    assert tokens == [text.lower().split() for text in texts]


def test_multeval_splits_at_breaking_spaces():
    breaking_spaces = "\t\n\v\f\r \x85\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a"
    breaking_spaces += "\u2028\u2029\u205f\u3000"
    letters_to_multeval = "\u00a0\u2007\u202f\u200b\x1c\x1d\x1e\x1f\x00"

    split_texts = [f"a{space}b" for space in breaking_spaces]
    assert tokens_of(multeval_tokenizer(), split_texts) == [["a", "b"]] * len(split_texts)

    unsplit_texts = [f"a{letter}b" for letter in letters_to_multeval]
    assert tokens_of(multeval_tokenizer(), unsplit_texts) == [[text] for text in unsplit_texts]


def test_blank_texts_have_no_tokens():
    for tokenize in (sacrebleu_tokenizer("13a"), sacrebleu_tokenizer("char"), multeval_tokenizer()):
        assert tokens_of(tokenize, ["", " ", "\t\u3000"]) == [[], [], []]
        assert tokens_of(tokenize, []) == []


def test_missing_tokenizer_package_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)

    missing_tokenizers = {name for name in TOKENIZERS if missing_for(name) is not None}

    assert set(TOKENIZERS) - missing_tokenizers == {"13a", "none", "intl", "char", "zh"}
    for name in missing_tokenizers:
        with pytest.raises(MissingDependencyError, match=f"'{name}' needs the package .*pip install"):
            require_tokenizer(name)


def test_missing_tokenizer_model_is_not_downloaded(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: ModuleType(name))
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(tmp_path))
    with pytest.raises(MissingDependencyError, match=r"flores200sacrebleuspm.*Download it"):
        sacrebleu_tokenizer("flores200")

    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "flores200sacrebleuspm").touch()
    assert missing_for("flores200") is None


@pytest.mark.parametrize("name", INSTALLED_TOKENIZERS)
def test_a_tokenizer_travels_to_another_process(texts, name):
    tokenize = sacrebleu_tokenizer(name)
    assert tokens_of(pickle.loads(pickle.dumps(tokenize)), texts.hypotheses) == tokens_of(tokenize, texts.hypotheses)
