"""``mteval campaigns``: campaigns are made, started, listed and exported in the shell as on the page."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import mteval
from mteval.annotations import Mark, from_json, open_store
from mteval.cli import main
from mteval.values.asker import OPERATOR, Asker
from tests.annotations import saying
from tests.annotations.conftest import NASTY, campaign, tasks_for

FEW = ["--metrics", "bleu"]
NAMES = ("ann", "bob", "cay")
PRACTICE = """\
source,output,severity,lowest,highest,explanation
Quelle eins,This was <v>an elephant</v>,major,10,40,"It was a mouse, =1+1"
Quelle zwei,All is well,,,,
"""


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Outputs of three systems, two of them the same text on every third segment; a home of its own."""
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)
    monkeypatch.chdir(tmp_path)
    for place, name in enumerate(("A", "B", "C")):
        lines = []
        for segment in range(12):
            is_same = place < 2 and segment % 3 == 0
            words = "the same text" if is_same else f"words that {name} has for it"
            lines.append(f"{words} in segment {segment}\n")
        Path(f"{name}.txt").write_text("".join(lines))
    Path("ref.txt").write_text("".join(f"words to be had in segment {segment}\n" for segment in range(12)))
    Path("docs.txt").write_text("".join(f"d{segment // 4}\n" for segment in range(12)))
    return tmp_path


def new_campaign(protocol: str, systems: str, *more: str) -> None:
    """Make a campaign file of these systems."""
    named = [word for name in systems for word in ("--system", name, f"{name}.txt")]
    words = ["campaigns", "new", "c.json", "--protocol", protocol, "--refs", "ref.txt", *named]
    assert main([*words, "--documents", "docs.txt", "--random", "12", "--annotators", *NAMES, *FEW, *more]) == 0


def answer_all(protocol: str) -> None:
    """Answer every judgement of the only campaign in the database."""
    store = open_store()
    (listed,) = store.list_campaigns()
    for number, task in enumerate(store.tasks(listed.uid)):
        value = 40.0 + number * 7 % 50
        if task.is_automatic:
            continue
        if protocol == "preference":
            saying.prefer(store, task.id, ("first", "second", "equal")[number % 3])
        elif protocol == "rating":
            saying.rate(store, task.id, adequacy=value, fluency=value / 2, is_complete=True)
        else:
            if number % 2:
                category = "Accuracy/Mistranslation" if protocol == "errors" else ""
                saying.mark(store, task.id, Mark("hypothesis", 0, 3, category, ("minor", "major")[number % 4 == 1]))
            score = {} if protocol == "errors" else {"score": value}
            saying.rate(store, task.id, is_complete=True, **score)
    store.close()


def tables_of(path: str) -> dict[str, object]:
    """All tables of ``mteval people`` on a file, which they name themselves."""
    assert main(["people", "--judgements", path, "--resamples", "100", "--json", "people.json", "--quiet"]) == 0
    tables: dict[str, object] = json.loads(Path("people.json").read_text())
    ledger = tables.pop("files")
    assert isinstance(ledger, list)
    assert [entry["file"] for entry in ledger] == [path]
    return tables


def without_scripts(page: str) -> str:
    """A page without our own code, in which any word may be."""
    return re.sub("<script>.*?</script>", "", page, flags=re.DOTALL)


