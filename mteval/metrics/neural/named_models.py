"""Models on this machine that the environment names, each a metric.

A model can run code when it is loaded, so its path is never a setting: settings also come from links and files. Files
are found where the packages find them offline; a digest identifies their content.
"""

from __future__ import annotations

import hashlib
import os
import re
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mteval.base.digests import digest_of_file
from mteval.base.errors import MissingDependencyError, MtevalError, SettingsError
from mteval.base.parallel import CLUSTER_VARIABLE, ClusterEngine
from mteval.metrics.base import MetricSpec, Scorer, integer
from mteval.metrics.neural import environment
from mteval.metrics.options import FIELDS, described
from mteval.values.model import TestSet

if TYPE_CHECKING:
    from mteval.metrics.neural.panel import Panel

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)")
_COMETS = re.compile(r"(wmt|eamt)\d\d-(comet|unite)[\w-]*|x?comet-[\w-]+|unite-mup", re.IGNORECASE)
BATCH_SIZE = integer("batch_size", "Batch size", "Outputs per batch; affects scores' last digits.", 1, 1024)

_SECONDS_TRUSTED = 60  # what workers said they have
# On a worker: a family's variable, and what the machine that delegates names in it
_named_by_another: ContextVar[tuple[str, Mapping[str, str]]] = ContextVar("_named_by_another", default=("", {}))


@dataclass(frozen=True)
class Family:
    """The models of one package.

    Parameters
    ----------
    key, name
        Of the metric of the unnamed model.
    variable
        Environment variable: ``/path`` alone is that metric's; others are ``NAME=/path``, separated by ``:``.
    option
        On the command line, e.g. ``checkpoint`` in ``--comet.checkpoint``.
    example, form
        An example of a value, and what it may be.
    metavar
        What help calls a value.
    separator
        Between entries of the variable.
    """

    key: str
    name: str
    variable: str
    option: str
    example: str
    form: str = "model on this machine, a folder or a name in the Hugging Face cache"
    metavar: str = "PATH"
    separator: str = os.pathsep

    @property
    def remedy(self) -> str:
        """How to set a model."""
        return (
            f"Set {self.variable}={self.example} before you start mteval, or --{self.key}.{self.option} on the command"
            f" line. Or load {self.name} segment scores computed elsewhere."
        )

    @property
    def paths(self) -> dict[str, str]:
        """What the environment names, by name; on a worker, also what the machine that delegates names."""
        path_of: dict[str, str] = {}
        for entry in os.environ.get(self.variable, "").split(self.separator):
            entry = entry.strip()
            if not entry:
                continue
            match = _NAMED.fullmatch(entry)
            if match is None:
                path_of[self.key] = entry
            else:
                name, path = match.groups()
                path_of[name] = path
        variable, path_of_another = _named_by_another.get()
        if variable == self.variable:
            path_of.update(path_of_another)
        return path_of

    @property
    def further(self) -> tuple[str, ...]:
        """Names other than the default."""
        return tuple(name for name in self.paths if name.lower() != self.key)

    def metric_name(self, name: str) -> str:
        """Return the name of the metric that a model of this name makes."""
        if name.lower() == self.key:
            return self.name
        return name

    def named(self, name: str) -> tuple[str, str]:
        """Return the name as given, whatever its case, and its path.

        Raises
        ------
        MissingDependencyError
            If the environment has no such name.
        """
        named = {given.lower(): (given, path) for given, path in self.paths.items()}
        if name.lower() not in named:
            available = ""
            if named:
                available = f" Available: {', '.join(named)}."
            raise MissingDependencyError(f"{self.name} has no model: no {self.option} is set.{available} {self.remedy}")
        return named[name.lower()]

    def name_further(self, entries: Sequence[str]) -> None:
        """Add entries to what the environment names, for this process and its children."""
        if not entries:
            return
        all_entries = list(entries)
        entries_before = os.environ.get(self.variable, "")
        if entries_before:
            all_entries.insert(0, entries_before)
        os.environ[self.variable] = self.separator.join(all_entries)


DIGITS = 12  # hexadecimal digits of a digest
DESCRIPTIONS = ("*.json", "*.model", "*.txt")  # configuration, vocabulary, merges, special tokens
WEIGHTS = ("*.safetensors", "*.bin")  # PyTorch's formats


@dataclass(frozen=True)
class NamedModel:
    """A model that the environment names.

    Parameters
    ----------
    name
        Display name of its metric.
    """

    name: str


class LocalModel(NamedModel, ABC):
    """A model in files of this machine."""

    @property
    @abstractmethod
    def digest(self) -> str:
        """Digest of all that makes up the model."""


@dataclass(frozen=True)
class FolderModel(LocalModel):
    """A pretrained model of the package transformers.

    Parameters
    ----------
    folder
        Folder with configuration, tokenizer and weights.
    """

    folder: Path

    @property
    def digest(self) -> str:
        """Digest of configuration, tokenizer and weights."""
        return digest_of_folder(self.folder, DESCRIPTIONS, WEIGHTS)


