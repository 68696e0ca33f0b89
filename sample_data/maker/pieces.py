"""What the grammar makes: words in chunks in clauses, in English order and with the rank of each chunk in German."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Word:
    """An English word.

    Parameters
    ----------
    text
        The word in the reference.
    kind
        ``content``, ``determiner``, ``preposition``, ``auxiliary`` or ``other``.
    wrong
        Words of another meaning or tone that a decoder may choose.
    bent
        The same word in a form that does not agree (``were`` for ``was``), if there is one.
    german
        The German word, where a decoder may leave it standing.
    """

    text: str
    kind: str = "other"
    wrong: tuple[str, ...] = ()
    bent: str = ""
    german: str = ""


@dataclass(frozen=True)
class Chunk:
    """English words that stay together, their German counterpart, and the place of that in the German clause."""

    words: tuple[Word, ...]
    german: tuple[str, ...]
    rank: float
    wrong: tuple[str, ...] = ()


COMMA = Word(",")
Clause = tuple[Chunk, ...]
Sentence = tuple[Clause, ...]


def german_order(clause: Clause) -> tuple[int, ...]:
    """Indices of the chunks as German would order them."""
    return tuple(sorted(range(len(clause)), key=lambda index: (clause[index].rank, index)))


def english_text(sentence: Sentence) -> str:
    """The reference."""
    return detokenize([word.text for clause in sentence for chunk in clause for word in chunk.words])


def german_text(sentence: Sentence) -> str:
    """The source."""
    words = [word for clause in sentence for index in german_order(clause) for word in clause[index].german]
    return detokenize(words, fix_articles=False)


def detokenize(words: Sequence[str], *, fix_articles: bool = True) -> str:
    """One line: articles that suit the next word, no blank before a comma, a capital first, a full stop last."""
    kept = [word for word in words if word]
    if fix_articles:
        for index, word in enumerate(kept[:-1]):
            if word == "a" and kept[index + 1][0].lower() in "aeiou" and not kept[index + 1].startswith(("use", "uni")):
                kept[index] = "an"
    line = " ".join(kept).replace(" ,", ",").strip(" ,")
    return line[0].upper() + line[1:] + "."
