"""``mteval nbest`` reproduces MultEval's recorded run, with a ``topbest`` that is right for every metric."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from mteval.cli import main

DIGITS = 1e-12  # MultEval's logarithms differ from ours in the last bit
SMALL_LIST = "0 ||| the cat ||| f=1 ||| -1\n0 ||| the cat sat ||| f=2 ||| -2.5\n1 ||| a dog ||| f=3 ||| -1e-3\n"


@dataclass(frozen=True)
class Line:
    """One line of a scored list, taken apart."""

    start: str
    ranks: dict[str, int]
    numbers: list[tuple[str, float]]


def lines(text: list[str]) -> Iterator[Line]:
    for line in text:
        start, ranks, numbers = line.rsplit(" ||| ", 2)
        yield Line(
            start,
            {name.removesuffix("Rank"): int(rank) for name, rank in re.findall(r"(\w+)=(\d+)", ranks)},
            [(name, float(number)) for name, number in re.findall(r"(\w+)=(\S+)", numbers)],
        )


def reranked(scored: list[Line], metrics: tuple[str, ...]) -> list[dict[str, int]]:
    """MultEval's ranks by its own scores, had it been asked for these metrics alone: ties keep the order before."""
    ranks: list[dict[str, int]] = []
    for segment in sorted({int(line.start.split(" ")[0]) for line in scored}):
        listed = [dict(line.numbers) for line in scored if line.start.startswith(f"{segment} ||| ")]
        of_segment = [{"orig": place} for place in range(len(listed))]
        order = list(range(len(listed)))
        for metric in metrics:
            order.sort(key=lambda place: listed[place][metric] * (1 if metric == "ter" else -1))
            for rank, place in enumerate(order):
                of_segment[place][metric] = rank
        ranks += of_segment
    return ranks


@dataclass(frozen=True)
class Output:
    """What our command line printed and wrote for MultEval's list."""

    out: list[str]
    err: list[str]
    sorted_files: Path


@pytest.fixture
def references(example_files: dict[str, list[Path]], tmp_path: Path) -> Path:
    """The references of the recorded list: the first 200 of the example."""
    text = example_files["refs"][0].read_text(encoding="utf-8").split("\n")[:200]
    (tmp_path / "refs").write_text("\n".join(text) + "\n", encoding="utf-8")
    return tmp_path / "refs"


