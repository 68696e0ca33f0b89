"""Make mistakes with real data, and see whether every door shows the same finding.

The doors are a page (the Scores page as AppTest runs it), the command line (text and JSON), Python, the report, and the
JUnit file of a gate.
``python -m benchmarks.doors docs/doors.md`` writes the table; without a file it is printed.
"""

import html
import io
import json
import logging
import os
import re
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pandas as pd
import sacrebleu

import mteval
from mteval.cli import main
from mteval.metrics import METRICS
from mteval.readers.documents import Edits, InputFile, Slot
from mteval.readers.workspace import Workspace
from mteval.values.findings import TITLES

DATA = Path(os.environ.get("MTEVAL_DATA", Path(__file__).parents[2] / "shared")) / "data"
N = 300  # segments of a case
Lines = list[str]
DOORS = ("page", "command line", "JSON", "Python", "report", "gate")


@dataclass(frozen=True)
class Mistake:
    """Files with a mistake in them, and the finding that every door should show.

    Parameters
    ----------
    what
        The mistake in a few words.
    code
        Of the finding.
    systems
        Runs of each system; a run is lines, or a name and lines.
    convention
        Empty for the default.
    scores
        A table of scores instead of texts.
    """

    what: str
    code: str
    systems: Mapping[str, Sequence[Lines | tuple[str, Lines]]]
    references: Sequence[Lines | tuple[str, Lines]]
    source: Lines | None = None
    convention: str = ""
    scores: Lines | None = None


def _sample(system: str = "", run: int = 0) -> Lines:
    """Return an output of the sample experiment, or its reference."""
    path = f"{system}/test.opt{run:02}.txt" if system else "reference.test.txt"
    return (mteval.sample_directory() / path).read_text(encoding="utf-8").splitlines()


def _lines(path: str, n: int = N) -> Lines:
    return (DATA / path).read_text(encoding="utf-8").splitlines()[:n]


