"""Options that learned metrics share."""

from mteval.metrics.base import Option

BATCH_SIZE = Option(
    "batch_size",
    "integer",
    "Batch size",
    "Outputs that the model reads at once. Scores depend on it in the last digits.",
    minimum=1,
    maximum=1024,
)
