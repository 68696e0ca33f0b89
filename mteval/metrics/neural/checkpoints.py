"""Where COMET's checkpoints are, as whoever starts the program says, each a metric with a name.

A checkpoint can run code when it is loaded, so its path is never a setting: settings come in links and in files too.
"""

import hashlib
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mteval.counts import counted
from mteval.errors import MissingDependencyError, SettingsError

CHECKPOINT_VARIABLE = "MTEVAL_COMET"
USUAL = "comet"
_IN_A_FOLDER = ("*.ckpt", "checkpoints/*.ckpt", "snapshots/*/checkpoints/*.ckpt")  # the last is the Hugging Face cache
_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)")
_CLASS = re.compile(r"^class_identifier:\s*['\"]?(\w+)", re.MULTILINE)
_SEGMENTS = re.compile(r"^input_segments:\s*\n((?:\s*-\s*\w+\s*\n?)+)", re.MULTILINE)
_ENCODER = re.compile(r"^pretrained_model:\s*['\"]?([^'\"\n]+?)['\"]?\s*$", re.MULTILINE)
_REFERENCE_FREE, _REGRESSION, _UNIFIED, _SPANS = (
    "referenceless_regression_metric", "regression_metric", "unified_metric", "xcomet_metric",
)  # fmt: skip
_REMEDY = (
    f"Name one with {CHECKPOINT_VARIABLE}=/path/to/model.ckpt when you start mteval, or --comet.checkpoint on the"
    " command line; or load COMET scores that were computed elsewhere as scores of segments."
)


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
    """

    name: str
    file: Path
    kind: str
    reads_references: bool
    needs_references: bool
    encoder: str = ""

    @property
    def key(self) -> str:
        """Of the metric."""
        return self.name.lower()

    @property
    def finds_errors(self) -> bool:
        """Whether it says where in an output the errors are."""
        return self.kind == _SPANS

    @property
    def digest(self) -> str:
        """Of the checkpoint and its description; a file that did not change is read once."""
        return "-".join(_digest(file, *_state(file))[:12] for file in (self.file, settings_file(self.file)))


def names() -> tuple[str, ...]:
    """Names of the metrics that the environment gives checkpoints for."""
    return tuple(_named())


def checkpoint(name: str) -> Checkpoint:
    """The checkpoint that the environment gives a name.

    Raises
    ------
    MissingDependencyError
        Where none is named.
    SettingsError
        Where what is named is no checkpoint.
    """
    named = {given.lower(): (given, path) for given, path in _named().items()}
    if name.lower() not in named:
        others = f" Those that are named: {', '.join(named)}." if named else ""
        raise MissingDependencyError(f"COMET has no model: no checkpoint is named.{others} {_REMEDY}")
    given, word = named[name.lower()]
    path = Path(word).expanduser().absolute()
    found = sorted(file for pattern in _IN_A_FOLDER for file in path.glob(pattern)) if path.is_dir() else [path]
    if len(found) != 1:
        raise SettingsError(
            f"COMET: the folder '{path}' holds {counted(len(found), 'checkpoint')} (*.ckpt, also in checkpoints/);"
            " expected one. Name the file itself."
        )
    _require_files(found[0])
    return _described(given, found[0])


def _named() -> dict[str, str]:
    """Paths by name: ``/path`` alone is the metric ``comet``'s; others stand as ``name=/path``, with ``:`` between."""
    entries = os.environ.get(CHECKPOINT_VARIABLE, "").split(os.pathsep)
    matches = ((_NAMED.fullmatch(entry.strip()), entry.strip()) for entry in entries if entry.strip())
    return {match[1] if match else USUAL: match[2] if match else entry for match, entry in matches}


def _require_files(file: Path) -> None:
    if not file.is_file():
        raise SettingsError(f"COMET: '{file}' is named as checkpoint, and there is no such file. {_REMEDY}")
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
    encoder = _ENCODER.search(text)
    needs = kind[1] == _REGRESSION or only_references
    return Checkpoint(name, file, kind[1], reads, needs, encoder[1] if encoder else "")


def settings_file(file: Path) -> Path:
    """COMET's own description of a model, one folder above its checkpoint."""
    return file.parent.parent / "hparams.yaml"


def _state(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=16)
def _digest(file: Path, size: int, changed: int) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
