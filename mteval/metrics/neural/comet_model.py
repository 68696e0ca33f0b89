"""Models of COMET's package. ``worker`` loads this file with the interpreter that has the package."""

import importlib
from collections.abc import Iterator
from typing import Any

STEP = 8  # lengths to which texts are padded are multiples of it
ROWS = 16  # see ``in_blocks``


class Model:
    """A checkpoint of COMET's package, of the class that its description names.

    In single precision, a sample is padded to a length that depends on itself alone, so its score does not depend on
    those beside it. In half precision, batches are padded as by the package, whose command rounds in this way.
    """

    def __init__(self, embeddings: Any, checkpoint: str, device: str, is_half: bool, reads_context: bool) -> None:
        # without it, the package silently reads some models differently
        importlib.import_module("pkg_resources")
        self.torch = importlib.import_module("torch")
        self.model = importlib.import_module("comet").load_from_checkpoint(checkpoint, local_files_only=True)
        self.device = self.torch.device(device)
        self.model.eval()
        if is_half:  # before they go to the device, which may lack the memory for twice the size
            self.model.half()
        self.model.to(self.device)
        if reads_context:
            self.model.enable_context()
            if not self.model.use_context:  # the package only logs it
                raise ValueError(f"{type(self.model).__name__} cannot read context sentences")
        self.is_half = is_half
        if not is_half:
            self.estimate = self.model.estimator.forward
            self.model.estimator.forward = self.in_blocks
        self.embeddings: Any = None
        if isinstance(self.model, importlib.import_module("comet.models").RegressionMetric):
            self.embeddings = embeddings(20_000)
            self.embed = self.model.get_sentence_embedding
            self.model.get_sentence_embedding = lambda texts, _mask: self.torch.stack(self.embeddings.of(texts))

    def judged(self, samples: list[dict[str, Any]]) -> dict[str, Any]:
        """Return scores of one batch and, if the model finds errors, their spans."""
        samples = [{part: self.joined(told) for part, told in sample.items()} for sample in samples]
        found: dict[str, list[Any]] = {"scores": [None] * len(samples), "spans": [None] * len(samples)}
        with self.torch.inference_mode():
            for rows, inputs in self.inputs(samples):
                output = self.model.predict_step(self.on_device(inputs))
                spans = output["metadata"].get("error_spans") if "metadata" in output else None
                for place, row in enumerate(rows):
                    found["scores"][row] = float(output["scores"][place])
                    found["spans"][row] = None if spans is None else spans[place]
        return found if None not in found["spans"] else {"scores": found["scores"]}

    def inputs(self, samples: list[dict[str, str]]) -> Iterator[tuple[list[int], Any]]:
        """Yield rows of the batch with what the model reads of them."""
        if self.embeddings is None:
            yield from self.alike(self.model.prepare_sample(samples, stage="predict"))
        else:
            yield [*range(len(samples))], self.distinct(samples)

    def alike(self, inputs: Any) -> Iterator[tuple[list[int], Any]]:
        """Yield parts of a batch that are padded to the same lengths: multiples of ``STEP``; in half precision, all."""
        parts = inputs if isinstance(inputs, tuple) else (inputs,)
        n_rows = len(parts[0]["input_ids"])
        if self.is_half:
            yield [*range(n_rows)], inputs
            return
        lengths = [part["attention_mask"].sum(dim=1).tolist() for part in parts]
        groups: dict[tuple[int, ...], list[int]] = {}
        for row, own in enumerate(zip(*lengths, strict=True)):
            groups.setdefault(tuple(max(int(n), -(-int(n) // STEP) * STEP) for n in own), []).append(row)
        for padded, rows in groups.items():
            some = tuple(self.rows_of(part, rows, length) for part, length in zip(parts, padded, strict=True))
            yield rows, some if isinstance(inputs, tuple) else some[0]

    def in_blocks(self, features: Any) -> Any:
        """Apply the layers above the encoder to blocks of ``ROWS`` rows: their number affects rounding."""
        padded = self.torch.nn.functional.pad(features, (0, 0, 0, -len(features) % ROWS))
        return self.torch.cat([self.estimate(block) for block in padded.split(ROWS)])[: len(features)]

    def rows_of(self, part: dict[str, Any], rows: list[int], length: int) -> dict[str, Any]:
        """Return some rows of inputs, padded to a length."""
        fill = {"input_ids": self.model.encoder.tokenizer.pad_token_id, "label_ids": -1}  # 0 for other parts
        found = {}
        for name, value in part.items():
            if not self.torch.is_tensor(value):
                found[name] = [value[row] for row in rows]
            elif value.dim() == 1:
                found[name] = value[rows]
            else:
                some = value[rows, :length]
                more = length - some.shape[1]
                found[name] = self.torch.nn.functional.pad(some, (0, more), value=fill.get(name, 0))
        return found

    def joined(self, told: Any) -> str:
        """Return a text, or the last of several with those before it as the package reads them."""
        return told if isinstance(told, str) else f" {self.model.encoder.tokenizer.sep_token} ".join(told)

    def distinct(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """Return the batch for a model that reads each sentence separately; known sentences reuse their embedding."""
        inputs: dict[str, Any] = {}
        for part in samples[0]:
            texts = [sample[part] for sample in samples]
            unread = self.embeddings.unread(texts)
            for rows, read in self.alike(self.model.encoder.prepare_sample(unread)) if unread else ():
                read = self.on_device(read)
                new = self.embed(read["input_ids"], read["attention_mask"])
                self.embeddings.keep([unread[row] for row in rows], new)
            inputs |= {part + "_input_ids": texts, part + "_attention_mask": None}
        return inputs

    def on_device(self, inputs: Any) -> Any:
        """Move nested tensors to the model's device."""
        if isinstance(inputs, tuple):
            return tuple(self.on_device(one) for one in inputs)
        return {name: one.to(self.device) if self.torch.is_tensor(one) else one for name, one in inputs.items()}