def mistakes() -> Iterator[Mistake]:
    """Yield every mistake of the issue and more."""
    name = "multeval-example/hyps.lc.tok.en.{}.opt{}".format
    base, new = ([_lines(name(system, run)) for run in range(3)] for system in ("baseline", "sys1"))
    reference = _lines("multeval-example/refs.test2010.lc.tok.en.0")
    raw_a, raw_b = (_lines(f"wmt23-he-en/system-outputs/ONLINE-{letter}.txt") for letter in "AB")
    raw_reference, source = _lines("wmt23-he-en/refA.en.txt"), _lines("wmt23-he-en/source.he.txt")
    tokenized = [re.sub(r"([.,!?;:])(?= |$)", r" \1", line) for line in raw_b]
    good, raw = {"base": base, "new": new}, {"A": [raw_a], "B": [raw_b]}

    def of(what: str, code: str, new: Sequence[Any] | None = None, **changes: Any) -> Mistake:
        systems = good if new is None else {"base": base, "new": new}
        return Mistake(what, code, **{"systems": systems, "references": [reference], **changes})

    def of_raw(what: str, code: str, lines: Lines | None = None, **changes: Any) -> Mistake:
        systems = raw if lines is None else {"A": [raw_a], "B": [lines]}
        return Mistake(what, code, **{"systems": systems, "references": [raw_reference], "source": source, **changes})

    def changed(lines: Lines, every: int, change: Callable[[str], str]) -> Lines:
        return [change(line) if number % every == 0 else line for number, line in enumerate(lines)]

    yield of("a run listed twice", "copied-runs", [*new, new[0]])
    yield of("all runs are one file", "copied-runs", [new[0]] * 3)
    yield of("two systems from the same files", "identical-systems", base)
    yield of("a run of another system", "shared-output", [*new[:2], base[0]])
    yield of(
        "near-copies: checkpoints of one training", "near-copies", [new[0], changed(new[0], 20, str.upper), new[1]]
    )
    yield of("the reference as a system", "reference-as-system", [reference])
    yield of_raw("the source as a system", "source-as-system", source)
    yield of_raw("the source as references", "reference-as-source", references=[source])
    yield of("an output named as a reference", "name", [("refs.txt", new[0]), *new[1:]])
    yield of("a reference named as an output", "name", references=[("hyp.txt", reference)])
    yield of("an output in reverse order", "line-order", [new[0][::-1], *new[1:]])
    yield of("an output shifted by a line", "line-order", [["", *new[0][:-1]], *new[1:]])
    yield of("a line lost halfway", "line-order", [[*new[0][:120], *new[0][121:], "."], *new[1:]])
    yield of_raw("an output of another test set", "line-order", new[0])
    yield of_raw("empty hypotheses", "empty-hypotheses", changed(raw_b, 7, lambda _: ""))
    yield of_raw("an empty file", "empty-hypotheses", [""] * N)
    yield of_raw("empty references", "empty-references", references=[changed(raw_reference, 50, lambda _: "")])
    yield of_raw("a system tokenized, the references not", "tokenization", tokenized)
    yield of_raw("only some runs tokenized", "mixed-tokenization", systems={"A": [raw_a], "B": [raw_b, tokenized]})
    yield of_raw("a system lowercased, the references not", "case", [line.lower() for line in raw_b])
    yield of_raw("references lowercased, systems not", "case", references=[[line.lower() for line in raw_reference]])
    yield of_raw("only some runs lowercased", "mixed-case", systems={"A": [raw_a, [one.lower() for one in raw_a]]})
    yield of_raw("raw text under MultEval's convention", "text-detokenized", convention="multeval")
    yield of("tokenized text under sacreBLEU's convention", "text-tokenized", convention="sacrebleu")
    yield of_raw("untranslated segments", "source-copies", [*source[:40], *raw_b[40:]])
    yield of_raw(
        "the same reference twice",
        "copied-references",
        references=[raw_reference, changed(raw_reference, 30, str.upper)],
    )
    yield of("subwords not joined", "subwords", [[line.replace("ing ", "@@ ing ") for line in new[0]], *new[1:]])
    yield of_raw("escaped characters", "entities", [line.replace("'", "&apos;") for line in raw_b])
    yield of_raw("garbled characters", "encoding", [line.replace("'", "â€™") for line in raw_b])
    yield of_raw("half of every line lost", "length", [line[: len(line) // 3] for line in raw_b])
    yield of_raw("one output for most segments", "repeated-lines", [raw_b[0]] * 200 + raw_b[200:])
    other, sample = ([_sample(system, run) for run in range(6)] for system in ("baseline", "reordering"))
    cut = changed(sample[0], 1, lambda line: " ".join(line.split()[:-4]))
    alike = [changed(sample[0], every, lambda line: f"{line} x") for every in (7, 8)]
    for what, code, runs in (
        ("one run much worse than five others", "run-apart", [cut, *sample[1:]]),
        ("two runs that hardly differ", "runs-alike", [*alike, *sample[1:]]),
    ):
        yield Mistake(what, code, {"base": other, "new": runs}, [_sample()])
    rows = [f"{s}\t{run}\t{n}\t{n * 7 % 10 + (s == 'B') * run}" for s in "AB" for run in range(3) for n in range(1, 31)]
    header = "system\trun\tsegment\tscore"
    yield Mistake("scores of all runs are equal", "copied-scores", {}, (), scores=[header, *rows])


def refusals() -> Iterator[Mistake]:
    """Yield inputs that no door takes; ``code`` is a phrase of the error."""
    name = "multeval-example/hyps.lc.tok.en.{}.opt0".format
    base, new = _lines(name("baseline")), _lines(name("sys1"))
    reference = _lines("multeval-example/refs.test2010.lc.tok.en.0")
    header, row = "system\trun\tsegment\tscore", "A\t0\t1\t0.5"
    yield Mistake("an output with a line too few", "299", {"base": [base], "new": [new[:-1]]}, [reference])
    yield Mistake("references of another length", "250", {"base": [base], "new": [new]}, [reference[:250]])
    for what, phrase, value in (
        ("a score that overflows", "1e+308", "1e308"),
        ("a score that is a word", "good", "good"),
    ):
        rows = [header, row, "A\t0\t2\t0.7", "B\t0\t1\t0.1", f"B\t0\t2\t{value}"]
        yield Mistake(what, phrase, {}, (), scores=rows)


@dataclass(frozen=True)
class Files:
    """The files of a mistake on disk."""

    references: Sequence[Path]
    systems: Mapping[str, Sequence[Path]]
    source: Path | None
    scores: Path | None

    @classmethod
    def of(cls, mistake: Mistake, folder: Path) -> "Files":
        """Write them."""

        def write(name: str, content: Lines | tuple[str, Lines]) -> Path:
            name, lines = content if isinstance(content, tuple) else (name, content)
            path = folder / name
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            return path

        references = [write(f"r{number}.txt", one) for number, one in enumerate(mistake.references)]
        systems = {
            system: [write(f"{system}-{number}.txt", run) for number, run in enumerate(runs)]
            for system, runs in mistake.systems.items()
        }
        source, scores = (
            write(name, lines) if lines else None
            for name, lines in (("s.txt", mistake.source), ("scores.tsv", mistake.scores))
        )
        return cls(references, systems, source, scores)


def words_of(mistake: Mistake, files: Files) -> list[str]:
    """Return the options of the command line."""
    if files.scores:
        return ["--scores-higher", str(files.scores), "--ar-shuffles", "100"]
    words = ["--refs", *map(str, files.references)]
    for system, runs in files.systems.items():
        words += ["--system", system, *map(str, runs)]
    words += ["--source", str(files.source)] if files.source else []
    words += ["--convention", mistake.convention] if mistake.convention else []
    return [*words, "--metrics", "bleu", "--boot-samples", "100", "--ar-shuffles", "100"]


def told(*words: str) -> str:
    """Return what a command prints on stdout."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        assert main(list(words)) == 0, words
    return out.getvalue()


def by_command_line(mistake: Mistake, files: Files) -> bool:
    """Whether ``mteval eval`` prints the finding below its table."""
    return f"Warning: {TITLES[mistake.code]}." in told("eval", *words_of(mistake, files))


def by_json(mistake: Mistake, files: Files) -> bool:
    """Whether its JSON has the finding."""
    found = json.loads(told("eval", *words_of(mistake, files), "--format", "json"))["findings"]
    return any(one["code"] == mistake.code and one["severity"] == "warning" for one in found)


def by_python(mistake: Mistake, files: Files) -> bool:
    """Whether ``mteval.compare`` warns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _compared(mistake, files)
    return any(issubclass(one.category, UserWarning) and TITLES[mistake.code] in str(one.message) for one in caught)


def _compared(mistake: Mistake, files: Files) -> mteval.Comparison:
    """Compare as a program would."""
    if files.scores:
        table = pd.read_csv(files.scores, sep="\t")
        runs = {
            name: one.pivot(index="run", columns="segment", values="score") for name, one in table.groupby("system")
        }
        return mteval.compare_scores(runs, n_bootstrap=100, n_shuffles=100)
    return mteval.compare(
        files.systems, files.references, ["bleu"], source=files.source, n_bootstrap=100, n_shuffles=100,
        **({"convention": mistake.convention} if mistake.convention else {}),
    )  # fmt: skip


def by_report(mistake: Mistake, files: Files) -> bool:
    """Whether the HTML report of ``mteval report`` has it."""
    with tempfile.TemporaryDirectory() as folder:
        told("report", *words_of(mistake, files), "--only", "html", "--to", folder)
        return TITLES[mistake.code] in html.unescape(Path(folder, "report.html").read_text(encoding="utf-8"))


def gate_words(mistake: Mistake, files: Files) -> list[str]:
    """Return the options of ``mteval gate``."""
    if files.scores:
        return ["--scores-higher", str(files.scores)]
    baseline, candidate, *_ = *files.systems.values(), *files.systems.values()  # some mistakes need one system only
    words = ["--refs", *map(str, files.references), "--baseline", *map(str, baseline), "--candidate"]
    words += [*map(str, candidate), *(["--source", str(files.source)] if files.source else [])]
    return [*words, *(["--convention", mistake.convention] if mistake.convention else []), "--metrics", "bleu"]


def by_gate(mistake: Mistake, files: Files) -> bool:
    """Whether the JUnit file of ``mteval gate`` has it."""
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        path = Path(folder, "gate.xml")
        main(["gate", *gate_words(mistake, files), "--junit", str(path)])
        return f"warning: {TITLES[mistake.code]}." in html.unescape(path.read_text(encoding="utf-8"))


def scores_page(mistake: Mistake, files: Files, *, is_refused: bool = False) -> Any:
    """Return the Scores page as AppTest runs it, or the Load page if the input is refused."""
    from streamlit.runtime.pages_manager import PagesManager
    from streamlit.testing.v1 import AppTest

    logging.disable(logging.WARNING)
    contents = [*((path, "reference", None, None) for path in files.references)]
    contents += [(path, "hypothesis", system, str(run)) for system, runs in files.systems.items()
                 for run, path in enumerate(runs)]  # fmt: skip
    contents += [(files.source, "source", None, None)] if files.source else []
    contents += [(files.scores, "scores", None, None)] if files.scores else []
    slots = tuple(Slot(path.name, role, system, run) for path, role, system, run in contents)
    inputs = [InputFile(path.name, path.read_bytes()) for path in dict.fromkeys(path for path, *_ in contents)]
    page = AppTest.from_file(str(Path(__file__).parents[1] / "app.py"), default_timeout=180)
    page.session_state["workspace"] = Workspace.of(
        inputs, Edits(slots, {"scores": True} if files.scores else {}), frozenset(METRICS)
    )
    for key, value in {
        "primary": "scores" if files.scores else "bleu",
        "metrics": [],
        "shuffles": 100,
        "replicates": 100,
    }.items():
        page.session_state[key] = value
    if mistake.convention:
        page.session_state["convention"], page.session_state["convention-chosen"] = mistake.convention, True
    prepare = PagesManager.__init__

    def prepared(self: PagesManager, *args: Any, **kwargs: Any) -> None:
        PagesManager.uses_pages_directory = False  # AppTest forgets that st.navigation was used
        prepare(self, *args, **kwargs)

    with patch.object(PagesManager, "__init__", prepared):
        page.run()
        if is_refused:
            return page
        page.button(key="start").click().run()
        deadline = time.monotonic() + 60
        while page.session_state["background"].jobs and time.monotonic() < deadline:
            time.sleep(0.05)
            page.run()
        page.switch_page("pages/scores.py").run()
    assert not page.exception, page.exception
    return page


def by_page(mistake: Mistake, files: Files) -> bool:
    """Whether the Scores page shows it beside the verdict."""
    page = scores_page(mistake, files)
    return TITLES[mistake.code] in html.unescape("\n".join(element.value for element in page.html))


CHECKS: Mapping[str, Callable[[Mistake, Files], bool]] = dict(
    zip(DOORS, (by_page, by_command_line, by_json, by_python, by_report, by_gate), strict=True)
)


def shown(mistake: Mistake, doors: Sequence[str] = DOORS) -> dict[str, bool]:
    """Return which doors show the finding of a mistake."""
    with tempfile.TemporaryDirectory() as folder:
        files = Files.of(mistake, Path(folder))
        return {door: CHECKS[door](mistake, files) for door in doors}


def table() -> Iterator[str]:
    """Yield the rows of the table in Markdown."""
    yield f"| mistake | finding | {' | '.join(DOORS)} |"
    yield "|---" * (2 + len(DOORS)) + "|"
    for mistake in mistakes():
        found = shown(mistake)
        cells = ("yes" if found[door] else "**no**" for door in DOORS)
        yield f"| {mistake.what} | `{mistake.code}` | {' | '.join(cells)} |"


REFUSALS: Mapping[str, Callable[[Mistake, Files], str]] = {
    "page": lambda mistake, files: "\n".join(
        html.unescape(one.value) for one in scores_page(mistake, files, is_refused=True).html
    ),
    "command line": lambda mistake, files: _refused("eval", *words_of(mistake, files)),
    "Python": lambda mistake, files: _raised(mistake, files),
    "report": lambda mistake, files: _refused("report", *words_of(mistake, files), "--to", tempfile.gettempdir()),
    "gate": lambda mistake, files: _refused("gate", *gate_words(mistake, files)),
}


def _refused(*words: str) -> str:
    """Return what a command prints on stderr; empty if it succeeds."""
    err = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(err):
        try:
            failed = main(list(words))
        except SystemExit as end:
            failed = end.code
    return err.getvalue() if failed else ""


def _raised(mistake: Mistake, files: Files) -> str:
    try:
        _compared(mistake, files)
    except mteval.MtevalError as error:
        return str(error)
    return ""


def refused() -> Iterator[str]:
    """Yield which doors refuse an input and say what is wrong."""
    yield f"| input | said | {' | '.join(REFUSALS)} |"
    yield "|---" * (2 + len(REFUSALS)) + "|"
    for mistake in refusals():
        with tempfile.TemporaryDirectory() as folder:
            files = Files.of(mistake, Path(folder))
            cells = ("yes" if mistake.code in said(mistake, files) else "**no**" for said in REFUSALS.values())
            yield f"| {mistake.what} | {mistake.code} | {' | '.join(cells)} |"


def _page_scores(mistake: Mistake, files: Files) -> list[float]:
    page = scores_page(mistake, files)
    *_, key = page.session_state["evaluations"].latest.values()
    evaluation = page.session_state["background"].values.get(key).evaluation
    return [row.score for row in evaluation.run_scores]


def _scores_in(text: str) -> list[float]:
    return [row["score"] for row in json.loads(text)["scores"]]


def _report_scores(*words: str) -> list[float]:
    with tempfile.TemporaryDirectory() as folder:
        told("report", *words, "--only", "json", "--to", folder)
        return _scores_in(Path(folder, "numbers.json").read_text(encoding="utf-8"))


def default_scores() -> Iterator[str]:
    """Yield mean BLEU of a system by default at every door, beside sacreBLEU's and MultEval's."""
    yield "| text | peer | page | command line | Python | report |"
    yield "|---|---|---|---|---|---|"
    raw, references = (
        _lines("wmt23-he-en/system-outputs/ONLINE-A.txt", 10_000),
        _lines("wmt23-he-en/refA.en.txt", 10_000),
    )
    name = "multeval-example/hyps.lc.tok.en.baseline.opt{}".format
    runs, tokenized = [_lines(name(run), 10_000) for run in range(3)], "multeval-example/refs.test2010.lc.tok.en.0"
    recorded = (DATA.parent / "reference" / "multeval" / "results.txt").read_text(encoding="utf-8")
    (multeval,) = re.findall(r"RESULT: baseline: BLEU: AVG: (\S+)", recorded)
    for what, peer, mistake in (
        ("raw: WMT23 he-en, ONLINE-A", f"sacreBLEU {sacrebleu.corpus_bleu(raw, [references]).score:.4f}",
         Mistake("", "", {"A": [raw]}, [references])),
        ("tokenized: MultEval's example, baseline", f"MultEval {float(multeval):.4f}",
         Mistake("", "", {"baseline": runs}, [_lines(tokenized, 10_000)])),
    ):  # fmt: skip
        with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
            files = Files.of(mistake, Path(folder))
            words = words_of(mistake, files)
            if "baseline" in mistake.systems:
                words = [word for word in words if word != "baseline"]
                words[words.index("--system")] = "--hyps-baseline"
            found = mteval.score(files.systems, files.references, ["bleu"])["score"].tolist()
            doors = (
                _page_scores(mistake, files), _scores_in(told("eval", *words, "--format", "json")), found,
                _report_scores(*words),
            )  # fmt: skip
            yield f"| {what} | {peer} | {' | '.join(f'{sum(some) / len(some):.4f}' for some in doors)} |"


_HEAD = """\
# The same findings through every door

Every mistake is made with real data: {n} segments of MultEval's example or of WMT23 he-en.
"yes" means that the finding is shown beside the verdict. The doors are the page Scores, the text and the JSON of
`mteval eval`, the `UserWarning` of `mteval.compare`, the report, and the JUnit file of `mteval gate`.
`python -m benchmarks.doors docs/doors.md` makes this page.
"""
_REFUSED = """
## Inputs that every door refuses

"yes" means that there is no verdict, and the error says this (a number of lines, a value).
"""
_SCORES = """
## The same BLEU by default

Mean over runs. The second row uses MultEval's own options on the command line and in the report.
"""


def page_lines() -> Iterator[str]:
    """Yield the lines of the page."""
    yield _HEAD.format(n=N)
    yield from table()
    yield _REFUSED
    yield from refused()
    yield _SCORES
    yield from default_scores()


if __name__ == "__main__":
    text = "\n".join(page_lines()) + "\n"
    Path(sys.argv[1]).write_text(text, encoding="utf-8") if sys.argv[1:] else print(text)
