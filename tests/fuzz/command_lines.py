"""Command lines that chance made: whatever they say, one line of ours answers what cannot be done."""

import argparse
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from random import Random
from unittest.mock import patch

from mteval.cli import COMMANDS, main
from mteval.cli.check import EXIT_NOT_ALL_USABLE
from mteval.cli.console import EXIT_BAD_INPUT, Parser
from mteval.values.gate import EXIT_STATUS
from tests.fuzz.mutations import FILES, mutated

NO_PORT = "--port=0"  # so that no dashboard is started
# --debug raises what it meets
LEFT_OUT = ("-h", "--help", "--help-metrics", "--version", "--cluster", "--debug", "--port")
NUMBERS = ("0", "-1", "1", "2", "7", "1e999", "-inf", "nan", "1e-400", "0x10", "9" * 25, "9" * 5_000, "½", "1_0")
TEXTS = (
    "",
    " ",
    "-",
    "--",
    "=",
    "a=b",
    "s" * 5_000,
    "![m](http://evil.example)",
    "\udcff",
    "ä\u202e",
    "a\nb",
    "%s",
    "*",
)
PATHS = ("ref.txt", "base.opt0.txt", "other.txt", "no such file", "ref.txt/within", "no/such/x", ".", "out", "out.zip")
MUTATED = "mutated"  # a file that chance changed
FEW = ("--metrics", "bleu", "length", "--boot-samples", "100", "--ar-shuffles", "100")
SYSTEMS = ("--refs", "ref.txt", "--hyps-baseline", "base.opt0.txt", "base.opt1.txt", "--hyps-sys1", "other.txt")
NEW_ESA = (
    *("new", "c.json", "--protocol", "esa", "--annotators", "ann", "--random", "2"),
    *SYSTEMS,
    *("--metrics", "bleu"),
)
NEW_ERRORS = tuple("errors" if word == "esa" else word for word in NEW_ESA)
BASES: Mapping[str, Sequence[Sequence[str]]] = {
    "eval": [
        (*SYSTEMS, *FEW),
        (*SYSTEMS, "--hyps-sys2", "other.txt", "--hyps-sys3", "hyp.txt", *FEW, "--leaderboard", "out.md"),
        (*SYSTEMS, *FEW, "--primary", "people"),
        ("--files", "ref.txt", "base.opt0.txt", "other.txt", "--baseline", "base"),
    ],
    "score": [
        ("--scores-higher", "scores.csv", "--csv", "out.csv"),
        ("--scores-higher", MUTATED, "--csv", "-"),
    ],
    "check": [(".",), ("ref.txt", "base.opt0.txt", "--json", "-"), (MUTATED,)],
    "run": [("experiment.toml",), (MUTATED,)],
    "report": [(*SYSTEMS, *FEW, "--to", "out", "--only", "latex", "csv", "json", "html")],
    "compare": [(*SYSTEMS, "--metrics", "bleu", "--resamples", "100")],
    "gate": [
        ("--refs", "ref.txt", "--baseline", "base.opt0.txt", "base.opt1.txt", "--candidate", "other.txt"),
        ("experiment.toml", "--worse-by", "1"),
    ],
    "claim": [("experiment.toml",), (MUTATED,)],
    "nbest": [("--refs", "ref.txt", "--nbest", "list.nbest", "--metrics", "bleu"), ()],
    "words": [(*SYSTEMS, "--ar-shuffles", "20"), (*SYSTEMS, "--by", "terms", "--terms", MUTATED, "--counts", MUTATED)],
    "replicate": [(*SYSTEMS, "--metrics", "bleu", "--draws", "5", "--ar-shuffles", "20")],
    "plan": [("--refs", "ref.txt", "--baseline", "base", "--systems", "x", "--runs", "3", "--freeze", "plan.toml")],
    "people": [("--judgements", MUTATED), ("--judgements", "errors.mqm.tsv"), ("--counts", MUTATED)],
    "sample": [("2", "--refs", "ref.txt", "--outputs", "base.opt0.txt"), ("1", "--scores-higher", MUTATED)],
    "models": [("list",), ("check",), ("check", "--model", MUTATED)],
    "library": [("list",), ("show", "x"), ("export", "x", "--to", "out.zip"), ("remove", "x"), ("compare", "x", "y")],
    "annotations": [("backup", "copy.sqlite"), ()],
    "campaigns": [
        (),
        ("--url", "http://x/"),
        NEW_ESA,
        (*NEW_ESA, "--practice", MUTATED),
        (*NEW_ERRORS, "--categories", MUTATED),
        ("start", MUTATED),
        ("status", "x"),
        ("close", "x"),
        ("export", MUTATED, "out.csv"),
    ],
    "app": [(), (".",), ("--watch", ".")],
    "prepare": [("--no-such-option",)],  # it would compile
}


