import pandas as pd

from mteval.figures.segments import BETTER, OPEN, WORSE, bucket_intervals
from mteval.values.notation import Notation

FRAME = pd.DataFrame(
    {
        "bucket": ["short", "<b>long</b>", "single"],
        "segments": [1200, 3, 1],
        "difference": [1.0, -2.0, 0.5],
        "improvement": [1.0, -2.0, 0.5],
        "low": [0.5, -3.0, float("nan")],
        "high": [1.5, -1.0, float("nan")],
    }
)


def test_each_bucket_is_a_dot_on_its_interval_coloured_where_zero_is_left_out():
    figure = bucket_intervals(FRAME, "BLEU", Notation("↑"))
    assert [list(trace.x)[:2] for trace in figure.data[:2]] == [[0.5, 1.0], [-3.0, -2.0]]
    assert [trace.marker.color for trace in figure.data] == [BETTER, WORSE, OPEN]
    assert list(figure.layout.yaxis.ticktext) == ["short  (1,200)", "&lt;b&gt;long&lt;/b&gt;  (3)", "single  (1)"]


def test_where_less_is_better_a_fall_has_the_colour_of_better():
    falls = FRAME.assign(improvement=-FRAME["difference"])
    assert [trace.marker.color for trace in bucket_intervals(falls, "TER", Notation("↓")).data] == [WORSE, BETTER, OPEN]


def test_numbers_have_as_many_decimals_as_the_metric_needs():
    small = FRAME.assign(difference=-0.01235, low=-0.02, high=0.01)
    notation = Notation("↑", decimals=4)
    assert "−0.0124 [−0.0200 to +0.0100]" in bucket_intervals(small, "COMET", notation).data[0].hovertemplate
