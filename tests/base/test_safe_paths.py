"""Names from elsewhere as paths: inside their folder, storable anywhere, each one a file of its own."""

import unicodedata
from itertools import product

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mteval.base.safe_paths import LONGEST_PART, LONGEST_PATH, SafePaths, safe_part
from tests.hostile.names import DEVICES, HOSTILE_NAMES

ALPHABET = st.sampled_from('aA./\\:*"\x00 ü|C1conCON¹().é\u0301\u200b．／ＡſK') | st.characters()


def stored(path: str) -> str:
    """What a file system that ignores case, accents' forms and trailing dots makes of a path."""
    parts = [unicodedata.normalize("NFD", part).casefold().rstrip(". ") for part in path.split("/")]
    return unicodedata.normalize("NFD", "/".join(parts))


def check_part(part: str) -> None:
    """Fail if a file system, an archive or a shell may take the name of a file or folder for something else."""
    assert part not in ("", ".", "..")
    assert part == part.strip(" ").rstrip(".")
    assert not part.startswith(".")  # hidden, and ignored when the folder is loaded
    assert 0 < len(part.encode("utf-8")) <= LONGEST_PART
    assert not set(part) & set('<>:"|?*\\')
    categories = {unicodedata.category(character) for character in part}
    assert not categories & {"Cc", "Cs", "Zl", "Zp"}
    stem = unicodedata.normalize("NFKC", part).casefold().split(".")[0].rstrip()
    assert stem not in DEVICES


def check_all_differ_and_fit(paths: list[str]) -> None:
    """Fail if a path cannot be stored, or if two would be one file, or one the folder of another."""
    files = {stored(path) for path in paths}
    assert len(files) == len(paths)
    assert len({unicodedata.normalize("NFKC", path.upper()) for path in paths}) == len(paths)
    for path in paths:
        assert len(path) <= LONGEST_PATH
        parts = path.split("/")
        for part in parts:
            check_part(part)
        for depth in range(1, len(parts)):
            folder = "/".join(parts[:depth])
            assert stored(folder) not in files  # else a file would have to be a folder


@settings(deadline=None, max_examples=300)
@given(st.lists(st.text(ALPHABET, max_size=40), max_size=12))
@example(list(HOSTILE_NAMES))
@example([f"figures/bleu-power-{name}.svg" for name in HOSTILE_NAMES])
@example([f"{folder}/{name}" for folder, name in product(HOSTILE_NAMES[:40], HOSTILE_NAMES[:10])])
@example(["a", "a/b", "A/b/c", "a.txt", "A.TXT", "a (2)"])
def test_no_name_leaves_its_folder_and_no_two_share_a_path(names: list[str]) -> None:
    safe_paths = SafePaths(("manifest.json",))
    paths = [safe_paths.free(name) for name in names]

    check_all_differ_and_fit(paths)
    for path in paths:
        assert "manifest.json" not in map(stored, path.split("/"))
    safe_paths_again = SafePaths(("manifest.json",))
    assert [safe_paths_again.free(path) for path in paths] == paths


def test_names_of_devices_and_long_names_are_changed_as_little_as_needed() -> None:
    path_of = {
        "aux.txt": "_aux.txt",
        "../../etc/passwd": "etc/passwd",
        "x" * 300 + ".txt": "x" * 196 + ".txt",
        "A/b.txt": "A/b.txt",
        "a/b.txt": "a/b (2).txt",
        "C:\\Users\\x": "C_/Users/x",
        "new model.svg": "new model.svg",
    }
    safe_paths = SafePaths()

    for name, path in path_of.items():
        assert safe_paths.free(name) == path


def test_one_name_makes_no_folders() -> None:
    assert safe_part("../Unbabel/wmt22\\x") == "_.._Unbabel_wmt22_x"
    assert safe_part("..") == "_"
