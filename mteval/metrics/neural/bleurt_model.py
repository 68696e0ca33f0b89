"""Models of the package bleurt-pytorch. ``worker`` loads this file with the interpreter that has the package."""

import importlib
from typing import Any

LONGEST = 512  # tokens that published models read


class Model:
    """A port of a BLEURT checkpoint. Outputs are scored one by one, so a score does not depend on those beside it.

    ``worker`` makes all models alike: ``embeddings`` is a class that only some models use.
    """

    def __init__(self, embeddings: Any, folder: str, device: str) -> None:
        self.torch = importlib.import_module("torch")
        self.device = self.torch.device(device)
        package = importlib.import_module("bleurt_pytorch")
        self.tokenizer = package.BleurtTokenizer.from_pretrained(folder)
        self.model, loading = package.BleurtForSequenceClassification.from_pretrained(folder, output_loading_info=True)
        missing = sorted(loading["missing_keys"])
        if missing:
            raise ValueError(f"the files lack weights for {len(missing)} parts of the model, e.g. {missing[0]}")
        self.model.to(self.device).eval()

    def judged(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """Return the ratings of a batch."""
        return {"scores": [self.rated(sample["ref"], sample["mt"]) for sample in samples]}

    def rated(self, reference: str, output: str) -> float:
        """Return the rating of an output."""
        inputs = self.tokenizer(reference, output, truncation=True, max_length=LONGEST, return_tensors="pt")
        with self.torch.inference_mode():
            prediction = self.model(**inputs.to(self.device))
            return float(prediction.logits[0, 0])
