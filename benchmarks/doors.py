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
ALL = 10_000  # more than any file has
Lines = list[str]


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
    """Return the first lines of a file of the real data."""
    return (DATA / path).read_text(encoding="utf-8").splitlines()[:n]


def _changed(lines: Lines, every: int, change: Callable[[str], str]) -> Lines:
    """Return lines of which every n-th one, the first included, is changed."""
    changed = list(lines)
    for number in range(0, len(lines), every):
        changed[number] = change(lines[number])
    return changed


def _lowercased(lines: Lines) -> Lines:
    return [line.lower() for line in lines]


def mistakes() -> Iterator[Mistake]:
    """Yield every mistake of the issue and more."""
    base = [_lines(f"multeval-example/hyps.lc.tok.en.baseline.opt{run}") for run in range(3)]
    new = [_lines(f"multeval-example/hyps.lc.tok.en.sys1.opt{run}") for run in range(3)]
    reference = _lines("multeval-example/refs.test2010.lc.tok.en.0")

    raw_a = _lines("wmt23-he-en/system-outputs/ONLINE-A.txt")
    raw_b = _lines("wmt23-he-en/system-outputs/ONLINE-B.txt")
    raw_reference = _lines("wmt23-he-en/refA.en.txt")
    source = _lines("wmt23-he-en/source.he.txt")
    tokenized = [re.sub(r"([.,!?;:])(?= |$)", r" \1", line) for line in raw_b]

    def of(what: str, code: str, runs: Sequence[Any] = new, **changes: Any) -> Mistake:
        """Return a mistake in MultEval's example, which is tokenized: by default its own runs of the new system."""
        right = {"systems": {"base": base, "new": runs}, "references": [reference]}
        return Mistake(what, code, **{**right, **changes})

    def of_raw(what: str, code: str, lines: Lines = raw_b, **changes: Any) -> Mistake:
        """Return a mistake in raw text of WMT23: by default its own output of system B."""
        right = {"systems": {"A": [raw_a], "B": [lines]}, "references": [raw_reference], "source": source}
        return Mistake(what, code, **{**right, **changes})

    yield of("a run listed twice", "copied-runs", [*new, new[0]])
    yield of("all runs are one file", "copied-runs", [new[0]] * 3)
    yield of("two systems from the same files", "identical-systems", base)
    yield of("a run of another system", "shared-output", [*new[:2], base[0]])
    checkpoints = [(f"new.step{number}.txt", lines) for number, lines in enumerate(new, start=1)]
    yield of("checkpoints of one training", "nested-names", checkpoints)
    yield of("the reference as a system", "reference-as-system", [reference])
    yield of_raw("the source as a system", "source-as-system", source)
    yield of_raw("the source as references", "reference-as-source", references=[source])
    yield of("an output named as a reference", "name", [("refs.txt", new[0]), *new[1:]])
    yield of("a reference named as an output", "name", references=[("hyp.txt", reference)])
    yield of("an output in reverse order", "line-order", [new[0][::-1], *new[1:]])
    yield of("an output shifted by a line", "line-order", [["", *new[0][:-1]], *new[1:]])
    yield of("a line lost halfway", "line-order", [[*new[0][:120], *new[0][121:], "."], *new[1:]])
    yield of_raw("an output of another test set", "line-order", new[0])
    yield of_raw("empty hypotheses", "empty-hypotheses", _changed(raw_b, 7, lambda _: ""))
    yield of_raw("an empty file", "empty-hypotheses", [""] * N)
    some_empty = _changed(raw_reference, 50, lambda _: "")
    yield of_raw("empty references", "empty-references", references=[some_empty])
    yield of_raw("a system tokenized, the references not", "tokenization", tokenized)
    some_runs_tokenized = {"A": [raw_a], "B": [raw_b, tokenized]}
    yield of_raw("only some runs tokenized", "mixed-tokenization", systems=some_runs_tokenized)
    yield of_raw("a system lowercased, the references not", "case", _lowercased(raw_b))
    yield of_raw("references lowercased, systems not", "case", references=[_lowercased(raw_reference)])
    yield of_raw("only some runs lowercased", "mixed-case", systems={"A": [raw_a, _lowercased(raw_a)]})
    yield of_raw("raw text under MultEval's convention", "text-detokenized", convention="multeval")
    yield of("tokenized text under sacreBLEU's convention", "text-tokenized", convention="sacrebleu")
    yield of_raw("untranslated segments", "source-copies", [*source[:40], *raw_b[40:]])
    nearly_copied = _changed(raw_reference, 30, str.upper)
    yield of_raw("the same reference twice", "copied-references", references=[raw_reference, nearly_copied])
    subwords = [line.replace("ing ", "@@ ing ") for line in new[0]]
    yield of("subwords not joined", "subwords", [subwords, *new[1:]])
    yield of_raw("escaped characters", "entities", [line.replace("'", "&apos;") for line in raw_b])
    yield of_raw("garbled characters", "encoding", [line.replace("'", "â€™") for line in raw_b])
    yield of_raw("half of every line lost", "length", [line[: len(line) // 3] for line in raw_b])
    yield of_raw("one output for most segments", "repeated-lines", [raw_b[0]] * 200 + raw_b[200:])

    # Six runs of each system, from the sample.
    baseline = [_sample("baseline", run) for run in range(6)]
    reordering = [_sample("reordering", run) for run in range(6)]
    cut = [" ".join(line.split()[:-4]) for line in reordering[0]]
    runs = [cut, *reordering[1:]]
    yield Mistake("one run much worse than five others", "run-apart", {"base": baseline, "new": runs}, [_sample()])

    # Runs of A have the same scores; each run of B is better than the one before it by 1.
    table = ["system\trun\tsegment\tscore"]
    for system, gain in (("A", 0), ("B", 1)):
        for run in range(3):
            for segment in range(1, 31):
                score = segment * 7 % 10 + gain * run
                table.append(f"{system}\t{run}\t{segment}\t{score}")
    yield Mistake("scores of all runs are equal", "copied-scores", {}, (), scores=table)


def refusals() -> Iterator[Mistake]:
    """Yield inputs that no door takes; ``code`` is a phrase of the error."""
    base = _lines("multeval-example/hyps.lc.tok.en.baseline.opt0")
    new = _lines("multeval-example/hyps.lc.tok.en.sys1.opt0")
    reference = _lines("multeval-example/refs.test2010.lc.tok.en.0")
    yield Mistake("an output with a line too few", "299", {"base": [base], "new": [new[:-1]]}, [reference])
    yield Mistake("references of another length", "250", {"base": [base], "new": [new]}, [reference[:250]])

    table = ["system\trun\tsegment\tscore", "A\t0\t1\t0.5", "A\t0\t2\t0.7", "B\t0\t1\t0.1"]
    too_large = [*table, "B\t0\t2\t1e308"]
    yield Mistake("a score that overflows", "1e+308", {}, (), scores=too_large)
    a_word = [*table, "B\t0\t2\tgood"]
    yield Mistake("a score that is a word", "good", {}, (), scores=a_word)


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

        def write(name: str, lines: Lines) -> Path:
            path = folder / name
            path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
            return path

        def write_named(default: str, content: Lines | tuple[str, Lines]) -> Path:
            """Write a file by the name that its content brings, or by a default."""
            if isinstance(content, tuple):
                return write(*content)
            return write(default, content)

        references = []
        for number, reference in enumerate(mistake.references):
            references.append(write_named(f"r{number}.txt", reference))
        systems = {}
        for system, runs in mistake.systems.items():
            systems[system] = [write_named(f"{system}-{number}.txt", run) for number, run in enumerate(runs)]
        source = write("s.txt", mistake.source) if mistake.source else None
        scores = write("scores.tsv", mistake.scores) if mistake.scores else None
        return cls(references, systems, source, scores)


def words_of(mistake: Mistake, files: Files) -> list[str]:
    """Return the options of the command line."""
    if files.scores:
        return ["--scores-higher", str(files.scores), "--ar-shuffles", "100"]
    words = ["--refs", *map(str, files.references)]
    for system, runs in files.systems.items():
        words += ["--system", system, *map(str, runs)]
    words += _source_and_convention(mistake, files)
    return [*words, "--metrics", "bleu", "--boot-samples", "100", "--ar-shuffles", "100"]


def _source_and_convention(mistake: Mistake, files: Files) -> list[str]:
    """Return the options that only some mistakes need."""
    words = []
    if files.source:
        words += ["--source", str(files.source)]
    if mistake.convention:
        words += ["--convention", mistake.convention]
    return words


def printed(*words: str) -> str:
    """Return what a command prints on stdout."""
    out = io.StringIO()
    with redirect_stdout(out), redirect_stderr(io.StringIO()):
        assert main(list(words)) == 0, words
    return out.getvalue()


def by_command_line(mistake: Mistake, files: Files) -> bool:
    """Whether ``mteval eval`` prints the finding below its table."""
    return f"Warning: {TITLES[mistake.code]}." in printed("eval", *words_of(mistake, files))


def by_json(mistake: Mistake, files: Files) -> bool:
    """Whether its JSON has the finding."""
    results = json.loads(printed("eval", *words_of(mistake, files), "--format", "json"))
    warnings_in_json = [finding["code"] for finding in results["findings"] if finding["severity"] == "warning"]
    return mistake.code in warnings_in_json


def by_python(mistake: Mistake, files: Files) -> bool:
    """Whether ``mteval.compare`` warns."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _compared(mistake, files)
    messages = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
    return any(TITLES[mistake.code] in message for message in messages)


def _compared(mistake: Mistake, files: Files) -> mteval.Comparison:
    """Compare as a program would."""
    if files.scores:
        table = pd.read_csv(files.scores, sep="\t")
        runs = {}
        for system, rows in table.groupby("system"):
            runs[system] = rows.pivot(index="run", columns="segment", values="score")
        return mteval.compare_scores(runs, n_bootstrap=100, n_shuffles=100)
    options: dict[str, Any] = {"source": files.source, "n_bootstrap": 100, "n_shuffles": 100}
    if mistake.convention:
        options["convention"] = mistake.convention
    return mteval.compare(files.systems, files.references, ["bleu"], **options)


def by_report(mistake: Mistake, files: Files) -> bool:
    """Whether the HTML report of ``mteval report`` has it."""
    with tempfile.TemporaryDirectory() as folder:
        printed("report", *words_of(mistake, files), "--only", "html", "--to", folder)
        report = Path(folder, "report.html").read_text(encoding="utf-8")
    return TITLES[mistake.code] in html.unescape(report)


def gate_words(mistake: Mistake, files: Files) -> list[str]:
    """Return the options of ``mteval gate``."""
    if files.scores:
        return ["--scores-higher", str(files.scores)]
    systems = list(files.systems.values())
    baseline = systems[0]
    candidate = systems[1] if len(systems) > 1 else baseline  # some mistakes need one system only
    words = ["--refs", *map(str, files.references)]
    words += ["--baseline", *map(str, baseline)]
    words += ["--candidate", *map(str, candidate)]
    words += _source_and_convention(mistake, files)
    return [*words, "--metrics", "bleu"]


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
    page = AppTest.from_file(str(Path(__file__).parents[1] / "app.py"), default_timeout=180)
    page.session_state["workspace"] = _workspace(files)
    page.session_state["primary"] = "scores" if files.scores else "bleu"
    page.session_state["metrics"] = []
    page.session_state["shuffles"] = 100
    page.session_state["replicates"] = 100
    if mistake.convention:
        page.session_state["convention"] = mistake.convention
        page.session_state["convention-chosen"] = True
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


def _workspace(files: Files) -> Workspace:
    """Return a workspace with the files, each in its place."""
    slot_of: list[tuple[Path, Slot]] = []  # a file may have several
    for path in files.references:
        slot_of.append((path, Slot(path.name, "reference", None, None)))
    for system, runs in files.systems.items():
        for run, path in enumerate(runs):
            slot_of.append((path, Slot(path.name, "hypothesis", system, str(run))))
    if files.source:
        slot_of.append((files.source, Slot(files.source.name, "source", None, None)))
    directions = {}
    if files.scores:
        slot_of.append((files.scores, Slot(files.scores.name, "scores", None, None)))
        directions["scores"] = True

    paths = dict.fromkeys(path for path, _ in slot_of)
    inputs = [InputFile(path.name, path.read_bytes()) for path in paths]
    slots = tuple(slot for _, slot in slot_of)
    return Workspace.of(inputs, Edits(slots, directions), frozenset(METRICS))


def by_page(mistake: Mistake, files: Files) -> bool:
    """Whether the Scores page shows it beside the verdict."""
    page = scores_page(mistake, files)
    return TITLES[mistake.code] in html.unescape("\n".join(element.value for element in page.html))


CHECKS: Mapping[str, Callable[[Mistake, Files], bool]] = {
    "page": by_page,
    "command line": by_command_line,
    "JSON": by_json,
    "Python": by_python,
    "report": by_report,
    "gate": by_gate,
}
DOORS = tuple(CHECKS)


def shown(mistake: Mistake, doors: Sequence[str] = DOORS) -> dict[str, bool]:
    """Return which doors show the finding of a mistake."""
    with tempfile.TemporaryDirectory() as folder:
        files = Files.of(mistake, Path(folder))
        return {door: CHECKS[door](mistake, files) for door in doors}


def _yes(is_shown: bool) -> str:
    return "yes" if is_shown else "**no**"


def table() -> Iterator[str]:
    """Yield the rows of the table in Markdown."""
    yield f"| mistake | finding | {' | '.join(DOORS)} |"
    yield "|---" * (2 + len(DOORS)) + "|"
    for mistake in mistakes():
        is_shown_by = shown(mistake)
        cells = [_yes(is_shown_by[door]) for door in DOORS]
        yield f"| {mistake.what} | `{mistake.code}` | {' | '.join(cells)} |"


def _refused_by_page(mistake: Mistake, files: Files) -> str:
    page = scores_page(mistake, files, is_refused=True)
    return "\n".join(html.unescape(element.value) for element in page.html)


def _refused_by_command_line(mistake: Mistake, files: Files) -> str:
    return _printed_error("eval", *words_of(mistake, files))


def _refused_by_python(mistake: Mistake, files: Files) -> str:
    try:
        _compared(mistake, files)
    except mteval.MtevalError as error:
        return str(error)
    return ""


def _refused_by_report(mistake: Mistake, files: Files) -> str:
    return _printed_error("report", *words_of(mistake, files), "--to", tempfile.gettempdir())


def _refused_by_gate(mistake: Mistake, files: Files) -> str:
    return _printed_error("gate", *gate_words(mistake, files))


def _printed_error(*words: str) -> str:
    """Return what a command prints on stderr; empty if it succeeds."""
    err = io.StringIO()
    with redirect_stdout(io.StringIO()), redirect_stderr(err):
        try:
            code = main(list(words))
        except SystemExit as end:
            code = end.code
    return err.getvalue() if code else ""


# What each door says to an input that it refuses; empty if it takes the input.
REFUSALS: Mapping[str, Callable[[Mistake, Files], str]] = {
    "page": _refused_by_page,
    "command line": _refused_by_command_line,
    "Python": _refused_by_python,
    "report": _refused_by_report,
    "gate": _refused_by_gate,
}


def refused() -> Iterator[str]:
    """Yield which doors refuse an input and say what is wrong."""
    yield f"| input | said | {' | '.join(REFUSALS)} |"
    yield "|---" * (2 + len(REFUSALS)) + "|"
    for mistake in refusals():
        with tempfile.TemporaryDirectory() as folder:
            files = Files.of(mistake, Path(folder))
            cells = [_yes(mistake.code in refusal(mistake, files)) for refusal in REFUSALS.values()]
        yield f"| {mistake.what} | {mistake.code} | {' | '.join(cells)} |"


def _page_scores(mistake: Mistake, files: Files) -> list[float]:
    """Return the scores of all runs in the evaluation that a page shows."""
    page = scores_page(mistake, files)
    *_, key = page.session_state["evaluations"].latest.values()
    evaluation = page.session_state["background"].values.get(key).evaluation
    return [row.score for row in evaluation.run_scores]


def _scores_in(text: str) -> list[float]:
    """Return the scores of all runs in JSON."""
    return [row["score"] for row in json.loads(text)["scores"]]


def _report_scores(*words: str) -> list[float]:
    """Return the scores of all runs in the numbers of a report."""
    with tempfile.TemporaryDirectory() as folder:
        printed("report", *words, "--only", "json", "--to", folder)
        return _scores_in(Path(folder, "numbers.json").read_text(encoding="utf-8"))


def default_scores() -> Iterator[str]:
    """Yield mean BLEU of a system by default at every door, beside sacreBLEU's and MultEval's."""
    yield "| text | peer | page | command line | Python | report |"
    yield "|---|---|---|---|---|---|"

    raw = _lines("wmt23-he-en/system-outputs/ONLINE-A.txt", ALL)
    raw_reference = _lines("wmt23-he-en/refA.en.txt", ALL)
    score = sacrebleu.corpus_bleu(raw, [raw_reference]).score
    right = Mistake("", "", {"A": [raw]}, [raw_reference])
    yield _default_row("raw: WMT23 he-en, ONLINE-A", f"sacreBLEU {score:.4f}", right)

    runs = [_lines(f"multeval-example/hyps.lc.tok.en.baseline.opt{run}", ALL) for run in range(3)]
    reference = _lines("multeval-example/refs.test2010.lc.tok.en.0", ALL)
    recorded = (DATA.parent / "reference" / "multeval" / "results.txt").read_text(encoding="utf-8")
    (multeval_score,) = re.findall(r"RESULT: baseline: BLEU: AVG: (\S+)", recorded)
    right = Mistake("", "", {"baseline": runs}, [reference])
    yield _default_row("tokenized: MultEval's example, baseline", f"MultEval {float(multeval_score):.4f}", right)


def _default_row(text: str, peer: str, mistake: Mistake) -> str:
    """Return a row with the mean score of one system at every door; ``mistake`` holds its files and no mistake."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(action="ignore"):
        files = Files.of(mistake, Path(folder))
        words = words_of(mistake, files)
        if "baseline" in mistake.systems:
            # MultEval's own option, which names no system.
            words = [word for word in words if word != "baseline"]
            words[words.index("--system")] = "--hyps-baseline"
        scores_of_doors = (
            _page_scores(mistake, files),
            _scores_in(printed("eval", *words, "--format", "json")),
            mteval.score(files.systems, files.references, ["bleu"])["score"].tolist(),
            _report_scores(*words),
        )
    means = [f"{sum(scores) / len(scores):.4f}" for scores in scores_of_doors]
    return f"| {text} | {peer} | {' | '.join(means)} |"


_HEAD = """\
# Checks of the data, and where each is shown

Every mistake is made with real data: {n} segments of MultEval's example, of WMT23 he-en or of the sample.
"yes" means that the finding is shown beside the verdict. The columns are the page Scores, the text and the JSON of
`mteval eval`, the `UserWarning` of `mteval.compare`, the report, and the JUnit file of `mteval gate`.
`python -m benchmarks.doors docs/doors.md` makes this page.
"""
_REFUSED = """
## Inputs that are refused everywhere

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
    if sys.argv[1:]:
        Path(sys.argv[1]).write_text(text, encoding="utf-8")
    else:
        print(text)
