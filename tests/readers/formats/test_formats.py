"""Tables, SGML and XML: each becomes streams that say what they are."""

import json
import re
from collections.abc import Mapping, Sequence
from gzip import compress

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.readers.documents import Document, InputFile, Problem, Stream
from mteval.readers.formats.uploads import unpack

TSV = """system\trun\tsegment\thypothesis\treference\treference2\tsource\tdocument
base\t0\t1\tthe cat\ta cat\t\tdie Katze\td1
base\t0\t2\tthe dog\ta dog\tthe dogs\tder Hund\td1
new\t0\t1\tthe cats\ta cat\t\tdie Katze\td1
new\t0\t2\tdogs\ta dog\tthe dogs\tder Hund\td1
"""
SGML = """<!DOCTYPE mteval SYSTEM "ftp://jaguar.ncsl.nist.gov/mt/resources/mteval-xml-v1.3.dtd">
<tstset setid="news" srclang="de" trglang=en>
<DOC docid="a" sysid="uedin" genre='news'>
<hl><seg id="1"> Tom &amp; Jerry &lt;3 </seg></hl>
<p>
<seg id=2>one
two</seg>
</p>
</DOC>
<doc docid="b" sysid="uedin"><seg id="1">a < b &amp;lt; c</seg></doc>
<doc docid="a" sysid="kit"><seg id="1">x</seg><seg id="2">y</seg></doc>
<doc docid="b" sysid="kit"><seg id="1">z</seg></doc>
</tstset>
"""
XML = """<?xml version='1.0' encoding='utf-8'?>
<dataset id="newstest2021.de-en">
<doc origlang="de" id="a">
<src lang="de"><p><seg id="1">Katze &amp; Hund</seg><seg id="2">Haus</seg></p></src>
<ref lang="en" translator="A"><p><seg id="1">cat</seg><seg id="2">house</seg></p></ref>
<ref lang="en" translator="B"><p><seg id="2">home</seg></p></ref>
<hyp lang="en" system="X"><p><seg id="1">cats</seg><seg id="2">hut</seg></p></hyp>
</doc>
<doc id="b" testsuite="t">
<src lang="de"><p><seg id="1">Maus</seg></p></src>
<hyp lang="en" system="X"><p><seg id="1">mouse</seg></p></hyp>
</doc>
</dataset>
"""


def read(text: str, name: str = "f") -> Document:
    """The document that a file becomes, which has no problem."""
    documents, problems = unpack([InputFile(name, text.encode())])
    assert [problem for problem in problems if problem.severity != "note"] == []
    return documents[0]


def problem_of(text: str, name: str = "f") -> Problem:
    """The first problem of a file that cannot be read."""
    documents, problems = unpack([InputFile(name, text.encode())])
    assert documents == ()
    return problems[0]


def streams_of(document: Document) -> Mapping[str, Stream]:
    """The streams of a document by their labels."""
    return {stream.label: stream for stream in document.streams}


def test_a_table_gives_a_stream_for_each_run_reference_source_and_list_of_documents() -> None:
    streams = streams_of(read(TSV))
    contents = {}
    for label, stream in streams.items():
        contents[label] = (stream.role, stream.system, stream.run, stream.lines)
    assert contents == {
        "base, run 0": ("hypothesis", "base", "0", ("the cat", "the dog")),
        "new, run 0": ("hypothesis", "new", "0", ("the cats", "dogs")),
        "reference": ("reference", None, None, ("a cat", "a dog")),
        "reference2": ("reference", None, None, (None, "the dogs")),
        "source": ("source", None, None, ("die Katze", "der Hund")),
        "document": ("documents", None, None, ("d1", "d1")),
    }
    assert {stream.keys for stream in streams.values()} == {("1", "2")}


ROWS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(0, 2), st.integers(0, 12), st.text(st.characters(codec="utf-8"))),
    min_size=1,
    unique_by=lambda row: row[:3],
)