@pytest.mark.parametrize(
    ("protocol", "systems"),
    [("rating", "AB"), ("errors", "AB"), ("esa", "AB"), ("contrastive", "ABC"), ("preference", "AB")],
)
def test_every_protocol_goes_through_shell_and_files_with_the_same_tables(
    protocol: str, systems: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new_campaign(protocol, systems)
    assert main(["campaigns", "start", "c.json", "--url", "https://lab.example"]) == 0
    answer_all(protocol)
    (listed,) = mteval_campaigns()
    for target in ("judged.json", "judged.csv", "page.html"):
        assert main(["campaigns", "export", listed, target]) == 0
    assert main(["campaigns", "export", "judged.json", "again.csv"]) == 0
    assert Path("again.csv").read_bytes() == Path("judged.csv").read_bytes()

    of_json = tables_of("judged.json")
    assert of_json == tables_of("judged.csv")
    assert main(["people", "--judgements", "judged.json"]) == 0
    assert f"judged.json: Annotation campaign '{listed}'" in capsys.readouterr().err
    in_python = json.loads(mteval.people("judged.json", n_shuffles=100, n_bootstrap=100).to_json())
    assert [entry["file"] for entry in in_python["files"]] == ["judged.json"]
    for name in ("averages", "rater_agreement"):
        assert in_python[name] == of_json[name]

    assert main(["annotations", "check"]) == 0
    campaign_back, tasks_back = from_json(Path("judged.json").read_text(), "judged.json")
    store = open_store()
    store.delete(campaign_back.uid, OPERATOR)
    store.close()
    assert main(["campaigns", "start", "judged.json"]) == 0
    assert main(["campaigns", "export", campaign_back.uid, "third.json"]) == 0
    assert from_json(Path("third.json").read_text(), "third.json") == (campaign_back, tasks_back)
    page = without_scripts(Path("page.html").read_text())
    assert not any(f"{name}:" in page or f">{name}<" in page for name in NAMES)
    assert "Annotator 3" in page
    assert 'data-figure="figure-1"' in page  # the means with their intervals


@pytest.mark.filterwarnings("ignore:Case differs")
@pytest.mark.parametrize(
    ("protocol", "systems", "more", "options"),
    [
        ("rating", "AB", ["--shared", "4", "--checks", "2"], {"shared": 4, "checks": 2}),
        ("errors", "A", ["--whole-documents"], {"whole_documents": True}),
        ("esa", "AB", ["--practice", "practice.csv"], {"practice": "practice.csv"}),
        ("contrastive", "ABC", ["--name", "All three"], {"name": "All three"}),
        ("preference", "AB", ["--improved", "2"], {"improved": 2}),
    ],
)
def test_python_makes_the_campaign_of_the_shell(
    protocol: str, systems: str, more: list[str], options: dict[str, Any], files: Path
) -> None:
    Path("practice.csv").write_text(PRACTICE)
    new_campaign(protocol, systems, *more)
    of_shell, tasks_of_shell = from_json(Path("c.json").read_text(), "c.json")
    outputs = {name: [f"{name}.txt"] for name in systems}
    documents = Path("docs.txt").read_text().split()
    compared = mteval.compare(outputs, "ref.txt", "bleu", documents=documents, n_shuffles=100, n_bootstrap=100)
    text = mteval.campaign(compared, protocol, NAMES, random=12, **options)
    of_python, tasks_of_python = from_json(text, "python.json")
    assert tasks_of_python == tasks_of_shell
    assert replace(of_python, uid=of_shell.uid, created_at=of_shell.created_at) == of_shell
    with pytest.raises(mteval.MtevalError, match="Unknown protocol 'mqm'"):
        mteval.campaign(compared, "mqm", NAMES)


def mteval_campaigns() -> list[str]:
    """The names of the stored campaigns."""
    store = open_store()
    names = [listed.name for listed in store.list_campaigns()]
    store.close()
    return names


def test_a_new_campaign_says_how_many_judgements_it_asks_for(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new_campaign("preference", "AB")
    said = capsys.readouterr().err
    assert "24 judgements on 12 segments: run 0 of A and run 0 of B." in said
    assert "4 pairs of the same text are ties without a judgement." in said
    assert main(["campaigns", "start", "c.json"]) == 0
    capsys.readouterr()
    assert main(["campaigns", "status"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:3] == ["1 campaign", "", lines[2]]
    assert lines[2].startswith("Blind preference (preference on test")
    assert [line.partition(":")[0] for line in lines[4:]] == [f"  {name}, 0 of 8 done" for name in NAMES]
    assert main(["campaigns", "status", "unknown"]) == 2
    assert "No campaign named 'unknown'. Stored: 'Blind preference'." in capsys.readouterr().err


def test_what_there_is_none_of_is_named(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["campaigns", "new", "c.json", "--protocol", "esa", "--annotators", "ann", "--mark-by", "xcomet"]
    assert main([*words, "--refs", "ref.txt", "--system", "A", "A.txt", *FEW]) == 2
    assert "No metric 'xcomet' marks errors. Metrics that do: none." in capsys.readouterr().err
    assert main(["campaigns", "close", "unknown"]) == 2
    assert "No campaign named 'unknown'. Stored: none." in capsys.readouterr().err


def test_an_unfinished_campaign_has_no_page(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new_campaign("esa", "A", "--whole-documents", "--checks", "1")
    assert main(["campaigns", "start", "c.json"]) == 0
    capsys.readouterr()
    assert main(["campaigns", "export", "Error spans and a score", "page.html"]) == 2
    assert "is not finished: 39 judgements of 39 are left. Close it first." in capsys.readouterr().err
    assert not Path("page.html").exists()
    assert main(["campaigns", "export", "Error spans and a score", "what.xyz"]) == 2
    assert "the name does not say what to write" in capsys.readouterr().err


def test_the_page_of_a_campaign_shows_hostile_text_as_text(files: Path) -> None:
    one = campaign("errors")
    store = open_store()
    store.add(one, tasks_for(one, "<i>ann</i>"), OPERATOR)
    for task in store.tasks(one.uid):
        saying.mark(store, task.id, Mark("hypothesis", 0, 6, "Other", "major", comment=NASTY.replace("\0", "")))
        saying.complete(store, task.id)
    store.close()
    assert main(["campaigns", "export", "reading", "page.html"]) == 0
    page = Path("page.html").read_text()
    assert "<script>alert" not in page
    shown = without_scripts(page).partition("<body>")[2]
    assert re.findall(r"\bann\b", shown) == []


def test_a_closed_campaign_has_a_page_before_everyone_is_done(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new_campaign("preference", "AB")
    assert main(["campaigns", "start", "c.json"]) == 0
    store = open_store()
    (listed,) = store.list_campaigns()
    asked = [task for task in store.tasks(listed.uid) if not task.is_automatic]
    saying.prefer(store, asked[0].id, "first")
    store.close()
    assert main(["campaigns", "export", "Blind preference", "page.html"]) == 2
    assert main(["campaigns", "close", "Blind preference"]) == 0
    assert "Closed the campaign 'Blind preference'." in capsys.readouterr().err
    assert main(["campaigns", "export", "Blind preference", "page.html"]) == 0
    assert main(["campaigns"]) == 0
    assert ", closed)" in capsys.readouterr().out


def test_practice_texts_come_first_in_everyones_tasks(files: Path) -> None:
    Path("practice.csv").write_text(PRACTICE)
    new_campaign("esa", "A", "--practice", "practice.csv")
    campaign_made, tasks = from_json(Path("c.json").read_text(), "c.json")
    first, second = campaign_made.controls
    assert (first.source, first.hypothesis) == ("Quelle eins", "This was an elephant")
    assert first.hypothesis[first.start : first.end] == "an elephant"
    assert (first.severity, first.low, first.high) == ("major", 10, 40)
    assert first.explanation == "It was a mouse, =1+1"
    assert (second.hypothesis, second.has_error, second.low, second.high) == ("All is well", False, 0, 100)
    for name in NAMES:
        own = [task.stratum for task in tasks if task.annotator == name]
        assert own[:3] == ["training", "training", "random"]


CATEGORIES = """\
category;Minor;major
Accuracy;0,5;4
"Style; tone";;
Fluency/Punctuation;;
"""


@pytest.mark.filterwarnings("ignore:Case differs")
def test_categories_and_weights_come_from_a_table(files: Path) -> None:
    Path("categories.csv").write_text(CATEGORIES)
    new_campaign("errors", "A", "--categories", "categories.csv")
    campaign_made, _ = from_json(Path("c.json").read_text(), "c.json")
    assert campaign_made.typology.to_rows() == [
        {"name": "Accuracy", "minor": 0.5, "major": 4, "critical": 25},
        {"name": "Style; tone", "minor": 1, "major": 5, "critical": 25},
        {"name": "Fluency/Punctuation", "minor": 0.1, "major": 5, "critical": 25},
    ]
    compared = mteval.compare({"A": ["A.txt"]}, "ref.txt", "bleu", n_shuffles=100, n_bootstrap=100)
    frame = pd.DataFrame({"category": ["Accuracy", "Style; tone", "Fluency/Punctuation"], "major": [4, None, None]})
    for categories, minor in (("categories.csv", 0.5), (frame, 1)):
        of_python, _ = from_json(mteval.campaign(compared, "errors", NAMES, categories=categories), "python.json")
        weights = [(category.name, category.minor, category.major) for category in of_python.typology.categories]
        assert weights == [("Accuracy", minor, 4), ("Style; tone", 1, 5), ("Fluency/Punctuation", 0.1, 5)]
    with pytest.raises(mteval.MtevalError, match="Only the protocol 'errors' has categories"):
        mteval.campaign(compared, "esa", NAMES, categories=frame)


def test_the_categories_of_a_file_may_be_in_one_column(files: Path) -> None:
    Path("categories.tsv").write_text("Category\nWrong word\n")
    new_campaign("errors", "A", "--categories", "categories.tsv")
    campaign_made, _ = from_json(Path("c.json").read_text(), "c.json")
    assert campaign_made.typology.names == ("Wrong word",)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("name,minor\nAccuracy,1\n", "categories.csv: No table with the column category."),
        ("category,minor,weight\nAccuracy,1,2\n", "categories.csv, line 2: Unknown column 'weight'."),
        ("category,minor\nAccuracy,light\n", "categories.csv, line 2: A weight is 'light'."),
        ("category,minor\nAccuracy,-1\n", "Category 'Accuracy' has an invalid weight."),
        ("category\nAccuracy\nAccuracy\n", "Category 'Accuracy' appears 2 times."),
        ("category\n", "needs at least one category"),
    ],
)
def test_categories_that_cannot_be_used_are_named(
    table: str, reason: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("categories.csv").write_text(table)
    words = ["campaigns", "new", "c.json", "--annotators", "ann", "--categories", "categories.csv", *FEW]
    words += ["--refs", "ref.txt", "--system", "A", "A.txt"]
    assert main([*words, "--protocol", "errors"]) == 2
    assert reason in capsys.readouterr().err
    assert main([*words, "--protocol", "esa"]) == 2
    assert "--categories needs --protocol errors." in capsys.readouterr().err


def test_a_campaign_is_listed_by_its_protocol(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new_campaign("contrastive", "ABC")
    capsys.readouterr()
    assert main(["campaigns", "start", "c.json"]) == 0
    assert capsys.readouterr().out.startswith("Contrastive ESA (contrastive on test")


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ("source,text\na,b\n", "practice.csv: No table with the columns source and output."),
        ("source,output,hint\na,b,c\n", "practice.csv, line 2: Unknown column 'hint'."),
        ("source,output,lowest\na,b,many\n", "practice.csv, line 2: A score is 'many'."),
        ("source,output,severity\na,<v>b</v>,fatal\n", "has the unknown severity “fatal”. Expected one of"),
        ("source,output\na,\n", "practice.csv, line 2: An item with a known answer has no output."),
    ],
)
def test_practice_texts_that_cannot_be_used_are_named(
    table: str, reason: str, files: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("practice.csv").write_text(table)
    words = ["campaigns", "new", "c.json", "--protocol", "esa", "--annotators", "ann", "--practice", "practice.csv"]
    assert main([*words, "--refs", "ref.txt", "--system", "A", "A.txt", *FEW]) == 2
    assert reason in capsys.readouterr().err
    assert not Path("c.json").exists()


def test_errors_that_a_metric_marks_are_there_from_the_start(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = []
    for segment in range(1, 13):
        spans = [{"start": 0, "end": 5, "severity": "minor"}] if segment % 2 else []
        rows.append(json.dumps({"system": "A", "segment": segment, "score": 0.5, "spans": spans}))
    Path("xcomet.jsonl").write_text("\n".join(rows))
    words = ["campaigns", "new", "c.json", "--annotators", "ann", "--refs", "ref.txt", "--system", "A", "A.txt"]
    words += ["--scores-higher", "xcomet.jsonl", "--random", "12"]
    assert main([*words, "--protocol", "esa", "--mark-by", "xcomet"]) == 0
    campaign_made, tasks = from_json(Path("c.json").read_text(), "c.json")
    assert campaign_made.plan.prefilled_by == "xcomet"
    for task in tasks:
        marks = [(mark.start, mark.end, mark.severity, mark.origin) for mark in task.marks]
        assert marks == ([] if task.segment % 2 else [(0, 5, "minor", "xcomet")])
    capsys.readouterr()
    assert main([*words, "--protocol", "esa", "--mark-by", "bleu"]) == 2
    assert "No metric 'bleu' marks errors. Metrics that do: xcomet." in capsys.readouterr().err
    assert main([*words, "--protocol", "rating", "--mark-by", "xcomet"]) == 2
    assert "Errors can be marked beforehand for ESA only" in capsys.readouterr().err


def test_what_a_new_campaign_reads_is_not_written_over(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("practice.csv").write_text(PRACTICE)
    words = ["campaigns", "new", "practice.csv", "--protocol", "esa", "--annotators", "ann", *FEW]
    assert main([*words, "--refs", "ref.txt", "--system", "A", "A.txt", "--practice", "practice.csv"]) == 2
    assert "Cannot write practice.csv: this command reads it" in capsys.readouterr().err
    assert Path("practice.csv").read_text() == PRACTICE


def test_adaptive_assignment_is_for_outputs_side_by_side(files: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["campaigns", "new", "c.json", "--protocol", "esa", "--annotators", "ann", "--adaptive"]
    assert main([*words, "--refs", "ref.txt", "--system", "A", "A.txt"]) == 2
    assert "--beside and --adaptive need --protocol contrastive." in capsys.readouterr().err


def test_campaign_links_are_printed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path))
    monkeypatch.delenv("MTEVAL_DATABASE", raising=False)
    assert main(["campaigns"]) == 0
    assert capsys.readouterr().out == "0 campaigns\n"
    store = open_store()
    one = campaign("rating")
    store.add(one, tasks_for(one, "ann"), Asker("browser of somebody"))
    saying.rate(store, store.tasks(one.uid)[0].id, adequacy=50, fluency=50, is_complete=True)
    links = store.links(one.uid)
    store.close()
    assert main(["campaigns", "--url", "https://lab.example/mteval/"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "1 campaign",
        "",
        "reading (rating on test, 2026-01-01)",
        f"  coordinators: https://lab.example/mteval/annotate?coordinator={links.coordinator}",
        f"  ann, 1 of 12 done: https://lab.example/mteval/annotate?annotator={links.annotators['ann']}",
    ]
