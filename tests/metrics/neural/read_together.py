"""Models of MetricX's and BLEURT's programs as on a graphics card, on the CPU: run as a script by their interpreter.

``python read_together.py metricx|bleurt WORKER FOLDER`` reads samples and batch sizes from standard input (JSON). It
prints the scores for each batch size, and for each batch its number of outputs and their length.
"""

import json
import runpy
import sys
from typing import Any


def main(kind: str, worker: str, folder: str) -> None:
    """Score the samples in batches of each size."""
    shared = runpy.run_path(worker)
    options: dict[str, Any] = {"folder": folder, "device": "cpu"}
    if kind == "metricx":
        options |= {"tokenizer": folder, "longest": 1536}
    model = shared["model_class"](kind)(shared["Embeddings"], shared["Batches"], **options)
    model.batches = Noted(shared["Batches"])
    model.has_batches = True
    samples, sizes = json.load(sys.stdin)
    answers = []
    for size in sizes:
        model.batches.shapes.clear()
        scores = [0.0] * len(samples)
        for rows, judged in model.judgements(samples, size):
            for row, score in zip(rows, judged["scores"], strict=True):
                scores[row] = score
        answers.append({"scores": scores, "shapes": list(model.batches.shapes)})
    print(json.dumps(answers))


class Noted:
    """The worker's batches, whose shapes are noted."""

    def __init__(self, batches: Any) -> None:
        self.batches = batches
        self.rows_of = batches.rows_of
        self.shapes: list[tuple[int, int]] = []

    def of_size(self, lengths: list[int], size: int) -> Any:
        for rows, length in self.batches.of_size(lengths, size):
            self.shapes.append((len(rows), length))
            yield rows, length


if __name__ == "__main__":
    main(*sys.argv[1:])
