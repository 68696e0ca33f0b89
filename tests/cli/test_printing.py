"""Every text for people leaves through ``say``, which shows control characters; data leave unchanged."""

import ast
import io
import random
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mteval.cli import console, main

CLI = Path(console.__file__).parent
PRINTING = ("print", "sys.stdout.write", "sys.stdout.writelines", "sys.stderr.write", "sys.stderr.writelines")
CONTROLS = [chr(number) for number in (*range(0x20), *range(0x7F, 0xA0), *range(0x2028, 0x202F))]
HOSTILE = st.text(st.one_of(st.sampled_from(CONTROLS), st.characters(codec="utf-8")), max_size=30)


class Terminal(io.StringIO):
    """Standard output that a person looks at."""

    def isatty(self) -> bool:
        return True


@settings(deadline=None)
@given(st.lists(HOSTILE, min_size=1, max_size=4))
def test_each_line_stays_a_line_without_control_characters(lines: list[str]) -> None:
    output = io.StringIO()
    console.say(*lines, file=output)
    assert output.getvalue().count("\n") == len(lines)
    assert not set(output.getvalue()) & set(CONTROLS) - set("\n\t")


@pytest.mark.parametrize(
    ("output", "printed"),
    [(io.StringIO(), "a\x1b[2Jb\r,c\n"), (Terminal(), "a⟨U+001B⟩[2Jb⟨U+000D⟩,c\n")],
    ids=["pipe", "terminal"],
)
def test_only_a_terminal_gets_changed_data(
    output: io.StringIO, printed: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(sys, "stdout", output)
    for path in (console.STANDARD_OUTPUT, tmp_path / "data.csv"):
        console.write_text(path, "a\x1b[2Jb\r,c\n")
    assert output.getvalue() == printed
    assert (tmp_path / "data.csv").read_bytes() == b"a\x1b[2Jb\r,c\n"


def test_a_terminal_gets_sentences_wrapped_between_words_and_tables_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    sentence = "  p: could the choice of documents explain the difference that these systems have?"
    row = f"{'a system':<30}  {'12.3':>30}"
    in_markdown = f"| {'a' * 30} | {'b' * 30} |"
    terminal, pipe = Terminal(), io.StringIO()
    for output in (terminal, pipe):
        console.say(sentence, row, in_markdown, "x" * 50, file=output)

    assert pipe.getvalue().splitlines() == [sentence, row, in_markdown, "x" * 50]
    lines = terminal.getvalue().splitlines()
    assert lines[-3:] == [row, in_markdown, "x" * 50]
    wrapped = lines[:-3]
    assert len(wrapped) == 3
    assert all(len(line) <= 40 and line.startswith("  ") for line in wrapped)
    assert " ".join(line.strip() for line in wrapped) == sentence.strip()


def test_no_command_prints_by_itself() -> None:
    offenders = []
    for path in sorted(CLI.glob("*.py")):
        if path.name == "console.py":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in (
                "print",
                "sys.stdout.write",
                "sys.stderr.write",
            ):
                offenders.append(f"{path.name}:{node.lineno} calls {ast.unparse(node.func)}")
    assert not offenders, "use say, tell or write_text of mteval.cli.console:\n" + "\n".join(offenders)


@pytest.mark.parametrize("test_sets", [("only",), ("de-en", "cs-en")])
def test_every_line_of_eval_but_long_words_fits_a_terminal_of_100_columns(
    test_sets: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    systems = ["a-baseline-whose-name-is-long", "better", "worse", "same", "other"]
    kept = {"better": 6, "worse": 1}
    draw = random.Random(4)
    for test_set in test_sets:
        folder = tmp_path / test_set if len(test_sets) > 1 else tmp_path
        folder.mkdir(exist_ok=True)
        references = [f"a{n} b{n} c{n} d{n} e{n} f{n}".split() for n in range(30)]
        (folder / "ref.txt").write_text("".join(f"{' '.join(words)}\n" for words in references))
        for system in systems:
            for run in "12":
                lines = []
                for words in references:
                    n = kept.get(system, draw.choice([3, 4]))
                    lines.append(" ".join([*words[:n], *(["x"] * (6 - n))]))
                (folder / f"{system}.{run}.txt").write_text("".join(f"{line}\n" for line in lines))
    terminal = Terminal()
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "stdout", terminal)
    words = ["eval", "--files", str(tmp_path), "--baseline", systems[0], "--metrics", "bleu"]
    assert main([*words, "--ar-shuffles", "99", "--boot-samples", "20"]) == 0
    lines = terminal.getvalue().splitlines()
    assert any("▲ better" in line for line in lines), lines
    too_long = [line for line in lines if len(line) > 100 and " " in line.strip()]  # signatures are one word
    assert not too_long
