"""COMET: its options, and its checkpoints (their kind, what they read, their content)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from mteval.base.digests import digest_of_file
from mteval.base.errors import DataError, MissingDependencyError, SettingsError
from mteval.base.words import counted
from mteval.metrics.base import Scorer, ScoreRange, choice, integer
from mteval.metrics.neural import environment, named_models
from mteval.values.judgements import SEVERITIES
from mteval.values.model import TestSet

if TYPE_CHECKING:
    from mteval.metrics.neural.panel import Panel

CHECKPOINTS = named_models.Family(
    key="comet",
    name="COMET",
    variable="MTEVAL_COMET",
    option="checkpoint",
    example="/path/to/model.ckpt",
    form="checkpoint on this machine, a file, a folder with one, or a name on the hub",
)
_IN_A_FOLDER = ("*.ckpt", "checkpoints/*.ckpt", "snapshots/*/checkpoints/*.ckpt")  # last: Hugging Face cache
_ON_HUB = re.compile(r"[\w.-]+(/[\w.-]+)?(?<!\.ckpt)")
_CLASS = re.compile(r"^class_identifier:\s*['\"]?(\w+)", re.MULTILINE)
_SEGMENTS = re.compile(r"^input_segments:\s*\n((?:\s*-\s*\w+\s*\n?)+)", re.MULTILINE)
_ENCODER = re.compile(r"^pretrained_model:\s*['\"]?([^'\"\n]+?)['\"]?\s*$", re.MULTILINE)
_POOLING = re.compile(r"^pool:\s*['\"]?(\w+)", re.MULTILINE)
# Classes of checkpoints
_REFERENCE_FREE = "referenceless_regression_metric"
_REGRESSION = "regression_metric"
_UNIFIED = "unified_metric"
_SPANS = "xcomet_metric"
_CLASSES = (_REFERENCE_FREE, _REGRESSION, _UNIFIED, _SPANS)
_USUAL_POOLING = "avg"  # the package's default


@dataclass(frozen=True)
class Checkpoint(named_models.LocalModel):
    """A model of COMET's package.

    Parameters
    ----------
    file
        The checkpoint.
    kind
        Name of its class in the package.
    reads_references
        Whether it compares with a reference.
    needs_references
        Whether it cannot score without one.
    encoder
        Pretrained model that supplies configuration and tokenizer: a folder, or a name in the Hugging Face cache.
    pooling
        How a sentence embedding is made from token embeddings.
    """

    file: Path
    kind: str
    reads_references: bool
    needs_references: bool
    encoder: str
    pooling: str

    @property
    def reads_context(self) -> bool:
        """Whether it can read preceding sentences (those before an output come from its reference)."""
        return self.kind == _REGRESSION and self.pooling == _USUAL_POOLING

    @property
    def digest(self) -> str:
        """Digest of the checkpoint, its description, and its encoder's configuration and tokenizer."""
        checkpoint = digest_of_file(self.file)[: named_models.DIGITS]
        description = digest_of_file(settings_file(self.file))[: named_models.DIGITS]
        encoder = "none"
        folder = named_models.model_folder(self.encoder)
        if folder is not None:
            encoder = named_models.digest_of_folder(folder, named_models.DESCRIPTIONS)
        return f"{checkpoint}-{description}-{encoder}"


