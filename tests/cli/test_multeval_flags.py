"""Every flag that MultEval's help lists works in its commands, or is refused with a reason and a remedy.

The help is that of MultEval 0.5.1 (commit bd93ed1), with the options that its sources annotate.
"""

import re
from argparse import Namespace
from pathlib import Path

import pytest

from mteval.cli import main, parse

HELP = (Path(__file__).parent / "recorded" / "multeval-help.txt").read_text(encoding="utf-8")
VALUES = {  # that differ from the defaults
    "--metrics": ["bleu", "ter"],
    "--hyps-baseline": ["base.a", "base.b"],
    "--refs": ["ref.a", "ref.b"],
    "--fullLatexDoc": ["true"],
    "--debug": ["true"],
    "--ter.punctuation": ["true"],
    "--meteor.keepPunctuation": ["false"],
    "--meteor.language": ["de"],
    "--meteor.task": ["li"],
    "--meteor.modules": ["exact", "stem"],
}
OF_TEXT = ("--nbest", "--latex", "--rankDir", "--sentLevelDir", "--meteor.synonymDirectory", "--meteor.paraphraseFile")
LINES = {"eval": ["-R", "ref", "-B", "base"], "nbest": ["-N", "list", "-R", "ref"]}


def options_of(section: str) -> list[tuple[str, str]]:
    """The flags and options of a section."""
    (text,) = re.findall(rf"=== {section} [^\n]*===\n(.*?)\n\n", HELP, re.DOTALL)
    return re.findall(r"^(-\w) \[(--[\w.-]+)\]", text, re.MULTILINE)


OF_METRICS = [*options_of("TER"), *options_of("BLEU"), *options_of("METEOR")]
ALL = [
    *(("eval", *pair) for pair in [*OF_METRICS, *options_of("MultEvalModule")]),
    *(("nbest", *pair) for pair in [*OF_METRICS, *options_of("NbestModule")]),
]
OF_COMMAND = {"eval": dict(options_of("MultEvalModule")), "nbest": dict(options_of("NbestModule"))}


def parsed(*words: str) -> dict[str, object]:
    options = Namespace()
    parse(words, options)
    return {name: value for name, value in vars(options).items() if name not in ("run", "parser")}


def values_of(option: str) -> list[str]:
    return VALUES.get(option, ["file"] if option in OF_TEXT else ["3"])


def line_without(command: str, option: str) -> list[str]:
    """What the command needs, without an option that is given anyway."""
    words = LINES[command]
    pairs = zip(words[::2], words[1::2], strict=True)
    return [word for pair in pairs if OF_COMMAND[command][pair[0]] != option for word in pair]


def test_the_help_has_all_options() -> None:
    assert len(OF_METRICS) == 18
    assert len(ALL) == 18 + 13 + 18 + 6


@pytest.mark.parametrize(("command", "flag", "option"), [row for row in ALL if row[2] != "--hyps-sys"])
def test_each_option_works(
    command: str, flag: str, option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [command, *line_without(command, option)]
    if option == "--hyps-baseline":
        words += ["-b", "9"]
    without = parsed(*words, *([option, "other"] if option in ("--hyps-baseline", "--nbest") else []))
    by_option = parsed(*words, option, *values_of(option))
    assert by_option != without
    meaning = OF_COMMAND[command].get(flag, option)
    if option == meaning:
        assert parsed(*words, flag, *values_of(option)) == by_option
    elif flag != "-B":  # a letter of two options means the command's
        value = values_of(meaning)
        assert parsed(*words, flag, *value) == parsed(*words, meaning, *value)


def test_a_system_has_a_number() -> None:
    by_flag = parsed("eval", "-R", "r", "-B", "b", "-H1", "x", "y", "-H2", "z")
    assert by_flag == parsed("eval", "--refs", "r", "--hyps-baseline", "b", "--hyps-sys1", "x", "y", "--hyps-sys2", "z")


@pytest.mark.parametrize("flag", ["-H", "--hyps-sys"])
def test_a_system_without_a_number_is_refused(flag: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parsed("eval", "-R", "r", "-B", "b", flag, "x", "y")
    assert f"{flag} has no number" in capsys.readouterr().err


@pytest.mark.parametrize("cost", ["match", "delete", "substitute", "insert", "shift"])
def test_costs_of_ter_are_refused_unless_they_are_the_usual_ones(
    cost: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("ref", "base"):
        (tmp_path / name).write_text("a b c\nd e f\n", encoding="utf-8")
    usual = "0.0" if cost == "match" else "1.0"
    words = ["eval", "-R", str(tmp_path / "ref"), "-B", str(tmp_path / "base"), "-o", "ter", "-b", "9", "-s", "9"]
    assert main([*words, f"--ter.{cost}Cost", usual]) == 0
    assert main([*words, f"--ter.{cost}Cost", "0.5"]) == 2
    said = capsys.readouterr().err
    assert f"--ter.{cost}Cost is 0.5, but only {float(usual):g} is supported" in said
    assert "--scores-lower FILE" in said


def test_a_name_of_a_system_may_look_like_a_flag() -> None:
    options = Namespace()
    parse(["eval", "--refs", "r", "--system", "-b", "x", "--system", "new", "-Bob"], options)
    assert options.systems == {"-b": [Path("x")], "new": [Path("-Bob")]}


def test_a_file_may_begin_with_letters_that_are_flags() -> None:
    assert parsed("eval", "-R", "-Rob", "-B", "-bob")["refs"] == [Path("-Rob")]


@pytest.mark.parametrize(("words", "is_verbose"), [(["-v"], True), (["-v", "1"], False), (["-v", "0"], False)])
def test_v_is_the_longer_explanation_unless_a_number_follows(words: list[str], is_verbose: bool) -> None:
    assert parsed("eval", "-R", "r", "-B", "b", *words)["verbose"] is is_verbose
