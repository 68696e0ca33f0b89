"""Sentences: the ways in which one or two propositions are put."""

from dataclasses import replace

from maker.clauses import (
    CONJUNCTION,
    coordinate_clause,
    main_clause,
    passive_clause,
    purpose_clause,
    subordinate_clause,
)
from maker.matter import PAST, Matter, agent, other_action, proposition, subject
from maker.phrases import english_words, german_words, is_plural
from maker.pieces import COMMA, Chunk, Clause, Sentence
from maker.stream import Stream

SAID = (
    ("said that", "sagte , dass", "sagten , dass"),
    ("confirmed that", "bestätigte , dass", "bestätigten , dass"),
    ("reported that", "berichtete , dass", "berichteten , dass"),
)
BECAUSE = (("because", ", weil", False), ("although", ", obwohl", True), ("while", ", während", False))


def sentence(stream: Stream, matter: Matter, position: int) -> Sentence:
    """The sentence at this position of a document."""
    makers = (*(_simple, _reported) * 2, *(_explained,) * 3, _coordinated, _purposeful, _passive)
    return stream.pick(makers)(stream, matter, position)


def _simple(stream: Stream, matter: Matter, position: int) -> Sentence:
    tense = stream.pick(("past", "past", "past", "perfect", "will", "must", "not"))
    said = proposition(stream, matter, subject(stream, matter, position), tense, full=True)
    return (main_clause(said, time_first=stream.chance(0.5)),)


def _reported(stream: Stream, matter: Matter, position: int) -> Sentence:
    speaker = subject(stream, matter, position)
    english, german, german_plural = stream.pick(SAID)
    tense = stream.pick(("past", "perfect", "will", "can"))
    said = proposition(stream, matter, agent(stream, matter, besides=speaker), tense, full=True)
    head = Chunk(english_words(speaker), german_words(speaker, "nom"), CONJUNCTION)
    verb = german_plural if is_plural(speaker) else german
    return (head,), subordinate_clause(english, verb, said, comma=False)


def _explained(stream: Stream, matter: Matter, position: int) -> Sentence:
    english, german, comma = stream.pick(BECAUSE)
    first = proposition(stream, matter, subject(stream, matter, position), stream.pick(("past", "not")), full=True)
    other = agent(stream, matter, besides=first.subject)
    second = proposition(stream, matter, other, "past", full=False, besides=first.verb)
    if stream.chance(0.3):
        front = subordinate_clause(english, german.removeprefix(", "), second, comma=False)
        return front, _after_comma(main_clause(replace(first, time=None), inverted=True))
    return main_clause(first, time_first=stream.chance(0.4)), subordinate_clause(english, german, second, comma=comma)


def _coordinated(stream: Stream, matter: Matter, position: int) -> Sentence:
    who = subject(stream, matter, position)
    first = replace(proposition(stream, matter, who, "past", full=False), time=stream.pick(PAST))
    verb, thing = other_action(stream, matter, first)
    return main_clause(first, time_first=True), coordinate_clause(verb, thing, is_plural(who))


def _purposeful(stream: Stream, matter: Matter, position: int) -> Sentence:
    tense = stream.pick(("past", "perfect", "will"))
    said = proposition(stream, matter, subject(stream, matter, position), tense, full=True)
    return main_clause(said, time_first=stream.chance(0.4)), purpose_clause(*other_action(stream, matter, said))


def _passive(stream: Stream, matter: Matter, position: int) -> Sentence:
    return (passive_clause(proposition(stream, matter, agent(stream, matter), "past", full=True)),)


def _after_comma(clause: Clause) -> Clause:
    return (Chunk((COMMA,), (",",), CONJUNCTION), *clause)
