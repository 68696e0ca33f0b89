"""BERTScore: its options, and the pretrained models that it reads (published names, layers, content)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from mteval.base.errors import SettingsError
from mteval.metrics.base import ScoreRange, choice, integer
from mteval.metrics.neural import environment, named_models

if TYPE_CHECKING:
    from mteval.metrics.neural.panel import Panel

ENCODERS = named_models.Family("bertscore", "BERTScore", "MTEVAL_BERTSCORE", "model", "/path/to/roberta-large")


class Encoder(named_models.FolderModel):
    """A pretrained model whose layers bert-score may know."""

    def published(self, layers: Mapping[str, int]) -> str:
        """Return the published name of the model.

        Parameters
        ----------
        layers
            Names that bert-score knows, with or without their maker's.
        """
        name = named_models.published_name(self.folder)
        if name in layers or self.folder.parent.name == "snapshots":
            return name
        return self.folder.name

    def layer(self, layers: Mapping[str, int]) -> int:
        """Return the layer that bert-score recommends for a model of this name.

        Raises
        ------
        SettingsError
            If it recommends none.
        """
        name = self.published(layers)
        if name not in layers:
            raise SettingsError(
                f"BERTScore: bert-score recommends no layer for '{name}' ('{self.folder}'). Set 'layer' (first layer:"
                " 1) or rename the folder to the model's published name, e.g. roberta-large."
            )
        return layers[name]


def encoder(name: str) -> Encoder:
    """Return the model that the environment names. Raises as ``folder_named``."""
    return Encoder(*named_models.folder_named(ENCODERS, name))


NOT_RESCALED = "none"
_OPTIONS = (
    integer("layer", "Layer", "Layer to compare. 0: the one that bert-score recommends.", 0, 200),
    choice("tokenizer", "Tokenizer", "bert-score's command uses fast, its API slow.", "fast", "slow"),
    choice(
        "rescale",
        "Rescaling",
        "Language of the baseline that rescales scores so that unrelated sentences get about 0. none: raw similarity.",
        NOT_RESCALED,
        "cs",
        "de",
        "en",
        "en-sci",
        "es",
        "et",
        "fi",
        "fr",
        "it",
        "lv",
        "pt",
        "zh",
    ),
    named_models.BATCH_SIZE,
)


@dataclass(frozen=True, kw_only=True)
class BertScore(named_models.LearnedMetric):
    """BERTScore: how well the words of output and reference match, as vectors of a pretrained model.

    Scores are 100 times F; the corpus score is their mean.

    Parameters
    ----------
    layer
        Layer whose vectors are compared, from 1.
    published
        Published name of the model.
    tokenizer
        ``fast`` or ``slow``.
    rescale
        Language of the baseline, or ``none``.
    """

    model: Encoder
    layer: int
    published: str
    tokenizer: Literal["fast", "slow"] = "fast"
    rescale: str = NOT_RESCALED

    family: ClassVar[named_models.Family] = ENCODERS
    package: ClassVar[str] = "bert-score"
    submetric_names = ("precision", "recall")

    @property
    def hash(self) -> str:
        """The package's own name for the options that affect its numbers, with the model's name."""
        packages = environment.packages(self.python)
        transformers = packages.versions.get("transformers", "none")
        rescaled = "" if self.rescale == NOT_RESCALED else "-rescaled"
        fast = "_fast-tokenizer" if self.tokenizer == "fast" else ""
        versions = f"version={packages.bert_score}(hug_trans={transformers})"
        return f"{self.published}_L{self.layer}_no-idf_{versions}{rescaled}{fast}"

    def signature_here(self) -> str:
        """Return the package's hash, digests of model and tokenizer, the options, and what computed the scores."""
        options = f"refs:best|rescale:{self.rescale}|batch:{self.batch_size}|pad:8"  # ``STEP`` in ``worker``
        return f"{self.hash}|model:{self.model.digest}|{options}|{self.computed_by}"

    def panel(self) -> Panel:
        """Return the model on its devices."""
        language = "" if self.rescale == NOT_RESCALED else self.rescale
        return self.panel_of(
            "bertscore",
            folder=str(self.model.folder),
            name=self.published,
            layer=self.layer,
            is_fast=self.tokenizer == "fast",
            language=language,
        )


def _built(key: str, layer: int, rescale: str, **options: Any) -> BertScore:
    """Return the metric of a model; the layer 0 is the one that bert-score recommends.

    Raises
    ------
    MissingDependencyError
        If the model or its package is not on this machine.
    SettingsError
        If it is no model, or bert-score has no layer or baseline for it.
    """
    model = encoder(key)
    python = environment.python_with(BertScore.package, ENCODERS.metric_name(key))
    packages = environment.packages(python)
    if layer == 0:
        layer = model.layer(packages.layers)
    published = model.published(packages.layers)
    if rescale != NOT_RESCALED and f"{rescale}/{published}" not in packages.baselines:
        known = [entry.split("/")[0] for entry in packages.baselines if entry.endswith(f"/{published}")]
        message = f"BERTScore: 'rescale' is '{rescale}', but bert-score has no such baseline for '{published}';"
        raise SettingsError(f"{message} expected {', '.join([NOT_RESCALED, *known])}.")
    return BertScore(
        model=model,
        python=python,
        devices=environment.devices(python),
        layer=layer,
        published=published,
        rescale=rescale,
        **options,
    )


spec_of_model = named_models.maker(
    BertScore,
    _built,
    "How well the words of output and reference match as vectors of a pretrained model, so similar words count in part."
    " Scores of different models or layers are not comparable, and opposites have similar vectors, so a serious error"
    " may cost little.",
    ScoreRange(None, None, "100 for the reference itself; a model's scores lie close together"),
    "Zhang, Kishore, Wu, Weinberger and Artzi 2020, ICLR",
    _OPTIONS,
    usual={"layer": 0},
)
