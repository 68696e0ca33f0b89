"""The two answers for each system, side by side, on pages and in reports."""

from collections.abc import Iterator, Mapping, Sequence

from mteval.counts import counted
from mteval.export.html import answer_block
from mteval.export.markup import Markup, tag
from mteval.export.prose.answers import Said, both_answer, test_set_luck_answer
from mteval.verdict import Answer, Verdict

_LOOKS: Mapping[Answer, str] = {"ruled out": "good", "open": "warning", "refused": "note"}


def answer_pairs(verdicts: Sequence[Verdict], confidence: float) -> Iterator[Markup]:
    """The two sentences on each system, each under its question; a refusal that all systems share stands once."""
    refusals = {both_answer(verdict, confidence) for verdict in verdicts if verdict.both == "refused"}
    is_shared = len(verdicts) > 1 and len(refusals) == 1 and all(verdict.both == "refused" for verdict in verdicts)
    first = [_block(v.test_set_luck, v.system, test_set_luck_answer(v)) for v in verdicts]
    if is_shared:
        yield _side_by_side(*first)
        yield _block("refused", f"All {counted(len(verdicts), 'system')}", *refusals)
        return
    for verdict, block in zip(verdicts, first, strict=True):
        yield _side_by_side(block, _block(verdict.both, verdict.system, both_answer(verdict, confidence)))


def _side_by_side(*blocks: Markup) -> Markup:
    return tag("div", *blocks, class_="mt-answers")


def _block(answer: Answer, about: str, said: Said) -> Markup:
    return answer_block(f"{about} · {said.question}", said.answer, _LOOKS[answer])
