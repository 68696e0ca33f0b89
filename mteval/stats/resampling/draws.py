"""P-values of many draws of n runs per system from a larger pool (Clark et al. 2011, Table 2).

Each p-value equals that of the procedure itself for the runs drawn. All draws share the shuffles, so the sums of a run
over the exchanged units are computed once per shuffle and place of the run in a draw.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mteval.base.arrays import FloatArray, StatArray
from mteval.stats.base import Alternative, Checked, How, Score, is_less_extreme
from mteval.stats.resampling.streams import BitArray, Chunk, chunks_of, seeds_of
from mteval.stats.resampling.subset_sums import SHUFFLES_A_CHUNK, UNITS_A_WORD, SubsetSums
from mteval.stats.stats_kernels import add

BYTES_AT_ONCE = 1 << 25  # per thread, for sums of all draws and random bits
WORDS_AT_ONCE = 4 * 10**8  # of 64 units, summed between two progress reports: a second or two
FEWEST_AT_ONCE = 125  # shuffles; with fewer, building the tables would dominate
ROWS_AT_ONCE = 64  # of random words of a chunk, of which a part is kept
DRAWS_SCORED_AT_ONCE = 16

IndexArray = npt.NDArray[np.int64]
Exchange = tuple[int, list[int]]  # a place in the stream of random bits, and the columns of draws that use it


@dataclass(frozen=True)
class Draws:
    """Runs of each draw, as indices into a pool of runs.

    Parameters
    ----------
    baseline, system
        Shape ``(draws, n)``; runs of a row are distinct. The exchange of outputs pairs them by column.
    """

    baseline: IndexArray
    system: IndexArray

    @classmethod
    def random(cls, pool: tuple[int, int], n_runs: int, n_draws: int, generator: np.random.Generator) -> "Draws":
        """Draw ``n_runs`` of each system without replacement, ``n_draws`` times.

        Parameters
        ----------
        pool
            Number of runs of baseline and system.
        """

        def drawn(size: int) -> IndexArray:
            return generator.random((n_draws, size)).argsort(axis=1)[:, :n_runs]

        n_baseline, n_system = pool
        baseline = drawn(n_baseline)
        system = drawn(n_system)
        return cls(baseline, system)

    @property
    def n_runs(self) -> int:
        """Runs per system in a draw."""
        return int(self.baseline.shape[1])

    def __len__(self) -> int:
        return len(self.baseline)

    def show_spread(self, baseline: StatArray, system: StatArray) -> npt.NDArray[np.bool_]:
        """Return which draws have two different runs of each system, shape ``(draws,)``.

        Parameters
        ----------
        baseline, system
            The pools, shape ``(runs, units, d)``.
        """
        shows = np.ones(len(self), dtype=bool)
        for pool, drawn_runs in ((baseline, self.baseline), (system, self.system)):
            # Each run has the number of the first run with its content
            contents = [run.tobytes() for run in pool]
            numbers = np.array([contents.index(content) for content in contents])
            identity = numbers[drawn_runs]
            shows &= (identity != identity[:, :1]).any(axis=1)
        return shows


def p_values_of_runs(
    test: Callable[[IndexArray], Sequence[float]],
    baseline: StatArray,
    system: StatArray,
    draws: Draws,
    how: How,
    at_once: int = 1,
) -> FloatArray:
    """Return the p-value of each draw, shape ``(draws,)``; NaN if its runs cannot show training luck.

    Parameters
    ----------
    test
        Maps indices of at most ``at_once`` draws to their p-values.
    baseline, system
        The pools, shape ``(runs, units, d)``.
    """
    answered = np.flatnonzero(draws.show_spread(baseline, system))
    parts = [answered[start : start + at_once] for start in range(0, len(answered), at_once)]
    p_of_answered: list[float] = []
    for p_of_part in how.map_chunks(test, parts):
        p_of_answered += p_of_part
    p_values = np.full(len(draws), np.nan)
    p_values[answered] = p_of_answered
    return p_values


@dataclass(frozen=True)
class Pools:
    """The runs of both systems, and the runs of each draw.

    Parameters
    ----------
    baseline, system
        Shape ``(runs, units, d)``; the system's runs are numbered after the baseline's.
    columns
        Runs of each draw, shape ``(2, draws, n)``.
    totals
        Sums over all units and the runs of each draw, shape ``(2, draws, d)``.
    """

    baseline: StatArray
    system: StatArray
    columns: IndexArray
    totals: FloatArray
    score: Score

    @classmethod
    def of(cls, baseline: StatArray, system: StatArray, score: Score, draws: Draws) -> "Pools":
        """Add up the runs of each draw."""
        baseline_sums = baseline.sum(axis=1).astype(np.float64)  # of each run, shape ``(runs, d)``
        system_sums = system.sum(axis=1).astype(np.float64)
        baseline_totals = baseline_sums[draws.baseline].sum(axis=1)
        system_totals = system_sums[draws.system].sum(axis=1)
        columns = np.stack([draws.baseline, draws.system + len(baseline)])
        return cls(baseline, system, columns, np.stack([baseline_totals, system_totals]), score)

    def _run(self, number: int) -> StatArray:
        """Return a run minus the first run: exchanges are invariant to it, and the numbers are smaller."""
        if number < len(self.baseline):
            run = self.baseline[number]
        else:
            run = self.system[number - len(self.baseline)]
        return np.asarray(run - self.baseline[0])

    def p_values(self, exchanges: list[Exchange], how: How) -> FloatArray:
        """Return the p-value of each draw by the exchange of outputs, shape ``(draws,)``; NaN for undefined scores.

        Parameters
        ----------
        exchanges
            Groups of outputs exchanged together.
        """
        n_draws, d = self.totals.shape[1:]
        takers = self._takers(exchanges)

        # As many shuffles at once as memory, and time between two progress reports, allow
        n_words = self._words(len(exchanges))
        n_kept = max(n_draws * d, n_words)
        n_summed = sum(map(len, takers.values())) * self._words(1)
        width = max(FEWEST_AT_ONCE, min(BYTES_AT_ONCE // (8 * n_kept), WORDS_AT_ONCE // n_summed))
        observed = self._differences(self.totals[1][:, :, np.newaxis])[:, 0]

        def count(part: tuple[Chunk, slice]) -> IndexArray:
            chunk, shuffles = part
            words = _drawn_words(np.random.SFC64(seeds_of(how.seeds, chunk)), n_words, shuffles)
            return self._less_extreme(observed, self._gains(takers, words, how.checked), how.alternative)

        n_less = sum(how.map_chunks(count, _parts(how.n_resamples, width)), np.zeros(n_draws, dtype=np.int64))
        p_values = (how.n_resamples + 1 - n_less) / (how.n_resamples + 1)
        return np.where(np.isnan(observed), np.nan, p_values)

    def _words(self, n_places: int) -> int:
        """Return the number of random words for the units of that many places."""
        return int(-(-n_places * self.baseline.shape[1] // UNITS_A_WORD))

    def _takers(self, exchanges: list[Exchange]) -> dict[int, list[tuple[int, IndexArray]]]:
        """Return, for each run, the places in the stream at which draws use it, and those draws."""
        takers: dict[int, list[tuple[int, IndexArray]]] = {int(run): [] for run in np.unique(self.columns)}
        for place, columns in exchanges:
            runs = self.columns[:, :, columns]  # shape ``(2, draws, columns)``
            draws = np.broadcast_to(np.arange(runs.shape[1])[:, np.newaxis], runs.shape)
            # The draws of each run: sorted by run, then split where the next run starts
            order = np.argsort(runs, axis=None, kind="stable")
            distinct, starts = np.unique(runs.ravel()[order], return_index=True)
            draws_of_runs = np.split(draws.ravel()[order], starts[1:])
            for run, draws_of_run in zip(distinct.tolist(), draws_of_runs, strict=True):
                takers[run].append((place, draws_of_run))
        return takers

    def _gains(self, takers: dict[int, list[tuple[int, IndexArray]]], words: BitArray, checked: Checked) -> FloatArray:
        """Return changes of the system's sums by some shuffles, shape ``(draws, d, shuffles)``."""
        n_units = self.baseline.shape[1]
        gains = np.zeros((self.totals.shape[1], self.totals.shape[2], words.shape[1]))
        bits: dict[int, BitArray] = {}
        for taken in takers.values():
            for place, _ in taken:
                if place not in bits:
                    bits[place] = _bits_of(words, place * n_units, n_units)
        added = set(self.columns[0].ravel().tolist())  # a run is on one side only
        for run, taken in checked(takers.items()):
            tables = SubsetSums.of(self._run(run))
            sign = 1.0 if run in added else -1.0
            for place, draws in taken:
                add(tables.over(bits[place]), sign, draws, gains)
        return gains

    def _differences(self, system_sides: FloatArray, draws: slice = slice(None)) -> FloatArray:
        """Return differences ``(draws, shuffles)`` from the system's sums ``(draws, d, shuffles)``."""
        totals = self.totals[:, draws].sum(axis=0)[:, :, np.newaxis]
        sides = np.stack([totals - system_sides, system_sides])
        sides /= self.columns.shape[2]
        baseline, system = self.score(sides.swapaxes(2, 3))
        return np.asarray(system - baseline)

    def _less_extreme(self, observed: FloatArray, gains: FloatArray, alternative: Alternative) -> IndexArray:
        """Return how many shuffles of each draw are less extreme than observed; undefined ones are not."""
        n_less = np.empty(len(gains), dtype=np.int64)
        for start in range(0, len(gains), DRAWS_SCORED_AT_ONCE):
            draws = slice(start, start + DRAWS_SCORED_AT_ONCE)
            null = self._differences(gains[draws] + self.totals[1, draws][:, :, np.newaxis], draws)
            n_less[draws] = is_less_extreme(null, observed[draws, np.newaxis], alternative).sum(axis=1)
        return n_less


