"""Reads files in a process that ``mteval.readers.apart`` starts: ``python -m mteval.readers.worker FD``."""

import sys
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

USUAL = "mteval.readers.formats.uploads"  # what most files need, and numpy with it, takes nothing of a file's memory
STATM = Path("/proc/self/statm")  # its first number counts pages of memory, used or not
LONGEST_SECONDS = 3_600  # of work, where nobody is left to stop it


def main() -> None:
    """Do what comes, functions with what they are given, until nothing more does; the end of each is ``None``."""
    link: Connection[Any, Any] = Connection(int(sys.argv[1]))
    import_module(USUAL)
    confine(link.recv())
    link.send(None)  # ready: what it took to start is not counted
    with suppress(EOFError):
        while True:
            function, given = link.recv()
            for step in function(*given):
                link.send(step)
            link.send(None)


def confine(memory_bytes: int) -> None:
    """Let this process take so much memory and no more, and not work on for ever."""
    try:
        import resource
    except ImportError:  # a system that knows no such limits
        return
    taken = int(STATM.read_text().split()[0]) * resource.getpagesize() if STATM.exists() else 0
    for kind, limit in ((resource.RLIMIT_AS, taken + memory_bytes), (resource.RLIMIT_CPU, LONGEST_SECONDS)):
        _, most = resource.getrlimit(kind)
        resource.setrlimit(kind, (limit if most == resource.RLIM_INFINITY else min(limit, most), most))


if __name__ == "__main__":
    main()
