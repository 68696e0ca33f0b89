"""Limits of two-way in the calibration: skewed runs, documents, tails, families, ranks, declared designs."""

from collections.abc import Iterator

import pandas as pd

from benchmarks import (
    assumptions,
    designs,
    documents,
    exchange_intervals,
    families,
    rank_intervals,
    tails,
    two_way_grid,
)
from benchmarks.calibration_words import fine_percent, most_ratio, paragraph, percent
from benchmarks.simulation import EFFECT
from mteval.base.words import listed
from mteval.stats.units import MOST_DF

RUNS = ((2, 2), (3, 3), (5, 5), (10, 10), (2, 10), (3, 10))
SHIFTS = {"normal": "normal", "heavy": "normal, heavy tails of segments", -1: "skew −1", -2: "skew −2"}

FORMS = ("computed", "printed", "strict")


def limits() -> Iterator[str]:
    """Yield the sections of the page from the recorded simulations."""
    yield from ("## Two-way where it hurts", "", *_grid(pd.read_csv(two_way_grid.RESULTS)), "")
    yield from ("## Documents of unequal size", "", *_documents(pd.read_csv(documents.RESULTS)), "")
    yield from ("## Intervals over few documents", "", *_exchange(pd.read_csv(exchange_intervals.RESULTS)), "")
    yield from ("## P-values in the tail", "", *_tails(pd.read_csv(tails.RESULTS)), "")
    yield from ("## Families", "", *_families(pd.read_csv(families.RESULTS)), "")
    yield from ("## Ranks", "", *_ranks(pd.read_csv(rank_intervals.RESULTS)), "")
    yield from ("## Declared runs", "", *_designs(pd.read_csv(designs.RESULTS)), "")
    yield from ("## Where the verdict errs", "", *_adverse(pd.read_csv(designs.RESULTS)), "")


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    one, other = frame["n_baseline"].astype(str), frame["n_system"].astype(str)
    shift = frame["skew"].where(frame["skew"] != 0, frame["kind"])
    return frame.assign(runs=one.where(one == other, one + " and " + other), shift=shift)


def _grid(frame: pd.DataFrame) -> Iterator[str]:
    frame, n = _named(frame), int(frame["n_simulations"].min())
    names = [str(one) if one == other else f"{one} and {other}" for one, other in RUNS]
    yield from paragraph(
        f"`two-way` only, {n:,} experiments per cell (Monte Carlo error 0.1 points at 5%). Cells that differ only in"
        " run noise share their segments. *Skewed* run shifts follow a gamma distribution with a lower tail (skewness"
        " −1 or −2), e.g. because training sometimes fails. The table shows the highest rejections at 5% without a true"
        " difference. It covers all run noises, equal and 5:1, and systems alike or different:"
    )
    yield from ("", "| runs shift | " + " | ".join(names) + " |", "|---" * (len(names) + 1) + "|")
    highest = frame.groupby(["shift", "runs"])["rate"].max()
    for key, words in SHIFTS.items():
        yield f"| {words} | " + " | ".join(percent(highest[key, name]) for name in names) + " |"
    yield ""
    equal = frame[(frame["spread"] == "equal") & (frame["skew"] < 0) & (frame["runs"] == "3")]["rate"].max()
    uneven = frame[(frame["spread"] != "equal") & (frame["skew"] < 0) & (frame["runs"] == "3")]["rate"].max()
    yield from paragraph(
        f"With three runs and skewed shifts it rejects up to {percent(equal)} if both systems shift alike. If one"
        f" shifts five times as much, it rejects up to {percent(uneven)}. A failed run is rarely among three, and"
        " without one runs look more alike than they are. Three runs cannot show this: their skewness does not reveal"
        " that of training."
    )
    yield ""
    yield from paragraph(
        "The same with plain Satterthwaite degrees of freedom, as in earlier versions. Shifts and segments are normal;"
        " power is without run noise, for systems that differ by noise only:"
    )
    yield from ("", "| runs | largest size, plain | now | power, plain | now |", "|---|---|---|---|---|")
    normal = frame[frame["shift"] == "normal"]
    still = normal[(normal["ratio"] == 0) & (normal["inter"] == 0)].set_index("runs")
    for name in names:
        here = normal[normal["runs"] == name]
        sizes = (percent(here[column].max()) for column in ("rate_plain", "rate"))
        powers = (percent(still.loc[name, column]) for column in ("power_plain", "power"))
        yield f"| {name} | {' | '.join((*sizes, *powers))} |"


