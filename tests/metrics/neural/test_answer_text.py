"""What is understood of an LLM judge's answer: a number in a stated form, or nothing; never a wrong number."""

import json
import math
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.metrics.neural.answer_text import understood
from mteval.metrics.neural.endpoints import Protocol
from mteval.values.judgements import ErrorSpan

OUTPUT = "The house is is small ."
MINOR = '{"span": "is", "severity": "minor"}'
MAJOR = '{"span": "is", "category": "fluency", "severity": "Major"}'
CRITICAL = '{"span": "house", "category": "accuracy", "severity": "critical"}'


def score_of(answer: str, protocol: Protocol = "direct") -> float | None:
    judged = understood(answer, OUTPUT, protocol)
    return None if judged is None else judged[0]


@pytest.mark.parametrize(
    "answer",
    [
        "85",
        " 85.\n",
        "85.0",
        "85/100",
        "85 / 100.",
        "85 out of 100",
        "**85**",
        "`85`",
        "```\n85\n```",
        "Score: 85",
        "score:85",
        "Score: 85.",
        "**Score:** 85",
        "**Score: 85/100**",
        "### Final score: **85**/100",
        "Score: 85 out of 100",
        "Score (0-100): 85",
        "Score [0–100]: 85",
        "Score (out of 100): 85",
        "Score (on a scale from 0 to 100): 85",
        "Score: 85 (0-100)",
        "Score：85",
        "La frase es fluida, con un error.\nScore: 85",
        "My overall score: 85",
        "The overall translation quality score: 85",
        "The reader cannot miss the point.\nScore: 85",
        '{"reason": "some words are missing", "score": 85}',
        '{"score": 85, "explanation": "One of the nouns is wrong."}',
        '{"score": 85, "comment": "90"}',
        '{"score": 85, "comment": "Ninety would be too much."}',
        '{"reason": "10 words are missing", "score": 85}',
        '{"score": 85, "reason": "It deserves a score of 40."}',
        '{"score": 85, "reason": "Auf einer Skala von 1 bis 10; lower is better: 40."}',
        '{"score": 85}',
        '{"Score": 85.0}',
        '{"score": "85"}',
        '{"score": "85/100"}',
        '```json\n{"score": 85}\n```',
        "<think>At first 40, then 60.</think>85",
        "<think>\n<think>40</think>\n</think>\n\nScore: 85",
        "<Thinking>40</Thinking> 85",
        "[THINK]Score: 40[/THINK]85",
        "◁think▷40◁/think▷85",
        "The template opened the block: 40</think>85",
        "<|channel|>analysis<|message|>40<|end|><|start|>assistant<|channel|>final<|message|>85<|return|>",
        '<|channel|>final <|constrain|>json<|message|>{"score": 85}<|return|>',
        "85<|im_end|>",
        "\ufeff85",
        "```text\nScore: 85\n```",
        '<think>40</think>\n<think>60</think>\n```JSON\n{"score": 85}\n```',
    ],
)
def test_an_answer_in_a_stated_form_is_its_number(answer: str) -> None:
    assert score_of(answer) == 85


