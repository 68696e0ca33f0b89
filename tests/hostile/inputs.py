"""Inputs that once held or filled the machine, or raised what was no error of ours; each is made when it is wanted."""

import bz2
import gzip
import json
from collections.abc import Callable, Mapping
from typing import Any

MIB = 1 << 20
WORD = "1\ta\ta\t_\t_\t_\t0\troot\t_\t_\n\n"
Files = Mapping[str, bytes]

REFERENCE = {"ref.txt": b"a b c\n", "hyp.txt": b"a b d\n"}


def files(name: str, text: str | bytes) -> Files:
    """One hostile file, and beside it a reference and an output that must not be lost."""
    return {name: text.encode() if isinstance(text, str) else text, **REFERENCE}


def sgml(attribute: str, systems: int = 1) -> str:
    sets = (
        f'<tstset setid="x" sysid="s{n}"><doc docid="1" {attribute}><seg id="1">x</seg></doc></tstset>\n'
        for n in range(systems)
    )
    return "".join(sets)


def toml(line: str) -> Files:
    return files("experiment.toml", "format = 1\n" + line)


def settings(line: str) -> Files:
    sets = '[[test_sets]]\nname = "t"\nrole = "test"\nreferences = ["ref.txt"]\n[test_sets.systems.a]\n0 = "ref.txt"\n'
    return files("experiment.toml", f'format = 1\nbaseline = "a"\n[settings]\n{line}\n{sets}')


def nested_xml(depth: int) -> str:
    return "<dataset>" + '<doc id="d"><src>' * depth + '<seg id="1">x</seg>' + "</src></doc>" * depth + "</dataset>"


