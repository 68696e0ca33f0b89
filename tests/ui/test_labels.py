"""Labels: names in them are text, which a test of the browser looks at, too; and how a grid writes numbers."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from mteval.answers.section import Column
from mteval.ui.elements import UNSEEN, as_label, column_config

GIVEN = re.compile(r"(^|_)(names?|system|baseline|metric|test_set|file|run)$")
ROOT = Path(__file__).parents[2]
FILES = sorted([*(ROOT / "mteval" / "ui").rglob("*.py"), *(ROOT / "pages").glob("*.py"), ROOT / "app.py"])
READ_AS_MARKDOWN = {
    *("title", "header", "subheader", "markdown", "caption", "expander", "popover", "tabs", "button", "toggle"),
    *("checkbox", "radio", "segmented_control", "pills", "selectbox", "multiselect", "number_input", "text_input"),
    *("text_area", "slider", "select_slider", "download_button", "file_uploader", "spinner", "progress", "toast"),
    *("metric", "link_button", "page_link", "status", "write", "info", "warning", "error", "success"),
}


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("BLEU", "BLEU"),
        ("chrF++", r"chrF\+\+"),
        ("![m](http://evil.example/m.png)", rf"\!\[m\]\(http\:{UNSEEN}\/\/evil\.example\/m\.png\)"),
        (":red[x] $y$", rf"\:{UNSEEN}red\[x\] \$y\$"),
        ("www.evil.example a@evil.example", rf"www{UNSEEN}\.evil\.example a\@{UNSEEN}evil\.example"),
        ("# a\n# b", r"\# a \# b"),
        ("a\u202eb", r"a⟨U\+202E⟩b"),
    ],
)
def test_nothing_in_a_name_is_markdown(name: str, label: str) -> None:
    assert as_label(name) == label


def calls(path: Path) -> Iterator[ast.Call]:
    """Calls of what reads its first argument as Markdown."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Call(func=ast.Attribute(attr=name)) if name in READ_AS_MARKDOWN:
                yield node


def is_bare_name(value: ast.expr) -> bool:
    """Whether by its words in the program this is a name that a user gave, as it is."""
    match value:
        case ast.Call(func=ast.Name(id="as_label")):
            return False
    for node in ast.walk(value):
        match node:
            case ast.Attribute(attr=word) if GIVEN.search(word):
                return True
            case ast.Name(id=word) if GIVEN.search(word) and not word.isupper():
                return True
    return False


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_names_go_into_labels_by_one_way(path: Path) -> None:
    for call in calls(path):
        match call.args:
            case [ast.JoinedStr(values=parts), *_]:
                values = [part.value for part in parts if isinstance(part, ast.FormattedValue)]
                has_bare_name = any(map(is_bare_name, values))
                assert not has_bare_name, f"{path}, line {call.lineno}: a name in a label goes through as_label"


def test_a_grid_writes_counts_without_decimals_and_shares_with_theirs() -> None:
    format_of = {}
    for name, digits in (("count", None), ("share", 2)):
        column = column_config(Column(name, name, "number", digits=digits))
        format_of[name] = column["type_config"]["format"]
    assert format_of == {"count": "%.0f", "share": "%.2f"}
