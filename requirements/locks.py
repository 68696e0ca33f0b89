"""Read the locks of this folder, and tidy what uv writes: ``python -m requirements.locks FILE…``."""

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import Marker
from packaging.utils import canonicalize_name

FOLDER = Path(__file__).parent
# Where mteval runs; docs/install.md says so
SUPPORTED = [
    {
        "implementation_name": "cpython",
        "os_name": "posix",
        "platform_machine": machine,
        "platform_python_implementation": "CPython",
        "platform_system": "Linux",
        "python_full_version": f"{python}.0",
        "python_version": python,
        "sys_platform": "linux",
    }
    for python in ("3.11", "3.12", "3.13")
    for machine in ("x86_64", "aarch64")
]


@dataclass(frozen=True)
class Package:
    """A package of a lock."""

    name: str
    version: str
    marker: str  # where it is installed; empty: everywhere
    hashes: tuple[str, ...]  # SHA-256 of each of its files
    needed_by: tuple[str, ...]  # packages, or files that name it

    def is_installed_in(self, environment: dict[str, str] | None = None) -> bool:
        """Return whether an environment gets the package; by default that of this interpreter."""
        return not self.marker or Marker(self.marker).evaluate(environment)


def packages(lock: str) -> list[Package]:
    """Return the packages of the text of a lock.

    Raises
    ------
    ValueError
        If a line is neither a package with its exact version nor a part of one.
    """
    return [_package(block) for block in _blocks(lock)]


def tidied(lock: str) -> str:
    """Return a lock without packages that no supported system gets, and without markers that all of them fulfil.

    uv resolves for every system that there is. A bill of materials is about those that are supported.
    """
    blocks = []
    for block in _blocks(lock):
        package = _package(block)
        if not package.marker:
            blocks.append(block)
            continue
        is_installed = [package.is_installed_in(environment) for environment in SUPPORTED]
        if all(is_installed):
            blocks.append(block.replace(f" ; {package.marker}", "", 1))
        elif any(is_installed):
            blocks.append(block)
    return "\n".join(blocks) + "\n"


def _blocks(lock: str) -> Iterable[str]:
    """Yield each package with the lines below it, which are indented. Comments at the margin are uv's own."""
    lines = [line for line in lock.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        return []
    return re.split(r"\n(?=\S)", "\n".join(lines))


def _package(block: str) -> Package:
    """Return the package that a block is about."""
    head = re.match(r"([\w.-]+)==([\w.+!-]+)(?: ; (.*?))?(?: \\)?(?:\n|$)", block)
    if head is None:
        raise ValueError(f"Expected 'NAME==VERSION' in a lock, found: {block.splitlines()[0]}")
    name, version, marker = head.groups()
    hashes = re.findall(r"^ +--hash=sha256:([0-9a-f]{64})(?: \\)?$", block, re.MULTILINE)
    comments = re.findall(r"^ +#(?: via)?(?: +(.+))?$", block, re.MULTILINE)
    needed_by = [comment for comment in comments if comment]
    return Package(canonicalize_name(name), version, marker or "", tuple(hashes), tuple(needed_by))


if __name__ == "__main__":
    for path in map(Path, sys.argv[1:]):
        path.write_text(tidied(path.read_text(encoding="utf-8")), encoding="utf-8")
