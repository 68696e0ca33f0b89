"""Every page speaks of runs in the user's word: whatever is shown, read out, offered or drawn."""

import re
from collections.abc import Iterator

import pytest

from mteval.ui.replication.tabs import VIEW
from tests.pages.test_significance import wait

LOOKS = ("All procedures", "Several test sets", "Borrowed spread", "False alarms", "Shown equal?")
VIEWS = (
    *("Observed difference", "Published p-value", "Try your luck", "Where the variance comes from", "Planner"),
    "Median training seed",
)
ASKED = ("A run is a", "run", "optimizer run")  # the question itself, and its answers
COMMAND = "“mteval run"


def stray(app) -> set[str]:
    """What is shown and says run."""
    texts = {text for text in shown(app) if re.search(r"\b[Rr]uns?\b", text)}
    return {text for text in texts if text not in ASKED and COMMAND not in text}


def shown(app) -> Iterator[str]:
    """Texts between tags and in attributes that are read out; labels, help and options of widgets; figures."""
    for piece in re.split(r"(<[^>]*>)", app.html):
        yield from re.findall(r'(?:title|aria-label)="([^"]*)"', piece) if piece.startswith("<") else [piece.strip()]
    page = app.page
    for kind in ("selectbox", "multiselect", "number_input", "button", "toggle", "text_input", "expander", "tabs"):
        for element in page.get(kind):
            yield from (getattr(element, "label", ""), getattr(element, "help", None) or "")
            yield from getattr(element, "options", [])
    yield from (element.value for kind in ("title", "subheader", "markdown") for element in page.get(kind))
    for figure in page.get("plotly_chart"):
        yield from re.findall(r'"(?:text|name|hovertemplate|prefix|label)":"([^"]*)"', figure.proto.spec)


@pytest.fixture
def app(open_app):
    app = open_app(shuffles="100", replicates="100")
    return app.drop_systems(base=6, new=6, third=3, fourth=3).choose("run-word", "training seed").compute()


@pytest.mark.long
def test_no_page_says_run_where_runs_are_training_seeds(app) -> None:
    found = {}
    for page in ("load", "scores", "segments", "people", "annotate", "report"):
        app.go(page).settle()
        found[page] = stray(app)
    for key, views, page in (("closer-look", LOOKS, "significance"), (VIEW, VIEWS, "replication")):
        for view in views:
            app.page.session_state[key] = view
            wait(app.go(page))
            found[f"{page}, {view}"] = stray(app)
    assert not app.page.exception
    assert {page: texts for page, texts in found.items() if texts} == {}
