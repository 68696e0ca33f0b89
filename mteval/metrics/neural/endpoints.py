"""The endpoints of LLM judges, as the environment names them, and their prompts.

Direct assessment follows Kocmi and Federmann 2023 (GEMBA), errors Kocmi and Federmann 2023 (GEMBA-MQM) and error span
annotation (Kocmi et al. 2024); the prompts are our own. Texts are sent to the endpoint that the person who starts
mteval names, and nowhere else: an endpoint is never a setting, since settings also come from links and files.
"""

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from mteval.base.errors import SettingsError
from mteval.metrics.neural.named_models import Family, NamedModel

Protocol = Literal["direct", "mqm", "esa"]
JUDGES = Family(
    *("llm-judge", "LLM judge", "MTEVAL_JUDGE", "model", "MODEL@https://host/v1"),
    form="the model's name and its endpoint",
    metavar="MODEL@URL",
    separator=" ",
)
# Environment variables
KEY = "MTEVAL_JUDGE_KEY"
TEMPLATE = "MTEVAL_JUDGE_TEMPLATE"
PRICE = "MTEVAL_JUDGE_PRICE"
RATE = "MTEVAL_JUDGE_RATE"  # requests per minute
AT_ONCE = 30  # requests at a time; fewer if the endpoint says that these are too many
# Components of every judge's score: shares of answers, deviation, and tokens per output.
OF_ANSWERS = ("understood at once", "understood later", "SD of repeats", "tokens read", "tokens written")

_HEAD = """\
{source_language} source:
<<<{source}>>>
{reference}{target_language} translation:
<<<{output}>>>

"""
_ERRORS = """\
List the errors of the translation. For each, copy the wrong words from the translation. For an omission, copy the \
words from the source. Give a category: accuracy, fluency, terminology, style, locale or other. Give a severity. \
Critical errors mislead or harm. Major errors disturb understanding. Minor errors are noticeable, but understood."""
PROMPTS = {
    "direct": _HEAD
    + "How well does the translation keep the meaning of the source, in good {target_language}? Give one whole number"
    " from 0 (the meaning is lost) to 100 (perfect). Answer with the number only.",
    "mqm": _HEAD
    + _ERRORS
    + ' Answer with a JSON list only, such as [{"span": "...", "category": "accuracy", "severity": "major"}]; [] if'
    " there are no errors.",
    "esa": _HEAD
    + _ERRORS
    + " Then give a score from 0 (the meaning is lost) to 100 (perfect). Answer with JSON only, such as"
    ' {"errors": [{"span": "...", "category": "accuracy", "severity": "major"}], "score": 60}.',
}
AGAIN_NUMBER = "\n\nAnswer with the number alone, without other words."  # added to a question that is repeated
AGAIN_JSON = "\n\nAnswer with the JSON alone, without other words or explanations."
LANGUAGES = {
    **{"ar": "Arabic", "bn": "Bengali", "cs": "Czech", "de": "German", "en": "English", "es": "Spanish"},
    **{"et": "Estonian", "fi": "Finnish", "fr": "French", "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi"},
    **{"is": "Icelandic", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian"},
    **{"nl": "Dutch", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sw": "Swahili"},
    **{"tr": "Turkish", "uk": "Ukrainian", "ur": "Urdu", "vi": "Vietnamese", "zh": "Chinese"},
}
_FIELDS = ("source", "output", "reference", "source_language", "target_language")


@dataclass(frozen=True)
class Endpoint(NamedModel):
    """A model behind an OpenAI-compatible endpoint.

    Parameters
    ----------
    model
        Name of the model there.
    url
        Address before ``/chat/completions``.
    """

    model: str
    url: str

    @property
    def host(self) -> str:
        """Where texts are sent."""
        return urlsplit(self.url).netloc

    @property
    def price(self) -> tuple[float, float] | None:
        """US dollars per million tokens read and written; None if not given.

        Raises
        ------
        SettingsError
            If the price is not two numbers.
        """
        text = os.environ.get(PRICE, "").strip()
        if not text:
            return None
        match = re.fullmatch(r"(\d+(?:\.\d+)?)/(\d+(?:\.\d+)?)", text)
        if match is None:
            raise SettingsError(f"{PRICE} is '{text}'; expected dollars per million tokens read and written: 2.5/10.")
        return float(match[1]), float(match[2])


def endpoint(name: str) -> Endpoint:
    """Return the endpoint that the environment names.

    Raises
    ------
    MissingDependencyError
        If none is named.
    SettingsError
        If it is not a model and an address.
    """
    given, word = JUDGES.named(name)
    model, is_joined, url = word.rpartition("@")
    expected = f"expected {JUDGES.example}, e.g. gpt-4.1@https://host/v1"
    if "://" in model or re.search("[?#]", url):  # a password, or a key among the address's parameters
        raise SettingsError(
            f"{JUDGES.variable} has an address with a user, '?' or '#'; {expected}. Set the key with {KEY}."
        )
    if not model or not is_joined or not _is_address(url):
        raise SettingsError(f"{JUDGES.variable} has '{word}'; {expected}.")
    return Endpoint(given, model, url.rstrip("/"))


def _is_address(url: str) -> bool:
    """Return whether requests can be sent to an address."""
    try:
        parts = urlsplit(url)
        is_whole = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port or an IPv6 address that is none
        return False
    return is_whole and re.fullmatch("[!-~]+", url) is not None


def template(protocol: Protocol) -> str:
    """Return the prompt: mteval's own, or the file that the environment names.

    Raises
    ------
    SettingsError
        If the file cannot be read or lacks the output.
    """
    if not (named := os.environ.get(TEMPLATE, "").strip()):
        return PROMPTS[protocol]
    try:
        text = Path(named).expanduser().read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise SettingsError(f"{TEMPLATE}: '{named}' cannot be read ({type(error).__name__}).") from error
    if "{output}" not in text:
        fields = ", ".join(f"{{{field}}}" for field in _FIELDS)
        raise SettingsError(f"{TEMPLATE}: '{named}' does not contain {{output}}. Available: {fields}.")
    return text


def filled(prompt: str, values: dict[str, str]) -> str:
    """Return a prompt with its fields replaced at once, so that a text with braces changes nothing."""
    pattern = re.compile("|".join(re.escape(f"{{{field}}}") for field in _FIELDS))
    return pattern.sub(lambda match: values[match[0][1:-1]], prompt)