@given(ROWS, st.sampled_from(["csv", "tsv", "jsonl"]))
def test_what_pandas_writes_is_read_back(rows: Sequence[tuple[str, int, int, str]], kind: str) -> None:
    writable_rows = []
    for system, run, segment, hypothesis in rows:
        if kind != "jsonl":  # csv knows no zero byte and mends line breaks in its own way
            hypothesis = re.sub("[\0\r\n]", "", hypothesis)
        if kind == "tsv":
            hypothesis = hypothesis.replace("\t", " ")
        writable_rows.append((system, run, segment, hypothesis))
    frame = pd.DataFrame(writable_rows, columns=["system", "run", "segment", "hypothesis"])
    if kind == "jsonl":
        text = frame.to_json(orient="records", lines=True, force_ascii=False)
    elif kind == "tsv":
        text = frame.to_csv(index=False, sep="\t")
    else:
        text = frame.to_csv(index=False)

    streams = streams_of(read(text, f"f.{kind}"))

    for system, run, segment, hypothesis in writable_rows:
        stream = streams[f"{system}, run {run}"]
        assert stream.keys is not None
        line = stream.lines[stream.keys.index(str(segment))]
        assert line == hypothesis.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
    segments = sorted({segment for _, _, segment, _ in writable_rows})
    for stream in streams.values():
        assert stream.keys == tuple(map(str, segments))


def test_quotes_in_a_tsv_are_text_unless_its_header_is_quoted() -> None:
    plain = 'segment\thypothesis\n1\t"Hello," he said.\n2\t"Yes"\n'
    quoted = '"segment"\t"hypothesis"\n"1"\t"""Hello,"" he said."\n"2"\t"Yes"\n'
    assert read(plain).streams[0].lines == ('"Hello," he said.', '"Yes"')
    assert read(quoted).streams[0].lines == ('"Hello," he said.', "Yes")


def test_a_table_without_system_run_and_segment_is_one_run_in_the_order_of_its_rows() -> None:
    (stream, reference) = read("Hypothesis,Ref\nb,x\na,y\n", "sys/base.csv").streams
    assert stream.system == "base"
    assert stream.run == "0"
    assert stream.lines == ("b", "a")
    assert reference.lines == ("x", "y")


def test_segments_that_are_names_keep_the_order_of_the_file_and_numbers_are_sorted() -> None:
    assert read("segment,hypothesis\nb,x\na,y\n").streams[0].keys == ("b", "a")
    assert read("segment,hypothesis\n10,x\n9,y\n").streams[0].keys == ("9", "10")


def test_test_sets_of_a_table_are_kept_apart() -> None:
    streams = streams_of(read("test_set,segment,hypothesis,reference\ndev,1,a,b\ntest,1,c,d\ntest,2,e,f\n"))
    assert {label: (stream.test_set, stream.lines) for label, stream in streams.items()} == {
        "dev: f, run 0": ("dev", ("a",)),
        "dev: reference": ("dev", ("b",)),
        "test: f, run 0": ("test", ("c", "e")),
        "test: reference": ("test", ("d", "f")),
    }


def test_json_lines_may_list_references_and_leave_some_out() -> None:
    rows = [
        {"segment": 1, "hypothesis": "a", "references": ["b", "c"]},
        {"segment": 2, "hypothesis": "", "references": ["d"]},
    ]
    streams = streams_of(read("\n".join(map(json.dumps, rows))))
    assert streams["references 1"].lines == ("b", "d")
    assert streams["references 2"].lines == ("c", None)
    assert streams["f, run 0"].lines == ("a", "")


def test_a_missing_hypothesis_is_none_and_an_empty_one_is_empty() -> None:
    streams = streams_of(read("system,segment,hypothesis\nA,1,\nA,2,x\nB,2,y\n"))
    assert streams["A, run 0"].lines == ("", "x")
    assert streams["B, run 0"].lines == (None, "y")


