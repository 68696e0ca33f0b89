"""Ask LLM judges, several at once, until Stop; an answer that is not understood is asked for again."""

import math
import threading
from collections.abc import Callable, Container, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.base.errors import MtevalError
from mteval.metrics.base import Watch, unwatched
from mteval.metrics.neural.answer_text import understood
from mteval.metrics.neural.endpoints import AGAIN_JSON, AGAIN_NUMBER, AT_ONCE, OF_ANSWERS, Endpoint, Protocol, filled
from mteval.metrics.neural.exchange import Exchange, RefusedError, tokens_of
from mteval.metrics.neural.models import Judgement, Sample
from mteval.metrics.neural.panel import Cached, JudgedScorer, follow, keep_judgements
from mteval.metrics.neural.response_format import (
    FAILING,
    REFUSING,
    ResponseFormat,
    decide_format,
    known_format,
    schema,
    signed,
)
from mteval.values.judgements import Spans
from mteval.values.model import Run

_TRIES_TO_UNDERSTAND = 3
_CUT_OFF = ("length", "max_tokens", "model_length", "content_filter", "error")  # reasons why an answer ended


@dataclass(frozen=True)
class Answer:
    """What an endpoint answered.

    Parameters
    ----------
    text
        Empty if the answer was cut off, since half a number is another number.
    read, written
        Tokens.
    """

    text: str
    read: int
    written: int


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
    asked
        Signature of all that affects an answer except its format.
    response_format
        Whether a JSON schema is sent.
    signature
        Everything that affects a judgement.
    """

    model: Endpoint
    protocol: Protocol
    temperature: float
    asked: str
    response_format: ResponseFormat
    signature: str

    @classmethod
    def of(
        cls, model: Endpoint, protocol: Protocol, temperature: float, asked: str, response_format: ResponseFormat
    ) -> "Asking":
        """Return a judge, signed."""
        return cls(model, protocol, temperature, asked, response_format, signed(asked, response_format))

    def new(self, samples: Mapping[str, Sample], tell: Callable[[int], None]) -> dict[str, Judgement]:
        """Ask for judgements, several at once, and cache them every tenth of a second: writing one takes as long."""
        judged: dict[str, Judgement] = {}
        n_kept = 0
        waiting = iter(samples.items())

        def keep_new() -> None:
            nonlocal n_kept
            new = dict(list(judged.items())[n_kept:])
            if new:
                keep_judgements(new)
            n_kept += len(new)

        def look() -> None:
            keep_new()
            tell(len(judged))

        def next_one(exchange: Exchange) -> bool:
            sample_of_key = next(waiting, None)
            if sample_of_key is None:
                return False
            key, sample = sample_of_key
            judged[key] = self._judged(sample, exchange)
            return True

        try:
            _until_done(self.model, next_one, min(AT_ONCE, len(samples)), look)
        finally:
            keep_new()
        return judged

    def settled(self, sample: Sample, watch: Watch) -> "Asking":
        """Return the same with a response format that the endpoint takes.

        If that is unknown, a sample is judged with a JSON schema and, if the endpoint refuses that, without.

        Raises
        ------
        MtevalError
            If the endpoint does not answer either.
        """
        if self.response_format != "untried":
            return self
        # Another thread may know the format by now. A list, since ``try_schema`` replaces its element
        format_known = [known_format(self.model, self.protocol)]

        def try_schema(exchange: Exchange) -> bool:
            asking, answer = self._first_answer(sample, exchange)
            decide_format(self.model, self.protocol, asking.response_format)
            format_known[0] = asking.response_format
            keep_judgements({asking.keys([sample])[0]: asking._judged(sample, exchange, answer)})
            return False

        if format_known[0] == "untried":
            _until_done(self.model, try_schema, 1, lambda: watch(0.0))
        return self.in_format(format_known[0])

    def _first_answer(self, sample: Sample, exchange: Exchange) -> tuple["Asking", Answer]:
        """Return the judge in a format that its endpoint takes, and its answer about a sample."""
        with_schema = self.in_format("json-schema")
        without = self.in_format("text")
        try:
            return with_schema, with_schema.answer(sample, exchange, REFUSING)
        except RefusedError as refusal:
            if refusal.status not in REFUSING:
                raise
            status = refusal.status
        answer = without.answer(sample, exchange)
        if status in FAILING:  # was it the schema, or did the server fail for another reason just then?
            try:
                return with_schema, with_schema.answer(sample, exchange, REFUSING)
            except RefusedError as refusal:
                if refusal.status not in REFUSING:
                    raise
        return without, answer

    def in_format(self, response_format: ResponseFormat) -> "Asking":
        """Return the same with another response format."""
        return replace(self, response_format=response_format, signature=signed(self.asked, response_format))

    def _judged(self, sample: Sample, exchange: Exchange, first: Answer | None = None) -> Judgement:
        """Return a judgement, with tokens read and written and how often the judge was asked.

        If no answer is understood, its score is NaN.
        """
        read = 0
        written = 0
        for number in range(1, _TRIES_TO_UNDERSTAND + 1):
            if number > 1:
                answer = self.answer(sample, exchange, is_repeated=True)
            elif first is None:
                answer = self.answer(sample, exchange)
            else:
                answer = first
            read += answer.read
            written += answer.written
            judged = understood(answer.text, str(sample["mt"]), self.protocol, sample["others"])
            if judged is not None:
                return Judgement(*judged, (float(read), float(written), float(number)))
        return Judgement(math.nan, (), (float(read), float(written), float(_TRIES_TO_UNDERSTAND)))

    def answer(
        self, sample: Sample, exchange: Exchange, final: Container[int] = (), *, is_repeated: bool = False
    ) -> Answer:
        """Ask once.

        Parameters
        ----------
        final
            Statuses that are not temporary here.
        is_repeated
            Whether an earlier answer was not understood; the judge is then asked for nothing but the answer.

        Raises
        ------
        RefusedError
            If the endpoint does not answer.
        MtevalError
            If it answers something else than a completion.
        """
        prompt = str(sample["prompt"])
        if is_repeated:
            is_number = self.protocol == "direct" and self.response_format != "json-schema"
            prompt += AGAIN_NUMBER if is_number else AGAIN_JSON
        body: dict[str, Any] = {
            "model": self.model.model,
            "messages": [{"role": "user", "content": prompt}],
            "temperature": self.temperature,
            "max_tokens": 1500,
        }
        if self.response_format == "json-schema":
            body["response_format"] = schema(self.protocol)
        response = exchange.response(body, final)
        try:
            choices = response["choices"]
            message = choices[0]["message"]
            text = _text_of(message.get("content"))
            is_whole = str(choices[0].get("finish_reason")).lower() not in _CUT_OFF
            is_answer = is_whole and len(choices) == 1 and not message.get("refusal")
        except (LookupError, TypeError, AttributeError):
            question = "Is it an OpenAI-compatible endpoint?"
            raise MtevalError(f"{self.model.name}: {self.model.host} answered without 'choices'. {question}") from None
        usage = response.get("usage")
        return Answer(
            text if is_answer else "", tokens_of(usage, "prompt_tokens"), tokens_of(usage, "completion_tokens")
        )


def _text_of(content: Any) -> str:
    """Return the text of a message, which may come in parts; empty if any of it is something else."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = []
    for part in content:
        if not isinstance(part, dict):
            return ""
        if part.get("type") != "text":
            continue
        text = part.get("text")
        if not isinstance(text, str):
            return ""
        texts.append(text)
    return "".join(texts)


