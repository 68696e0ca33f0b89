"""The memory that the C library keeps for this process, where it is one that can be asked."""

import ctypes
import gc
from contextlib import suppress

FEW_ARENAS = 2
_ARENA_MAX = -8  # what mallopt calls their number


def keep_few_arenas() -> None:
    """Let threads share few arenas, before there are threads: what sessions held is scattered over all that there are,
    and pages of which a byte is in use are not given back.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(_ARENA_MAX, FEW_ARENAS)


def give_back_memory() -> None:
    """Give the machine what nobody holds any more."""
    gc.collect()
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