@pytest.mark.parametrize(
    "answer",
    [
        # once read as 20, 8.5, 1, 90, 85 and 1
        "Score: -20",
        "Score: 8.5/10",
        '{"score": 1e999}',
        "Score: 90-95",
        "Score: 85,5",
        "score 1: 85",
        # another scale
        "8.5/10",
        "Score (0-10): 8",
        "Score (1-100): 85",
        "Score: 85%",
        "Score: 85/1000",
        '{"score": 8, "scale": 10}',
        '{"score": 85, "max": 1000}',
        "On a scale of 0 to 10.\nScore: 8",
        "Scale: 0-10\nScore: 8",
        "I use a 10-point scale. Score: 8",
        "I give 8/10. Score: 8",
        "That is 8 out of 10.\nScore: 8",
        "Rating (1-5): 4. Score: 4",
        "Scores go from 1 to 5.\nScore: 4",
        'Score (0-10):\n{"score": 8}',
        "85/100.5",
        "It is 60/100 for its words.\nScore: 85",
        "It is 60/100. Score: 85",
        "I mark out of ten. Score: 8",
        "Auf einer Skala von 1 bis 10:\nScore: 8",
        "Auf einer Skala von 1 bis 10.\nScore: 8",
        "En una escala del 1 al 10.\nScore: 8",
        "В шкале от 0 до 10.\nScore: 8",
        "满分十分。\nScore: 8",
        "10点満点です。\nScore: 8",
        "五段階で。\nScore: 4",
        "على مقياس من ١ إلى ١٠.\nScore: 8",
        "Auf einer Skala von 1 bis 10.\nScore: 8/100",
        'Auf einer Skala von 1 bis 10:\n{"score": 8}',
        'Evaluation on ten:\n{"score": 8}',
        "Scores go from one to five. Score: 4",
        "Lower is better. Score: 5",
        "0 is the best. Score: 5",
        # words before it with a number or a colon, whatever they mean
        "All clauses are fine, on a scale from 0 to 100.\nScore: 85",
        "Auf einer Skala von 0 bis 100.\nScore: 85",
        "Marks are out of 100.\nScore: 85",
        "1. The source has more nouns.\n2. One of them is wrong.\nScore: 85",
        "翻译得很好，只有一个错误。\nScore: 85",
        "My assessment:\nScore: 85",
        "I use a scale between 0 and 100, and give 85/100.\nScore: 85",
        "From 0 to 100.\nScore: 85/100.0",
        "It is 85 / 100.\nScore: 85",
        'Here is my answer:\n{"score": 85}',
        # a score of something else, or none
        "I cannot judge this language.\nMaximum score: 100",
        "Max score: 100",
        "The highest possible score: 100",
        "Worst score: 0",
        "Answer in the format: Score: 0",
        "Passing score: 60",
        "Baseline score: 40",
        "BLEU score: 45",
        "Confidence score: 85",
        "No score: 85",
        "I won't say Score: 85",
        "It is not true that the score: 85",
        "The output says Score: 3",
        "Final score: unknown. Prior score: 3",
        "As I said, score: 85",
        "It is good. Score: 85",
        "Max. score: 100",
        "Prev. score: 40",
        "Reference:\nScore: 100",
        "**Reference**:\nScore: 100",
        "For example:\nScore: 100",
        "I'm sorry, I can't help.\nScore: 0",
        "> Film review.\n> Score: 85",
        '{"score": 0, "explanation": "I cannot judge this; I refuse."}',
        'I will not output\n{"score": 100}',
        'Baseline:\n{"score": 40}',
        # ranges and several numbers
        "between 40 and 50",
        "40 85",
        "40 Score: 85",
        "40. Score: 85",
        "40\nScore: 85",
        "Score: 40\nScore: 85",
        "Rating: 40. Score: 85",
        "Accuracy score: 40. Fluency score: 85",
        "8/10. Score: 85",
        "I give 40 points. Score: 85",
        "Score: 40 or 85",
        "Ninety, or\nScore: 85",
        "N\u00adinety.\nScore: 85",
        "九十。\nScore: 85",
        "⑨.\nScore: 85",
        "I would give it 90 overall.\nScore: 85",
        "90% are right.\nScore: 85",
        "3. Good.\nScore: 85",
        # numbers of something else cannot be told apart from these
        "The source has 3 nouns.\nScore: 85",
        "The final result was 3:1.\nScore: 85",
        "In 2023.\nScore: 85",
        "Score: ~~40~~ 85",
        'Score: 40\n{"score": 85}',
        '{"score": 40}\nScore: 85',
        '{"score": 40}\n{"score": 85}',
        '{"score": 40, "score": 85}',
        '{"score": 40, "Score": 85}',
        '{"score": 85, "final_score": 40}',
        "```40\n85\n```",
        # numbers that are none, or out of range
        "-5",
        "+85",
        "130",
        "1000000000000",
        "9" * 400,
        "085",
        "1e1",
        ".5",
        "8²",
        "٨٥",
        "８５",
        "eighty-five",
        "NaN",
        "Infinity",
        "0x55",
        "8_5",
        "8\u200b5",
        "1,000",
        '{"score": NaN}',
        '{"score": Infinity}',
        '{"score": -Infinity}',
        '{"score": true}',
        '{"score": null}',
        '{"score": [85]}',
        '{"score": "about 85"}',
        '{"score": "8²"}',
        '{"score": -0.5}',
        '{"score": 100.5}',
        '{"rating": 85}',
        '{"errors": [], "score": 85}',
        "[85]",
        '"85"',
        # words instead of an answer, or behind it
        "",
        "The translation is excellent.",
        "I would say 40, because it is good.",
        "85\nThe translation is good.",
        "Score: 85 would be too much.",
        "Score: 85 points",
        "subscore: 85",
        "sub-score: 85",
        # reasoning without an end, or in pieces
        "<think>85",
        "<think>40</reasoning>85",
        "<think>40</think>85<think>",
        "<think>40</think>85</think>",
        "8<think>or</think>5",
        "<|channel|>analysis<|message|>85",
        "<|channel|>final<|message|>40<|end|><|channel|>final<|message|>85",
        "<|unknown|>Score: 85",
        # an answer, then doubts about it
        "85<think>no, rather 40</think>",
        "Score: 85\n<think>Wait, it must be 40.</think>",
        "<think>x</think>8<think>out of ten</think>",
        # another's answer, or a piece of one
        "```reference\n90\n```",
        "```example\nScore: 50\n```",
        "~~~source\n90\n~~~",
        '```output\n{"score": 85}\n```',
        "85\n```",
        "```json\n85",
        # a scale from 0 to 1, or a sum of several
        "0.85",
        "Score: 0.9",
        '{"score": 0.85}',
        '{"score": "0.85"}',
        "Total score: 6",
    ],
)
def test_another_answer_is_not_understood(answer: str) -> None:
    assert score_of(answer) is None


