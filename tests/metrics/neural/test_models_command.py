"""Getting models, with the hub's own client against a server here that answers as the hub does."""

import json
import shutil
import tarfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from mteval.base.digests import digest_of_file
from mteval.base.errors import MissingDependencyError
from mteval.cli import main
from mteval.metrics import METRICS

COMMIT = "0a1b" * 10
ENCODER = "xlm-roberta-tiny"


class Hub(ThreadingHTTPServer):
    """Serves folders below a root as repositories; a truncated answer stands for a lost connection."""

    def __init__(self, root: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.root, self.gated, self.asked = root, set[str](), list[str]()
        self.truncated: set[str] = set()


class _Request(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *_: object) -> None:
        """Print nothing."""

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def _answer(self, with_body: bool) -> None:
        if self.path.startswith("/api/models/"):
            name = self.path.removeprefix("/api/models/").partition("/revision/")[0].partition("?")[0]
            folder = self.server.root / name
            if not folder.is_dir():
                self._send(404, b"", {"X-Error-Code": "RepoNotFound"}, with_body)
                return
            files = [{"rfilename": str(file.relative_to(folder))} for file in folder.rglob("*") if file.is_file()]
            about = {"id": name, "sha": COMMIT, "siblings": files, "cardData": {"license": "apache-2.0"}}
            content = json.dumps({**about, "gated": "manual" if name in self.server.gated else False}).encode()
            self._send(200, content, {"Content-Type": "application/json"}, with_body)
            return
        name, _, place = self.path.lstrip("/").partition("/resolve/")
        if name in self.server.gated:
            self._send(403, b"", {"X-Error-Code": "GatedRepo"}, with_body)
            return
        file = self.server.root / name / place.partition("/")[2]
        start = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").partition("-")[0])
        content = file.read_bytes()
        headers = {"ETag": f'"{digest_of_file(file)}"', "X-Repo-Commit": COMMIT, "X-Linked-Size": str(len(content))}
        if with_body:
            self.server.asked.append(f"{file.name} from {start}")
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self._send(206 if start else 200, content[start:], headers, with_body, file.name in self.server.truncated)

    def _send(
        self, status: int, content: bytes, headers: dict[str, str], with_body: bool, is_truncated: bool = False
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(content[: len(content) // 2] if is_truncated else content)
        if is_truncated:
            self.close_connection = True


@pytest.fixture
def hub(tiny_models: Path, neural_python: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with a checkpoint of COMET's class and its encoder, and an empty cache."""
    root = tmp_path / "hub"
    checkpoint = root / "Unbabel" / "wmt22-comet-da"
    shutil.copytree(tiny_models / "regression", checkpoint)
    described = (checkpoint / "hparams.yaml").read_text(encoding="utf-8")
    (checkpoint / "hparams.yaml").write_text(described.replace(str(tiny_models / "encoder"), ENCODER), encoding="utf-8")
    shutil.copytree(tiny_models / "encoder", root / ENCODER)
    server = Hub(root)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setenv("MTEVAL_NEURAL_PYTHON", str(neural_python))  # the client reads its settings when imported
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_DISABLE_XET", "1")
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "TRANSFORMERS_CACHE", "HF_TOKEN", "MTEVAL_COMET"):
        monkeypatch.delenv(name, raising=False)
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_downloaded_checkpoint_scores_by_its_short_name(
    hub: Hub, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_COMET", "wmt22-comet-da")
    with pytest.raises(Exception, match="mteval models get wmt22-comet-da"):
        METRICS["comet"].configure("sacrebleu", {})
    assert main(["models", "get", "wmt22-comet-da"]) == 0
    printed = capfd.readouterr()
    assert "Unbabel/wmt22-comet-da: licence apache-2.0" in printed.err
    assert [line.partition(":")[0] for line in printed.out.splitlines()] == ["Unbabel/wmt22-comet-da", ENCODER]
    assert not any("model.safetensors" in asked or ".bin" in asked for asked in hub.asked)
    assert main(["models", "check"]) == 0
    assert "COMET: ok (" in capfd.readouterr().out
    assert main(["models", "list"]) == 0
    assert "Unbabel/wmt22-comet-da" in (out := capfd.readouterr().out)
    assert out.splitlines()[1].endswith("yes")


def test_a_checkpoint_without_its_encoder_names_the_command_that_gets_it(
    hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkpoint = hub.root / "Unbabel" / "wmt22-comet-da"
    monkeypatch.setenv("MTEVAL_COMET", str(checkpoint))
    with pytest.raises(MissingDependencyError, match=f"mteval models get {ENCODER} --no-weights"):
        METRICS["comet"].configure("sacrebleu", {})
    assert main(["models", "get", ENCODER, "--no-weights"]) == 0
    METRICS["comet"].configure("sacrebleu", {})


def test_an_interrupted_download_resumes(hub: Hub, capfd: pytest.CaptureFixture[str]) -> None:
    file = hub.root / "Unbabel" / "wmt22-comet-da" / "checkpoints" / "model.ckpt"
    file.write_bytes(bytes(24 << 20))  # the client keeps whole chunks of 10 MiB
    hub.truncated = {"model.ckpt"}
    assert main(["models", "get", "wmt22-comet-da"]) == 2
    assert "Cannot download wmt22-comet-da" in capfd.readouterr().err
    hub.truncated, hub.asked = set(), []
    assert main(["models", "get", "wmt22-comet-da"]) == 0
    assert [int(asked.rpartition(" ")[2]) > 0 for asked in hub.asked if asked.startswith("model.ckpt")] == [True]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("wmt22-comet-da", "set HF_TOKEN to your access token"),
        ("nobody/nothing", "the hub has no model nobody/nothing"),
    ],
)
def test_a_refused_download_says_what_to_do(name: str, words: str, hub: Hub, capfd: pytest.CaptureFixture[str]) -> None:
    hub.gated = {"Unbabel/wmt22-comet-da"}
    assert main(["models", "get", name]) == 2
    assert words in capfd.readouterr().err


def test_a_bundle_replaces_an_earlier_one_but_no_file_of_the_model(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    bundle = tmp_path / "comet.tar"
    bundle.write_bytes(b"an earlier one")
    get = ["models", "get", "wmt22-comet-da", "--bundle"]
    assert main([*get, str(bundle)]) == 0
    with tarfile.open(bundle) as archive:
        names = archive.getnames()
    files = [path for path in (tmp_path / "home").rglob("*") if path.is_file() and path.parent.name == "blobs"]
    assert names
    assert files
    content = files[0].read_bytes()
    capfd.readouterr()
    assert main([*get, str(files[0])]) == 2
    assert f"Cannot write {files[0]}: this command reads it" in capfd.readouterr().err
    assert files[0].read_bytes() == content


def test_a_bundle_makes_the_model_work_without_network(
    hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bundle = tmp_path / "comet.tar"
    monkeypatch.setenv("MTEVAL_COMET", "wmt22-comet-da")
    assert main(["models", "get", "wmt22-comet-da", "--bundle", str(bundle)]) == 0
    signature = METRICS["comet"].configure("sacrebleu", {}).signature()
    monkeypatch.setenv("HF_HOME", str(tmp_path / "elsewhere"))
    with tarfile.open(bundle) as archive:
        archive.extractall(tmp_path / "elsewhere" / "hub", filter="data")
    shutil.rmtree(tmp_path / "home")
    assert METRICS["comet"].configure("sacrebleu", {}).signature() == signature
