"""Learned metrics in a process of their own: run as a script by the interpreter that has the packages.

One JSON object a line comes in, one or more answer it: ``describe`` names the versions of packages, ``load`` takes a
model, ``score`` has samples judged, batch by batch, until ``stop`` comes in. It knows nothing of mteval, which that
interpreter need not have.
"""

import importlib
import json
import os
import queue
import sys
import threading
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Any

PACKAGES = ("unbabel-comet", "torch", "transformers")
IDLE_SECONDS = 1800  # a model takes gigabytes: one that nobody has asked for so long goes
MEMORY = ("out of memory", "not enough memory", "can't allocate memory")  # in PyTorch's words
EMBEDDINGS = 20000  # sentences whose embedding is kept


def main() -> None:
    """Answer until there are no more lines."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what libraries print must not stand among the answers
    session = Session()
    for request in session.requests():
        try:
            for answer in session.answers(request):
                print(json.dumps(answer), file=answers, flush=True)
        except Exception as error:  # whatever it is, it is said where somebody listens
            print(json.dumps(failure(error)), file=answers, flush=True)


def failure(error: BaseException) -> dict[str, Any]:
    """What went wrong, and whether it was memory."""
    said = f"{type(error).__name__}: {error}"
    lacks_memory = isinstance(error, MemoryError) or any(words in said for words in MEMORY)
    return {"error": said, "lacks_memory": lacks_memory}


class Session:
    """What is asked and, once it is loaded, the model that is asked about."""

    def __init__(self) -> None:
        self.model: Any = None
        self.waiting: Any = queue.Queue()
        self.stopped = threading.Event()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        """Take lines while a batch is computed: one of them may say that the rest is not wanted."""
        for line in sys.stdin:
            request = json.loads(line)
            if request["do"] == "stop":
                self.stopped.set()
            else:
                self.waiting.put(request)
        self.waiting.put(None)

    def requests(self) -> Iterator[dict[str, Any]]:
        """One after another, until the other side hangs up or has not asked for long."""
        while True:
            try:
                request = self.waiting.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                return
            if request is None:
                return
            yield request

    def answers(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """To one request."""
        if request["do"] == "describe":
            yield {"versions": versions()}
        elif request["do"] == "load":
            self.model = KINDS[request["kind"]](**request["options"])
            yield {"versions": versions(), "device": str(self.model.device)}
        else:
            yield from self.scores(request["samples"], request["batch_size"])

    def scores(self, samples: list[dict[str, str]], size: int) -> Iterator[dict[str, Any]]:
        """What the model says of each batch, with the numbers of its samples; then whether this was all."""
        self.stopped.clear()
        for start in range(0, len(samples), size):
            if self.stopped.is_set():
                yield {"end": "stopped"}
                return
            some = samples[start : start + size]
            yield {"numbers": list(range(start, start + len(some))), **self.model.judged(some)}
        yield {"end": "done"}


def versions() -> dict[str, str]:
    """Of the packages that are there."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


class CometModel:
    """A checkpoint of COMET's package, of whichever class its description names."""

    def __init__(self, checkpoint: str, device: str, is_half: bool) -> None:
        importlib.import_module(
            "pkg_resources"
        )  # without it the package reads some models differently, and says nothing
        self.torch = importlib.import_module("torch")
        self.model = importlib.import_module("comet").load_from_checkpoint(checkpoint, local_files_only=True)
        self.device = self.torch.device(device)
        self.model.eval().to(self.device)
        if is_half:
            self.model.half()
        self.embeddings: Any = None
        if isinstance(self.model, importlib.import_module("comet.models").RegressionMetric):
            self.embeddings = Embeddings(self.torch, self.model.get_sentence_embedding)
            self.model.get_sentence_embedding = self.embeddings.of

    def judged(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """Scores of one batch and, of a model that finds errors, their spans."""
        with self.torch.inference_mode():
            if self.embeddings is None:
                output = self.model.predict_step(self.on_device(self.model.prepare_sample(samples, stage="predict")))
            else:
                output = self.model.predict_step(self.distinct(samples))
        answer = {"scores": output["scores"].float().cpu().tolist()}
        spans = output["metadata"].get("error_spans") if "metadata" in output else None
        return answer if spans is None else {**answer, "spans": spans}

    def distinct(self, samples: list[dict[str, str]]) -> dict[str, Any]:
        """The batch for a model that reads each sentence by itself: those that were read already have an embedding."""
        inputs: dict[str, Any] = {}
        for part in samples[0]:
            texts = [sample[part] for sample in samples]
            unread = self.embeddings.unread(texts)
            if unread:
                self.embeddings.read(unread, self.on_device(self.model.encoder.prepare_sample(unread)))
            inputs[part + "_input_ids"] = texts
            inputs[part + "_attention_mask"] = None
        return inputs

    def on_device(self, inputs: Any) -> Any:
        """Tensors where the model is, in whatever they are packed."""
        if isinstance(inputs, tuple):
            return tuple(self.on_device(one) for one in inputs)
        return {name: one.to(self.device) if hasattr(one, "to") else one for name, one in inputs.items()}


class Embeddings:
    """Of sentences, by text: sources and references are the same for all runs, and so are many outputs."""

    def __init__(self, torch: Any, embed: Any) -> None:
        self.torch = torch
        self.embed = embed
        self.rows: dict[str, Any] = {}

    def unread(self, texts: list[str]) -> list[str]:
        """Texts without an embedding, each once; the others are now the last to go."""
        distinct = list(dict.fromkeys(texts))
        self.rows.update({text: self.rows.pop(text) for text in distinct if text in self.rows})
        return [text for text in distinct if text not in self.rows]

    def read(self, texts: list[str], inputs: Any) -> None:
        """Keep what the encoder makes of texts; those unused for longest go when there are too many."""
        self.rows.update(zip(texts, self.embed(inputs["input_ids"], inputs["attention_mask"]), strict=True))
        for text in list(self.rows)[: max(0, len(self.rows) - EMBEDDINGS)]:
            del self.rows[text]

    def of(self, texts: list[str], _mask: Any = None) -> Any:
        """In place of the model's own, shape (texts, units)."""
        return self.torch.stack([self.rows[text] for text in texts])


KINDS = {"comet": CometModel}

if __name__ == "__main__":
    main()
