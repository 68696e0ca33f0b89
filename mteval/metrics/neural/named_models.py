"""Models that lie on this machine, as whoever starts the program names them, each a metric with a name.

A model can run code when it is loaded, so its path is never a setting: settings come in links and in files too. Files
are found where the packages find them without the network; a digest stands for what is in them.
"""

from __future__ import annotations

import hashlib
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from mteval.base.digests import digest_of_file
from mteval.base.errors import MissingDependencyError
from mteval.metrics.base import Option
from mteval.metrics.neural import environment

if TYPE_CHECKING:
    from mteval.metrics.neural.panel import Panel

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)")
BATCH_SIZE = Option(
    "batch_size",
    "integer",
    "Batch size",
    "Outputs that the model reads at once. Scores depend on it in the last digits.",
    minimum=1,
    maximum=1024,
)


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


DIGITS = 12  # of a digest, in hexadecimal
DESCRIPTIONS = ("*.json", "*.model", "*.txt")  # configuration, vocabulary, merges, special tokens
WEIGHTS = ("*.safetensors", "*.bin")  # in whatever forms a model has them for PyTorch


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


def files_of(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """The files of a model with such names."""
    return sorted(file for pattern in patterns for file in folder.glob(pattern) if file.is_file())


def digest_of_folder(folder: Path, *kinds: Iterable[str]) -> str:
    """Of names and contents of a model's files of some kinds."""
    files = [file for patterns in kinds for file in files_of(folder, patterns)]
    parts = "".join(f"{file.name} {digest_of_file(file)}\n" for file in files)
    return hashlib.sha256(parts.encode()).hexdigest()[:DIGITS]


def _cache() -> Path:
    """Of Hugging Face's hub, named by the variables that the packages read."""
    words = ("TRANSFORMERS_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")
    named = next((os.environ[word] for word in words if os.environ.get(word)), "")
    general = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{general}/huggingface"
    return Path(os.path.expandvars(named or f"{home}/hub")).expanduser()


@dataclass(frozen=True, kw_only=True)
class LearnedMetric:
    """A metric that a model computes.

    Parameters
    ----------
    model, python
        The model, and the interpreter that has its package.
    batch_size
        Outputs that the model reads at once.
    devices
        What it computes on, a process each.
    """

    model: NamedModel
    python: Path
    batch_size: int = 16
    devices: tuple[str, ...] = ("cpu",)

    higher_is_better: ClassVar[bool] = True
    is_segment_mean: ClassVar[bool] = True
    family: ClassVar[Family]
    package: ClassVar[str]

    @property
    def key(self) -> str:
        """The model's name, in lower case."""
        return self.model.key

    @property
    def name(self) -> str:
        """The model's name; of the usual one the package's."""
        return self.family.metric_name(self.model.name)

    @property
    def computed_by(self) -> str:
        """The part of signatures that says what computed: packages, kind of device."""
        found = environment.packages(self.python).versions
        versions = "|".join(f"{name}:{found.get(name, 'none')}" for name in (self.package, *environment.COMPUTING))
        kinds = sorted({device.split(":")[0] for device in self.devices})  # which card it was decides nothing
        return f"device:{'+'.join(kinds)}|scale:100|{versions}"

    @abstractmethod
    def signature(self) -> str:
        """All that decides the numbers."""

    def panel(self, path: Path, kind: str, *options: tuple[str, str | int | bool]) -> Panel:
        """The model on its devices, given where it lies and what the worker is told to load."""
        from mteval.metrics.neural.models import Wanted  # here, as the next: a command may score by no model
        from mteval.metrics.neural.panel import Panel

        wanted = Wanted(f"{self.name} ('{path}')", self.python, kind, options, self.model.digest)
        return Panel(wanted, self.devices, self.batch_size, self.signature())
