"""Shards that several machines score merge to the bits of a single run, and one that does not belong is an error."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from shutil import copy

import numpy as np
import pytest

from mteval.analysis import scoring
from mteval.base.paths import cache_directory
from mteval.cli import main
from tests.metrics.neural.conftest import OUTPUTS, lines

N_SHARDS = 4
CACHES = ("cache", "elsewhere", "merged")
TEXTS = {"src": "source.test.txt", "ref": "reference.test.txt", "base": OUTPUTS[0], "new": OUTPUTS[1]}
Change = Callable[[Path], None]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options that name two systems."""
    for name, of in TEXTS.items():
        (tmp_path / name).write_text("\n".join(lines(of)) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    meteor = cache_directory() / "meteor"  # building its index takes seconds
    meteor.mkdir(parents=True, exist_ok=True)
    for name in CACHES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "meteor").symlink_to(meteor)
    monkeypatch.setenv("MTEVAL_CACHE", "cache")
    return ["--source", "src", "--refs", "ref", "--system", "base", "base", "--system", "new", "new"]


@pytest.fixture
def shards(files: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A folder with the shards of one metric."""
    for number in range(1, N_SHARDS + 1):
        assert (
            main(["score", *files, "--metrics", "bleu", "--shard", f"{number}/{N_SHARDS}", "--folder", "shards"]) == 0
        )
    capsys.readouterr()
    return tmp_path / "shards"


def judgements(cache: Path) -> dict[str, bytes]:
    with closing(sqlite3.connect(cache / "judgements.sqlite")) as database:
        return dict(database.execute("SELECT key, content FROM judgements").fetchall())


def statistics(cache: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (cache / "statistics").rglob("*.npy")}


def test_four_shards_merge_to_the_bits_of_one_run(
    files: list[str], tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [
        *files,
        "--metrics",
        "bleu",
        "chrf",
        "ter",
        "meteor",
        "comet",
        "--convention",
        "multeval",
        "--comet.checkpoint",
        str(tiny_models / "xcomet"),
    ]
    few = ["--boot-samples", "20", "--ar-shuffles", "20"]
    assert main(["eval", *words, *few, "--json", "whole.json"]) == 0
    monkeypatch.setenv("MTEVAL_CACHE", "elsewhere")
    for number in range(1, N_SHARDS + 1):
        assert main(["score", *words, "--shard", f"{number}/{N_SHARDS}", "--folder", "shards"]) == 0
    monkeypatch.setenv("MTEVAL_CACHE", "merged")
    monkeypatch.delattr(scoring, "_score_chunk")  # nothing is computed from here on
    monkeypatch.setattr("mteval.metrics.neural.models.WorkerProcess", None)
    assert main(["score", *words, "--merge", "--folder", "shards"]) == 0
    assert main(["eval", *words, *few, "--json", "merged.json"]) == 0
    assert Path("merged.json").read_bytes() == Path("whole.json").read_bytes()
    assert statistics(tmp_path / "merged") == statistics(tmp_path / "cache")
    assert len(statistics(tmp_path / "merged")) == 10
    own = judgements(tmp_path / "cache")
    assert judgements(tmp_path / "merged") == own
    assert any(b"minor" in content or b"major" in content for content in own.values())


def test_more_shards_than_outputs_merge(files: list[str]) -> None:
    for name in TEXTS:
        Path(name).write_text("a house\n", encoding="utf-8")
    words = [*files, "--metrics", "bleu", "--folder", "shards"]
    for number in (1, 2):
        assert main(["score", *words, "--shard", f"{number}/2"]) == 0
    assert main(["score", *words, "--merge"]) == 0


def renumbered(shards: Path) -> None:
    """Put a shard of another number of shards beside them."""
    copy(shards / "shard-1-of-4.npz", shards / "kept")
    for shard in shards.glob("*.npz"):
        shard.unlink()


def cut(shards: Path) -> None:
    shard = shards / "shard-2-of-4.npz"
    shard.write_bytes(shard.read_bytes()[:-200])


def pickled(shards: Path) -> None:
    np.savez(shards / "shard-2-of-4.npz", told=np.array([{}], dtype=object))


def flipped(shards: Path) -> None:
    shard = shards / "shard-2-of-4.npz"
    content = bytearray(shard.read_bytes())
    content[content.index(b"statistics 0.npy") + 60] ^= 1  # behind the header
    shard.write_bytes(content)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda shards: (shards / "shard-3-of-4.npz").unlink(), "lacks shard-3-of-4.npz"),
        (renumbered, "lacks shard-*.npz"),
        (
            lambda shards: copy(shards / "shard-1-of-4.npz", shards / "twice.npz"),
            "twice.npz: Same shard as shard-1-of-4.npz",
        ),
        (cut, "shard-2-of-4.npz: Damaged"),
        (pickled, "shard-2-of-4.npz: Damaged"),
        (flipped, "shard-2-of-4.npz: Damaged"),
    ],
)
def test_missing_doubled_or_damaged_shard_is_an_error(
    change: Change, words: str, shards: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    change(shards)
    assert main(["score", *files, "--metrics", "bleu", "--merge", "--folder", "shards"]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--metrics", "bleu", "--shard", "1/5"], "shard-1-of-5.npz: It is one of 5 shards"),
        (["--metrics", "bleu", "--bleu.tokenize", "char", "--shard", "1/4"], "shard-1-of-4.npz: BLEU on"),
        (["--metrics", "chrf", "--shard", "1/4"], "shard-1-of-4.npz: It has chrF on"),
        (["--metrics", "bleu", "--shard", "1/4", "--system", "third", "ref"], "shard-1-of-4.npz: BLEU on"),
    ],
)
def test_foreign_shard_is_an_error_that_names_the_file(
    more: list[str], words: str, shards: Path, files: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", *files, *more, "--folder", "shards"]) == 0
    capsys.readouterr()
    assert main(["score", *files, "--metrics", "bleu", "--merge", "--folder", "shards"]) == 2
    assert words in capsys.readouterr().err
    assert not (shards.parent / "cache" / "statistics").exists()


@pytest.mark.parametrize("word", ["0/4", "5/4", "1", "a/b", "1/4/2", "-1/4"])
def test_a_shard_that_is_none_is_an_error(word: str, files: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["score", *files, f"--shard={word}", "--folder", "shards"])
    assert ended.value.code == 2
    assert "1/8" in capsys.readouterr().err