@pytest.mark.parametrize(
    "words",
    [
        "The translation is accurate; one word is missing. I would rate it highly.",
        "La traduction est fidèle, mais un mot manque.",
        "Die Übersetzung ist genau, nur ein Wort fehlt.",
        "La traduzione è accurata, ma manca una parola.",
        "La traducción es buena, pero falta una palabra.",
        "A tradução é boa.",
        "De vertaling is goed, maar een woord ontbreekt.",
        "Tłumaczenie jest dokładne.",
        "Překlad je přesný, chybí slovo.",
        "Перевод точный, но есть ошибка.",
        "Käännös on tarkka.",
        "Çeviri doğru ve akıcı.",
        "Bản dịch chính xác.",
        "訳は正確です。",
        "翻译准确，没有错误。",
        "번역이 정확합니다.",
        "अनुवाद सही है।",
        "الترجمة صحيحة.",
        "התרגום מדויק.",
    ],
)
def test_an_explanation_without_numbers_is_no_obstacle_in_any_language(words: str) -> None:
    assert score_of(f"{words}\nScore: 85") == 85
    assert score_of(json.dumps({"explanation": words, "score": 85})) == 85
    assert score_of(f'{words}\n{{"score": 85}}') == 85


@pytest.mark.parametrize(
    "words",
    [
        "Using a five-point Likert scale.",
        "The scale runs from zero to ten.",
        "The best is ten.",
        "Auf der Zehnerskala.",
        "Von null bis zehn.",
        "Sur une échelle de un à dix.",
        "Su una scala di dieci.",
        "По шкале от нуля до десяти.",
        "W skali do dziesięciu.",
        "शून्य से दस तक।",
        "Unable to assess; default.",
        "I refuse to judge this.",
        "I would give it ninety, or rather this.",
        "It is a ninety-five.",
        "Neunundneunzig wäre zu viel.",
        "Fu\u0308nfundneunzig.",
        "Quatre-vingt-dix.",
        "Lower is better.",
    ],
)
def test_words_of_letters_are_not_looked_up(words: str) -> None:
    """The limit that docs/method.md states: such words could mean another scale, in any language."""
    assert score_of(f"{words}\nScore: 8") == 8
    assert score_of(f'{words}\n{{"score": 8}}') == 8


