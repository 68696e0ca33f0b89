"""Files as they should be, and what chance makes of them."""

import gzip
import json
import tomllib
from collections.abc import Callable, Mapping
from random import Random

import pandas as pd
import tomli_w

from mteval.render.bundle import zipped
from mteval.render.xlsx import workbook
from tests.hostile.inputs import MARK, TASK, WORD, exported, sgml

TOML = """\
format = 1
made_with = "mteval"
baseline = "base"

[settings]
metrics = ["bleu", "ter"]
convention = "multeval"
n_bootstrap = 1000
confidence = 0.95
[settings.options.bleu]
max_order = 4

[[test_sets]]
name = "test"
role = "test"
languages = "en-de"
references = ["ref.txt", {file = "table.tsv", part = "reference"}]
[test_sets.systems.base]
0 = "hyp.txt"
[test_sets.systems."new 1"]
"1" = "other.txt"

[[scores]]
name = "COMET"
better = "higher"
files = ["scores.csv"]
"""
XML = (
    '<dataset id="t"><doc id="d">'
    '<src><p><seg id="1">q</seg></p></src>'
    '<ref translator="A"><p><seg id="1">r &amp; s</seg></p></ref>'
    '<hyp system="s"><p><seg id="1">h</seg></p></hyp>'
    "</doc></dataset>"
)
TABLE = 'system\trun\tsegment\thypothesis\treference\tscore\na\t0\t1\t"x ""y"""\tz\t0.5\na\t1\t2\tx, y\tz\tNone\n'
COMET = json.dumps({"a.txt": [{"src": "q", "mt": "h", "ref": "r", "COMET": 0.81}, {"mt": "h", "COMET": float("nan")}]})
RATINGS = 'a\t{"errors": [{"category": "x", "severity": "minor", "start": 0, "end": 2, "score": 1.5}]}\tr1\nb\tNone\n'
SPAN = {"text": "h", "start": 0, "end": 1, "severity": "major", "confidence": 0.4}
SPANS = json.dumps([{"src": "q", "mt": "h", "COMET": 0.81, "errors": [SPAN]}, {"mt": "h g", "COMET": 0.5}])
METRICX = {"source": "q", "hypothesis": "h", "reference": "r", "prediction": 2.5}
APPRAISE = "ann,base,1,TGT,eng,deu,77,d#1,False,1.5,2.5\nann,base,2,BAD,eng,deu,7,d#1,False,1.5,2.5\n"
ESA = 'ann,base,1,TGT,eng,deu,77,d#1,False,"[{""start_i"":0,""end_i"":3,""severity"":""minor""}]",1.5,2.5\n'
PAIRS = "ann,base,1,TGT,eng,deu,77,1.5,2.5\n"
KIND = '{""start_i"":%s,""end_i"":3,""error_type"":[""a"",""b""],""severity"":""minor""}'
PLACES = KIND % 0 + "," + KIND % '""missing""'
KINDS = f'ann,base,1,TGT,eng,deu,77,d#1,False,"[{PLACES}]",1.5,2.5,batch,1\n'
JUDGED = "annotator,system,segment,document,adequacy,fluency,order\nann,base,1,d,77,50.5,1\nbob,base,2,d,,40,2\n"
RATED = {"rater": "ann", "system": "base", "segment": "1", "aspect": "esa", "value": 77, "hypothesis": "a b"}
SAID = {"score": 83, "error_spans": [{"start_i": 2, "end_i": 6, "category": None, "severity": "major"}]}
ORIGIN = {"annotator": "ann", "segment": "1", "outputs": {"base": [["base", "0"]]}, "document": "d", "probability": 0.5}
PEARMUT = {
    "annotation": [{"base": SAID}],
    "item": [{"src": "q", "tgt": {"base": "a b"}, "item_id": "1", "mteval": ORIGIN}],
    "user_id": "ann",
    "item_i": 0,
}
FAIRSEQ = "INFO\nS-1\td e\nT-1\td e f .\nH-1\t-0.5\td g\nD-1\t-0.5\td g .\nS-0\ta\nT-0\ta b c\nH-0\t-1\ta b\n"
MQM_HEAD = "system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity\n"
MQM = f"{MQM_HEAD}a\td\t1\t1\tr\tq\t<v>h</v>\tx\tminor\nb\td\t1\t1\tr\tq\tg\tx\tno-error\n"
NBEST = "0 ||| a b ||| LM= -1 ||| -2.5\n0 ||| a c ||| LM= -2 ||| -3\n1 ||| x ||| y ||| 0\n"
HARNESS = {"doc_id": 0, "target": "r", "arguments": [["q"]], "filtered_resps": ["h"], "metrics": ["acc"], "acc": 1.0}
SAMPLE = {"id": 1, "input": "q", "target": "r", "output": {"completion": "h"}, "scores": {"match": {"value": "C"}}}
INSPECT = {"eval": {"model": "m", "created": "c", "task": "t"}, "samples": [SAMPLE, {**SAMPLE, "id": "b"}]}
RESULT = {
    "promptId": "p",
    "provider": {"id": "m"},
    "testIdx": 0,
    "score": 1,
    "namedScores": {"x": 0.5},
    "vars": {"q": "q"},
}
PROMPTFOO = {"evalId": "e", "results": {"results": [RESULT, {**RESULT, "promptId": "q"}]}}
WANDB = {"columns": ["system", "segment", "hypothesis", "bleu"], "data": [["a", "1", "h", 1], ["a", 2, "g", 0.5]]}
FILTERED = f"{json.dumps({**HARNESS, 'filter': 'x'})}\n{json.dumps({**HARNESS, 'filter': 'y'})}\n"
HELM = [{"instance_id": "i", "train_trial_index": 0, "stats": [{"name": {"name": "f1"}, "mean": 1.0}]}]
SHARED = {"model_id": "m", "evaluation_id": "e", "evaluation_name": "t", "sample_id": "s", "evaluation": {"score": 1}}
SHARED |= {"input": {"raw": "q", "reference": ["r"]}, "output": {"raw": ["h"]}}
DETAIL = {"doc": {"id": "1", "query": "q", "choices": ["r"], "gold_index": 0}, "metric": {"em": 1.0}}
DETAIL |= {"model_response": {"text": ["h"]}}
PUBLISHED = {"doc_id": "en-de_#_speech_#_vid_x", "hypothesis": "a\n\nb"}
GRADED = {"language_pair": "en-de", "domain": "news", "document_id": "x", "metric_scores": {"X": [1, None]}}
MEMORY = '<tmx><header srclang="en"/><body><tu><tuv lang="en"><seg>a</seg></tuv></tu></body></tmx>'
UNITS = '<trans-unit id="1"><source>a</source><target>b <g id="1">c</g></target></trans-unit>'
XLIFF = f'<xliff version="1.2"><file source-language="en"><body>{UNITS}{UNITS}</body></file></xliff>'
HUMEVAL = {"scores": {"a": {"human": 50, "errors": [{"start_i": 0, "end_i": 2, "severity": "minor"}]}}}
HUMEVAL |= {"src_text": "s", "tgt_text": {"a": "a b c", "refA": "r"}, "doc_id": "en-de_#_news_#_d"}
COMET_OUTPUT = "a.txt\tSegment 0\tscore: 0.5\na.txt\tSegment 1\tscore: 0.25\na.txt\tscore: 0.375\n"
ROWS = [{"system": "a", "segment": number, "hypothesis": "h", "reference": "r", "score": 0.5} for number in (1, 2)]
OLD_PROMPTFOO = {"provider": "p", "vars": {"q": "v"}, "response": {"output": "h"}, "score": 1, "gradingResult": {}}
FILES: Mapping[str, bytes] = {
    "ref.txt": b"a b c\nd e f .\n",
    "base.opt0.txt": "ä b c\nd ‮ f .\n".encode(),
    "table.tsv": TABLE.encode(),
    "table.csv": TABLE.replace(", ", " ").replace("\t", ",").encode(),
    "table.jsonl": b'{"system": "a", "run": 1, "segment": "1", "hypothesis": "h", "references": ["r"], "score": 1}\n',
    "scores.csv": b"system,segment,metric,score\nbase,1,m,0.5\nbase,2,m,nan\nnew 1,1,m,1\nnew 1,2,m,2\n",
    "m.seg.score": b"a\t0.5\na\tNone\nb\t-1e3\nb\t2\n",
    "set.sgm": sgml('genre="x"', 2).encode(),
    "set.xml": XML.encode(),
    "comet.json": COMET.encode(),
    "hyp.conllu": (f"# segment = 1\n{WORD}# segment = 2\n{WORD}").encode(),
    "list.nbest": NBEST.encode(),
    "experiment.toml": TOML.encode(),
    "c.json": exported({**TASK, "marks": [MARK], "seconds": 50.5, "comment": "x"}).encode(),
    "r.seg.rating": RATINGS.encode(),
    "appraise.csv": APPRAISE.encode(),
    "errors.mqm.tsv": MQM.encode(),
    "m/samples_t_2026-01-01T00-00-00.jsonl": (json.dumps(HARNESS) + "\n").encode(),
    "m/samples_u_2026-01-01T00-00-00.jsonl": FILTERED.encode(),
    "runs/v1/t:model=m/per_instance_stats.json": json.dumps(HELM).encode(),
    "shared.jsonl": f"{json.dumps(SHARED)}\n".encode(),
    "details/m/d/details_t_2026-01-01T00-00-00.jsonl": f"{json.dumps(DETAIL)}\n".encode(),
    "published.jsonl": f"{json.dumps(PUBLISHED)}\n".encode(),
    "graded.jsonl": f"{json.dumps(GRADED)}\n".encode(),
    "memory.tmx": MEMORY.encode(),
    "units.xlf": XLIFF.encode(),
    "humeval.jsonl": 2 * f"{json.dumps(HUMEVAL)}\n".encode(),
    "comet.out": COMET_OUTPUT.encode(),
    "rows.json": json.dumps(ROWS, indent=1).encode(),
    "book.xlsx": workbook({"rows": pd.DataFrame(ROWS)}),
    "semicolons.csv": b"system;segment;score\na;1;0,5\na;2;1,25\n",
    "wide.csv": b"segment,Old,New\n1,0.5,0.25\n2,1,0.75\n",
    "corpus.csv": b"system,seed,BLEU\na,1,20.5\na,2,21\n",
    "old/pretrained__org__m_task.jsonl": json.dumps([{**HARNESS, "doc_hash": "x"}]).encode(),
    "old-promptfoo.json": json.dumps({"evalId": None, "results": {"results": [OLD_PROMPTFOO]}}).encode(),
    "inspect.json": json.dumps(INSPECT).encode(),
    "promptfoo.json": json.dumps(PROMPTFOO).encode(),
    "wandb.json": json.dumps(WANDB).encode(),
    "spans.json": SPANS.encode(),
    "metricx.jsonl": 2 * f"{json.dumps(METRICX)}\n".encode(),
    "esa.csv": ESA.encode(),
    "pairs.csv": PAIRS.encode(),
    "kinds.csv": KINDS.encode(),
    "judged.csv": JUDGED.encode(),
    "judged.jsonl": f"{json.dumps(RATED)}\n".encode(),
    "pearmut.jsonl": 2 * f"{json.dumps(PEARMUT)}\n".encode(),
    "pearmut.json": json.dumps({"pair": [PEARMUT]}).encode(),
    "generate-test.txt": FAIRSEQ.encode(),
    "packed.zip": zipped({"ref.txt": b"a b c\nd e f .\n", "sys/0.txt": b"a b c\nd e .\n"}),
    "packed.gz": gzip.compress(b"a b c\nd e f .\n", mtime=0),
}
MARKS = (
    b'"',
    b'""',
    b"'",
    b"\t",
    b"\n",
    b"\r",
    b"\0",
    b",",
    b"{",
    b"}",
    b"[",
    b"]",
    b":",
    b"=",
    b".",
    b"<",
    b">",
    b"&amp;",
    b"&amp;",  # twice as often as the others
)
# Bytes that are no UTF-8, half of a pair of surrogates, escapes of JSON, a mark of byte order, a separator of lines
ODD_CHARACTERS = (b"\xff", b"\xed\xa0\x80", b"\\ud800", b"\\u0000", b"\xef\xbb\xbf", b"\xe2\x80\xa8")
ODD_NUMBERS = (b"1e999", b"-1", b"9" * 400, b"9" * 5000, b"NaN", b"Infinity")
ODD_VALUES = (b"null", b"true", b"{}", b"[]", b"[" * 200, b"a." * 100, b"../../etc/passwd")
MARKUP = (
    b"![m](http://evil.example)",
    b"<script>",
    b"<seg",
    b"</seg>",
    b"<doc ",
    b"# segment = ",
    b" ||| ",
    b"s" * 5000,
)
COLUMNS = (b"system", b"score", b"hypothesis", b"reference", b"segment", b"metric")
STARTS_OF_FILES = (b"\x1f\x8b", b"PK\x03\x04", b"0x")
PIECES = (*MARKS, *ODD_CHARACTERS, *ODD_NUMBERS, *ODD_VALUES, *MARKUP, *COLUMNS, *STARTS_OF_FILES)


