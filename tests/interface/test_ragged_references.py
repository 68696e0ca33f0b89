"""Segments with fewer references than others: empty ones and None, as in sacreBLEU, whose BLEU is the oracle."""

from pathlib import Path

import pytest
import sacrebleu

import mteval
from mteval.cli import main

OUTPUT = ["A train left at noon.", "Nobody was on it.", "The driver sang all day long."]
FIRST = ["The train left at noon.", "No one was on board.", "The driver sang the whole day."]
SECOND = ["At noon a train left.", "Nobody was in it.", "All day long the driver sang."]


@pytest.mark.parametrize("place", range(3))
def test_none_is_a_missing_reference_as_in_sacrebleu(place: int) -> None:
    second: list[str | None] = [*SECOND]
    second[place] = None
    (score,) = mteval.score({"A": [OUTPUT]}, [FIRST, second], "bleu")["score"]
    assert score == pytest.approx(sacrebleu.corpus_bleu(OUTPUT, [FIRST, second]).score)


def test_empty_reference_beside_another_is_no_reason_to_doubt_the_segment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, lines in {"a": OUTPUT, "b": FIRST, "r1": FIRST, "r2": ["", *SECOND[1:]]}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    a, b, first, second = (str(tmp_path / name) for name in ("a", "b", "r1", "r2"))
    options = ["--metrics", "bleu", "--boot-samples", "20", "--ar-shuffles", "20"]
    main(["eval", "--refs", first, second, "--system", "a", a, "--system", "b", b, *options])
    printed = capsys.readouterr()
    assert "The other references of these segments count." in printed.out
    assert "counts as wrong" not in printed.out + printed.err
    main(["eval", "--refs", second, "--system", "a", a, "--system", "b", b, *options])
    assert "Any output counts as wrong there." in capsys.readouterr().out