@pytest.mark.parametrize(
    "words",
    [
        "I'm sorry, but I can't judge this.",
        "Unable to assess.",
        "The texts are not in German.",
        "Ich kann diese Übersetzung nicht bewerten.",
        "Je ne peux pas évaluer cette traduction.",
        "Lo siento, no puedo evaluar esta traducción.",
        "Non posso valutare questa traduzione.",
        "Ik kan dit niet beoordelen.",
        "Nie mogę ocenić tego tłumaczenia.",
        "Я не могу оценить этот перевод.",
        "Bu çeviriyi değerlendiremem.",
        "申し訳ありませんが、評価できません。",
        "抱歉，我无法评估这个翻译。",
        "죄송하지만 평가할 수 없습니다.",
        "मैं इसका मूल्यांकन नहीं कर सकता।",
        "لا أستطيع تقييم هذه الترجمة.",
        "איני יכול לשפוט את התרגום.",
        "Siwezi kutathmini tafsiri hii.",
        "No errors.",
    ],
)
@pytest.mark.parametrize(
    ("protocol", "answer", "other"),
    [
        ("direct", "Score: 0", "Score: 1"),
        ("direct", "Score: 0.0/100", "Score: 1.5/100"),
        ("direct", '{"score": 0}', '{"score": 1}'),
        ("mqm", "[]", f"[{MINOR}]"),
        ("mqm", '{"errors": []}', f'{{"errors": [{MINOR}]}}'),
        ("esa", '{"errors": [], "score": 0}', '{"errors": [], "score": 1}'),
    ],
)
def test_what_a_refusal_would_score_is_understood_only_without_words(
    words: str, protocol: Protocol, answer: str, other: str
) -> None:
    assert score_of(answer, protocol) in (0, -0.0)
    assert score_of(f"{words}\n{answer}", protocol) is None
    assert score_of(f"{words}\n\n```json\n{answer}\n```", protocol) is None
    # Words may announce a list of somebody else's errors, so none may stand before a list
    assert (score_of(f"{words}\n{other}", protocol) is None) == (protocol != "direct")
    if answer.endswith("}"):
        explained = f', "explanation": {json.dumps(words)}}}'
        assert score_of(answer[:-1] + explained, protocol) is None
        assert score_of(other[:-1] + explained, protocol) is not None


@pytest.mark.parametrize(
    "heading",
    [
        *(
            "Reference",
            "Reference:",
            "# Reference",
            "Reference\n---",
            "Reference\n===",
            "**Reference**",
            "__Reference__:",
        ),
        *(
            "Human score",
            "Human score:",
            "- Reference.",
            "* Reference.",
            "• Reference.",
            "1. Reference.",
            "a) Reference:",
        ),
        *(
            "> Reference.",
            "| Reference. |",
            "[Reference.]",
            "<b>Reference.</b>",
            "Reference.\nThe text",
            "Source / output.",
        ),
        *(
            "Référence :",
            "Referenz：",
            "参考译文",
            "参考：",
            "Эталон:",
            "مرجع:",
            "Reference ː",
            "Reference꞉",
            "REFERENCE",
        ),
    ],
)
@pytest.mark.parametrize(
    ("protocol", "answer"),
    [
        ("direct", "Score: 85"),
        ("direct", '{"score": 85}'),
        ("mqm", f"[{MINOR}]"),
        ("esa", f'{{"errors": [{MINOR}], "score": 85}}'),
    ],
)
def test_an_answer_under_a_heading_is_not_understood(heading: str, protocol: Protocol, answer: str) -> None:
    assert score_of(answer, protocol) is not None
    for between in ("\n", "\n\n", " ", "\n```\n"):
        assert score_of(f"{heading}{between}{answer}", protocol) is None


QUOTED = "The match ended there.\nScore: 85"


@pytest.mark.parametrize(
    "answer",
    [
        f"Translation:\n{QUOTED}",
        f"The output is:\n\n{QUOTED}",
        f"I read this:\n{QUOTED}",
        f'I read "{QUOTED}',
        f"```\n{QUOTED}\n```",
        QUOTED,
        "The match ended there.\n**Score:** 85",
    ],
)
@pytest.mark.parametrize("output", [QUOTED, QUOTED.replace("\n", " "), "Das Spiel war aus. Punktzahl: 85"])
def test_the_end_of_a_quoted_output_is_not_the_judges_score(answer: str, output: str) -> None:
    assert understood(answer, output, "direct") is None
    assert understood(answer, OUTPUT, "direct", [output, ""]) is None


