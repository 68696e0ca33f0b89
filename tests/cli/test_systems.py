"""Systems by name on the command line, folders and archives, and what is printed of them."""

import json
import zipfile
from collections.abc import Callable
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest
import sacrebleu

from mteval.cli import main

FEW = ["--metrics", "length", "--boot-samples", "5", "--ar-shuffles", "50"]
REFERENCE = "the cat sat on the mat\na dog barked at night\nno one was there today\nit rained\n"
TEXTS = {
    "base/opt0": "the cat sat\na dog barked at night\nno one\nit rained\n",
    "base/opt1": "the cat\na dog at night\nno one there\nit rained\n",
    "new/opt0": "the cat sat on the mat\na dog barked\nno one was there\nit did\n",
    "new/opt1": "the cat sat on mat\na dog barked at\nno one was there today\nit rained\n",
}
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where two systems with two runs each are, and the command starts."""
    for name, text in {"reference": REFERENCE, **TEXTS}.items():
        path = tmp_path / f"{name}.test.txt"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "docs").write_text("a\na\nb\nb\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line and gives its status, output and errors."""

    def run(*words: str) -> tuple[int, str, str]:
        status = main(words)
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return run


def files(system: str, n_runs: int = 2) -> list[str]:
    """The files of the first runs of a system."""
    return [f"{system}/opt{number}.test.txt" for number in range(n_runs)]


def means(printed: str) -> dict[str, float]:
    """Of the JSON that was printed, the average of each system."""
    return {row["system"]: row["mean"] for row in json.loads(printed)["summary"]}


NAMED = ["--refs", "reference.test.txt", "--system", "old", *files("base"), "--system", "new & better", *files("new")]
NAME_IN = {
    "text": "new & better",
    "tsv": "new & better",
    "latex": r"new \& better",
    "markdown": "new &amp; better",
    "json": '"new & better"',
}


def test_names_appear_in_every_format(run: Run) -> None:
    for form, name in NAME_IN.items():
        status, out, err = run("eval", *NAMED, *FEW, "--format", form)
        assert (status, err) == (0, "")
        assert name in out
        if form == "json":
            assert means(out).keys() == {"old", "new & better"}


@pytest.mark.parametrize(
    "words",
    [["eval", *FEW], ["eval", *FEW, "--verbose"], ["compare", "--metrics", "length", "--resamples", "50"]],
    ids=["eval", "verbose", "compare"],
)
def test_names_have_no_special_meaning_in_markdown(run: Run, words: list[str]) -> None:
    systems = ["--system", "<b>old", *files("base")]
    systems += ["--system", "<i>new|*", *files("new")]
    systems += ["--system", "[<u>third]", *files("base")]
    status, out, err = run(*words, "--refs", "reference.test.txt", *systems, "--format", "markdown")
    assert (status, err) == (0, "")
    sentences = [line for line in out.splitlines() if not line.startswith("|")]
    assert "<" not in out
    for name in ("&lt;b>old", r"&lt;i>new\|\*", r"\[&lt;u>third]"):
        assert any(name in sentence for sentence in sentences)


def test_multeval_options_give_the_same_numbers(run: Run) -> None:
    _, named, _ = run("eval", *NAMED, *FEW, "--format", "json")
    words = ["--refs", "reference.test.txt", "--hyps-baseline", *files("base"), "--hyps-sys1", *files("new")]
    _, numbered, err = run("eval", *words, *FEW, "--format", "json")
    assert means(named) == {"old": means(numbered)["baseline"], "new & better": means(numbered)["sys1"]}
    assert err.startswith("RESULT: baseline: Length: OptRun 0: ")


def test_result_lines_are_printed_if_requested(run: Run) -> None:
    assert "RESULT: new & better: Length: AVG: " in run("eval", *NAMED, *FEW, "--result-lines")[2]
    status, _, err = run("eval", *NAMED, *FEW, "--result-lines", "--quiet")
    assert status == 2
    assert "--quiet suppresses" in err


def test_quiet_leaves_errors_alone(run: Run) -> None:
    words = ["eval", "--refs", "reference.test.txt", "--hyps-baseline", *files("base"), *FEW, "--quiet"]
    assert run(*words)[2] == ""
    assert "no such file" in run(*words, "--source", "nowhere")[2].lower()


@pytest.mark.parametrize(
    ("command", "options", "frame", "column"),
    [
        ("eval", FEW, "comparisons", "system"),
        ("compare", ["--metrics", "length", "--resamples", "50"], "comparisons", "system"),
        ("replicate", ["--metrics", "length", "--draws", "5", "--ar-shuffles", "20"], "outlook", "compared"),
    ],
    ids=["eval", "compare", "replicate"],
)
def test_documents_and_another_baseline_are_taken_by_every_command(
    run: Run, command: str, options: list[str], frame: str, column: str
) -> None:
    words = [command, *NAMED, *options, "--documents", "docs", "--baseline", "new & better", "--format", "json"]
    status, out, _ = run(*words)
    assert status == 0
    rows = json.loads(out)[frame]
    assert {row[column] for row in rows} == {"old"}
    if frame == "comparisons":
        assert "document" in {row["unit"] for row in rows}


