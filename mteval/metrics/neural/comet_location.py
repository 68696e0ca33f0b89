"""Where COMET's checkpoint and its interpreter are, as whoever starts the program says.

A checkpoint can run code when it is loaded, so its path is never a setting: settings come in links and in files too.
"""

import hashlib
import os
import shutil
import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from mteval.counts import counted
from mteval.errors import MissingDependencyError, SettingsError

CHECKPOINT_VARIABLE = "MTEVAL_COMET"
PYTHON_VARIABLE = "MTEVAL_COMET_PYTHON"
_IN_A_FOLDER = ("*.ckpt", "checkpoints/*.ckpt", "snapshots/*/checkpoints/*.ckpt")  # the last is the Hugging Face cache
_REMEDY = (
    f"Name one with {CHECKPOINT_VARIABLE}=/path/to/model.ckpt when you start mteval, or --comet.checkpoint on the"
    " command line; or load COMET scores that were computed elsewhere as scores of segments."
)


def checkpoint_file() -> Path:
    """The checkpoint that the environment names, a file or a folder with one.

    Raises
    ------
    MissingDependencyError
        Where none is named.
    SettingsError
        Where what is named is no checkpoint.
    """
    named = os.environ.get(CHECKPOINT_VARIABLE, "").strip()
    if not named:
        raise MissingDependencyError(f"COMET has no model: no checkpoint is named. {_REMEDY}")
    path = Path(named).expanduser().absolute()
    checkpoints = sorted(file for pattern in _IN_A_FOLDER for file in path.glob(pattern)) if path.is_dir() else [path]
    if len(checkpoints) != 1:
        raise SettingsError(
            f"COMET: the folder '{path}' holds {counted(len(checkpoints), 'checkpoint')} (*.ckpt, also in"
            " checkpoints/); expected one. Name the file itself."
        )
    _require_files(checkpoints[0])
    return checkpoints[0]


def _require_files(checkpoint: Path) -> None:
    if not checkpoint.is_file():
        raise SettingsError(f"COMET: '{checkpoint}' is named as checkpoint, and there is no such file. {_REMEDY}")
    if not settings_file(checkpoint).is_file():
        raise SettingsError(
            f"COMET: '{settings_file(checkpoint)}' is missing, which says what kind of model '{checkpoint.name}' is."
            " Keep the checkpoint where it came, in a folder 'checkpoints' beside 'hparams.yaml'."
        )


def settings_file(checkpoint: Path) -> Path:
    """COMET's own description of a model, one folder above its checkpoint."""
    return checkpoint.parent.parent / "hparams.yaml"


def python_file() -> Path:
    """The interpreter that has the package: the one that the environment names, else this one.

    The package asks for an older NumPy than this program, so the two seldom share an environment.

    Raises
    ------
    MissingDependencyError
        Where the interpreter or the package is missing.
    """
    named = os.environ.get(PYTHON_VARIABLE, "").strip()
    install = (
        "Install the package into an environment of its own (python3 -m venv comet; comet/bin/pip install -r"
        f" requirements-comet.txt) and name its interpreter with {PYTHON_VARIABLE}=/path/to/comet/bin/python."
    )
    if not named and find_spec("comet") is None:
        raise MissingDependencyError(f"COMET's package is not installed beside mteval. {install}")
    interpreter = shutil.which(os.path.expanduser(named or sys.executable))
    if interpreter is None:
        raise MissingDependencyError(f"COMET: '{named}' is named as interpreter and cannot be run. {install}")
    return Path(interpreter).absolute()  # not resolved: an environment's interpreter is a link


def model_digest(checkpoint: Path) -> str:
    """Digest of the checkpoint and its description; a file that did not change is read once."""
    return "-".join(_digest(file, *_state(file))[:12] for file in (checkpoint, settings_file(checkpoint)))


def _state(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=8)
def _digest(file: Path, size: int, changed: int) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
