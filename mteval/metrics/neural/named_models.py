"""Models that lie on this machine, as whoever starts the program names them, each a metric with a name.

A model can run code when it is loaded, so its path is never a setting: settings come in links and in files too.

Files of models: where the packages find them without the network, and a digest of what is in them.

COMET's checkpoints: of what kind they are, what they read, and their content.

Pretrained models as BERTScore reads them: the names that they are published under, the layer, the content.
"""

import hashlib
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.base.words import counted

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)")


@dataclass(frozen=True)
class Family:
    """The models of one package.

    Parameters
    ----------
    key, name
        Of the metric of the model that has no name of its own.
    variable
        Of the environment: ``/path`` alone is that metric's; others stand as ``NAME=/path``, with ``:`` between.
    option
        Of the command line, ``checkpoint`` in ``--comet.checkpoint``.
    example, form
        What a path looks like, and what may stand there.
    """

    key: str
    name: str
    variable: str
    option: str
    example: str
    form: str

    @property
    def remedy(self) -> str:
        """How to have a model."""
        return (
            f"Name one with {self.variable}={self.example} when you start mteval, or --{self.key}.{self.option} on the"
            f" command line; or load {self.name} scores that were computed elsewhere as scores of segments."
        )

    @property
    def paths(self) -> dict[str, str]:
        """What the environment names, by name."""
        entries = os.environ.get(self.variable, "").split(os.pathsep)
        matches = ((_NAMED.fullmatch(entry.strip()), entry.strip()) for entry in entries if entry.strip())
        return {match[1] if match else self.key: match[2] if match else entry for match, entry in matches}

    @property
    def further(self) -> tuple[str, ...]:
        """Names other than the usual one."""
        return tuple(name for name in self.paths if name.lower() != self.key)

    def metric_name(self, name: str) -> str:
        """Of the metric that a model of this name makes."""
        return self.name if name.lower() == self.key else name

    def named(self, name: str) -> tuple[str, str]:
        """The name as it was given, in whatever case, and what it stands for.

        Raises
        ------
        MissingDependencyError
            Where the environment names nothing so.
        """
        named = {given.lower(): (given, path) for given, path in self.paths.items()}
        if name.lower() not in named:
            others = f" Those that are named: {', '.join(named)}." if named else ""
            raise MissingDependencyError(f"{self.name} has no model: no {self.option} is named.{others} {self.remedy}")
        return named[name.lower()]

    def name_further(self, entries: Sequence[str]) -> None:
        """Take these to what the environment names, for this process and those that it starts."""
        if entries:
            before = os.environ.get(self.variable, "")
            os.environ[self.variable] = os.pathsep.join([*filter(None, [before]), *entries])


_DIGITS = 12  # of a digest, in hexadecimal
_DESCRIPTIONS = ("*.json", "*.model", "*.txt")  # configuration, vocabulary, merges, special tokens
_WEIGHTS = ("*.safetensors", "*.bin")


@dataclass(frozen=True)
class NamedModel(ABC):
    """A model that the environment gives a name.

    Parameters
    ----------
    name
        Of the metric that it makes, as its user knows it.
    """

    name: str

    @property
    def key(self) -> str:
        """Of the metric."""
        return self.name.lower()

    @property
    @abstractmethod
    def digest(self) -> str:
        """Of all that the model is made of."""


def model_folder(model: str) -> Path | None:
    """The folder of a model that transformers opens by a path or by a name, None where there is none.

    Parameters
    ----------
    model
        A folder, or the name of a model in the Hugging Face cache, of which the branch ``main`` is taken.
    """
    if model and (folder := Path(model).expanduser()).is_dir():
        return folder.absolute()
    cached = _cache() / f"models--{model.replace('/', '--')}"
    try:
        folder = cached / "snapshots" / (cached / "refs" / "main").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return folder if folder.is_dir() else None


def published_name(folder: Path) -> str:
    """Of a model in the Hugging Face cache the name that it has there; else of the folder and the one around it."""
    cached = folder.parent.parent.name
    if folder.parent.name == "snapshots" and cached.startswith("models--"):
        return cached.removeprefix("models--").replace("--", "/")
    return "/".join(folder.parts[-2:])


def description_files(folder: Path) -> list[Path]:
    """Configuration and tokenizer of a model."""
    return _found(folder, _DESCRIPTIONS)


def weight_files(folder: Path) -> list[Path]:
    """Weights of a model, in whatever forms it has them for PyTorch."""
    return _found(folder, _WEIGHTS)


def digest_of_files(files: Iterable[Path]) -> str:
    """Of names and contents; a file that did not change is read once."""
    parts = "".join(f"{file.name} {_digest(file)}\n" for file in files)
    return hashlib.sha256(parts.encode()).hexdigest()[:_DIGITS]


def _digest(file: Path) -> str:
    status = file.stat()
    return _digest_of_state(file, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=128)
def _digest_of_state(file: Path, size: int, changed: int) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _found(folder: Path, patterns: Iterable[str]) -> list[Path]:
    return sorted(file for pattern in patterns for file in folder.glob(pattern) if file.is_file())


def _cache() -> Path:
    """Of Hugging Face's hub, named by the variables that the packages read."""
    words = ("TRANSFORMERS_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")
    named = next((os.environ[word] for word in words if os.environ.get(word)), "")
    general = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{general}/huggingface"
    return Path(os.path.expandvars(named or f"{home}/hub")).expanduser()


CHECKPOINTS = Family(
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
class Checkpoint(NamedModel):
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
        folder = model_folder(self.encoder)
        encoder = "none" if folder is None else digest_of_files(description_files(folder))
        return "-".join([*(_digest(file)[:_DIGITS] for file in (self.file, settings_file(self.file))), encoder])


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


ENCODERS = Family(
    *("bertscore", "BERTScore", "MTEVAL_BERTSCORE", "model", "/path/to/roberta-large"),
    form="a folder or a name in the Hugging Face cache",
)


@dataclass(frozen=True)
class Encoder(NamedModel):
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
        return digest_of_files([*description_files(self.folder), *weight_files(self.folder)])

    def published(self, layers: Mapping[str, int]) -> str:
        """The name under which the model is known.

        Parameters
        ----------
        layers
            Names that BERTScore's package knows: of the folder, with that of its maker before it.
        """
        name = published_name(self.folder)
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
    folder = model_folder(word)
    if folder is None:
        raise SettingsError(
            f"BERTScore: '{word}' is named as model, and there is neither such a folder nor a model of that name in the"
            f" Hugging Face cache. {ENCODERS.remedy}"
        )
    if not (folder / "config.json").is_file() or not weight_files(folder):
        lacking = "weights (*.safetensors, *.bin)" if (folder / "config.json").is_file() else "config.json"
        raise SettingsError(
            f"BERTScore: the folder '{folder}' has no {lacking}. Name the folder of a model as transformers saves it,"
            " with configuration, tokenizer and weights in it, or the name of one in the Hugging Face cache."
        )
    return Encoder(given, folder)
