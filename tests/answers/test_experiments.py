from mteval.answers.experiments import files_in_words
from mteval.readers.documents import Slot


def test_outputs_are_counted_in_tables_and_files_otherwise() -> None:
    slots = [
        Slot("all.tsv", "hypothesis", "base", stream="base"),
        Slot("all.tsv", "hypothesis", "new", stream="new"),
        Slot("all.tsv", "reference", stream="reference"),
        Slot("all.tsv", "source", stream="source"),
        Slot("scores.csv", "scores", stream="COMET"),
        Slot("scores.csv", "scores", stream="MetricX"),
        Slot("documents.tsv", "documents"),
        Slot("log.txt", "other", included=False),
    ]
    expected = "2 outputs, 1 reference, 1 other file, 1 score file, 1 ignored file"
    assert files_in_words(slots) == expected
