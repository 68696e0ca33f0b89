"""Files that training programs write beside outputs are ignored; outputs with such names are not."""

import io
import json
import zipfile
from pathlib import Path

import pytest

from mteval.readers.documents import IGNORED, UNKNOWN, InputFile
from mteval.readers.folders import gathered
from mteval.readers.formats.trained_models import OF_MODEL, PICTURE
from mteval.readers.formats.uploads import unpack
from mteval.readers.workspace import Workspace

LINES = "".join(f"the cat number {number} sat\n" for number in range(4)).encode()
CONFIG = json.dumps({"model_type": "marian"}, indent=2).encode()


def zipped(**content_of: bytes) -> bytes:
    """An archive, such as PyTorch's weights."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in content_of.items():
            archive.writestr(name, content)
    return buffer.getvalue()


WEIGHTS = zipped(data=b"\x80\x02}q\0.")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("seed1/pytorch_model.bin", WEIGHTS, OF_MODEL),
        ("seed1/model.safetensors", b"\x08\0\0\0\0\0\0\0{}", OF_MODEL),
        ("model.npz", WEIGHTS, OF_MODEL),
        ("checkpoint_best.pt", WEIGHTS, OF_MODEL),
        ("runs/events.out.tfevents.17.host.1.0", b"\x18\0\0", OF_MODEL),
        ("source.spm", b"\n\x0e\n\0", OF_MODEL),
        ("curve.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", PICTURE),
        ("seed1/config.json", CONFIG, OF_MODEL),
        ("generation_config.json", b"{}", OF_MODEL),
        ("vocab.json", b'{"segment": 0, "system": 1, "score": 2, "the": 3}', OF_MODEL),
        ("args.json", b'{"lr": 0.1, "name": "base"}', OF_MODEL),
        ("metrics.json", b'{"bleu": 30.1}', OF_MODEL),
        ("_SUCCESS", b"", UNKNOWN),
        ("all_results.json", b'{"predict_bleu": 23.1}', OF_MODEL),
        ("merges.txt", b"#version: 0.2\nt h\nth e\n", OF_MODEL),
        ("dict.de.txt", b"the 321\nof 99\n", OF_MODEL),
        ("spm.vocab", "<unk>\t0\n\u2581the\t-3.2\n".encode(), OF_MODEL),
        ("vocab.txt", b"[PAD]\nthe\nof\n", OF_MODEL),
        ("slurm.err", b"", UNKNOWN),
        ("slurm-12.err", b"", UNKNOWN),
        ("train.log", b"loss \xff\n", UNKNOWN),
    ],
)
@pytest.mark.parametrize("is_archived", [False, True])
def test_files_of_training_are_ignored(name: str, content: bytes, reason: str, is_archived: bool) -> None:
    file = InputFile(name, content)
    if is_archived:
        file = InputFile("runs.zip", zipped(**{name: content}))
    documents, (problem,) = unpack([file])
    assert documents == ()
    assert (problem.message, problem.severity, problem.code) == (reason, "note", IGNORED)


@pytest.mark.parametrize(
    "name", ["vocab.txt", "dict.de.txt", "merges.txt", "config.json", "old.bin", "big-vocab.hyp.txt", "codes.txt"]
)
def test_texts_with_names_of_files_of_training_are_read(name: str) -> None:
    (document,), _ = unpack([InputFile(name, LINES)])
    assert len(document.streams[0].lines) == 4


def test_an_empty_output_and_unknown_json_are_refused_as_before() -> None:
    _, problems = unpack([InputFile("base.1.txt", b""), InputFile("outputs.json", CONFIG)])
    _, more = unpack([InputFile("metrics.json", b'{"base": [1.5, 2.5]}')])  # of segments, perhaps
    assert [problem.severity for problem in (*problems, *more)] == ["error"] * 3


def test_a_folder_of_runs_has_only_outputs() -> None:
    files = [InputFile("ref.txt", LINES)]
    for system in ("base", "large"):
        for seed in (1, 2):
            folder = f"{system}/seed{seed}"
            files.append(InputFile(f"{folder}/generated_predictions.txt", LINES.replace(b"sat", folder.encode())))
            files.append(InputFile(f"{folder}/merges.txt", b"#version: 0.2\nt h\n"))
            files.append(InputFile(f"{folder}/pytorch_model.bin", WEIGHTS))
    workspace = Workspace().add(files)
    assert [problem for problem in workspace.assembly.problems if problem.severity == "error"] == []
    assert len(workspace.assembly.ledger.of("read")) == 5


def test_weights_on_disk_are_not_read_whole(tmp_path: Path) -> None:
    (tmp_path / "ref.txt").write_bytes(LINES)
    (tmp_path / "base.txt").write_bytes(LINES.upper())
    weights = tmp_path / "pytorch_model.bin"
    weights.write_bytes(WEIGHTS)
    with weights.open("r+b") as file:
        file.truncate(8 << 30)  # 8 GiB of zeros, which take no room on disk
    ledger = gathered([tmp_path]).assembly.ledger
    assert {entry.file: entry.reason for entry in ledger.unread} == {"pytorch_model.bin": OF_MODEL}