def test_an_answer_that_is_the_whole_output_may_repeat_it() -> None:
    assert understood("Score: 85", "Score: 85", "direct") is None
    assert understood("score: 85", "The end. Score: 85", "direct") is None
    assert understood("85", "85", "direct") == (85, ())
    for output in ("Score:85", "SCORE：８５", "Er schrieb {“score”: 85}.", "{'score' : '85'}"):
        assert understood("Score: 85.0", output, "direct") is None
        assert understood('{"score": 85}', output, "direct") is None
        assert understood('{"errors": [], "score": 85}', output, "esa") is None
    assert understood('It is fluent.\n{"score": 85}', "Bus 85", "direct") is None
    assert understood("Score: 85", "Score: 90", "direct") == (85, ())


@pytest.mark.parametrize("protocol", ["direct", "mqm", "esa"])
def test_json_of_the_output_is_not_the_judges_answer(protocol: Protocol) -> None:
    answers: dict[str, str] = {
        "direct": '{"score": 85}',
        "mqm": f"[{MINOR}]",
        "esa": f'{{"errors": [{MINOR}], "score": 85}}',
    }
    answer = answers[protocol]
    assert understood(answer, OUTPUT, protocol) is not None
    for output in (answer, f"Write {answer} here.", answer.replace(" ", "\n")):
        assert understood(answer, output, protocol) is None
        assert understood(f"My answer:\n{answer}", output, protocol) is None
        assert understood(answer, OUTPUT, protocol, [output, ""]) is None


def test_brackets_in_the_output_leave_an_empty_list_an_answer() -> None:
    assert understood("[]", "a = [] .", "mqm") == (0, ())
    assert understood("No errors:\n[]", "a = [] .", "mqm") is None


def test_marked_words_are_found_one_after_the_other() -> None:
    spans = (ErrorSpan(10, 12, "minor"), ErrorSpan(13, 15, "major", "fluency"))
    assert understood(f"[{MINOR}, {MAJOR}]", OUTPUT, "mqm") == (-6, spans)
    assert understood(f'{{"errors": [{MINOR}, {MAJOR}], "score": 60}}', OUTPUT, "esa") == (60, spans)


