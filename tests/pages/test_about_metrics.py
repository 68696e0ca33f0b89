"""The descriptions of metrics in the sidebar."""

BEGINNING = "mt-guide"


def test_descriptions_of_metrics_are_sent_once_they_are_opened(app) -> None:
    app.drop_systems(base=2, new=2)
    assert BEGINNING not in app.html
    app.unfold("settings-panel").unfold("about-metrics")
    assert not app.page.exception
    assert BEGINNING in app.html
    assert "BLEU" in app.text