def test_a_tuning_set_brings_its_spread(run: Run, folder: Path) -> None:
    dev = ["--dev-refs", "reference.test.txt", "--dev-system", "old", *reversed(files("base"))]
    status, out, _ = run("eval", *NAMED, *FEW, *dev, "--format", "tsv")
    head, *rows = [line.split("\t") for line in out.splitlines()]
    spreads = {}
    for row in rows:
        cells = dict(zip(head, row, strict=True))
        spreads[row[0], cells["system"]] = cells["s_dev"]
    assert status == 0
    assert float(spreads["test", "old"]) > 0
    assert spreads["test", "new & better"] == ""
    assert "old" in run("eval", *NAMED, *FEW, *dev)[1]


def test_folders_and_archives_are_told_apart_as_on_the_page(run: Run, folder: Path) -> None:
    expected = means(run("eval", *NAMED, *FEW, "--format", "json")[1])
    with zipfile.ZipFile(folder / "all.zip", "w") as archive:
        for name in ("reference", *TEXTS):
            archive.write(folder / f"{name}.test.txt", f"{name}.test.txt")
    for paths in (["all.zip"], ["reference.test.txt", "base", "new"]):
        status, out, _ = run("eval", "--files", *paths, *FEW, "--format", "json", "--baseline", "base")
        assert status == 0
        assert means(out) == {"base": expected["old"], "new": expected["new & better"]}


def test_table_of_runs_in_a_folder_is_ignored_with_a_note(run: Run, folder: Path) -> None:
    (folder / "readme.md").write_text("Two systems.\n")
    expected = means(run("eval", "--files", ".", *FEW, "--format", "json", "--baseline", "base")[1])
    (folder / "weights.tsv").write_text("system\trun\tdev_bleu\tLM\nbase\topt0\t31.5\t0.2\n")
    (folder / "docs").unlink()
    status, out, err = run("eval", "--files", ".", *FEW, "--format", "json", "--baseline", "base")
    assert status == 0
    assert means(out) == expected
    assert "mteval: Ignored readme.md and weights.tsv: not recognised as output or reference.\n" in err
    (weights,) = [entry for entry in json.loads(out)["files"] if entry["file"] == "weights.tsv"]
    assert weights["fate"] == "ignored"


@pytest.mark.parametrize("documents", [["--documents", "docs"], []])
def test_output_with_other_lines_could_be_realigned_if_documents_are_known(
    run: Run, folder: Path, documents: list[str]
) -> None:
    (folder / "short").write_text("the cat sat\n\na dog\n")
    status, _, err = run("eval", *NAMED, "--system", "short", "short", *documents, *FEW)
    assert status == 2
    assert "has 3 segments on test set 'test', but the references have 4." in err
    assert ("Or add --align document." in err) == bool(documents)


