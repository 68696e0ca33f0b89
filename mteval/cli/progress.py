"""Progress on standard error, only where a person watches."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm

from mteval.analysis.work import Progress

_BAR = "{percentage:3.0f}% |{bar:30}| {desc} [{elapsed}]"


@contextmanager
def shown(*, is_alone: bool = True) -> Iterator[Callable[[Progress], None]]:
    """A listener that draws a bar on a terminal and nothing elsewhere; the bar is gone at the end.

    Parameters
    ----------
    is_alone
        False where other lines are printed on the same terminal meanwhile: then nothing is drawn.
    """
    disable = None if is_alone else True  # None: where it is no terminal
    with tqdm(total=1.0, disable=disable, leave=False, miniters=0, file=sys.stderr, bar_format=_BAR) as bar:

        def draw(progress: Progress) -> None:
            bar.set_description_str(progress.task, refresh=False)
            bar.update(progress.fraction - bar.n)  # negative where a new part of the work begins

        yield draw
