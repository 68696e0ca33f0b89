"""Whatever is in a cell: no spreadsheet computes it, no program splits its row, and mteval reads it back."""

import csv
import io
import json
import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import chain

import openpyxl
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mteval.analysis.evaluation import evaluate
from mteval.analysis.people.files import campaign_on, mqm_text
from mteval.analysis.people.judgements import judgement_frame, judgements_of_campaign
from mteval.analysis.results import Results, reported_test_set
from mteval.analysis.scoring import Work
from mteval.annotations import DEFAULT_TYPOLOGY, Mark, Plan, Task
from mteval.base.words import as_before_inert, inert
from mteval.readers.documents import InputFile
from mteval.readers.formats.judgement_tables import read_judged_outputs, read_mqm
from mteval.readers.formats.tables import table_form, table_rows
from mteval.readers.workspace import Workspace
from mteval.render.frames import frame_csv, frame_tsv
from mteval.render.markdown import markdown_table
from mteval.render.text import aligned
from mteval.render.xlsx import workbook
from mteval.report.package import everything
from mteval.report.paper_table import LatexChoice
from mteval.report.score_tables import given_tables
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Run, TestSet
from mteval.values.settings import Settings
from tests.hostile.names import HOSTILE_NAMES

NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?(inf(inity)?|nan)", re.IGNORECASE)
CONTROL_OR_LINE_END = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]")  # Unicode's categories Cc, Zl and Zp
CELLS = st.sampled_from(HOSTILE_NAMES) | st.text(
    st.sampled_from("=+-@'\"\t\r\n ,;⟨⟩U+0A1\x1b\x00\u2028\u202e\ufffe\U0001ffff＝") | st.characters()
)
WRITERS: dict[str, tuple[Callable[[pd.DataFrame], str], str]] = {"csv": (frame_csv, ","), "tsv": (frame_tsv, "\t")}


def check_harmless(table: str, separator: str) -> list[list[str]]:
    """Return the cells of a table as Python reads them, after a look at its lines and cells."""
    rows = list(csv.reader(io.StringIO(table, newline=""), delimiter=separator, strict=True))
    # Each row is one line, whatever a program takes for a line's end.
    assert len(table.splitlines()) == table.count("\n") == len(rows)
    for line in table.splitlines():
        assert not is_computed(line.split(separator)[0].removeprefix('"'))
    for cell in chain.from_iterable(rows):
        assert not is_computed(cell), cell
        assert not any(map(is_unprinted, cell)), cell
    return rows


def without_surrogates(text: str) -> str:
    """Return a text whose halves of pairs, which no file can hold, are question marks."""
    return text.encode("utf-8", "replace").decode()


def is_unprinted(character: str) -> bool:
    """Return whether a character is a control, ends a line, is half a pair, reorders its neighbours, or is none."""
    is_no_character = ord(character) & 0xFFFE == 0xFFFE or character in map(chr, range(0xFDD0, 0xFDF0))
    reorders = unicodedata.bidirectional(character) in ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    return is_no_character or reorders or unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp")


def is_computed(cell: str) -> bool:
    """Return whether a spreadsheet takes the content of a cell for a formula."""
    first = unicodedata.normalize("NFKC", cell.lstrip(" \N{NO-BREAK SPACE}\N{ZERO WIDTH NO-BREAK SPACE}"))[:1]
    return first in ("=", "+", "-", "@", "\t", "\r") and not NUMBER.fullmatch(cell)


@settings(deadline=None, max_examples=500)
@given(st.text(st.characters()))
def test_what_is_done_to_a_cell_is_undone(text: str) -> None:
    text_without_surrogates = without_surrogates(text)
    assert as_before_inert(str(inert(text_without_surrogates))) == text_without_surrogates
    inert(text)


@pytest.mark.parametrize("text", HOSTILE_NAMES)
def test_what_is_done_to_hostile_cells_is_undone(text: str) -> None:
    assert as_before_inert(str(inert(text))) == text


@pytest.mark.parametrize("text", ["-5", "+0.5", "-1e-9", "1", "-inf", "nan", ".5", "-.5E3"])
def test_numbers_stay_numbers(text: str) -> None:
    assert inert(text) == text


