"""XLIFF files of translators have the scores of the same text in plain files."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mteval.base.errors import InputError
from mteval.readers.documents import InputFile
from mteval.readers.formats.uploads import unpack
from mteval.readers.formats.xliff import read_xliff
from mteval.readers.named_files import load_paths

Write = Callable[[list[tuple[str, str]]], str]
PAIRS = [
    ("The red house stands on a hill .", "Das rote Haus steht auf einem Hügel ."),
    ("Salt & pepper", "Salz & Pfeffer"),
    ("Press the button twice .", "Drücken Sie zweimal auf den Knopf ."),
]


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("red", '<g id="1">red</g>').replace("rote", '<g id="1">rote</g>')


def version_1(pairs: list[tuple[str, str]]) -> str:
    units = "".join(
        f'<trans-unit id="{number}"><source>{escaped(source)}</source>'
        f'<target state="translated"><bpt id="2">&lt;i&gt;</bpt>{escaped(target)}<ept id="2">&lt;/i&gt;</ept></target>'
        "<alt-trans><target>another translation</target></alt-trans><note>a note</note></trans-unit>\n"
        for number, (source, target) in enumerate(pairs)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">'
        '<file original="a" source-language="en" target-language="de" datatype="plaintext"><header/><body><group>'
        f"{units}</group></body></file></xliff>\n"
    )


def version_2(pairs: list[tuple[str, str]]) -> str:
    segments = "".join(
        f"<segment><source>{escaped(source)}</source><target>{escaped(target)}</target></segment>\n"
        for source, target in pairs
    ).replace("<g ", "<pc ").replace("</g>", "</pc>")  # fmt: skip
    return (
        '<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de"><file id="f">'
        f'<unit id="u"><notes><note>a note</note></notes>{segments}</unit></file></xliff>'
    )


@pytest.mark.parametrize("write", [version_1, version_2])
@pytest.mark.parametrize("name", ["new.xlf", "new.txt"])
def test_translations_are_scored_like_plain_text(tmp_path: Path, write: Write, name: str) -> None:
    (tmp_path / "ref.txt").write_text("".join(f"{target}\n" for _, target in PAIRS), encoding="utf-8")
    (tmp_path / name).write_text(write(PAIRS), encoding="utf-8")
    loaded = load_paths([tmp_path / "ref.txt"], {"new": [tmp_path / name]}, baseline="new")
    (test_set,) = loaded.experiment.test_sets
    (run,) = test_set.runs
    assert run.hypotheses == tuple(target for _, target in PAIRS)


@pytest.mark.parametrize("write", [version_1, version_2])
def test_source_and_translation_are_streams(write: Write) -> None:
    (document,), problems = unpack([InputFile("a.xlf", write(PAIRS).encode())])
    assert problems == ()
    assert [(stream.role, stream.lines) for stream in document.streams] == [
        ("source", tuple(source for source, _ in PAIRS)),
        (None, tuple(target for _, target in PAIRS)),
    ]


def test_units_that_are_not_translated_are_marked_or_ignored_with_a_note() -> None:
    units = (
        '<trans-unit id="1"><source>one</source><target>eins</target></trans-unit>'
        '<trans-unit id="2"><source>two</source></trans-unit>'
        '<trans-unit id="3" translate="no"><source>MTEVAL</source></trans-unit>'
    )
    document = read_xliff(f'<xliff version="1.2"><file><body>{units}</body></file></xliff>', "a.xlf")
    assert document is not None
    assert [stream.lines for stream in document.streams] == [("one", "two"), ("eins", None)]
    assert document.notes == ("1 unit not to be translated (translate=no): ignored.",)


def test_segments_that_translators_mark_in_a_unit_are_segments() -> None:
    two = "<mrk mtype='seg' mid='1'>{}</mrk> <mrk mtype='seg' mid='2'><g id='3'>{}</g></mrk>"
    unit = (
        f"<trans-unit id='1'><source>One. Two.</source><seg-source>{two.format('One.', 'Two.')}</seg-source>"
        f"<target>{two.format('Eins.', 'Zwei.')}</target></trans-unit>"
        "<trans-unit id='2'><source>Three.</source><seg-source><mrk mtype='seg' mid='3'>Three.</mrk></seg-source>"
        "<target><mrk mtype='seg' mid='3'>Drei.</mrk></target></trans-unit>"
    )
    document = read_xliff(f'<xliff version="1.2"><file><body>{unit}</body></file></xliff>', "a.sdlxliff")
    assert document is not None
    assert [stream.lines for stream in document.streams] == [("One.", "Two.", "Three."), ("Eins.", "Zwei.", "Drei.")]


def test_units_left_out_explain_a_wrong_number_of_segments(tmp_path: Path) -> None:
    pairs = [(f"source {number}", f"line {number} has its own words, {number * 7}") for number in range(40)]
    text = version_1(pairs).replace('<trans-unit id="5">', '<trans-unit id="5" translate="no">')
    (tmp_path / "ref.txt").write_text("".join(f"{target}\n" for _, target in pairs), encoding="utf-8")
    (tmp_path / "new.xlf").write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as raised:
        load_paths([tmp_path / "ref.txt"], {"new": [tmp_path / "new.xlf"]}, baseline="new")
    assert raised.value.line is None
    assert "looks shifted" not in raised.value.message
    assert "marks 1 unit as not to be translated (translate=no)." in raised.value.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<xliff version="3.0"><file/></xliff>', "version '3.0'. Expected 1.2"),
        ('<xliff version="1.2"><file><body/></file></xliff>', "no segment with a source"),
        ('<xliff version="1.2"><file><body>', "not well-formed"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><xliff version="1.2"><file>&a;</file></xliff>', "entities"),
    ],
)
def test_unusable_xliff_is_a_one_line_error(text: str, message: str) -> None:
    documents, (problem,) = unpack([InputFile("a.txt", text.encode())])
    assert documents == ()
    with pytest.raises(InputError, match=message):
        raise problem.as_error()
