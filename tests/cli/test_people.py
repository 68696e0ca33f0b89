"""``mteval people`` on small files, by hand; and every command line of its page in the documentation."""

import json
import re
import shlex
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mteval.cli import main
from mteval.values.judgements import wmt_weight

PAGE = Path(__file__).parents[2] / "docs" / "people.md"
SYSTEMS = {"A": 1.5, "B": 0.3, "C": 0.0}
N = 24


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files that the page names."""
    place = tmp_path_factory.mktemp("people")
    generator = np.random.default_rng(12)
    gains = {system: gain + generator.normal(size=N) for system, gain in SYSTEMS.items()}
    _judgements(place, gains, generator)
    for rater in (1, 2, 3):
        _ratings(place / f"zh-en.mqm.rater{rater}.seg.rating", gains, generator)
    lines = [f"{system}\t{value + generator.normal()}\n" for system, values in gains.items() for value in values]
    (place / "COMET.seg.score").write_text("".join(lines))
    (place / "documents.txt").write_text("".join(f"d{n // 3}\n" for n in range(N)))
    (place / "counts.csv").write_text("metric,correct,n_pairs\nBLEU,53,66\nBLEU,34,55\n")
    words = [f"word{n}" for n in range(9)]
    (place / "ref.txt").write_text(f"{' '.join(words)}\n" * N)
    for system, loss in (("A", 0.1), ("B", 0.3), ("C", 0.35)):
        outputs = (" ".join(word for word in words if generator.random() > loss) for _ in range(N))
        (place / f"{system}.txt").write_text("".join(f"{output}\n" for output in outputs))
    for name in ("GEMBA", "MetricX"):
        lines = [f"{system}\t{value + generator.normal()}\n" for system, values in gains.items() for value in values]
        (place / f"{name}.seg.score").write_text("".join(lines))
    frame = pd.read_csv(place / "judgements.tsv", sep="\t")
    frame[frame["annotator"] == "ann"].assign(annotator="gpt-4o").to_csv(place / "gpt-4o.tsv", sep="\t", index=False)
    return place


def _judgements(place: Path, gains: dict[str, np.ndarray], generator: np.random.Generator) -> None:
    rows = [
        (
            rater,
            system,
            n + 1,
            round(50 + 10 * (values[n] + generator.normal()), 1),
            round(60 + 5 * generator.normal(), 1),
        )
        for rater in ("ann", "bob", "cat")
        for system, values in gains.items()
        for n in range(N)
    ]
    frame = pd.DataFrame(rows, columns=["annotator", "system", "segment", "adequacy", "fluency"])
    frame.to_csv(place / "judgements.tsv", sep="\t", index=False)


def _ratings(path: Path, gains: dict[str, np.ndarray], generator: np.random.Generator) -> None:
    lines = []
    for system, values in gains.items():
        for value in values:
            n_errors = max(0, round(3 - value + generator.normal()))
            error = {"start": 0, "end": 1, "category": "Accuracy/Omission", "severity": "Minor"}
            lines.append(f"{system}\t{json.dumps({'errors': [error] * n_errors})}\n")
    path.write_text("".join(lines))


def commands() -> list[str]:
    """The command lines of the page."""
    blocks = re.findall(r"^```\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines() if line.startswith("mteval people")]


@pytest.fixture
def people(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Runs the command in the folder; gives its status and what it printed."""
    monkeypatch.chdir(folder)

    def run(line: str) -> tuple[int, str, str]:
        status = main(["people", *shlex.split(line)])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return run


@pytest.mark.parametrize("line", commands())
def test_the_command_lines_of_the_page_run(line: str, people) -> None:
    status, out, err = people(line.removeprefix("mteval people "))
    assert status == 0, err
    assert len(out.splitlines()) > 3


def test_the_page_has_a_line_for_every_question() -> None:
    assert len(commands()) >= 5


def test_published_counts_get_the_intervals_that_the_paper_prints(people) -> None:
    _, out, _ = people("--counts counts.csv")
    assert "80.3  [68.7, 89.1]" in out
    assert "61.8  [47.7, 74.6]" in out
    assert "Chi-square of the 2 rows: 5.07, df 1, p = 0.024." in out


def test_every_table_is_written_as_csv_and_json(people, folder: Path) -> None:
    status, out, err = people(
        "--judgements judgements.tsv --documents documents.txt --scores-higher COMET.seg.score --resamples 200"
        " --replicates 50 --csv tables --json all.json"
    )
    assert status == 0, err
    assert (
        "216 judgements by 3 annotators of 3 systems on 24 segments in 8 documents; scales: adequacy, fluency." in out
    )
    names = {
        "averages",
        "gold",
        "claims",
        "accuracy",
        "accuracies_apart",
        "against",
        "shares",
        "agreement",
        "metric_pairs",
        "rater_agreement",
        "raters",
    }
    assert {path.stem for path in (folder / "tables").iterdir()} == names
    numbers = json.loads((folder / "all.json").read_text())
    assert names | {"choices", "definitions", "files", "format_version", "settings", "versions"} == numbers.keys()
    accuracy = pd.read_csv(folder / "tables" / "accuracy.csv")
    assert len(accuracy) == 3 * 3
    assert set(accuracy["unit"]) == {"document"}
    assert [row["correct"] for row in numbers["accuracy"]] == list(accuracy["correct"])


