"""How long 200 annotators who judge at once wait for an acknowledgement, and whether anything is lost.

``python -m benchmarks.annotators`` starts a server with an empty database, and answers by the route of the task page.
"""

import argparse
import json
import os
import resource
import statistics
import tempfile
import threading
import time
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from random import Random

from sqlalchemy.engine import URL

from benchmarks.served import started
from benchmarks.visitors import SECONDS_AFTER, memory
from mteval.annotations import Campaign, Output, Sampled, deal_tasks, open_store
from mteval.values.asker import OPERATOR

N_SEGMENTS = 100
WORDS = "a sentence of eight words to be judged"


def campaign(annotators: list[str]) -> tuple[Campaign, tuple]:
    """Make an ESA campaign of one output."""
    texts = (WORDS,) * N_SEGMENTS
    esa = Campaign(
        uid="a" * 32,
        name="load",
        way="esa",
        test_set="test",
        test_set_digest="d" * 32,
        outputs=(Output("system", "0", texts),),
        references=(("reference",),) * N_SEGMENTS,
        source=texts,
    )
    sample = [Sampled(segment, "random") for segment in range(N_SEGMENTS)]
    return esa, deal_tasks(esa, sample, annotators)


class Session(threading.Thread):
    """An annotator who keeps a connection and answers task after task at random times."""

    def __init__(self, port: int, token: str, tasks: list[int], every: float, end: float, seed: int) -> None:
        super().__init__()
        self.port = port
        self.token = token
        self.ids = tasks
        self.every = every  # seconds between two answers, on average
        self.end = end
        self.random = Random(seed)
        self.waits = list[float]()
        self.acknowledged = dict[int, float]()  # the score of each task

    def run(self) -> None:
        """Answer until the end."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        due = time.monotonic() + self.random.random() * self.every
        for number, task in enumerate(self.ids, start=1):
            if due >= self.end:
                break
            time.sleep(max(0.0, due - time.monotonic()))
            due += self.random.expovariate(1 / self.every)
            score = float(self.random.randrange(101))
            mark = {"id": "m", "text": "hypothesis", "start": 2, "end": 10, "severity": "minor"}
            answer = {"window": "w", "number": number, "base": 0, "marks": [mark], "score": score, "is_complete": True}
            body = json.dumps({"token": self.token, "task": task, "answer": answer})
            sent = time.monotonic()
            response = self._answered(connection, body)
            response.read()
            self.waits.append(time.monotonic() - sent)
            if response.status == 200:
                self.acknowledged[task] = score

    def _answered(self, connection: HTTPConnection, body: str) -> HTTPResponse:
        """Send an answer, again where the server has closed the idle connection, as a browser does."""
        try:
            connection.request("POST", "/_answers", body, {"content-type": "application/json"})
            return connection.getresponse()
        except ConnectionError:
            connection.close()
            connection.request("POST", "/_answers", body, {"content-type": "application/json"})
            return connection.getresponse()


def main() -> None:
    """Print how long acknowledgements take."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--rate", type=float, default=40.0, help="judgements per second in all")
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        home.mkdir()
        store = open_store(URL.create("sqlite", database=str(home / "annotations.sqlite")))
        names = [f"annotator {number}" for number in range(options.sessions)]
        esa, tasks = campaign(names)
        store.add(esa, tasks, OPERATOR)
        links = store.links(esa.uid).annotators
        ids_of = {name: list[int]() for name in names}
        for task in store.tasks(esa.uid):
            ids_of[task.annotator].append(task.id)

        with started(Path(folder), MTEVAL_DATABASE="") as (address, server):
            time.sleep(3)
            megabytes = [memory(server.pid)]
            port = int(address.rpartition(":")[2])
            every = options.sessions / options.rate
            end = time.monotonic() + options.seconds
            sessions = []
            for seed, name in enumerate(names):
                sessions.append(Session(port, links[name], ids_of[name], every, end, seed))
            began = time.monotonic()
            for session in sessions:
                session.start()
            for session in sessions:
                session.join()
            took = time.monotonic() - began
            megabytes.append(memory(server.pid, "VmHWM"))
            time.sleep(SECONDS_AFTER)
            megabytes.append(memory(server.pid))

        stored = {task.id: task for task in store.tasks(esa.uid) if task.is_complete}
        n_acknowledged = 0
        n_lost = 0
        for session in sessions:
            for task_id, score in session.acknowledged.items():
                n_acknowledged += 1
                task = stored.get(task_id)
                if task is None or task.score != score or not task.marks:
                    n_lost += 1

        waits = sorted(wait for session in sessions for wait in session.waits)
        load = os.getloadavg()[0]
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(
            f"{len(waits)} answers in {took:.0f} s ({len(waits) / took:.1f} per second), {n_acknowledged} acknowledged,"
            f" {n_lost} lost; median {statistics.median(waits):.3f} s, 95% {waits[int(0.95 * len(waits))]:.3f} s,"
            f" longest {waits[-1]:.3f} s; {used.ru_utime + used.ru_stime:.1f} s of processor time with the start of the"
            f" server; load average {load:.1f}; MiB of the server before, at most and {SECONDS_AFTER} s after:"
            f" {megabytes}"
        )
        store.close()


if __name__ == "__main__":
    main()
