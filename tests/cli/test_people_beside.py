"""Human scores that are not among the metrics are shown with the verdicts by metrics, in all commands and files."""

import csv
import json
import pickle
from pathlib import Path

import pytest

import mteval
from mteval.cli import main

SEGMENTS = 40
SYSTEMS = ("base", "new", "third", "fourth")
FEW_SHUFFLES = ["--boot-samples", "20", "--ar-shuffles", "200"]
# Words of the reference that each system gets right, and what people give it: they prefer the baseline to "new"
RIGHT = {"base": 3, "new": 5, "third": 2, "fourth": 3}
BY_PEOPLE = {"base": -1, "new": -3, "third": -4, "fourth": -1}


def write(folder: Path, judged: tuple[str, ...], n_systems: int, test_sets: tuple[str, ...] = ("test",)) -> Path:
    """Write outputs of the first systems with a file of people's scores of those that were judged."""
    for test_set in test_sets:
        inside = folder / test_set if len(test_sets) > 1 else folder
        inside.mkdir(exist_ok=True)
        references = [f"a{n} b{n} c{n} d{n} e{n} f{n} g{n}" for n in range(SEGMENTS)]
        (inside / "ref.txt").write_text("\n".join(references) + "\n", encoding="utf-8")
        for system in SYSTEMS[:n_systems]:
            lines = []
            for n, reference in enumerate(references):
                n_right = RIGHT[system] + (n % 3 == 0)
                lines.append(" ".join([*reference.split()[:n_right], *(f"x{system}" for _ in range(7 - n_right))]))
            (inside / f"{system}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        scores = [f"{system}\t{BY_PEOPLE[system] - (n % 4) / 10}" for system in judged for n in range(SEGMENTS)]
        (inside / "xx-yy.mqm.seg.score").write_text("\n".join(scores) + "\n", encoding="utf-8")
    return folder


def eval_words(folder: Path, *more: str) -> list[str]:
    return ["eval", "--files", str(folder), "--baseline", "base", "--metrics", "bleu", *FEW_SHUFFLES, *more]


@pytest.mark.parametrize("n_systems", [2, 4])  # a sentence per system, and a ranking
@pytest.mark.parametrize("more", [(), ("--primary", "bleu"), ("--quiet",), ("--verbose",), ("--format", "markdown")])
def test_people_disagree_in_text_though_only_a_metric_was_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], n_systems: int, more: tuple[str, ...]
) -> None:
    folder = write(tmp_path, SYSTEMS[:n_systems], n_systems)
    assert main(eval_words(folder, *more)) == 0
    out, told = capsys.readouterr()
    assert "People disagree" in out
    assert "xx-yy.mqm" in out
    assert "mqm have no effect" not in told


def test_people_are_adjusted_by_themselves_with_their_own_coverage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path, SYSTEMS, 4)
    assert main(eval_words(folder)) == 0
    out = capsys.readouterr().out
    assert "difference from base by people, with its verdict, on 40 segments; units: segments. Its p is adjusted" in out
    assert out.index("People disagree by xx-yy.mqm: new (worse") < out.index("Ranking by BLEU")


def test_people_disagree_with_further_metrics_below_their_table(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path, SYSTEMS, 4)
    assert main(eval_words(folder, "--metrics", "bleu", "chrf")) == 0
    out = capsys.readouterr().out
    assert out.count("People disagree") == 2
    assert out.index("then p, adjusted (Holm)") < out.index("People disagree with chrF by xx-yy.mqm: new (worse")


@pytest.mark.parametrize("decision", ["primary", "all", "any"])
def test_people_in_json_do_not_depend_on_how_metrics_decide(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], decision: str
) -> None:
    folder = write(tmp_path, SYSTEMS, 4)
    alone = {}
    for name, metrics in {"beside": ["bleu", "chrf"], "among": ["bleu", "xx-yy.mqm"]}.items():
        words = ["eval", "--files", str(folder), "--baseline", "base", "--metrics", *metrics, *FEW_SHUFFLES]
        if name == "beside":
            words += ["--decide", decision]
        assert main([*words, "--format", "json"]) == 0
        alone[name] = json.loads(capsys.readouterr().out)
    assert [row["metric"] for row in alone["beside"]["verdicts"]].count("xx-yy.mqm") == 0
    # Which metrics people contradict depends on the metrics
    contradicted = {name: [row.pop("contradicts") for row in alone[name]["verdicts_by_people"]] for name in alone}
    assert contradicted == {"beside": ["bleu, chrf", "", ""], "among": ["bleu", "", ""]}
    assert alone["beside"]["verdicts_by_people"] == alone["among"]["verdicts_by_people"]
    first, *others = alone["beside"]["verdicts_by_people"]
    assert (first["system"], first["verdict"], first["contradicts_primary"]) == ("new", "worse", True)
    assert not any(row["contradicts_primary"] for row in others)


@pytest.mark.parametrize(
    ("judged", "words"),
    [
        (("new",), "People judged only new (xx-yy.mqm), so they give no verdict. Choose a judged baseline, or add"),
        (
            ("base",),
            "People judged only base (xx-yy.mqm), so they give no verdict. Add their scores of another",
        ),
    ],
)
def test_people_without_a_pair_are_said_to_give_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], judged: tuple[str, ...], words: str
) -> None:
    assert main(eval_words(write(tmp_path, judged, 2))) == 0
    out = capsys.readouterr().out
    assert words in " ".join(out.split())
    assert "People disagree" not in out