def checkpoint(name: str) -> Checkpoint:
    """Return the checkpoint that the environment names.

    Raises
    ------
    MissingDependencyError
        If none is named.
    SettingsError
        If the name is not that of a checkpoint.
    """
    key, word = CHECKPOINTS.named(name)
    path = Path(word).expanduser().absolute()
    if not path.exists():
        path = named_models.model_folder(word) or path
    files = [path]
    if path.is_dir():
        files = []
        for pattern in _IN_A_FOLDER:
            files += path.glob(pattern)
    if len(files) != 1:
        raise SettingsError(
            f"COMET: folder '{path}' has {counted(len(files), 'checkpoint')} (*.ckpt, also in checkpoints/); expected"
            " one. Name the file itself."
        )
    (file,) = files
    described = settings_file(file)
    if not file.is_file():
        if _ON_HUB.fullmatch(word):
            remedy = f"Get it with 'mteval models get {word}' on a machine with network."
            raise SettingsError(f"COMET: '{word}' is neither a file nor in the Hugging Face cache. {remedy}")
        raise SettingsError(f"COMET: checkpoint '{file}' does not exist. {CHECKPOINTS.remedy}")
    if not described.is_file():
        remedy = "Keep the checkpoint in its folder 'checkpoints' beside 'hparams.yaml'."
        raise SettingsError(f"COMET: '{described}', which describes '{file.name}', is missing. {remedy}")
    return _described(key, file, described.read_text(encoding="utf-8", errors="replace"))


def _described(name: str, file: Path, description: str) -> Checkpoint:
    """Return a checkpoint by its description.

    Raises
    ------
    SettingsError
        If it is of another class.
    """
    kind = _setting(_CLASS, description)
    if kind is None or kind not in _CLASSES:
        named = "none" if kind is None else f"'{kind}'"
        raise SettingsError(
            f"COMET: '{settings_file(file)}' names {named} as class_identifier; expected {_REGRESSION},"
            f" {_REFERENCE_FREE}, {_UNIFIED} or {_SPANS}. Choose a checkpoint that scores segments."
        )
    segments = _setting(_SEGMENTS, description)  # names of the texts that it reads; None if of all
    return Checkpoint(
        name,
        file,
        kind,
        reads_references=kind != _REFERENCE_FREE and (segments is None or "ref" in segments),
        needs_references=kind == _REGRESSION or (segments is not None and "src" not in segments),
        encoder=_setting(_ENCODER, description) or "",
        pooling=_setting(_POOLING, description) or _USUAL_POOLING,
    )


def _setting(pattern: re.Pattern[str], description: str) -> str | None:
    """Return a setting in a checkpoint's description; None if it is not there."""
    match = pattern.search(description)
    if match is None:
        return None
    return match[1]


def has_encoder(description: str) -> bool:
    """Return whether the encoder that a checkpoint's description names is on this machine."""
    encoder = _setting(_ENCODER, description)
    return encoder is None or named_models.model_folder(encoder) is not None


def settings_file(file: Path) -> Path:
    """Return COMET's description of a model, one folder above its checkpoint."""
    return file.parent.parent / "hparams.yaml"


_OPTIONS = (
    choice("references", "Several references", "Average the scores or take the best.", "mean", "best"),
    integer("context", "Context sentences", "Preceding sentences to read (published: 2).", 0, 16),
    named_models.BATCH_SIZE,
    choice("precision", "Precision", "32 or 16 bits; comet-score 2.2.7 uses half.", "single", "half"),
)


