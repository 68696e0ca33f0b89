"""Texts that try the metrics: what systems say, garbled, and characters that programs disagree about."""

import random
from dataclasses import dataclass
from pathlib import Path

import pytest

from mteval.values.model import TestSet

PIECES = (
    *("the", "cat", "The", "CAT", "sat", "on", "a", "mat", "it", "I", "x", "5", "1.5", "1,000", "3-4", "-5", "a-b"),
    *(".", ",", "?", "!", "-", "--", "...", "a..5", "5..a", ".5", "5.", "a,b.c", ",.", "$1,000.00", "U.S.", "(x)"),
    *("'s", "&", "&quot;", "&amp;lt;", "&amp;quot;x", "&lt;", "<skipped>", "<skip", "ped>", "<skip<skipped>ped>"),
    *("<SKIPPED>", "中", "中文本。", "日本語", "한국", "é", "e\u0301", "ß", "İ", "ΑΣ", "Σ", "ΑΣ.", "ΑΣ'", "«x»", "„y“"),
    *("😀", "👩\u200d👩\u200d👧", "١٢", "٣.٤", "٪", "½", "\u00ad", "\u200b", "\ufeff", "\ufffd", "\x00", "\x07"),
    *("\u180e", "\U000e0001"),
)
SPACES = (*[" "] * 30, *"\u00a0\u2028\u2029\x85\u3000\x1c\x1f\t\r\f\v\u2007\u202f\u205f\u1680", "", "", "  ", " \t ")


@dataclass(frozen=True)
class Texts:
    """A test set of ragged references, and hypotheses with their segments, every segment several times."""

    test_set: TestSet
    segment_ids: list[int]
    hypotheses: list[str]

    @property
    def pairs(self) -> list[tuple[str, tuple[str, ...]]]:
        """Each hypothesis with its references."""
        references = self.test_set.references
        return [(text, references[segment]) for segment, text in zip(self.segment_ids, self.hypotheses, strict=True)]


def garbled_texts(seed: int, n_segments: int, spaces: tuple[str, ...] = SPACES) -> Texts:
    """Hypotheses that share much with one to four references each; some are empty, one is very long."""
    draw = random.Random(seed)

    def sentence(longest: int) -> list[str]:
        return draw.choices(PIECES, k=draw.randint(0, longest))

    def garbled(pieces: list[str]) -> list[str]:
        remaining = [piece for piece in pieces if draw.random() < 0.85]
        cut = draw.randint(0, len(remaining))
        if draw.random() < 0.3:
            return remaining[cut:] + remaining[:cut] + sentence(3)
        return remaining + remaining[:cut]

    def text(pieces: list[str]) -> str:
        return "".join(piece + draw.choice(spaces) for piece in pieces)

    originals = [sentence(25) for _ in range(n_segments)]
    originals[0] = sentence(1) + [draw.choice(PIECES[:20]) for _ in range(1000)]
    originals[1] = []

    references = []
    for pieces in originals:
        n_references = draw.randint(1, 4)
        references.append(tuple(text(garbled(pieces)) for _ in range(n_references)))

    segment_ids = list(range(n_segments)) * 3
    segment_ids.sort()
    draw.shuffle(segment_ids)
    hypotheses = [text(garbled(originals[segment])) for segment in segment_ids]
    return Texts(TestSet("garbled", tuple(references)), segment_ids, hypotheses)


@pytest.fixture(scope="session")
def texts() -> Texts:
    """Garbled texts without line breaks inside a segment."""
    return garbled_texts(seed=1, n_segments=150)


@pytest.fixture(scope="session")
def broken_texts() -> Texts:
    """Garbled texts with line breaks inside segments."""
    return garbled_texts(seed=2, n_segments=60, spaces=(*SPACES, "\n", "-\n", "-\n", "-<skipped>\n"))


@pytest.fixture(scope="session")
def example(data_directory: Path) -> dict[str, tuple[str, ...]]:
    """Lines of MultEval's example, by the end of the file's name: ``baseline.opt0``, …, and ``references``."""
    folder = data_directory / "data" / "multeval-example"
    file_names = {}
    for system in ("baseline", "sys1"):
        for run in range(3):
            file_names[f"{system}.opt{run}"] = f"hyps.lc.tok.en.{system}.opt{run}"
    file_names["references"] = "refs.test2010.lc.tok.en.0"

    lines_of = {}
    for name, file_name in file_names.items():
        text = (folder / file_name).read_text(encoding="utf-8")
        lines_of[name] = tuple(text.removesuffix("\n").split("\n"))
    return lines_of
