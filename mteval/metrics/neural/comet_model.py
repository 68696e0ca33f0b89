"""Models of COMET's package. ``worker`` loads this file with the interpreter that has the package."""

import importlib
from typing import Any

SENTENCES = 20000  # embeddings to cache


class Model:
    """A checkpoint of COMET's package, of the class that its description names."""

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
        self.embeddings: Any = None
        if isinstance(self.model, importlib.import_module("comet.models").RegressionMetric):
            self.embeddings = embeddings(SENTENCES)
            self.embed = self.model.get_sentence_embedding
            self.model.get_sentence_embedding = lambda texts, _mask: self.torch.stack(self.embeddings.of(texts))

    def judged(self, samples: list[dict[str, Any]]) -> dict[str, Any]:
        """Return scores of one batch and, if the model finds errors, their spans."""
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
        """Return a text, or the last of several with those before it as the package reads them."""
        return told if isinstance(told, str) else f" {self.model.encoder.tokenizer.sep_token} ".join(told)

    def distinct(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """Return the batch for a model that reads each sentence separately; known sentences reuse their embedding."""
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
        """Move nested tensors to the model's device."""
        if isinstance(inputs, tuple):
            return tuple(self.on_device(one) for one in inputs)
        return {name: one.to(self.device) if hasattr(one, "to") else one for name, one in inputs.items()}