def folder_named(family: Family, name: str) -> tuple[str, Path]:
    """Return the name and folder of the model of transformers that the environment names.

    Raises
    ------
    MissingDependencyError
        If none is named.
    SettingsError
        If the name is not that of a model.
    """
    given, word = family.named(name)
    folder = model_folder(word)
    if folder is None:
        message = f"{family.name}: model '{word}' is neither a folder nor in the Hugging Face cache."
        raise SettingsError(f"{message} {family.remedy}")
    lacking = ""
    if not (folder / "config.json").is_file():
        lacking = "config.json"
    elif not files_of(folder, WEIGHTS):
        lacking = "weights (*.safetensors, *.bin)"
    if lacking:
        raise SettingsError(
            f"{family.name}: folder '{folder}' has no {lacking}. Use a folder saved by transformers (configuration,"
            " tokenizer, weights) or the name of a model in the Hugging Face cache."
        )
    return given, folder


def model_folder(model: str) -> Path | None:
    """Return the folder of a model that transformers opens by path or name; None if there is none.

    Parameters
    ----------
    model
        A folder, or the name of a model in the Hugging Face cache (branch ``main``; see ``hub_name``).
    """
    if model:
        folder = Path(model).expanduser()
        if folder.is_dir():
            return folder.absolute()
    cached = hub_cache() / f"models--{hub_name(model).replace('/', '--')}"
    try:
        commit = (cached / "refs" / "main").read_text(encoding="utf-8").strip()
    except OSError:
        return None
    snapshot = cached / "snapshots" / commit
    if not snapshot.is_dir():
        return None
    return snapshot


def hub_name(word: str) -> str:
    """Return a model's name on the hub: COMET's models may be named without their maker's name."""
    if _COMETS.fullmatch(word):
        return f"Unbabel/{word}"
    return word


def published_name(folder: Path) -> str:
    """Return a model's name in the Hugging Face cache; otherwise the last two parts of its path."""
    cached = folder.parent.parent.name
    if folder.parent.name == "snapshots" and cached.startswith("models--"):
        return cached.removeprefix("models--").replace("--", "/")
    return "/".join(folder.parts[-2:])