@pytest.mark.parametrize("kind", list(WRITERS))
@settings(deadline=None, max_examples=100)
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8), head=CELLS)
@example(rows=[(name, name) for name in HOSTILE_NAMES], head="=1+1")
def test_tables_are_harmless_and_read_back_equal(kind: str, rows: Sequence[tuple[str, str]], head: str) -> None:
    write, separator = WRITERS[kind]

    # Whatever the cells are, the table is harmless.
    columns = ["system", "segment", f"x{without_surrogates(head)}"]
    numbers = [-number / 3 for number in range(len(rows))]
    frame = pd.DataFrame([(*row, "y") for row in rows], columns=columns, dtype=object)
    header, *cells = check_harmless(write(frame.assign(value=numbers)), separator)
    assert header == [inert(column) for column in [*columns, "value"]]
    assert [float(row[3]) for row in cells] == numbers

    # Whatever a file can hold reads back.
    writable_rows = [[without_surrogates(system), without_surrogates(segment)] for system, segment in rows]
    frame = pd.DataFrame(writable_rows, columns=["system", "segment"], dtype=object)
    text = write(frame.assign(score="1"))
    form = table_form(text, lambda columns: True)
    assert form == separator
    rows_read = [row for _, row in table_rows(text, "x", form)]
    assert [[row["system"], row["segment"]] for row in rows_read] == writable_rows


@settings(deadline=None, max_examples=50)
@given(rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=8))
@example(rows=[(name, name) for name in HOSTILE_NAMES])
def test_workbooks_hold_text_only_and_all_of_it(rows: Sequence[tuple[str, str]]) -> None:
    frame = pd.DataFrame(rows, columns=["=system", "x"], dtype=object).assign(value=-0.5)
    name_of_sheet = rows[0][0]

    (sheet,) = openpyxl.load_workbook(io.BytesIO(workbook({name_of_sheet: frame})))

    for row, (system_cell, x_cell, value_cell) in zip(rows, sheet.iter_rows(min_row=2), strict=True):
        assert value_cell.value == -0.5
        for expected_text, cell in zip(row, (system_cell, x_cell), strict=True):
            if cell.value is not None:
                assert cell.data_type == "s"
            text = cell.value or ""
            assert not any(map(is_unprinted, text))
            # Excel reads such a number as the character.
            assert not re.search("_x(?!005F_)[0-9A-Fa-f]{4}_", text.replace("_x005F_", ""))
            assert unescaped(text) == shown(expected_text)


def shown(text: str) -> str:
    """Return a text with what cannot be in a cell as its number."""
    # Where the text has the number of a character already, as Python writes it, its bracket becomes a number.
    places_of_brackets = set()
    for match in re.finditer(r"⟨U\+([0-9A-F]{4,6})⟩", text):
        digits = match[1]
        code = int(digits, 16)
        if code <= 0x10FFFF and f"{code:04X}" == digits:
            places_of_brackets.add(match.start())

    shown_text = ""
    for place, character in enumerate(text):
        if place in places_of_brackets or is_unprinted(character):
            shown_text += f"⟨U+{ord(character):04X}⟩"
        else:
            shown_text += character
    return shown_text


def unescaped(cell: str) -> str:
    """Return the text that Excel reads in a cell in which underscores are escaped."""
    return re.sub("_x005F_(?=x[0-9A-Fa-f]{4}_)", "_", cell)


def loaded_of(names: Sequence[str]):
    """Two runs of four segments of systems of these names, with scores that were given."""
    lines = []
    for number, name in enumerate(names):
        for run in names[:2]:
            for segment in range(4):
                row = {
                    "system": name,
                    "run": run,
                    "segment": str(segment),
                    "hypothesis": f"a {'b ' * ((number + segment) % 3)}{run}",
                    "reference": "a b",
                    "score": number - segment / 3,
                    "document": names[segment],
                }
                lines.append(f"{json.dumps(row)}\n")
    text = "".join(lines)
    workspace = Workspace().add([InputFile("judge.jsonl", text.encode())]).direct("judge", True)
    experiment = workspace.experiment(names[0])
    assert experiment is not None
    return workspace.loaded(experiment)


