"""Models of the package bleurt-pytorch. ``worker`` loads this file with the interpreter that has the package."""

import importlib
from collections.abc import Iterator
from typing import Any

LONGEST = 512  # tokens that published models read


class Model:
    """A port of a BLEURT checkpoint.

    On the CPU, outputs are scored one by one: batches would save a quarter of the time and round differently. On a
    graphics card, outputs of about equal length are scored at once.

    Parameters
    ----------
    embeddings
        Class of ``worker`` that only some models use.
    batches
        Class of ``worker`` that says which outputs are read at once.
    """

    def __init__(self, embeddings: Any, batches: Any, folder: str, device: str) -> None:
        self.torch = importlib.import_module("torch")
        self.device = self.torch.device(device)
        package = importlib.import_module("bleurt_pytorch")
        self.tokenizer = package.BleurtTokenizer.from_pretrained(folder)
        self.model, loading = package.BleurtForSequenceClassification.from_pretrained(folder, output_loading_info=True)
        missing = sorted(loading["missing_keys"])
        if missing:
            raise ValueError(f"the files lack weights for {len(missing)} parts of the model, e.g. {missing[0]}")
        self.model.to(self.device).eval()
        self.batches = batches
        self.has_batches = device != "cpu"

    def judgements(self, samples: list[dict[str, str]], size: int) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Yield the ratings of each batch, with the numbers of its samples."""
        references = [sample["ref"] for sample in samples]
        outputs = [sample["mt"] for sample in samples]
        inputs = self.tokenizer(
            references, outputs, truncation=True, max_length=LONGEST, padding=True, return_tensors="pt"
        )
        lengths = inputs["attention_mask"].sum(dim=1).tolist()
        for rows, length in self.batches.of_size(lengths, size if self.has_batches else 1):
            batch = {}
            for name, values in inputs.items():
                padding = self.tokenizer.pad_token_id if name == "input_ids" else 0
                batch[name] = self.batches.rows_of(values, rows, length, padding).to(self.device)
            with self.torch.inference_mode():
                yield rows, {"scores": self.model(**batch).logits[:, 0].tolist()}
