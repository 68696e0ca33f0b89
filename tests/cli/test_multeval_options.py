"""MultEval's options: what each does here, and what is an error that MultEval passes over in silence."""

import argparse
import dataclasses
from collections.abc import Mapping
from pathlib import Path

import pytest

from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.cli import main
from mteval.cli import metric_options as metrics
from mteval.cli.metric_options import add_metric_options, chosen_metrics, options_given
from mteval.metrics import METRICS
from mteval.metrics.base import MetricSpec, OptionValue
from mteval.metrics.plugins import Registry
from mteval.values.model import TestSet

DEFAULT = ("bleu", "meteor", "ter", "length")


REFERENCES = TestSet("test", (("a b",),))


def chosen(*words: str) -> tuple[Mapping[str, str], Mapping[str, Mapping[str, OptionValue]]]:
    """The chosen metrics as they were typed, by key, and what differs from the convention."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    add_metric_options(parser, DEFAULT, words)
    options = parser.parse_args(words)
    labels = chosen_metrics(options, lists_of=REFERENCES)
    return labels, options_given(options, labels)


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Words for a comparison of small files."""
    contents = {"refs": "a b , c\nd e f\n", "base": "a b x\nd e f\n", "s1": "a b , c\nd e\n", "s2": "a\nd e f\n"}
    for name, content in contents.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    words = ["eval", "--refs", str(tmp_path / "refs"), "--hyps-baseline", str(tmp_path / "base")]
    return [*words, "--metrics", "ter", "length", "--boot-samples", "10", "--ar-shuffles", "10"]


def status(words: list[str]) -> object:
    try:
        return main(words)
    except SystemExit as end:
        return end.code


def test_options_of_a_metric_reach_it_under_multeval_s_spelling() -> None:
    _, options = chosen("--metrics", "ter", "bleu", "--ter.beamWidth", "7", "--ter.maxShiftDistance", "3")
    assert options == {"ter": {"beam_width": 7, "max_shift_distance": 3}}


def test_meteor_options_with_several_words_are_joined() -> None:
    words = ["--meteor.language", "de", "--meteor.task", "li", "--meteor.modules", "exact", "stem", "--meteor.beamSize"]
    words += ["9", "--meteor.params", "0.85", ".2", ".6", ".75", "--meteor.keepPunctuation", "false"]
    assert chosen("--metrics", "meteor", *words)[1]["meteor"] == {
        "language": "de",
        "task": "li",
        "modules": "exact stem",
        "beam_size": 9,
        "params": "0.85 .2 .6 .75",
        "keep_punctuation": False,
    }


def test_every_option_of_every_metric_is_offered() -> None:
    for key, spec in METRICS.items():
        for option in spec.options:
            value = spec.defaults("multeval")[option.name]
            word = "1" if value is None else str(value).lower() if isinstance(value, bool) else str(value) or "x"
            name = "".join(part.title() if place else part for place, part in enumerate(option.name.split("_")))
            assert set(chosen("--metrics", key, f"--{key}.{name}", word)[1][key]) == {option.name}


@pytest.mark.parametrize(
    "words",
    [
        ["--bleu.verbosity", "3"],
        ["--ter.matchCost", "0", "--ter.deleteCost", "1.0", "--ter.shiftCost", "1"],
        ["--meteor.language", "en", "--meteor.task", "rank", "--meteor.modules", "exact", "stem"],
        ["--meteor.keepPunctuation", "true"],
    ],
)
def test_multeval_options_without_effect_are_accepted(words: list[str]) -> None:
    assert chosen("--metrics", "bleu", "ter", *words)[1] == {}


def test_an_unsupported_cost_is_an_error() -> None:
    with pytest.raises(SettingsError, match=r"--ter.shiftCost is 2, but only 1 is supported: .* --scores-lower FILE"):
        chosen("--metrics", "ter", "--ter.shiftCost", "2")


def test_options_of_a_metric_that_is_not_chosen_have_no_effect() -> None:
    assert chosen("--metrics", "bleu", "--ter.shiftCost", "2", "--ter.beamWidth", "7")[1] == {}


