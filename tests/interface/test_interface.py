"""The Python interface gives what the command line writes, and says what it was given wrong."""

import doctest
import json
import zipfile
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import mteval
from mteval.base.errors import MissingDependencyError
from mteval.cli import main
from mteval.interface import claims, computation, people, results
from mteval.report.numbers import json as numbers_as_json
from tests.interface.typed_use import report

REFERENCE = [f"the quick brown fox number {n} jumps over the lazy dog of the town" for n in range(30)]
A = [[text.replace("quick", "fast") for text in REFERENCE], [text.replace("lazy", "idle") for text in REFERENCE]]
B = [
    [text.replace("jumps", "leaps") if n % 3 else text for n, text in enumerate(REFERENCE)],
    [text.replace("town", "city") if n % 2 else text for n, text in enumerate(REFERENCE)],
]
SOURCE = [f"der Satz {n}" for n in range(30)]
FAST = {"n_bootstrap": 50, "n_shuffles": 200}


@pytest.fixture(scope="module")
def compared() -> mteval.Comparison:
    """Two systems of two runs, the second of which is wrong in fewer segments."""
    return mteval.compare({"A": A, "B": B}, REFERENCE, ["bleu", "ter"], **FAST)


def write(folder: Path, name: str, texts: list[str]) -> Path:
    """Write a file with a line for each text."""
    path = folder / name
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def test_its_numbers_are_those_of_the_command_line_on_the_same_texts(tmp_path: Path) -> None:
    files_a = [str(write(tmp_path, f"A{number}", run)) for number, run in enumerate(A)]
    files_b = [str(write(tmp_path, f"B{number}", run)) for number, run in enumerate(B)]
    reference = str(write(tmp_path, "ref", REFERENCE))
    out = tmp_path / "numbers.json"
    words = ["eval", "--refs", reference, "--hyps-baseline", *files_a, "--hyps-sys1", *files_b, "--json", str(out)]
    words += ["--metrics", "bleu", "ter", "--boot-samples", "50", "--ar-shuffles", "200", "--convention", "sacrebleu"]
    assert main(words) == 0
    written = json.loads(out.read_text())

    as_texts = {"baseline": A, "sys1": B}
    as_files = {"baseline": files_a, "sys1": [Path(file) for file in files_b]}
    for systems in (as_texts, as_files):
        comparison = mteval.compare(systems, REFERENCE, ["bleu", "ter"], **FAST)
        numbers = json.loads(numbers_as_json(comparison.results.evaluation))
        for frame in ("scores", "summary", "comparisons"):
            assert numbers[frame] == written[frame]


def test_references_are_one_list_or_several_and_arrays_are_lists() -> None:
    with_cats = [text.replace("dog", "cat") for text in REFERENCE]
    of_lists = mteval.score({"A": A}, REFERENCE, ["bleu"])
    of_arrays = mteval.score({"A": [np.array(run) for run in A]}, np.array(REFERENCE), ["bleu"])
    assert of_lists.equals(of_arrays)
    with pytest.warns(UserWarning, match="equals a reference"):
        by_two_references = mteval.score({"A": [with_cats]}, [REFERENCE, with_cats], ["bleu"])
    assert by_two_references["score"].tolist() == [pytest.approx(100)]


def test_a_system_may_have_the_name_of_an_internal_file() -> None:
    texts = ["a cat", "a dog"]
    wrong = [["x y", "x y"], ["x z", "x y"]]
    scores = mteval.score({"references": wrong, "B": [texts]}, [["one cat", "one dog"], texts], ["ter"])
    assert scores.set_index(["system", "run"])["score"].to_dict() == {
        ("references", "0"): 100.0,
        ("references", "1"): 100.0,
        ("B", "0"): 0.0,
    }


def test_many_systems_take_the_layout_that_the_command_line_takes() -> None:
    with pytest.warns(UserWarning, match="are identical"):
        of_four = mteval.compare(dict.fromkeys("ABCD", A), REFERENCE, ["bleu"], **FAST)
    assert of_four.to_latex() == of_four.to_latex("systems")
    assert of_four.to_latex() != of_four.to_latex("booktabs")


def test_what_it_shows_names_the_systems_and_escapes_them(compared: mteval.Comparison) -> None:
    assert repr(compared) == "<mteval.Comparison of A, B by bleu, ter>"
    assert [verdict.system for verdict in compared.verdicts] == ["B", "B"]
    assert str(compared).splitlines()[1].startswith("A ")
    hostile = mteval.compare({"A": A, "<img src=x>": B}, REFERENCE, ["bleu"], **FAST)
    shown = hostile._repr_html_()
    assert "<img" not in shown
    assert "&lt;img src=x&gt;" in shown


def test_the_table_the_latex_and_the_figures_are_of_the_same_numbers(compared: mteval.Comparison) -> None:
    means = compared.table().set_index(["metric", "system"])["mean"]
    by_hand = compared.scores.groupby(["metric", "system"])["score"].mean()
    assert means.to_dict() == pytest.approx(by_hand.to_dict())
    assert f"{means['bleu', 'B']:.1f}" in compared.to_latex()
    assert compared.figure("runs").to_json() == compared.figure("bleu-runs").to_json()
    with pytest.raises(mteval.MtevalError, match=r"'nothing'\. Found: bleu-runs"):
        compared.figure("nothing")


def test_what_is_saved_is_loaded_with_the_same_numbers(compared: mteval.Comparison, tmp_path: Path) -> None:
    compared.save(tmp_path / "report.zip")
    zipfile.ZipFile(tmp_path / "report.zip").extractall(tmp_path)
    again = mteval.load(tmp_path / "experiment.toml")
    assert again.scores.equals(compared.scores)
    assert again.summary.equals(compared.summary)


