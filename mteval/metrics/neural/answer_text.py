"""Read what an LLM judge answered: a score, or a list of errors.

An answer is understood only if it has one of a few forms; everything else is not understood, and never a number. A
missing score costs one output, a misread one makes a system better or worse than it is. Words are never looked up: a
list of them would know some languages only. The forms are listed in ``docs/method.md``, "LLM judges". When a rule
changes, increase ``PARSER`` in ``response_format``.
"""

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from mteval.base.bounded_input import bounded_json
from mteval.base.errors import shortened
from mteval.metrics.neural.endpoints import Protocol
from mteval.values.judgements import KNOWN, SEVERITIES, WEIGHTLESS, ErrorSpan, Spans

# The scale that the prompts ask for
LOWEST = 0
HIGHEST = 100
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
_FINAL = re.compile(r"<\|channel\|>\s*final\b[^<]{0,200}(?:<\|constrain\|>[^<]{0,200})?<\|message\|>")
_LAST_TOKEN = re.compile(r"(?:<\|(?:im_end|eot_id|eom_id|end|endoftext|return)\|>|</s>|<eos>|<end_of_turn>)\Z")
_MOST_LAST_TOKENS = 4
_BYTE_ORDER_MARK = "\ufeff"

# Markdown. Emphasis is removed in pairs that do not touch a word from inside, so that no two numbers are joined.
# Code fences have no label, or that of a format: another one may say whose answer it is ("reference", "example").
_FENCE = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})(?P<label>json|te?xt|plaintext|markdown|md|)[ \t]*$", re.IGNORECASE | re.MULTILINE
)
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
# "Score: 85" on a line of its own. Another word before it may change what it is: a baseline's, a maximum, "no".
_WORDS_BEFORE_SCORE = r"(?:(?:the|my|final|overall|translation|quality)\s+){0,4}"
_CALLED_SCORE = re.compile(
    rf"(?:\A|\n)(?:\#{{1,6}} )?{_WORDS_BEFORE_SCORE}score\s*(?:{_SCALE})?\s*[:：]"
    rf"\s*({_NUMBER})(?:{_OF_SCALE}|\s*{_SCALE})?\s*\.?\Z",
    re.IGNORECASE,
)

_BRACKET = re.compile(r"[\[{]")

_SPACES = re.compile(r"[^\S\n]+")
_LINE_ENDS = re.compile(r" ?\n[ \n]*")

# Words before an answer must be sentences of letters. Digits, colons, quotation marks, brackets, and marks of headings,
# lists and tables may announce something else than the answer, e.g. another scale or a quotation.
_ENDS_OF_SENTENCES = ".!?。．！？।॥؟۔።။។"
_PUNCTUATION = frozenset(_ENDS_OF_SENTENCES + ",;()-" + "，、；（）،؛")
_APOSTROPHES = "'’"
_JOINERS = "\u200c\u200d"  # inside words of Persian and of Indian scripts
_LIKE_LETTERS = re.compile("[\u02b0-\u02ff]")  # called letters, but may look like a colon or a quotation mark

_SHOWN_NUMBER = re.compile(r"\d+(?:[.,٫]\d+)?")

_EXPLAINING = frozenset(
    ("analysis", "comment", "comments", "explanation", "justification", "rationale", "reason", "reasoning", "thoughts")
)  # texts that may stand beside the answer in a JSON object
_OF_ERROR = frozenset(("span", "category", "severity")) | _EXPLAINING
_BETWEEN_CATEGORIES = re.compile(r"[/:,()]|\s[-–—]\s")  # "accuracy/omission", "Accuracy (omission)"
_ASKED_CATEGORIES = frozenset(("accuracy", "fluency", "terminology", "style", "locale", "other"))
_MEMBERS: Mapping[Protocol, frozenset[str]] = {
    "direct": frozenset(["score"]),
    "mqm": frozenset(["errors"]),
    "esa": frozenset(["errors", "score"]),
}


def _parts_of(category: str) -> list[str]:
    """Return a category and its subcategories in lower case, with spaces between words."""
    parts = []
    for part in _BETWEEN_CATEGORIES.split(category.lower()):
        words = re.findall(r"\w+", part.replace("_", " "))
        if words:
            parts.append(" ".join(words))
    return parts


# Categories that the prompts ask for, and MQM's in WMT. Another one may say that nothing is wrong: "none", "no-error".
_CATEGORIES = _ASKED_CATEGORIES | {part for category in KNOWN - WEIGHTLESS for part in _parts_of(category)}
_CATEGORIES -= WEIGHTLESS


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
    answer = _without_reasoning(_without_last_tokens(text.removeprefix(_BYTE_ORDER_MARK)))
    if answer is None:
        return None
    answer = _without_fences(answer)
    shown = (output, *others)
    before, json, value = _json_at_end(answer)
    if value is None:
        score = None
        if protocol == "direct":
            score = _score_in_words(answer, shown)
        if score is None:
            return None
        return score, ()
    if before and (protocol != "direct" or not _is_prose(before)):  # "Reference errors." may announce a list
        return None
    has_words = bool(before) or _explains(value)
    spans: Spans | None = ()
    if protocol != "direct":
        errors = _errors_in(value, protocol)
        if errors is None:
            return None
        spans = _spans_of(errors, output)
    if spans is None:
        return None
    if protocol == "mqm":
        if has_words and not spans:
            return None
        if spans and any(_skeleton(json) in _skeleton(seen) for seen in shown):
            return None
        return max(-LARGEST_PENALTY, -sum(_WEIGHTS[span.severity] for span in spans)), spans
    members = _members(value, protocol)
    score = None if members is None else _number(members["score"])
    if score is None or _may_be_refusal(score, has_words) or _may_be_quoted(score, shown, has_words=bool(before)):
        return None
    return score, spans


