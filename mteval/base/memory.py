"""Memory that the C library keeps after it was freed."""

import ctypes
import gc
import sys
from contextlib import suppress

# Of a server: Python keeps each MiB of small objects while one of them lives, the C library each page of 4 KiB
OF_A_SERVER = {"PYTHONMALLOC": "malloc"} if sys.platform == "linux" else {}


def keep_few_arenas() -> None:
    """Let threads share few arenas. Called before there are threads: a page with one byte in use is never released."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(-8, 2)  # M_ARENA_MAX of mallopt


def give_back_memory() -> None:
    """Release unused memory to the machine, also what only refers to itself."""
    gc.collect()
    give_back_freed_memory()


def give_back_freed_memory() -> None:
    """Release to the machine what was freed; looking for what only refers to itself takes long with many texts."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
