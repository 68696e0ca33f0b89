"""Archives: the manifest says what is inside, the same files give the same bytes, no name leaves its folder."""

import hashlib
import io
import json
import os
import subprocess
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mteval.base.errors import SettingsError
from mteval.render.bundle import MANIFEST, manifest, placed, zipped
from tests.hostile.names import HOSTILE_NAMES

FILES = {"a.txt": b"one", "figures/b ü.svg": b"", "c.bin": bytes(range(256))}


def test_the_manifest_gives_size_and_digest_of_every_file() -> None:
    written = json.loads(manifest(FILES, {"missing": ["x"]}))
    assert written["missing"] == ["x"]
    assert {entry["path"] for entry in written["files"]} == FILES.keys()
    for entry in written["files"]:
        content = FILES[entry["path"]]
        assert entry["bytes"] == len(content)
        assert entry["sha256"] == hashlib.sha256(content).hexdigest()


def test_an_archive_holds_the_files_and_is_the_same_each_time() -> None:
    content = zipped(FILES)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
    assert contents_of(content) == FILES
    assert zipped(FILES) == content


def contents_of(archive: bytes) -> dict[str, bytes]:
    """The content of every file in an archive, by its name."""
    with zipfile.ZipFile(io.BytesIO(archive)) as opened:
        return {name: opened.read(name) for name in opened.namelist()}


@given(st.dictionaries(st.sampled_from(HOSTILE_NAMES) | st.text(max_size=30), st.binary(max_size=5), max_size=20))
@settings(deadline=None, max_examples=50)
def test_archives_and_folders_hold_every_file_under_a_path_of_its_own(files: dict[str, bytes]) -> None:
    packed = contents_of(zipped(files))
    assert sorted(packed.values()) == sorted(files.values())
    folder = Path("to")
    written = placed(folder, files)
    assert {path.relative_to(folder).as_posix(): content for path, content in written.items()} == packed
    assert all(path.resolve().is_relative_to(folder.resolve()) for path in written)


def test_the_real_unzip_unpacks_all_names_below_its_folder(tmp_path: Path) -> None:
    files = {f"figures/{name}.svg": str(number).encode() for number, name in enumerate(HOSTILE_NAMES)}
    ((archive, content),) = placed(tmp_path / "x.zip", files).items()
    archive.write_bytes(content)
    folder = tmp_path / "deep" / "er"
    folder.mkdir(parents=True)

    unpacking = subprocess.run(
        ["unzip", "-q", str(archive), "-d", "here"],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )

    assert unpacking.returncode == 0, unpacking.stderr
    unpacked = [path for path in tmp_path.rglob("*") if path.is_file() and path != archive]
    assert all(path.is_relative_to(folder / "here" / "figures") for path in unpacked)
    assert sorted(path.read_bytes() for path in unpacked) == sorted(files.values())


def test_an_experiment_is_replaced_only_if_the_manifest_lists_it_unchanged(tmp_path: Path) -> None:
    files = {"experiment.toml": b"first", "table.csv": b"1"}
    with_manifest = {**files, MANIFEST: manifest(files, {})}
    for path, content in placed(tmp_path, with_manifest).items():
        path.write_bytes(content)
    changed = {"experiment.toml": b"second"}
    assert placed(tmp_path, changed) == {tmp_path / "experiment.toml": b"second"}
    (tmp_path / "experiment.toml").write_bytes(b"edited")
    assert placed(tmp_path, {"experiment.toml": b"edited"})  # changes nothing
    assert placed(tmp_path, {"table.csv": b"2"})
    for damaged in (None, b"", b"{}", b"[]", b'{"files": [{}]}', b"\xff", b'{"files": 3}', b"{" * 100):
        if damaged is not None:
            (tmp_path / MANIFEST).write_bytes(damaged)
        with pytest.raises(SettingsError, match=r"it may be your own, since manifest\.json does not list it as it is"):
            placed(tmp_path, changed)
    assert (tmp_path / "experiment.toml").read_bytes() == b"edited"
