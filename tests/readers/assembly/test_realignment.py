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


def lines_of(output: Sequence[str], references: Sequence[str] = REFERENCES, ids: Sequence[str] = DOCUMENTS) -> tuple:
    """The realigned lines of an output, and the marks of the segments if any was moved."""
    texts = {"reference": references, "documents": ids, "hypothesis": output}
    documents = [Document(role, "lines", (Stream("", tuple(lines)),)) for role, lines in texts.items()]
    slots = [
        Slot("reference", "reference", None, None),
        Slot("documents", "documents", None, None),
        Slot("hypothesis", "hypothesis", "a", "0"),
    ]

    documents_now, slots_now = realigned(documents, slots)

    lines_of_file = {document.name: document.streams[0].lines for document in documents_now}
    marks = None
    if len(slots_now) > len(slots):
        marks = lines_of_file.get(slots_now[-1].file)
    return lines_of_file["hypothesis"], marks


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
    documents_in_lines = ["the cat sat on the mat it was happy there then a dog came in", "a day began all slept"]
    outputs = {"a": [REFERENCES], "b": [documents_in_lines]}

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        comparison = mteval.compare(
            outputs,
            REFERENCES,
            ["chrf"],
            documents=DOCUMENTS,
            align="document",
            n_shuffles=100,
            n_bootstrap=100,
        )

    assert any("realigned" in str(warning.message) for warning in caught)
    assert comparison.scores["score"].min() > 70
    assert all("|align:document|" in signature for signature in comparison.signatures.values())


def with_broken_lines(lines: list[str], ids: list[str]) -> list[str]:
    """The lines of each document, a fifth of which continue the line before; an empty line after each document."""
    random = Random(1)
    broken: list[str] = []
    for _, places in groupby(range(len(lines)), ids.__getitem__):
        start = len(broken)
        for place in places:
            if len(broken) > start and random.random() < 0.2:
                broken[-1] += f" {lines[place]}"
            else:
                broken.append(lines[place])
        broken.append("")
    return broken


@pytest.mark.real_data
def test_broken_segmentation_of_he_en_is_restored(data_directory: Path) -> None:
    """81% of GPT-4's 1,910 lines come back exactly, 97% of the words of each; BLEU moves by less than 0.1."""
    folder = data_directory / "data" / "wmt23-he-en"
    lines = (folder / "system-outputs" / "GPT4-5shot.txt").read_text().splitlines()
    references = (folder / "refB.en.txt").read_text().splitlines()
    ids = [line.split("\t")[-1] for line in (folder / "documents.tsv").read_text().splitlines()]

    restored, _ = lines_of(with_broken_lines(lines, ids), references, ids)

    n_exact = sum(" ".join(line.split()) == restored_line for line, restored_line in zip(lines, restored, strict=True))
    assert n_exact > 0.78 * len(lines)
    bleu = corpus_bleu(lines, [references]).score
    bleu_restored = corpus_bleu(list(restored), [references]).score
    assert abs(bleu - bleu_restored) < 0.1
