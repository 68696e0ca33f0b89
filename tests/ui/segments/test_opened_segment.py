"""HTML of an opened segment: what is marked, and that text stays text."""

import re

from mteval.analysis.segments.table import mark_differences
from mteval.metrics.edits.distance_kernels import Rules
from mteval.metrics.edits.ter import nearest_path
from mteval.metrics.explanation import Alignment, Match
from mteval.metrics.ngram.unigrams import matched_ngrams
from mteval.ui.segments.opened_segment import (
    alignment_drawing,
    edit_counts,
    edit_drawing,
    edit_legend,
    marked,
    ngram_legend,
    ngram_line,
    text_rows,
)

RULES = Rules(False, 20, 50)


def words(text):
    return tuple(text.split())


def texts_of(markup, class_):
    """What stands in the elements of a class, tags left out."""
    return [
        re.sub("<[^>]*>", "", found)
        for found in re.findall(rf'<span class="[^"]*{class_}[^"]*"[^>]*>(.*?)</span>', markup)
    ]


def test_words_that_differ_are_marked():
    left, right = mark_differences("a <b> c", "a d c")
    assert marked(left) == "a <mark>&lt;b&gt;</mark> c"
    assert marked(right) == "a <mark>d</mark> c"


def test_labels_and_texts_are_escaped():
    rows = text_rows([("<i>name</i>", "<script>alert(1)</script> & $x$ [l](javascript:1)")])
    assert "<script" not in rows
    assert "<i>" not in rows
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; $x$ [l](javascript:1)" in rows


def test_tokens_are_shaded_by_order_and_those_of_one_side_underlined():
    references = (words("the cat sat on the mat"),)
    left = matched_ngrams(words("the cat <b> mat"), references, 4)
    right = matched_ngrams(words("the cat sat mat"), references, 4)
    line = ngram_line(right, right.beyond(left), "system")
    assert texts_of(line, "mt-n3") == ["the", "cat", "sat"]
    assert texts_of(line, "mt-n1") == ["mat"]
    assert texts_of(line, "mt-only") == ["the", "cat", "sat"]
    assert "&lt;b&gt;" in ngram_line(left, (), "baseline")


def test_the_legend_has_every_length_that_is_shaded():
    legend = ngram_legend(2)
    assert [texts_of(legend, f"mt-n{length}") for length in (1, 2, 3)] == [["1"], ["2"], []]


def test_a_shift_is_framed_where_it_was_and_where_it_goes():
    path = nearest_path(words("d <i> a b c"), (words("a b c d <i>"),), RULES)
    drawing = edit_drawing(path)
    assert texts_of(drawing, "mt-goal") == ["▾1"]
    assert "<i>" not in drawing
    assert drawing.count("mt-moved") == 2 * len(path.shifts[0])
    assert edit_counts(path) == "1 shift: 1 edit for 5 reference words"


def test_the_legend_of_edits_explains_frames_only_if_words_are_moved():
    assert "Framed: moved to" in edit_legend(are_moved=True)
    assert edit_legend(are_moved=False).endswith("deletion.</p>")


def test_edits_have_their_letter():
    path = nearest_path(words("a x c y"), (words("a b c d e"),), RULES)
    assert edit_counts(path) == "2 substitutions, 1 deletion: 3 edits for 5 reference words"
    assert re.findall("<b>(.)</b>", edit_drawing(path)).count("S") == 2
    assert edit_counts(nearest_path(words("a"), (words("a"),), RULES)) == "0 edits for 1 reference word"


def test_matched_words_share_a_number_and_a_colour():
    found = Alignment(0, words("a great many <b>"), words("many boats"), (Match(0, 3, 0, 1, "paraphrase"),))
    drawing = alignment_drawing(found)
    assert texts_of(drawing, "mt-paraphrase") == ["a1", "great1", "many1", "many1"]
    assert texts_of(drawing, "mt-none") == ["&lt;b&gt;", "boats"]