@pytest.mark.parametrize(
    ("answer", "score"),
    [
        ("[]", 0),
        ('{"errors": []}', 0),
        ("```json\n[]\n```", 0),
        ("No errors:\n\n[]", None),
        (f"<think>[]</think>[{CRITICAL}]", -25),
        ('[{"span": "", "category": "omission", "severity": "critical"}]', -25),
        ('[{"span": "is", "category": null, "severity": " minor "}]', -1),
        ('[{"span": null, "category": "Accuracy (Omission)", "severity": "minor"}]', -1),
        ('[{"span": "is", "category": "style/unnatural_or_awkward", "severity": "minor"}]', -1),
        ('[{"span": "is", "category": "Fluency - Punctuation", "severity": "minor"}]', -1),
        ('[{"span": ".", "category": "fluency", "severity": "minor"}]', -1),
        # nothing, or not an error of the output
        ('[{"span": null, "severity": "minor"}]', None),
        ('[{"span": "", "category": "", "severity": "minor"}]', None),
        ('[{"span": "...", "category": "accuracy", "severity": "major"}]', None),
        ('[{"span": "…", "category": "…", "severity": "major"}]', None),
        ('[{"span": "string", "category": "string", "severity": "major"}]', None),
        ('[{"span": "is", "category": "no-error", "severity": "minor"}]', None),
        ('[{"span": "is", "category": "none", "severity": "minor"}]', None),
        ('[{"span": "is", "category": "N/A", "severity": "minor"}]', None),
        ('[{"span": "is", "category": "reference error", "severity": "major"}]', None),
        ('[{"span": "is", "category": "Source error", "severity": "major"}]', None),
        ('[{"span": "is", "category": "accuracy/none", "severity": "major"}]', None),
        (f"```reference\n[{CRITICAL}]\n```", None),
        ("[]\n```", None),
        (f"[{CRITICAL}]<think>Is that so?</think>", None),
        ('[{"span": "<think>", "severity": "minor"}]', -1),
        ("[" + ", ".join([MAJOR] * 9) + "]", -25),
        (f"[]\n[{CRITICAL}]", None),
        (f"[{CRITICAL}]\n[]", None),
        (f"[] [{CRITICAL}]", None),
        (f'[{CRITICAL}\n{{"errors": []}}', None),
        ("```json\n[]\n```\n```json\n[" + CRITICAL + "]\n```", None),
        ("[{severity: critical}]\n[]", None),
        ("An empty list would be []", None),
        (f"[] is wrong:\n[{CRITICAL}]", None),
        ("[]\nBut the last word is missing, which is critical.", None),
        ('[{"span": "is", "severity": "dreadful"}]', None),
        ('[{"span": "is", "severity": "minor", "severity": "critical"}]', None),
        ('[{"span": "is", "severity": ["minor"]}]', None),
        ('[{"span": 3, "severity": "minor"}]', None),
        ('{"errors": [], "score": 3}', None),
        ('{"errors": [], "errors": [' + CRITICAL + "]}", None),
        ('{"error": []}', None),
        ('["is"]', None),
        ("[[]]", None),
        ("{}", None),
        ("null", None),
        ("[NaN]", None),
        ("no errors", None),
        ("[" + ", ".join([MINOR] * 1_001) + "]", None),
        ('[{"span": "is", "severity": "minor", "explanation": "a comma"}]', -1),
        ("I found no major errors.\n[]", None),
        ("I cannot judge this.\n[]", None),
        ("There is one major error:\n[]", None),
        ("The output was:\n[]", None),
        ('{"errors": [], "explanation": "I cannot judge this."}', None),
        ('[{"span": "is", "severity": "minor", "count": 3}]', None),
        ('[{"span": "is", "severity": "minor", "weight": 10}]', None),
        ('[{"span": "is", "severity": "minor", "score": "20"}]', None),
        ('[{"error": "is", "severity": "minor", "score": "20"}]', None),
        ('[{"span": "is", "severity": "minor", "weight": "20/100"}]', None),
        ('[{"span": "is", "severity": "minor", "category": "20"}]', None),
        ('[{"span": "is", "severity": "minor", "comment": " 20."}]', -1),
        ('[{"span": "20", "severity": "minor"}]', -1),
        ('[{"span": "is", "severity": "minor", "reason": "Lower is better: 9/10 [3]."}]', -1),
        ('{"error": "is", "score": "20"}', None),
        ('{"error": {"span": "is", "severity": "minor", "score": "20"}}', None),
        ('[{"span": "is", "severity": "minor", "Severity": "major"}]', None),
        ('[{"span": "is", "severity": "minor", "errors": [' + CRITICAL + "]}]", None),
    ],
)
def test_an_answer_with_errors_has_their_weight_or_is_not_understood(answer: str, score: float | None) -> None:
    assert score_of(answer, "mqm") == score


@pytest.mark.parametrize(
    "answer",
    [
        f"[{MINOR}]",
        f"[{MINOR}]\nScore: 60",
        '{"errors": []}',
        '{"score": 60}',
        '{"errors": [], "score": 101}',
        '{"errors": [], "score": 1e999}',
        '{"errors": [], "score": true}',
        '{"errors": {}, "score": 60}',
        'Score: 40\n{"errors": [], "score": 60}',
        '{"errors": [{"span": "is", "severity": "minor", "score": "20"}], "score": 60}',
        '{"error": {"span": "is", "severity": "minor"}, "score": "20"}',
        '{"error": "is", "score": "20"}',
        'Auf einer Skala von 1 bis 10:\n{"errors": [], "score": 8}',
    ],
)
def test_error_span_annotation_needs_one_object_with_errors_and_score(answer: str) -> None:
    assert score_of(answer, "esa") is None


# Any form of any score: the oracle is the number that the answer is made from.

WORDS = st.text("abc dé漢😀.,;!?'\"\n", max_size=40)
numbers = st.one_of(
    st.integers(0, 100).map(str),
    st.decimals(1, 100, places=2).map(str),
)
MARKS = ("", "*", "**", "***", "_", "__", "`")
SCALES = ("", " (0-100)", " (0–100)", " [0 to 100]", " (out of 100)", " (/100)", " (scale: 0-100)")


