"""Read what an LLM judge answered: a score, or a list of errors.

An answer is understood only if it has one of a few forms; everything else is not understood, and never a number. A
missing score costs one output, a misread one makes a system better or worse than it is. The forms are listed in
``docs/method.md``, "LLM judges".
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import shortened
from mteval.metrics.neural.endpoints import Protocol
from mteval.metrics.neural.number_words import is_number_sign, is_of_numbers
from mteval.values.judgements import SEVERITIES, ErrorSpan, Spans

PARSER = "4"  # version of the rules below; increase it when one of them changes, so that no earlier reading is used
LOWEST, HIGHEST = 0, 100  # the scale that the prompts ask for
LARGEST_PENALTY = 25.0
_WEIGHTS = {"minor": 1.0, "major": 5.0, "critical": LARGEST_PENALTY}  # of GEMBA-MQM
_LONGEST = 100_000  # characters of an answer
_MOST_VALUES = 20_000  # of its JSON
_MOST_ERRORS = 1_000

# Reasoning: <think>…</think>, [THINK]…[/THINK], ◁think▷…◁/think▷, and the channels of gpt-oss.
_TAG = re.compile(
    r"[<\[◁](?P<end>/?)(?:\w{1,20}:)?(?P<name>think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)"
    r"(?:\s[^<>\[\]◁▷]{0,200})?[>\]▷]",
    re.IGNORECASE,
)
_CHANNEL = "<|channel|>"
_FINAL = re.compile(r"<\|channel\|>\s*final\b[^<]{0,200}<\|message\|>")
_LAST_TOKEN = re.compile(r"(?:<\|(?:im_end|eot_id|eom_id|end|endoftext|return)\|>|</s>|<eos>|<end_of_turn>)\Z")
_MOST_LAST_TOKENS = 4


# Markdown. Emphasis is removed in pairs that do not touch a word from inside, so that no two numbers are joined.
_FENCE = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[A-Za-z]{0,20}[ \t]*$", re.MULTILINE)
_EMPHASIS = tuple(
    re.compile(
        rf"(?<![^\W_])(?<!{mark})(?P<mark>{mark}{{1,3}})(?=[^\s{mark}])(?P<inner>[^{mark}\n]{{1,500}})(?<=\S)(?P=mark)"
        rf"(?![^\W_])(?!{mark})"
    )
    for mark in (r"\*", "_", "`")
)
_NESTED = 3  # levels of emphasis

_NUMBER = r"(?:0|[1-9][0-9]{0,8})(?:\.[0-9]{1,30})?"  # no other digits than these, no sign, no exponent
_OF_SCALE = rf"(?:\s*/\s*|\s+out\s+of\s+){HIGHEST}(?:\.0+)?"
_SCALE = (
    r"[(\[]\s*(?:(?:on\s+)?(?:a\s+|the\s+)?scale\s*(?:of|from|:)?\s*|from\s+)?"
    rf"(?:{LOWEST}\s*(?:-|–|—|to)\s*{HIGHEST}|/\s*{HIGHEST}|out\s+of\s+{HIGHEST})\s*[)\]]"
)
_ALONE = re.compile(rf"({_NUMBER})(?:{_OF_SCALE})?\s*\.?")
# "Score: 85" on a line of its own. A word before it may change what it is: a baseline's, a maximum, "no".
_WORDS_BEFORE_SCORE = r"(?:(?:the|my|final|overall|total|translation|quality)\s+){0,3}"
_CALLED_SCORE = re.compile(
    rf"(?:\A|\n)[ \t•*-]{{0,5}}(?:\#{{1,6}} )?{_WORDS_BEFORE_SCORE}score\s*(?:{_SCALE})?\s*[:：]"
    rf"\s*({_NUMBER})(?:{_OF_SCALE}|\s*{_SCALE})?\s*\.?\Z",
    re.IGNORECASE,
)

# Words before an answer that take it back, or say that it is of something else.
_REFUSAL = re.compile(
    r"\bI\s?(?:['’]m|am)?\s?(?:sorry|unable|not\sable|cannot|can\s?not|can['’]t|won['’]t|will\snot|refuse|decline)\b"
    r"|\bunable\sto\s(?:assess|judge|rate|score|evaluate)\b|\bas\san\sAI\b",
    re.IGNORECASE,
)
_LEADS_TO_ANSWER = re.compile(
    r"\b(?:answer|assessment|evaluation|judge?ment|json|rating|response|result|score|verdict)\b[^\n]{0,40}:\Z",
    re.IGNORECASE,
)
_NO_ERRORS = re.compile(
    r"\A\W{0,5}(?:there\s(?:are|is)\s|I\s(?:found|see)\s)?no\s(?:\w+\s)?errors?(?:\s(?:found|here|at\sall))?\W{0,5}\Z",
    re.IGNORECASE,
)

_BRACKET = re.compile(r"[\[{]")

_SPACES = re.compile(r"[^\S\n]+")
_LINE_ENDS = re.compile(r" ?\n[ \n]*")

# Words around a score must not have another number: it could be another score, or the end of another scale. They may
# name the scale that was asked for, and number their lines.
_END_OF_SCALE = rf"{HIGHEST}(?:\.0{{1,9}})?(?![.,]?\d)"
_JOINED = r"(?:\s?[-–—~〜]\s?|\s(?:to|and|bis|und|à|et|a|y|e|até|do|до|och|tot)\s)"
_SCALE_IN_PROSE = re.compile(
    r"(?:\b(?:scale|Skala|échelle|escala|scala|schaal|шкал[аеуы])\s(?:[^\W\d_]{1,8}\s){0,2})?"
    rf"(?:(?<![\d.,]){LOWEST}{_JOINED}{_END_OF_SCALE}(?:\s+points)?|\bout\s+of\s+{_END_OF_SCALE}|/\s?{_END_OF_SCALE})",
    re.IGNORECASE,
)
_NUMBER_OF_LINE = re.compile(r"^[ \t]*([0-9]{1,2})[.)] (?=\S)", re.MULTILINE)
_ANY_NUMBER = re.compile(r"[-−–+]?\d(?:[\d.,]*\d)?")
_WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0900-\u0dff])*")  # with vowel signs of Indian scripts
_UNSEEN_IN_WORDS = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")  # soft hyphens, joiners and the like
_OTHER_SCALES = (
    re.compile(r"\bstars?\b|\blikert\b", re.IGNORECASE),
    re.compile(r"\b(?:lower|less|smaller)\s(?:is|means)\sbetter\b|\bhigher\s(?:is|means)\sworse\b", re.IGNORECASE),
)

_EXPLAINING = frozenset(
    ("analysis", "comment", "comments", "explanation", "justification", "rationale", "reason", "reasoning", "thoughts")
)  # texts that may stand beside the answer in a JSON object
_OF_ERROR = frozenset(("span", "category", "severity")) | _EXPLAINING
_MEMBERS: Mapping[Protocol, frozenset[str]] = {
    "direct": frozenset(["score"]),
    "mqm": frozenset(["errors"]),
    "esa": frozenset(["errors", "score"]),
}


def understood(text: str, output: str, protocol: Protocol, others: Sequence[str] = ()) -> tuple[float, Spans] | None:
    """Return score and errors of an answer; None if it is not understood.

    Parameters
    ----------
    text
        The answer as it came.
    output
        The judged output, in which the errors' words are looked up.
    others
        The other texts that the judge saw: source and reference. What it repeats of them is no answer.
    """
    if len(text) > _LONGEST:
        return None
    said = _without_reasoning(_without_last_tokens(text))
    if said is None:
        return None
    said = _without_fences(said)
    shown = (output, *others)
    before, value = _json_at_end(said)
    if value is not None and _is_quoted_json(before, said, shown):
        return None
    if protocol == "direct":
        score = _score_in_words(said, shown) if value is None else _score_in_json(before, value, protocol)
        return None if score is None else (score, ())
    errors = _errors_in(value, protocol)
    spans = None if errors is None else _spans_of(errors, output)
    if spans is None or _is_other_list(before, value, spans):
        return None
    if protocol == "mqm":
        return max(-LARGEST_PENALTY, -sum(_WEIGHTS[span.severity] for span in spans)), spans
    score = _score_in_json(before, value, protocol)
    return None if score is None else (score, spans)


def _is_quoted_json(before: str, said: str, shown: Sequence[str]) -> bool:
    """Return whether the JSON that ends an answer stands in a text that the judge saw.

    An empty list without words before it is an answer, since texts have brackets, too.
    """
    json = _without_spaces(said[said.index(before) + len(before) :])
    if json == "[]" and not before:
        return False
    return any(json in _without_spaces(seen) for seen in shown)


def _without_spaces(text: str) -> str:
    return "".join(text.split()).casefold()


def _is_other_list(before: str, value: Any, spans: Spans) -> bool:
    """Return whether words around a list of errors say that it is no answer, or not all of it."""
    explained = ""
    if isinstance(value, dict):
        explained = "\n".join(str(text) for name, text in value.items() if name.strip().lower() in _EXPLAINING)
    if _REFUSAL.search(before) or _REFUSAL.search(explained):
        return True
    if not spans:  # an empty list is the best score there is: only "no errors" may stand before it
        return bool(before.strip()) and _NO_ERRORS.search(before) is None
    return False


def _without_last_tokens(text: str) -> str:
    """Return an answer without the tokens of a chat template that end it."""
    for _ in range(_MOST_LAST_TOKENS):
        text = _LAST_TOKEN.sub("", text.rstrip())
    return text


def _without_reasoning(text: str) -> str | None:
    """Return an answer without its blocks of reasoning; None if one has no end."""
    if _is_json(text):
        return text
    if _CHANNEL in text:
        channels = _FINAL.split(text)
        if len(channels) != 2:
            return None
        text = channels[1]
    rest: list[str] = []
    opened: list[str] = []
    start = 0
    n_blocks = 0
    for number, tag in enumerate(_TAG.finditer(text)):
        name = tag["name"].lower()
        if not tag["end"]:
            if not opened:
                rest.append(text[start : tag.start()])
            opened.append(name)
            continue
        if opened:
            if opened.pop() != name:
                return None
        elif number > 0:
            return None
        # Otherwise the block was opened in the prompt, as some chat templates do: all before its end is reasoning.
        start = tag.end()
        n_blocks += not opened
        if n_blocks == 1 and not opened and _is_json(text[start:]):
            return "\n".join([*rest, text[start:]])
    if opened or "<|" in text:
        return None
    return "\n".join([*rest, text[start:]])


def _is_json(text: str) -> bool:
    """Return whether all of a text is one JSON list or object, so that a tag in it is a word of the judged output."""
    before, value = _json_at_end(_without_fences(text))
    return value is not None and not before


def _without_fences(text: str) -> str:
    """Return an answer without the lines of code fences, or the marks of code around all of it."""
    text = _FENCE.sub("", text).strip()
    if text.startswith("`") and text.endswith("`"):
        text = text.strip("`").strip()
    return text


def _json_at_end(text: str) -> tuple[str, Any]:
    """Return what stands before the JSON list or object that ends a text, and its value; None if there is none.

    It starts a line at the first bracket of the text: a second list, or one that is damaged, makes it no JSON.
    """
    bracket = _BRACKET.search(text)
    if bracket is None:
        return text, None
    before = text[: bracket.start()]
    line = before.rpartition("\n")[2]
    if line.strip():
        return text, None
    try:
        return before.strip(), bounded_json(text[bracket.start() :], _MOST_VALUES, is_strict=True)
    except ValueError:
        return text, None


def _without_emphasis(text: str) -> str:
    """Return a text without emphasis and further white space, so that no expression looks at a long run of it again."""
    text = _LINE_ENDS.sub("\n", _SPACES.sub(" ", text)).strip()
    for _ in range(_NESTED):
        for emphasis in _EMPHASIS:
            text = emphasis.sub(r"\g<inner>", text)
    return text


def _score_in_words(text: str, shown: Sequence[str]) -> float | None:
    """Return the score of an answer without JSON; None if it has none, or could mean another one."""
    text = _without_emphasis(text)
    match = _ALONE.fullmatch(text) or _CALLED_SCORE.search(text)
    if match is None:
        return None
    before = text[: match.start()]
    score = _in_range(float(match[1]))
    if score is None or _is_taken_back(before) or _names_another(before, score):
        return None
    is_called = match.re is _CALLED_SCORE
    if is_called and _may_be_quoted(text, before, score, shown):
        return None
    return score


def _may_be_quoted(text: str, before: str, score: float, shown: Sequence[str]) -> bool:
    """Return whether "Score: 85" could be the end of a text that the judge saw and repeats, not its own score."""
    for seen in shown:
        plain = _without_emphasis(seen)
        if before.strip():
            numbers = (number[0] for number in _ANY_NUMBER.finditer(plain))
            if any(_is_number(number, score) for number in numbers):
                return True
        elif text.casefold() in plain.casefold():
            return True
    return False


def _score_in_json(before: str, value: Any, protocol: Protocol) -> float | None:
    """Return the score of a JSON object; None if it has none, or could mean another one."""
    members = _members(value, protocol)
    if members is None:
        return None
    score = _number(members["score"])
    explained = [text for name, text in members.items() if name in _EXPLAINING]
    if score is None or _is_taken_back(before) or any(_REFUSAL.search(text) for text in explained):
        return None
    return None if _names_another("\n".join([before, *explained]), score) else score


def _is_taken_back(before: str) -> bool:
    """Return whether words before an answer refuse one, or announce something else than the answer ("Reference:")."""
    before = before.strip()
    if _REFUSAL.search(before):
        return True
    return before.endswith(":") and _LEADS_TO_ANSWER.search(before) is None


def _errors_in(value: Any, protocol: Protocol) -> list[Any] | None:
    """Return the list of errors; None if there is none."""
    if protocol == "mqm" and isinstance(value, list):
        return value
    members = _members(value, protocol)
    errors = None if members is None else members["errors"]
    return errors if isinstance(errors, list) else None


def _members(value: Any, protocol: Protocol) -> dict[str, Any] | None:
    """Return the members of an object by lower-case name; None if it lacks one or has one that was not asked for."""
    if not isinstance(value, dict):
        return None
    members = {name.strip().lower(): member for name, member in value.items()}
    explaining = _EXPLAINING & members.keys()
    is_asked_for = members.keys() - explaining == _MEMBERS[protocol]
    is_text = all(isinstance(members[name], str) for name in explaining)
    return members if is_asked_for and is_text and len(members) == len(value) else None


def _number(value: object) -> float | None:
    """Return a score in JSON, as a number or as a text in one of the forms of an answer."""
    if isinstance(value, str):
        match = _ALONE.fullmatch(value.strip())
        return None if match is None else _in_range(float(match[1]))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return _in_range(float(value))


def _in_range(score: float) -> float | None:
    return score + 0.0 if LOWEST <= score <= HIGHEST else None  # -0.0 becomes 0.0


def _names_another(text: str, score: float) -> bool:
    """Return whether words around a score have another number, or speak of another scale."""
    composed = _UNSEEN_IN_WORDS.sub("", unicodedata.normalize("NFC", text))
    plain = _without_numbers_of_lines(_without_emphasis(composed))
    prose = _SCALE_IN_PROSE.sub(" ", plain)
    for number in _ANY_NUMBER.finditer(prose):
        if not _is_number(number[0], score):
            return True
    rest = _ANY_NUMBER.sub(" ", prose)
    if any(is_number_sign(character) for character in rest):
        return True
    if any(is_of_numbers(word[0]) for word in _WORD.finditer(rest)):
        return True
    return any(scale.search(rest) for scale in _OTHER_SCALES)


def _without_numbers_of_lines(text: str) -> str:
    """Return a text without the numbers of its lines, if it counts them from 1."""
    numbers = [int(number[1]) for number in _NUMBER_OF_LINE.finditer(text)]
    if numbers == list(range(1, len(numbers) + 1)):
        return _NUMBER_OF_LINE.sub("", text)
    return text


def _is_number(word: str, score: float) -> bool:
    """Return whether a word with digits is the number of a score."""
    return re.fullmatch(_NUMBER, word) is not None and math.isclose(float(word), score)


def _spans_of(errors: Sequence[Any], output: str) -> Spans | None:
    """Return errors at their words in the output, each at its own place; None if one is not understood.

    Errors whose words are not there (omissions) have an empty span at the end.
    """
    if len(errors) > _MOST_ERRORS:
        return None
    spans = []
    end_of_last: dict[str, int] = {}  # of the same words
    for error in errors:
        members = _members_of_error(error)
        if members is None:
            return None
        severity = members.get("severity", "").strip().lower()
        if severity not in SEVERITIES:
            return None
        words = members.get("span", "").strip()
        start = output.find(words, end_of_last.get(words, 0)) if words else -1
        if start < 0:
            start = len(output)
            words = ""
        else:
            end_of_last[words] = start + len(words)
        spans.append(ErrorSpan(start, start + len(words), severity, shortened(members.get("category", ""))))
    return tuple(spans)


def _members_of_error(error: Any) -> dict[str, str] | None:
    """Return the texts of an error by lower-case name.

    None if it has anything that was not asked for: a weight or a score, also as text, or a list of its own.
    """
    if not isinstance(error, dict):
        return None
    members: dict[str, str] = {}
    for name, member in error.items():
        key = name.strip().lower()
        if key in members or key not in _OF_ERROR or not isinstance(member, str | None):
            return None
        members[key] = member or ""
        if key != "span" and _ALONE.fullmatch(members[key].strip()):
            return None
    return members
