"""What is written for MultEval's example equals what MultEval wrote: rank, sentence files, LaTeX, unmatched words."""

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from mteval.cli import main

Lines = Callable[[Path], list[str]]

METEOR_PARTS = ("prec", "rec", "frag")
SMALL = {  # two runs of each system on three segments
    "refs": "the cat sat\na dog ran home\nit rained\n",
    "base.0": "the cat\na dog ran home\nrained it\n",
    "base.1": "the cat sat\na dog home\nrained it\n",
    "new.0": "the cat sat\na dog ran home\nit rained hard\n",
    "new.1": "the cat sat\na dog ran\nit rained\n",
}
SMALL_RANKS = """\
SENT 1	ter: 0.0 -> 0.0 = 0.0	length: 100.0 -> 100.0 = 0.0
ter-median-baseline: a dog ran home
ter-median-variant: a dog ran home
ref1: a dog ran home

SENT 2	ter: 50.0 -> 50.0 = 0.0	length: 100.0 -> 150.0 = 50.0
ter-median-baseline: rained it
ter-median-variant: it rained hard
ref1: it rained

SENT 0	ter: 33.3 -> 0.0 = -33.3	length: 66.7 -> 100.0 = 33.3
ter-median-baseline: the cat
ter-median-variant: the cat sat
ref1: the cat sat

"""
SMALL_SENTENCES = """\
0 ||| the cat sat ||| ter=0.00 length=100.00 |||
1 ||| a dog ran ||| ter=25.00 length=75.00 |||
2 ||| it rained ||| ter=0.00 length=100.00 |||
"""
SMALL_ROWS = (
    "& baseline & 22.2 & 11.9 & 0.0 & - \\\\",
    "& system 1 & 11.1 & 10.3 & 0.0 & - \\\\",
    "& baseline & 88.9 & 8.2 & 0.0 & - \\\\",
    "& system 1 & 100.0 & 10.3 & 15.7 & - \\\\",
)


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
        first_line, *further_lines = block.split("\n")
        head, *changes = first_line.split("\t")
        changes_here = [change for change in changes if change.split(":")[0] in metrics]
        segments.append(((head, *changes_here), tuple(further_lines)))
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
    expected = set()
    for metric in metrics_here:
        expected |= {f"sys2.sortedby.{metric}", f"sys3.sortedby.{metric}"}
    assert {path.name for path in (written / "rank").iterdir()} == expected


def test_unmatched_words_of_meteor_match_multeval(
    written: Path, recorded: Path, metrics_here: tuple[str, ...], lines_of: Lines
) -> None:
    theirs = lines_of(recorded / "unmatched-words.txt") if "meteor" in metrics_here else []
    assert [line for line in lines_of(written / "err") if line.startswith("Top unmatched")] == theirs


@pytest.mark.parametrize("name", ["sys1.opt1", "sys2.opt1", "sys2.opt3"])
def test_sentence_files_match_multeval(
    name: str, written: Path, recorded: Path, metrics_here: tuple[str, ...], lines_of: Lines
) -> None:
    theirs = lines_of(recorded / "sentLevel" / f"{name}.gz")
    if "meteor" not in metrics_here:
        columns = "|".join(["meteor", *METEOR_PARTS])
        theirs = [re.sub(rf" ({columns})=\S+", "", line) for line in theirs]
    assert lines_of(written / "sent" / name) == theirs


def test_every_run_has_a_sentence_file(written: Path) -> None:
    expected = {f"sys{system}.opt{run}" for system in (1, 2, 3) for run in (1, 2, 3)}
    assert {path.name for path in (written / "sent").iterdir()} == expected


def rows(lines: list[str], metrics: tuple[str, ...]) -> list[str]:
    """Rows of a table in MultEval's layout without the p-values, those of metrics that are not here left out."""
    rows = []
    for block in "\n".join(lines).split("\\hline\n")[1:-1]:
        is_of_metric = block.startswith("\\multirow")
        if is_of_metric and _metric_name(block).lower() not in metrics:
            continue
        for line in block.splitlines():
            rows.append(re.sub(r"& (-|\d\.\d\d+) \\\\$", "", line))
    return rows


def _metric_name(block: str) -> str:
    match = re.match(r"\\multirow\{\d\}\{\*\}\{(\w+)", block)
    assert match
    return match[1]


def test_the_multeval_layout_matches_multeval_except_for_p(
    written: Path, recorded: Path, metrics_here: tuple[str, ...], lines_of: Lines
) -> None:
    ours = rows(lines_of(written / "table.tex"), metrics_here)
    theirs = rows(lines_of(recorded / "table.tex"), metrics_here)
    assert len(ours) == 1 + 4 * len(metrics_here)
    # s_sel comes of a random bootstrap: to a tenth, which is one digit of what is printed
    assert [_without_s_sel(row) for row in ours] == [_without_s_sel(row) for row in theirs]
    for our_row, their_row in zip(ours, theirs, strict=True):
        if our_row.startswith("& "):
            our_s_sel = float(our_row.split(" & ")[2])
            their_s_sel = float(their_row.split(" & ")[2])
            assert our_s_sel == pytest.approx(their_s_sel, abs=0.1001)


def _without_s_sel(row: str) -> list[str]:
    cells = row.split(" & ")
    if row.startswith("& "):  # of a system; the other rows are headings
        del cells[2]
    return cells


def test_files_of_three_segments_have_the_scores_counted_by_hand(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in SMALL.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    words = ["eval", "--refs", "refs", "--hyps-baseline", "base.0", "base.1", "--hyps-sys1", "new.0", "new.1"]
    words += ["--metrics", "ter", "length", "--boot-samples", "100", "--ar-shuffles", "100"]
    words += ["--rankDir", "rank", "--sentLevelDir", "sent", "--latex", "table.tex", "--latex-layout", "multeval"]
    monkeypatch.chdir(tmp_path)
    assert main([*words, "--quiet"]) == 0

    assert (tmp_path / "rank" / "sys2.sortedby.ter").read_text(encoding="utf-8") == SMALL_RANKS
    by_length = (tmp_path / "rank" / "sys2.sortedby.length").read_text(encoding="utf-8")
    assert re.findall(r"SENT \d", by_length) == ["SENT 2", "SENT 0", "SENT 1"]
    assert (tmp_path / "sent" / "sys2.opt2").read_text(encoding="utf-8") == SMALL_SENTENCES
    table = (tmp_path / "table.tex").read_text(encoding="utf-8").splitlines()
    assert tuple(line for line in table if line.startswith("& ")) == SMALL_ROWS
