"""Every page speaks of runs in the user's word: whatever is shown, read out, offered or drawn."""

import html
import re
from collections.abc import Iterator

import pytest

from mteval.readers.checks import check
from mteval.ui.replication import VIEW
from tests.pages.test_significance import wait

LOOKS = ("The two tests", "Compare all tests", "Several test sets", "False alarms", "Equivalence")
VIEWS = ("Number of training seeds", "Planner", "Try your luck")
ASKED = ("A run is a", "run", "optimizer run")  # the question itself, and its answers
COMMAND = "“mteval run"


def stray(app) -> set[str]:
    """What is shown and says run, but for what is wrong with files: readers do not know the word."""
    texts = {html.unescape(text) for text in shown(app) if re.search(r"\b[Rr]uns?\b", text)}
    of_readers = {part for one in check(app.experiment, "sacrebleu") for part in (f"{one.title}.", one.detail)}
    return {text for text in texts - of_readers if text not in ASKED and COMMAND not in text}


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


def test_files_and_columns_keep_their_names_whatever_a_run_is_called(open_app, files) -> None:
    app = open_app(**{"run-word": "prompt"})
    loaded = {name.replace("refs.txt", "runs/reference.txt"): text for name, text in files(base=2, new=2).items()}
    odd = {f"runs/reference{number}.txt": b"\xff\xfe\xfd\n" for number in range(20)}  # so many that some are folded up
    app.drop(loaded | odd | {"bad.csv": "these,are,words\nof,no,table\n"})
    assert "Prompts per system and test set" in app.text
    assert "system, run, segment" in app.text
    assert "reference0.txt" in app.text
    assert "prompts/" not in app.text


def test_commands_keep_their_names_whatever_a_run_is_called(open_app, files) -> None:
    described = (
        'format = 1\nbaseline = "base"\n[settings]\nn_shuffles = 20\nrun_word = "prompt"\n[[test_sets]]\nname = "t"\n'
        'role = "test"\nreferences = ["refs.txt"]\n[test_sets.systems.base]\n0 = "base/opt0.txt"\n'
    )
    app = open_app().drop(files(base=1) | {"experiment.toml": described})
    assert "Prompts per system and test set" in app.text
    assert "“mteval run” uses those of the file" in app.text
    assert "mteval prompt" not in app.text
