"""The interpreter that has the packages of learned metrics, and its devices, as the environment names them.

The packages need an older NumPy than mteval, so they have an environment of their own.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from subprocess import DEVNULL, PIPE, TimeoutExpired, run
from types import MappingProxyType

from mteval.base.errors import MissingDependencyError, SettingsError

PYTHON_VARIABLE = "MTEVAL_NEURAL_PYTHON"
_APART = {"google-metricx": "metricx", "bleurt-pytorch": "bleurt"}  # packages that need other versions than COMET's
DEVICES_VARIABLE = "MTEVAL_NEURAL_DEVICES"
INSTALL = "Run {}, which installs it in an environment of its own."
COMPUTING = ("torch", "transformers", "tokenizers")
# Otherwise the packages would look for newer encoders and report usage
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def python_with(package: str, metric: str) -> Path:
    """Return the interpreter for learned metrics: the one that the environment names, or the one that ``bin/neural``
    made.

    Parameters
    ----------
    package
        Package that it must have.
    metric
        Name of the metric in messages.

    Raises
    ------
    MissingDependencyError
        If there is none, or it lacks the package.
    """
    environment = "neural"
    install = INSTALL.format("bin/neural")
    if package in _APART:
        environment = _APART[package]
        install = INSTALL.format(f"bin/neural {environment}")
    variable = PYTHON_VARIABLE.replace("NEURAL", environment.upper())
    named = os.environ.get(variable, "").strip()
    if named:
        interpreter = shutil.which(os.path.expanduser(named))
        if interpreter is None:
            raise MissingDependencyError(f"{metric}: {variable} is '{named}', which cannot be run. {install}")
    else:
        own = own_python(environment)
        if not own.is_file():
            remedy = f"{install} If you have such an environment, set {variable}=/path/to/bin/python."
            raise MissingDependencyError(f"{metric} needs its package, and '{own}' does not exist. {remedy}")
        interpreter = str(own)
    python = Path(interpreter).absolute()  # not resolved: an environment's interpreter is a link
    if package not in packages(python).versions:
        raise MissingDependencyError(f"{metric}: {python} has no package '{package}'. {install}")
    return python


def own_python(environment: str = "neural") -> Path:
    """Return where ``bin/neural`` puts an interpreter, e.g. in ``.venv-neural`` beside mteval's ``.venv``."""
    return Path(f"{sys.prefix}-{environment}") / "bin" / "python"


def devices(python: Path) -> tuple[str, ...]:
    """Return the devices that models use, one process each: ``cpu``, ``mps``, or GPUs such as ``cuda:0,cuda:1``.

    ``auto``, the default, is the graphics card that the interpreter's PyTorch finds, if any.

    Raises
    ------
    SettingsError
        If a word is not a device.
    """
    words = os.environ.get(DEVICES_VARIABLE, "").replace(",", " ").split() or ["auto"]
    for word in words:
        if not re.fullmatch(r"auto|cpu|mps|cuda(:\d+)?", word):
            expected = "auto, cpu, mps, or GPUs such as cuda:0 or cuda:0,cuda:1"
            raise SettingsError(f"{DEVICES_VARIABLE} has '{word}'; expected {expected}.")
    return tuple(packages(python).device if word == "auto" else word for word in words)


def command(python: Path) -> list[str]:
    """Return the command that starts a worker, isolated from mteval's packages."""
    return [str(python), "-I", str(Path(__file__).with_name("worker.py"))]


def variables() -> dict[str, str]:
    """Return the environment of a worker, which downloads nothing."""
    return {**os.environ, **_OFFLINE}


@dataclass(frozen=True)
class Packages:
    """What an interpreter has.

    Parameters
    ----------
    versions
        Versions of packages by name.
    layers
        Layer that bert-score recommends for each model, by published name.
    baselines
        Languages and models that bert-score can rescale by: ``en/roberta-large``.
    bert_score
        The version that bert-score reports, which may differ from its release.
    device
        ``cuda`` if PyTorch finds a graphics card, otherwise ``cpu``.
    """

    versions: Mapping[str, str]
    layers: Mapping[str, int]
    baselines: tuple[str, ...]
    bert_score: str
    device: str


def packages(python: Path) -> Packages:
    """Return the packages of an interpreter; asked once until something is installed there.

    Raises
    ------
    MissingDependencyError
        If the interpreter does not answer.
    """
    folders = python.parent.parent.glob("lib/python*/site-packages")
    changed = max((folder.stat().st_mtime_ns for folder in folders), default=0)
    return _packages(python, changed)


@lru_cache(maxsize=4)
def _packages(python: Path, changed: int) -> Packages:
    """Return the packages of an interpreter, to which something was installed at this time."""
    request = json.dumps({"do": "describe"}) + "\n"
    try:
        done = run(
            command(python),
            input=request,
            stdout=PIPE,
            stderr=DEVNULL,
            env=variables(),
            encoding="ascii",
            timeout=120,  # seconds
        )
        answer = json.loads(done.stdout)
        return Packages(
            versions=MappingProxyType(answer["versions"]),
            layers=MappingProxyType(answer["layers"]),
            baselines=tuple(answer["baselines"]),
            bert_score=answer["bert_score"],
            device=answer["device"],
        )
    except (OSError, ValueError, KeyError, TimeoutExpired) as error:
        message = f"Cannot list the packages of '{python}' ({type(error).__name__})."
        raise MissingDependencyError(f"{message} {INSTALL.format('bin/neural')}") from error


def names_packages(signature: str) -> bool:
    """Return whether a signature has package versions, i.e. belongs to a learned metric."""
    return f"|{COMPUTING[0]}:" in signature
