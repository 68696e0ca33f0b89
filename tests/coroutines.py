"""Coroutines run to their end beside a browser, which keeps a loop of its own in the thread of the tests."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")


def completed(work: Coroutine[Any, Any, T]) -> T:
    """What it gives, from a thread and a loop of its own."""
    with ThreadPoolExecutor(1) as other:
        return other.submit(asyncio.run, work).result()