def files_of(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """Return a model's files that match the patterns."""
    files: list[Path] = []
    for pattern in patterns:
        files += [file for file in folder.glob(pattern) if file.is_file()]
    return sorted(files)


def digest_of_folder(folder: Path, *kinds: Iterable[str]) -> str:
    """Return a digest of names and contents of a model's files of some kinds."""
    lines = []
    for patterns in kinds:
        for file in files_of(folder, patterns):
            lines.append(f"{file.name} {digest_of_file(file)}\n")
    return hashlib.sha256("".join(lines).encode()).hexdigest()[:DIGITS]


def hub_cache() -> Path:
    """Return the Hugging Face cache, from the variables that the packages read."""
    for variable in ("TRANSFORMERS_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        directory = os.environ.get(variable)
        if directory:
            return Path(os.path.expandvars(directory)).expanduser()
    all_caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{all_caches}/huggingface"
    return Path(os.path.expandvars(f"{home}/hub")).expanduser()


@dataclass(frozen=True, kw_only=True)
class ModelMetric:
    """A metric that a model computes."""

    model: NamedModel

    higher_is_better: ClassVar[bool] = True
    is_segment_mean: ClassVar[bool] = True
    family: ClassVar[Family]

    @property
    def key(self) -> str:
        """The model's name in lower case."""
        return self.model.name.lower()

    @property
    def name(self) -> str:
        """The model's name; for the unnamed model, the package's."""
        return self.family.metric_name(self.model.name)

    @property
    @abstractmethod
    def submetric_names(self) -> tuple[str, ...]:
        """Names of the components of a score."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Score and components."""
        return (*FIELDS, *self.submetric_names)

    def lacks_source(self, test_set: TestSet) -> str:
        """Return that sources are missing, and how to add them; empty if the test set has them."""
        if test_set.source is not None:
            return ""
        remedy = f"Load them (one per line) with the role 'source' or --source, or remove {self.name}."
        return f"{self.name} needs source sentences, and test set '{test_set.name}' has none. {remedy}"


@dataclass(frozen=True, kw_only=True)
class LearnedMetric(ModelMetric):
    """A metric that a model on this machine computes.

    Parameters
    ----------
    model, python
        The model, and the interpreter that has its package.
    batch_size
        Outputs per batch.
    devices
        Devices to compute on, one process each.
    signed, recipe
        On a machine that delegates to a cluster: the workers' signature, and how they make the metric.
    """

    model: LocalModel
    python: Path
    batch_size: int = 16
    devices: tuple[str, ...] = ("cpu",)
    signed: str = ""
    recipe: Recipe | None = None

    package: ClassVar[str]
    scale: ClassVar[float] = 100.0  # of scores as displayed

    @property
    def reads(self) -> tuple[str, ...]:
        """Parts of the test set that the model reads."""
        return ("references",)

    @property
    def computed_by(self) -> str:
        """The part of signatures that names packages and kind of device."""
        version_of = environment.packages(self.python).versions
        packages = (self.package, *environment.COMPUTING)
        versions = "|".join(f"{package}:{version_of.get(package, 'none')}" for package in packages)
        kinds = sorted({device.split(":")[0] for device in self.devices})  # which card it was does not matter
        return f"device:{'+'.join(kinds)}|scale:{self.scale:g}|{versions}"

    def signature(self) -> str:
        """Return everything that affects the numbers: digests, options, and what computes the scores."""
        return self.signed or self.signature_here()

    @abstractmethod
    def signature_here(self) -> str:
        """Return the signature of scores that this machine computes."""

    @abstractmethod
    def panel(self) -> Panel:
        """Return the model on its devices."""

    def prepare(self, test_set: TestSet) -> Scorer:
        """Take the references; the model is loaded when the first output is scored."""
        from mteval.metrics.neural.panel import BertScorer  # here: few commands use models

        return BertScorer(self.panel(), self.submetric_names, test_set.references)

    def panel_of(self, kind: str, **options: str | int | bool) -> Panel:
        """Return the model on its devices, given what the process should load, the path first."""
        from mteval.metrics.neural.models import Wanted  # here: few commands use models
        from mteval.metrics.neural.panel import Panel

        path = next(iter(options.values()))
        label = f"{self.name} ('{path}')"
        digest = self.signed or self.model.digest
        wanted = Wanted(label, self.python, kind, tuple(options.items()), digest)
        made_there = None
        if self.recipe is not None:
            made_there = self.recipe.panel
        return Panel(wanted, self.devices, self.batch_size, self.signature(), made_there)


@dataclass(frozen=True)
class Recipe:
    """How any machine makes a learned metric with its own files, packages and devices.

    Parameters
    ----------
    built, key, options
        The function that makes it, and its arguments.
    family, named
        The family of models, and what the machine that delegates names; a worker's own environment comes second.
    """

    built: Callable[..., LearnedMetric]
    key: str
    options: tuple[tuple[str, Any], ...]
    family: Family
    named: tuple[tuple[str, str], ...]

    def metric(self) -> LearnedMetric:
        """Return the metric on this machine, signed."""
        token = _named_by_another.set((self.family.variable, dict(self.named)))
        try:
            metric = self.built(self.key, **dict(self.options))
            return replace(metric, signed=metric.signature())
        finally:
            _named_by_another.reset(token)

    def panel(self, signature: str) -> Panel:
        """Return the model on this machine.

        Raises
        ------
        MtevalError
            If this machine would compute other numbers than the signature says.
        """
        metric = self.metric()
        if metric.signed != signature:
            raise MtevalError(_differing(metric.name, {"expected": signature, "a worker": metric.signed}))
        return metric.panel()


@lru_cache(maxsize=64)
def _made_by_workers(address: str, recipe: Recipe, now: int) -> LearnedMetric:
    """Return the metric as all workers of a cluster make it."""
    metric_of_worker = ClusterEngine(address=address).on_every_worker(Recipe.metric, recipe)
    first = next(iter(metric_of_worker.values()))
    signatures = {worker: metric.signed for worker, metric in metric_of_worker.items()}
    if len(set(signatures.values())) > 1:
        raise SettingsError(_differing(first.name, signatures))
    return replace(first, recipe=recipe)


def _differing(name: str, signatures: Mapping[str, str]) -> str:
    """Return in what signatures differ.

    Parameters
    ----------
    signatures
        By worker, or by what else has one.
    """
    parts_of = {worker: signature.split("|") for worker, signature in signatures.items()}
    shared = set.intersection(*(set(parts) for parts in parts_of.values()))
    differences = []
    for worker, parts in parts_of.items():
        own = " ".join(part for part in parts if part not in shared)
        differences.append(f"{worker}: {own}")
    remedy = "Give all of them the same model, packages and kind of device."
    return f"{name}: workers of the cluster would compute different numbers ({'; '.join(differences)}). {remedy}"


def _made(built: Callable[..., LearnedMetric], family: Family, key: str, **options: Any) -> LearnedMetric:
    """Return a metric of this machine or, if work goes to a cluster, of its workers: this one may lack the model."""
    address = os.environ.get(CLUSTER_VARIABLE, "")
    if not address:
        return built(key, **options)
    named = tuple((name, path) for name, path in family.paths.items() if name.lower() == key)
    recipe = Recipe(built, key, tuple(sorted(options.items())), family, named)
    return _made_by_workers(address, recipe, int(time.monotonic() // _SECONDS_TRUSTED))


def maker(
    metric: type[ModelMetric], built: Callable[..., Any], *description: Any, **more: Any
) -> Callable[[str], MetricSpec]:
    """Return the function from a model's name to the registry entry of its metric, as ``described``."""

    def spec_of_model(name: str) -> MetricSpec:
        key = name.lower()
        build: partial[Any] = partial(built, key)
        if issubclass(metric, LearnedMetric):
            build = partial(_made, built, metric.family, key)
        metric_name = metric.family.metric_name(name)
        return described(metric, *description, build=build, key=key, name=metric_name, is_slow=True, **more)

    return spec_of_model
