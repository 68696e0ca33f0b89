"""Files of models: where the packages find them without the network, and a digest of what is in them."""

import hashlib
import os
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

_DIGITS = 12  # of a digest, in hexadecimal
_DESCRIPTIONS = ("*.json", "*.model", "*.txt")  # configuration, vocabulary, merges, special tokens
_WEIGHTS = ("*.safetensors", "*.bin")


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
    parts = "".join(f"{file.name} {_digest(file, *_state(file))}\n" for file in files)
    return hashlib.sha256(parts.encode()).hexdigest()[:_DIGITS]


def digest_of_file(file: Path) -> str:
    """Of the content alone."""
    return _digest(file, *_state(file))[:_DIGITS]


def _found(folder: Path, patterns: Iterable[str]) -> list[Path]:
    return sorted(file for pattern in patterns for file in folder.glob(pattern) if file.is_file())


def _cache() -> Path:
    """Of Hugging Face's hub, named by the variables that the packages read."""
    words = ("TRANSFORMERS_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE")
    named = next((os.environ[word] for word in words if os.environ.get(word)), "")
    general = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{general}/huggingface"
    return Path(os.path.expandvars(named or f"{home}/hub")).expanduser()


def _state(file: Path) -> tuple[int, int]:
    status = file.stat()
    return status.st_size, status.st_mtime_ns


@lru_cache(maxsize=128)
def _digest(file: Path, size: int, changed: int) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
