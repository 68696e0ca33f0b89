"""Learned metrics in a process of their own, run as a script by the interpreter that has the packages.

Requests are JSON objects, one per line, each answered by one or more lines. ``describe`` returns package versions,
``load`` loads a model, ``score`` judges samples batch by batch until ``stop`` arrives. This module does not import
mteval, which that interpreter need not have.
"""

import ast
import importlib.util
import json
import os
import queue
import runpy
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = (
    "unbabel-comet",
    "bert-score",
    "google-metricx",
    "bleurt-pytorch",
    "huggingface_hub",
    "torch",
    "transformers",
    "tokenizers",
)
STEP = 8  # lengths to which texts are padded are multiples of it
TOKENS = 128  # per output in a batch, see ``Batches.of_size``
MEMORY = ("out of memory", "not enough memory", "can't allocate memory")  # PyTorch's messages


def main() -> None:
    """Answer requests until input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # libraries must not print into the answers
    session = Session()
    for request in session.requests():
        try:
            for answer in session.answers(request):
                print(json.dumps(answer), file=answers, flush=True)
        except Exception as error:  # whatever it is, the other side reports it
            print(json.dumps(failure(error)), file=answers, flush=True)


def failure(error: BaseException) -> dict[str, Any]:
    """Return what went wrong, and whether memory ran out."""
    message = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(".")
    lacks_memory = isinstance(error, MemoryError) or any(words in message for words in MEMORY)
    return {"error": message, "lacks_memory": lacks_memory}


class Session:
    """Pending requests and the loaded model."""

    def __init__(self) -> None:
        self.model: Any = None
        self.waiting: Any = queue.Queue()
        self.stopped = threading.Event()
        threading.Thread(target=self.listen, daemon=True).start()

    def listen(self) -> None:
        """Read lines during a batch, since one of them may cancel the rest."""
        for line in sys.stdin:
            request = json.loads(line)
            if request["do"] == "stop":
                self.stopped.set()
            else:
                self.waiting.put(request)
        self.waiting.put(None)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Yield requests until input ends or nothing is asked for half an hour: a model takes gigabytes."""
        with suppress(queue.Empty):
            yield from iter(partial(self.waiting.get, timeout=1800), None)

    def answers(self, request: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """Yield the answers to one request."""
        if request["do"] == "describe":
            yield {
                "versions": versions(),
                "layers": literal("bert_score", "utils.py", "model2layers") or {},
                "baselines": baselines(),
                "bert_score": literal("bert_score", "__init__.py", "__version__") or "none",
                "device": device(),
            }
        elif request["do"] == "load":
            self.model = model_class(request["kind"])(Embeddings, Batches, **request["options"])
            yield {"device": str(self.model.device)}
        else:
            yield from self.scores(request["samples"], request["batch_size"])

    def scores(self, samples: list[dict[str, str]], size: int) -> Iterator[dict[str, Any]]:
        """Yield the model's judgement of each batch with its sample numbers, then whether all were judged."""
        self.stopped.clear()
        for numbers, answer in self.model.judgements(samples, size):
            yield {"numbers": numbers, **answer}
            if self.stopped.is_set():
                break
        yield {"end": "stopped" if self.stopped.is_set() else "done"}


def versions() -> dict[str, str]:
    """Return the versions of installed packages."""
    version_of = {}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            version_of[package] = version(package)
    return version_of


def baselines() -> list[str]:
    """Return the languages and models that bert-score has baselines for: ``en/roberta-large``."""
    folder = package_file("bert_score", "rescale_baseline")
    if folder is None:
        return []
    files = folder.rglob("*.tsv")
    return sorted(str(file.relative_to(folder)).removesuffix(".tsv") for file in files)


def device() -> str:
    """Return ``cuda`` if PyTorch finds a graphics card. Builds for the CPU are not imported, which takes seconds."""
    is_for_cards = literal("torch", "version.py", "cuda") or literal("torch", "version.py", "hip")
    if is_for_cards and importlib.import_module("torch").cuda.is_available():
        return "cuda"
    return "cpu"


def package_file(package: str, name: str) -> Path | None:
    """Return a file of a package without importing it, which takes seconds; None if it is not installed."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).with_name(name)


def literal(package: str, file: str, name: str) -> Any:
    """Return a constant from a package's source; None if the package is not installed."""
    source = package_file(package, file)
    if source is None:
        return None
    for statement in ast.parse(source.read_text(encoding="utf-8")).body:
        targets = getattr(statement, "targets", None) or [getattr(statement, "target", None)]
        if isinstance(statement, ast.Assign | ast.AnnAssign) and getattr(targets[0], "id", "") == name:
            return ast.literal_eval(statement.value or ast.Constant(None))
    raise ValueError(f"{package}/{file} has no {name}")


def model_class(kind: str) -> Any:
    """Return the class for models of a kind, from a file beside this one: its package cannot be imported here."""
    return runpy.run_path(str(Path(__file__).with_name(f"{kind}_model.py")))["Model"]


class Embeddings:
    """Cached embeddings of sentences by text: sources, references and many outputs repeat between runs."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.rows: dict[str, Any] = {}

    def unread(self, texts: list[str]) -> list[str]:
        """Return distinct texts without an embedding, and mark the others as recently used."""
        distinct = list(dict.fromkeys(texts))
        for text in distinct:
            if text in self.rows:
                self.rows[text] = self.rows.pop(text)  # the last row is the most recently used
        return [text for text in distinct if text not in self.rows]

    def keep(self, texts: list[str], embeddings: Any) -> None:
        """Cache embeddings; the least recently used are evicted."""
        self.rows.update(zip(texts, embeddings, strict=True))
        n_too_many = max(0, len(self.rows) - self.most)
        for text in list(self.rows)[:n_too_many]:
            del self.rows[text]

    def of(self, texts: list[str]) -> list[Any]:
        """Return cached embeddings of texts."""
        return [self.rows[text] for text in texts]


class Batches:
    """Which texts a model reads at once: those that are padded to the same length, so that none affects another."""

    @staticmethod
    def reproducible() -> None:
        """Let no rounding depend on the number of texts; to be called before PyTorch is imported.

        On several cores, Intel's library would sum in an order that depends on the number of rows. This costs no time.
        """
        os.environ.setdefault("MKL_CBWR", "AUTO,STRICT")

    @staticmethod
    def in_order(samples: list[Any], size: int) -> Iterator[tuple[list[int], list[Any]]]:
        """Yield batches of a size, with the numbers of their samples."""
        for start in range(0, len(samples), size):
            batch = samples[start : start + size]
            yield list(range(start, start + len(batch))), batch

    @staticmethod
    def equally_padded(*lengths_of_parts: list[int]) -> list[tuple[list[int], tuple[int, ...]]]:
        """Return groups of rows with the lengths to which their parts are padded, the longest first.

        Parameters
        ----------
        lengths_of_parts
            Tokens of each row, for each part that the model reads separately.
        """
        groups: dict[tuple[int, ...], list[int]] = {}
        for row, lengths in enumerate(zip(*lengths_of_parts, strict=True)):
            padded_lengths = tuple(-(-length // STEP) * STEP for length in lengths)  # rounded up
            groups.setdefault(padded_lengths, []).append(row)
        return [(groups[lengths], lengths) for lengths in sorted(groups, reverse=True)]

    @staticmethod
    def of_size(lengths: list[int], size: int) -> Iterator[tuple[list[int], int]]:
        """Yield the rows of each batch, the longest first, with the length to which they are padded.

        A batch has at most ``size`` rows. So that long ones do not take more memory, it has at most ``TOKENS`` times as
        many tokens. Batches of one row are not padded.
        """
        if size == 1:
            yield from (([row], length) for row, length in enumerate(lengths))
            return
        for group, (length,) in Batches.equally_padded(lengths):
            n_rows = max(1, min(size, size * TOKENS // length))
            for _, rows in Batches.in_order(group, n_rows):
                yield rows, length

    @staticmethod
    def rows_of(values: Any, rows: list[int], length: int, padding: int = 0) -> Any:
        """Return some rows of a tensor of shape (rows, tokens), cut or padded to a length."""
        cut = values[rows, :length]
        n_missing = length - cut.shape[1]
        return importlib.import_module("torch").nn.functional.pad(cut, (0, n_missing), value=padding)


if __name__ == "__main__":
    main()
