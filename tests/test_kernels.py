"""Compiled code of other sources is never used."""

import shutil
from pathlib import Path

import pytest

from mteval import kernels


def test_code_is_kept_apart_by_the_text_of_the_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = Path(kernels.__file__).parent
    for package in ("metrics", "stats"):
        shutil.copytree(source / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(kernels, "__file__", str(tmp_path / "kernels.py"))
    before = kernels.code_directory()
    assert kernels.code_directory() == before
    with (tmp_path / "stats" / "bootstrap.py").open("a", encoding="utf-8") as module:
        module.write("# changed\n")
    assert kernels.code_directory() != before


def test_the_compiler_is_told_where() -> None:
    import numba

    assert numba.config.CACHE_DIR
