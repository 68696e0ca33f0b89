"""MetricX-24 and BLEURT-20: models of transformers that give each output one number, each by a program of its own."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from mteval.base.errors import DataError, MissingDependencyError
from mteval.metrics.base import Scorer, ScoreRange, choice
from mteval.metrics.neural import environment, named_models
from mteval.metrics.neural.named_models import (
    BATCH_SIZE,
    DESCRIPTIONS,
    Family,
    FolderModel,
    LearnedMetric,
    digest_of_folder,
)
from mteval.values.model import TestSet

METRICX = Family("metricx-24", "MetricX-24", "MTEVAL_METRICX", "model", "google/metricx-24-hybrid-large-v2p6")
BLEURT = Family("bleurt-20", "BLEURT-20", "MTEVAL_BLEURT", "model", "lucadiliello/BLEURT-20")
LONGEST = 1536  # tokens that MetricX-24 reads, as its authors recommend
_TOKENIZERS = tuple(f"google/mt5-{size}" for size in ("large", "xl", "xxl", "base", "small"))  # all the same


class Rating(LearnedMetric):
    """A metric whose scores batches affect only on graphics cards."""

    @property
    def computed_by(self) -> str:
        """The part of signatures that names batches, packages and kind of device."""
        if set(self.devices) == {"cpu"}:
            return super().computed_by
        return f"batch:{self.batch_size}|pad:8|{super().computed_by}"  # ``STEP`` in ``worker``


@dataclass(frozen=True, kw_only=True)
class MetricX(Rating):
    """MetricX-24: an estimate of the errors in a translation, 0 (none) to 25, given its source and reference or only
    its source. The corpus score is the mean, also over several references.

    Parameters
    ----------
    tokenizer
        Folder of its tokenizer.
    references
        Whether the model reads them.
    """

    model: FolderModel
    tokenizer: Path
    references: Literal["yes", "no"] = "yes"

    family: ClassVar[Family] = METRICX
    package: ClassVar[str] = "google-metricx"
    scale: ClassVar[float] = 1.0
    higher_is_better: ClassVar[bool] = False
    submetric_names = ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Sources, and references if the model reads them."""
        if self.references == "yes":
            return ("source", "references")
        return ("source",)

    def signature_here(self) -> str:
        """Return digests of model and tokenizer, the options, and what computed the scores."""
        references = "mean" if self.references == "yes" else "none"
        tokenizer = digest_of_folder(self.tokenizer, DESCRIPTIONS)
        digests = f"model:{self.model.digest}|tokenizer:{tokenizer}"
        return f"{digests}|refs:{references}|length:{LONGEST}|{self.computed_by}"

    def lacks(self, test_set: TestSet) -> str:
        """Return that sources are missing; references may be."""
        return self.lacks_source(test_set)

    def panel(self) -> Any:
        """Return the model on its devices."""
        return self.panel_of(
            "metricx",
            folder=str(self.model.folder),
            tokenizer=str(self.tokenizer),
            longest=LONGEST,
        )

    def prepare(self, test_set: TestSet) -> Scorer:
        """Take the sources and references; the model is loaded when the first output is scored.

        Raises
        ------
        DataError
            If there are no sources.
        """
        if test_set.source is None:
            raise DataError(self.lacks(test_set))
        from mteval.metrics.neural.panel import CometScorer  # here: few commands use models

        references: tuple[tuple[str, ...], ...] = ()
        if self.references == "yes" and test_set.has_references:
            references = test_set.references
        before = (range(0),) * test_set.n_segments
        return CometScorer(self.panel(), (), "mean", test_set.source, references, before, self.scale)


@dataclass(frozen=True, kw_only=True)
class Bleurt(Rating):
    """BLEURT-20: a model's rating of how well an output keeps the reference's meaning.

    Scores are 100 times the model's, for the best reference; the corpus score is their mean.
    """

    model: FolderModel

    family: ClassVar[Family] = BLEURT
    package: ClassVar[str] = "bleurt-pytorch"
    submetric_names = ()

    def signature_here(self) -> str:
        """Return the digest of the model, and what computed the scores."""
        return f"model:{self.model.digest}|refs:best|{self.computed_by}"

    def panel(self) -> Any:
        """Return the model on its devices."""
        return self.panel_of("bleurt", folder=str(self.model.folder))


def family_of(folder: Path) -> Family | None:
    """Return the family of a model by its configuration; None if it is neither."""
    config = folder / "config.json"
    if not config.is_file():
        return None
    text = config.read_text(encoding="utf-8", errors="replace")
    if '"mt5"' in text:
        return METRICX
    if '"bleurt"' in text.lower():
        return BLEURT
    return None


def _built(metric: type[MetricX] | type[Bleurt], key: str, **options: Any) -> LearnedMetric:
    """Return the metric of a model.

    Raises
    ------
    MissingDependencyError
        If the model, its tokenizer or its package is not on this machine.
    SettingsError
        If it is no model.
    """
    model = FolderModel(*named_models.folder_named(metric.family, key))
    name = metric.family.metric_name(model.name)
    if metric is MetricX:
        tokenizer = _tokenizer_of(model.folder)
        if tokenizer is None:
            remedy = "Get it with 'mteval models get google/mt5-large --no-weights'."
            raise MissingDependencyError(f"{name}: its tokenizer is not on this machine. {remedy}")
        options["tokenizer"] = tokenizer
    python = environment.python_with(metric.package, name)
    return metric(model=model, python=python, devices=environment.devices(python), **options)


def _tokenizer_of(folder: Path) -> Path | None:
    """Return the folder of MetricX's tokenizer: that of the model, or one in the Hugging Face cache."""
    folders = [folder, *(named_models.model_folder(name) for name in _TOKENIZERS)]
    for candidate in folders:
        if candidate is not None and (candidate / "spiece.model").is_file():
            return candidate
    return None


metricx_spec = named_models.maker(
    MetricX,
    partial(_built, MetricX),
    "A trained model's estimate of the errors in an output, on the scale of MQM. It sees meaning beyond shared"
    " words, but languages unseen in training may be misjudged.",
    ScoreRange(0, 25, "0: no errors; 25: worst"),
    "Juraska, Deutsch, Finkelstein and Freitag 2024, WMT",
    (choice("references", "References", "Whether the model reads them.", "yes", "no"), BATCH_SIZE),
)
bleurt_spec = named_models.maker(
    Bleurt,
    partial(_built, Bleurt),
    "A trained model's rating of how well an output keeps the meaning of the reference. It does not see the"
    " source, and languages unseen in training may be misjudged.",
    ScoreRange(None, None, "about 0 to 100"),
    "Sellam, Das and Parikh 2020, ACL; Pu, Chung, Parikh, Gehrmann and Sellam 2021, EMNLP",
    (BATCH_SIZE,),
)
