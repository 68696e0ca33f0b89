"""Stands for the package of COMET (unbabel-comet 2.2.7): its names and its calls, and no model.

``load_from_checkpoint`` and ``predict`` have the parameters, the order of the folders and the results of that release.
A checkpoint here is a line of JSON that may ask for trouble.
"""

import json
import os
from pathlib import Path


class Prediction(dict):
    """Results by name, also as attributes, as there."""

    def __getattr__(self, name):
        return self[name]


class Model:
    """What a checkpoint becomes."""

    def __init__(self, wishes):
        self.wishes = wishes

    def predict(
        self,
        samples,
        batch_size=16,
        gpus=1,
        devices=None,
        mc_dropout=0,
        progress_bar=True,
        accelerator="auto",
        num_workers=None,
        length_batching=True,
    ):
        """Segment scores between 0 and 1; nothing may ask for a graphics card or draw a bar."""
        print("Predicting ...")  # libraries talk
        if gpus or progress_bar or batch_size < 1:
            raise ValueError("expected the processor, a batch and no bar")
        if "die on" in self.wishes and any(self.wishes["die on"] in sample["mt"] for sample in samples):
            os._exit(9)
        if "fail on" in self.wishes and any(self.wishes["fail on"] in sample["mt"] for sample in samples):
            raise RuntimeError("the tensor is too large")
        scores = [score(sample["src"], sample["mt"], sample["ref"]) for sample in samples]
        if "forget" in self.wishes:
            del scores[0]
        return Prediction(scores=scores, system_score=sum(scores) / max(len(scores), 1))


def score(src, mt, ref):
    """1 for the reference itself, else half the share of words that both have; 0 for the source left as it is."""
    if not mt.strip() or mt == src:
        return 0.0
    if mt == ref:
        return 1.0
    words, others = set(mt.split()), set(ref.split())
    return 0.5 * len(words & others) / len(words | others)


def load_from_checkpoint(checkpoint_path, reload_hparams=False, strict=False, local_files_only=False):
    """Read the wishes; a line is written beside the checkpoint for each time that it is loaded."""
    path = Path(checkpoint_path)
    if not path.is_file():
        raise Exception(f"Invalid checkpoint path: {path}")
    if not (path.parents[1] / "hparams.yaml").is_file():
        raise Exception(f"hparams.yaml file is missing from {path.parents[1]}!")
    if not local_files_only or os.environ.get("HF_HUB_OFFLINE") != "1" or os.environ.get("TRANSFORMERS_OFFLINE") != "1":
        raise ConnectionError("this would reach out to the network")
    wishes = json.loads(path.read_text(encoding="utf-8"))
    with open(path.parents[1] / "loaded", "a", encoding="utf-8") as file:
        file.write("once\n")
    if "refuse" in wishes:
        raise OSError(wishes["refuse"])
    return Model(wishes)