def _documents(frame: pd.DataFrame) -> Iterator[str]:
    n = int(frame["n_simulations"].min())
    yield from paragraph(
        f"Documents as units: {n:,} experiments per layout of 200 segments. Layouts with more than 5.5% rejections got"
        " five times as many new ones. There are three and five runs, and run noise of 0, 1 and 5. Systems differ by"
        " document by 0, 0.3 or 1 times the noise of one output. The other documents are equal, or each is four fifths"
        " of the one before. *By contributions* treats all documents as equally informative, as earlier versions did."
        " *Unbounded* omits the bound on the degrees of freedom with fewer than"
        f" {min(frame.loc[~frame['n_documents'].isin(MOST_DF), 'n_documents'])} documents. *Equivalence* is a claim"
        " beyond test-set luck if the true difference equals the margin. It uses Student's t over documents; *by"
        " percentiles* is the earlier version. Each number is the highest over the layouts:"
    )
    yield ""
    head = ("documents", "largest one", "two-way", "unbounded", "by contributions", "power of two-way", "unbounded")
    yield f"| {' | '.join(head)} | equivalence | by percentiles |"
    yield "|---" * (len(head) + 2) + "|"
    for n_documents in sorted(documents.N_DOCUMENTS):
        for largest in documents.LARGEST:
            here = frame[(frame["n_documents"] == n_documents) & (frame["largest"] == largest)]
            if here.empty:
                continue
            power = " | ".join(
                f"{percent(here[name].min())} to {percent(here[name].max())}" for name in ("power", "power_unbounded")
            )
            cells = (percent(here[name].max()) for name in ("rate", "rate_unbounded", "rate_contributions"))
            claims = (percent(here[name].max()) for name in ("equality", "equality_percentile"))
            words = "like the others" if not largest else f"{100 * largest:g}%"
            yield f"| {n_documents} | {words} | {' | '.join(cells)} | {power} | {' | '.join(claims)} |"
    yield ""
    most = frame.groupby("n_documents")[["rate", "rate_unbounded"]].max()
    bounds = listed([f"{MOST_DF[number]:g} with {number}" for number in sorted(MOST_DF)])
    loose = listed([f"{percent(most.loc[number, 'rate_unbounded'])} with {number}" for number in sorted(MOST_DF)])
    yield from paragraph(
        f"The largest size of two-way over all layouts is {percent(most['rate'].max())}. The bound is"
        f" {bounds} documents. Without it the size would be {loose}. A few documents may happen to look alike, and runs"
        " and single outputs then seem to add information. The bound costs power if runs dominate, and the"
        " verdict notes it; two documents detect next to nothing. The largest size of the equivalence test is"
        f" {percent(frame['equality'].max())}. A large document costs power. If one has more than half of the segments,"
        " there is no verdict; from a quarter on the page warns. An exchange of five documents cannot reach 5%: its"
        " smallest p is 2/2^5 = 0.062. So a verdict needs six; these tables show two-way alone, as gates use it."
    )


def _designs(frame: pd.DataFrame) -> Iterator[str]:
    n = int(frame["n_simulations"].min())
    yield from paragraph(
        f"{n:,} experiments per setting: run noise of 0 to 10, systems alike or differing segment by segment. Size is"
        f" the largest over them, power the mean at {EFFECT:g} true standard errors. **Runs paired by seed** share part"
        " of the variance of their shifts. They are declared as pairs or as independent:"
    )
    yield ""
    yield "| runs | shared | declared as pairs: size | power | as independent: size | power |"
    yield "|---|---|---|---|---|---|"
    paired = frame[frame["design"] == "paired"]
    for (n_runs, shared), here in paired.groupby(["n_runs", "shared"]):
        yield f"| {n_runs} | {shared:.0%} | {_cells(here, 'paired')} | {_cells(here, 'independent')} |"
    yield ""
    yield from paragraph(
        "Pairs estimate run variance with half the degrees of freedom. Three pairs reject too often if unshared shifts"
        " are large. Pairing runs that share nothing loses power. Not declaring runs that share much is conservative"
        " and detects much less."
    )
    yield ""
    yield from paragraph(
        "**A fixed baseline** with one output. The test is about that output. The last column is its error rate as a"
        " test of how the baseline was trained:"
    )
    yield from ("", "| runs of the system | run noise | about this output | about its training |", "|---|---|---|---|")
    fixed = frame[frame["design"] == "fixed"].groupby(["n_runs", "ratio", "procedure"])["rate"].max()
    for n_runs in designs.RUNS:
        for ratio in designs.RATIOS:
            sizes = (percent(fixed[n_runs, ratio, name]) for name in ("about this output", "about its training"))
            yield f"| {n_runs} | {ratio:g} | {' | '.join(sizes)} |"
    yield ""
    yield from paragraph(
        "**One candidate run** against the baseline's runs (`--design candidate`), which assumes that both vary alike."
        " Size over run noise of 0 to 10. The last columns are its size if the candidate's runs vary twice as much, and"
        " the size of a test of segments alone:"
    )
    yield from (
        "",
        "| runs of the baseline | size | candidate varies twice as much | segments alone |",
        "|---|---|---|---|",
    )
    candidate = frame[frame["design"] == "candidate"]
    for n_runs in designs.HISTORIES:
        here = candidate[candidate["n_runs"] == n_runs]
        by = here.set_index(["procedure", "spread"])["rate"].sort_index()
        rates = (by.loc[name] for name in (("history", 1), ("history", 2), ("segments alone", 1)))
        yield f"| {n_runs} | {' | '.join(f'{percent(one.min())} to {percent(one.max())}' for one in rates)} |"
    yield ""
    yield from paragraph(
        "**Nested runs**: checkpoints of one training share its luck. Size if they are counted as runs, and averaged"
        " within their training (`--nested`):"
    )
    yield from ("", "| trainings × checkpoints | counted as runs | averaged |", "|---|---|---|")
    nested = frame[frame["design"] == "nested"]
    for n_runs, inside in designs.NESTED:
        here = nested[(nested["n_runs"] == n_runs) & (nested["inside"] == inside)]
        rates = (here[here["procedure"] == name]["rate"] for name in ("as runs", "averaged"))
        cells = (f"{percent(one.min())} to {percent(one.max())}" if len(one) else "no verdict" for one in rates)
        yield f"| {n_runs} × {inside} | {' | '.join(cells)} |"