@st.composite
def forms(draw: st.DrawFn, number: str) -> str:
    """One of the forms that a number may have."""
    mark = draw(st.sampled_from(MARKS))
    of_scale = draw(st.sampled_from(("", "/100", " / 100", " out of 100")))
    stop = draw(st.sampled_from(("", ".", "\n", " .")))
    kind = draw(st.sampled_from(("alone", "called", "json", "explained")))
    if kind == "alone":
        return f"{mark}{number}{of_scale}{mark}{stop}"
    if kind == "called":
        label = draw(st.sampled_from(("Score", "score", "Final score", "SCORE")))
        return f"{mark}{label}{draw(st.sampled_from(SCALES))}:{mark} {number}{of_scale}{stop}"
    value = draw(st.sampled_from((number, json.dumps(number))))
    if kind == "json" or float(number) == 0:
        return f'{{"score": {value}}}'
    return json.dumps({"reason": draw(WORDS)})[:-1] + f', "score": {value}}}'


@st.composite
def dressed(draw: st.DrawFn, form: str) -> str:
    """An answer with reasoning before it, a fence around it, and a token after it."""
    if draw(st.booleans()):
        form = f"```{draw(st.sampled_from(('', 'json', 'text')))}\n{form}\n```"
    if draw(st.booleans()):
        name = draw(st.sampled_from(("think", "thinking", "reasoning", "Analysis")))
        thought = f"{draw(WORDS)} Score: {draw(numbers)}\n{draw(WORDS)}"
        form = f"<{name}>{thought}</{name}>{form}"
    return form + draw(st.sampled_from(("", "<|im_end|>", "</s>", "\n\n")))


@given(st.data(), numbers)
def test_a_score_in_any_form_is_read_as_it_was_written(data: st.DataObject, number: str) -> None:
    answer = data.draw(forms(number).flatmap(dressed))
    assert score_of(answer) == float(number)


@given(st.data(), numbers, numbers)
def test_an_answer_with_two_scores_is_not_understood(data: st.DataObject, first: str, second: str) -> None:
    if float(first) == float(second):
        second = str(100 - float(first)) if float(first) != 50 else "51"
    between = data.draw(st.sampled_from((" ", "\n", "\n\n", ", ", "; ", " or ", "\nno, ", "-", " to ", "/")))
    answer = data.draw(forms(first)) + between + data.draw(forms(second))
    assert score_of(answer) is None


LETTERS = (
    *("abc zyé", "Äöß", "łśćą", "абв їёэ", "αβγ", "कखग", "বভম", "ગઘચ", "தநம", "กขค", "አበገ", "აბგ", "աբգ", "ខគឃ"),
    *("אבג", "عربي", "پچگ", "漢字語", "日本かなカナ", "한국말", "ấềộ"),
)
NOT_OF_PROSE = (
    *"0123456789٣५๓８²½Ⅷ⑨十百万〇七:：∶꞉ː\"'“”„‟«»‹›‘‚`「」『』〝〞＂＇/\\|<>[]{}【】〔〕［］｛｝*_#•‣◦·→=+~^@&%$€°§",
    *("\n- a.", "\na", "\n-", "<think>", "\u00ad", "\u200b", "\ufeff", "\x07", "٪", "😀"),
)
ANSWERS: tuple[tuple[Protocol, str, float], ...] = (
    ("direct", "Score: 85", 85),
    ("direct", '{"score": 85}', 85),
    ("mqm", f"[{MINOR}]", -1),
    ("mqm", f'{{"errors": [{MINOR}]}}', -1),
    ("esa", f'{{"errors": [{MINOR}], "score": 85}}', 85),
)


@st.composite
def prose(draw: st.DrawFn) -> str:
    """Sentences of letters of one script, on one or several lines."""
    letters = draw(st.sampled_from(LETTERS)).replace(" ", "")
    word = st.text(letters, min_size=1, max_size=8)
    sentences = draw(st.lists(st.lists(word, min_size=1, max_size=6), min_size=1, max_size=4))
    text = ""
    for words in sentences:
        between = draw(st.sampled_from((" ", ", ", "; ", " - ", "-", " (")))
        text += between.join(words) + draw(st.sampled_from((".", "!", "?", "。", "।", "؟"))) + draw(ENDS)
    return text.strip()


ENDS = st.sampled_from((" ", "\n", "\n\n"))


@given(prose(), st.sampled_from(ANSWERS), st.integers(1, 100))
def test_prose_in_any_script_may_stand_before_a_score_but_not_before_a_list(
    words: str, expected: tuple[Protocol, str, float], number: int
) -> None:
    protocol, answer, score = expected
    assert score_of(f"{words}\n{answer}", protocol) == (score if protocol == "direct" else None)
    assert score_of(f"{words}\nScore: {number}") == number
    assert score_of(f"{words}\nScore: 0") is None
    assert score_of(f"{words}\n[]", "mqm") is None


