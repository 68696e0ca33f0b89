"""Names and files may begin with a dash, where a name or file is expected."""

from argparse import Namespace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mteval.base.words import composed
from mteval.cli import parse

ANY_NAME = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12).filter(
    lambda name: name != "--"
)


def parsed(*words: str) -> Namespace:
    """The options of a command line."""
    options = Namespace()
    parse(words, options)
    return options


@settings(deadline=None, max_examples=50)
@given(
    st.one_of(
        ANY_NAME,
        ANY_NAME.map(lambda name: f"-{name}").filter(lambda name: name != "--"),
        st.sampled_from(("-v", "-h", "--quiet", "-")),
    )
)
def test_every_name_can_follow_an_equals_sign(name: str) -> None:
    options = parsed("eval", f"--system={name}", "a", "b", "--system", "new", "c", f"--baseline={name}")
    files = {"new": [Path("c")], composed(name): [Path("a"), Path("b")]}
    assert (options.systems, options.baseline) == (files, composed(name))


@pytest.mark.parametrize("name", ["-2+3", "-2", "-x", "-hello", "-values", "-2=3", "-é", "- a", "-0x"])
def test_a_name_with_one_dash_is_a_value(name: str) -> None:
    options = parsed("eval", "--system", name, name, "--baseline", name, "--refs", name, "--latex-systems", name)
    files = [Path(name)]
    assert (options.systems, options.baseline, options.refs) == ({name: files}, name, files)
    assert options.latex_systems == [name]


@pytest.mark.parametrize("command", ["run", "report"])
def test_a_file_with_one_dash_is_a_positional_argument(command: str) -> None:
    more = ["--to", "-out"] if command == "report" else []
    assert parsed(command, "-saved.toml", *more).experiment == Path("-saved.toml")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--system", "-v", "a"], "a value that looks like an option needs '=': --system=VALUE"),
        (["--system", "--quiet", "a"], "a value that looks like an option needs '=': --system=VALUE"),
        (["--system", "--new", "a"], "a value that looks like an option needs '=': --system=VALUE"),
        (
            ["--system=--", "a"],
            "argument --system: expected at least one argument.",
        ),  # the only name that none can have
        (["--baseline", "--new"], "a value that looks like an option needs '=': --baseline=VALUE"),
        (["--system", "a", "b", "-metrics", "bleu"], "unrecognized arguments: -metrics bleu (did you mean --metrics?)"),
        (["--system", "a", "b", "--metric", "bleu"], "unrecognized arguments: --metric bleu (did you mean --metrics?)"),
        (["-x"], "unrecognized arguments: -x."),
    ],
)
def test_an_ambiguous_word_is_refused_with_a_remedy(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        parsed("eval", *words)
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


def test_flags_can_still_be_joined(capsys: pytest.CaptureFixture[str]) -> None:
    assert parsed("eval", "--refs", "a", "-v").verbose
    with pytest.raises(SystemExit, match="0"):
        parsed("eval", "-vh")
    assert "usage: mteval eval" in capsys.readouterr().out
