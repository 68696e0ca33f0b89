"""What a weak decoder could say for one source sentence: choices of words and of order, each with its model scores."""

from dataclasses import dataclass
from itertools import pairwise

from maker.phrases import PREPOSITIONS
from maker.pieces import COMMA, Chunk, Clause, Sentence, Word, german_order
from maker.stream import Stream

FEATURES = ("LM", "Phrase", "Inverse", "Lexical", "Distortion", "WordPenalty", "UnknownWord", "Reordering")
LM, PHRASE, INVERSE, LEXICAL, DISTORTION, WORDS, UNKNOWN, REORDERING = range(len(FEATURES))
MODELS = (LM, PHRASE, INVERSE, LEXICAL)
SCALE = 1000  # features are whole thousandths, so that every sum is exact

# How much each of the models takes off for a mistake, before noise; they see little, so that tuning matters.
SIGNAL = {
    "meaning": (0.20, 0.40, 0.30, 0.30),
    "untranslated": (1.00, 0.10, 0.10, 0.10),
    "agreement": (0.50, 0.10, 0.10, 0.10),
    "function": (0.45, 0.15, 0.10, 0.05),
    "insertion": (0.30, 0.10, 0.10, 0.30),
    "order": (0.60, 0.0, 0.0, 0.0),
}
NOISE = (0.65, 0.65, 0.65, 0.65)
REORDERING_SIGNAL, REORDERING_NOISE = 0.7, 0.8
UNAVAILABLE = 0.45  # share of words whose right translation the decoder does not know
INSERTED = ("the", "of", "to", "also", "it", "there")
DROPPED = ""


@dataclass(frozen=True)
class Option:
    """One way to fill a slot, with what it adds to the features, in thousandths."""

    text: str
    features: tuple[int, ...]


@dataclass(frozen=True)
class Order:
    """One order of the chunks of a clause, with what it adds to the features."""

    chunks: tuple[int, ...]
    features: tuple[int, ...]


Slot = tuple[Option, ...]


@dataclass(frozen=True)
class Lattice:
    """Per clause the possible orders, and per clause and chunk the slots to fill."""

    orders: tuple[tuple[Order, ...], ...]
    slots: tuple[tuple[tuple[Slot, ...], ...], ...]


def lattice(stream: Stream, sentence: Sentence) -> Lattice:
    """The choices for one sentence. The scores of a choice are drawn once: all candidates that make it share them."""
    return Lattice(
        tuple(_orders(stream, clause) for clause in sentence),
        tuple(tuple(_chunk_slots(stream, chunk) for chunk in clause) for clause in sentence),
    )


def _chunk_slots(stream: Stream, chunk: Chunk) -> tuple[Slot, ...]:
    if not chunk.words:
        return ()
    inserted = _slot(stream, DROPPED, [(stream.pick(INSERTED), "insertion")], known=True)
    if chunk.wrong:
        right = " ".join(word.text for word in chunk.words if word != COMMA)
        filled: tuple[Slot, ...] = (_slot(stream, right, [(text, "meaning") for text in chunk.wrong]),)
        if chunk.words[-1] == COMMA:
            filled += (_slot(stream, ",", [], known=True),)
    else:
        filled = tuple(_word_slot(stream, word) for word in chunk.words)
    return (inserted, *filled)


def _word_slot(stream: Stream, word: Word) -> Slot:
    wrong = [(text, "meaning") for text in word.wrong]
    if word.bent:
        wrong.append((word.bent, "agreement"))
    if word.german:
        wrong.append((word.german, "untranslated"))
    if word.kind == "determiner":
        wrong += [(DROPPED, "function"), ("a" if word.text == "the" else "the", "function")]
    if word.kind == "auxiliary":
        wrong.append((DROPPED, "function"))
    if word.kind == "preposition":
        wrong += [(stream.pick(PREPOSITIONS), "function"), (DROPPED, "function")]
    return _slot(stream, word.text, wrong, known=word.kind != "content")


def _slot(stream: Stream, right: str, wrong: list[tuple[str, str]], *, known: bool = False) -> Slot:
    """The right option first, unless the decoder happens not to know it."""
    right_option = Option(right, _scores(stream, right, ""))
    others = tuple(Option(text, _scores(stream, text, kind)) for text, kind in wrong if text != right)
    if not known and others and stream.chance(UNAVAILABLE):
        return others
    return (right_option, *others)


def _scores(stream: Stream, text: str, mistake: str) -> tuple[int, ...]:
    features = [0] * len(FEATURES)
    signal = SIGNAL[mistake] if mistake else (0.0,) * len(MODELS)
    for model, size, noise in zip(MODELS, signal, NOISE, strict=True):
        features[model] = round(SCALE * (noise * stream.normal() - size))
    features[WORDS] = -SCALE * len(text.split())
    features[UNKNOWN] = -SCALE * (mistake == "untranslated")
    return tuple(features)


def _orders(stream: Stream, clause: Clause) -> tuple[Order, ...]:
    """The English order, the German one, and both with two neighbours exchanged."""
    english, german = tuple(range(len(clause))), german_order(clause)
    places = {chunk: place for place, chunk in enumerate(german)}
    orders = [english]
    for order in (german, _exchanged(stream, english), _exchanged(stream, german)):
        if _spoken(clause, order) not in {_spoken(clause, other) for other in orders}:
            orders.append(order)
    return tuple(Order(order, _order_scores(stream, order, places, wrong=order != english)) for order in orders)


def _exchanged(stream: Stream, order: tuple[int, ...]) -> tuple[int, ...]:
    if len(order) < 3:
        return order
    first = stream.integer(1, len(order) - 2)
    return (*order[:first], order[first + 1], order[first], *order[first + 2 :])


def _spoken(clause: Clause, order: tuple[int, ...]) -> tuple[int, ...]:
    """The order without chunks that have no English words."""
    return tuple(index for index in order if clause[index].words)


def _order_scores(stream: Stream, order: tuple[int, ...], places: dict[int, int], *, wrong: bool) -> tuple[int, ...]:
    features = [0] * len(FEATURES)
    path = [places[chunk] for chunk in order]
    features[DISTORTION] = -SCALE * sum(abs(after - before - 1) for before, after in pairwise(path))
    features[LM] = round(SCALE * (NOISE[LM] * stream.normal() - SIGNAL["order"][LM] * wrong))
    features[REORDERING] = round(SCALE * (REORDERING_NOISE * stream.normal() - REORDERING_SIGNAL * wrong))
    return tuple(features)
