"""Samples judged by one model on one or several devices, while somebody watches."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from threading import Event

from mteval.digests import digest_of
from mteval.metrics.base import Watch
from mteval.metrics.neural import kept_judgements
from mteval.metrics.neural.kept_judgements import Judgement
from mteval.metrics.neural.models import MODELS, Sample, Wanted

_SECONDS_BETWEEN_LOOKS = 0.1
_SAMPLES_A_REQUEST = 2048


@dataclass(frozen=True)
class Panel:
    """A model that judges on its devices.

    Parameters
    ----------
    wanted
        The model.
    devices
        A process each; they share the samples.
    batch_size
        Samples that a process reads at once.
    signature
        All that decides what it says of a sample.
    """

    wanted: Wanted
    devices: tuple[str, ...]
    batch_size: int
    signature: str

    def judgements(self, samples: Mapping[str, Sample], watch: Watch) -> dict[str, Judgement]:
        """One for each sample, under its key; what is said of it is kept.

        Parameters
        ----------
        samples
            By their ``keys``; each under the package's names, ``src``, ``mt``, ``ref``: a text, or several of which the
            last one is judged.
        watch
            Called ten times a second with the share that is done; what it raises stops the work within a second.

        Raises
        ------
        MtevalError
            Where the model does not load or fails.
        """
        found = kept_judgements.load(list(samples))
        left = {key: sample for key, sample in samples.items() if key not in found}
        if left:
            found |= self._new(left, lambda done: watch((len(found) + done) / len(samples)))
        return found

    def known(self, samples: Sequence[Sample]) -> list[Judgement | None]:
        """What was said of samples before, None where nothing was."""
        keys = self.keys(samples)
        found = kept_judgements.load(keys)
        return [found.get(key) for key in keys]

    def keys(self, samples: Sequence[Sample]) -> list[str]:
        """Under which judgements of samples are kept: digests of them and of all that decides what is said of them."""
        return [digest_of((self.signature, json.dumps(dict(one), sort_keys=True))) for one in samples]

    def _new(self, samples: Mapping[str, Sample], tell: Callable[[int], None]) -> dict[str, Judgement]:
        # the longest first, so that a lack of memory shows at once, and little is padded
        keys = sorted(samples, key=lambda key: -_length(samples[key]))
        found: dict[str, Judgement] = {}
        stop = Event()

        def judge(place: int) -> None:
            model = MODELS.of(replace(self.wanted, device=self.devices[place], place=place))
            for some in _portions(keys[place :: len(self.devices)]):
                for new in model.judge([samples[key] for key in some], self.batch_size, stop):
                    named = {some[number]: judgement for number, judgement in new.items()}
                    kept_judgements.keep(named)
                    found.update(named)

        with ThreadPoolExecutor(len(self.devices)) as pool:
            try:
                _attend([pool.submit(judge, place) for place in range(len(self.devices))], lambda: tell(len(found)))
            finally:
                stop.set()
        return found


def _length(sample: Sample) -> int:
    return sum(len("".join(part)) for part in sample.values())


def _portions(keys: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(keys), _SAMPLES_A_REQUEST):
        yield keys[start : start + _SAMPLES_A_REQUEST]


def _attend(working: Sequence["Future[None]"], look: Callable[[], None]) -> None:
    """Look while they work; the first that fails ends it."""
    left = set(working)
    while left:
        finished, left = wait(left, timeout=_SECONDS_BETWEEN_LOOKS)
        for one in finished:
            one.result()
        look()
