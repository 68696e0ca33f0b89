"""The interpreter that has the packages of learned metrics, and its devices, as whoever starts the program says.

The packages ask for an older NumPy than this program, so they have an environment of their own.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType

from mteval.base.errors import MissingDependencyError, SettingsError

PYTHON_VARIABLE = "MTEVAL_NEURAL_PYTHON"
DEVICES_VARIABLE = "MTEVAL_NEURAL_DEVICES"
INSTALL = "Install the packages of learned metrics into an environment of their own: bin/neural."
_SECONDS_TO_DESCRIBE = 120
COMPUTING = ("torch", "transformers", "tokenizers")
# the packages would look for a newer encoder, and tell its makers that it was used
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


def python_with(package: str, metric: str) -> Path:
    """The interpreter of learned metrics: the one that the environment names, else the one that ``bin/neural`` made.

    Parameters
    ----------
    package
        That it must have.
    metric
        Its name, for the message.

    Raises
    ------
    MissingDependencyError
        Where there is none, or it lacks the package.
    """
    named = os.environ.get(PYTHON_VARIABLE, "").strip()
    if not named and not own_python().is_file():
        raise MissingDependencyError(
            f"{metric} has no package to compute it: there is no '{own_python()}'. {INSTALL} Or name the interpreter of"
            f" an environment that has them with {PYTHON_VARIABLE}=/path/to/bin/python."
        )
    interpreter = shutil.which(os.path.expanduser(named)) if named else str(own_python())
    if interpreter is None:
        raise MissingDependencyError(f"{metric}: '{named}' is named as interpreter and cannot be run. {INSTALL}")
    python = Path(interpreter).absolute()  # not resolved: an environment's interpreter is a link
    if package not in packages(python).versions:
        raise MissingDependencyError(f"{metric}: {python} has no package '{package}'. {INSTALL}")
    return python


def own_python() -> Path:
    """Where ``bin/neural`` puts it: in an environment beside this program's, ``.venv-neural`` by ``.venv``."""
    return Path(f"{sys.prefix}-neural") / "bin" / "python"


def devices() -> tuple[str, ...]:
    """What models compute on, a process each: ``cpu``, or one or several graphics cards as ``cuda:0,cuda:1``.

    Raises
    ------
    SettingsError
        On a word that is no device.
    """
    words = os.environ.get(DEVICES_VARIABLE, "").replace(",", " ").split() or ["cpu"]
    for word in words:
        if not re.fullmatch(r"cpu|mps|cuda(:\d+)?", word):
            raise SettingsError(
                f"{DEVICES_VARIABLE} has '{word}'; expected cpu, or graphics cards such as cuda:0 or cuda:0,cuda:1."
            )
    return tuple(words)


def command(python: Path) -> list[str]:
    """The words that start a worker, which sees nothing of this program's own packages."""
    return [str(python), "-I", str(Path(__file__).with_name("worker.py"))]


def variables() -> dict[str, str]:
    """The environment of a worker: it downloads nothing."""
    return {**os.environ, **_OFFLINE}


@dataclass(frozen=True)
class Packages:
    """What an interpreter has.

    Parameters
    ----------
    versions
        Of packages, by name.
    layers
        For models by their published names the layer that BERTScore's package reads unless it is told.
    baselines
        Languages and models that BERTScore's package can rescale by: ``en/roberta-large``.
    bert_score
        The version that BERTScore's package says of itself, which is not always that under which it was released.
    """

    versions: Mapping[str, str]
    layers: Mapping[str, int]
    baselines: tuple[str, ...]
    bert_score: str


def packages(python: Path) -> Packages:
    """The packages that an interpreter has; asked for once, until something is installed there.

    Raises
    ------
    MissingDependencyError
        Where the interpreter does not answer.
    """
    folders = python.parent.parent.glob("lib/python*/site-packages")
    return _packages(python, max((folder.stat().st_mtime_ns for folder in folders), default=0))


@lru_cache(maxsize=4)
def _packages(python: Path, changed: int) -> Packages:
    try:
        done = subprocess.run(
            command(python),
            input=json.dumps({"do": "describe"}) + "\n",
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=variables(),
            encoding="ascii",
            timeout=_SECONDS_TO_DESCRIBE,
        )
        found = json.loads(done.stdout)
        versions, layers = (MappingProxyType(found[name]) for name in ("versions", "layers"))
        return Packages(versions, layers, tuple(found["baselines"]), found["bert_score"])
    except (OSError, ValueError, KeyError, subprocess.TimeoutExpired) as error:
        raise MissingDependencyError(
            f"'{python}' does not say what packages it has ({type(error).__name__}). {INSTALL}"
        ) from error


def names_packages(signature: str) -> bool:
    """Whether a signature is of a metric that a model computed, with the versions of packages in it."""
    return f"|{COMPUTING[0]}:" in signature
