"""Archives: the manifest says what is inside, the same files give the same bytes, no name leaves its folder."""

import hashlib
import io
import json
import zipfile

from hypothesis import given
from hypothesis import strategies as st

from mteval.render.bundle import manifest, safe_paths, zipped

FILES = {"a.txt": b"one", "figures/b ü.svg": b"", "c.bin": bytes(range(256))}


def test_the_manifest_gives_size_and_digest_of_every_file() -> None:
    read = json.loads(manifest(FILES, {"missing": ["x"]}))
    assert read["missing"] == ["x"]
    assert {entry["path"]: (entry["bytes"], entry["sha256"]) for entry in read["files"]} == {
        name: (len(content), hashlib.sha256(content).hexdigest()) for name, content in FILES.items()
    }


def test_an_archive_holds_the_files_and_is_the_same_each_time() -> None:
    content = zipped(FILES)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == FILES
    assert zipped(FILES) == content


@given(st.lists(st.text(alphabet=st.sampled_from('aA./\\:*"\x00 ü|C1') | st.characters(codec="utf-8"), max_size=40)))
def test_no_name_leaves_its_folder_and_no_two_share_a_path(names: list[str]) -> None:
    paths = safe_paths(names, "inputs")
    assert set(paths) == set(names)
    assert len({path.casefold() for path in paths.values()}) == len(paths)
    for path in paths.values():
        parts = path.split("/")
        assert parts[0] == "inputs"
        assert len(parts) > 1
        assert not {"", ".", ".."} & set(parts)
        assert not set(path) & set('<>:"|?*\\\x00\n')


def test_names_of_devices_and_long_names_are_changed_as_little_as_needed() -> None:
    paths = safe_paths(["aux.txt", "../../etc/passwd", "x" * 300 + ".txt", "A/b.txt", "a/b.txt"])
    assert list(paths.values())[:2] == ["_aux.txt", "etc/passwd"]
    assert list(paths.values())[2] == "x" * 96 + ".txt"
    assert list(paths.values())[3:] == ["A/b.txt", "a/b (2).txt"]
