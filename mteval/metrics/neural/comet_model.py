"""Models of COMET's package. ``worker`` loads this file with the interpreter that has the package."""

import importlib
from collections.abc import Iterator
from typing import Any

ROWS = 16  # see ``in_blocks``


class Model:
    """A checkpoint of COMET's package, of the class that its description names.

    In single precision, a sample is padded to a length that depends on itself alone, so its score does not depend on
    those beside it. In half precision, batches are padded as by the package, whose command rounds in this way.

    Parameters
    ----------
    embeddings
        Class of ``worker`` that caches embeddings of sentences; called with the most that it keeps.
    batches
        Class of ``worker`` that says which texts are read at once.
    reads_context
        Whether samples have the sentences before each segment.
    """

    def __init__(
        self,
        embeddings: Any,
        batches: Any,
        checkpoint: str,
        device: str,
        is_half: bool,
        reads_context: bool,
    ) -> None:
        batches.reproducible()
        self.batches = batches
        # Without it, the package silently reads some models differently
        importlib.import_module("pkg_resources")
        self.torch = importlib.import_module("torch")
        package = importlib.import_module("comet")
        self.model = package.load_from_checkpoint(checkpoint, local_files_only=True)
        self.device = self.torch.device(device)
        self.model.eval()
        if is_half:  # before the weights go to the device, which may lack the memory for twice the size
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
            # ``texts_alone`` gives the model texts in place of tokens, so that it finds their embeddings in the cache
            self.model.get_sentence_embedding = lambda texts, _mask: self.torch.stack(self.embeddings.of(texts))

    def judgements(self, samples: list[dict[str, Any]], size: int) -> Iterator[tuple[list[int], dict[str, Any]]]:
        """Yield the judgements of each batch, with the numbers of its samples."""
        for numbers, batch in self.batches.in_order(samples, size):
            yield numbers, self.judged(batch)

    def judged(self, samples: list[dict[str, Any]]) -> dict[str, Any]:
        """Return scores of one batch and, if the model finds errors, their spans."""
        batch = []
        for sample in samples:
            batch.append({part: self.joined(text_or_texts) for part, text_or_texts in sample.items()})
        scores: list[float | None] = [None] * len(batch)
        spans: list[Any] = [None] * len(batch)
        with self.torch.inference_mode():
            for rows, inputs in self.inputs(batch):
                output = self.model.predict_step(self.on_device(inputs))
                spans_of_rows = None
                if "metadata" in output:
                    spans_of_rows = output["metadata"].get("error_spans")
                for place, row in enumerate(rows):
                    scores[row] = float(output["scores"][place])
                    if spans_of_rows is not None:
                        spans[row] = spans_of_rows[place]
        if None in spans:  # the model finds no errors
            return {"scores": scores}
        return {"scores": scores, "spans": spans}

    def inputs(self, samples: list[dict[str, str]]) -> Iterator[tuple[list[int], Any]]:
        """Yield rows of the batch with what the model reads of them."""
        if self.embeddings is None:
            yield from self.equally_padded(self.model.prepare_sample(samples, stage="predict"))
        else:
            yield [*range(len(samples))], self.texts_alone(samples)

    def equally_padded(self, inputs: Any) -> Iterator[tuple[list[int], Any]]:
        """Yield groups of rows that are padded to the same lengths; in half precision, all rows.

        Parameters
        ----------
        inputs
            What the model reads of a batch, or a tuple of such parts, e.g. with and without the reference.
        """
        parts = inputs if isinstance(inputs, tuple) else (inputs,)
        n_rows = len(parts[0]["input_ids"])
        if self.is_half:
            yield [*range(n_rows)], inputs
            return
        lengths_of_parts = [part["attention_mask"].sum(dim=1).tolist() for part in parts]
        for rows, padded_lengths in self.batches.equally_padded(*lengths_of_parts):
            group = [self.rows_of(part, rows, length) for part, length in zip(parts, padded_lengths, strict=True)]
            if isinstance(inputs, tuple):
                yield rows, tuple(group)
            else:
                yield rows, group[0]

    def in_blocks(self, features: Any) -> Any:
        """Apply the layers above the encoder to blocks of ``ROWS`` rows: their number affects rounding."""
        # Shape (rows, features): whole blocks, the last one filled with zeros, whose estimates are dropped
        n_missing = -len(features) % ROWS
        padded = self.torch.nn.functional.pad(features, (0, 0, 0, n_missing))
        estimates = self.torch.cat([self.estimate(block) for block in padded.split(ROWS)])
        return estimates[: len(features)]

    def rows_of(self, part: dict[str, Any], rows: list[int], length: int) -> dict[str, Any]:
        """Return some rows of inputs, padded to a length."""
        padding = {"input_ids": self.model.encoder.tokenizer.pad_token_id, "label_ids": -1}  # 0 for other fields
        selected = {}
        for name, values in part.items():
            if not self.torch.is_tensor(values):
                selected[name] = [values[row] for row in rows]
            elif values.dim() == 1:
                selected[name] = values[rows]
            else:  # shape (rows, tokens)
                selected[name] = self.batches.rows_of(values, rows, length, padding.get(name, 0))
        return selected

    def joined(self, text_or_texts: Any) -> str:
        """Return a text, or the last of several with those before it as the package reads them."""
        if isinstance(text_or_texts, str):
            return text_or_texts
        return f" {self.model.encoder.tokenizer.sep_token} ".join(text_or_texts)

    def texts_alone(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """Return the texts of a batch for a model that reads each sentence separately, once all have embeddings."""
        inputs: dict[str, Any] = {}
        for part in samples[0]:
            texts = [sample[part] for sample in samples]
            self.embed_unread(texts)
            # In the fields in which the package has tokens and their mask
            inputs[f"{part}_input_ids"] = texts
            inputs[f"{part}_attention_mask"] = None
        return inputs

    def embed_unread(self, texts: list[str]) -> None:
        """Compute and cache the embeddings of texts that have none."""
        unread = self.embeddings.unread(texts)
        if not unread:
            return
        for rows, inputs in self.equally_padded(self.model.encoder.prepare_sample(unread)):
            inputs = self.on_device(inputs)
            new = self.embed(inputs["input_ids"], inputs["attention_mask"])
            self.embeddings.keep([unread[row] for row in rows], new)

    def on_device(self, inputs: Any) -> Any:
        """Move nested tensors to the model's device."""
        if isinstance(inputs, tuple):
            return tuple(self.on_device(part) for part in inputs)
        moved = {}
        for name, values in inputs.items():
            if self.torch.is_tensor(values):
                values = values.to(self.device)
            moved[name] = values
        return moved