def _until_done(
    model: Endpoint, next_one: Callable[[Exchange], bool], n_threads: int, tell: Callable[[], None]
) -> None:
    """Call a function in several threads, each until it returns false; the first failure ends all of them.

    Parameters
    ----------
    tell
        Called ten times a second; an exception in it stops the work at once.
    """
    stop = threading.Event()
    exchange = Exchange(model, stop)
    ends = [Future[None]() for _ in range(n_threads)]

    def work(end: Future[None]) -> None:
        try:
            try:
                while not stop.is_set() and next_one(exchange):
                    pass
            finally:
                exchange.leave()
            end.set_result(None)
        except BaseException as error:  # whatever it is, the thread that waits raises it
            end.set_exception(error)

    def look(_: int) -> None:
        exchange.end_late()
        tell()

    for end in ends:  # the program's end waits for threads of a pool, but not for these
        threading.Thread(target=work, args=(end,), daemon=True).start()
    try:
        follow(set(ends), (), look)
    finally:
        stop.set()
        exchange.end()


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
        others = [self.sources[segment], reference]
        sample: dict[str, str | list[str]] = {"prompt": prompt, "mt": text, "others": others}
        return [{**sample, "repeat": str(number)} for number in range(self.repeats)]

    def statistics_and_more(
        self, segment_ids: Sequence[int], hypotheses: Sequence[str], watch: Watch = unwatched
    ) -> tuple[FloatArray, Mapping[str, Judgement]]:
        """As for other learned metrics, once the format of answers is known, which is part of the key in the cache."""
        if hypotheses and self.panel.response_format == "untried":
            panel = self.settled(segment_ids[0], hypotheses[0], watch)
            return replace(self, panel=panel).statistics_and_more(segment_ids, hypotheses, watch)
        return super().statistics_and_more(segment_ids, hypotheses, watch)

    def keep(self, more: Mapping[str, object]) -> None:
        """Cache what the judge answered on another machine, and the format of its answers there."""
        if self.panel.response_format != "untried":
            decide_format(self.panel.model, self.panel.protocol, self.panel.response_format)
        super().keep(more)

    def settled(self, segment: int, text: str, watch: Watch) -> Asking:
        """Return the judge with a settled format of answers; one output is judged if it is unknown."""
        return self.panel.settled(self.samples(segment, text)[0], watch)

    def error_spans(self, run: Run) -> tuple[Spans | None, ...] | None:
        """Return the errors that the judge found in a run's outputs, as for other learned metrics."""
        known = known_format(self.panel.model, self.panel.protocol)
        if self.panel.response_format == "untried" and known != "untried":
            return replace(self, panel=self.panel.in_format(known)).error_spans(run)
        return super().error_spans(run)

    def row(self, judgement: Judgement) -> list[float]:
        """Return the score, and ``Judge.submetric_names`` for one answer."""
        read, written, n_asked = judgement.parts
        is_understood = not math.isnan(judgement.score)
        at_once = float(is_understood and n_asked == 1)
        later = float(is_understood and n_asked > 1)
        severities = [span.severity for span in judgement.spans]
        marked = [float(severities.count(name)) for name in self.submetric_names[len(OF_ANSWERS) :]]
        return [judgement.score, at_once, later, 0.0, read, written, *marked]

    def combined(self, rows: FloatArray, counts: IntArray) -> FloatArray:
        """Average over repeats: scores and errors over answers that were understood, NaN if there is none.

        The other columns are shares of all repeats in percent, the SD of scores, and sums of tokens.
        """
        asked = rows.reshape(len(counts), self.repeats, -1)  # outputs, repeats, columns of ``row``
        is_understood = asked[:, :, 1:3].sum(axis=2, keepdims=True)
        n_understood = is_understood.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            means = np.nansum(asked * is_understood, axis=1) / n_understood
            deviations = is_understood * (asked[:, :, :1] - means[:, None, :1])
            variances = np.nansum(deviations**2, axis=1) / (n_understood - 1)
        means[:, 1:3] = 100 * asked[:, :, 1:3].mean(axis=1)
        means[:, 3:4] = np.where(n_understood > 1, np.sqrt(np.maximum(variances, 0.0)), 0.0)
        means[:, 4:6] = asked[:, :, 4:6].sum(axis=1)
        return np.asarray(means)
