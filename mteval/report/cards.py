"""A claim over several test sets, on pages and in reports: the sentence to quote, answers, table and figure."""

from collections.abc import Iterator, Sequence

import plotly.graph_objects as go

from mteval.answers.claims import COLUMNS, claim_answers, claim_cells, claim_sentence, forest_words, scope_sentences
from mteval.answers.verdict import card
from mteval.answers.verdict import verdict_line as line_section
from mteval.figures.forest import claim_forest
from mteval.render.html import Markup, cards, table, tag
from mteval.render.html import card as card_markup
from mteval.values.claim import Claim
from mteval.values.verdict import Verdict


def verdict_cards(verdicts: Sequence[Verdict], confidence: float) -> Markup:
    """Cards as HTML."""
    return cards(*(card(verdict, confidence) for verdict in verdicts))


def verdict_line(verdict: Verdict, confidence: float) -> Markup:
    """The verdict in one line as HTML."""
    return card_markup(line_section(verdict, confidence))


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