UPLOADS: Mapping[str, Callable[[], Files]] = {
    "a TSV of doubled quotes": lambda: files("a.tsv", 'system\thypothesis\nA\t"' + '""' * 55_000 + 'x"y\n'),
    "an SGML attribute of 55,000 letters": lambda: files("a.sgm", sgml("a" * 55_000)),
    "an SGML attribute of 55,000 spaces": lambda: files("a.sgm", sgml("a" + " " * 55_000 + "b")),
    "an SGML file of 100,000 systems": lambda: files("a.sgm", sgml("", 100_000)),
    "a dotted TOML key of 40,000 parts": lambda: toml("a." * 40_000 + "b = 1"),
    "a dotted TOML key in an inline table": lambda: toml("x = {" + "a . " * 40_000 + "b = 1}"),
    "a quoted dotted TOML key": lambda: toml('"a".' * 40_000 + "b = 1"),
    "a TOML table of 40,000 parts": lambda: toml("[" + "a." * 40_000 + "b]"),
    "TOML lists 20,000 deep": lambda: toml("x = " + "[" * 20_000 + "]" * 20_000),
    "a TOML integer of 5,001 digits": lambda: toml("x = 1" + "0" * 5_000),
    "a hexadecimal TOML integer": lambda: files("experiment.toml", "format = 0x" + "f" * 50_000),
    "a TOML confidence of 401 digits": lambda: settings("confidence = 1" + "0" * 400),
    "a TOML seed of 401 digits": lambda: settings("seed = 1" + "0" * 400),
    "a gzip of 128 Mi newlines": lambda: files("a.gz", gzip.compress(b"\n" * MIB) * 128),
    "a bzip2 of 255 Mi newlines": lambda: files("a.bz2", bz2.compress(b"\n" * MIB) * 255),
    "a gzipped XML of 12 Mi elements": lambda: files(
        "a.xml.gz", b"".join(map(gzip.compress, [b"<dataset>", *[b"<a/>" * (MIB >> 2)] * 48, b"</dataset>"]))
    ),
    "XML 100,000 deep": lambda: files("a.xml", nested_xml(100_000)),
    "a CSV header of 40,000 columns": lambda: files("a.csv", columns(40_000)),
    "a CSV header of 100,000 columns": lambda: files("a.csv", columns(100_000)),
    "JSON lines with a column of their own each": lambda: files(
        "a.jsonl", "".join(f'{{"system": "a", "segment": "{n}", "c{n}": {n}}}\n' for n in range(20_000))
    ),
    "a table of 1,000 systems with segments of their own": lambda: files(
        "a.tsv", "system\tsegment\thypothesis\n" + "".join(f"s{n % 900}\t{n}\tx\n" for n in range(25_000))
    ),
    "a CoNLL-U comment of 200,000 spaces": lambda: files("hyp.conllu", "# segment = 1" + " " * 200_000 + "x\n" + WORD),
    "a JSON line of 100,000 references": lambda: files(
        "a.jsonl", json.dumps({"system": "a", "hypothesis": "x", "references": ["r"] * 100_000}) + "\n"
    ),
    "a COMET score of 401 digits": lambda: files("a.json", '[{"mt":"a","COMET":1' + "0" * 400 + "}]"),
    "a COMET file of 2 Mi lists": lambda: files("a.json", '[{"mt":"a","COMET":1}' + ",[]" * (2 * MIB) + "]"),
    "a COMET file 100,000 deep": lambda: files("a.json", '[{"mt":"a","COMET":' + "[" * 100_000),
    "an n-best id of 5,000 digits": lambda: files("a.nbest", "1" * 5_000 + " ||| x ||| y ||| 1\n"),
    "a score of 1,000,000 digits": lambda: files("a.csv", "system,segment,score\na,1," + "9" * (MIB // 10) + "\n"),
    "a system of 5,000 characters": lambda: files("a.csv", f"system,hypothesis\n{'s' * 5_000},x\n"),
    "a column of half a character": lambda: files("a.jsonl", r'{"system": "a", "hypothesis": "x", "\ud800": 1}'),
    "a system of half a character": lambda: files("a.jsonl", r'{"system": "\udfff", "hypothesis": "x"}'),
    "a file with a name of 5,000 characters": lambda: files("a" * 5_000 + ".txt", "x\n"),
    "a file called .gz.gz.gz …": lambda: files("a" + ".gz" * 2_000, "x\n"),
}


def columns(number: int) -> str:
    return "system,hypothesis," + ",".join(f"c{n}" for n in range(number)) + "\n"


def campaign(**changes: Any) -> dict[str, Any]:
    """A campaign as it is exported, with some values changed."""
    values: dict[str, Any] = {
        "uid": "0" * 32,
        "name": "c",
        "way": "errors",
        "test_set": "t",
        "test_set_digest": "0" * 32,
        "outputs": [{"system": "a", "run": "0", "digest": "0" * 32, "hypotheses": ["x"]}],
        "references": [["y"]],
        "source": None,
        "documents": None,
        "plan": {},
        "typology": [{"name": "Other", "minor": 1.0, "major": 5.0, "critical": 25.0}],
        "created_at": "2026-01-01",
        "is_closed": False,
    }
    return values | changes


def exported(task: Mapping[str, Any] | None = None, **changes: Any) -> str:
    """The file of that campaign."""
    whole = {"format": "mteval-annotations-1", "campaign": campaign(**changes), "tasks": [] if task is None else [task]}
    return json.dumps(whole)


def output(**changes: Any) -> list[dict[str, Any]]:
    return [campaign()["outputs"][0] | changes]


TASK: Mapping[str, Any] = {
    "annotator": "ann",
    "position": 0,
    "segment": 0,
    "stratum": "random",
    "output": 0,
    "marks": [],
}

MARK: Mapping[str, Any] = {"side": "hypothesis", "start": 0, "end": 1, "category": "Other", "severity": "minor"}

CAMPAIGNS: Mapping[str, Callable[[], str]] = {
    "100,000 brackets": lambda: "[" * 100_000,
    "2 Mi empty lists": lambda: '{"format":"mteval-annotations-1","tasks":[' + "[]," * (2 * MIB) + "[]]}",
    "a list": lambda: "[]",
    "a number of 5,000 digits": lambda: exported(uid="x").replace('"uid": "x"', '"uid": ' + "1" * 5_000),
    "empty references": lambda: exported(references=[[]]),
    "no references": lambda: exported(references=[], outputs=output(hypotheses=[])),
    "a reference that is a number": lambda: exported(references=[[5]]),
    "references that are a text": lambda: exported(references="y"),
    "hypotheses of a number and an object": lambda: exported(
        references=[["y"]] * 2, outputs=output(hypotheses=[5, {}])
    ),
    "a name that is a list": lambda: exported(name=[]),
    "a name that is a number": lambda: exported(name=5),
    "a name of 5,000 characters": lambda: exported(name="n" * 5_000),
    "a uid that is an object": lambda: exported(uid={}),
    "a uid of 5,000 characters": lambda: exported(uid="u" * 5_000),
    "a uid that is a path": lambda: exported(uid="../../etc/passwd"),
    "a half of a character in the name": lambda: exported(name="\ud800"),
    "a half of a character in a hypothesis": lambda: exported(outputs=output(hypotheses=["\udfff"])),
    "a system that is a list": lambda: exported(outputs=output(system=[])),
    "a key that is unknown": lambda: exported(outputs=output(colour="red")),
    "a source that is an object": lambda: exported(source={"a": "b"}),
    "a source of numbers": lambda: exported(source=[5]),
    "a plan that is a list": lambda: exported(plan=[]),
    "a plan with a seed of 401 digits": lambda: exported(plan={"seed": 10**400}),
    "a plan with a text for a number": lambda: exported(plan={"random": "many"}),
    "a weight that is a text": lambda: exported(typology=[{"name": "Other", "minor": "x"}]),
    "a weight of 401 digits": lambda: exported(typology=[{"name": "Other", "minor": 10**400}]),
    "a category that is a number": lambda: exported(typology=[{"name": 5}]),
    "closed by a text": lambda: exported(is_closed="yes"),
    "a date that is an object": lambda: exported(created_at={}),
    "a task that is a number": lambda: exported(task=5),
    "a task of an annotator that is a list": lambda: exported(task={**TASK, "annotator": []}),
    "a task of an annotator of 5,000 characters": lambda: exported(task={**TASK, "annotator": "a" * 5_000}),
    "a task at a place of 401 digits": lambda: exported(task={**TASK, "position": 10**400}),
    "a task at a place too large for a database": lambda: exported(task={**TASK, "position": 2**40}),
    "a task with a rating of 401 digits": lambda: exported(task={**TASK, "adequacy": 10**400}),
    "a task with a rating that is no number": lambda: exported(task={**TASK, "adequacy": float("nan")}),
    "a task with a comment that is an object": lambda: exported(task={**TASK, "comment": {}}),
    "a task of an unknown stratum": lambda: exported(task={**TASK, "stratum": {}}),
    "a mark that is a number": lambda: exported(task={**TASK, "marks": [5]}),
    "a mark with a text for a place": lambda: exported(task={**TASK, "marks": [{**MARK, "start": "a"}]}),
    "a mark of a category that is an object": lambda: exported(task={**TASK, "marks": [{**MARK, "category": {}}]}),
    "a mark on a side that is none": lambda: exported(task={**TASK, "marks": [{**MARK, "side": []}]}),
}

ADDRESSES: list[dict[str, str]] = [
    {"seed": "1e999", "shuffles": "1e999", "replicates": "inf"},
    {"seed": "nan", "shuffles": "-inf", "replicates": "NaN"},
    {"seed": "9" * 5_000, "shuffles": "-1", "replicates": "0"},
    {"seed": "1e308", "confidence": "1e999", "unit": "inf", "convention": "nan"},
    {"primary": "![m](http://evil.example/m.png)", "metrics": "x" * 5_000},
    {"seed": "../../etc/passwd", "baseline": "<script>alert(1)</script>", "test-set": "\x00"},
    {"sacrebleu.bleu.max_order": "1e999", "sacrebleu.chrf.beta": "inf", "sacrebleu.ter.lowercase": "perhaps"},
    {"y" * 5_000: "x", "primary": "", "seed": ""},
    {"annotate": "", "campaign": "", "test-set": ""},
]