def test_ignored_columns_are_noted() -> None:
    _, problems = unpack([InputFile("f", b"segment,hypothesis,refernce,rank\n1,a,b,2\n")])
    notes = [problem.message for problem in problems if problem.severity == "note"]
    (note,) = [note for note in notes if "ignored" in note]
    assert "rank" in note


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("segment\thypothesis\n1\ta\tb\n", 2, "3 cells, but the header has 2"),
        ("segment,hypothesis\n1,a\n1,b\n", 3, "second hypothesis for segment '1' (the first is in line 2)"),
        ("system,segment,hypothesis,reference\nA,1,a,x\nB,1,b,y\n", 3, "segment '1' differs from line 2"),
        ('segment,hypothesis\n1,a\n2,"b"c\n', 3, "not valid CSV"),
        ("segment,hypothesis,hypothesis\n1,a,b\n", 1, "'hypothesis' appears twice"),
        ("segment,hypothesis\n", None, "no rows"),
        ('{"hypothesis": "a"}\nb\n', 2, "not valid JSON"),
        ('{"hypothesis": "a"}\n[1]\n', 2, "not a JSON object"),
        ('{"hypothesis": "a"}\n{"hypothesis": {}}\n', 2, "'hypothesis' is an object"),
        ('{"hypothesis": "a"}\n{"hypothesis": "\\ud800"}\n', 2, "surrogate"),
        ('{"hypothesis": "a"}\n' + "[" * 100_000, 2, "not valid JSON"),
    ],
)
def test_invalid_table_is_an_error_with_its_line(text: str, line: int | None, words: str) -> None:
    problem = problem_of(text)
    assert words in problem.message
    assert problem.file == "f"
    assert problem.line == line


def test_sgml_gives_a_stream_for_each_system_with_entities_resolved_once() -> None:
    streams = streams_of(read(SGML))
    uedin = streams["uedin"]
    kit = streams["kit"]
    assert uedin.lines == ("Tom & Jerry <3", "one two", "a < b &lt; c")
    assert uedin.keys == ("a\t1", "a\t2", "b\t1")
    assert kit.role == "hypothesis"
    assert kit.system == "kit"
    assert kit.test_set == "news"
    assert kit.lines == ("x", "y", "z")
    assert kit.keys == ("a\t1", "a\t2", "b\t1")


def test_sgml_references_come_with_their_documents() -> None:
    text = SGML.replace("tstset", "refset").replace("uedin", "ref0").replace("kit", "ref1")
    streams = streams_of(read(text))
    assert [(stream.label, stream.role) for stream in streams.values()] == [
        ("ref0", "reference"),
        ("ref1", "reference"),
        ("documents", "documents"),
    ]
    assert streams["documents"].lines == ("a", "a", "b")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ('<tstset>\n<doc docid="a">\n<seg id="1">x\n<seg id="2">y</seg></doc></tstset>', 3, "not closed"),
        ('<refset>\n<seg id="1">x', 2, "not closed"),
        ('<srcset></srcset>\n<seg id="1">x</seg>', 2, "outside"),
        ("<refset></refset>", None, "no <seg>"),
        ('<refset><seg id="1">x</seg><seg id="1">y</seg></refset>', None, "'1' of document '' appears twice"),
    ],
)
def test_invalid_sgml_is_an_error_with_its_line(text: str, line: int | None, words: str) -> None:
    problem = problem_of(text)
    assert words in problem.message
    assert problem.line == line


def test_xml_gives_a_stream_for_each_part_and_none_where_a_reference_is_missing() -> None:
    streams = streams_of(read(XML))
    assert {label: (stream.role, stream.lines) for label, stream in streams.items()} == {
        "source": ("source", ("Katze & Hund", "Haus", "Maus")),
        "reference A": ("reference", ("cat", "house", None)),
        "reference B": ("reference", (None, "home", None)),
        "X": ("hypothesis", ("cats", "hut", "mouse")),
        "documents": ("documents", ("a", "a", "b")),
    }
    assert {stream.test_set for stream in streams.values()} == {"newstest2021.de-en"}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("<dataset>\n<doc></dataset>", 2, "not well-formed"),
        (
            '<!DOCTYPE d [<!ENTITY a "aaaa">]>\n<dataset><doc><src><seg>&a;</seg></src></doc></dataset>',
            None,
            "entities",
        ),
        ("<dataset></dataset>", None, "no <seg>"),
        ("<sets><dataset></dataset></sets>", None, "<sets>"),
        ('<dataset><doc><src><seg id="1">a</seg><seg id="1">b</seg></src></doc></dataset>', None, "appears twice"),
    ],
)
def test_invalid_xml_is_an_error_with_its_line(text: str, line: int | None, words: str) -> None:
    problem = problem_of(text)
    assert words in problem.message
    assert problem.line == line


