"""Section of the calibration page on runs that are really independent: warnings, statements and names."""

from collections.abc import Iterator

import pandas as pd

from benchmarks import right_files
from benchmarks.calibration_words import paragraph, percent
from benchmarks.real_runs import FIXED, NOT_HERE, OF_FILES, REPORTED, RESULTS
from mteval.values.definitions import DEFINITIONS
from mteval.values.findings import TITLES

TITLE = "Runs that are really independent"
BEFORE = 6  # version of the definitions before these checks


def real_runs_section() -> Iterator[str]:
    """Yield the section."""
    frame = pd.read_csv(RESULTS)
    reported = frame[frame["part"] == REPORTED]
    now = reported[reported["definitions"] == DEFINITIONS]
    before = reported[reported["definitions"] == BEFORE]
    n = int(now.loc[now["what"] == "any", "n"].sum())
    yield f"## {TITLE}"
    yield ""
    yield from paragraph(
        f"The simulations above share the assumptions of the tests. These {n:,} experiments are real, or violate the"
        " assumptions on purpose. Some are random subsets of the sample's 60 optimizer runs on three test sets. In"
        " simulated ones, runs differ along 1, 2 or 8 directions, or in a tenth of the segments. For WMT23 he-en,"
        " segments were exchanged at random between pairs of systems. The runs of a system are independent."
        " Thresholds were fixed on the test set `dev` and half of the simulated experiments, and are reported on the"
        " others (`python -m benchmarks.real_runs`, [all rates](../benchmarks/real_runs.csv)). *Before* is definitions"
        f" version {BEFORE}, with fewer experiments."
    )
    yield ""
    yield from _any_warning(before, now)
    yield ""
    yield from _by_check(before, now)
    yield ""
    yield from _statements(before, now)
    yield ""
    yield from _names(frame[(frame["definitions"] == DEFINITIONS) & (frame["what"] == "nested-names")])
    yield ""
    yield from _files()


def _rates(frame: pd.DataFrame, *keys: str) -> pd.Series:
    """Return rates over all experiments with the same keys."""
    counted = frame.assign(hits=frame["rate"] * frame["n"])
    sums = counted.groupby(list(keys))[["hits", "n"]].sum()
    return sums["hits"] / sums["n"]


def _any_warning(before: pd.DataFrame, now: pd.DataFrame) -> Iterator[str]:
    """Yield how often an experiment has any warning at all, by source and number of runs."""
    yield "**Any warning at all**, by the number of runs per system (before → now):"
    yield ""
    rates_before = _rates(before[before["what"] == "any"], "source", "n_runs")
    rates_now = _rates(now[now["what"] == "any"], "source", "n_runs")
    numbers = sorted({int(number) for _, number in rates_now.index})
    yield f"| runs | {' | '.join(map(str, numbers))} |"
    yield "|---" * (len(numbers) + 1) + "|"
    for source in dict.fromkeys(source for source, _ in rates_now.index):
        cells = []
        for number in numbers:
            key = (source, number)
            cells.append(f"{_cell(rates_before, key)} → {_cell(rates_now, key)}" if key in rates_now.index else "–")
        yield f"| {source} | {' | '.join(cells)} |"


def _cell(rates: pd.Series, key: object) -> str:
    if key not in rates.index:
        return "–"
    return percent(float(rates[key]))


def _by_check(before: pd.DataFrame, now: pd.DataFrame) -> Iterator[str]:
    """Yield the rate of false alarms of each check that ever warned."""
    rates_before = _rates(before[before["kind"] == "warning"], "what")
    rates_now = _rates(now[now["kind"] == "warning"], "what")
    yield "**Each check**, over all of these experiments:"
    yield ""
    yield "| check | finding | false alarms before | now |"
    yield "|---|---|---|---|"
    names = {**dict.fromkeys(rates_before.index, ""), **dict.fromkeys(rates_now.index, "")}
    silent = []
    for code in names:
        largest = max(float(rates.get(code, 0.0)) for rates in (rates_before, rates_now))
        if code == "any":
            continue
        if largest == 0:
            silent.append(f"`{code}`")
            continue
        title = TITLES.get(code, "no longer a check")
        now_cell = "–" if code not in TITLES else _cell(rates_now, code)
        yield f"| {title} | `{code}` | {_cell(rates_before, code)} | {now_cell} |"
    yield ""
    yield from paragraph(
        f"{len(silent)} checks never warned. {len(OF_FILES)} are about files (below). {len(NOT_HERE)} have no rate,"
        " since they state counts or what was declared, e.g. that a judge's answers were not understood. Their power: a"
        " failed run and informative lengths under *Where the verdict errs* and in"
        " [assumptions.csv](../benchmarks/assumptions.csv), mistakes in files in [doors.md](doors.md)."
    )


