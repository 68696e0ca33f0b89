"""Requests to a judge whose endpoint takes half a second: how long 300 of them take, and over how many connections.

Usage: ``python -m benchmarks.judge_requests [PAUSE]`` from the root of the repository. The endpoint is another process
on this machine, which pauses that many seconds before each answer. If nothing else took time, 300 requests would
take 5.5 s with 30 at a time: one answer decides the format of the others, which come in ten rounds.
"""

import asyncio
import json
import multiprocessing
import os
import sys
import time
from multiprocessing.connection import Connection
from tempfile import TemporaryDirectory

from mteval.metrics import METRICS
from mteval.values.model import TestSet

PAUSE = 0.5  # seconds
N_REQUESTS = 300
ROUNDS = 3
MESSAGE = {"role": "assistant", "content": '{"score": 70}'}
ANSWER = json.dumps({"choices": [{"message": MESSAGE}], "usage": {"prompt_tokens": 100, "completion_tokens": 3}})


def serve(pause: float, pipe: Connection) -> None:
    """Answer every request after a pause; send the port, and later the number of connections when asked."""
    asyncio.run(_serve(pause, pipe))


async def _serve(pause: float, pipe: Connection) -> None:
    n_connections = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal n_connections
        n_connections += 1
        while head := await _head(reader):
            length = next(line for line in head.lower().splitlines() if line.startswith(b"content-length"))
            await reader.readexactly(int(length.partition(b":")[2]))
            await asyncio.sleep(pause)
            writer.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(ANSWER)}\r\n\r\n{ANSWER}".encode())
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=100)
    pipe.send(server.sockets[0].getsockname()[1])
    await asyncio.to_thread(pipe.recv)
    pipe.send(n_connections)


async def _head(reader: asyncio.StreamReader) -> bytes:
    """Return the head of a request; nothing if the connection has ended."""
    try:
        return await reader.readuntil(b"\r\n\r\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""


def measured(pause: float) -> tuple[float, float, int]:
    """Return the seconds that all requests took, the processor's, and the number of connections."""
    pipe, theirs = multiprocessing.Pipe()
    endpoint = multiprocessing.get_context("spawn").Process(target=serve, args=(pause, theirs), daemon=True)
    endpoint.start()
    with TemporaryDirectory() as cache:
        os.environ["MTEVAL_JUDGE"] = f"model@http://127.0.0.1:{pipe.recv()}/v1"
        os.environ["MTEVAL_CACHE"] = cache
        metric = METRICS["llm-judge"].configure("sacrebleu", {})
        scorer = metric.prepare(TestSet("test", ((),), source=("Ein Baum .",)))
        used_before = time.process_time()
        start = time.perf_counter()
        scores = scorer.statistics([0] * N_REQUESTS, [f"tree {number}" for number in range(N_REQUESTS)])
        seconds = time.perf_counter() - start
        used = time.process_time() - used_before
    pipe.send("end")
    n_connections = pipe.recv()
    endpoint.join()
    if set(scores[:, 0]) != {70.0}:
        raise RuntimeError("The endpoint's answers were not understood.")
    return seconds, used, n_connections


def main() -> None:
    """Print each round."""
    pause = PAUSE
    if len(sys.argv) > 1:
        pause = float(sys.argv[1])
    for _ in range(ROUNDS):
        seconds, used, n_connections = measured(pause)
        print(
            f"{N_REQUESTS} requests of {pause:g} s: {seconds:.2f} s, {used:.2f} s of processor time,"
            f" {n_connections} connections",
            flush=True,
        )


if __name__ == "__main__":
    main()
