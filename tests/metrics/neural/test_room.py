"""A model that needs the room of others closes the least recently used one, when it is loaded and when it scores."""

from collections.abc import Mapping
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from mteval.base.errors import MissingDependencyError
from mteval.metrics.neural import models
from mteval.metrics.neural.models import Models, Wanted

FULL = {"error": "out of memory", "lacks_memory": True}


class Device:
    """Room for some units; a model takes as many as its kind says, and one more while it scores."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.used: dict[int, int] = {}
        self.closed: list[str] = []

    def process(self, _: Path) -> "Process":
        return Process(self)


class Process:
    """What stands in for the process of a model."""

    def __init__(self, device: Device) -> None:
        self.device, self.kind, self.answers = device, "0", list[Mapping[str, Any]]()
        self.is_running = True

    def say(self, request: Mapping[str, Any]) -> None:
        others = sum(size for process, size in self.device.used.items() if process != id(self))
        self.kind = request.get("kind", self.kind)
        size = int(self.kind) + (request["do"] == "score")
        if others + size > self.device.room:
            self.answers.append(FULL)
        elif request["do"] == "load":
            self.device.used[id(self)] = size
            self.answers.append({"device": "cpu"})
        else:
            self.answers += [{"numbers": [0], "scores": [0.5]}, {"end": "done"}]

    def answer(self, seconds: float) -> Any:
        return self.answers.pop(0)

    def end(self) -> None:
        self.is_running = False
        self.device.used.pop(id(self), None)
        self.device.closed.append(self.kind)


def judged(loaded: Models, size: int, device: str = "cpu") -> list[float]:
    model = loaded.of(Wanted(f"model {size}", Path("python"), str(size), (), "digest", device))
    return [one.score for new in model.judge([{"mt": "a"}], 1, Event()) for one in new.values()]


@pytest.mark.parametrize(
    ("room", "sizes", "closed"),
    [
        (10, (4, 5, 6), ["6", "4", "6", "5"]),  # to load; each failure ends the new one's own process
        (10, (4, 5), []),
        (7, (2, 5), ["2", "5"]),  # loads and cannot score: closed to begin anew
        (7, (2, 1, 2, 4), ["1", "4"]),
    ],
)
def test_the_least_recently_used_model_makes_room(
    monkeypatch: pytest.MonkeyPatch, room: int, sizes: tuple[int, ...], closed: list[str]
) -> None:
    device, loaded = Device(room), Models()
    monkeypatch.setattr(models, "WorkerProcess", device.process)
    for size in sizes:
        assert judged(loaded, size) == [0.5]
    assert device.closed == closed


def test_room_is_made_on_the_same_device_and_not_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    device, loaded = Device(5), Models()
    monkeypatch.setattr(models, "WorkerProcess", device.process)
    assert judged(loaded, 4, "cuda:1") == [0.5]
    with pytest.raises(MissingDependencyError, match="Not enough memory on cuda:0"):
        judged(loaded, 4, "cuda:0")
    assert device.closed == ["4"], "its own process; the other device's model is left alone"
    assert sum(device.used.values()) == 4
