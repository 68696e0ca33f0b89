"""Paths in a narrow column."""

from mteval.ui.setup.files import LONGEST_PATH, path_ends

LONG = "a-very-long-name-that-says-nothing-of-what-is-in-it"


def test_folders_that_all_share_are_not_shown() -> None:
    assert path_ends(["x/y/a/1.txt", "x/y/b.txt"]) == ["a/1.txt", "b.txt"]
    assert path_ends(["x/a.txt"]) == ["a.txt"]
    assert path_ends([]) == []


def test_the_end_of_a_long_path_is_shown() -> None:
    short, long = path_ends(["a.txt", f"{LONG}/base/opt0.txt"])
    assert short == "a.txt"
    assert long.startswith("…")
    assert long.endswith("/base/opt0.txt")
    assert len(long) == LONGEST_PATH


def test_paths_with_the_same_end_are_still_told_apart() -> None:
    paths = [f"test.transformer_{size}.{LONG}.beam4.alpha0.6.decodes" for size in ("base", "big")]
    base, big = path_ends([*paths, "ref.de"])[:2]
    assert "transformer_base…" in base
    assert "transformer_big…" in big
    assert base.endswith(".beam4.alpha0.6.decodes"[-21:])
    assert max(len(base), len(big)) <= LONGEST_PATH