@pytest.mark.parametrize(("word", "verb"), [("true", "removes"), ("false", "keeps")])
def test_ter_punctuation_works_as_in_multeval_with_a_note(
    word: str, verb: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert chosen("--metrics", "ter", "--ter.punctuation", word)[1] == {"ter": {"no_punct": word == "true"}}
    assert f"{verb} punctuation" in capsys.readouterr().err


def test_names_are_kept_as_typed_and_found_in_any_case() -> None:
    assert chosen("--metrics", "TER", "bLeu")[0] == {"ter": "TER", "bleu": "bLeu"}


def test_a_metric_named_twice_is_an_error() -> None:
    with pytest.raises(SettingsError, match="twice"):
        chosen("--metrics", "ter", "TER")


def test_a_default_metric_without_its_data_is_skipped_with_a_note(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(convention: object, options: Mapping[str, OptionValue]) -> None:
        raise MissingDependencyError("its data are missing: install them.")

    broken: MetricSpec = dataclasses.replace(METRICS["bleu"], configure=refuse)
    monkeypatch.setattr(metrics, "METRICS", Registry({**METRICS, "bleu": broken}.values()))
    assert "bleu" not in chosen()[0]
    assert "Skipping BLEU: its data are missing: install them." in capsys.readouterr().err
    assert list(chosen("--metrics", "bleu")[0]) == ["bleu"]  # who asks for it gets the error, later


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-R", "x"], "-R is given twice"),
        (["-B", "5"], "-B is given twice"),
        (["--latexFile", "x"], "unrecognized arguments: --latexFile x"),
        (["--ter.beam", "5"], "mteval eval: unrecognized arguments: --ter.beam 5 (did you mean --ter.beamWidth?)"),
        (["--refs", "other"], "--refs is given twice"),
        (["--ter.beamWidth", "wide"], "invalid int value: 'wide'"),
        (["--ter.beamWidth", "-1"], "--ter.beamWidth is -1"),
        (["--bleu.verbosity", "loud"], "invalid int value: 'loud'"),
        (["--ter.shiftCost", "much"], "--ter.shiftCost: expected a number such as 0.5, found 'much'"),
        (["--threads", "two"], "invalid int value: 'two'"),
        (["--threads", "-1"], "-1 workers"),
        (["--verbosity", "x"], "invalid int value: 'x'"),
        (["--fullLatexDoc", "maybe"], "expected true or false, found 'maybe'"),
        (["--debug", "1"], "expected true or false, found '1'"),
        (["--latex-columns", "price"], "invalid choice: 'price'"),
        (["--latex"], "expected one argument"),
        (["--latex", "/no/such/folder/t.tex"], "/no/such/folder/t.tex: folder"),
        (["--rankDir", "/dev/null/x"], "folder /dev/null/x: /dev/null is a file"),
        (["--sentLevelDir", "/dev/null/x"], "folder /dev/null/x: /dev/null is a file"),
    ],
)
def test_errors_are_one_line_and_exit_status_2(
    words: list[str], message: str, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert status([*files, *words]) == 2
    error = [line for line in capsys.readouterr().err.splitlines() if not line.startswith("RESULT")]
    assert len(error) == 1
    assert message in error[0]


@pytest.mark.parametrize("command", ["eval", "nbest", "app"])
def test_help_lists_the_options(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status([command, "--help"]) == 0
    out = capsys.readouterr().out
    assert f"usage: mteval {command}" in out
    assert command == "app" or "--help-metrics" in out
    assert "--ter.beamWidth" not in out


def test_the_help_of_metrics_lists_their_options_and_tokenizers_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["eval", "--help-metrics"]) == 0
    out = capsys.readouterr().out
    assert out.count("13a, none, intl") == 1
    assert [out.count(option) for option in ("--ter.beamWidth", "--comet.checkpoint", "--bleu.verbosity")] == [1, 1, 1]
    assert status(["eval", "--help-metrics", "bleu"]) == 0
    assert "--ter.beamWidth" not in capsys.readouterr().out
    assert status(["eval", "--help-metrics", "blue"]) == 2


def test_the_help_of_models_says_what_each_family_takes(capsys: pytest.CaptureFixture[str]) -> None:
    help_of = {}
    for metric in ("comet", "llm-judge"):
        assert status(["eval", "--help-metrics", metric]) == 0
        help_of[metric] = " ".join(capsys.readouterr().out.split())
    assert "checkpoint on this machine" in help_of["comet"]
    assert "(or MTEVAL_COMET, separated by ':')" in help_of["comet"]
    assert "--llm-judge.model MODEL@URL" in help_of["llm-judge"]
    assert "(or MTEVAL_JUDGE, separated by a space)" in help_of["llm-judge"]
    assert "on this machine" not in help_of["llm-judge"]


def test_an_option_of_an_unused_metric_gets_a_note(files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main([*files, "--bleu.lowercase", "true", "--boot-samples", "2"])
    assert "--bleu.lowercase has no effect" in capsys.readouterr().err


def test_with_debug_an_error_shows_where_it_arose(files: list[str]) -> None:
    with pytest.raises(SettingsError):
        main([*files, "--threads", "-1", "--debug"])


@pytest.mark.parametrize(("words", "start"), [([], "\\begin{table}"), (["--fullLatexDoc"], "\\documentclass")])
def test_a_document_is_written_where_it_is_wanted(
    words: list[str], start: str, files: list[str], tmp_path: Path
) -> None:
    target = tmp_path / "t.tex"
    assert main([*files, "--hyps-sys1", str(tmp_path / "s1"), "--latex", str(target), *words]) == 0
    text = target.read_text(encoding="utf-8")
    assert text.startswith(start)
    assert "seed: 12345" in text
    assert "\\toprule" in text


def test_columns_of_the_latex_table_can_be_chosen(files: list[str], tmp_path: Path) -> None:
    words = [
        "--hyps-sys1",
        str(tmp_path / "s1"),
        "--latex",
        str(tmp_path / "t"),
        "--latex-columns",
        "average",
        "p_run",
    ]
    assert main([*files, *words]) == 0
    assert r"Metric & System & Avg & $p_{\text{run}}$ \\" in (tmp_path / "t").read_text(encoding="utf-8")