def _parts(n_shuffles: int, width: int) -> Iterator[tuple[Chunk, slice]]:
    """Yield the chunks in slices of at most ``width`` shuffles."""
    for chunk in chunks_of(n_shuffles, SHUFFLES_A_CHUNK):
        for start in range(0, len(chunk), width):
            yield chunk, slice(start, min(start + width, len(chunk)))


def _drawn_words(stream: np.random.SFC64, n_words: int, shuffles: slice) -> BitArray:
    """Return random words of some shuffles of a chunk, shape ``(n_words + 1, shuffles)``, with a zero word last."""
    words = np.zeros((n_words + 1, shuffles.stop - shuffles.start), dtype=np.uint64)
    for start in range(0, n_words, ROWS_AT_ONCE):
        rows = words[start : min(start + ROWS_AT_ONCE, n_words)]
        rows[:] = stream.random_raw((len(rows), SHUFFLES_A_CHUNK))[:, shuffles]
    return words


def _bits_of(words: BitArray, first: int, n_units: int) -> BitArray:
    """Return the bits of units from ``first`` on, aligned to words, shape ``(words, shuffles)``."""
    row, shift = divmod(first, UNITS_A_WORD)
    n_words = -(-n_units // UNITS_A_WORD)
    own = words[row : row + n_words]
    if shift == 0:
        return own
    following = words[row + 1 : row + 1 + n_words]
    return np.asarray((own >> np.uint64(shift)) | (following << np.uint64(UNITS_A_WORD - shift)))
