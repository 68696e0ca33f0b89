import pandas as pd

from mteval.figures.segments import BETTER, OPEN, WORSE, group_intervals

FRAME = pd.DataFrame(
    {
        "name": ["short  (1,200)", "<b>long</b>  (3)", "single  (1)"],
        "group": ["short", "<b>long</b>", "single"],
        "difference": [1.0, -2.0, 0.5],
        "low": [0.5, -3.0, 0.1],
        "high": [1.5, -1.0, 0.9],
        "role": ["good", "bad", "open"],
        "text": ["short: +1.00", "<b>long</b>: −2.00", "single: +0.50"],
    }
)


def test_each_group_is_a_dot_on_its_interval_coloured_by_its_verdict():
    figure = group_intervals(FRAME, "Difference in F (points)")

    short, long, _ = figure.data
    assert list(short.x)[:2] == [0.5, 1.0]
    assert list(long.x)[:2] == [-3.0, -2.0]
    assert [trace.marker.color for trace in figure.data] == [BETTER, WORSE, OPEN]  # whatever the interval excludes
    symbols = [trace.marker.symbol for trace in figure.data]
    assert symbols == ["triangle-up", "triangle-down", "circle"], "for readers who cannot tell the colours apart"
    assert list(figure.layout.yaxis.ticktext) == ["short  (1,200)", "&lt;b&gt;long&lt;/b&gt;  (3)", "single  (1)"]
    assert [trace.customdata[0] for trace in figure.data] == ["short", "<b>long</b>", "single"]
    assert "&lt;b&gt;long" in long.hovertemplate
