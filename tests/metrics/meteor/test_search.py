"""The compiled matchers and search do what the plain METEOR does, on languages of few words made up to try them."""

import random

import numpy as np
import pytest

from mteval.metrics.meteor import Meteor, words
from mteval.metrics.meteor.data import MODULES
from mteval.metrics.meteor.words import java_hash
from mteval.values.model import TestSet
from tests.extras import needs_meteor

# av and c8 have the same hash code in Java; hats and hatted have the stem of hat
WORDS = ("av", "c8", "the", "The", "of", "hat", "hats", "hatted", "cap", "caps", "lid", "big", "large", "xx", "yy", ".")
STEMS = {"hats": "hat", "hatted": "hat", "caps": "cap"}
SYNSETS = {"hat": {7, 71}, "cap": {7}, "lid": {71}, "big": {128}, "large": {64, 128}, "xx": {64}}
BASES = {"hats": "hat", "hatted": "hat", "caps": "cap"}
FUNCTION_WORDS = frozenset({"the", "of", "."})


def random_table(draw):
    """Pairs of phrases of one to four words, some more than once."""

    def phrase():
        return " ".join(draw.choices(WORDS, k=draw.choice([1, 1, 1, 2, 2, 3, 4])))

    pairs = [(phrase(), phrase()) for _ in range(250)]
    return pairs + draw.choices(pairs, k=25)


def random_pairs(draw, n):
    """References and hypotheses that share much and repeat words."""
    for _ in range(n):
        words = draw.sample(WORDS, draw.choice([2, 4, 8, len(WORDS)]))
        reference = draw.choices(words, k=draw.choice([0, 1, 2, 4, 8, 12, 16]))
        hypothesis = [draw.choice(WORDS) if draw.random() < 0.15 else word for word in reference]
        cut = draw.randint(0, len(hypothesis))
        if draw.random() < 0.5:
            hypothesis = hypothesis[cut:] + hypothesis[:cut]
        del hypothesis[cut : cut + draw.choice([0, 0, 1, 3])]
        yield reference, hypothesis


def matches_of_plain(plain, *alignment):
    """The matches of the plain METEOR as the tuples that an explanation holds."""
    matches, _ = plain.align(*alignment)
    return [tuple(vars(match).values()) for match in matches]


def synsets_of(word):
    """The synonym sets of a word and of its base form."""
    base = BASES.get(word)
    return frozenset(SYNSETS.get(word, ())) | frozenset(SYNSETS.get(base, ()))


@pytest.fixture
def synonyms(monkeypatch):
    """Let METEOR look up the synonym sets above."""
    entries = {word: " ".join(f"{number:08d}" for number in numbers) for word, numbers in SYNSETS.items()}
    monkeypatch.setattr(words, "english_synonyms", lambda: words.Synonyms(entries, {"hatted": ["hat"]}))


@needs_meteor
@pytest.mark.parametrize(
    ("modules", "beam_size", "seed"),
    [
        (MODULES, 40, 0),
        (MODULES, 40, 1),
        (MODULES, 3, 2),
        (MODULES, 1, 3),
        (("exact", "stem"), 40, 4),
        (("exact", "paraphrase"), 5, 5),
        (("synonym", "paraphrase"), 40, 6),
    ],
)
def test_statistics_and_alignments_equal_plain_meteor(plain, synonyms, tmp_path, modules, beam_size, seed):
    draw = random.Random(seed)
    table = random_table(draw)
    pairs = list(random_pairs(draw, 250))

    file = tmp_path / "table"
    file.write_text("".join(f"0.5\n{source}\n{target}\n" for source, target in table))
    paraphrases = {}
    for source, target in table:
        paraphrases.setdefault(source, []).append(target)
    knowledge = plain.Knowledge(
        java_hash,
        lambda word: STEMS.get(word, word),
        synsets_of,
        paraphrases,
        FUNCTION_WORDS,
    )
    metric = Meteor(
        modules=modules,
        weights=(0.5,) * len(modules),
        beam_size=beam_size,
        paraphrase_file=file,
    )
    scorer = metric.prepare(TestSet("made up", tuple((" ".join(reference),) for reference, _ in pairs)))
    statistics = scorer.statistics(range(len(pairs)), [" ".join(hypothesis) for _, hypothesis in pairs])

    expected_statistics = [plain.statistics(*pair, knowledge, modules, beam_size) for pair in pairs]
    np.testing.assert_array_equal(statistics, expected_statistics)
    for segment in range(0, len(pairs), 5):
        reference, hypothesis = pairs[segment]
        explanation = scorer.explain(segment, " ".join(hypothesis))
        expected_matches = matches_of_plain(plain, reference, hypothesis, knowledge, modules, beam_size)
        assert list(explanation.matches) == expected_matches


@needs_meteor
def test_more_phrases_and_matches_than_there_is_room_for_at_first_are_all_found(plain, tmp_path):
    phrases = [" ".join(["lid"] * length) for length in range(1, 9)]
    file = tmp_path / "table"
    file.write_text("".join(f"0.5\n{phrase}\ncap\n0.5\ncap\n{phrase}\n" for phrase in phrases))
    paraphrases = {"cap": phrases} | {phrase: ["cap"] for phrase in phrases}
    knowledge = plain.Knowledge(java_hash, str, lambda word: frozenset(), paraphrases, frozenset())
    modules = ("exact", "paraphrase")
    reference = ["lid"] * 20
    hypothesis = ["cap", *["lid"] * 18, "cap"]
    metric = Meteor(modules=modules, weights=(0.5, 0.5), paraphrase_file=file)
    scorer = metric.prepare(TestSet("repeated", ((" ".join(reference),),)))

    statistics = scorer.statistics([0], [" ".join(hypothesis)])
    explanation = scorer.explain(0, " ".join(hypothesis))

    np.testing.assert_array_equal(statistics, [plain.statistics(reference, hypothesis, knowledge, modules)])
    assert list(explanation.matches) == matches_of_plain(plain, reference, hypothesis, knowledge, modules)


@needs_meteor
def test_words_with_the_same_hash_code_match_as_they_do_in_java():
    scorer = Meteor(modules=("exact",)).prepare(TestSet("collision", (("av",),)))
    assert scorer.explain(0, "c8").matches == ((0, 1, 0, 1, "exact"),)
    assert scorer.explain(0, "c9").matches == ()


def test_hash_codes_are_those_of_the_java_language_specification():
    # s[0]*31^(n-1) + ... + s[n-1] in 32-bit arithmetic, over UTF-16 units
    assert java_hash("") == 0
    assert java_hash("a") == 97
    assert java_hash("ab") == 31 * 97 + 98
    assert java_hash("😀") == 31 * 0xD83D + 0xDE00
    assert java_hash("polygenelubricants") == -(2**31)  # well known for it
