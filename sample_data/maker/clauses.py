"""Clauses in both languages at once: English keeps subject, verb, object; German moves its verbs."""

from dataclasses import dataclass

from maker.lexicon import Phrase, Verb
from maker.phrases import Entity, Nominal, english_words, fixed, german_words, is_plural
from maker.pieces import COMMA, Chunk, Clause, Word

# Ranks in the German clause: the finite verb of a main clause stands second, that of a subordinate clause last.
CONJUNCTION, FRONT, SECOND, SUBJECT, TIME, PLACE, OBJECT, NOT, NONFINITE, LAST = range(10)

MODALS = {"will": ("wird", "werden"), "must": ("muss", "müssen"), "can": ("kann", "können")}
MODAL_WRONG = {"will": ("would", "becomes"), "must": ("should", "need"), "can": ("could", "knows")}


@dataclass(frozen=True)
class Proposition:
    """What a clause says; tense: ``past``, ``perfect``, ``not`` (a negated past), ``will``, ``must`` or ``can``."""

    subject: Entity
    verb: Verb
    thing: Nominal
    tense: str = "past"
    time: Phrase | None = None
    place: Phrase | None = None


def main_clause(said: Proposition, *, time_first: bool = False, inverted: bool = False) -> Clause:
    """``Last week, the council approved the plan``; inverted: German has something else before its verb."""
    chunks: list[Chunk] = []
    if said.time and time_first:
        front = fixed(said.time, FRONT)
        chunks.append(Chunk((*front.words, COMMA), front.german, FRONT, front.wrong))
    subject_rank = SUBJECT if inverted or (said.time and time_first) else FRONT
    chunks.append(Chunk(english_words(said.subject), german_words(said.subject, "nom"), subject_rank))
    chunks += _verbs(said, final=False)
    return (*chunks, *_rest(said, with_time=not time_first))


def subordinate_clause(english: str, german: str, said: Proposition, *, comma: bool) -> Clause:
    """``because the council approved the plan``, with the verb last in German."""
    head = Chunk(
        ((COMMA,) if comma else ()) + tuple(Word(part) for part in english.split()), tuple(german.split()), CONJUNCTION
    )
    subject = Chunk(english_words(said.subject), german_words(said.subject, "nom"), SUBJECT)
    return (head, subject, *_verbs(said, final=True), *_rest(said, with_time=True))


def purpose_clause(verb: Verb, thing: Entity) -> Clause:
    """``in order to reject the offer``: ``um das Angebot abzulehnen``."""
    head = Chunk(tuple(Word(part) for part in ("in", "order", "to")), (",", "um"), CONJUNCTION)
    action = Chunk((_verb_word(verb, 0),), _zu(verb), NONFINITE)
    return head, action, Chunk(english_words(thing), german_words(thing, "acc"), OBJECT)


def coordinate_clause(verb: Verb, thing: Entity, plural: bool) -> Clause:
    """``and rejected the offer``."""
    head = Chunk((Word("and"),), ("und",), CONJUNCTION)
    finite = Chunk((_verb_word(verb, 1),), (_preterite(verb, plural),), SECOND)
    prefix = (Chunk((), (verb.prefix,), NONFINITE),) if verb.prefix else ()
    return (head, finite, *prefix, Chunk(english_words(thing), german_words(thing, "acc"), OBJECT))


def passive_clause(said: Proposition) -> Clause:
    """``The plan was approved by the council``: ``Der Plan wurde vom Stadtrat genehmigt``."""
    plural = is_plural(said.thing)
    was, were = ("were", "was") if plural else ("was", "were")
    by = " ".join(("von", *german_words(said.subject, "dat"))).replace("von dem ", "vom ")
    return (
        Chunk(english_words(said.thing), german_words(said.thing, "nom"), FRONT),
        Chunk((Word(was, "auxiliary", ("became",), were),), ("wurden" if plural else "wurde",), SECOND),
        Chunk((_verb_word(said.verb, 2),), (said.verb.prefix + said.verb.german[2],), NONFINITE),
        Chunk((Word("by", "preposition"), *english_words(said.subject)), tuple(by.split()), OBJECT),
        *_adverbials(said, with_time=True),
    )


def _rest(said: Proposition, *, with_time: bool) -> Clause:
    thing = Chunk(english_words(said.thing), german_words(said.thing, "acc"), OBJECT)
    return (thing, *_adverbials(said, with_time=with_time))


def _adverbials(said: Proposition, *, with_time: bool) -> Clause:
    places = (fixed(said.place, PLACE),) if said.place else ()
    times = (fixed(said.time, TIME),) if said.time and with_time else ()
    return places + times


def _verbs(said: Proposition, *, final: bool) -> Clause:
    """The verbal chunks in English order; ``final`` puts the German finite verb last."""
    verb, plural = said.verb, is_plural(said.subject)
    finite_rank = LAST if final else SECOND
    if said.tense == "perfect":
        has, have = ("have", "has") if plural else ("has", "have")
        auxiliary = Word(has, "auxiliary", ("had",), have)
        return (
            Chunk((auxiliary,), ("haben" if plural else "hat",), finite_rank),
            Chunk((_verb_word(verb, 2),), (verb.prefix + verb.german[2],), NONFINITE),
        )
    if said.tense in MODALS:
        auxiliary = Word(said.tense, "auxiliary", MODAL_WRONG[said.tense])
        return (
            Chunk((auxiliary,), (MODALS[said.tense][plural],), finite_rank),
            Chunk((_verb_word(verb, 0),), (verb.prefix + verb.german[0],), NONFINITE),
        )
    return _preterite_chunks(said, final=final)


def _preterite_chunks(said: Proposition, *, final: bool) -> Clause:
    verb, finite = said.verb, _preterite(said.verb, is_plural(said.subject))
    negated = said.tense == "not"
    words = (Word("did", "auxiliary"), Word("not"), _verb_word(verb, 0)) if negated else (_verb_word(verb, 1),)
    negation = (Chunk((), ("nicht",), NOT),) if negated else ()
    if final:
        return (*negation, Chunk(words, (verb.prefix + finite,), LAST))
    prefix = (Chunk((), (verb.prefix,), NONFINITE),) if verb.prefix else ()
    return (Chunk(words, (finite,), SECOND), *negation, *prefix)


def _verb_word(verb: Verb, form: int) -> Word:
    """The English verb in form 0 (base), 1 (past) or 2 (participle)."""
    bent = verb.english[1] if form == 0 else verb.english[0]
    return Word(verb.english[form], "content", tuple(wrong[form] for wrong in verb.wrong), bent)


def _preterite(verb: Verb, plural: bool) -> str:
    form = verb.german[1]
    return form + ("n" if form.endswith("e") else "en") if plural else form


def _zu(verb: Verb) -> tuple[str, ...]:
    return (f"{verb.prefix}zu{verb.german[0]}",) if verb.prefix else ("zu", verb.german[0])
