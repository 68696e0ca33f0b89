"""MultEval's lines of unmatched words: format, and the order of equally frequent ones."""

from mteval.report.multeval import unmatched_line


def test_the_line_has_the_ten_most_frequent_words_and_no_count_of_one() -> None:
    counts = {str(number): 20 - number for number in range(19)} | {"once": 1}
    line = unmatched_line("reference", counts, is_multeval=True)
    assert line.startswith("Top unmatched reference words accoring to METEOR: [0 x 20, 1 x 19, ")
    assert line.endswith(", 9 x 11]")
    assert unmatched_line("hypothesis", {"a": 1, "b": 2}, is_multeval=False).endswith("[b x 2, a]")
    assert unmatched_line("hypothesis", {}, is_multeval=False).endswith("METEOR: []")


def test_ties_are_in_the_order_of_java_s_hash_table() -> None:
    # "Aa" and "BB" have one hash code in Java, 2112, at place 0 of 16; "a" is 97, at 1; "é" is 233, at 9;
    # "😀" is the pair d83d de00, 31 * 55357 + 56832 = 1772899, whose halves are 27 and 3427: place 8
    assert unmatched_line("hypothesis", dict.fromkeys(("é", "😀", "a", "BB", "Aa"), 1), is_multeval=True).endswith(
        "[BB, Aa, a, 😀, é]"
    )