@pytest.fixture
def output(
    references: Path,
    recorded: Path,
    metrics_here: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> Output:
    words = ["nbest", "--nbest", str(recorded / "nbest" / "example.nbest.gz"), "--refs", str(references)]
    assert main([*words, "--metrics", *metrics_here, "--rankDir", str(tmp_path / "rank"), "--verbosity", "0"]) == 0
    captured = capsys.readouterr()
    return Output(captured.out.splitlines(), captured.err.splitlines(), tmp_path / "rank")


def test_the_recorded_run_is_reproduced(
    output: Output, recorded: Path, metrics_here: tuple[str, ...], lines_of: Callable[[Path], list[str]]
) -> None:
    theirs = list(lines(lines_of(recorded / "nbest" / "scored.gz")))
    ours = list(lines(output.out))
    left_out = set() if "meteor" in metrics_here else {"meteor", "prec", "rec", "frag"}
    assert [line.start for line in ours] == [line.start for line in theirs]
    expected = reranked(theirs, metrics_here) if left_out else [line.ranks for line in theirs]
    assert [line.ranks for line in ours] == expected
    for line, other in zip(ours, theirs, strict=True):
        numbers = [(name, number) for name, number in other.numbers if name not in left_out]
        assert [name for name, _ in line.numbers] == [name for name, _ in numbers]
        assert [number for _, number in line.numbers] == pytest.approx([number for _, number in numbers], rel=DIGITS)


def test_oracle_scores_are_the_recorded_ones_and_topbest_is_right_for_all_metrics(
    output: Output, recorded: Path, metrics_here: tuple[str, ...], lines_of: Callable[[Path], list[str]]
) -> None:
    theirs = lines_of(recorded / "nbest" / "oracle-scores.txt")
    theirs = [line for line in theirs if line.split(" ")[0].lower() in metrics_here]
    assert len(output.err) == 3 * len(metrics_here)
    assert [line for line in output.err if "topbest" not in line] == [line for line in theirs if "topbest" not in line]
    assert output.err[0] == theirs[0]  # of the first metric MultEval's is right
    assert "TER topbest score: 71.30 ()" in output.err
    assert "TER topbest score: 70.13 ()" in theirs


def test_the_sorted_files_hold_the_same_lines_best_first(
    output: Output, metrics_here: tuple[str, ...], lines_of: Callable[[Path], list[str]]
) -> None:
    for metric in metrics_here:
        written = lines_of(output.sorted_files / f"{metric}.sorted")
        assert sorted(written) == sorted(output.out)
        keys = [(int(line.start.split(" ")[0]), line.ranks[metric]) for line in lines(written)]
        assert keys == sorted(keys)


@pytest.fixture
def small(tmp_path: Path) -> list[str]:
    """Words for a small list."""
    (tmp_path / "small.nbest").write_text(SMALL_LIST, encoding="utf-8")
    (tmp_path / "small.refs").write_text("the cat sat\na dog\n", encoding="utf-8")
    return ["nbest", "--nbest", str(tmp_path / "small.nbest"), "--refs", str(tmp_path / "small.refs")]


def test_oracles_and_sorted_files_of_a_small_list_are_those_counted_by_hand(
    small: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*small, "--metrics", "ter", "length", "--rankDir", str(tmp_path / "rank"), "--verbosity", "0"]) == 0
    assert re.findall(r"(\w+) (\S+) score: (\S+)", capsys.readouterr().err) == [
        *(("TER", "topbest", "20.00"), ("TER", "oracle", "0.00"), ("TER", "worst-oracle", "20.00")),
        *(("Length", "topbest", "80.00"), ("Length", "oracle", "100.00"), ("Length", "worst-oracle", "80.00")),
    ]
    best_first = (tmp_path / "rank" / "ter.sorted").read_text(encoding="utf-8").splitlines()
    assert [line.split(" ||| ")[1] for line in best_first] == ["the cat sat", "the cat", "a dog"]


def test_metrics_stand_in_the_list_as_they_were_typed(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*small, "--metrics", "TER", "length"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first == (
        "0 ||| the cat ||| f=1 ||| -1.000000 ||| origRank=0 TERRank=1 lengthRank=1"
        " ||| TER=33.33333333333333 length=66.66666666666666"
    )


def test_detokenized_text_is_scored_by_the_other_convention(
    small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*small, "--metrics", "chrf", "--convention", "sacrebleu"]) == 0
    assert "1 ||| a dog ||| f=3 ||| -0.001000 ||| origRank=0 chrfRank=0 ||| chrf=100.0\n" in capsys.readouterr().out


def test_a_closed_pipe_ends_the_command_silently(tmp_path: Path) -> None:
    many = 3_000  # more than the buffer of a pipe holds
    (tmp_path / "list").write_text("".join(f"{i} ||| a b ||| f ||| 0\n" for i in range(many)), encoding="utf-8")
    (tmp_path / "refs").write_text("a b\n" * many, encoding="utf-8")
    command = [sys.executable, "-m", "mteval", "nbest", "--nbest", "list", "--refs", "refs", "--metrics", "length"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().startswith(b"0 ||| a b ||| ")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_a_cluster_that_does_not_answer_is_an_error(small: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*small, "--metrics", "ter", "--cluster", "nonsense://x"]) == 2
    assert "nonsense://x" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("3 ||| x ||| f ||| 0\n", "line 4: The id is 3; expected 1 or 2"),
        ("1 ||| x ||| f\n", "line 4: 3 columns"),
        ("1 ||| x ||| f ||| y\n", "line 4: "),
        ("2 ||| x ||| f ||| 0\n", "line 4: "),
    ],
)
def test_a_broken_list_gives_a_one_line_error_with_its_line_number(
    line: str, message: str, small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    Path(small[2]).write_text(SMALL_LIST + line, encoding="utf-8")
    assert main([*small, "--metrics", "ter"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert message in error
