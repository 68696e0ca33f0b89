"""``mteval nbest`` reproduces MultEval's recorded run, with a ``topbest`` that is right for every metric."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from operator import itemgetter
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
    """The lines of a scored list, taken apart."""
    for line in text:
        start, ranks, numbers = line.rsplit(" ||| ", 2)
        rank_of = {}
        for name, rank in re.findall(r"(\w+)=(\d+)", ranks):
            rank_of[name.removesuffix("Rank")] = int(rank)
        named_numbers = [(name, float(number)) for name, number in re.findall(r"(\w+)=(\S+)", numbers)]
        yield Line(start, rank_of, named_numbers)


def reranked(scored: list[Line], metrics: tuple[str, ...]) -> list[dict[str, int]]:
    """MultEval's ranks by its own scores, had it been asked for these metrics alone: ties keep the order before."""
    candidates_of: dict[int, list[dict[str, float]]] = {}
    for line in scored:
        segment = int(line.start.split(" ")[0])
        candidates_of.setdefault(segment, []).append(dict(line.numbers))

    ranks: list[dict[str, int]] = []
    for segment in sorted(candidates_of):
        candidates = list(enumerate(candidates_of[segment]))
        ranks_of_segment = [{"orig": place} for place, _ in candidates]
        for metric in metrics:
            score_of = itemgetter(metric)
            candidates.sort(key=lambda candidate: score_of(candidate[1]), reverse=metric != "ter")
            for rank, (place, _) in enumerate(candidates):
                ranks_of_segment[place][metric] = rank
        ranks += ranks_of_segment
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
    """Rank MultEval's list by all metrics that are installed."""
    rank_folder = tmp_path / "rank"
    words = ["nbest", "--nbest", str(recorded / "nbest" / "example.nbest.gz"), "--refs", str(references)]
    words += ["--metrics", *metrics_here, "--rankDir", str(rank_folder), "--verbosity", "0"]
    assert main(words) == 0
    captured = capsys.readouterr()
    return Output(captured.out.splitlines(), captured.err.splitlines(), rank_folder)


def test_the_recorded_run_is_reproduced(
    output: Output, recorded: Path, metrics_here: tuple[str, ...], lines_of: Callable[[Path], list[str]]
) -> None:
    theirs = list(lines(lines_of(recorded / "nbest" / "scored.gz")))
    ours = list(lines(output.out))
    assert [line.start for line in ours] == [line.start for line in theirs]

    left_out: set[str] = set()
    expected_ranks = [line.ranks for line in theirs]
    if "meteor" not in metrics_here:
        left_out = {"meteor", "prec", "rec", "frag"}
        expected_ranks = reranked(theirs, metrics_here)
    assert [line.ranks for line in ours] == expected_ranks
    for our_line, their_line in zip(ours, theirs, strict=True):
        expected = [(name, number) for name, number in their_line.numbers if name not in left_out]
        assert [name for name, _ in our_line.numbers] == [name for name, _ in expected]
        numbers = [number for _, number in our_line.numbers]
        assert numbers == pytest.approx([number for _, number in expected], rel=DIGITS)


def test_oracle_scores_are_the_recorded_ones_and_topbest_is_right_for_all_metrics(
    output: Output, recorded: Path, metrics_here: tuple[str, ...], lines_of: Callable[[Path], list[str]]
) -> None:
    recorded_lines = lines_of(recorded / "nbest" / "oracle-scores.txt")
    theirs = [line for line in recorded_lines if line.split(" ")[0].lower() in metrics_here]
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
        places = [(int(line.start.split(" ")[0]), line.ranks[metric]) for line in lines(written)]
        assert places == sorted(places)


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
        ("TER", "topbest", "20.00"),
        ("TER", "oracle", "0.00"),
        ("TER", "worst-oracle", "20.00"),
        ("Length", "topbest", "80.00"),
        ("Length", "oracle", "100.00"),
        ("Length", "worst-oracle", "80.00"),
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


def test_help_names_the_default_convention_which_lists_do_not_choose_by_their_text(
    small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["nbest", "--help"])
    assert "sacrebleu: raw text (default: multeval)" in " ".join(capsys.readouterr().out.split())
    assert main([*small, "--metrics", "bleu"]) == 0
    by_default = capsys.readouterr().out
    assert main([*small, "--metrics", "bleu", "--convention", "multeval"]) == 0
    assert capsys.readouterr().out == by_default


def test_detokenized_text_is_scored_by_the_other_convention(
    small: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*small, "--metrics", "chrf", "--convention", "sacrebleu"]) == 0
    assert "1 ||| a dog ||| f=3 ||| -0.001000 ||| origRank=0 chrfRank=0 ||| chrf=100.0\n" in capsys.readouterr().out


def test_a_closed_pipe_ends_the_command_silently(tmp_path: Path) -> None:
    n_lines = 3_000  # more than the buffer of a pipe holds
    (tmp_path / "list").write_text("".join(f"{i} ||| a b ||| f ||| 0\n" for i in range(n_lines)), encoding="utf-8")
    (tmp_path / "refs").write_text("a b\n" * n_lines, encoding="utf-8")
    command = [sys.executable, "-m", "mteval", "nbest", "--nbest", "list", "--refs", "refs", "--metrics", "length"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout
        assert process.stderr
        assert process.stdout.readline().startswith(b"0 ||| a b ||| ")
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_metrics_that_gain_nothing_on_a_cluster_do_not_look_for_it(small: list[str]) -> None:
    assert main([*small, "--metrics", "bleu", "ter", "--cluster", "nonsense://x"]) == 0


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
