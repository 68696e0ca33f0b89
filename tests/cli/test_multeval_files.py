"""What is written for MultEval's example equals what MultEval wrote: rank, sentence files, LaTeX, unmatched words."""

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mteval.cli import main

Lines = Callable[[Path], list[str]]

METEOR_PARTS = ("prec", "rec", "frag")


@pytest.fixture(scope="module")
def written(
    example_files: dict[str, list[Path]], metrics_here: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """Folder of what our command line writes for the example, by MultEval's own options."""
    folder = tmp_path_factory.mktemp("files")
    words = ["eval", "--refs", *map(str, example_files["refs"])]
    for option, key in (("--hyps-baseline", "baseline"), ("--hyps-sys1", "sys1"), ("--hyps-sys2", "sys2")):
        words += [option, *map(str, example_files[key])]
    words += ["--metrics", *metrics_here, "--meteor.language", "en", "--boot-samples", "1000", "--ar-shuffles", "100"]
    words += ["--rankDir", str(folder / "rank"), "--sentLevelDir", str(folder / "sent"), "--verbosity", "1"]
    words += ["--latex", str(folder / "table.tex"), "--fullLatexDoc", "true", "--latex-layout", "multeval"]
    with (folder / "err").open("w", encoding="utf-8") as err, contextlib.redirect_stderr(err):
        assert main([*words, "--threads", "2", "--debug", "false"]) == 0
    return folder


def blocks(lines: list[str], metrics: tuple[str, ...]) -> list[tuple[tuple[str, ...], ...]]:
    """Segments of a rank file: the changes by the metrics that are here, then the other lines."""
    segments = []
    for block in "\n".join(lines).removesuffix("\n").split("\n\n"):
        first, *others = block.split("\n")
        head, *changes = first.split("\t")
        kept = (change for change in changes if change.split(":")[0] in metrics)
        segments.append(((head, *kept), tuple(others)))
    return segments


@pytest.mark.parametrize("metric", ["bleu", "meteor", "ter", "length"])
def test_rank_files_match_multeval(
    metric: str, written: Path, recorded: Path, metrics_here: tuple[str, ...], lines_of: Lines
) -> None:
    if metric not in metrics_here:
        assert not (written / "rank" / f"sys2.sortedby.{metric}").exists()
        return
    theirs = blocks(lines_of(recorded / "rank" / f"sys2.sortedby.{metric}.gz"), metrics_here)
    ours = blocks(lines_of(written / "rank" / f"sys2.sortedby.{metric}"), metrics_here)
    assert len(ours) == 2489
    assert ours == theirs


def test_every_system_but_the_baseline_has_a_rank_file_for_every_metric(
    written: Path, metrics_here: tuple[str, ...]
) -> None:
    expected = {f"sys{number}.sortedby.{metric}" for number in (2, 3) for metric in metrics_here}
    assert {path.name for path in (written / "rank").iterdir()} == expected


def test_unmatched_words_of_meteor_match_multeval(
    written: Path, recorded: Path, metrics_here: tuple[str, ...], lines_of: Lines
) -> None:
    said = [line for line in lines_of(written / "err") if line.startswith("Top unmatched")]
    assert said == (lines_of(recorded / "unmatched-words.txt") if "meteor" in metrics_here else [])


@pytest.mark.parametrize("name", ["sys1.opt1", "sys2.opt1", "sys2.opt3"])
def test_sentence_files_match_multeval(
    name: str, written: Path, recorded: Path, metrics_here: tuple[str, ...], lines_of: Lines
) -> None:
    theirs = lines_of(recorded / "sentLevel" / f"{name}.gz")
    if "meteor" not in metrics_here:
        theirs = [re.sub(rf" (meteor|{'|'.join(METEOR_PARTS)})=\S+", "", line) for line in theirs]
    assert lines_of(written / "sent" / name) == theirs


def test_every_run_has_a_sentence_file(written: Path) -> None:
    expected = {f"sys{system}.opt{run}" for system in (1, 2, 3) for run in (1, 2, 3)}
    assert {path.name for path in (written / "sent").iterdir()} == expected


def rows(lines: list[str], metrics: tuple[str, ...]) -> list[str]:
    """Rows of a table in MultEval's layout without the p-values, those of metrics that are not here left out."""
    blocks = "\n".join(lines).split("\\hline\n")[1:-1]
    kept = [block for block in blocks if not block.startswith("\\multirow") or _name(block).lower() in metrics]
    return [re.sub(r"& (-|\d\.\d\d) \\\\$", "", line) for block in kept for line in block.splitlines()]


def _name(block: str) -> str:
    found = re.match(r"\\multirow\{\d\}\{\*\}\{(\w+)", block)
    assert found
    return found[1]


def test_the_multeval_layout_matches_multeval_except_for_p(
    written: Path, recorded: Path, metrics_here: tuple[str, ...], lines_of: Lines
) -> None:
    ours = rows(lines_of(written / "table.tex"), metrics_here)
    theirs = rows(lines_of(recorded / "table.tex"), metrics_here)
    assert len(ours) == 1 + 4 * len(metrics_here)
    # s_sel comes of a random bootstrap: to a tenth, which is one digit of what is printed
    assert [_without_s_sel(row) for row in ours] == [_without_s_sel(row) for row in theirs]
    for row, their_row in zip(ours, theirs, strict=True):
        if row.startswith("& "):
            assert float(row.split(" & ")[2]) == pytest.approx(float(their_row.split(" & ")[2]), abs=0.1001)


def _without_s_sel(row: str) -> list[str]:
    cells = row.split(" & ")
    return [*cells[:2], *cells[3:]] if row.startswith("& ") else cells