def _exchange(frame: pd.DataFrame) -> Iterator[str]:
    n, n_settings = (
        int(frame["n_simulations"].min()),
        frame[["shape", "is_uneven", "effect"]].drop_duplicates().shape[0],
    )
    yield from paragraph(
        f"95% intervals for test-set luck, {n_settings} settings of {n:,} experiments (Monte Carlo error 0.7 points)."
        " Gains of documents are normal, heavy-tailed or skewed; documents are equal or unequal; the true difference is"
        " 0 or 3 standard errors. An interval *contradicts* if it excludes zero and the shuffle test does not reject at"
        " 5%, or the other way round (the largest rate is shown). Coverage is lowest for skewed gains:"
    )
    yield ""
    columns = [f"{what}: {way}" for what in ("coverage", "width", "contradicts") for way in exchange_intervals.WAYS]
    yield f"| documents | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for n_documents, here in frame.groupby("n_documents"):
        ways = [here[here["way"] == way] for way in exchange_intervals.WAYS]
        covers = [f"{percent(way['coverage'].min())} to {percent(way['coverage'].max())}" for way in ways]
        widths = [f"{way['width'].mean():.2f}" for way in ways]
        contradictions = [percent(way["contradicts"].max()) for way in ways]
        yield f"| {n_documents} | {' | '.join((*covers, *widths, *contradictions))} |"
    yield ""
    of_shuffles = frame[frame["way"] == exchange_intervals.WAYS[0]]["contradicts"].max()
    yield f"Inverted shuffles {'never contradict' if not of_shuffles else f'contradict in {percent(of_shuffles)}'}."


def _ranks(frame: pd.DataFrame) -> Iterator[str]:
    n_settings = len(rank_intervals.SHAPES) * len(rank_intervals.RATIOS) * len(rank_intervals.INTERS)
    yield from paragraph(
        "All pairs of systems are tested. Runs of all systems shift alike, or half or one of them much more. A range"
        " *fails* in an experiment if that of any system lacks a true rank (highest of"
        f" {n_settings} settings, {int(frame['n_simulations'].min()):,} experiments each, Monte Carlo error 0.5"
        " points). *Ranks* is the mean number of ranks in a range. Systems are equal, in three groups, or evenly spaced"
        " by three standard errors:"
    )
    yield ""
    yield "| systems | runs | " + " | ".join(f"{truth}: fails | ranks" for truth in rank_intervals.TRUTHS) + " |"
    yield "|---" * (2 + 2 * len(rank_intervals.TRUTHS)) + "|"
    for (n_systems, n_runs), here in frame.groupby(["n_systems", "n_runs"]):
        rows = here.set_index("truth").loc[list(rank_intervals.TRUTHS)]
        cells = (f"{percent(row.fails)} | {row.ranks:.1f}" for row in rows.itertuples())
        yield f"| {n_systems} | {n_runs} | {' | '.join(cells)} |"


