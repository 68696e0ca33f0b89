"""Directories for files that outlive a session."""

import errno
import os
import stat
from pathlib import Path

import platformdirs


def dashboard_directory() -> Path:
    """Return the directory of ``app.py``, its pages and the sample: inside an installed package, else next to it."""
    package = Path(__file__).parent.parent
    installed = package / "dashboard"
    if installed.is_dir():
        return installed
    return package.parent


def sample_directory() -> Path:
    """Return the directory of the sample experiment.

    Returns
    -------
    A folder with references and the outputs of two systems, thirty runs each.

    Examples
    --------
    >>> import mteval
    >>> (mteval.sample_directory() / "reference.test.txt").is_file()
    True
    """
    return dashboard_directory() / "sample_data"


def cache_directory() -> Path:
    """Return the directory of recomputable files: ``MTEVAL_CACHE``, or the platform's user cache directory."""
    return Path(os.environ.get("MTEVAL_CACHE") or platformdirs.user_cache_path("mteval"))


def data_directory() -> Path:
    """Return the directory of irreplaceable files such as judgements: ``MTEVAL_HOME``, or the platform's."""
    return Path(os.environ.get("MTEVAL_HOME") or platformdirs.user_data_path("mteval"))


def make_private(directory: Path) -> None:
    """Make a directory and its missing parents, private to their owner; existing ones are unchanged.

    Raises
    ------
    OSError
        If it cannot be made; ``NotADirectoryError`` if a file is in its place.
    """
    if directory.is_dir():
        return
    make_private(directory.parent)
    try:
        directory.mkdir(mode=0o700, exist_ok=True)
    except FileExistsError as error:
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(directory)) from error


def is_ours(directory: Path) -> bool:
    """Return whether only this user may write to a directory and its parent."""
    if not hasattr(os, "geteuid"):  # Windows
        return directory.is_dir()
    for path in (directory, directory.parent):
        if not path.is_dir():
            return False
        status = path.stat()
        others_may_write = bool(status.st_mode & (stat.S_IWGRP | stat.S_IWOTH))
        if status.st_uid != os.geteuid() or others_may_write:
            return False
    return True