NAMES = [name for name in HOSTILE_NAMES if len(name) <= 200 and name.strip()][::15]


def test_every_table_of_a_report_is_harmless_and_keeps_all_names() -> None:
    loaded = loaded_of(["x\r=1+1", "\v=1", *NAMES])
    experiment = loaded.experiment
    metrics = ("length", experiment.given[0].key)
    evaluation = evaluate(experiment, Settings(metrics=metrics, n_bootstrap=20, n_shuffles=20), Work())
    results = Results(experiment, evaluation, reported_test_set(experiment))

    files = everything(results, loaded, LatexChoice(), ["csv", "excel", "experiment", "latex"]).files

    rows_of_table = {}
    for path, content in files.items():
        if path.endswith(".csv"):
            rows_of_table[path] = check_harmless(content.decode(), ",")
    assert len(rows_of_table) >= 8
    for path in ("scores.csv", "summary.csv", "scores/judge.test.csv"):
        header, *rows = rows_of_table[path]
        column = header.index("system")
        names = {as_before_inert(row[column]) for row in rows}
        assert names == {system.key for system in experiment.systems}
    for character in files["table.tex"].decode().replace("\n", ""):
        assert unicodedata.category(character) not in ("Cc", "Zl")


@settings(deadline=None, max_examples=50)
@given(st.lists(CELLS.filter(lambda name: not re.search("[\ud800-\udfff]", name)), min_size=1, max_size=6, unique=True))
def test_given_scores_are_harmless_and_keep_their_digits(names: list[str]) -> None:
    values = (-1.25, 1 / 3, None, -1e-300)
    scores = tuple(GivenScores("test", name, name, values) for name in names)

    (table,) = given_tables([GivenMetric("m", "m", scores)]).values()

    _, *rows = check_harmless(table, ",")
    assert [as_before_inert(row[0]) for row in rows[::4]] == names
    assert [row[2] for row in rows[:4]] == ["-1.25", repr(1 / 3), "", "-1e-300"]


@settings(deadline=None, max_examples=50)
@given(CELLS.filter(lambda name: name.strip() and not re.search("[\ud800-\udfff]", name)))
@example("x\r=1+1")
@example("=1+1")
def test_what_annotators_are_called_is_harmless_and_reads_back(name: str) -> None:
    texts = ("- a b", "=c d")
    test_set = TestSet("test", (("a",), ("c",)), (Run(name, "0", texts),))
    campaign = campaign_on(test_set, name, "errors", test_set.runs, Plan(random=2), DEFAULT_TYPOLOGY)
    mark = Mark("hypothesis", 0, 1, "c" + name, "major", name)
    task = Task(name, 0, 0, "random", 0, marks=(mark,), is_complete=True, comment=name)

    table = frame_csv(judgement_frame(judgements_of_campaign(campaign, (task,))))
    check_harmless(table, ",")
    (judgement,), _ = read_judged_outputs(table, "j.csv")
    assert judgement.annotator == name
    assert judgement.system == unicodedata.normalize("NFC", name)

    mqm = mqm_text(campaign, (task,))
    _, line = mqm.splitlines()
    for column, cell in enumerate(line.split("\t")):
        if column not in (5, 6):  # texts, which other programs read as they are
            assert not is_computed(cell)
    (output,) = read_mqm(mqm, "x.tsv")
    name_on_one_line = re.sub(CONTROL_OR_LINE_END, " ", name)
    assert output.annotator == name_on_one_line
    assert output.system == unicodedata.normalize("NFC", name_on_one_line)
    assert output.hypothesis == "- a b"


@settings(deadline=None, max_examples=100)
@given(st.lists(CELLS, min_size=2, max_size=2))
@example(["x\r=1+1", "a\nRESULT: b"])
def test_rows_of_printed_tables_are_one_line_each(cells: list[str]) -> None:
    lines = [*aligned(("a", "b"), [cells], 2), *markdown_table(("a", "b"), [cells], 2)]

    for line in lines:
        assert len(line.splitlines()) <= 1
