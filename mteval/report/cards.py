"""The verdict on each system as a card, on pages and in reports: what is shown, how large it is, the two questions."""

from collections.abc import Iterator, Sequence

from mteval.answers.verdict import (
    PROVISIONAL,
    Said,
    both_answer,
    both_in_short,
    gain,
    provisional_help,
    test_set_luck_answer,
    test_set_luck_in_short,
)
from mteval.render.html import Markup, tag
from mteval.report.score_tables import shape_of
from mteval.values.verdict import Verdict


def verdict_cards(verdicts: Sequence[Verdict], confidence: float) -> Markup:
    """One card a system, beside one another; the answers in full are folded up."""
    return tag("div", *(_card(verdict, confidence) for verdict in verdicts), class_="mt-verdicts")


def verdict_line(verdict: Verdict, confidence: float) -> Markup:
    """The verdict in one line, where its card stands elsewhere."""
    about = f"{verdict.system} against {verdict.baseline}: {gain(verdict, confidence)}"
    return tag("p", *_word(verdict), " · ", about, class_="mt-verdict-line")


def _card(verdict: Verdict, confidence: float) -> Markup:
    said = (test_set_luck_answer(verdict), both_answer(verdict, confidence))
    in_short = (test_set_luck_in_short(verdict), both_in_short(verdict))
    questions = [_pair(one.question, short) for one, short in zip(said, in_short, strict=True)]
    return tag(
        "section",
        tag("h4", f"{verdict.system} against {verdict.baseline}"),
        tag("p", *_word(verdict), class_="mt-word"),
        tag("p", gain(verdict, confidence), class_="mt-gain"),
        tag("dl", *questions, class_="mt-questions"),
        tag("details", tag("summary", "In full"), *_in_full(said)),
        class_=f"mt-verdict mt-edge-{verdict.conclusion.role}",
    )


def _word(verdict: Verdict) -> Iterator[Markup]:
    yield shape_of(verdict)
    yield tag("b", verdict.conclusion.word)
    if verdict.is_provisional:
        yield tag("span", PROVISIONAL, class_="mt-provisional", title=provisional_help(verdict.runs).capitalize())


def _pair(question: str, short: str) -> Markup:
    return tag("div", tag("dt", question), tag("dd", short))


def _in_full(said: Sequence[Said]) -> Iterator[Markup]:
    for one in said:
        yield tag("p", tag("b", f"{one.question}: "), one.answer)
