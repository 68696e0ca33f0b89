"""MetricX-24's models in its authors' program. ``worker`` loads this file with the interpreter that has it."""

import importlib
import os
from typing import Any


class Model:
    """A checkpoint of the program's class. Outputs are scored one by one, as by the program, whose batch is 1.

    ``worker`` makes all models alike: ``embeddings`` is a class that only some models use.
    """

    def __init__(self, embeddings: Any, folder: str, tokenizer: str, longest: int, device: str) -> None:
        if device == "cpu":  # the program uses a card wherever it sees one
            os.environ["CUDA_VISIBLE_DEVICES"] = ""
        self.torch = importlib.import_module("torch")
        self.device = self.torch.device(device)
        if device.startswith("cuda"):
            self.torch.cuda.set_device(self.device)
        transformers = importlib.import_module("transformers")
        regression = importlib.import_module("metricx24.models").MT5ForRegression
        self.tokenizer = transformers.AutoTokenizer.from_pretrained(tokenizer)
        self.model, loading = regression.from_pretrained(folder, torch_dtype="auto", output_loading_info=True)
        missing = sorted(loading["missing_keys"])
        if missing:
            raise ValueError(f"the files lack weights for {len(missing)} parts of the model, e.g. {missing[0]}")
        self.model.to(self.device).eval()
        self.longest = longest  # input, in tokens

    def judged(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """Return predicted errors of a batch."""
        return {"scores": [self.predicted(sample) for sample in samples]}

    def predicted(self, sample: dict[str, str]) -> float:
        """Return the predicted error of an output, 0 (none) to 25."""
        text = f"source: {sample['src']} candidate: {sample['mt']}"
        if "ref" in sample:
            text += f" reference: {sample['ref']}"
        inputs = self.tokenizer(text, max_length=self.longest, truncation=True, return_tensors="pt").to(self.device)
        # The last token ends the sequence; the program removes it, too
        ids = inputs["input_ids"][:, :-1]
        mask = inputs["attention_mask"][:, :-1]
        with self.torch.inference_mode():
            output = self.model(input_ids=ids, attention_mask=mask)
        return float(output.predictions[0])
