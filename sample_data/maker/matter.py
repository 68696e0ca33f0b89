"""What a document is about, and the propositions that its sentences can make of that."""

from dataclasses import dataclass

from maker.clauses import Proposition
from maker.lexicon import Domain, Noun, Phrase, Verb, phrases
from maker.phrases import Entity, Nominal, Person, Pronoun, nominal
from maker.stream import Stream

TOWNS = ("Ebersfeld", "Marbrück", "Hohenau", "Lindtal", "Osterhagen", "Wiesenburg", "Kaltenbach", "Rodenstein")
PEOPLE = tuple(
    Person(name, feminine)
    for feminine, names in (
        (True, ("Clara Winter", "Hanna Vogel", "Ines Albrecht", "Sabine Roth", "Emilia Krause")),
        (False, ("Jonas Berger", "Martin Seidel", "Paul Lorenz", "Emre Aydin", "Felix Brandt")),
    )
    for name in names
)
PAST = phrases(
    "yesterday = gestern ~ the day before; last week = letzte Woche ~ in the past week, the final week; this morning ="
    " heute Morgen ~ today in the morning, today tomorrow; on Monday = am Montag ~ at Monday, the Monday; in March ="
    " im März ~ on March, in the March; two years ago = vor zwei Jahren ~ before two years, two years before; on"
    " Saturday"
    " evening = am Samstagabend ~ at Saturday night, on the Saturday evening; in 2019 = im Jahr 2019 ~ in the"
    " year 2019,"
    " at 2019; after the holidays = nach den Ferien ~ to the holidays, after the vacation; three days later ="
    " drei Tage später ~ three later days, three days after"
)
FUTURE = phrases(
    "tomorrow = morgen ~ morning; next week = nächste Woche ~ the coming week, in the next week; in the summer ="
    " im Sommer ~ in summer, at the summer; on Friday = am Freitag ~ at Friday, the Friday; before the end of"
    " the year ="
    " vor Jahresende ~ before year end, ahead of the year's end; in two months = in zwei Monaten ~ after two months"
)
PERFECT = phrases(
    "this year = in diesem Jahr ~ in this year; this week = in dieser Woche ~ in this week; in recent months ="
    " in den letzten Monaten ~ in the last months, over the past months; since January = seit Januar ~ since the"
    " January"
)
TIMES = {"past": PAST, "perfect": PERFECT, "will": FUTURE, "must": FUTURE, "can": FUTURE, "not": PAST}


@dataclass(frozen=True)
class Matter:
    """What the sentences of one document share."""

    domain: Domain
    person: Person
    agents: tuple[Noun, ...]
    places: tuple[Phrase, ...]


def matter(stream: Stream, domain: Domain) -> Matter:
    """One town, one person and some of the agents of the domain."""
    town = stream.pick(TOWNS)
    start = stream.integer(0, len(domain.agents) - 1)
    agents = (domain.agents * 2)[start : start + 4]
    places = (*domain.places, Phrase(f"in {town}", f"in {town}", (f"at {town}", f"of {town}")))
    return Matter(domain, stream.pick(PEOPLE), agents, places)


def subject(stream: Stream, matter: Matter, position: int) -> Entity:
    """Who acts: the person by name in the first sentence, later often as a pronoun, or an agent."""
    if position == 0:
        return matter.person
    if stream.chance(0.3):
        return Pronoun(matter.person) if stream.chance(0.7) else matter.person
    return agent(stream, matter)


def agent(stream: Stream, matter: Matter, besides: Entity | None = None) -> Nominal:
    """One of the agents, known to the reader, and not the one named already."""
    named = besides.noun if isinstance(besides, Nominal) else None
    nouns = [noun for noun in matter.agents if noun != named]
    return nominal(stream, stream.pick(nouns), matter.domain.agent_adjectives, determiner="the")


def proposition(
    stream: Stream, matter: Matter, who: Entity, tense: str, *, full: bool, besides: Verb | None = None
) -> Proposition:
    """Somebody does something; ``full`` adds time and place, ``besides`` is a verb used already."""
    frame = stream.pick([frame for frame in matter.domain.frames if frame.verb != besides])
    negated = tense == "not"  # German would need ``kein`` with an indefinite object
    thing = nominal(stream, stream.pick(frame.objects), frame.adjectives, determiner="the" if negated else "")
    time = stream.pick(TIMES[tense]) if full and stream.chance(0.75) else None
    place = stream.pick(matter.places) if full and not negated and stream.chance(0.5) else None
    return Proposition(who, frame.verb, thing, tense, time, place)


def other_action(stream: Stream, matter: Matter, said: Proposition) -> tuple[Verb, Nominal]:
    """A second thing to do, with another verb."""
    other = proposition(stream, matter, said.subject, "past", full=False, besides=said.verb)
    return other.verb, other.thing
