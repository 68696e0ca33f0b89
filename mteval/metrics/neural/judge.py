"""LLM judges: a language model behind an OpenAI-compatible endpoint rates outputs or marks their errors."""

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from mteval.base.errors import DataError
from mteval.metrics.base import Option, ScoreRange, Watch, choice, integer
from mteval.metrics.neural import named_models
from mteval.metrics.neural.endpoints import (
    JUDGES,
    LANGUAGES,
    OF_ANSWERS,
    PROMPTS,
    Endpoint,
    Protocol,
    endpoint,
    template,
)
from mteval.metrics.neural.response_format import ResponseFormat, known_format, signed
from mteval.values.judgements import SEVERITIES
from mteval.values.languages import codes_of
from mteval.values.model import TestSet

if TYPE_CHECKING:
    from mteval.metrics.neural.asking import JudgeScorer

_OPTIONS = (
    choice(
        "protocol", "Protocol", "direct: a number from 0 to 100. mqm: errors. esa: errors, then a number.", *PROMPTS
    ),
    choice("references", "References", "Whether the judge sees the reference.", "no", "yes"),
    Option("temperature", "number", "Temperature", "0: the most likely answer.", minimum=0, maximum=2),
    integer("repeats", "Repeats", "Times each output is judged; averaged, since it is one judge.", 1, 20),
)


@dataclass(frozen=True, kw_only=True)
class Judge(named_models.ModelMetric):
    """A language model that rates outputs.

    Scores run from 0 to 100; for ``mqm``, from -25 to 0. The corpus score is their mean. Outputs of which no answer was
    understood have no score.

    Parameters
    ----------
    model
        Where the model answers.
    protocol
        ``direct``, ``mqm`` or ``esa``.
    prompt
        Prompt with fields.
    references
        Whether the judge sees the reference.
    temperature
        Of sampling.
    repeats
        Times each output is judged.
    response_format
        Whether a JSON schema is sent, if that is known. It follows from the model and the protocol, so judges that
        differ in it alone are equal.
    """

    model: Endpoint
    protocol: Protocol = "direct"
    prompt: str = PROMPTS["direct"]
    references: Literal["no", "yes"] = "no"
    temperature: float = 0.0
    repeats: int = 1
    response_format: ResponseFormat = field(default="untried", compare=False)

    family: ClassVar[named_models.Family] = JUDGES

    @property
    def submetric_names(self) -> tuple[str, ...]:
        """Shares of answers that were understood, luck of repeats, tokens per output, and errors by severity."""
        severities = SEVERITIES if self.protocol != "direct" else ()
        return (*OF_ANSWERS, *severities)

    @property
    def reads(self) -> tuple[str, ...]:
        """Sources, and references if the judge sees them."""
        return ("source", "references", "languages") if self.references == "yes" else ("source", "languages")

    @property
    def asked(self) -> str:
        """Return what affects a single answer, except its format."""
        prompt = sha256(self.prompt.encode()).hexdigest()[: named_models.DIGITS]
        options = f"protocol:{self.protocol}|prompt:{prompt}|refs:{self.references}|temperature:{self.temperature:g}"
        return f"judge:{self.model.model}|host:{self.model.host}|{options}"

    def signature(self) -> str:
        """Return model, host, protocol, prompt and sampling, how answers are read, and their format."""
        return f"{signed(self.asked, self.response_format)}|repeats:{self.repeats}"

    def after_asking(self, test_set: TestSet, output: str, watch: Watch) -> "Judge":
        """Return the judge with the format of its answers; the first output is judged if it is unknown.

        Raises
        ------
        MtevalError
            If the endpoint does not answer.
        """
        panel = self.prepare(test_set).settled(0, output, watch)
        return replace(self, response_format=panel.response_format)

    def lacks(self, test_set: TestSet) -> str:
        """Return what the judge needs and a test set lacks; otherwise empty."""
        if missing := self.lacks_source(test_set):
            return missing
        if self.references == "yes" and not any(test_set.references):
            return f"{self.name} needs references, and test set '{test_set.name}' has none. Set 'references' to no."
        return ""

    def prepare(self, test_set: TestSet) -> "JudgeScorer":
        """Take the sources and references; the endpoint is asked when outputs are scored.

        Raises
        ------
        DataError
            If the test set lacks what the judge reads.
        """
        if test_set.source is None or self.lacks(test_set):
            raise DataError(self.lacks(test_set))
        from mteval.metrics.neural.asking import Asking, JudgeScorer  # here: few commands ask an endpoint

        codes = codes_of(test_set.languages)
        languages = [LANGUAGES.get(code, code) for code in codes] or ["Original", "Target-language"]
        references = []
        if self.references == "yes":
            for of_segment in test_set.references:
                reference = ""
                if of_segment:
                    reference = of_segment[0]
                references.append(reference)
        asking = Asking.of(self.model, self.protocol, self.temperature, self.asked, self.response_format)
        return JudgeScorer(
            asking,
            self.submetric_names,
            self.prompt,
            self.repeats,
            test_set.source,
            tuple(references),
            (languages[0], languages[-1]),
        )


def _built(key: str, protocol: Protocol, **options: Any) -> Judge:
    model = endpoint(key)
    response_format = known_format(model, protocol)
    return Judge(model=model, protocol=protocol, prompt=template(protocol), response_format=response_format, **options)


spec_of_model = named_models.maker(
    Judge,
    _built,
    "A language model's judgement of each output, given its source; texts are sent to the endpoint. Judges prefer"
    " outputs of their own kind, and outputs can contain instructions to them.",
    ScoreRange(None, 100, "0 to 100; minus the weights of errors for mqm"),
    "Kocmi and Federmann 2023, EAMT",
    _OPTIONS,
)
