"""The verdict on each system as a card, on pages and in reports: what is shown, how large it is, the two questions.

A claim over several test sets, on pages and in reports: the sentence to quote, answers, table and figure.
"""

from collections.abc import Iterator, Sequence

import plotly.graph_objects as go

from mteval.answers.claims import COLUMNS, claim_answers, claim_cells, claim_sentence, forest_words, scope_sentences
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
from mteval.figures.forest import claim_forest
from mteval.render.html import Markup, table, tag
from mteval.report.score_tables import shape_of
from mteval.values.claim import Claim
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


TITLE = "Several test sets together"


def claim_card(claim: Claim, confidence: float) -> Markup:
    """The verdict on a system over all test sets, with the answers below."""
    conclusion = claim.conclusion
    shape = tag("span", conclusion.shape, class_=f"mt-shape mt-role-{conclusion.role}", aria_hidden="true")
    answers = [tag("p", tag("b", f"{said.question}: "), said.answer) for said in claim_answers(claim, confidence)]
    return tag(
        "section",
        tag("h4", f"{claim.system} against {claim.baseline} on {claim.n_test_sets} test sets"),
        tag("p", shape, tag("b", conclusion.word), class_="mt-word"),
        tag("p", claim_sentence(claim, confidence), class_="mt-gain"),
        *answers,
        class_=f"mt-verdict mt-edge-{conclusion.role}",
    )


def claim_table(claim: Claim) -> Markup:
    """A row a test set, and the mean."""
    caption = f"{claim.metric_name}: {claim.system} against {claim.baseline}, by test set"
    return table(COLUMNS, list(claim_cells(claim)), caption=caption)


def claim_parts(claims: Sequence[Claim], confidence: float) -> Iterator[str | go.Figure]:
    """Of the claims by one metric all that a report shows."""
    for claim in claims:
        yield claim_card(claim, confidence)
        yield claim_forest(claim, confidence)
        yield tag("p", forest_words(claim, confidence), class_="mt-quiet")
        yield claim_table(claim)
        yield tag("p", scope_sentences(claim), class_="mt-quiet")
