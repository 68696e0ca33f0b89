"""A COMET model in a process of its own, which loads it once and scores for all threads of this one."""

import json
import os
import subprocess
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import Any

from mteval.counts import counted
from mteval.errors import MissingDependencyError, MtevalError
from mteval.metrics.neural import comet_worker

# the package would look for a newer encoder, and tell its makers that it was used
_OFFLINE = {
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
_loading = Lock()


class Model:
    """A loaded checkpoint; threads take turns.

    Parameters
    ----------
    python
        Interpreter that has COMET's package.
    checkpoint
        File with the model.

    Raises
    ------
    MissingDependencyError
        Where the package or the model does not load.
    """

    def __init__(self, python: Path, checkpoint: Path) -> None:
        self._checkpoint = checkpoint
        self._turn = Lock()
        self._process = subprocess.Popen(
            [str(python), comet_worker.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **_OFFLINE},
            encoding="ascii",
        )
        self.close = weakref.finalize(self, _end, self._process)
        answer = self._ask({"checkpoint": str(checkpoint)})
        if "error" in answer:
            self.close()
            raise MissingDependencyError(
                f"COMET cannot load '{checkpoint}' with {python}: {answer['error']}. Nothing is downloaded: the package"
                " (requirements-comet.txt) and the tokenizer of the model's encoder must be on this machine already."
            )

    @property
    def is_running(self) -> bool:
        """Whether it can still be asked."""
        return self._process.poll() is None

    def scores(self, samples: Sequence[Mapping[str, str]], batch_size: int) -> list[float]:
        """One score for each sample, a mapping with the package's names ``src``, ``mt`` and ``ref``.

        Raises
        ------
        MtevalError
            Where the model fails, or its process ends.
        """
        if not samples:
            return []
        answer = self._ask({"samples": list(samples), "batch_size": batch_size})
        if "error" in answer:
            raise MtevalError(f"COMET failed on {counted(len(samples), 'output')}: {answer['error']}.")
        scores: list[float] = answer["scores"]
        if len(scores) != len(samples):
            raise MtevalError(
                f"COMET gave {counted(len(scores), 'score')} for {counted(len(samples), 'output')}; expected one for"
                " each."
            )
        return scores

    def _ask(self, request: Mapping[str, Any]) -> Any:
        with self._turn:
            try:
                print(json.dumps(request), file=self._process.stdin, flush=True)
                line = self._process.stdout.readline() if self._process.stdout else ""
            except (OSError, ValueError):  # the pipe is closed: it ended before it was asked
                line = ""
        if not line:
            raise MtevalError(
                f"COMET's process ended (status {self._process.wait()}) while it worked with '{self._checkpoint}'. A"
                " model needs some gigabytes of memory; close other programs or take a smaller model, and start again."
            )
        return json.loads(line)


def model_for(python: Path, checkpoint: Path, digest: str) -> Model:
    """The model, loaded by the first who asks in this process; one that ended is loaded anew."""
    with _loading:
        model = _model(python, checkpoint, digest)
        if not model.is_running:
            _model.cache_clear()
            model = _model(python, checkpoint, digest)
        return model


@lru_cache(maxsize=1)
def _model(python: Path, checkpoint: Path, digest: str) -> Model:
    return Model(python, checkpoint)


def _end(process: "subprocess.Popen[str]") -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what was not sent yet has no reader any more
                pipe.close()
