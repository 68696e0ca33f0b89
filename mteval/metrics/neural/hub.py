"""Download a model from the Hugging Face hub, run as a script by the interpreter that has its client.

``python hub.py NAME yes|no`` prints one JSON line per repository, with its name, licence, gate and folder; progress
bars go to stderr. ``yes`` downloads weights; COMET's encoders need none, since checkpoints contain them. Interrupted
downloads resume. This module does not import mteval, which that interpreter need not have.
"""

import importlib
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

CHECKPOINT = ("checkpoints/*.ckpt", "hparams.yaml", "LICENSE*", "README.md")
DESCRIPTIONS = ("*.json", "*.model", "*.txt", "LICENSE*", "README.md")
ENCODER = re.compile(r"^pretrained_model:\s*['\"]?([^'\"\n]+?)['\"]?\s*$", re.MULTILINE)


def main(name: str, weights: str) -> None:
    """Download, and print what was downloaded or why not."""
    try:
        for repository in downloaded(name, weights == "yes"):
            print(json.dumps(repository), flush=True)
    except Exception as error:  # whatever it is, the other side reports it
        print(json.dumps({"error": reason(error, name)}), flush=True)


def downloaded(name: str, weights: bool) -> Iterator[dict[str, Any]]:
    """Download a checkpoint and the description of its encoder, or an encoder."""
    client = importlib.import_module("huggingface_hub")
    info = client.HfApi().model_info(name)
    files = [file.rfilename for file in info.siblings or ()]
    is_checkpoint = "hparams.yaml" in files
    if is_checkpoint:
        patterns = list(CHECKPOINT)
    else:
        patterns = list(DESCRIPTIONS)
        if weights:  # in one format
            has_safetensors = any(file.endswith(".safetensors") for file in files)
            patterns.append("*.safetensors" if has_safetensors else "*.bin")

    licence = getattr(info.card_data, "license", None) or "not stated"
    gate = ", access on request" if info.gated else ""
    print(f"{name}: licence {licence}{gate}", file=sys.stderr, flush=True)
    folder = client.snapshot_download(name, allow_patterns=patterns)
    yield {"name": name, "licence": str(licence), "gated": bool(info.gated), "folder": folder}
    if is_checkpoint:
        encoder = ENCODER.search(Path(folder, "hparams.yaml").read_text(encoding="utf-8"))
        if encoder and not Path(encoder[1]).is_dir():
            yield from downloaded(encoder[1], weights=False)


def reason(error: Exception, name: str) -> str:
    """Return what went wrong and what to do, in one line."""
    kind = type(error).__name__
    if kind == "GatedRepoError":
        remedy = f"accept its terms at https://huggingface.co/{name}, then set HF_TOKEN to your access token"
        return f"access to {name} must be requested: {remedy}"
    if kind == "RepositoryNotFoundError":
        return f"the hub has no model {name}, or only for those with access; check the name or set HF_TOKEN"
    return " ".join(f"{kind}: {error}".split()).rstrip(".")


if __name__ == "__main__":
    main(*sys.argv[1:])
