"""Whatever systems, metrics, documents and segments are called: in each file that is written it is text, and whole."""

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import openpyxl
import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.people.files import campaign_on, mqm_text, rating_files
from mteval.analysis.people.judgements import judgement_frame, judgements_of_campaign
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.annotations import DEFAULT_TYPOLOGY, Mark, Plan, Task, from_json, to_json
from mteval.base.words import as_before_inert, on_one_line
from mteval.readers.assembly.judgements import read_judgements
from mteval.readers.disk import Loaded
from mteval.readers.documents import InputFile
from mteval.readers.formats.judgement_tables import read_judged_outputs, read_mqm
from mteval.readers.replays import read_experiment
from mteval.readers.workspace import Workspace
from mteval.render.frames import frame_csv
from mteval.report.package import KINDS, everything
from mteval.report.paper_table import LatexChoice
from mteval.values.settings import Settings

PLAIN = ("sysa", "sysb", "sysc")
HOSTILE = (
    "!<img src=http://evil.example/b.png onerror=alert(1)>\"'`",
    '=HYPERLINK("http://evil.example") $c$ :red[x] \\input{/etc/passwd} & 50% #1 ~^{}',
    f"@\u202eback\u2066 <a href='http://evil.example'>a</a> ![m](http://evil.example/m.png) {'m' * 100}",
)
NAMES = {  # of systems, of a metric and of documents
    "plain": (PLAIN, "M", "doc"),
    "hostile": (HOSTILE, "<b>![m](http://evil.example/m.png)", "+d</p>\u200b\u202e"),
}
SETTINGS = Settings(metrics=("bleu",), n_bootstrap=30, n_shuffles=50)
WITHOUT_FIGURES = [kind for kind in KINDS if kind != "figures"]


