"""Outputs of whole documents get the lines of their references back, and every result says so."""

import warnings
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from random import Random

import pytest
from sacrebleu import corpus_bleu

import mteval
from mteval.base.errors import DataError, InputError, MissingDependencyError
from mteval.readers.assembly import realignment
from mteval.readers.assembly.realignment import realigned
from mteval.readers.documents import Document, Slot, Stream
from mteval.values.model import MOVED

REFERENCES = [
    "the cat sat on the mat",
    "it was very happy there",
    "then the dog came in",
    "a day began",
    "all slept",
]
DOCUMENTS = ["one", "one", "one", "two", "two"]
ROLES = ("reference", "documents", "hypothesis")


def lines_of(output: Sequence[str], references: Sequence[str] = REFERENCES, ids: Sequence[str] = DOCUMENTS) -> tuple:
    """The realigned lines of an output, and the marks of the segments."""
    texts = dict(zip(ROLES, (references, ids, output), strict=True))
    documents = [Document(role, "lines", (Stream("", tuple(lines)),)) for role, lines in texts.items()]
    slots = [Slot(role, role, *(("a", "0") if role == "hypothesis" else (None, None))) for role in ROLES]
    found, roles = realigned(documents, slots)
    by_name = {document.name: document.streams[0].lines for document in found}
    return by_name["hypothesis"], by_name.get(roles[-1].file) if len(roles) > 3 else None


def test_output_that_fits_stays_as_it_is() -> None:
    assert lines_of(REFERENCES) == (tuple(REFERENCES), None)


@pytest.mark.parametrize(
    "output",
    [
        ["a cat sat on the mat it was very happy there then dog came in", "a day began all slept"],
        ["a cat sat on the", "mat it was very happy there", "then dog came", "in", "", "a day began all slept", ""],
    ],
    ids=["one document per line", "documents separated by empty lines"],
)
def test_lines_are_found_within_documents(output: list[str]) -> None:
    lines, marks = lines_of(output)
    assert lines == (
        "a cat sat on the mat",
        "it was very happy there",
        "then dog came in",
        "a day began",
        "all slept",
    )
    assert marks == (MOVED,) * 5


def test_script_without_spaces_is_split_by_characters() -> None:
    references = ["今天天气很好我们去公园散步", "晚上我们一起吃了一顿很丰盛的饭"]
    output = ["今天的天气很好我们去了公园散步晚上我们一起吃了很丰盛的饭"]
    lines, _ = lines_of(output, references, ["d", "d"])
    assert lines == ("今天的天气很好我们去了公园散步", "晚上我们一起吃了很丰盛的饭")


def test_documents_that_cannot_be_told_or_aligned_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="one document per line"):
        lines_of(REFERENCES[:4])
    with pytest.raises(DataError, match="--documents"):
        lines_of(REFERENCES[:4], ids=[])
    monkeypatch.setattr(realignment, "PROGRAM", "import no_such_module_at_all")
    with pytest.raises(MissingDependencyError, match=r"'\.\[align\]'"):
        lines_of(["all", "two"])


def test_comparison_warns_and_its_signature_is_marked() -> None:
    whole = ["the cat sat on the mat it was happy there then a dog came in", "a day began all slept"]
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found = mteval.compare(
            {"a": [REFERENCES], "b": [whole]}, REFERENCES, ["chrf"], documents=DOCUMENTS, align="document",
            n_shuffles=100, n_bootstrap=100,
        )  # fmt: skip
    assert any("realigned" in str(one.message) for one in warned)
    assert found.scores["score"].min() > 70
    assert all("|align:document|" in one for one in found.signatures.values())


@pytest.mark.real_data
def test_broken_segmentation_of_he_en_is_restored(data_directory: Path) -> None:
    """81% of GPT-4's 1,910 lines come back exactly, 97% of the words of each; BLEU moves by less than 0.1."""
    folder, random = data_directory / "data" / "wmt23-he-en", Random(1)
    lines = (folder / "system-outputs" / "GPT4-5shot.txt").read_text().splitlines()
    references = (folder / "refB.en.txt").read_text().splitlines()
    ids = [line.split("\t")[-1] for line in (folder / "documents.tsv").read_text().splitlines()]
    broken: list[str] = []
    for _, group in groupby(range(len(lines)), ids.__getitem__):
        start = len(broken)
        for place in group:
            if len(broken) > start and random.random() < 0.2:
                broken[-1] += f" {lines[place]}"
            else:
                broken.append(lines[place])
        broken.append("")
    found, _ = lines_of(broken, references, ids)
    assert sum(" ".join(line.split()) == got for line, got in zip(lines, found, strict=True)) > 0.78 * len(lines)
    given, restored = (corpus_bleu(list(one), [references]).score for one in (lines, found))
    assert abs(given - restored) < 0.1
