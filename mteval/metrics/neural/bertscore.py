"""BERTScore: its options, and the pretrained models that it reads: their published names, layers and content."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from mteval.base.errors import SettingsError
from mteval.metrics.base import MetricSpec, Option, Scorer, ScoreRange
from mteval.metrics.neural import environment, named_models
from mteval.metrics.options import FIELDS, described
from mteval.values.model import TestSet

ENCODERS = named_models.Family(
    *("bertscore", "BERTScore", "MTEVAL_BERTSCORE", "model", "/path/to/roberta-large"),
    form="a folder or a name in the Hugging Face cache",
)


@dataclass(frozen=True)
class Encoder(named_models.NamedModel):
    """A pretrained model of the package transformers.

    Parameters
    ----------
    folder
        With its configuration, tokenizer and weights.
    """

    folder: Path

    @property
    def digest(self) -> str:
        """Of configuration, tokenizer and weights."""
        return named_models.digest_of_folder(self.folder, named_models.DESCRIPTIONS, named_models.WEIGHTS)

    def published(self, layers: Mapping[str, int]) -> str:
        """The name under which the model is known.

        Parameters
        ----------
        layers
            Names that BERTScore's package knows: of the folder, with that of its maker before it.
        """
        name = named_models.published_name(self.folder)
        return name if name in layers or self.folder.parent.name == "snapshots" else self.folder.name

    def layer(self, layers: Mapping[str, int]) -> int:
        """The layer that BERTScore's package reads of a model of this name.

        Raises
        ------
        SettingsError
            Where it knows none.
        """
        name = self.published(layers)
        if name not in layers:
            raise SettingsError(
                f"BERTScore: its package does not say which layer of '{name}' to read ('{self.folder}'). Set the option"
                " 'layer', 1 being the first, or call the folder as the model is published: roberta-large."
            )
        return layers[name]


def encoder(name: str) -> Encoder:
    """The model that the environment gives a name.

    Raises
    ------
    MissingDependencyError
        Where none is named.
    SettingsError
        Where what is named is no model.
    """
    given, word = ENCODERS.named(name)
    folder = named_models.model_folder(word)
    if folder is None:
        raise SettingsError(
            f"BERTScore: '{word}' is named as model, and there is neither such a folder nor a model of that name in the"
            f" Hugging Face cache. {ENCODERS.remedy}"
        )
    if not (folder / "config.json").is_file() or not named_models.files_of(folder, named_models.WEIGHTS):
        lacking = "weights (*.safetensors, *.bin)" if (folder / "config.json").is_file() else "config.json"
        raise SettingsError(
            f"BERTScore: the folder '{folder}' has no {lacking}. Name the folder of a model as transformers saves it,"
            " with configuration, tokenizer and weights in it, or the name of one in the Hugging Face cache."
        )
    return Encoder(given, folder)


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
    named_models.BATCH_SIZE,
)


@dataclass(frozen=True, kw_only=True)
class BertScore(named_models.LearnedMetric):
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

    family: ClassVar[named_models.Family] = ENCODERS
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
        from mteval.metrics.neural.panel import BertScorer  # here, since few commands score by a model

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


def _built(key: str, layer: int, rescale: str, **options: Any) -> BertScore:
    model = encoder(key)
    python = environment.python_with(BertScore.package, ENCODERS.metric_name(key))
    found = environment.packages(python)
    layer, published = layer or model.layer(found.layers), model.published(found.layers)
    if rescale != NOT_RESCALED and f"{rescale}/{published}" not in found.baselines:
        known = [entry.split("/")[0] for entry in found.baselines if entry.endswith(f"/{published}")]
        raise SettingsError(
            f"BERTScore: 'rescale' is '{rescale}', and the package has no such baseline for '{published}';"
            f" expected {', '.join([NOT_RESCALED, *known])}."
        )
    devices = environment.devices()
    return BertScore(model=model, python=python, layer=layer, rescale=rescale, **options, devices=devices)


def spec_of_model(name: str) -> MetricSpec:
    """The registry's line of the metric that a model of this name makes."""
    return described(
        BertScore,
        "How well the words of the output and of the reference match one another as vectors of a pretrained"
        " model, so that words of like meaning count in part. Scores of different models or layers do not compare, and"
        " as opposites have like vectors as well, an error may cost little.",
        ScoreRange(None, None, "100 for the reference itself; most scores of a model lie close together"),
        "Zhang, Kishore, Wu, Weinberger and Artzi 2020, ICLR",
        _OPTIONS,
        usual={"layer": 0},
        build=partial(_built, name.lower()),
        key=name.lower(),
        name=ENCODERS.metric_name(name),
        is_slow=True,
    )
