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
    *("comet", "COMET", "MTEVAL_COMET", "checkpoint", "/path/to/model.ckpt"),
    form="a file, a folder with one, or a name on the hub",
)
_IN_A_FOLDER = ("*.ckpt", "checkpoints/*.ckpt", "snapshots/*/checkpoints/*.ckpt")  # last: Hugging Face cache
_ON_HUB = re.compile(r"[\w.-]+(/[\w.-]+)?(?<!\.ckpt)")
_CLASS = re.compile(r"^class_identifier:\s*['\"]?(\w+)", re.MULTILINE)
_SEGMENTS = re.compile(r"^input_segments:\s*\n((?:\s*-\s*\w+\s*\n?)+)", re.MULTILINE)
_ENCODER = re.compile(r"^pretrained_model:\s*['\"]?([^'\"\n]+?)['\"]?\s*$", re.MULTILINE)
_POOLING = re.compile(r"^pool:\s*['\"]?(\w+)", re.MULTILINE)
_REFERENCE_FREE, _REGRESSION = "referenceless_regression_metric", "regression_metric"
_UNIFIED, _SPANS = "unified_metric", "xcomet_metric"


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
        return self.kind == _REGRESSION and self.pooling == "avg"

    @property
    def digest(self) -> str:
        """Digest of the checkpoint, its description, and its encoder's configuration and tokenizer."""
        folder = named_models.model_folder(self.encoder)
        encoder = "none" if folder is None else named_models.digest_of_folder(folder, named_models.DESCRIPTIONS)
        own = (digest_of_file(file)[: named_models.DIGITS] for file in (self.file, settings_file(self.file)))
        return "-".join((*own, encoder))


def checkpoint(name: str) -> Checkpoint:
    """Return the checkpoint that the environment names.

    Raises
    ------
    MissingDependencyError
        If none is named.
    SettingsError
        If the name is not that of a checkpoint.
    """
    given, word = CHECKPOINTS.named(name)
    path = Path(word).expanduser().absolute()
    if not path.exists() and (downloaded := named_models.model_folder(word)):
        path = downloaded
    found = sorted(file for pattern in _IN_A_FOLDER for file in path.glob(pattern)) if path.is_dir() else [path]
    if len(found) != 1:
        raise SettingsError(
            f"COMET: folder '{path}' has {counted(len(found), 'checkpoint')} (*.ckpt, also in checkpoints/); expected"
            " one. Name the file itself."
        )
    file, described = found[0], settings_file(found[0])
    if not file.is_file():
        if _ON_HUB.fullmatch(word):
            remedy = f"Get it with 'mteval models get {word}' on a machine with network."
            raise SettingsError(f"COMET: '{word}' is neither a file nor in the Hugging Face cache. {remedy}")
        raise SettingsError(f"COMET: checkpoint '{file}' does not exist. {CHECKPOINTS.remedy}")
    if not described.is_file():
        remedy = "Keep the checkpoint in its folder 'checkpoints' beside 'hparams.yaml'."
        raise SettingsError(f"COMET: '{described}', which describes '{file.name}', is missing. {remedy}")
    return _described(given, file, described.read_text(encoding="utf-8", errors="replace"))


def _described(name: str, file: Path, text: str) -> Checkpoint:
    if (kind := _CLASS.search(text)) is None or kind[1] not in (_REFERENCE_FREE, _REGRESSION, _UNIFIED, _SPANS):
        found = f"names '{kind[1]}'" if kind else "names none"
        raise SettingsError(
            f"COMET: '{settings_file(file)}' {found} as class_identifier; expected {_REGRESSION}, {_REFERENCE_FREE},"
            f" {_UNIFIED} or {_SPANS}. Choose a checkpoint that scores segments."
        )
    segments, encoder, pooling = (pattern.search(text) for pattern in (_SEGMENTS, _ENCODER, _POOLING))
    reads = kind[1] != _REFERENCE_FREE and (segments is None or "ref" in segments[1])
    needs = kind[1] == _REGRESSION or (segments is not None and "src" not in segments[1])
    named = encoder[1] if encoder else "", pooling[1] if pooling else "avg"  # the package's default
    return Checkpoint(name, file, kind[1], reads, needs, *named)


def has_encoder(description: str) -> bool:
    """Return whether the encoder that a checkpoint's description names is on this machine."""
    encoder = _ENCODER.search(description)
    return encoder is None or named_models.model_folder(encoder[1]) is not None


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
        own = {"references": self.model.reads_references, "source": True, "documents": self.context > 0}
        return tuple(part for part, is_read in own.items() if is_read)

    def signature_here(self) -> str:
        """Return digests of model and tokenizer, the options, and what computed the scores."""
        references = f"refs:{self.references}" if self.model.reads_references else "refs:none"
        padded = "|pad:8" if self.precision == "single" else ""  # ``STEP`` in ``comet_model``
        options = f"{references}|context:{self.context}|batch:{self.batch_size}{padded}|precision:{self.precision}"
        return f"model:{self.model.digest}|kind:{self.model.kind}|{options}|{self.computed_by}"

    def lacks(self, test_set: TestSet) -> str:
        """Return what the model needs and a test set lacks (sources, references or documents); otherwise empty."""
        if missing := self.lacks_source(test_set):
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
        how = {"is_half": self.precision == "half", "reads_context": self.context > 0}
        return self.panel_of("comet", checkpoint=str(self.model.file), **how)

    def prepare(self, test_set: TestSet) -> Scorer:
        """Take the sources and references; the model is loaded when the first output is scored.

        Raises
        ------
        DataError
            If the test set lacks what the model reads.
        """
        if test_set.source is None or self.lacks(test_set):
            raise DataError(self.lacks(test_set))
        references = test_set.references if self.model.reads_references and test_set.has_references else ()
        before = _before(test_set.documents or (), self.context, test_set.n_segments)
        from mteval.metrics.neural.panel import CometScorer  # here: few commands use models

        return CometScorer(self.panel(), self.submetric_names, self.references, test_set.source, references, before)


def _before(documents: Sequence[str], context: int, n_segments: int) -> tuple[range, ...]:
    """Return for each segment up to ``context`` preceding segments of its document."""
    first = [0] * n_segments
    for place in range(1, len(documents)):
        first[place] = first[place - 1] if documents[place] == documents[place - 1] else place
    return tuple(range(max(first[place], place - context), place) for place in range(n_segments))


def _built(key: str, context: int, **options: Any) -> Comet:
    name, model = CHECKPOINTS.metric_name(key), checkpoint(key)
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
