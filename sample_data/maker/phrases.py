"""Noun phrases in both languages, with German case, gender, number and adjective endings."""

from dataclasses import dataclass

from maker.lexicon import Adjective, Noun, Phrase
from maker.pieces import Chunk, Word
from maker.stream import Stream

DEFINITE = {
    "nom": {"m": "der", "f": "die", "n": "das", "p": "die"},
    "acc": {"m": "den", "f": "die", "n": "das", "p": "die"},
    "dat": {"m": "dem", "f": "der", "n": "dem", "p": "den"},
}
INDEFINITE = {
    "nom": {"m": "ein", "f": "eine", "n": "ein"},
    "acc": {"m": "einen", "f": "eine", "n": "ein"},
    "dat": {"m": "einem", "f": "einer", "n": "einem"},
}
# Endings of the adjective after each kind of determiner; "none" also stands for bare numbers.
ENDINGS = {
    "the": {
        "nom": {"m": "e", "f": "e", "n": "e", "p": "en"},
        "acc": {"m": "en", "f": "e", "n": "e", "p": "en"},
        "dat": {"m": "en", "f": "en", "n": "en", "p": "en"},
    },
    "a": {
        "nom": {"m": "er", "f": "e", "n": "es"},
        "acc": {"m": "en", "f": "e", "n": "es"},
        "dat": {"m": "en", "f": "en", "n": "en"},
    },
    "none": {
        "nom": {"m": "er", "f": "e", "n": "es", "p": "e"},
        "acc": {"m": "en", "f": "e", "n": "es", "p": "e"},
        "dat": {"m": "em", "f": "er", "n": "em", "p": "en"},
    },
}
PREPOSITIONS = ("in", "at", "on", "by", "of", "to", "for", "with", "from")


@dataclass(frozen=True)
class Person:
    """Somebody with a name, who is he or she from the second mention on."""

    name: str
    feminine: bool


@dataclass(frozen=True)
class Nominal:
    """A noun phrase before it has a case. ``determiner`` is ``the``, ``a``, ``none`` or a number."""

    noun: Noun
    determiner: str
    plural: bool
    adjective: Adjective | None


@dataclass(frozen=True)
class Pronoun:
    """He or she."""

    person: Person


Entity = Nominal | Person | Pronoun


def nominal(stream: Stream, noun: Noun, adjectives: tuple[Adjective, ...], *, determiner: str = "") -> Nominal:
    """A phrase with this noun; ``determiner`` fixes what is otherwise drawn."""
    adjective = stream.pick(adjectives) if stream.chance(0.55) else None
    plural = noun.plural_only or (not noun.is_mass and stream.chance(0.3))
    if not determiner:
        determiner = stream.pick(_determiners(stream, noun, plural))
    return Nominal(noun, determiner, plural, adjective)


def _determiners(stream: Stream, noun: Noun, plural: bool) -> tuple[str, ...]:
    if plural:
        return "the", "none", str(stream.integer(12, 40))
    return ("the", "none") if noun.is_mass else ("the", "the", "a")


def is_plural(entity: Entity) -> bool:
    """Whether the verb takes its plural form."""
    return isinstance(entity, Nominal) and entity.plural


def english_words(entity: Entity) -> tuple[Word, ...]:
    """The phrase in English, each word with what may go wrong in it."""
    if isinstance(entity, Person):
        return tuple(Word(part) for part in entity.name.split())
    if isinstance(entity, Pronoun):
        pronoun, wrong = ("she", ("they", "it")) if entity.person.feminine else ("he", ("it", "him"))
        return (Word(pronoun, "content", wrong),)
    words: list[Word] = []
    if entity.determiner != "none":
        numeral = entity.determiner.isdigit()
        words.append(Word(entity.determiner, "other" if numeral else "determiner"))
    if entity.adjective:
        adjective = entity.adjective
        words.append(Word(adjective.english, "content", adjective.wrong, german=_inflect(entity, "nom").lower()))
    return (*words, _noun_word(entity))


def german_words(entity: Entity, case: str) -> tuple[str, ...]:
    """The phrase in German, in the given case."""
    if isinstance(entity, Person):
        return (entity.name,)
    if isinstance(entity, Pronoun):
        return ("sie" if entity.person.feminine else "er",)
    gender = "p" if entity.plural else entity.noun.gender
    words = []
    if entity.determiner == "the":
        words.append(DEFINITE[case][gender])
    elif entity.determiner == "a":
        words.append(INDEFINITE[case][gender])
    elif entity.determiner != "none":
        words.append(entity.determiner)
    if entity.adjective:
        words.append(_inflect(entity, case))
    return (*words, _german_noun(entity, case))


def fixed(phrase: Phrase, rank: float) -> Chunk:
    """An expression of time or place."""
    words = tuple(Word(part, "preposition" if part in PREPOSITIONS else "other") for part in phrase.english.split())
    return Chunk(words, tuple(phrase.german.split()), rank, phrase.wrong)


def _noun_word(entity: Nominal) -> Word:
    noun = entity.noun
    singular_wrong, plural_wrong = tuple(pair[0] for pair in noun.wrong), tuple(pair[1] for pair in noun.wrong)
    if entity.plural:
        return Word(noun.plural, "content", plural_wrong, noun.singular, noun.german_plural)
    return Word(noun.singular, "content", singular_wrong, "" if noun.is_mass else noun.plural, noun.german)


def _german_noun(entity: Nominal, case: str) -> str:
    if not entity.plural:
        return entity.noun.german
    plural = entity.noun.german_plural
    return plural + "n" if case == "dat" and not plural.endswith(("n", "s")) else plural


def _inflect(entity: Nominal, case: str) -> str:
    """The German adjective with its ending."""
    assert entity.adjective is not None
    kind = entity.determiner if entity.determiner in ENDINGS else "none"
    gender = "p" if entity.plural else entity.noun.gender
    return entity.adjective.german.removesuffix("e") + ENDINGS[kind][case][gender]
