"""Where models lie, and what of them a signature covers; the package that downloads them is the oracle."""

import os
import subprocess
from pathlib import Path

import pytest

from mteval.metrics.neural.comet import checkpoint
from mteval.metrics.neural.named_models import model_folder, published_name
from mteval.metrics.neural.worker import literal

NAMES = ("TRANSFORMERS_CACHE", "HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HOME")


def cached(hub: Path, name: str = "xlm-roberta-tiny") -> Path:
    """A model in a cache as Hugging Face's package leaves it."""
    model = hub / f"models--{name.replace('/', '--')}"
    (model / "refs").mkdir(parents=True)
    (model / "refs" / "main").write_text("0a1b", encoding="utf-8")
    folder = model / "snapshots" / "0a1b"
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    (folder / "tokenizer.json").write_text('{"version": "1.0"}', encoding="utf-8")
    return folder


@pytest.fixture
def only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing in the environment says where the cache is but the home folder."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.mark.usefixtures("only")
@pytest.mark.parametrize(
    ("variable", "place", "hub"),
    [
        ("HOME", "", ".cache/huggingface/hub"),
        ("XDG_CACHE_HOME", "x", "x/huggingface/hub"),
        ("HF_HOME", "h", "h/hub"),
        ("HUGGINGFACE_HUB_CACHE", "old", "old"),
        ("HF_HUB_CACHE", "$HOME/new", "new"),
    ],
)
def test_a_model_is_found_in_the_packages_cache(
    variable: str, place: str, hub: str, tmp_path: Path, neural_python: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = cached(tmp_path / hub)
    monkeypatch.setenv(variable, place if place.startswith("$") else str(tmp_path / place))
    assert model_folder("xlm-roberta-tiny") == folder
    script = (
        "from huggingface_hub import try_to_load_from_cache as f; print(f('xlm-roberta-tiny', 'config.json'), end='')"
    )
    done = subprocess.run([neural_python, "-I", "-c", script], capture_output=True, check=True, encoding="utf-8")
    assert Path(done.stdout) == folder / "config.json"


@pytest.mark.usefixtures("only")
def test_missing_models_are_not_found(tmp_path: Path) -> None:
    assert model_folder("xlm-roberta-tiny") is None
    assert model_folder("") is None
    assert model_folder(str(tmp_path)) == tmp_path


def test_a_model_has_its_published_name(tmp_path: Path) -> None:
    assert published_name(cached(tmp_path, "microsoft/deberta-base")) == "microsoft/deberta-base"
    assert published_name(Path("/models/microsoft/deberta-base")) == "microsoft/deberta-base"


@pytest.mark.usefixtures("only")
def test_the_digest_of_a_checkpoint_covers_its_description_and_its_tokenizer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = cached(tmp_path / ".cache/huggingface/hub")
    (tmp_path / "checkpoints").mkdir()
    model, settings = tmp_path / "checkpoints" / "model.ckpt", tmp_path / "hparams.yaml"
    model.write_bytes(b"weights")
    settings.write_text("class_identifier: regression_metric\npretrained_model: xlm-roberta-tiny\n", encoding="utf-8")
    monkeypatch.setenv("MTEVAL_COMET", str(model))
    digests = [checkpoint("comet").digest]
    for file in (encoder / "tokenizer.json", encoder / "config.json", settings, model):
        with file.open("a", encoding="utf-8") as end:
            end.write("\n")
        digests.append(checkpoint("comet").digest)
    assert len(set(digests)) == len(digests)
    (encoder / "README.md").write_text("what does not matter", encoding="utf-8")
    assert checkpoint("comet").digest == digests[-1]
    os.unlink(encoder.parents[1] / "refs" / "main")
    assert checkpoint("comet").digest.endswith("-none")


def test_missing_package_has_no_literals() -> None:
    assert literal("no_such_package", "__init__.py", "__version__") is None
    with pytest.raises(ValueError, match=r"json/decoder\.py has no VERSION"):
        literal("json", "decoder.py", "VERSION")
