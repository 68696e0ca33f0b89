"""COMET: its options, and its checkpoints: of what kind they are, what they read, what they are made of."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal

from mteval.base.digests import digest_of_file
from mteval.base.errors import DataError, SettingsError
from mteval.base.words import counted
from mteval.metrics.base import MetricSpec, Option, Scorer, ScoreRange
from mteval.metrics.neural import environment, named_models
from mteval.metrics.options import FIELDS, described
from mteval.values.judgements import SEVERITIES
from mteval.values.model import TestSet

Several = Literal["mean", "best"]


CHECKPOINTS = named_models.Family(
    "comet", "COMET", "MTEVAL_COMET", "checkpoint", "/path/to/model.ckpt", "a file or a folder with one"
)
_IN_A_FOLDER = ("*.ckpt", "checkpoints/*.ckpt", "snapshots/*/checkpoints/*.ckpt")  # the last is the Hugging Face cache
_CLASS = re.compile(r"^class_identifier:\s*['\"]?(\w+)", re.MULTILINE)
_SEGMENTS = re.compile(r"^input_segments:\s*\n((?:\s*-\s*\w+\s*\n?)+)", re.MULTILINE)
_ENCODER = re.compile(r"^pretrained_model:\s*['\"]?([^'\"\n]+?)['\"]?\s*$", re.MULTILINE)
_POOLING = re.compile(r"^pool:\s*['\"]?(\w+)", re.MULTILINE)
_REFERENCE_FREE, _REGRESSION = "referenceless_regression_metric", "regression_metric"
_UNIFIED, _SPANS = "unified_metric", "xcomet_metric"


@dataclass(frozen=True)
class Checkpoint(named_models.NamedModel):
    """A model of COMET's package.

    Parameters
    ----------
    file
        The checkpoint.
    kind
        The package's name of its class.
    reads_references
        Whether it compares with a reference.
    needs_references
        Whether it can do nothing without one.
    encoder
        The pretrained model whose configuration and tokenizer it takes: a folder, or a name in the Hugging Face cache.
    pooling
        How the embedding of a sentence is made of those of its tokens.
    """

    file: Path
    kind: str
    reads_references: bool
    needs_references: bool
    encoder: str
    pooling: str

    @property
    def finds_errors(self) -> bool:
        """Whether it says where in an output the errors are."""
        return self.kind == _SPANS

    @property
    def reads_context(self) -> bool:
        """Whether it can read the sentences before as well, those before an output being its reference's."""
        return self.kind == _REGRESSION and self.pooling == "avg"

    @property
    def digest(self) -> str:
        """Of the checkpoint, its description, and its encoder's configuration and tokenizer."""
        folder = named_models.model_folder(self.encoder)
        encoder = "none" if folder is None else named_models.digest_of_folder(folder, named_models.DESCRIPTIONS)
        return "-".join(
            [*(digest_of_file(file)[: named_models.DIGITS] for file in (self.file, settings_file(self.file))), encoder]
        )


def checkpoint(name: str) -> Checkpoint:
    """The checkpoint that the environment gives a name.

    Raises
    ------
    MissingDependencyError
        Where none is named.
    SettingsError
        Where what is named is no checkpoint.
    """
    given, word = CHECKPOINTS.named(name)
    path = Path(word).expanduser().absolute()
    found = sorted(file for pattern in _IN_A_FOLDER for file in path.glob(pattern)) if path.is_dir() else [path]
    if len(found) != 1:
        raise SettingsError(
            f"COMET: the folder '{path}' holds {counted(len(found), 'checkpoint')} (*.ckpt, also in checkpoints/);"
            " expected one. Name the file itself."
        )
    file, described = found[0], settings_file(found[0])
    if not file.is_file():
        raise SettingsError(f"COMET: '{file}' is named as checkpoint, and there is no such file. {CHECKPOINTS.remedy}")
    if not described.is_file():
        raise SettingsError(
            f"COMET: '{described}' is missing, which says what kind of model '{file.name}' is."
            " Keep the checkpoint where it came, in a folder 'checkpoints' beside 'hparams.yaml'."
        )
    return _described(given, file, described.read_text(encoding="utf-8", errors="replace"))


def _described(name: str, file: Path, text: str) -> Checkpoint:
    kind = _CLASS.search(text)
    if kind is None or kind[1] not in (_REFERENCE_FREE, _REGRESSION, _UNIFIED, _SPANS):
        found = f"names '{kind[1]}'" if kind else "names none"
        raise SettingsError(
            f"COMET: '{settings_file(file)}' {found} as class_identifier; expected {_REGRESSION}, {_REFERENCE_FREE},"
            f" {_UNIFIED} or {_SPANS}. Name a checkpoint that gives scores of segments."
        )
    segments, encoder, pooling = (pattern.search(text) for pattern in (_SEGMENTS, _ENCODER, _POOLING))
    only_references = segments is not None and "src" not in segments[1]
    return Checkpoint(
        name,
        file,
        kind[1],
        reads_references=kind[1] != _REFERENCE_FREE and (segments is None or "ref" in segments[1]),
        needs_references=kind[1] == _REGRESSION or only_references,
        encoder=encoder[1] if encoder else "",
        pooling=pooling[1] if pooling else "avg",  # the package's own
    )


def settings_file(file: Path) -> Path:
    """COMET's own description of a model, one folder above its checkpoint."""
    return file.parent.parent / "hparams.yaml"


