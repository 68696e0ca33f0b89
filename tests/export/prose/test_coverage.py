"""What numbers rest on, in words."""

from mteval.answers.scores import coverage_text, extent
from mteval.values.verdict import Coverage


def covered(n_segments: int, n_documents: int = 0, n_given: int = 0, documents: int = 0) -> Coverage:
    return Coverage("news", "any", "a", n_segments, 1910, n_documents, documents, n_given)


def test_a_whole_test_set_is_named_once() -> None:
    assert coverage_text({"BLEU": [covered(1910)], "TER": [covered(1910)]}, "news") == "1,910 segments of news."


def test_documents_are_counted_where_there_are_any() -> None:
    whole = covered(1910, 97, documents=97)
    assert coverage_text({"BLEU": [whole]}, "news") == "1,910 segments of news in 97 documents."


def test_given_scores_are_counted_over_the_systems_with_their_part_of_the_test_set() -> None:
    whole, part = covered(1910, 97, 1910, 97), covered(820, 40, 820, 97)
    assert coverage_text({"COMET": [whole, whole], "MQM": [part, part]}, "news") == (
        "1,910 segments of news in 97 documents. Given with the runs: COMET (3,820 scores), MQM (1,640 scores on 820 of"
        " 1,910 segments in 40 of 97 documents)."
    )


def test_judgements_behind_scores_are_counted() -> None:
    judged = Coverage("news", "any", "a", 6, 6, 0, 0, n_given=6, n_judgements=12)
    assert extent([judged, judged]) == "12 scores of 24 judgements"


def test_systems_that_cover_different_parts_are_a_range() -> None:
    text = coverage_text({"BLEU": [covered(1910)], "DA": [covered(1, n_given=1), covered(6, n_given=6)]}, "news")
    assert text == "1,910 segments of news. Given with the runs: DA (7 scores on 1 to 6 of 1,910 segments)."


def test_a_computed_metric_that_leaves_segments_out_says_so() -> None:
    text = coverage_text({"BLEU": [covered(1910)], "WER": [covered(1909)]}, "news")
    assert text == "1,910 segments of news. On a part: WER (1,909 of 1,910 segments)."
