"""The descriptions of the metrics on the page."""

import pytest

from mteval.metrics import METRICS, catalog
from mteval.metrics.base import ScoreRange
from mteval.ui.setup.settings_form import guide, in_words
from mteval.values.given import GivenMetric


def test_every_metric_is_described_with_range_direction_and_source():
    html = guide(METRICS.values())
    assert html.count("<h4") == html.count("<dt>Range</dt>") == html.count("<dt>Source</dt>") == len(METRICS)
    assert "<dd>0 and above; usually 4 to 12</dd>" in html
    assert html.count("lower is better") == sum(spec.notation.direction == "↓" for spec in METRICS.values())
    assert html.count("no better direction</dd>") == 1


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (ScoreRange(0, 100), "0 to 100"),
        (ScoreRange(-0.5, 1), "-0.5 to 1"),
        (ScoreRange(0, None, "100 is much"), "0 and above; 100 is much"),
        (ScoreRange(None, 0), "0 and below"),
        (ScoreRange(None, None, "about 0 to 100"), "no known limits; about 0 to 100"),
    ],
)
def test_a_range_reads_by_its_limits_and_what_was_remarked(limits, words):
    assert in_words(limits) == words


def test_the_name_of_given_scores_is_shown_as_text():
    given = GivenMetric(key="mine", name="<b>mine</b>", scores=(), origin="<i>file</i>")
    html = guide(catalog((given,)).values())
    assert "&lt;b&gt;mine&lt;/b&gt;" in html
    assert "&lt;i&gt;file&lt;/i&gt;" in html
    assert "<b>" not in html
