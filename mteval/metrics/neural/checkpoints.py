"""COMET's checkpoints: of what kind they are, what they read, and their content."""

import re
from dataclasses import dataclass
from pathlib import Path

from mteval.counts import counted
from mteval.errors import SettingsError
from mteval.metrics.neural.model_files import description_files, digest_of_file, digest_of_files, model_folder
from mteval.metrics.neural.named_models import Family

CHECKPOINTS = Family(
    "comet", "COMET", "MTEVAL_COMET", "checkpoint", "/path/to/model.ckpt", "a file or a folder with one"
)  # fmt: skip
_IN_A_FOLDER = ("*.ckpt", "checkpoints/*.ckpt", "snapshots/*/checkpoints/*.ckpt")  # the last is the Hugging Face cache
_CLASS = re.compile(r"^class_identifier:\s*['\"]?(\w+)", re.MULTILINE)
_SEGMENTS = re.compile(r"^input_segments:\s*\n((?:\s*-\s*\w+\s*\n?)+)", re.MULTILINE)
_ENCODER = re.compile(r"^pretrained_model:\s*['\"]?([^'\"\n]+?)['\"]?\s*$", re.MULTILINE)
_POOLING = re.compile(r"^pool:\s*['\"]?(\w+)", re.MULTILINE)
_USUAL_POOLING = "avg"  # the package's own
_REFERENCE_FREE, _REGRESSION, _UNIFIED, _SPANS = (
    "referenceless_regression_metric", "regression_metric", "unified_metric", "xcomet_metric",
)  # fmt: skip


@dataclass(frozen=True)
class Checkpoint:
    """A model of COMET's package.

    Parameters
    ----------
    name
        Of the metric that it makes, as its user knows it.
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

    name: str
    file: Path
    kind: str
    reads_references: bool
    needs_references: bool
    encoder: str
    pooling: str

    @property
    def key(self) -> str:
        """Of the metric."""
        return self.name.lower()

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
        folder = model_folder(self.encoder)
        encoder = "none" if folder is None else digest_of_files(description_files(folder))
        return "-".join([digest_of_file(self.file), digest_of_file(settings_file(self.file)), encoder])


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
    _require_files(found[0])
    return _described(given, found[0])


def _require_files(file: Path) -> None:
    if not file.is_file():
        raise SettingsError(f"COMET: '{file}' is named as checkpoint, and there is no such file. {CHECKPOINTS.remedy}")
    if not settings_file(file).is_file():
        raise SettingsError(
            f"COMET: '{settings_file(file)}' is missing, which says what kind of model '{file.name}' is."
            " Keep the checkpoint where it came, in a folder 'checkpoints' beside 'hparams.yaml'."
        )


def _described(name: str, file: Path) -> Checkpoint:
    text = settings_file(file).read_text(encoding="utf-8", errors="replace")
    kind = _CLASS.search(text)
    if kind is None or kind[1] not in (_REFERENCE_FREE, _REGRESSION, _UNIFIED, _SPANS):
        found = f"names '{kind[1]}'" if kind else "names none"
        raise SettingsError(
            f"COMET: '{settings_file(file)}' {found} as class_identifier; expected {_REGRESSION}, {_REFERENCE_FREE},"
            f" {_UNIFIED} or {_SPANS}. Name a checkpoint that gives scores of segments."
        )
    segments = _SEGMENTS.search(text)
    reads = kind[1] != _REFERENCE_FREE and (segments is None or "ref" in segments[1])
    only_references = segments is not None and "src" not in segments[1]
    encoder, pooling = _ENCODER.search(text), _POOLING.search(text)
    return Checkpoint(
        name, file, kind[1], reads, kind[1] == _REGRESSION or only_references,
        encoder=encoder[1] if encoder else "", pooling=pooling[1] if pooling else _USUAL_POOLING,
    )  # fmt: skip


def settings_file(file: Path) -> Path:
    """COMET's own description of a model, one folder above its checkpoint."""
    return file.parent.parent / "hparams.yaml"
