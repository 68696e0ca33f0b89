from mteval.answers.variance import overlap_sentence

NAN = float("nan")


def test_pairs_that_would_show_the_opposite_are_counted() -> None:
    # pairs (system - baseline): 1-2, 4-2, 1-3, 4-3; the average difference is 0
    assert overlap_sentence("A", "B", [2.0, 3.0], [1.0, 5.0]) == (
        "The scores overlap: on average B scores higher, but in 2 of 4 pairs of single runs (50%) A scores as high or"
        " higher."
    )


def test_the_higher_average_is_named_whichever_system_has_it_and_ties_count_as_no_difference() -> None:
    assert overlap_sentence("A", "B", [3.0, 5.0], [3.0, 2.0]) == (
        "The scores overlap: on average A scores higher, but in 1 of 4 pairs of single runs (25%) B scores as high or"
        " higher."
    )


def test_scores_that_stand_apart_do_not_overlap() -> None:
    sentence = overlap_sentence("A", "B", [1.0, 2.0], [3.0, 4.0])
    assert sentence == "The scores do not overlap: every run of B scores higher than every run of A."


def test_equal_averages_have_no_opposite() -> None:
    assert overlap_sentence("A", "B", [1.0, 2.0], [2.0, 1.0]) == "A and B have the same average."


def test_one_run_each_shows_no_overlap() -> None:
    assert "cannot be seen" in overlap_sentence("A", "B", [1.0], [2.0])


def test_runs_without_a_score_are_left_out_and_a_system_of_nothing_else_has_nothing_to_compare() -> None:
    assert "do not overlap" in overlap_sentence("A", "B", [1.0, NAN], [3.0, 4.0])
    assert overlap_sentence("A", "B", [NAN], [1.0]) == "A and B have no run scores to compare."
