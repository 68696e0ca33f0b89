"""A command loads what it needs and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from mteval.cli import LATE, OF_SACREBLEU

ASK = """
import sys
from mteval.cli import main
status = main({arguments!r})
loaded = [name for name in {names!r} if name in sys.modules and sys.modules[name].__dict__.get("__file__")]
print("LOADED", *loaded)
sys.exit(status)
"""


def loaded(arguments: list[str], names: tuple[str, ...]) -> list[str]:
    """Which of the modules a new process has loaded once it has done a command."""
    code = ASK.format(arguments=arguments, names=names)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    return done.stdout.split("LOADED", 1)[1].split()


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    """A reference and two outputs, by name."""
    texts = {"ref": "the cat sat\na dog barked\n", "one": "the cat\na dog barked\n", "two": "cats sat\na dog\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return {name: str(tmp_path / name) for name in texts}


def test_scores_of_one_file_need_no_package_of_tables_and_tests(files: dict[str, str]) -> None:
    words = ["eval", "--refs", files["ref"], "--hyps-baseline", files["one"], "--metrics", "length"]
    assert loaded([*words, "--boot-samples", "2"], (*LATE, "streamlit", "plotly", "mteval.readers.workspace")) == []


def test_bleu_of_one_file_needs_neither_packages_of_sacrebleu_nor_what_compares_systems(files: dict[str, str]) -> None:
    words = ["eval", "--metrics", "bleu", "--refs", files["ref"], "--system", "one", files["one"]]
    of_comparisons = (
        "mteval.analysis.replication.planning",
        "mteval.analysis.replication.pool",
        "mteval.analysis.several_test_sets",
        "mteval.answers.next_experiment",
        "mteval.stats.replication",
        "mteval.values.gate",
    )
    assert loaded(words, ("sacrebleu", *OF_SACREBLEU, *of_comparisons)) == ["sacrebleu"]


def test_scores_of_six_files_run_few_of_the_modules(files: dict[str, str]) -> None:
    names = tuple(
        ".".join(path.with_suffix("").parts).removesuffix(".__init__") for path in Path("mteval").rglob("*.py")
    )
    words = ["eval", "--refs", files["ref"], "--hyps-baseline", *[files["one"]] * 2, files["two"]]
    words += ["--hyps-sys1", *[files["two"]] * 3, "--metrics", "bleu", "--boot-samples", "2", "--ar-shuffles", "2"]
    found = loaded(words, names)
    assert len(found) <= 179, "import what few command lines need where it is used; loaded: " + " ".join(found)


def test_comparing_two_outputs_by_documents_needs_no_slow_package(tmp_path: Path) -> None:
    references = []
    documents = []
    for document in range(8):
        for line in range(2 + document % 3):
            references.append(f"in document {document} line {line} says that the cat sat on mat {document * line}")
            documents.append(str(document))
    texts = {"refs": references, "documents": documents}
    texts["good"] = [line.replace("sat", "sits") for line in references]
    texts["bad"] = [line.replace("the cat sat", "a dog lay down") for line in references]
    words = ["eval", "--metrics", "bleu", "--system", "bad", str(tmp_path / "bad")]
    words += ["--system", "good", str(tmp_path / "good")]
    for name, lines in texts.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        if name in ("refs", "documents"):
            words += [f"--{name}", str(tmp_path / name)]
    slow = ("numba", "pandas", "scipy.optimize", "scipy.special", "scipy.stats")
    assert loaded(words, slow) == []


def test_slow_packages_are_loaded_when_used(files: dict[str, str], tmp_path: Path) -> None:
    words = ["eval", "--refs", files["ref"], "--hyps-baseline", files["one"], files["two"], "--hyps-sys1", files["two"]]
    words += [files["one"], "--metrics", "length", "--boot-samples", "2", "--json", str(tmp_path / "numbers.json")]
    # Of SciPy's special functions only those that are compiled, without the package around them
    assert loaded(words, (*LATE, "scipy.special._ufuncs")) == ["pandas", "scipy.special._ufuncs"]


def test_only_the_program_itself_changes_garbage_collection() -> None:
    code = "import gc, sys; from mteval.cli import main\ntry: main({})\nexcept SystemExit: print(gc.get_threshold()[0])"
    often, seldom = (
        int(subprocess.run([sys.executable, "-c", code.format(words), "--version"], capture_output=True, text=True,
                           check=True, env=os.environ).stdout.split()[-1])
        for words in ("['--version']", "")
    )  # fmt: skip
    assert often < 10_000 < seldom