def mutated(content: bytes, chance: Random) -> bytes:
    """The content with a few changes: bytes, pieces and parts of it put in, taken out, doubled, cut off."""
    changed = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        chance.choice(CHANGES)(changed, chance)
    return bytes(changed)


def _place(changed: bytearray, chance: Random) -> int:
    return chance.randrange(len(changed) + 1)


def _flip(changed: bytearray, chance: Random) -> None:
    if changed:
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)


def _insert(changed: bytearray, chance: Random) -> None:
    place = _place(changed, chance)
    changed[place:place] = chance.choice(PIECES)


def _replace(changed: bytearray, chance: Random) -> None:
    place = _place(changed, chance)
    changed[place : place + chance.randrange(1, 12)] = chance.choice(PIECES)


def _delete(changed: bytearray, chance: Random) -> None:
    place = _place(changed, chance)
    del changed[place : place + chance.randrange(1, 30)]


def _double(changed: bytearray, chance: Random) -> None:
    start = _place(changed, chance)
    part = bytes(changed[start : start + chance.randrange(1, 60)])
    place = _place(changed, chance)
    changed[place:place] = part * chance.choice((1, 1, 2, 50))


def _cut(changed: bytearray, chance: Random) -> None:
    del changed[_place(changed, chance) :]


CHANGES: tuple[Callable[[bytearray, Random], None], ...] = (_flip, _insert, _replace, _replace, _delete, _double, _cut)


