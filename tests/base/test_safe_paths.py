"""Names from elsewhere as paths: inside their folder, storable anywhere, each one a file of its own."""

import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from mteval.base.safe_paths import LONGEST_PART, LONGEST_PATH, SafePaths, safe_part
from tests.hostile.names import DEVICES, HOSTILE_NAMES

ALPHABET = st.sampled_from('aA./\\:*"\x00 ü|C1conCON¹().é\u0301\u200b．／ＡſK') | st.characters()


def stored(path: str) -> str:
    """What a file system that ignores case, accents' forms and trailing dots makes of a path."""
    parts = [unicodedata.normalize("NFD", part).casefold().rstrip(". ") for part in path.split("/")]
    return unicodedata.normalize("NFD", "/".join(parts))


def check_all_differ_and_fit(paths: list[str]) -> None:
    assert len({stored(path) for path in paths}) == len(paths)
    assert len({unicodedata.normalize("NFKC", path.upper()) for path in paths}) == len(paths)
    files = {stored(path) for path in paths}
    for path in paths:
        parts = path.split("/")
        assert len(path) <= LONGEST_PATH
        for number, part in enumerate(parts, start=1):
            assert part not in ("", ".", "..")
            assert part == part.strip(" ").rstrip(".")
            assert not part.startswith(".")  # hidden, and ignored when the folder is loaded
            assert 0 < len(part.encode("utf-8")) <= LONGEST_PART
            assert not set(part) & set('<>:"|?*\\')
            assert not any(unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") for character in part)
            assert unicodedata.normalize("NFKC", part).casefold().split(".")[0].rstrip() not in DEVICES
            if number < len(parts):
                assert stored("/".join(parts[:number])) not in files  # else a file would have to be a folder


@settings(deadline=None, max_examples=300)
@given(st.lists(st.text(ALPHABET, max_size=40), max_size=12))
@example(list(HOSTILE_NAMES))
@example([f"figures/bleu-power-{name}.svg" for name in HOSTILE_NAMES])
@example([f"{name}/{other}" for name in HOSTILE_NAMES[:40] for other in HOSTILE_NAMES[:10]])
@example(["a", "a/b", "A/b/c", "a.txt", "A.TXT", "a (2)"])
def test_no_name_leaves_its_folder_and_no_two_share_a_path(names: list[str]) -> None:
    given_out = SafePaths(("manifest.json",))
    paths = [given_out.free(name) for name in names]
    check_all_differ_and_fit(paths)
    assert not {"manifest.json"} & {stored(part) for path in paths for part in path.split("/")}
    again = SafePaths(("manifest.json",))
    assert [again.free(path) for path in paths] == paths


def test_names_of_devices_and_long_names_are_changed_as_little_as_needed() -> None:
    paths = SafePaths()
    wanted = ["aux.txt", "../../etc/passwd", "x" * 300 + ".txt", "A/b.txt", "a/b.txt", "C:\\Users\\x", "new model.svg"]
    assert [paths.free(name) for name in wanted] == [
        "_aux.txt", "etc/passwd", "x" * 196 + ".txt", "A/b.txt", "a/b (2).txt", "C_/Users/x", "new model.svg",
    ]  # fmt: skip


def test_one_name_makes_no_folders() -> None:
    assert safe_part("../Unbabel/wmt22\\x") == "_.._Unbabel_wmt22_x"
    assert safe_part("..") == "_"