@given(st.sampled_from([SGML, XML, TSV]), st.data())
def test_truncated_file_is_read_or_reported(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text) // 2))
    end = data.draw(st.integers(start + 1, len(text)))
    content = (text[:start] + text[end:]).encode() or b"x"
    documents, problems = unpack([InputFile("f", content)])
    assert documents or problems


@pytest.mark.parametrize("header", ['<header srclang="*all*"/>', "<header/>", ""])
def test_a_memory_without_a_source_language_is_refused(header: str) -> None:
    units = '<tu><tuv xml:lang="EN-us"><seg>one</seg></tuv><tuv xml:lang="de-DE"><seg>eins</seg></tuv></tu>'
    memory = f'<tmx version="1.4">{header}<body>{units}</body></tmx>'
    documents, (problem,) = unpack([InputFile("a.tmx", memory.encode())])
    assert documents == ()
    assert "the languages are en-us and de-de. Set srclang" in problem.message
    named = (
        memory.replace(header, '<header srclang="en"/>')
        if header
        else memory.replace("<body>", '<header srclang="en"/><body>')
    )
    (document,), _ = unpack([InputFile("a.tmx", named.encode())])
    assert [stream.role for stream in document.streams] == ["source", None]


def test_a_memory_with_several_target_languages_is_refused() -> None:
    languages = {"en": "one", "de": "eins", "fr": "un"}

    def memory(*spoken: str) -> bytes:
        variants = "".join(f'<tuv xml:lang="{name}"><seg>{languages[name[:2]]}</seg></tuv>' for name in spoken)
        return f'<tmx version="1.4"><header srclang="en"/><body><tu>{variants}</tu></body></tmx>'.encode()

    _, (problem,) = unpack([InputFile("a.tmx", memory("en", "de", "fr"))])
    assert problem.message.startswith("The memory has translations into several languages (de and fr)")
    (document,), problems = unpack([InputFile("a.tmx", memory("en", "de-at", "de-de"))])
    assert problems == ()
    assert [stream.role for stream in document.streams] == ["source", None, None]


def test_segments_numbered_within_documents_are_refused_with_the_reason() -> None:
    table = "doc,segment,hypothesis\nd0,1,a\nd0,2,b\nd1,1,c\n"
    _, (problem,) = unpack([InputFile("a.csv", table.encode())])
    assert problem.line == 4
    assert problem.message.startswith("Segment '1' is in document 'd0' (line 2) and 'd1'. Number segments over all")


def test_a_file_that_is_compressed_twice_is_refused_as_such() -> None:
    _, (problem,) = unpack([InputFile("a.txt.gz", compress(compress(b"one\n")))])
    assert problem.message == "The file is compressed twice. Decompress it once."


def test_a_table_of_references_says_how_to_write_outputs() -> None:
    (document,), _ = unpack([InputFile("a.csv", b"source,reference,Google,DeepL\na,b,c,d\n")])
    (note,) = document.notes
    assert note.startswith(
        "Columns ignored: Google, DeepL. If they are outputs, use a row per output, with columns system"
    )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.json", '[{"system": "A"}]\n[{"system": "B"}]\n', "Not valid JSON (several lists, one after another)"),
        ("a.jsonl", '{"system": "A", "segment": 1, "score": true}\n', "'score' is a boolean. Expected a number."),
    ],
)
def test_unusable_json_is_refused_with_the_reason(name: str, text: str, message: str) -> None:
    _, (problem,) = unpack([InputFile(name, text.encode())])
    assert problem.message.startswith(message)