def test_a_system_that_people_did_not_judge_has_no_verdict_by_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(eval_words(write(tmp_path, ("base", "new"), 4), "--format", "json")) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["system"] for row in document["verdicts_by_people"]] == ["new"]


def test_people_disagree_on_each_test_set_of_a_grid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(eval_words(write(tmp_path, SYSTEMS[:2], 2, ("de-en", "fr-en")))) == 0
    out = capsys.readouterr().out
    for test_set in ("de-en", "fr-en"):
        assert f"{test_set}: People disagree by xx-yy.mqm: new (worse" in out


def test_people_stand_in_the_report_and_in_a_pickled_comparison() -> None:
    references = [f"a{n} b{n} c{n} d{n}" for n in range(SEGMENTS)]
    halves = [f"a{n} b{n} x y" for n in range(SEGMENTS)]
    most = [f"a{n} b{n} c{n} y" for n in range(SEGMENTS)]
    scores = {"mqm": {"base": [[-1.0] * SEGMENTS], "new": [[-3.0 - n % 4 for n in range(SEGMENTS)]]}}
    comparison = mteval.compare(
        {"base": [halves], "new": [most]}, references, "bleu", scores=scores, n_shuffles=200, n_bootstrap=20
    )
    for shown in (comparison, pickle.loads(pickle.dumps(comparison))):
        assert "People disagree: mqm −3.500, worse" in str(shown)
        assert "People disagree" in shown.to_html()
    gate = mteval.gate(comparison)
    assert [human.system for human in gate.by_people] == ["new"]


def test_a_gate_says_that_people_disagree_and_still_decides_by_its_metric(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = write(tmp_path, SYSTEMS[:2], 2)
    words = ["gate", "--files", str(folder), "--baseline", "base", "--candidate", "new", "--metrics", "bleu"]
    words += ["--design", "released"]
    assert main([*words, "--json", str(tmp_path / "gate.json")]) == 0
    out = capsys.readouterr().out
    assert out.index("Gate: pass.") < out.index("People disagree: xx-yy.mqm −2.000, worse") < out.index("BLEU: pass")
    (row,) = json.loads((tmp_path / "gate.json").read_text(encoding="utf-8"))["verdicts_by_people"]
    assert (row["system"], row["verdict"], row["contradicts"]) == ("new", "worse", True)


@pytest.mark.parametrize("n_systems", [2, 4])
def test_people_disagree_on_average_over_test_sets(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], n_systems: int
) -> None:
    folder = write(tmp_path, SYSTEMS[:n_systems], n_systems, ("de-en", "fr-en"))
    written = tmp_path / "numbers.json"
    assert main(eval_words(folder, "--json", str(written))) == 0
    out = capsys.readouterr().out
    numbers = json.loads(written.read_text(encoding="utf-8"))
    claims = [row for row in numbers["claims_by_people"] if row["question"] == "these runs" and row["system"] == "new"]
    (claim,) = claims
    assert claim["difference"] == pytest.approx(BY_PEOPLE["new"] - BY_PEOPLE["base"])
    assert "On average people disagree by xx-yy.mqm: new (worse, −2.000" in out


def test_averages_of_a_leaderboard_have_the_verdict_by_people_and_no_ties(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()
    folder = write(tmp_path / "runs", SYSTEMS[:4], 4, ("de-en", "fr-en"))
    numbers = tmp_path / "numbers.json"
    board = tmp_path / "board.json"
    assert main(eval_words(folder, "--json", str(numbers), "--leaderboard", str(board))) == 0
    claims = json.loads(numbers.read_text(encoding="utf-8"))["claims_by_people"]
    claim_of = {row["system"]: row for row in claims if row["question"] == "these runs"}
    rows = json.loads(board.read_text(encoding="utf-8"))["leaderboard"]
    averages = {row["system"]: row for row in rows if row["test_set"] == "(average)"}
    assert set(averages) == {"base", *claim_of}
    for system, row in averages.items():
        assert row["tied_with"] is None, "pairs are tested on single test sets only"
        if system == "base":
            assert (row["metric_of_people"], row["verdict_by_people"]) == ("", "")
            continue
        claim = claim_of[system]
        assert row["metric_of_people"] == claim["metric"]
        assert row["difference_by_people"] == pytest.approx(claim["difference"])
        expected = "no clear difference"
        if claim["p_adjusted"] <= 0.05:
            expected = "better" if claim["improvement"] > 0 else "worse"
        assert row["verdict_by_people"] == expected
    assert averages["new"]["verdict_by_people"] == "worse"

    board = tmp_path / "board.csv"
    assert main(eval_words(folder, "--leaderboard", str(board))) == 0
    in_csv = csv.DictReader(board.read_text(encoding="utf-8").splitlines())
    averages_in_csv = [row for row in in_csv if row["test_set"] == "(average)"]
    assert len(averages_in_csv) == 4
    for row in averages_in_csv:
        assert row["tied_with"] == ""
        assert row["verdict_by_people"] == averages[row["system"]]["verdict_by_people"]
