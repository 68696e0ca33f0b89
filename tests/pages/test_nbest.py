"""N-best lists on the Segments page: without a list, with the sample's and with a dropped one."""

import pytest

from mteval.analysis.nbest import ListScorers
from mteval.metrics import resolve
from mteval.ui.nbest import sources_of
from mteval.values.settings import Settings

HOSTILE = "<b onmouseover=alert(1)>x</b>"
LIST = (
    f"0 ||| the cat sat {HOSTILE} ||| f=1 ||| -1\n0 ||| the cat sat on the mat ||| f=2 ||| -2\n"
    "1 ||| a dog barked at night ||| f=3 ||| -1\n1 ||| a dog ||| f=3 ||| -3\n"
)
FILES = {
    "refs.txt": "the cat sat on the mat\na dog barked at night\n",
    "base/opt0.txt": "the cat sat\na dog\n",
    "my.nbest": LIST,
}


def open_page(app):
    """The page, when its numbers are there."""
    app.go("segments").wait_for_work()
    assert not app.page.exception
    return app


def test_without_a_list_there_is_no_tab(app) -> None:
    app.drop_systems(base=2, new=2).press("start").settle().go("segments")
    assert not app.page.exception
    assert "N-best lists" not in [tab.label for tab in app.page.tabs]


def test_oracles_of_the_sample_are_those_that_a_scorer_finds(app) -> None:
    app.press("sample").press("start").settle().go("segments")
    app.page.session_state["seg-view"] = "N-best lists"
    app.page.run()
    app.wait_for_work()
    assert not app.page.exception
    assert {"Download lists (CSV)", "Download hypotheses (CSV)"} <= {
        one.label for one in app.page.get("download_button")
    }
    assert "Source of segment" in app.text
    assert "Bold: the decoder's choice" in app.text
    rows = app.cells("300 lists of 12 hypotheses (baseline/test.opt00.nbest)")
    assert [row[0] for row in rows] == ["BLEU ↑", "chrF ↑", "TER ↓"]  # no length is better than another
    (source,) = sources_of(app.page.session_state["workspace"])
    scorer = ListScorers.of(resolve(Settings(metrics=("bleu",))), source.test_set).scorers[0]
    firsts: dict[int, str] = {}
    for line in source.lines:
        segment, text, *_ = line.split(" ||| ")
        firsts.setdefault(int(segment), text)
    score = scorer.score(scorer.statistics(list(firsts), list(firsts.values())).sum(axis=0))
    assert rows[0][1] == f"{float(score):.2f}"
    assert float(rows[0][2]) > float(rows[0][1]) > float(rows[0][4])
    assert float(rows[2][2]) < float(rows[2][1]) < float(rows[2][4])


def test_a_dropped_list_is_opened_at_what_the_decoder_missed_most(app) -> None:
    open_page(app.drop(FILES))
    assert "2 lists of 2 hypotheses (my.nbest)" in app.text
    shown = app.page.dataframe[0].value
    assert shown["Segment"].tolist() == [1, 2]
    assert shown["Place"].tolist() == [2, 1]
    assert shown["Missed"].tolist()[1] == 0
    rows = app.cells("Best first by BLEU")
    assert [row[:3] for row in rows] == [
        ["the cat sat on the mat", "2", "−2.00"],
        [f"the cat sat {HOSTILE}", "1", "−1.00"],
    ]
    assert "<b onmouseover" not in app.html
    assert "Click a row to see its hypotheses." in app.text


def test_metrics_are_those_of_the_sidebar(app) -> None:
    app.drop(FILES).choose("primary", "ter").choose("metrics", ["length"])
    open_page(app)
    assert [row[0] for row in app.cells("2 lists")] == ["TER ↓"]
    app.choose("primary", "length").choose("metrics", [])
    assert "None of the metrics can rank hypotheses" in app.text


def test_without_references_it_says_what_a_list_takes(app) -> None:
    files = {name: text for name, text in FILES.items() if name != "refs.txt"}
    scores = "system,run,segment,score\nbase,opt0,1,0.5\nbase,opt0,2,0.7\n"
    app.drop(files | {"source.txt": "eine Katze\nein Hund\n", "kiwi.csv": scores}).direct("kiwi", True)
    app.choose("metrics", ["bleu"])
    open_page(app)
    assert "BLEU needs references, and test set 'test' has none" in app.text
    assert "None of the metrics can rank hypotheses" in app.text


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (LIST.replace("1 ||| a", "7 ||| a"), "The id is 7; expected 0 or 1"),
        (LIST + "2 ||| x ||| f ||| 1\n", "the test set has 2 segments"),
        (LIST.replace("-3", "minus three"), "Expected a number"),
    ],
)
def test_a_list_that_does_not_fit_is_a_problem_on_the_page(app, text: str, complaint: str) -> None:
    open_page(app.drop(FILES | {"my.nbest": text}))
    assert complaint in app.text
    assert "my.nbest" in app.text
