"""Sentences of the calibration page, with its numbers."""

import math
from collections.abc import Iterator, Sequence
from textwrap import wrap

import pandas as pd

from benchmarks import families, tails
from benchmarks.power_bound import highest_power

LEVEL = 0.05
KEYS = ["kind", "n_baseline", "n_system", "ratio", "spread", "inter"]
SETTINGS = {
    "equal runs, alike": "runs do not differ; systems differ by noise only",
    "equal runs, unlike": "runs do not differ; systems differ segment by segment",
    "some run noise, alike": "run noise 0.5 to 2; systems differ by noise only",
    "some run noise, unlike": "run noise 0.5 to 2; systems differ segment by segment",
    "much run noise, alike": "run noise 5 to 10; systems differ by noise only",
    "much run noise, unlike": "run noise 5 to 10; systems differ segment by segment",
    "BLEU, alike": "BLEU, real runs of one system on both sides",
    "BLEU, unlike": "BLEU, a coin toss per segment assigns the two outputs",
}
STILL = ("equal runs, alike", "equal runs, unlike")
SOME = ("some run noise, alike", "some run noise, unlike")
SEVERAL = ("3", "5", "10")
SUMMED_UP = {  # procedures of the summary, and what they are
    "ar-segment": "`ar-segment`, the p of test-set luck",
    "bootstrap-rm2005": "`bootstrap-rm2005`, sacreBLEU's paired bootstrap",
    "MultEval's shuffle": "MultEval's shuffle",
    "welch": "`welch`, over runs",
    "two-way": "`two-way`, the p_run of the verdict",
}


def percent(share: float) -> str:
    """Return ``4.8%``; a dash for NaN."""
    return "–" if math.isnan(share) else f"{100 * share:.1f}%"


def fine_percent(share: float) -> str:
    """Return ``0.17%``: two decimals below one percent."""
    return f"{100 * share:.2f}%" if share < 0.01 else percent(share)


def most_ratio(frame: pd.DataFrame, fewest: int) -> float:
    """Return the largest ratio of size to level with so many runs or more."""
    enough = frame["runs"].map(lambda runs: min(map(int, runs.split(" and "))) >= fewest)
    return float((frame.loc[enough, "size"] / frame.loc[enough, "level"]).max())