def write_files(folder: Path) -> None:
    """What command lines name."""
    for name, content in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    for name in ("other.txt", "base.opt1.txt", "hyp.txt"):
        (folder / name).write_bytes(b"a b c\nd e g .\n")


def run_line(seed: int, folder: Path) -> str:
    """Give one command line that chance made; what became of it.

    Parameters
    ----------
    folder
        With ``write_files``'s; this process is taken there meanwhile.
    """
    chance = Random(seed)
    words = []
    for word in line(chance, chance.choice(list(BASES))):
        if word == MUTATED:
            word = _written(chance, folder)
        words.append(word)
    return run_words(words, folder)


def run_words(words: list[str], folder: Path) -> str:
    """Give one command line; what became of it. What is raised and is no error of ours comes out of here."""
    out = _stream(errors="surrogateescape")
    err = _stream(errors="backslashreplace")
    with _within(folder), redirect_stdout(out), redirect_stderr(err):
        try:
            status = main(words)
        except SystemExit as end:
            status = int(end.code or 0)
        out.flush()
        err.flush()

    possible_statuses = {0, EXIT_BAD_INPUT}
    if "check" in words:
        possible_statuses.add(EXIT_NOT_ALL_USABLE)
    if "gate" in words:
        possible_statuses |= set(EXIT_STATUS.values())
    messages = err.buffer.getvalue().decode()
    assert status in possible_statuses, (status, words)
    assert "Traceback" not in messages, words
    if status != EXIT_BAD_INPUT:
        return "done"
    last_line = messages.splitlines()[-1]
    if "\n" not in "".join(words):  # a message repeats a word with its line breaks
        assert last_line.startswith("mteval"), messages
    return "refused"


def _stream(errors: str) -> io.TextIOWrapper:
    """A stream of text in memory."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors=errors)


@contextmanager
def _within(folder: Path) -> Iterator[None]:
    """Work there, and keep there what cannot be computed again."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        with patch.dict(os.environ, {"MTEVAL_HOME": str(folder / "home")}):
            yield
    finally:
        os.chdir(before)


def _written(chance: Random, folder: Path) -> str:
    """The name of a file that chance changed."""
    name = chance.choice(list(FILES))
    path = folder / f"{MUTATED}{Path(name).suffix}"
    path.write_bytes(mutated(FILES[name], chance))
    return path.name


def line(chance: Random, command: str) -> list[str]:
    """A command line that could be meant, with some words more, less or other ones."""
    words = [command, *chance.choice(BASES[command])]
    actions = _actions(command, words)
    for _ in range(chance.choice((0, 1, 1, 2, 4))):
        if actions:
            words += _option(chance.choice(actions), chance)
    for _ in range(chance.choice((0, 0, 1, 2))):
        # A word is put in, taken out or replaced.
        place = chance.randrange(1, len(words) + 1)
        replacement = chance.choice(([], [_value(chance)]))
        words[place : place + chance.randrange(2)] = replacement
    if command == "app":
        words.append(NO_PORT)
    return words


def _actions(command: str, words: list[str]) -> list[argparse.Action]:
    """The options of a command."""
    parser = Parser(prog=command)
    import_module(f"mteval.cli.{command}").add_options(parser, words)
    actions = []
    for action in parser._actions:
        is_left_out = not set(action.option_strings).isdisjoint(LEFT_OUT)
        if action.option_strings and not is_left_out:
            actions.append(action)
    return actions


def _option(action: argparse.Action, chance: Random) -> list[str]:
    """An option with as many values as it takes, or as chance gives it."""
    words = [chance.choice(action.option_strings)]
    if action.nargs == 0:
        return words

    choices = [str(choice) for choice in action.choices or ()]
    if isinstance(action.nargs, int):
        n_values = action.nargs
    else:
        n_values = chance.choice((1, 1, 2))
    for _ in range(n_values):
        words.append(chance.choice([*choices, _value(chance)]))
    return words


def _value(chance: Random) -> str:
    """A number, a text or the name of a file."""
    return chance.choice((*NUMBERS, *TEXTS, *PATHS, *PATHS, MUTATED))


assert set(BASES) == set(COMMANDS), "each command has its lines"
