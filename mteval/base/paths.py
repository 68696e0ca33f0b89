"""Where mteval keeps what survives a session."""

import errno
import os
import stat
from pathlib import Path

import platformdirs


def dashboard_directory() -> Path:
    """Where ``app.py``, its pages, its configuration and the sample are: in a wheel in the package, else beside it."""
    package = Path(__file__).parent.parent
    installed = package / "dashboard"
    return installed if installed.is_dir() else package.parent


def cache_directory() -> Path:
    """Directory of recomputable files: ``MTEVAL_CACHE`` if set, else the user's cache directory of this platform."""
    return Path(os.environ.get("MTEVAL_CACHE") or platformdirs.user_cache_path("mteval"))


def data_directory() -> Path:
    """Directory of what cannot be recomputed: ``MTEVAL_HOME`` if set, else the user's data directory of this platform.

    What people said about segments is kept here.
    """
    return Path(os.environ.get("MTEVAL_HOME") or platformdirs.user_data_path("mteval"))


def make_private(directory: Path) -> None:
    """Make a directory, and those above it that are not there, for their owner alone; what is there stays as it is.

    Raises
    ------
    OSError
        Where it cannot be made; of a file in its place it says that this is no directory.
    """
    if not directory.is_dir():
        make_private(directory.parent)
        try:
            directory.mkdir(mode=0o700, exist_ok=True)
        except FileExistsError as error:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(directory)) from error


def is_ours(directory: Path) -> bool:
    """Whether nobody but this user may write to a directory that is there, and to the one that it is in."""
    if not hasattr(os, "geteuid"):  # a system where rights are another matter
        return directory.is_dir()
    found = [path.stat() for path in (directory, directory.parent) if path.is_dir()]
    mine = [one.st_uid == os.geteuid() and not one.st_mode & (stat.S_IWGRP | stat.S_IWOTH) for one in found]
    return len(mine) == 2 and all(mine)