@given(prose(), st.sampled_from(ANSWERS), st.sampled_from(NOT_OF_PROSE), st.data())
def test_an_answer_after_anything_but_prose_is_never_understood(
    words: str, expected: tuple[Protocol, str, float], sign: str, data: st.DataObject
) -> None:
    protocol, answer, _ = expected
    place = data.draw(st.integers(0, len(words)))
    if sign in "'‘" and 0 < place < len(words):
        place = 0  # between letters it is an apostrophe
    before = f"{words[:place]}{sign}{words[place:]}"
    assert score_of(f"{before}\n{answer}", protocol) is None


@given(st.text(max_size=40), st.sampled_from(ANSWERS))
def test_any_text_with_a_number_a_colon_or_a_quotation_mark_before_an_answer_makes_it_unclear(
    words: str, expected: tuple[Protocol, str, float]
) -> None:
    protocol, answer, score = expected
    is_plain = not any(character.isnumeric() or character in ':："“”«»„「」[]{}/' for character in words)
    assert score_of(f"{words}\n{answer}", protocol) in ((score, None) if is_plain or not words.strip() else (None,))


SEVERITIES = st.sampled_from(("minor", "major", "critical"))
errors = st.lists(
    st.fixed_dictionaries(
        {
            "span": st.sampled_from(("house", "is", "", "<think>", "[a]", ".")),
            "category": st.sampled_from(("accuracy", "Fluency/Grammar", "other")),
            "severity": SEVERITIES,
        }
    ),
    max_size=4,
)


@given(errors, st.booleans(), st.data())
def test_one_list_of_errors_is_read_and_of_two_none(
    marked: list[dict[str, str]], is_object: bool, data: st.DataObject
) -> None:
    answer = json.dumps({"errors": marked} if is_object else marked)
    weights = {"minor": 1, "major": 5, "critical": 25}
    expected = max(-25, -sum(weights[error["severity"]] for error in marked))
    assert score_of(data.draw(dressed(answer)), "mqm") == expected
    other = json.dumps(data.draw(errors))
    between = data.draw(st.sampled_from(("", " ", "\n", "\n\n", ",", "\nor\n")))
    assert score_of(f"{answer}{between}{other}", "mqm") is None
    assert score_of(f"{other}{between}{answer}", "mqm") is None


TOKENS = (
    *(
        "85",
        "40",
        "-",
        ".",
        ",",
        "/100",
        "/10",
        "Score",
        ":",
        "(",
        ")",
        "0-100",
        "*",
        "_",
        "`",
        "\n",
        " ",
        "²",
        "{",
        "}",
    ),
    *('"score"', "[", "]", "<think>", "</think>", "<|channel|>", "NaN", "1e999", "true", "```", "out of 100"),
)


@given(st.lists(st.sampled_from(TOKENS), max_size=12).map("".join), st.sampled_from(("direct", "mqm", "esa")))
def test_whatever_an_answer_is_its_score_is_in_range_or_missing(answer: str, protocol: Protocol) -> None:
    score = score_of(answer, protocol)
    low, high = (-25, 0) if protocol == "mqm" else (0, 100)
    assert score is None or (math.isfinite(score) and low <= score <= high)


@pytest.mark.parametrize("protocol", ["direct", "mqm", "esa"])
@pytest.mark.parametrize(
    "part",
    [
        *("{", "[", "[1,", '{"a":', '"', " ", "\n", "*", "*a ", "_a", "`", "**a ", "1", "1.", "1,", "0 "),
        *("score ", "Score (", "score: ", "<think>", "</think>", "<think ", "<|channel|>", "</s>", "points "),
        *("(", "\\", "Score:\n", "100 / "),
    ],
)
def test_a_long_answer_takes_milliseconds(part: str, protocol: Protocol) -> None:
    hostile = [part * (99_000 // len(part)), f"{part}{' ' * 90_000}85", "{" * 300_000 if part == "{" else part]
    start = time.perf_counter()
    for answer in hostile:
        understood(answer, OUTPUT, protocol)
    assert time.perf_counter() - start < 5  # a fifth of a second here; a quadratic search takes minutes