ODD: tuple[object, ...] = (
    None, True, False, 0, -1, 1e308, -1e308, 10**30, 0.5, "", " ", "x", "1", "nan", "\ud800", "é\u2028", [], {}, [[]],
    [1], ["x"], {"x": 1}, [None], "A" * 3000,
)  # fmt: skip


def typed(content: bytes, chance: Random) -> bytes:
    """The content with a few values of other types: in JSON and TOML any node, in tables any cell."""
    text = content.decode("utf-8", "replace")
    for read, write in NOTATIONS:
        try:
            form = read(text)
            for _ in range(chance.choice((1, 1, 2, 4))):
                form = _with_odd(form, chance)
            return write(form).encode("utf-8", "surrogatepass")
        except (ValueError, TypeError, AttributeError):
            continue  # the content has another notation, or this one cannot write the odd value

    separator = "\t" if "\t" in text else ","
    rows = [line.split(separator) for line in text.split("\n")]
    row = chance.choice(rows)
    row[chance.randrange(len(row))] = str(chance.choice(ODD))
    changed_lines = [separator.join(row) for row in rows]
    return "\n".join(changed_lines).encode("utf-8", "surrogatepass")


def _read_json_lines(text: str) -> list[object]:
    return [json.loads(line) for line in text.splitlines()]


def _write_json_lines(values: list[object]) -> str:
    return "\n".join(json.dumps(value) for value in values)


# How each notation is read and written
NOTATIONS: tuple[tuple[Callable[..., object], Callable[..., str]], ...] = (
    (json.loads, json.dumps),
    (_read_json_lines, _write_json_lines),
    (tomllib.loads, tomli_w.dumps),
)


def _with_odd(form: object, chance: Random) -> object:
    """The form with one node replaced, taken out or doubled; the deeper, the likelier."""
    if not isinstance(form, dict | list) or not form or chance.random() >= 0.85:
        return chance.choice(ODD)

    keys = list(form) if isinstance(form, dict) else list(range(len(form)))
    key = chance.choice(keys)
    changed = form.copy()
    kind_of_change = chance.random()
    if kind_of_change < 0.1:
        del changed[key]
    elif kind_of_change < 0.2 and isinstance(changed, list):
        changed.append(changed[key])
    else:
        changed[key] = _with_odd(changed[key], chance)
    return changed