@dataclass(frozen=True, kw_only=True)
class Comet(named_models.LearnedMetric):
    """COMET: a trained model's estimate of how people would rate a translation, given its source, a reference or both.

    Scores are 100 times the model's; the corpus score is their mean.

    Parameters
    ----------
    references
        How scores against several references combine: ``mean`` or ``best``.
    context
        Number of preceding sentences of the document that the model reads (Vernikos et al. 2022).
    precision
        Precision of the model's numbers.
    """

    model: Checkpoint
    references: Literal["mean", "best"] = "mean"
    context: int = 0
    precision: Literal["single", "half"] = "single"

    family: ClassVar[named_models.Family] = CHECKPOINTS
    package: ClassVar[str] = "unbabel-comet"

    @property
    def submetric_names(self) -> tuple[str, ...]:
        """Severities of errors, if the model finds errors."""
        return SEVERITIES if self.model.kind == _SPANS else ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Sources; also references if the model compares with one, and documents if it reads context."""
        is_read = {
            "references": self.model.reads_references,
            "source": True,
            "documents": self.context > 0,
        }
        return tuple(part for part in is_read if is_read[part])

    def signature_here(self) -> str:
        """Return digests of model and tokenizer, the options, and what computed the scores."""
        references = f"refs:{self.references}" if self.model.reads_references else "refs:none"
        padded = "|pad:8" if self.precision == "single" else ""  # ``STEP`` in ``worker``
        options = f"{references}|context:{self.context}|batch:{self.batch_size}{padded}|precision:{self.precision}"
        return f"model:{self.model.digest}|kind:{self.model.kind}|{options}|{self.computed_by}"

    def lacks(self, test_set: TestSet) -> str:
        """Return what the model needs and a test set lacks (sources, references or documents); otherwise empty."""
        missing = self.lacks_source(test_set)
        if missing:
            return missing
        if self.model.needs_references and not any(test_set.references):
            remedy = f"Load them, use a reference-free model, or remove {self.name}."
            return f"{self.name} needs references, and test set '{test_set.name}' has none. {remedy}"
        if self.context and test_set.documents is None:
            return (
                f"{self.name} reads {counted(self.context, 'sentence')} of context, and test set '{test_set.name}' has"
                " no document IDs. Load them (one per line) with the role 'documents' or --documents, or set 'context'"
                " to 0."
            )
        return ""

    def panel(self) -> Panel:
        """Return the checkpoint on its devices."""
        return self.panel_of(
            "comet",
            checkpoint=str(self.model.file),
            is_half=self.precision == "half",
            reads_context=self.context > 0,
        )

    def prepare(self, test_set: TestSet) -> Scorer:
        """Take the sources and references; the model is loaded when the first output is scored.

        Raises
        ------
        DataError
            If the test set lacks what the model reads.
        """
        if test_set.source is None or self.lacks(test_set):
            raise DataError(self.lacks(test_set))
        references: tuple[tuple[str, ...], ...] = ()
        if self.model.reads_references and test_set.has_references:
            references = test_set.references
        before = _before(test_set.documents or (), self.context, test_set.n_segments)
        from mteval.metrics.neural.panel import CometScorer  # here: few commands use models

        return CometScorer(self.panel(), self.submetric_names, self.references, test_set.source, references, before)


def _before(documents: Sequence[str], context: int, n_segments: int) -> tuple[range, ...]:
    """Return for each segment up to ``context`` preceding segments of its document."""
    # The first segment of each segment's document
    first_of = [0] * n_segments
    for segment in range(1, len(documents)):
        if documents[segment] == documents[segment - 1]:
            first_of[segment] = first_of[segment - 1]
        else:
            first_of[segment] = segment
    return tuple(range(max(first_of[segment], segment - context), segment) for segment in range(n_segments))


def _built(key: str, context: int, **options: Any) -> Comet:
    """Return the metric of a checkpoint.

    Raises
    ------
    MissingDependencyError
        If the checkpoint, its encoder or its package is not on this machine.
    SettingsError
        If it is no checkpoint, or cannot read context.
    """
    name = CHECKPOINTS.metric_name(key)
    model = checkpoint(key)
    if model.encoder and named_models.model_folder(model.encoder) is None:
        raise MissingDependencyError(
            f"{name}: '{model.file.name}' needs configuration and tokenizer of its encoder '{model.encoder}', which are"
            f" not on this machine. Get them with 'mteval models get {model.encoder} --no-weights'."
        )
    if context and not model.reads_context:
        raise SettingsError(
            f"{name}: 'context' is {context}, but '{model.file}' ({model.kind}, pooling {model.pooling}) cannot read"
            " context: expected a regression_metric with the pooling avg. Set it to 0."
        )
    python = environment.python_with(Comet.package, name)
    return Comet(model=model, python=python, context=context, **options, devices=environment.devices(python))


spec_of_model = named_models.maker(
    Comet,
    _built,
    "A trained model's estimate of how people would rate the output, given the source, a reference or both. It sees"
    " meaning beyond shared words, but scores of different models are not comparable, and languages unseen in training"
    " may be misjudged.",
    ScoreRange(None, None, "about 0 to 100 for most models"),
    "Rei, Stewart, Farinha and Lavie 2020, EMNLP",
    _OPTIONS,
)
