"""Words of both languages with their forms, read from the one-line notation of ``domains.py``."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Noun:
    """Singular and plural in English and German; ``wrong`` holds (singular, plural) of words it may be mistaken for."""

    singular: str
    plural: str
    gender: str
    german: str
    german_plural: str
    wrong: tuple[tuple[str, str], ...]
    plural_only: bool

    @property
    def is_mass(self) -> bool:
        """Whether it has no plural."""
        return self.german_plural == "-"


@dataclass(frozen=True)
class Verb:
    """A verb with an object: English base, past, participle; German infinitive, preterite, participle and prefix."""

    english: tuple[str, str, str]
    german: tuple[str, str, str]
    prefix: str
    wrong: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Adjective:
    """English word and German stem."""

    english: str
    german: str
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class Phrase:
    """A fixed expression of time or place."""

    english: str
    german: str
    wrong: tuple[str, ...]


@dataclass(frozen=True)
class Frame:
    """A verb with the objects it takes and the adjectives that suit all of them."""

    verb: Verb
    objects: tuple[Noun, ...]
    adjectives: tuple[Adjective, ...]


@dataclass(frozen=True)
class Domain:
    """What documents of one kind are about."""

    name: str
    agents: tuple[Noun, ...]
    agent_adjectives: tuple[Adjective, ...]
    frames: tuple[Frame, ...]
    places: tuple[Phrase, ...]


def frame(verb: str, objects: str, adjectives: str) -> Frame:
    """A frame from its notation."""
    return Frame(
        _verb(verb), tuple(map(_noun, objects.split("; "))), tuple(_adjective(part) for part in adjectives.split("; "))
    )


def domain(name: str, agents: str, agent_adjectives: str, places: str, *frames: Frame) -> Domain:
    """A domain from its notation."""
    return Domain(
        name,
        tuple(map(_noun, agents.split("; "))),
        tuple(map(_adjective, agent_adjectives.split("; "))),
        frames,
        phrases(places),
    )


def phrases(notation: str) -> tuple[Phrase, ...]:
    """Phrases, each ``english = german ~ mistaken for, mistaken for``."""
    return tuple(Phrase(*_halves(part)) for part in notation.split("; "))


def _halves(notation: str) -> tuple[str, str, tuple[str, ...]]:
    body, _, wrong = notation.partition(" ~ ")
    english, _, german = body.partition(" = ")
    return english.strip(), german.strip(), tuple(wrong.split(", ")) if wrong else ()


def _noun(notation: str) -> Noun:
    """``town council = m Stadtrat Stadträte ~ city council``; a plus sign first: plural only; ``-``: no plural."""
    english, german, wrong = _halves(notation)
    singular, _, plural = english.removeprefix("+").partition("/")
    gender, german_singular, german_plural = german.split()
    pairs = tuple((word, _plural(word)) for word in wrong)
    forms = (singular, plural or _plural(singular), gender, german_singular, german_plural)
    return Noun(*forms, wrong=pairs, plural_only=english.startswith("+"))


def _verb(notation: str) -> Verb:
    """``reject = ab|lehnen ab|lehnte ab|gelehnt ~ refuse``; irregular English verbs as ``write/wrote/written``."""
    english, german, wrong = _halves(notation)
    parts = english.split("/")
    forms = (parts[0], parts[1], parts[2]) if len(parts) == 3 else _regular(english)
    prefix = german.partition("|")[0] if "|" in german else ""
    infinitive, preterite, participle = (word.rpartition("|")[2] for word in german.split())
    return Verb(forms, (infinitive, preterite, participle), prefix, tuple(map(_regular, wrong)))


def _adjective(notation: str) -> Adjective:
    """``new = neu ~ fresh, recent``."""
    return Adjective(*_halves(notation))


def _plural(word: str) -> str:
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "ies"
    return word + ("es" if word.endswith(("s", "x", "ch", "sh")) else "s")


def _regular(verb: str) -> tuple[str, str, str]:
    """Base, past and participle of a regular English verb."""
    if verb.endswith("y") and verb[-2] not in "aeiou":
        past = verb[:-1] + "ied"
    else:
        past = verb + ("d" if verb.endswith("e") else "ed")
    return verb, past, past
