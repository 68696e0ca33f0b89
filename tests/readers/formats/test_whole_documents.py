"""What is one document of an unknown form is refused under any name; hypotheses with tags are text."""

import json

import pytest

from mteval.base.errors import InputError
from mteval.readers.documents import InputFile
from mteval.readers.formats.uploads import unpack

SUBTITLES = "1\n00:00:01,000 --> 00:00:02,000\nHello\n\n2\n00:00:03,000 --> 00:00:04,000\nBye\n"
CATALOGUE = '# comment\nmsgid ""\nmsgstr ""\n"Language: de\\n"\n\nmsgid "house"\nmsgstr "Haus"\n'


@pytest.mark.parametrize("name", ["hyp.txt", "hyp", "ref.de"])
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "<resources>\n<string name='a'>one</string>\n<string name='b'>two</string>\n</resources>\n",
            "XML .*<resources>",
        ),
        ('<?xml version="1.0"?>\n<a>one</a>\n<b>two</b>\n', "not well-formed"),
        ("<!-- a page -->\n<!DOCTYPE html>\n<html><body><p>one<br>two</body></html>\n", "HTML page"),
        ('{"language": "de",\n "texts": ["one", "two"]}\n', 'one JSON document .an object with "language", "texts"'),
        ('[{"text": "one"},\n {"text": "two"}]\n', 'a list of 2 objects with "text"'),
        (
            '{"predictions": ["one", "two"], "references": ["one", "2"]}',
            'list per column .*"predictions", "references"',
        ),
        ('{\n"predictions": ["one", "two"],\n"references": ["one", "2"]}\n', "one JSON object with a list per column"),
        (
            '{"columns":["source","hypothesis"],"index":[0],"data":[["eins","one"]]}',
            "one JSON document",
        ),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 12\n", "Git LFS .*'git lfs pull'"),
        ("/annex/objects/MD5E-s12--4d.txt\n", "git-annex"),
        ("{\\rtf1\\ansi one\\par two}", "RTF"),
        ("\\documentclass{article}\n\\begin{document}\none\n\\end{document}\n", "LaTeX"),
        ("%PDF-1.4\n1 0 obj\n<< >>\nendobj\n", "PDF"),
        ("one\rtwo\rthree\r", "end with CR alone"),
        (SUBTITLES, "subtitles"),
        ("WEBVTT\n\n00:01.000 --> 00:02.000\none\n", "subtitles"),
        (CATALOGUE, "catalogue of gettext"),
        ("| System | BLEU |\n|---|--:|\n| A | 30.5 |\n", "table in Markdown"),
        ("\\begin{tabular}{lr}\nA & 30.5 \\\\\n\\end{tabular}\n", "LaTeX"),
        ('/* Menu */\n"file.open" = "Öffnen";\n"file.close" = "Sage \\"zu\\"";\n', "strings of an app"),
        ("# Menu\nfile.open=Öffnen\nfile.close = Schließen\nfile.new=Neu\n", "properties, with a key"),
    ],
)
def test_document_of_another_program_is_refused_under_any_name(text: str, message: str, name: str) -> None:
    documents, (problem,) = unpack([InputFile(name, text.encode())])
    assert documents == ()
    assert problem.severity == "error"
    with pytest.raises(InputError, match=message):
        raise problem.as_error()


@pytest.mark.parametrize(
    "lines",
    [
        ["<b>one</b> house", "<b>two</b> houses"],
        ["<p>one</p>", "<p>two</p>"],
        ["<s> one", "two </s>", "three"],
        ['{"answer": 1}', '{"answer": 2}'],
        ["[one]", "[two]"],
        ["{x} one", "two"],
        ["<3 this", "x > y"],
        ['msgid "is a keyword', "of gettext"],
        ["<one", "two>"],
        ["one\rhouse", "two"],
        ["sep=;", "two"],
        ["x = 1", "y = 2", "z = x + y"],
        ["# one", "two = three", "four"],
        ["one | two", "three | four"],
    ],
)
def test_lines_with_tags_or_brackets_are_text(lines: list[str]) -> None:
    (document,), problems = unpack([InputFile("hyp.txt", "".join(f"{line}\n" for line in lines).encode())])
    assert problems == ()
    assert document.format == "lines"
    assert list(document.streams[0].lines) == lines


@pytest.mark.parametrize(
    "summary",
    [
        {"results": {"t": {"acc,none": 0.5}}, "versions": {"t": 1}, "configs": {}},
        {"adapter_spec": {}, "name": "mmlu"},
        {"_runtime": 3.5, "loss": 0.25},
    ],
)
def test_summaries_beside_logs_are_ignored_with_a_note(summary: dict[str, object]) -> None:
    documents, (problem,) = unpack([InputFile("results.json", json.dumps(summary).encode())])
    assert documents == ()
    assert (problem.severity, problem.code) == ("note", "ignored")


def test_many_comments_before_a_page_take_no_time() -> None:
    (document,), _ = unpack([InputFile("hyp.txt", b"<!---->" * 500 + b"\nx\n")])
    assert document.format == "lines"
