"""The two answers for one system, side by side, on pages and in reports."""

from collections.abc import Mapping

from mteval.export.html import answer_block
from mteval.export.markup import Markup, tag
from mteval.export.sentences import both_sentence, test_set_luck_sentence
from mteval.verdict import Answer, Verdict

_LOOKS: Mapping[Answer, str] = {"ruled out": "good", "open": "warning", "refused": "note"}


def answer_pair(verdict: Verdict, confidence: float) -> Markup:
    """The two sentences, each under its question."""
    sentences = (
        (verdict.test_set_luck, test_set_luck_sentence(verdict)),
        (verdict.both, both_sentence(verdict, confidence)),
    )
    return tag("div", *(_answer(answer, verdict.system, text) for answer, text in sentences), class_="mt-answers")


def _answer(answer: Answer, system: str, sentence: str) -> Markup:
    question, text = sentence.split(": ", 1)
    return answer_block(f"{system} · {question}", text[:1].upper() + text[1:], _LOOKS[answer])