def _adverse(frame: pd.DataFrame) -> Iterator[str]:
    yield from paragraph(
        f"**Trainings that fail.** A fifth of one system's trainings end {designs.DEPTH:g} noise units below the"
        " others; on average both systems are equally good. If no run shows the failure, every test of means errs:"
    )
    yield from ("", "| runs | run noise | rejections at 5% |", "|---|---|---|")
    failing = frame[(frame["design"] == "failing") & (frame["ratio"] <= 2)]
    for (n_runs, ratio), here in failing.groupby(["n_runs", "ratio"]):
        yield f"| {n_runs} | {ratio:g} | {percent(here['rate'].max())} |"
    yield ""
    yield from paragraph(
        "**Runs that share a training** and are counted as runs: see *Nested runs* above. Outputs that agree in 90% of"
        " segments are warned of, whatever they share."
    )
    yield ""
    lengths = pd.read_csv(assumptions.RESULTS).query("check == 'informative-length'")
    parts = lengths["setting"].str.extract(
        r"(?P<documents>\d+) documents, SD of log length (?P<spread>[\d.]+), .* (?P<slope>[\d.]+)"
    )
    yield from paragraph(
        "**Gains that depend on document length.** The mean over segments is zero, the gain per log length is not."
        " *Warned*: how often the check of lengths finds it:"
    )
    yield from (
        "",
        "| documents | SD of log length | gain per log length | rejections at 5% | warned |",
        "|---|---|---|---|---|",
    )
    for row, rates in zip(parts.itertuples(), lengths.itertuples(), strict=True):
        rates_of_row = f"{percent(rates.verdict_wrong)} | {percent(rates.warned)}"
        yield f"| {row.documents} | {row.spread} | {row.slope} | {rates_of_row} |"


def _tails(frame: pd.DataFrame) -> Iterator[str]:
    yield from paragraph(
        "The verdict's test as computed, as printed (p below 5% corrected for the number of runs), and strict. Size is"
        f" the largest over run noise of 0 to {max(tails.RATIOS):g}, equal, 5:1 or one-sided, and three kinds of"
        f" systems. It is integrated, for the strict test over {tails.N_DRAWS:,} sets of mean squares. Power is at"
        " three true standard errors without run noise, for systems that differ by noise only and segment by segment:"
    )
    yield ""
    levels = [f"at {100 * level:g}%" for level in tails.LEVELS]
    yield f"| runs | test | {' | '.join(levels)} | power, noise only | power, segment by segment |"
    yield "|---" * (len(levels) + 4) + "|"
    for design, counts in tails.DESIGNS:
        runs = " and ".join(map(str, counts))
        for form in FORMS:
            here = frame[(frame["design"] == design) & (frame["runs"] == runs) & (frame["form"] == form)]
            sizes = [fine_percent(here.loc[here["level"] == level, "size"].max()) for level in tails.LEVELS]
            still = here[here["level"].eq(tails.LEVELS[0]) & here["shifts"].str.fullmatch(r"\([0., ]+\)")]
            power = still.set_index("inter")["power"]
            named = f"{runs}, {design}" if design != "independent" else runs
            shown = [*sizes, percent(power[tails.INTERS[0]]), percent(power[tails.INTERS[-1]])]
            yield f"| {named} | {form} | {' | '.join(shown)} |"
    yield ""
    printed, strict = (frame[frame["form"] == form] for form in ("printed", "strict"))
    yield from paragraph(
        f"As printed, the ratio of size to level is at most {most_ratio(printed, 3):.2f} with three runs or more and"
        f" {most_ratio(printed, 5):.2f} with five or more. Strict, it is at most {most_ratio(strict, 2):.2f}. Without"
        " a failed run among n, a failure rate of up to 1 − 0.05^(1/n) remains possible: 63%, 45% and 26% for 3, 5 and"
        " 10 runs. No test can account for failures that no run shows."
    )


def _families(frame: pd.DataFrame) -> Iterator[str]:
    n = int(frame["n_simulations"].min())
    yield from paragraph(
        "Several systems against one baseline: the largest family-wise error at 5%, i.e. the share of experiments with"
        f" a false claim, {n:,} experiments per setting. Settings: equal run noise, half or one of the systems noisier"
        " or quieter (10:1), a noisier or quieter baseline, run noise of 0.5 to 10. *Power*: the share of true"
        " differences of three standard errors that are found, half of the systems being better. *Family* is what"
        " mteval prints:"
    )
    ways = list(dict.fromkeys(frame["way"]))
    yield ""
    yield f"| systems | runs | truth | {' | '.join(ways)} | {' | '.join(f'power, {way}' for way in ways)} |"
    yield "|---" * (3 + 2 * len(ways)) + "|"
    for (systems, runs, truth), here in frame.groupby(["n_systems", "n_runs", "truth"], sort=False):
        by_way = here.set_index("way")
        cells = [percent(by_way.loc[way, name]) for name in ("error", "power") for way in ways]
        yield f"| {systems} | {runs} | {truth} | {' | '.join(cells)} |"


def _cells(frame: pd.DataFrame, procedure: str) -> str:
    """Largest size and mean power of a procedure."""
    here = frame[frame["procedure"] == procedure]
    return f"{percent(here['rate'].max())} | {percent(here['power'].mean())}"
