"""MetricX-24's models in its authors' program. ``worker`` loads this file with the interpreter that has it."""

import importlib
import os
from collections.abc import Iterator
from typing import Any


class Model:
    """A checkpoint of the program's class.

    On the CPU, outputs are scored one by one, as by the program, whose batch is 1: batches would save a fifth of the
    time and round differently. On a graphics card, outputs of about equal length are scored at once.

    Parameters
    ----------
    embeddings
        Class of ``worker`` that only some models use.
    batches
        Class of ``worker`` that says which outputs are read at once.
    longest
        Input, in tokens.
    """

    def __init__(self, embeddings: Any, batches: Any, folder: str, tokenizer: str, longest: int, device: str) -> None:
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
        self.longest = longest
        self.batches = batches
        self.has_batches = device != "cpu"

    def judgements(self, samples: list[dict[str, str]], size: int) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Yield the predicted errors of each batch, 0 (none) to 25, with the numbers of its samples."""
        texts = [text_of(sample) for sample in samples]
        inputs = self.tokenizer(texts, max_length=self.longest, truncation=True, padding=True, return_tensors="pt")
        # The last token ends the sequence; the program removes it, too
        lengths = inputs["attention_mask"].sum(dim=1) - 1
        mask = (self.torch.arange(inputs["input_ids"].shape[1]) < lengths[:, None]).long()
        ids = inputs["input_ids"] * mask + self.tokenizer.pad_token_id * (1 - mask)
        for rows, length in self.batches.of_size(lengths.tolist(), size if self.has_batches else 1):
            batch = {
                "input_ids": self.batches.rows_of(ids, rows, length, self.tokenizer.pad_token_id).to(self.device),
                "attention_mask": self.batches.rows_of(mask, rows, length).to(self.device),
            }
            with self.torch.inference_mode():
                predictions = self.model(**batch).predictions
            yield rows, {"scores": predictions.tolist()}


def text_of(sample: dict[str, str]) -> str:
    """Return what the model reads of a sample."""
    text = f"source: {sample['src']} candidate: {sample['mt']}"
    if "ref" in sample:
        text += f" reference: {sample['ref']}"
    return text