def _may_be_refusal(score: float, has_words: bool) -> bool:
    """Return whether an answer could be "I cannot judge this", followed by the score that such an answer has."""
    return has_words and score == LOWEST


def _may_be_quoted(score: float, shown: Sequence[str], *, has_words: bool) -> bool:
    """Return whether a score could be repeated from a text that the judge saw, not its own.

    "Score: 85" and ``{"score": 85}`` have the same letters and digits. After words any 85 in these texts is enough.
    """
    if has_words:
        return any(_has_number(seen, score) for seen in shown)
    quoted = _skeleton(f"score{score:g}")
    return any(quoted in _skeleton(seen) for seen in shown)


def _skeleton(text: str) -> str:
    """Return the letters and digits of a text, whatever their case and width."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


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
    opened: list[str] = []
    start = 0
    for number, tag in enumerate(_TAG.finditer(text)):
        name = tag["name"].lower()
        if not tag["end"]:
            if not opened and text[start : tag.start()].strip():
                return None  # an answer, then doubts about it
            opened.append(name)
            continue
        if opened:
            if opened.pop() != name:
                return None
        elif number > 0:
            return None
        # Otherwise the block was opened in the prompt, as some chat templates do: all before its end is reasoning.
        start = tag.end()
        if not opened and _is_json(text[start:]):
            return text[start:]
    if opened or "<|" in text:
        return None
    return text[start:]


def _is_json(text: str) -> bool:
    """Return whether all of a text is one JSON list or object, so that a tag in it is a word of the judged output."""
    before, _, value = _json_at_end(_without_fences(text))
    return value is not None and not before


def _without_fences(text: str) -> str:
    """Return an answer without the lines of code fences, in pairs, or the marks of inline code around all of it."""
    fences = list(_FENCE.finditer(text))
    labels_at_end = [fence["label"] for fence in fences[1::2]]
    if len(fences) % 2 == 0 and not any(labels_at_end):
        text = _FENCE.sub("", text)
    text = text.strip()
    if text.startswith("`") and text.endswith("`") and "\n" not in text:
        text = text.strip("`").strip()
    return text


def _json_at_end(text: str) -> tuple[str, str, Any]:
    """Return what stands before the JSON list or object that ends a text, the JSON, and its value; or None.

    It starts a line at the first bracket of the text: a second list, or one that is damaged, makes it no JSON.
    """
    bracket = _BRACKET.search(text)
    if bracket is None:
        return text, "", None
    before = text[: bracket.start()]
    json = text[bracket.start() :]
    line = before.rpartition("\n")[2]
    if line.strip():
        return text, "", None
    try:
        return before.strip(), json, bounded_json(json, _MOST_VALUES, is_strict=True)
    except ValueError:
        return text, "", None


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
    if score is None or not _is_prose(before) or _may_be_refusal(score, has_words=bool(before)):
        return None
    is_called = match.re is _CALLED_SCORE
    if is_called and _may_be_quoted(score, shown, has_words=bool(before)):
        return None
    return score


def _is_prose(text: str) -> bool:
    """Return whether a text is nothing but sentences of letters, in any script; also if it is empty."""
    text = _without_emphasis(text)
    if _LIKE_LETTERS.search(text):
        return False
    lines = [line for line in text.split("\n") if line]
    if any(line.startswith("-") or not line.endswith(tuple(_ENDS_OF_SENTENCES)) for line in lines):
        return False  # an entry of a list, or a heading
    for place, character in enumerate(text):
        if character in _APOSTROPHES:
            if not (_is_letter(text[place - 1 : place]) and _is_letter(text[place + 1 : place + 2])):
                return False
        elif not (_is_letter(character) or character in _PUNCTUATION or character in " \n" + _JOINERS):
            return False
    return True


def _is_letter(character: str) -> bool:
    """Return whether a character is a letter, or a mark on one, and not also a number (as ``十`` is)."""
    if not character or character.isnumeric():
        return False
    return character.isalpha() or unicodedata.category(character) in ("Mn", "Mc")


def _has_number(text: str, score: float) -> bool:
    """Return whether a text has a number, in digits of any script."""
    numbers = (match[0].replace(",", ".").replace("٫", ".") for match in _SHOWN_NUMBER.finditer(text))
    return any(math.isclose(float(number), score) for number in numbers)


def _explains(value: Any) -> bool:
    """Return whether a JSON object has words beside the answer."""
    if not isinstance(value, dict):
        return False
    names = {name.strip().lower() for name, member in value.items() if member}
    return not names.isdisjoint(_EXPLAINING)


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
    """Return a score of the scale that was asked for; 0.85 is one of a scale from 0 to 1."""
    if score == LOWEST or 1 <= score <= HIGHEST:
        return score + 0.0  # -0.0 becomes 0.0
    return None


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
        category = members.get("category", "").strip()
        if not (words or category) or (category and not _is_category(category)):
            return None
        if words and words not in output and not _skeleton(words):  # "…", as in the example of the prompt
            return None
        start = output.find(words, end_of_last.get(words, 0)) if words else -1
        if start < 0:
            start = len(output)
            words = ""
        else:
            end_of_last[words] = start + len(words)
        spans.append(ErrorSpan(start, start + len(words), severity, shortened(category)))
    return tuple(spans)


def _is_category(category: str) -> bool:
    parts = _parts_of(category)
    return bool(parts) and _CATEGORIES.issuperset(parts)


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
    return members
