"""Models of COMET's package, which ``worker`` loads from this file by the interpreter that has the package."""

import importlib
from typing import Any

SENTENCES = 20000  # whose embedding is kept


class Model:
    """A checkpoint of COMET's package, of whichever class its description names."""

    def __init__(self, embeddings: Any, checkpoint: str, device: str, is_half: bool, reads_context: bool) -> None:
        # without it the package reads some models differently, and says nothing
        importlib.import_module("pkg_resources")
        self.torch = importlib.import_module("torch")
        self.model = importlib.import_module("comet").load_from_checkpoint(checkpoint, local_files_only=True)
        self.device = self.torch.device(device)
        self.model.eval().to(self.device)
        if is_half:
            self.model.half()
        if reads_context:
            self.model.enable_context()
            if not self.model.use_context:  # the package says so at most in its log
                raise ValueError(f"{type(self.model).__name__} cannot read context sentences")
        self.embeddings: Any = None
        if isinstance(self.model, importlib.import_module("comet.models").RegressionMetric):
            self.embeddings = embeddings(SENTENCES)
            self.embed = self.model.get_sentence_embedding
            self.model.get_sentence_embedding = lambda texts, _mask: self.torch.stack(self.embeddings.of(texts))

    def judged(self, samples: list[dict[str, Any]]) -> dict[str, Any]:
        """Scores of one batch and, of a model that finds errors, their spans."""
        samples = [{part: self.joined(told) for part, told in sample.items()} for sample in samples]
        with self.torch.inference_mode():
            if self.embeddings is None:
                output = self.model.predict_step(self.on_device(self.model.prepare_sample(samples, stage="predict")))
            else:
                output = self.model.predict_step(self.distinct(samples))
        answer = {"scores": output["scores"].float().cpu().tolist()}
        spans = output["metadata"].get("error_spans") if "metadata" in output else None
        return answer if spans is None else {**answer, "spans": spans}

    def joined(self, told: Any) -> str:
        """A text, or the last of several with those before it as the package reads them."""
        return told if isinstance(told, str) else f" {self.model.encoder.tokenizer.sep_token} ".join(told)

    def distinct(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """The batch for a model that reads each sentence by itself: those that were read already have an embedding."""
        inputs: dict[str, Any] = {}
        for part in samples[0]:
            texts = [sample[part] for sample in samples]
            unread = self.embeddings.unread(texts)
            if unread:
                read = self.on_device(self.model.encoder.prepare_sample(unread))
                self.embeddings.keep(unread, self.embed(read["input_ids"], read["attention_mask"]))
            inputs[part + "_input_ids"] = texts
            inputs[part + "_attention_mask"] = None
        return inputs

    def on_device(self, inputs: Any) -> Any:
        """Tensors where the model is, in whatever they are packed."""
        if isinstance(inputs, tuple):
            return tuple(self.on_device(one) for one in inputs)
        return {name: one.to(self.device) if hasattr(one, "to") else one for name, one in inputs.items()}