def test_errors_weigh_what_wmt_says_from_the_command_line(people, folder: Path) -> None:
    people("--judgements zh-en.mqm.rater1.seg.rating --show gold --csv only --gold-unit judgement")
    rows = (folder / "zh-en.mqm.rater1.seg.rating").read_text().splitlines()
    errors = {"A": 0, "B": 0, "C": 0}
    for row in rows:
        system, rating = row.split("\t")
        errors[system] += sum(wmt_weight(one["category"], one["severity"]) for one in json.loads(rating)["errors"])
    best = min(errors, key=errors.__getitem__)
    gold = pd.read_csv(folder / "only" / "gold.csv").sort_values("p_value")
    assert gold["better"].iloc[0] == best


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "Use --judgements"),
        ("--judgements nothing.tsv", "nothing.tsv: "),
        (
            "--judgements judgements.tsv --outputs A.txt",
            "has no reference, so reference-based metrics are unavailable",
        ),
        ("--judgements judgements.tsv --refs ref.txt", "--refs needs --outputs"),
        ("--judgements judgements.tsv --scores-higher COMET.seg.score --metrics bleu", "BLEU needs outputs"),
        ("--judgements judgements.tsv --scales effort", "'effort'"),
        ("--judgements judgements.tsv --show raters --baseline X", "Judged systems: A, B, C"),
        ("--judgements judgements.tsv --gold-unit document", "document"),
        ("--judgements ref.txt", "ref.txt, line 1: No judgements"),
        ("--counts documents.txt", "n_pairs"),
    ],
)
def test_bad_input_gives_a_one_line_error(line: str, message: str, people) -> None:
    status, _, err = people(line)
    assert status == 2
    assert message in err.splitlines()[-1]


def test_an_unknown_category_is_asked_about(people, folder: Path) -> None:
    (folder / "strange.seg.rating").write_text(
        (folder / "zh-en.mqm.rater1.seg.rating").read_text().replace("Accuracy/Omission", "Made up")
    )
    status, _, err = people("--judgements strange.seg.rating --show gold")
    assert status == 0
    assert "'Made up' (Minor, " in err


def test_json_lists_every_file_that_was_read(people, folder: Path) -> None:
    status, out, err = people(
        "--judgements judgements.tsv --refs ref.txt --outputs A.txt B.txt C.txt --scores-higher COMET.seg.score"
        " --counts counts.csv --documents documents.txt --metrics bleu --show gold --replicates 50 --json -"
    )
    assert status == 0, err
    files = {entry["file"]: entry for entry in json.loads(out)["files"]}
    assert {name: entry["roles"] for name, entry in files.items()} == {
        "judgements.tsv": ["judgements"],
        "counts.csv": ["counts"],
        "ref.txt": ["reference"],
        "A.txt": ["hypothesis"],
        "B.txt": ["hypothesis"],
        "C.txt": ["hypothesis"],
        "COMET.seg.score": ["scores"],
        "documents.txt": ["documents"],
    }
    # Two scales by three raters on 24 segments of three systems
    assert (files["judgements.tsv"]["rows"], files["judgements.tsv"]["segments"]) == (2 * 3 * 3 * N, N)
    assert files["counts.csv"]["rows"] == 2


def test_json_lists_files_of_judgements_alone(people) -> None:
    _, out, _ = people("--judgements judgements.tsv --documents documents.txt --show gold --json -")
    entries = [(entry["file"], entry["fate"]) for entry in json.loads(out)["files"]]
    assert entries == [("judgements.tsv", "read"), ("documents.txt", "read")]


def test_numbers_of_judged_segments_that_may_count_from_0_are_reported_beside_metrics(people, folder: Path) -> None:
    frame = pd.read_csv(folder / "judgements.tsv", sep="\t")
    frame[frame["segment"] < N].to_csv(folder / "without-last.tsv", sep="\t", index=False)
    frame[frame["segment"] > 1].to_csv(folder / "without-first.tsv", sep="\t", index=False)
    warning = f"All segments but number {N} were judged. Numbers are read as counting from 1."
    texts = {}
    for name in ("without-last", "without-first"):
        status, texts[name], _ = people(f"--judgements {name}.tsv --scores-higher COMET.seg.score")
        assert status == 0
    assert warning in " ".join(texts["without-last"].split())
    assert warning not in " ".join(texts["without-first"].split())


def test_judged_systems_that_no_metric_scored_are_named_with_those_that_it_did(people, folder: Path) -> None:
    frame = pd.read_csv(folder / "judgements.tsv", sep="\t")
    frame = frame[frame["system"] != "C"].replace({"system": {"A": "Model A", "B": "Model B"}})
    frame.to_csv(folder / "renamed.tsv", sep="\t", index=False)
    status, out, _ = people("--judgements renamed.tsv --scores-higher COMET.seg.score")
    assert status == 0
    text = " ".join(out.split())
    assert "No metric has scores of both Model B and Model A, which people judged. Scored: A, B and C." in text
