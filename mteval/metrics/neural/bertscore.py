"""BERTScore: its options, its scores of segments, their mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from mteval.base.arrays import FloatArray, IntArray
from mteval.base.errors import SettingsError
from mteval.metrics.base import MetricSpec, Option, OptionValue, Scorer, ScoreRange
from mteval.metrics.means import FIELDS
from mteval.metrics.neural import environment
from mteval.metrics.neural.encoders import ENCODERS, Encoder, encoder
from mteval.metrics.neural.models import Judgement, Sample, Wanted
from mteval.metrics.neural.options import BATCH_SIZE
from mteval.metrics.neural.panel import JudgedScorer, Panel
from mteval.metrics.options import settled
from mteval.values.model import TestSet
from mteval.values.notation import Notation
from mteval.values.settings import Convention

PACKAGE = "bert-score"
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


@dataclass(frozen=True)
class BertScore:
    """BERTScore: how well the words of an output and of its reference match, as vectors of a pretrained model.

    Scores are 100 times F; the corpus score is their mean.

    Parameters
    ----------
    encoder, python
        The model, and the interpreter that has BERTScore's package.
    layer
        Whose vectors are compared, 1 being the first.
    tokenizer
        Whether it is the ``fast`` or the ``slow`` one.
    rescale
        The language of the baseline, or ``none``.
    batch_size
        Outputs that the model reads at once.
    devices
        What it computes on, a process each.
    """

    encoder: Encoder
    python: Path
    layer: int
    tokenizer: Literal["fast", "slow"] = "fast"
    rescale: str = NOT_RESCALED
    batch_size: int = 16
    devices: tuple[str, ...] = ("cpu",)

    higher_is_better: ClassVar[bool] = True
    is_segment_mean: ClassVar[bool] = True
    submetric_names: ClassVar[tuple[str, ...]] = ("precision", "recall")
    fields: ClassVar[tuple[str, ...]] = (*FIELDS, *submetric_names)
    reads: ClassVar[tuple[str, ...]] = ("references",)

    @property
    def key(self) -> str:
        """The model's name, in lower case."""
        return self.encoder.key

    @property
    def name(self) -> str:
        """The model's name; of the usual one the package's."""
        return ENCODERS.metric_name(self.encoder.name)

    @property
    def hash(self) -> str:
        """What the package itself calls the options that decide its numbers, with the model's name."""
        found = environment.packages(self.python)
        model, library = self.encoder.published(found.layers), found.versions.get("transformers", "none")
        rescaled = "" if self.rescale == NOT_RESCALED else "-rescaled"
        fast = "_fast-tokenizer" if self.tokenizer == "fast" else ""
        return f"{model}_L{self.layer}_no-idf_version={found.bert_score}(hug_trans={library}){rescaled}{fast}"

    def signature(self) -> str:
        """The package's own hash, the model and its tokenizer by their content, the options, and what computed."""
        options = f"refs:best|rescale:{self.rescale}|batch:{self.batch_size}"
        computed = f"device:{environment.kinds_of(self.devices)}|scale:100"
        versions = environment.versions_signed(self.python, PACKAGE)
        return f"{self.hash}|model:{self.encoder.digest}|{options}|{computed}|{versions}"

    def prepare(self, test_set: TestSet) -> Scorer:
        """Take the references; the model is loaded when the first output is scored."""
        return BertScorer(self._panel, self.submetric_names, test_set.references)

    @property
    def _panel(self) -> Panel:
        options = (
            ("folder", str(self.encoder.folder)),
            ("name", self.encoder.published(environment.packages(self.python).layers)),
            ("layer", self.layer),
            ("is_fast", self.tokenizer == "fast"),
            ("language", "" if self.rescale == NOT_RESCALED else self.rescale),
        )
        label = f"{self.name} ('{self.encoder.folder}')"
        wanted = Wanted(label, self.python, "bertscore", options, self.encoder.digest)
        return Panel(wanted, self.devices, self.batch_size, self.signature())


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


def _defaults(convention: Convention) -> Mapping[str, OptionValue]:
    return {"layer": 0, "tokenizer": "fast", "rescale": NOT_RESCALED, "batch_size": 16}


def _configure(key: str, convention: Convention, options: Mapping[str, OptionValue]) -> BertScore:
    name = ENCODERS.metric_name(key)
    given = settled(name, _OPTIONS, _defaults(convention), options)
    model = encoder(key)
    python = environment.python_file(name)
    environment.require(PACKAGE, name, python)
    found = environment.packages(python)
    layer = given.pop("layer") or model.layer(found.layers)
    _check_baseline(given["rescale"], model.published(found.layers), found.baselines)
    return BertScore(model, python, layer, **given, devices=environment.devices())


def _check_baseline(language: str, model: str, baselines: Sequence[str]) -> None:
    if language != NOT_RESCALED and f"{language}/{model}" not in baselines:
        known = [entry.split("/")[0] for entry in baselines if entry.endswith(f"/{model}")]
        raise SettingsError(
            f"BERTScore: 'rescale' is '{language}', and the package has no such baseline for '{model}';"
            f" expected {', '.join([NOT_RESCALED, *known])}."
        )


def _spec_of(name: str) -> MetricSpec:
    """The metric that a model of this name makes."""
    return MetricSpec(
        key=name.lower(),
        name=ENCODERS.metric_name(name),
        notation=Notation("↑"),
        summary="How well the words of the output and of the reference match one another as vectors of a pretrained"
        " model, so that words of like meaning count in part. Scores of different models or layers do not compare, and"
        " as opposites have like vectors as well, an error may cost little.",
        range=ScoreRange(None, None, "100 for the reference itself; most scores of a model lie close together"),
        source="Zhang, Kishore, Wu, Weinberger and Artzi 2020, ICLR",
        options=_OPTIONS,
        configure=partial(_configure, name.lower()),
        defaults=_defaults,
        is_slow=True,
    )


SPEC = _spec_of(ENCODERS.key)


def named_specs() -> tuple[MetricSpec, ...]:
    """The metrics of the models that the environment names otherwise than ``bertscore``."""
    return tuple(map(_spec_of, ENCODERS.further))