_OPTIONS = (
    Option(
        "references",
        "choice",
        "Several references",
        "COMET compares with one reference. mean: of the scores against each; best: the highest of them.",
        choices=("mean", "best"),
    ),
    Option(
        "context",
        "integer",
        "Sentences before",
        "So many sentences before each one in its document are read as well, but not judged: those of the source and of"
        " the reference, which stand before the output, too. 2 as published; 0: none.",
        minimum=0,
        maximum=16,
    ),
    named_models.BATCH_SIZE,
    Option(
        "precision",
        "choice",
        "Precision",
        "single: numbers of 32 bits, as COMET's Python interface has them; half: of 16 bits, as comet-score 2.2.7 has"
        " them, with less memory.",
        choices=("single", "half"),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Comet(named_models.LearnedMetric):
    """COMET: a trained model's estimate of how people would judge a translation, given its source or a reference.

    Scores are 100 times what the model says; the corpus score is their mean.

    Parameters
    ----------
    references
        What becomes of the scores against several references: their ``mean``, or the ``best``.
    context
        Sentences before each one in its document that the model reads as well (Vernikos et al. 2022).
    precision
        Of the model's numbers.
    """

    model: Checkpoint
    references: Several = "mean"
    context: int = 0
    precision: Literal["single", "half"] = "single"

    family: ClassVar[named_models.Family] = CHECKPOINTS
    package: ClassVar[str] = "unbabel-comet"

    @property
    def fields(self) -> tuple[str, ...]:
        """Of a model that finds errors, the numbers of their spans as well."""
        return (*FIELDS, *self.submetric_names)

    @property
    def submetric_names(self) -> tuple[str, ...]:
        """Errors a segment by severity, of a model that finds them."""
        return SEVERITIES if self.model.finds_errors else ()

    @property
    def reads(self) -> tuple[str, ...]:
        """Sources, references where the model compares with one, documents where it reads the sentences before."""
        references = ("references",) if self.model.reads_references else ()
        return (*references, "source", *(("documents",) if self.context else ()))

    def signature(self) -> str:
        """The model and its tokenizer by their content, the options, and what computed: packages, kind of device."""
        references = f"refs:{self.references}" if self.model.reads_references else "refs:none"
        options = f"{references}|context:{self.context}|batch:{self.batch_size}|precision:{self.precision}"
        return f"model:{self.model.digest}|kind:{self.model.kind}|{options}|{self.computed_by}"

    def lacks(self, test_set: TestSet) -> str:
        """Source sentences, or references where the model can do nothing without; empty where nothing is missing."""
        if test_set.source is None:
            return (
                f"{self.name} reads source sentences, and test set '{test_set.name}' has none. Load a file with one a"
                f" line and the role 'source' (--source on the command line), or leave {self.name} out."
            )
        if self.model.needs_references and not any(test_set.references):
            return (
                f"{self.name} compares outputs with references, and test set '{test_set.name}' has none. Load some,"
                f" name a model that reads sources alone, or leave {self.name} out."
            )
        if self.context and test_set.documents is None:
            return (
                f"{self.name} reads {counted(self.context, 'sentence')} before each one in its document, and of test"
                f" set '{test_set.name}' no documents are known. Load a file with one a line and the role 'documents'"
                " (--documents on the command line), or set the option 'context' to 0."
            )
        return ""

    def prepare(self, test_set: TestSet) -> Scorer:
        """Take the sources and references; the model is loaded when the first output is scored.

        Raises
        ------
        DataError
            Where the test set lacks what the model reads.
        """
        if test_set.source is None or self.lacks(test_set):
            raise DataError(self.lacks(test_set))
        references = test_set.references if self.model.reads_references and test_set.has_references else ()
        before = _before(test_set.documents or (), self.context, test_set.n_segments)
        from mteval.metrics.neural.panel import CometScorer  # here, since few commands score by a model

        options = ("is_half", self.precision == "half"), ("reads_context", self.context > 0)
        panel = self.panel(self.model.file, "comet", ("checkpoint", str(self.model.file)), *options)
        return CometScorer(panel, self.submetric_names, self.references, test_set.source, references, before)


def _before(documents: Sequence[str], context: int, n_segments: int) -> tuple[range, ...]:
    """For each segment those before it in its document, no more of them than are to be read."""
    first = [0] * n_segments
    for place in range(1, len(documents)):
        first[place] = first[place - 1] if documents[place] == documents[place - 1] else place
    return tuple(range(max(first[place], place - context), place) for place in range(n_segments))


def _built(key: str, context: int, **options: Any) -> Comet:
    name, model = CHECKPOINTS.metric_name(key), checkpoint(key)
    if context and not model.reads_context:
        raise SettingsError(
            f"{name}: 'context' is {context}, and '{model.file}' ({model.kind}, pooling {model.pooling})"
            " cannot read the sentences before: expected a regression_metric with the pooling avg. Set it to 0."
        )
    python = environment.python_with(Comet.package, name)
    return Comet(model=model, python=python, context=context, **options, devices=environment.devices())


def spec_of_model(name: str) -> MetricSpec:
    """The registry's line of the metric that a checkpoint of this name makes."""
    return described(
        Comet,
        "A trained model's estimate of how people would judge the output, given its source or a reference. It"
        " sees meaning where words differ, but numbers of different models do not compare, and a model of whose"
        " training nothing is known may judge a language that it never saw.",
        ScoreRange(None, None, "about 0 to 100 for most models"),
        "Rei, Stewart, Farinha and Lavie 2020, EMNLP",
        _OPTIONS,
        build=partial(_built, name.lower()),
        key=name.lower(),
        name=CHECKPOINTS.metric_name(name),
        is_slow=True,
    )
