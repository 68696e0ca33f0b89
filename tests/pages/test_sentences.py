"""What pages say of small and odd experiments: counts that read as English, and nothing that the runs do not show."""

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import product

import pytest

PAGES = ("scores", "significance", "segments", "replication", "report", "people", "annotate")
TABS = {"significance": "closer-look", "replication": "replication-view", "people": "people-tab"}
# of verbs and prepositions after a number that is no count: "1 is perfect", "1 minus the level"
ONE_OF_MANY = re.compile(r"(?<![\d.,/×%:–-])\b1 (?!(?:is|was|has|less|minus|plus|as)\b)[a-z]+s\b")
EMPTY_LISTS = ("[]", "()", " nan", "None ")  # not {}, which TeX has
FILES = Mapping[str, bytes | str]


def one_segment(_: Callable[..., dict[str, str]]) -> FILES:
    outputs = {
        "base/opt0": "the quick fox",
        "base/opt1": "the fox",
        "new/opt0": "quick fox",
        "new/opt1": "the quick dog",
    }
    return {"refs.txt": "the quick fox\n", **{f"{name}.txt": f"{text}\n" for name, text in outputs.items()}}


def one_given_segment(files: Callable[..., dict[str, str]]) -> FILES:
    rows = [f"{system},{run},1,{value}" for value, (system, run) in enumerate([("base", 0), ("base", 1), ("new", 0)])]
    return files(base=2, new=1) | {"MQM.csv": "\n".join(["system,run,segment,score", *rows]) + "\n"}


def one_judged_segment(files: Callable[..., dict[str, str]]) -> FILES:
    rows = [f"{who}\t{system}\t1\t{value}" for value, (who, system) in enumerate(product("ab", ("base", "new")))]
    return files(base=2, new=2) | {"judged.tsv": "\n".join(["annotator\tsystem\tsegment\tscore", *rows]) + "\n"}


def identical(files: Callable[..., dict[str, str]]) -> FILES:
    same = files(base=3)
    return same | {name.replace("base", "copy"): text for name, text in same.items()}


def copies(files: Callable[..., dict[str, str]]) -> FILES:
    made = files(base=3, new=1)
    return made | {f"new/opt{run}.txt": made["new/opt0.txt"] for run in (1, 2)}


def two_documents(files: Callable[..., dict[str, str]]) -> FILES:
    return files(base=2, new=2) | {"test.docs": "\n".join(["long"] * 39 + ["short"]) + "\n"}


EXPERIMENTS: Mapping[str, Callable[[Callable[..., dict[str, str]]], FILES]] = {
    "one run": lambda files: files(base=1, new=1),
    "two runs": lambda files: files(base=2, new=2),
    "one system": lambda files: files(base=1),
    "one segment": one_segment,
    "one given segment": one_given_segment,
    "one judged segment": one_judged_segment,
    "identical": identical,
    "copies": copies,
    "two documents": two_documents,
}


def texts(app) -> str:
    """All that a page says: HTML, markdown, code, labels."""
    page = app.page
    parts = [app.text]
    parts += [str(one.value) for kind in (page.markdown, page.code, page.caption, page.subheader) for one in kind]
    parts += [one.label for kind in (page.button, page.selectbox, page.number_input, page.slider) for one in kind]
    return "\n".join(parts)


def said(app, page: str) -> Iterator[str]:
    """What a page says, tab by tab."""
    app.go(page)
    names = [tab.label for tab in app.page.tabs] if page in TABS else []
    for name in names or [""]:
        if name:
            app.page.session_state[TABS[page]] = name
            app.page.run()
        app.wait_for_work()
        assert not app.page.exception, (page, name)
        yield texts(app)


@pytest.fixture
def opened(app, files) -> Callable[[str], object]:
    """The app with an experiment scored."""

    def opened(name: str) -> object:
        app.drop(EXPERIMENTS[name](files))
        if name == "one given segment":
            app.direct("MQM", False)
        return app.compute()

    return opened


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_one_is_counted_as_one_on_every_page_and_no_empty_list_is_shown(opened, name: str) -> None:
    app = opened(name)
    for page in PAGES:
        for text in said(app, page):
            found = [text[max(0, one.start() - 60) : one.end() + 20] for one in ONE_OF_MANY.finditer(text)]
            assert not found, page
            found = [(mark, text[max(0, text.index(mark) - 60) :][:90]) for mark in EMPTY_LISTS if mark in text]
            assert not found, page


def test_a_plural_after_one_would_be_found() -> None:
    assert ONE_OF_MANY.findall("all 1 combinations, 1 run of 1 systems") == ["1 combinations", "1 systems"]
    assert not ONE_OF_MANY.findall("Alpha: 1 is perfect; 1.1 points, 21 runs, 1 run")


def test_systems_that_score_the_same_are_not_explained_by_anything(opened) -> None:
    app = opened("identical").go("scores")
    assert "the outputs are identical" in app.text


def test_copies_show_neither_how_a_run_beats_another_nor_what_a_median_stands_for(opened) -> None:
    app = opened("copies")
    pages = {page: "\n".join(said(app, page)) for page in ("significance", "replication", "report")}
    assert "is better than a run of" not in pages["significance"]
    assert "any single run is near" not in pages["replication"]
    assert "Type the spread of runs that you expect" in pages["replication"]
    assert "two-way random-effects" not in pages["report"], "no answer was given by it"


def test_one_run_says_nothing_of_the_median_of_others(opened) -> None:
    app = opened("one run").go("segments")
    assert "Median run" not in [tab.label for tab in app.page.tabs]


def test_what_numbers_cover_is_said_where_they_stand(opened) -> None:
    app = opened("one given segment")
    covers = "Provided with the runs: MQM (3 scores on 1 of 40 segments)"
    app.go("scores").press("decide-by-metric").settle()
    assert covers in app.text
    app.go("report")
    assert any(covers in code.value for code in app.page.code), "the caption of the table"
    assert any("MQM were provided" in code.value for code in app.page.code), "the methods"


def test_documents_are_what_could_have_been_chosen_where_they_are_units(opened) -> None:
    app = opened("two documents").go("scores")
    assert "40 segments of test in 2 documents." in app.text
    assert "units: documents" in app.text
    assert "One document has" in app.text
