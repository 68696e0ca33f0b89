"""Ask LLM judges: requests with retries, a rate limit and Stop; parse answers; cache them by content."""

import json
import math
import os
import re
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.base.errors import MtevalError, SettingsError, shortened
from mteval.metrics.neural.endpoints import AT_ONCE, KEY, RATE, Endpoint, Protocol, filled
from mteval.metrics.neural.models import Judgement, Sample, stopped
from mteval.metrics.neural.panel import Cached, JudgedScorer, follow, keep_judgements
from mteval.values.judgements import SEVERITIES, ErrorSpan, Spans

LARGEST_PENALTY = 25.0
_WEIGHTS = {"minor": 1.0, "major": 5.0, "critical": LARGEST_PENALTY}  # of GEMBA-MQM
_TRIES, _TRIES_TO_PARSE = 6, 3
_TEMPORARY = (408, 409, 425, 429, 500, 502, 503, 504, 529)


@dataclass(frozen=True)
class Asking(Cached):
    """A judge behind an endpoint.

    Parameters
    ----------
    model
        Where it answers.
    protocol
        What it is asked for.
    temperature
        Of sampling.
    signature
        Everything that affects an answer.
    """

    model: Endpoint
    protocol: Protocol
    temperature: float
    signature: str

    def new(self, samples: Mapping[str, Sample], tell: Callable[[int], None]) -> dict[str, Judgement]:
        """Ask for judgements, several at once, and cache each."""
        found: dict[str, Judgement] = {}
        stop = threading.Event()
        pace = _Pace(stop)
        asked = {key: Future[None]() for key in samples}
        todo = iter(asked.items())

        def work() -> None:
            for key, future in todo:
                try:
                    judgement = self._judged(samples[key], pace)
                    keep_judgements({key: judgement})
                    found[key] = judgement
                    future.set_result(None)
                except BaseException as error:  # whatever it is, the thread that waits raises it
                    future.set_exception(error)
                if stop.is_set():
                    return

        for _ in range(AT_ONCE):  # the program's end waits for threads of a pool, but not for these
            threading.Thread(target=work, daemon=True).start()
        try:
            follow(set(asked.values()), found, tell)
        finally:
            stop.set()
        return found

    def _judged(self, sample: Sample, pace: "_Pace") -> Judgement:
        """Return a judgement. If no answer is valid, its score is NaN."""
        read = written = 0
        for _ in range(_TRIES_TO_PARSE):
            text, tokens = self._answer(str(sample["prompt"]), pace)
            read, written = read + tokens[0], written + tokens[1]
            if (parsed := parsed_answer(text, str(sample["mt"]), self.protocol)) is not None:
                return Judgement(parsed[0], parsed[1], (float(read), float(written)))
        return Judgement(math.nan, (), (float(read), float(written)))

    def _answer(self, prompt: str, pace: "_Pace") -> tuple[str, tuple[int, int]]:
        """Return the text of an answer, and the tokens read and written."""
        asked = {"model": self.model.model, "messages": [{"role": "user", "content": prompt}]}
        how = {"temperature": self.temperature, "max_tokens": 1500}
        response = self._response(json.dumps(asked | how).encode(), pace)
        try:
            text = response["choices"][0]["message"]["content"]
            usage = response.get("usage") or {}
            return str(text or ""), (int(usage.get("prompt_tokens") or 0), int(usage.get("completion_tokens") or 0))
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            question = "Is it an OpenAI-compatible endpoint?"
            raise MtevalError(f"{self.model.name}: {self.model.host} answered without 'choices'. {question}") from error

    def _response(self, content: bytes, pace: "_Pace") -> Any:
        headers = {"Content-Type": "application/json", "User-Agent": "mteval"}
        if key := os.environ.get(KEY, "").strip():
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(f"{self.model.url}/chat/completions", content, headers)
        for number in range(1, _TRIES + 1):
            pace.wait_for_turn()
            seconds = float(2 ** (number - 1))
            try:
                with _OPENER.open(request, timeout=120.0) as response:
                    return json.loads(response.read(1 << 20))
            except urllib.error.HTTPError as error:
                said = shortened(" ".join(error.read(2000).decode("utf-8", "replace").split()))
                if error.code not in _TEMPORARY or number == _TRIES:
                    raise self._refused(f"answered {error.code} ({said or error.reason})") from error
                wanted = error.headers.get("Retry-After", "")
                seconds = float(wanted) if wanted.isdigit() else seconds
            except (OSError, ValueError) as error:  # no connection, or no JSON
                if number == _TRIES:
                    raise self._refused(f"gave no answer ({type(error).__name__}: {error})") from error
            pace.pause(min(seconds, 60.0))
        raise AssertionError("the last try returns or raises")

    def _refused(self, what: str) -> MtevalError:
        remedy = f"Check the model '{self.model.model}', the address and {KEY}. Answers so far are kept."
        return MtevalError(f"{self.model.name}: {self.model.host} {what}. {remedy}")


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Texts go to the named host only."""

    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirect)


class _Pace:
    """The rate limit shared by all requests, and Stop.

    Raises
    ------
    SettingsError
        If the limit in the environment is not a number.
    """

    def __init__(self, stop: threading.Event) -> None:
        text = os.environ.get(RATE, "").strip()
        if text and not (text.isdigit() and int(text)):
            raise SettingsError(f"{RATE} is '{text}'; expected requests per minute, e.g. 60.")
        self._seconds = 60 / int(text) if text else 0.0
        self._stop, self._lock, self._next = stop, threading.Lock(), 0.0

    def wait_for_turn(self) -> None:
        """Wait until another request is allowed."""
        with self._lock:
            now = time.monotonic()
            turn = max(now, self._next)
            self._next = turn + self._seconds
        self.pause(turn - now)

    def pause(self, seconds: float) -> None:
        """Wait, but not longer than until Stop."""
        if self._stop.wait(max(0.0, seconds)):
            raise stopped()


def parsed_answer(text: str, output: str, protocol: Protocol) -> tuple[float, Spans] | None:
    """Return score and errors of an answer; None if it is not valid.

    Parameters
    ----------
    text
        The answer. Words around a number or JSON, code fences and ``85/100`` are accepted.
    output
        The judged output, in which the errors' words are looked up.
    """
    if protocol == "direct":
        score = _score_in(text)
        return None if score is None else (score, ())
    value = _json_in(text)
    errors = value.get("errors") if isinstance(value, dict) else value
    if not isinstance(errors, list):
        return None
    if (spans := _spans_of(errors, output)) is None:
        return None
    if protocol == "mqm":
        return max(-LARGEST_PENALTY, -sum(_WEIGHTS[span.severity] for span in spans)), spans
    score = _number(value.get("score")) if isinstance(value, dict) else None
    return None if score is None else (score, spans)


def _score_in(text: str) -> float | None:
    """Return the only number from 0 to 100 in a text, or the one that is called the score."""
    value = _json_in(text)
    if isinstance(value, dict) and (named := _number(value.get("score"))) is not None:
        return named
    text = re.sub(r"\s*/\s*100\b|\b(out of|from 0 to) 100\b", "", text)
    called = re.findall(r"(?:score|rating)\W{0,12}(\d+(?:\.\d+)?)(?![\d.]*\d)", text, re.IGNORECASE)
    numbers = {float(word) for word in called or re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?!\w)", text)}
    return numbers.pop() if len(numbers) == 1 and max(numbers) <= 100 else None


def _number(value: object) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"\s*\d+(\.\d+)?\s*", value):
        value = float(value)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and 0 <= value <= 100 else None  # type: ignore[operator, arg-type]


def _json_in(text: str) -> Any:
    """Return the first JSON list or object in a text; None if there is none."""
    decoder = json.JSONDecoder()
    for place in (found.start() for found in re.finditer(r"[\[{]", text)):
        try:
            return decoder.raw_decode(text, place)[0]
        except ValueError:
            continue
        except RecursionError:  # what is nested too deeply is no answer, and each part of it would take as long
            return None
    return None


def _spans_of(errors: Sequence[Any], output: str) -> Spans | None:
    """Return errors at their words in the output, each at its own place; None if one has no known severity.

    Errors whose words are not there (omissions) have an empty span at the end.
    """
    spans, used = [], dict[str, int]()
    for error in errors:
        if not isinstance(error, dict) or str(error.get("severity", "")).lower() not in SEVERITIES:
            return None
        words = str(error.get("span") or "").strip()
        start = output.find(words, used.get(words, 0)) if words else -1
        if start < 0:
            start, words = len(output), ""
        else:
            used[words] = start + len(words)
        category = shortened(str(error.get("category") or ""))
        spans.append(ErrorSpan(start, start + len(words), str(error["severity"]).lower(), category))
    return tuple(spans)


@dataclass(frozen=True)
class JudgeScorer(JudgedScorer):
    """An LLM judge on one test set; its components are described at ``Judge.submetric_names``.

    Parameters
    ----------
    panel
        How to ask it.
    prompt
        With fields.
    repeats
        Times each output is judged.
    sources, references
        Of each segment; no references if the judge sees none.
    languages
        Names of source and target language.
    """

    panel: Asking
    prompt: str
    repeats: int
    sources: tuple[str, ...]
    references: tuple[str, ...]
    languages: tuple[str, str]

    stays_here: ClassVar[bool] = True

    def samples(self, segment: int, text: str) -> list[Sample]:
        """Return the request of one output, once per repeat."""
        reference = self.references[segment] if self.references else ""
        shown = f"Human translation:\n<<<{reference}>>>\n" if reference else ""
        texts = {"source": self.sources[segment], "output": text, "reference": shown}
        languages = dict(zip(("source_language", "target_language"), self.languages, strict=True))
        prompt = filled(self.prompt, texts | languages)
        return [{"prompt": prompt, "mt": text, "repeat": str(number)} for number in range(self.repeats)]

    def row(self, judgement: Judgement) -> list[float]:
        """Return score, whether the answer is valid, a place for the SD of repeats, tokens, and errors by severity."""
        found = [span.severity for span in judgement.spans]
        is_valid = not math.isnan(judgement.score)
        marked = [float(found.count(name)) for name in self.submetric_names[4:]]
        return [judgement.score, float(is_valid), 0.0, *judgement.parts, *marked]

    def combined(self, rows: FloatArray, counts: IntArray) -> FloatArray:
        """Average valid answers over repeats; NaN if there is none. Tokens are summed."""
        asked = rows.reshape(len(counts), self.repeats, -1)
        valid = asked[:, :, 1:2]
        n_valid = valid.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.nansum(asked * valid, axis=1) / n_valid
            squares = np.nansum(valid * (asked[:, :, :1] - means[:, None, :1]) ** 2, axis=1) / (n_valid - 1)
        means[:, 1:2] = 100 * n_valid / self.repeats
        means[:, 2:3] = np.where(n_valid > 1, np.sqrt(squares), 0.0)
        means[:, 3:5] = asked[:, :, 3:5].sum(axis=1)
        return np.asarray(means)