def test_plans_and_replications_are_of_the_system_that_is_named(compared: mteval.Comparison) -> None:
    outlook = mteval.replicate(compared)
    assert outlook["k"].tolist() == [1, 2]
    means = compared.summary.set_index(["metric", "system"])["mean"]
    assert outlook["expected"].iloc[0] == pytest.approx(means["bleu", "B"] - means["bleu", "A"])
    assert mteval.plan(compared, 5.0).n_runs == 2
    with pytest.raises(mteval.MtevalError, match="'C' is not compared"):
        mteval.replicate(compared, "C")
    with pytest.raises(mteval.MtevalError, match="'chrf' was not computed"):
        mteval.plan(compared, 1.0, metric="chrf")


@pytest.mark.parametrize(
    ("systems", "references", "message"),
    [
        ({}, REFERENCE, "No systems given"),
        ({"A": []}, REFERENCE, "System 'A' has no run"),
        ({"A": "a.txt"}, REFERENCE, r"Pass a list of runs: \['a.txt'\]"),
        ({"A": ["no such file"]}, REFERENCE, "no such file"),
        ({"A": [[1, 2]]}, REFERENCE, r"A/0.txt, segment 1 is 1 \(int\)"),
        ({"A": [["one\ntwo"]]}, ["one"], "A/0.txt, segment 1 contains a line break"),
        ({"A": [REFERENCE[:-1]]}, REFERENCE, "29"),
    ],
)
def test_bad_input_is_an_error_with_a_remedy(systems: object, references: list[str], message: str) -> None:
    with pytest.raises(mteval.MtevalError, match=message):
        mteval.compare(systems, references, ["bleu"], **FAST)


@pytest.mark.parametrize("half", ["\ud800", "a\udcffb"])
@pytest.mark.parametrize("place", ["system", "reference", "source", "documents", "name", "name of scores", "test set"])
def test_half_a_surrogate_pair_is_refused_before_anything_is_computed(place: str, half: str) -> None:
    systems = {"A": [["a", "b"]], "B": [["a", "c"]]}
    texts = ["a", half]
    options: dict[str, object] = {}
    references = ["a", "b"]
    if place == "system":
        systems["B"] = [texts]
    elif place == "reference":
        references = texts
    elif place == "name":
        systems[half] = [["a", "d"]]
    elif place == "name of scores":
        options["scores"] = {half: {"A": [[1, 2]], "B": [[2, 3]]}}
    elif place == "test set":
        options["test_sets"] = {half: {"systems": systems, "references": references}}
    else:
        options[place] = texts
    with pytest.raises(mteval.MtevalError, match="half a surrogate pair"):
        mteval.compare(systems, references, ["ter"], **FAST, **options)


def test_lines_may_come_from_generators() -> None:
    lists = mteval.compare({"A": A, "B": B}, REFERENCE, ["ter"], source=SOURCE, **FAST)
    systems = {"A": [iter(run) for run in A], "B": (map(str, run) for run in B)}
    read_once = mteval.compare(systems, (text for text in REFERENCE), ["ter"], source=iter(SOURCE), **FAST)
    assert numbers_as_json(read_once.results.evaluation) == numbers_as_json(lists.results.evaluation)


def test_a_generator_of_other_things_is_an_error_with_a_remedy() -> None:
    with pytest.raises(mteval.MtevalError, match=r"segment 1 is 1 \(int\)"):
        mteval.compare({"A": [(number for number in (1, 2))]}, ["a", "b"], ["ter"], **FAST)


def test_the_package_lists_its_names_and_refuses_others() -> None:
    assert "compare" in dir(mteval)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        mteval.nothing  # noqa: B018


def test_the_notebook_display_needs_no_network(compared: mteval.Comparison) -> None:
    shown = compared._repr_html_() + compared.to_html()
    for word in ("<link", 'src="http', "@import", "url(http"):
        assert word not in shown


def test_a_program_with_types_runs_as_it_is_checked(tmp_path: Path) -> None:
    write(tmp_path, "other.txt", REFERENCE)
    new_files = [write(tmp_path, f"new{number}", run) for number, run in enumerate(B)]
    sentence, scores = report(A, new_files, REFERENCE, tmp_path)
    assert sentence.startswith("new: ")
    assert scores["metric"].tolist() == ["ter", "ter"]


def test_an_unseen_language_warns_at_the_callers_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = tmp_path / "roberta-large"
    model.mkdir()
    for name in ("config.json", "model.safetensors"):
        (model / name).touch()
    monkeypatch.setenv("MTEVAL_BERTSCORE", str(model))
    monkeypatch.setenv("MTEVAL_NEURAL_PYTHON", "/nowhere/python")  # the warning comes before what takes long
    for ask in (mteval.compare, mteval.score):
        with pytest.warns(UserWarning, match="contains Livonian") as warned, pytest.raises(MissingDependencyError):
            ask({"A": A}, REFERENCE, ["bertscore"], languages="en-liv")
        assert [warning.filename for warning in warned] == [__file__]
        # BERTScore compares texts of the target language, the second.
        with pytest.raises(MissingDependencyError):
            ask({"A": A}, REFERENCE, ["bertscore"], languages="liv-en")


@pytest.mark.parametrize("module", [claims, computation, people, results])
def test_examples_in_docstrings_are_right(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


def test_tests_after_a_comparison_use_its_scores(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = {"A": [["a b c d e f", "g h i j"]], "B": [["a b c d f", "g h i k"]], "C": [["a b d", "g i j"]]}
    comparison = mteval.compare(outputs, ["a b c d e f", "g h i j"], ["length"], n_shuffles=50, n_bootstrap=20)
    monkeypatch.setattr(results, "score_experiment", None)
    assert len(comparison.pairs()) == 3
