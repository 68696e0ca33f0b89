"""A translator's XLIFF and an evaluator's workbook have the numbers of the same texts in plain files."""

import json
from pathlib import Path
from xml.sax.saxutils import escape

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont

from mteval.cli import main

N = 12
SOURCE = [f"Die {number}. Taste & der rote Knopf bleiben gedrückt." for number in range(N)]
REFERENCE = [f"Key {number} & the red button stay pressed." for number in range(N)]
TEXTS = {
    "old": [f"Key {number} & the button remain pressed." for number in range(N)],
    "new": [f"Key {number} & the red button {'stay' if number % 3 else 'are'} pressed." for number in range(N)],
}
FEW = ["--metrics", "bleu", "chrf", "ter", "--boot-samples", "50", "--ar-shuffles", "200", "--baseline", "old"]


def xliff(targets: list[str]) -> str:
    """What a translator's program saves: markup in the text, a proposal and notes beside it, a unit that is locked."""
    units = []
    for number, (source, target) in enumerate(zip(SOURCE, targets, strict=True)):
        marked = escape(target).replace("red", '<g id="1" ctype="bold">red</g>')
        units.append(
            f'<trans-unit id="{number}"><source xml:space="preserve">{escape(source)}</source>'
            f'<target state="final">{marked}</target><alt-trans match-quality="80%"><target>A key.</target></alt-trans>'
            "<note>Checked.</note></trans-unit>"
        )
    units.append('<trans-unit id="logo" translate="no"><source>ACME</source></trans-unit>')
    return (
        '<?xml version="1.0" encoding="UTF-8"?><xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
        '<file original="manual.docx" source-language="de" target-language="en" datatype="x-docx"><body>'
        f"{''.join(units)}</body></file></xliff>"
    )


def workbook(path: Path) -> None:
    """Save what an evaluator sends: formatted cells, a column of comments, an empty row, and a sheet of notes."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Evaluation"
    sheet.append(["Model", "Segment", "Src", "Translation", "Reference", "Comment"])
    for system, texts in TEXTS.items():
        for number, text in enumerate(texts):
            before, mark, after = text.partition("button")
            rich = CellRichText(before, TextBlock(InlineFont(b=True), mark), after)
            comment = "fine" if number == 2 else None
            sheet.append([system, number + 1, SOURCE[number], rich, REFERENCE[number], comment])
    sheet.append([None] * 6)
    book.create_sheet("Notes").append(["Evaluated by two people in May."])
    book.save(path)


def plain(folder: Path) -> Path:
    """Save the same texts in plain files."""
    folder.mkdir()
    for name, texts in {"ref": REFERENCE, "src": SOURCE, **TEXTS}.items():
        (folder / f"{name}.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    return folder


def numbers(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[object, object]:
    """Scores and verdicts of a command line."""
    assert main(["eval", *words, *FEW, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    scores = [(row["system"], row["metric"], row["score"]) for row in found["scores"]]
    return scores, [(row["metric"], row["p_test_set"], row["verdict"]) for row in found["verdicts"]]


def test_xliff_of_translators_is_scored_like_plain_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = numbers(capsys, "--files", str(plain(tmp_path / "plain")))
    (tmp_path / "xliff").mkdir()
    (tmp_path / "xliff" / "ref.txt").write_text("\n".join(REFERENCE) + "\n", encoding="utf-8")
    for system, texts in TEXTS.items():
        (tmp_path / "xliff" / f"{system}.xlf").write_text(xliff(texts), encoding="utf-8")
    assert numbers(capsys, "--files", str(tmp_path / "xliff")) == expected
    old, new = (str(tmp_path / "xliff" / f"{system}.xlf") for system in TEXTS)
    reference = str(tmp_path / "plain" / "ref.txt")
    assert numbers(capsys, "--refs", reference, "--system", "old", old, "--system", "new", new) == expected


def test_workbook_of_evaluators_is_scored_like_plain_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = numbers(capsys, "--files", str(plain(tmp_path / "plain")))
    workbook(tmp_path / "evaluation.xlsx")
    assert numbers(capsys, "--files", str(tmp_path / "evaluation.xlsx")) == expected
