"""BERTScore: its options, its scores of segments, their mean."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.base.errors import SettingsError
from mteval.metrics.base import Option, OptionValue, Scorer, ScoreRange
from mteval.metrics.neural import environment
from mteval.metrics.neural.models import Judgement, Sample
from mteval.metrics.neural.named_models import ENCODERS, Encoder, Family, encoder
from mteval.metrics.neural.panel import BATCH_SIZE, JudgedScorer, LearnedMetric, spec_of
from mteval.metrics.options import FIELDS, defaults_of, settled
from mteval.values.model import TestSet
from mteval.values.settings import Convention

NOT_RESCALED = "none"
_OPTIONS = (
    Option(
        "layer",
        "integer",
        "Layer",
        "The layer of the model whose vectors are compared, 1 being the first; 0: the one that the package has found"
        " best for a model of this name.",
        minimum=0,
        maximum=200,
    ),
    Option(
        "tokenizer",
        "choice",
        "Tokenizer",
        "fast: as the command bert-score; slow: as the package's Python interface. Some models read a word at the"
        " beginning otherwise with the one than with the other.",
        choices=("fast", "slow"),
    ),
    Option(
        "rescale",
        "choice",
        "Rescaling",
        "The language by whose baseline the package stretches scores, so that unrelated sentences have about 0; none:"
        " the similarities themselves.",
        choices=(NOT_RESCALED, "cs", "de", "en", "en-sci", "es", "et", "fi", "fr", "it", "lv", "pt", "zh"),
    ),
    BATCH_SIZE,
)


@dataclass(frozen=True, kw_only=True)
class BertScore(LearnedMetric):
    """BERTScore: how well the words of an output and of its reference match, as vectors of a pretrained model.

    Scores are 100 times F; the corpus score is their mean.

    Parameters
    ----------
    layer
        Whose vectors are compared, 1 being the first.
    tokenizer
        Whether it is the ``fast`` or the ``slow`` one.
    rescale
        The language of the baseline, or ``none``.
    """

    model: Encoder
    layer: int
    tokenizer: Literal["fast", "slow"] = "fast"
    rescale: str = NOT_RESCALED

    family: ClassVar[Family] = ENCODERS
    package: ClassVar[str] = "bert-score"
    submetric_names: ClassVar[tuple[str, ...]] = ("precision", "recall")
    fields: ClassVar[tuple[str, ...]] = (*FIELDS, *submetric_names)
    reads: ClassVar[tuple[str, ...]] = ("references",)

    @property
    def hash(self) -> str:
        """What the package itself calls the options that decide its numbers, with the model's name."""
        found = environment.packages(self.python)
        model, library = self.model.published(found.layers), found.versions.get("transformers", "none")
        rescaled = "" if self.rescale == NOT_RESCALED else "-rescaled"
        fast = "_fast-tokenizer" if self.tokenizer == "fast" else ""
        return f"{model}_L{self.layer}_no-idf_version={found.bert_score}(hug_trans={library}){rescaled}{fast}"

    def signature(self) -> str:
        """The package's own hash, the model and its tokenizer by their content, the options, and what computed."""
        options = f"refs:best|rescale:{self.rescale}|batch:{self.batch_size}"
        return f"{self.hash}|model:{self.model.digest}|{options}|{self.computed_by}"

    def prepare(self, test_set: TestSet) -> Scorer:
        """Take the references; the model is loaded when the first output is scored."""
        panel = self.panel(
            self.model.folder,
            "bertscore",
            ("folder", str(self.model.folder)),
            ("name", self.model.published(environment.packages(self.python).layers)),
            ("layer", self.layer),
            ("is_fast", self.tokenizer == "fast"),
            ("language", "" if self.rescale == NOT_RESCALED else self.rescale),
        )
        return BertScorer(panel, self.submetric_names, test_set.references)


@dataclass(frozen=True)
class BertScorer(JudgedScorer):
    """BERTScore on one test set; the parts of its score are precision and recall.

    Parameters
    ----------
    references
        Of each segment.
    """

    references: tuple[tuple[str, ...], ...]

    def samples(self, segment: int, text: str) -> list[Sample]:
        """The output with each reference."""
        return [{"mt": text, "ref": reference} for reference in self.references[segment]]

    def row(self, judgement: Judgement) -> list[float]:
        """100 times F, precision and recall."""
        return [100 * number for number in (judgement.score, *judgement.parts)]

    def combined(self, rows: FloatArray, counts: IntArray) -> FloatArray:
        """The best of each over references, as the package has it: they need not come from the same one."""
        return np.maximum.reduceat(rows, np.cumsum(counts) - counts, axis=0)


def _configure(key: str, convention: Convention, options: Mapping[str, OptionValue]) -> BertScore:
    name = ENCODERS.metric_name(key)
    given = settled(name, _OPTIONS, _DEFAULTS(convention), options)
    model = encoder(key)
    python = environment.python_with(BertScore.package, name)
    found = environment.packages(python)
    given["layer"] = given["layer"] or model.layer(found.layers)
    language, published = given["rescale"], model.published(found.layers)
    if language != NOT_RESCALED and f"{language}/{published}" not in found.baselines:
        known = [entry.split("/")[0] for entry in found.baselines if entry.endswith(f"/{published}")]
        raise SettingsError(
            f"BERTScore: 'rescale' is '{language}', and the package has no such baseline for '{published}';"
            f" expected {', '.join([NOT_RESCALED, *known])}."
        )
    return BertScore(model=model, python=python, **given, devices=environment.devices())


_DEFAULTS = defaults_of(BertScore, _OPTIONS, layer=0)
spec_of_model = partial(
    spec_of,
    ENCODERS,
    configure=_configure,
    summary="How well the words of the output and of the reference match one another as vectors of a pretrained"
    " model, so that words of like meaning count in part. Scores of different models or layers do not compare, and"
    " as opposites have like vectors as well, an error may cost little.",
    range=ScoreRange(None, None, "100 for the reference itself; most scores of a model lie close together"),
    source="Zhang, Kishore, Wu, Weinberger and Artzi 2020, ICLR",
    options=_OPTIONS,
    defaults=_DEFAULTS,
)