def _statements(before: pd.DataFrame, now: pd.DataFrame) -> Iterator[str]:
    """Yield how often ranges and advice are right."""
    rates_before = _rates(before[before["kind"] == "statement"], "what")
    rates_now = _rates(now[now["kind"] == "statement"], "what")
    yield from paragraph(
        "**Ranges, intervals and advice**: how often they are right (the truth is that of all runs, or no difference):"
    )
    yield ""
    yield "| statement | before | now |"
    yield "|---|---|---|"
    for statement in rates_now.index:
        yield f"| {statement} | {_cell(rates_before, statement)} | {_cell(rates_now, statement)} |"


def _names(frame: pd.DataFrame) -> Iterator[str]:
    """Yield how often names of trainings give a warning, on independent runs and on real checkpoints."""
    named = frame[frame["source"].str.contains("by names")]
    alarms = _rates(named[(named["kind"] == "warning") & (named["part"] == REPORTED)], "source")
    power = _rates(named[named["kind"] == "power"], "source")
    of_fixed = _rates(named[(named["kind"] == "warning") & (named["part"] == FIXED)], "source")
    yield from paragraph(
        "**Names of trainings.** For false alarms, real runs get names of trainings and checkpoints at random. For"
        " power, each training is a real run, and its checkpoints keep 90% of its lines. One training"
        " with several checkpoints always gives a warning, by its names."
    )
    yield ""
    yield "| trainings × checkpoints | false alarms | on `dev` | power |"
    yield "|---|---|---|---|"
    for source in power.index:
        name = source.removeprefix("sample, ").removesuffix(" by names")
        yield f"| {name} | {_cell(alarms, source)} | {_cell(of_fixed, source)} | {_cell(power, source)} |"


def _files() -> Iterator[str]:
    """Yield how often a warning about files is a false alarm, where most often, and how often it finds the mistake."""
    frame = pd.read_csv(right_files.RESULTS)
    alarms = frame[(frame["kind"] == "warning") & (frame["part"] == REPORTED)]
    rates = _rates(alarms, "what")
    rates_of_sources = _rates(alarms, "what", "source")
    power = _rates(frame[frame["kind"] == "power"], "what")
    numbers = alarms.groupby("what")["n"].sum()
    yield from paragraph(
        f"**Files that are right.** These {int(alarms['n'].sum()):,} files have real or made scores, numbers, names and"
        " texts without a mistake, so that each warning is false. *Found* is how often the same files with the mistake"
        " have it. Mistakes are the opposite direction, numbers from 0 that lack 0, no score at all, and a copied run."
        " Others are one system under two names, columns, IDs, a header, and another language. Directions of metrics"
        " with unknown names are not doubted. Nor are equal scores and outputs if chance may make them equal (`python"
        " -m benchmarks.right_files`, [all rates](../benchmarks/right_files.csv))."
    )
    yield ""
    yield "| warning | finding | files | false alarms | most often | found |"
    yield "|---|---|---|---|---|---|"
    for what in rates.index:
        of_sources = rates_of_sources[what]
        most = "–"
        if of_sources.max() > 0:
            most = f"{percent(float(of_sources.max()))}: {of_sources.idxmax()}"
        name = TITLES.get(what) or right_files.SENTENCES[what]
        code = f"`{what}`" if what in TITLES else "`file`"
        if what == right_files.PEOPLE_FROM_0:
            code = "on *People*"
        if what == right_files.ALL_MISSING:
            code = "refused"
        cells = (name, code, f"{numbers[what]:,}", percent(float(rates[what])), most, percent(float(power[what])))
        yield f"| {' | '.join(cells)} |"