def test_a_test_set_in_sacrebleus_cache_is_found_by_name(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sacrebleu.utils.SACREBLEU_DIR", str(folder / "cache"))
    dataset = sacrebleu.dataset.DATASETS["wmt17"]
    monkeypatch.setattr(dataset, "_outdir", str(folder / "cache" / "wmt17"))
    (folder / "cache" / "wmt17").mkdir(parents=True)
    for field, text in (("ref", REFERENCE), ("src", REFERENCE), ("docid", "a\na\nb\nb\n")):
        Path(dataset._get_txt_file_path("en-de", field)).write_text(text, encoding="utf-8")
    systems = NAMED[2:]
    _, out, _ = run("eval", "--sacrebleu-set", "wmt17/en-de", *systems, *FEW, "--format", "json")
    _, out_of_files, _ = run("eval", *NAMED, *FEW, "--format", "json")
    assert means(out) == means(out_of_files)
    assert {row["unit"] for row in json.loads(out)["comparisons"]} == {"document"}

    status, _, err = run("eval", "--sacrebleu-set", "wmt17/de-en", *systems, *FEW)
    assert status == 2
    assert "sacrebleu -t wmt17 -l de-en --echo ref" in err
    assert run("eval", "--sacrebleu-set", "wmt17/en-de", *NAMED, *FEW)[0] == 2
    assert "--sacrebleu-set is 'wmt17'" in run("eval", "--sacrebleu-set", "wmt17", *systems, *FEW)[2]


def test_languages_that_a_model_was_not_trained_on_get_a_warning(run: Run, folder: Path) -> None:
    lines = []
    for system in ("old", "new & better"):
        lines += [f"{system}\t{number / 10}\n" for number in range(4)]
    (folder / "kiwi.seg.score").write_text("".join(lines), encoding="utf-8")
    words = ["eval", "--refs", "reference.test.txt"]
    words += ["--system", "old", *files("base", 1), "--system", "new & better", *files("new", 1)]
    words += [*FEW, "--scores-higher", "kiwi.seg.score", "--metrics", "kiwi"]

    _, out, _ = run(*words, "--languages", "en-liv")
    assert "contains Livonian" in out
    _, _, err = run(*words, "--languages", "en-liv", "--format", "json")
    assert "contains Livonian" in err
    _, out, err = run(*words, "--languages", "en-de")
    assert "Livonian" not in out + err
    status, _, err = run(*words, "--languages", "Livonian")
    assert status == 2
    assert "The languages are 'Livonian'; expected the codes" in err


def test_a_folder_of_mt_metrics_eval_is_one_drop(run: Run, tmp_path: Path) -> None:
    scores = []
    for system in ("base", "new"):
        scores += [f"{system}\t{number}\n" for number in range(4)]
    texts = {
        "references/en-de.refA.txt": REFERENCE,
        "sources/en-de.txt": REFERENCE,
        "system-outputs/en-de/base.txt": TEXTS["base/opt0"],
        "system-outputs/en-de/new.txt": TEXTS["new/opt0"],
        "documents/en-de.docs.txt": "news\ta\nnews\ta\nnews\tb\nnews\tb\n",
        "human-scores/en-de.mqm.seg.score": "".join(scores),
    }
    folder = tmp_path / "wmt99"
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    human = folder / "human-scores" / "en-de.mqm.seg.score"
    words = ["--files", str(folder), "--scores-higher", str(human), "--boot-samples", "5"]
    status, out, err = run("eval", *words, "--ar-shuffles", "20", "--format", "json")
    assert status == 0, err
    document = json.loads(out)
    assert {row["system"] for row in document["summary"]} == {"base", "new"}
    assert any("mqm" in row["metric"] for row in document["summary"])
    assert {row["unit"] for row in document["comparisons"]} == {"document"}


def test_standard_input_is_a_file_called_dash(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(TEXTS["base/opt0"].encode())))
    words = ["eval", "--refs", "reference.test.txt", *FEW, "--format", "json"]
    _, piped, _ = run(*words, "--system", "one", "-")
    _, named, _ = run(*words, "--system", "one", files("base")[0])
    assert json.loads(piped)["summary"] == json.loads(named)["summary"]


def test_a_file_called_dash_is_standard_output(run: Run, folder: Path) -> None:
    _, out, _ = run("eval", *NAMED, *FEW, "--json", "numbers.json")
    assert out.startswith("n=2 ")
    _, printed, _ = run("eval", *NAMED, *FEW, "--json", "-")
    assert means(printed) == means((folder / "numbers.json").read_text())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "No systems given"),
        (["--files", "base", "--refs", "reference.test.txt"], "--files cannot be combined with --refs"),
        (
            ["--files", "reference.test.txt", "base", "--baseline", "x"],
            "The baseline 'x' is not among the systems: base",
        ),
        ([*NAMED, "--hyps-baseline", "x"], "--system cannot be combined with --hyps-baseline"),
        ([*NAMED, "--parses-refs", "x"], "--system cannot be combined with --parses"),
        ([*NAMED, "--baseline", "x"], "old, new & better"),
        ([*NAMED, "--dev-refs", "reference.test.txt"], "both --dev-refs and --dev-system"),
        ([*NAMED, "--dev-refs", "docs", "--dev-system", "x", "docs"], "System 'x'"),
        ([*NAMED, "--dev-refs", "docs", "--dev-system", "old", "docs"], "'old' has 2 runs"),
        (["--refs", "-", "--system", "one", "-"], "Standard input (-) is given twice"),
        ([*NAMED, "--json", "-", "--format", "tsv"], "standard output (-)"),
    ],
)
def test_conflicting_options_are_errors(run: Run, words: list[str], message: str) -> None:
    status, out, err = run("eval", *words, *FEW)
    assert (status, out) == (2, "")
    assert message in err


@pytest.mark.parametrize("words", [["--system", "one"], [*NAMED, "--system", "old", "docs"]])
def test_a_name_without_files_and_a_second_list_are_refused(run: Run, words: list[str]) -> None:
    with pytest.raises(SystemExit):
        run("eval", *words, *FEW)


@pytest.mark.parametrize(
    "words", [("eval", "--files"), ("run",), ("claim",), ("people", "--judgements", "judged.tsv", "--outputs")]
)
def test_an_impossible_file_name_gives_a_one_line_error(
    words: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("judged.tsv").write_text("annotator\tsystem\tsegment\tscore\nann\tA\t1\t3\n")
    assert main([*words, "f" * 5_000]) == 2
    last_line = capsys.readouterr().err.splitlines()[-1]
    assert last_line.startswith("mteval: ")
    assert len(last_line) < 1_200