def paragraph(text: str, first: str = "", rest: str = "") -> list[str]:
    """Return lines of at most 120 characters."""
    return wrap(text, 120, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def summary(frame: pd.DataFrame) -> Iterator[str]:
    """Yield what the page shows, for readers who go no further."""
    yield from paragraph(
        "How often does each test call two equally good systems different, at a level of 5%? The highest of all"
        " simulated cells with the same number of runs (3, 5 or 10) of both systems:"
    )
    yield from ("", "| test | runs alike | runs differ |", "|---|---|---|")
    several = frame[frame["runs"].isin(SEVERAL)]
    for procedure, words in SUMMED_UP.items():
        rows = several[several["procedure"] == procedure]
        is_still = rows["setting"].isin(STILL)
        yield f"| {words} | {percent(rows['rate'][is_still].max())} | {percent(rows['rate'][~is_still].max())} |"
    yield ""
    for text in (
        "Only `two-way` is near 5% whether runs differ or not. With two runs it reaches"
        f" {percent(_two_way(frame, 2, 2).max())}: its answer is provisional. `--strict` holds the level, with less"
        " power.",
        "It errs more often with [trainings that fail, and gains that depend on document"
        " length](#where-the-verdict-errs). Intervals over [few documents](#intervals-over-few-documents) cover too"
        " little if gains are skewed.",
        "Several systems: [families](#families) and [ranks](#ranks). Gates have [rates of their"
        " own](gate.md#size-and-power).",
    ):
        yield from paragraph(text, "- ", "  ")


def setup(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the description of the simulation."""
    n_mean = int(frame.loc[frame["kind"] == "normal", "n_simulations"].iloc[0])
    n_bleu = int(frame.loc[frame["kind"] == "BLEU", "n_simulations"].iloc[0])
    yield from paragraph(
        f"Made by `python -m benchmarks.calibration`: {n_mean:,} simulated experiments per cell for a mean metric,"
        f" {n_bleu:,} for BLEU. Each has 999 shuffles or replicates. `two-way` has 60,000 experiments per cell for a"
        " mean metric. [calibration.csv](../benchmarks/calibration.csv) contains every cell. A rate of 5% has a Monte"
        f" Carlo error of {_error(n_mean)} points ({_error(n_bleu)} for BLEU). Rates from {_band(n_mean)} (BLEU:"
        f" {_band(n_bleu)}) agree with 5%."
    )
    yield ""
    yield from paragraph(
        "A simulated experiment has 200 segments. A score is the sum of a run effect, a system-by-segment effect, and"
        " the noise of a single output (SD 1). *Run noise* is the SD over runs: 0, 0.5, 1, 2, 5 or 10. Its unit is the"
        " standard error of one run's score over 200 noisy outputs. It is equal for both systems, or 5:1 (the larger"
        " value is shown). Systems *differ segment by segment* with SD 1.5, but not on average. Segment scores are"
        " normal or heavy-tailed (Student's t, 3 degrees of freedom). For BLEU, runs are drawn from the thirty of the"
        " sample experiment, and its 300 segments are resampled. Each number in the tables is the **highest** rate"
        " over its cells of the grid."
    )


def practice(frame: pd.DataFrame) -> Iterator[str]:
    """Yield recommendations for choosing a test."""

    def span(procedure: str, **values_of_columns: str | Sequence[str]) -> str:
        """Return the smallest and largest rate of a procedure where columns have some values."""
        rows = frame[frame["procedure"] == procedure]
        for column, values in values_of_columns.items():
            if isinstance(values, str):
                values = [values]
            rows = rows[rows[column].isin(list(values))]
        return f"{percent(rows['rate'].min())} to {percent(rows['rate'].max())}"

    shuffle = "MultEval's shuffle"
    for text in (
        "**Tests on sentences hold their level for sentences** if runs do not differ. `ar-segment` rejects"
        f" {span('ar-segment', setting=STILL)}, `bootstrap-shift` {span('bootstrap-shift', setting=STILL)},"
        f" `paired-bootstrap` {span('paired-bootstrap', setting=STILL)}. With run noise of 0.5 to 2 `ar-segment`"
        f" rejects {span('ar-segment', setting=SOME)}, because it takes the runs as given.",
        "**`bootstrap-rm2005`**, sacreBLEU's paired bootstrap, rejects"
        f" {span('bootstrap-rm2005', setting=STILL)} even then.",
        "**Exchanging single outputs counts every run as new sentences.** Suppose that systems differ segment by"
        " segment and runs do not. With three to ten runs `ar-output` then rejects"
        f" {span('ar-output', setting=STILL[1], runs=SEVERAL)} and MultEval's shuffle"
        f" {span(shuffle, setting=STILL[1], runs=SEVERAL)}. If systems differ by noise only, `ar-output` holds its"
        f" level ({span('ar-output', setting=STILL[0], runs=SEVERAL)}). MultEval's shuffle, whose sides are not"
        f" complementary from three runs on, rejects {span(shuffle, setting=STILL[0], runs=SEVERAL)}.",
        "**Tests on runs ignore sentences**: if systems differ segment by segment, `welch` rejects"
        f" {span('welch', setting=(STILL[1], SOME[1]), runs=SEVERAL)}, more with every run.",
        "**`two-way` is near its level from three runs on**, but not exactly. It rejects at most"
        f" {percent(_two_way(frame, 3, 4).max())} with three, {percent(_two_way(frame, 5, 99).max())} with five or"
        f" more. With two it reaches {percent(_two_way(frame, 2, 2).max())}, so its answer is provisional. Skewed run"
        " shifts and very large documents are discussed below. [Alternatives](decisions/two-way-floor.md).",
        "**Five runs cost less power than expected.** Not knowing the run variance costs most with three runs and"
        " systems that differ by noise only. Real systems differ segment by segment; then it costs hardly any power"
        " (last table of the next section).",
    ):
        yield from paragraph(text, "- ", "  ")


def checks(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the requirements for two-way, and whether they hold."""
    many = _two_way(frame, 5, 99)
    few = _two_way(frame, 3, 4)
    power = frame.loc[(frame["procedure"] == "two-way") & (frame["runs"] == "3"), "power"]
    n_worse, n_cells, largest = _power_gap(frame)
    yield "| wanted | found | |"
    yield "|---|---|---|"
    for wanted, found, holds in (
        ("at most 7% in every cell with five or more runs", f"at most {percent(many.max())}", many.max() <= 0.07),
        ("not under 1.5% there", f"at least {percent(many.min())}", many.min() >= 0.015),
        ("at most 9% in every cell with three or four runs", f"at most {percent(few.max())}", few.max() <= 0.09),
        (
            "significant results with three runs, where permutation has none",
            f"power {percent(power.min())} to {percent(power.max())}",
            power.min() > 0,
        ),
        (
            "power at most 5 points below that of any procedure that holds 7% in the same cell",
            f"lower by more in {n_worse} of {n_cells} cells, by up to {largest:.0f} points",
            n_worse == 0,
        ),
        *_printed_checks(),
    ):
        yield f"| {wanted} | {found} | {'holds' if holds else '**does not hold**'} |"
    yield ""
    rivals = _rivals(frame)
    yield from paragraph(
        "Which other procedures hold 7% in *every* cell with the same numbers of runs?"
        f" {rivals} So the power missed in single cells is unattainable without knowing which cell the data come from."
        " If runs happen not to differ, a test on sentences need not estimate their variance. If sentences happen not"
        " to matter, a test on runs need not pay for them. With heavy tails, rank tests detect a different quantity"
        " than the mean. Each of them rejects far too often in other cells. The price of `two-way`:"
    )
    yield ""
    yield "| normal scores, runs do not differ | runs | power of two-way | of ar-segment |"
    yield "|---|---|---|---|"
    for setting in STILL:
        for runs in SEVERAL:
            rows = frame[(frame["setting"] == setting) & (frame["runs"] == runs) & (frame["kind"] == "normal")]
            power_of = rows.groupby("procedure")["power"].mean()
            words = SETTINGS[setting].split("; ")[1]
            yield f"| {words} | {runs} | {percent(power_of['two-way'])} | {percent(power_of['ar-segment'])} |"


def bounds(frame: pd.DataFrame, effect: float) -> Iterator[str]:
    """Yield the highest power of any test that does not know how much runs differ."""
    yield from paragraph(
        "Could another test do better? A linear programme (`benchmarks/power_bound.py`) finds the highest power of"
        " *any* test. Runs do not differ, and systems differ by noise only. The test must hold its level for any run"
        " noise, equal or 5:1. The bound is below `ar-segment`, which assumes equal runs. With three runs it is more"
        " than 5 points below, even if the test may reject 9%. This optimal test may accept a difference and reject a"
        " smaller one. Among tests that do not, the best gains [two to three points](decisions/two-way-floor.md) over"
        f" two-way at the same largest size. Two-way itself rejects up to {percent(_two_way(frame, 3, 4).max())} with"
        f" three runs and {percent(_two_way(frame, 5, 99).max())} with more. Compare it with the columns for 7% and 5%."
    )
    yield ""
    yield "| runs | two-way | best possible at 5% | best possible at 7% | best possible at 9% | ar-segment |"
    yield "|---|---|---|---|---|---|"
    still = frame[(frame["setting"] == STILL[0]) & (frame["kind"] == "normal")]
    for runs in SEVERAL:
        power_of = still[still["runs"] == runs].groupby("procedure")["power"].mean()
        best = [percent(highest_power(int(runs), level, effect)) for level in (0.05, 0.07, 0.09)]
        yield f"| {runs} | {percent(power_of['two-way'])} | {' | '.join(best)} | {percent(power_of['ar-segment'])} |"


def _printed_checks() -> Iterator[tuple[str, str, bool]]:
    """Yield requirements for p-values as printed, at 5, 1 and 0.1%, and for families."""
    sizes = pd.read_csv(tails.RESULTS)
    for form, fewest, most in (("printed", 3, 1.65), ("printed", 5, 1.25), ("strict", 2, 1.1)):
        ratio = most_ratio(sizes[sizes["form"] == form], fewest)
        runs = f"with {fewest} runs or more " if fewest > 2 else ""
        wanted = f"{form}: at most {most:g} times the level of 5, 1 or 0.1% {runs}in every design"
        yield wanted, f"at most {ratio:.2f} times", ratio <= most
    family = pd.read_csv(families.RESULTS).query("way == 'family' and truth == 'none differs' and n_systems <= 11")
    for n_runs, most in ((3, 0.085), (5, 0.065)):
        error = family.loc[family["n_runs"] == n_runs, "error"].max()
        wanted = f"families of up to 11 systems, {n_runs} runs, none differs: at most {percent(most)}"
        yield wanted, f"at most {percent(error)}", error <= most


def _two_way(frame: pd.DataFrame, fewest: int, most: int) -> pd.Series:
    """Return its rates if the smaller number of runs is in the range."""
    smaller = frame[["n_baseline", "n_system"]].min(axis=1)
    return frame.loc[(frame["procedure"] == "two-way") & smaller.between(fewest, most), "rate"]


def _power_gap(frame: pd.DataFrame) -> tuple[int, int, float]:
    """Return in how many cells a procedure at 7% or less beats two-way by over 5 points, of how many, by how much."""
    filled = frame.assign(ratio=frame["ratio"].fillna(-1))
    own = filled[filled["procedure"] == "two-way"].set_index(KEYS)["power"]
    rivals = filled[(filled["procedure"] != "two-way") & (filled["rate"] <= 0.07)]
    gap = (rivals.groupby(KEYS)["power"].max() - own).dropna()
    return int((gap > 0.05).sum()), len(gap), 100 * float(gap.max())


def _rivals(frame: pd.DataFrame) -> str:
    """Return procedures that hold 7% in all cells with some numbers of runs, with their highest power there."""
    several = frame[frame["n_baseline"] > 1]
    worst = several.groupby(["procedure", "runs"])[["rate", "power"]].max()
    held = worst[(worst["rate"] <= 0.07) & (worst.index.get_level_values("procedure") != "two-way")]
    if held.empty:
        return "None."
    powers_of: dict[str, list[str]] = {}
    for (procedure, runs), power in held["power"].items():
        powers_of.setdefault(procedure, []).append(f"{percent(power)} with {runs}")
    sentences = []
    for procedure, powers in powers_of.items():
        sentences.append(f"{procedure} does, with power of at most {', '.join(powers)} runs.")
    return " ".join(sentences)


def _error(n: int) -> str:
    """Return the Monte Carlo error of a rate of 5%, in points."""
    return f"{100 * math.sqrt(LEVEL * (1 - LEVEL) / n):.1f}"


def _band(n: int) -> str:
    """Return the rates that agree with 5%."""
    reach = 1.96 * math.sqrt(LEVEL * (1 - LEVEL) / n)
    return f"{100 * (LEVEL - reach):.1f}% to {100 * (LEVEL + reach):.1f}%"