class Elements(HTMLParser):
    """The elements of a page with the names of their attributes, and what asks for something elsewhere."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.n_of_element: Counter[str] = Counter()
        self.requests: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = sorted(name for name, _ in attrs)
        self.n_of_element[f"{tag} {names}"] += 1
        for name, value in attrs:
            if name in ("src", "href", "xlink:href", "action", "style"):
                self.requests.append(value or "")


def loaded_of(systems: Sequence[str], metric: str, document: str) -> Loaded:
    """Three runs of each system on eight segments, with scores that were given."""
    lines = []
    for place, system in enumerate(systems):
        for run in range(3):
            for number in range(8):
                verb = "sat" if (number + run + place) % 3 == 0 else "lay"
                row = {
                    "system": system,
                    "run": str(run),
                    "segment": str(number),
                    "document": f"{document}{number // 4}",
                    "hypothesis": f"the cat {number} {verb} on {document}",
                    "reference": f"the cat {number} sat on {document}",
                    "metric": metric,
                    "score": (7 * number + 3 * run + 5 * place) % 11 / 10,
                }
                lines.append(json.dumps(row) + "\n")
    text = "".join(lines)
    workspace = Workspace().add([InputFile("outputs.jsonl", text.encode())]).direct(metric, True)
    experiment = workspace.experiment(systems[0])
    assert experiment is not None
    assert not workspace.assembly.problems
    return workspace.loaded(experiment)


@pytest.fixture(scope="module")
def loaded() -> dict[str, Loaded]:
    """The same experiment under plain and under hostile names."""
    return {kind: loaded_of(*names) for kind, names in NAMES.items()}


@pytest.fixture(scope="module")
def files(loaded: dict[str, Loaded]) -> dict[str, Mapping[str, bytes]]:
    """All that a report has of either, but for drawn figures."""
    return {kind: reported(loaded[kind], WITHOUT_FIGURES) for kind in NAMES}


def reported(loaded: Loaded, kinds: Sequence[str]) -> Mapping[str, bytes]:
    """The files of these kinds in a report on an experiment."""
    (given,) = loaded.experiment.given
    settings = replace(SETTINGS, metrics=(*SETTINGS.metrics, given.key))
    evaluation = evaluate(loaded.experiment, settings, Work())
    results = Results(loaded.experiment, evaluation, reported_test_set(loaded.experiment))
    return everything(results, loaded, LatexChoice(), kinds).files


def rows_of_csv(content: bytes) -> list[dict[str, str]]:
    """The rows of a table as Python reads them."""
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_no_name_makes_an_element_of_the_page_or_asks_for_anything(files: dict[str, Mapping[str, bytes]]) -> None:
    plain = Elements(files["plain"]["report.html"].decode())
    hostile = Elements(files["hostile"]["report.html"].decode())

    assert hostile.n_of_element == plain.n_of_element
    assert not [request for request in hostile.requests if "evil" in request]


def test_no_name_is_a_command_or_a_column_of_the_table_for_the_paper(files: dict[str, Mapping[str, bytes]]) -> None:
    plain = files["plain"]["table.tex"].decode()
    hostile = files["hostile"]["table.tex"].decode()

    assert marks_of_latex(hostile) == marks_of_latex(plain)


def marks_of_latex(text: str) -> list[str]:
    """What LaTeX reads as more than letters, line by line, the characters that were escaped left out."""
    body = text[text.index("\\begin{tabular}") :]
    marks_of_lines = []
    for line in body.splitlines():
        unescaped = re.sub(r"\\([&%$#_{}]|text\w+\{\}|[\^~]\{\})", "", line)
        marks_of_lines.append(re.sub(r"[^&%$#]", "", unescaped))
    return marks_of_lines


def test_tables_read_back_as_they_were_and_no_name_is_a_formula(files: dict[str, Mapping[str, bytes]]) -> None:
    hostile_name_of = dict(zip(PLAIN, HOSTILE, strict=True))
    for table in ("scores.csv", "summary.csv"):
        plain_rows = rows_of_csv(files["plain"][table])
        hostile_rows = rows_of_csv(files["hostile"][table])

        for plain, hostile in zip(plain_rows, hostile_rows, strict=True):
            assert hostile["system"][:1] not in ("=", "+", "-", "@", "\t", "\r")
            assert as_before_inert(hostile["system"]) == hostile_name_of[plain["system"]]
        assert {len(row) for row in hostile_rows} == {len(row) for row in plain_rows}
    assert set(HOSTILE) <= strings_of(json.loads(files["hostile"]["numbers.json"]))


def strings_of(value: object) -> set[str]:
    """All texts within."""
    if isinstance(value, str):
        return {value}
    strings: set[str] = set()
    if isinstance(value, dict):
        strings = strings_of([*value, *value.values()])
    elif isinstance(value, list):
        for element in value:
            strings |= strings_of(element)
    return strings


def test_figures_are_drawn_whatever_characters_names_have() -> None:
    loaded = loaded_of(("\ufffex", "\U0001fffex", "\x00\x1b\u202ex"), "\uffffm", "\ufddfd")

    figures = reported(loaded, ["figures"])

    texts = ""
    for path, content in figures.items():
        if path.endswith(".svg"):
            texts += "".join(ElementTree.fromstring(content).itertext())
    for name in ("⟨U+FFFE⟩x", "⟨U+1FFFE⟩x", "⟨U+0000⟩⟨U+001B⟩⟨U+202E⟩x", "⟨U+FFFF⟩m"):
        assert name in texts


def test_every_text_of_the_workbook_is_a_string_cell(files: dict[str, Mapping[str, bytes]]) -> None:
    book = openpyxl.load_workbook(io.BytesIO(files["hostile"]["numbers.xlsx"]))

    cells = []
    for sheet in book:
        for row in sheet.iter_rows():
            cells += [cell for cell in row if isinstance(cell.value, str)]
    assert {cell.data_type for cell in cells} == {"s"}
    assert {on_one_line(name) for name in HOSTILE} <= {cell.value for cell in cells}
    assert not [cell for cell in cells if cell.hyperlink]


def test_the_experiments_file_says_the_same_again(
    loaded: dict[str, Loaded], files: dict[str, Mapping[str, bytes]], tmp_path: Path
) -> None:
    for name, content in files["hostile"].items():
        path = tmp_path / name
        assert path.resolve().is_relative_to(tmp_path)
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    experiment = read_experiment(tmp_path / "experiment.toml").loaded.experiment
    assert experiment.digest == loaded["hostile"].experiment.digest


def test_what_people_said_reads_back_whatever_they_and_their_categories_are_called(loaded: dict[str, Loaded]) -> None:
    test_set = loaded["hostile"].experiment.test_sets[0]
    campaign = campaign_on(test_set, HOSTILE[1], "errors", test_set.runs[:1], Plan(random=2), DEFAULT_TYPOLOGY)
    mark = Mark("hypothesis", 0, 3, HOSTILE[2], "major", HOSTILE[1])
    tasks = tuple(
        Task(annotator, segment, segment, "random", 0, marks=(mark,), is_complete=True, comment=HOSTILE[0])
        for annotator in ("\tann\n", HOSTILE[0])
        for segment in (0, 1)
    )

    assert from_json(to_json(campaign, tasks), "c.json") == (campaign, tasks)

    # In MQM's tables a tab or a line break of a name becomes a space.
    rows = read_mqm(mqm_text(campaign, tasks), "c.mqm.tsv")
    assert [row.annotator for row in rows] == [" ann ", " ann ", HOSTILE[0], HOSTILE[0]]
    assert [row.errors[0].category for row in rows] == [mark.category] * 4
    assert [row.segment for row in rows] == ["1", "2", "1", "2"]

    for text in rating_files(campaign, tasks).values():
        first, second = read_judgements([InputFile("r.seg.rating", text.encode())]).judgements
        assert first.errors == second.errors
        assert first.errors[0].category == mark.category

    table = frame_csv(judgement_frame(judgements_of_campaign(campaign, tasks)))
    written_names = ["⟨U+0009⟩ann⟨U+000A⟩", "⟨U+0009⟩ann⟨U+000A⟩", HOSTILE[0], HOSTILE[0]]
    assert [row["annotator"] for row in rows_of_csv(table.encode())] == written_names
    judgements, _ = read_judged_outputs(table, "judgements.csv") or ([], [])
    assert [judgement.annotator for judgement in judgements] == [task.annotator for task in tasks]
