"""Limits of two-way in the calibration: skewed runs, documents, tails, families, ranks, declared designs."""

from collections.abc import Iterator
from itertools import product

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
from benchmarks.real_runs_page import real_runs_section
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
    yield from (*real_runs_section(), "")


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame with the names of the numbers of runs and of the law of run shifts."""
    baseline = frame["n_baseline"].astype(str)
    system = frame["n_system"].astype(str)
    runs = baseline.where(baseline == system, baseline + " and " + system)
    shift = frame["skew"].where(frame["skew"] != 0, frame["kind"])
    return frame.assign(runs=runs, shift=shift)


def _name_of_runs(n_baseline: int, n_system: int) -> str:
    if n_baseline == n_system:
        return str(n_baseline)
    return f"{n_baseline} and {n_system}"


def _span(shares: pd.Series) -> str:
    """Return ``4.8% to 5.1%``."""
    return f"{percent(shares.min())} to {percent(shares.max())}"


def _grid(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the rates of every kind of run shifts, and those of plain degrees of freedom."""
    n = int(frame["n_simulations"].min())
    frame = _named(frame)
    names = [_name_of_runs(n_baseline, n_system) for n_baseline, n_system in RUNS]
    yield from paragraph(
        f"`two-way` only, {n:,} experiments per cell (Monte Carlo error 0.1 points at 5%). Cells that differ only in"
        " run noise share their segments. *Skewed* run shifts follow a gamma distribution with a lower tail (skewness"
        " −1 or −2), e.g. because training sometimes fails. The table shows the highest rejections at 5% without a true"
        " difference. It covers all run noises, equal and 5:1, and systems alike or different:"
    )
    yield ""
    yield "| runs shift | " + " | ".join(names) + " |"
    yield "|---" * (len(names) + 1) + "|"
    highest = frame.groupby(["shift", "runs"])["rate"].max()
    for key, words in SHIFTS.items():
        cells = [percent(highest[key, name]) for name in names]
        yield f"| {words} | " + " | ".join(cells) + " |"
    yield ""
    skewed = frame[(frame["skew"] < 0) & (frame["runs"] == "3")]
    equal = skewed[skewed["spread"] == "equal"]["rate"].max()
    uneven = skewed[skewed["spread"] != "equal"]["rate"].max()
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
        rates = normal[normal["runs"] == name]
        cells = (
            percent(rates["rate_plain"].max()),
            percent(rates["rate"].max()),
            percent(still.loc[name, "power_plain"]),
            percent(still.loc[name, "power"]),
        )
        yield f"| {name} | {' | '.join(cells)} |"


def _documents(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the rates with documents as units."""
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
            rates = frame[(frame["n_documents"] == n_documents) & (frame["largest"] == largest)]
            if rates.empty:
                continue
            cells = (
                f"{n_documents}",
                f"{100 * largest:g}%" if largest else "like the others",
                percent(rates["rate"].max()),
                percent(rates["rate_unbounded"].max()),
                percent(rates["rate_contributions"].max()),
                _span(rates["power"]),
                _span(rates["power_unbounded"]),
                percent(rates["equality"].max()),
                percent(rates["equality_percentile"].max()),
            )
            yield f"| {' | '.join(cells)} |"
    yield ""
    largest_sizes = frame.groupby("n_documents")[["rate", "rate_unbounded"]].max()
    bounds = []
    unbounded_sizes = []
    for number, bound in sorted(MOST_DF.items()):
        bounds.append(f"{bound:g} with {number}")
        unbounded_sizes.append(f"{percent(largest_sizes.loc[number, 'rate_unbounded'])} with {number}")
    yield from paragraph(
        f"The largest size of two-way over all layouts is {percent(largest_sizes['rate'].max())}. The bound is"
        f" {listed(bounds)} documents. Without it the size would be {listed(unbounded_sizes)}. A few documents may"
        " happen to look alike, and runs"
        " and single outputs then seem to add information. The bound costs power if runs dominate, and the"
        " verdict notes it; two documents detect next to nothing. The largest size of the equivalence test is"
        f" {percent(frame['equality'].max())}. A large document costs power. If one has more than half of the segments,"
        " there is no verdict; from a quarter on the page warns. An exchange of five documents cannot reach 5%: its"
        " smallest p is 2/2^5 = 0.062. So a verdict needs six; these tables show two-way alone."
    )


def _designs(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the rates of every way of declaring runs."""
    yield from _paired(frame)
    yield ""
    yield from _fixed(frame)
    yield ""
    yield from _candidate(frame)
    yield ""
    yield from _nested(frame)


def _paired(frame: pd.DataFrame) -> Iterator[str]:
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
    for (n_runs, shared), rates in paired.groupby(["n_runs", "shared"]):
        yield f"| {n_runs} | {shared:.0%} | {_cells(rates, 'paired')} | {_cells(rates, 'independent')} |"
    yield ""
    yield from paragraph(
        "Pairs estimate run variance with half the degrees of freedom. Three pairs reject too often if unshared shifts"
        " are large. Pairing runs that share nothing loses power. Not declaring runs that share much is conservative"
        " and detects much less."
    )


def _fixed(frame: pd.DataFrame) -> Iterator[str]:
    yield from paragraph(
        "**A fixed baseline** with one output. The test is about that output. The last column is its error rate as a"
        " test of how the baseline was trained:"
    )
    yield from ("", "| runs of the system | run noise | about this output | about its training |", "|---|---|---|---|")
    fixed = frame[frame["design"] == "fixed"].groupby(["n_runs", "ratio", "procedure"])["rate"].max()
    for n_runs in designs.RUNS:
        for ratio in designs.RATIOS:
            about_output = percent(fixed[n_runs, ratio, "about this output"])
            about_training = percent(fixed[n_runs, ratio, "about its training"])
            yield f"| {n_runs} | {ratio:g} | {about_output} | {about_training} |"


def _candidate(frame: pd.DataFrame) -> Iterator[str]:
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
        of_history = candidate[candidate["n_runs"] == n_runs]
        rates = of_history.set_index(["procedure", "spread"])["rate"].sort_index()
        cells = (
            _span(rates.loc["history", 1]),
            _span(rates.loc["history", 2]),
            _span(rates.loc["segments alone", 1]),
        )
        yield f"| {n_runs} | {' | '.join(cells)} |"


def _nested(frame: pd.DataFrame) -> Iterator[str]:
    yield from paragraph(
        "**Nested runs**: checkpoints of one training share its luck. Size if they are counted as runs, and averaged"
        " within their training (`--nested`):"
    )
    yield from ("", "| trainings × checkpoints | counted as runs | averaged |", "|---|---|---|")
    nested = frame[frame["design"] == "nested"]
    for n_runs, inside in designs.NESTED:
        of_trainings = nested[(nested["n_runs"] == n_runs) & (nested["inside"] == inside)]
        cells = []
        for procedure in ("as runs", "averaged"):
            rates = of_trainings[of_trainings["procedure"] == procedure]["rate"]
            cells.append("no verdict" if rates.empty else _span(rates))
        yield f"| {n_runs} × {inside} | {' | '.join(cells)} |"


def _exchange(frame: pd.DataFrame) -> Iterator[str]:
    """Yield how often intervals cover, and contradict the shuffle test."""
    n = int(frame["n_simulations"].min())
    n_settings = len(frame[["shape", "is_uneven", "effect"]].drop_duplicates())
    yield from paragraph(
        f"95% intervals for test-set luck, {n_settings} settings of {n:,} experiments (Monte Carlo error 0.7 points)."
        " Gains of documents are normal, heavy-tailed or skewed; documents are equal or unequal; the true difference is"
        " 0 or 3 standard errors. An interval *contradicts* if it excludes zero and the shuffle test does not reject at"
        " 5%, or the other way round (the largest rate is shown). Coverage is lowest for skewed gains:"
    )
    yield ""
    columns = [": ".join(names) for names in product(("coverage", "width", "contradicts"), exchange_intervals.WAYS)]
    yield f"| documents | {' | '.join(columns)} |"
    yield "|---" * (len(columns) + 1) + "|"
    for n_documents, rates in frame.groupby("n_documents"):
        coverages = []
        widths = []
        contradictions = []
        for way in exchange_intervals.WAYS:
            of_way = rates[rates["way"] == way]
            coverages.append(_span(of_way["coverage"]))
            widths.append(f"{of_way['width'].mean():.2f}")
            contradictions.append(percent(of_way["contradicts"].max()))
        yield f"| {n_documents} | {' | '.join((*coverages, *widths, *contradictions))} |"
    yield ""
    of_shuffles = frame[frame["way"] == exchange_intervals.WAYS[0]]["contradicts"].max()
    if of_shuffles:
        yield f"Inverted shuffles contradict in {percent(of_shuffles)}."
    else:
        yield "Inverted shuffles never contradict."


def _ranks(frame: pd.DataFrame) -> Iterator[str]:
    """Yield how often ranges of ranks fail, and how wide they are."""
    n_settings = len(rank_intervals.SHAPES) * len(rank_intervals.RATIOS) * len(rank_intervals.INTERS)
    yield from paragraph(
        "All pairs of systems are tested. Runs of all systems shift alike, or half or one of them much more. A range"
        " *fails* in an experiment if that of any system lacks a true rank (highest of"
        f" {n_settings} settings, {int(frame['n_simulations'].min()):,} experiments each, Monte Carlo error 0.5"
        " points). *Ranks* is the mean number of ranks in a range. Systems are equal, in three groups, or evenly spaced"
        " by three standard errors:"
    )
    yield ""
    columns = [f"{truth}: fails | ranks" for truth in rank_intervals.TRUTHS]
    yield "| systems | runs | " + " | ".join(columns) + " |"
    yield "|---" * (2 + 2 * len(rank_intervals.TRUTHS)) + "|"
    for (n_systems, n_runs), of_systems in frame.groupby(["n_systems", "n_runs"]):
        rows = of_systems.set_index("truth").loc[list(rank_intervals.TRUTHS)]
        cells = [f"{percent(row.fails)} | {row.ranks:.1f}" for row in rows.itertuples()]
        yield f"| {n_systems} | {n_runs} | {' | '.join(cells)} |"


def _adverse(frame: pd.DataFrame) -> Iterator[str]:
    """Yield the rates where no test of means holds its level."""
    yield from paragraph(
        f"**Trainings that fail.** A fifth of one system's trainings end {designs.DEPTH:g} noise units below the"
        " others; on average both systems are equally good. If no run shows the failure, every test of means errs:"
    )
    yield from ("", "| runs | run noise | rejections at 5% |", "|---|---|---|")
    failing = frame[(frame["design"] == "failing") & (frame["ratio"] <= 2)]
    for (n_runs, ratio), rate in failing.groupby(["n_runs", "ratio"])["rate"].max().items():
        yield f"| {n_runs} | {ratio:g} | {percent(rate)} |"
    yield ""
    yield from paragraph(
        "**Runs that share a training** and are counted as runs: see *Nested runs* above. They are suspected by their"
        " names; see the next section."
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
    """Yield sizes and power at low levels."""
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
        name = runs
        if design != "independent":
            name = f"{runs}, {design}"
        of_design = frame[(frame["design"] == design) & (frame["runs"] == runs)]
        for form in FORMS:
            of_form = of_design[of_design["form"] == form]
            sizes = [fine_percent(of_form.loc[of_form["level"] == level, "size"].max()) for level in tails.LEVELS]
            is_still = of_form["shifts"].str.fullmatch(r"\([0., ]+\)")  # all shifts are zero
            power_of_inter = of_form[of_form["level"].eq(tails.LEVELS[0]) & is_still].set_index("inter")["power"]
            powers = [percent(power_of_inter[inter]) for inter in (tails.INTERS[0], tails.INTERS[-1])]
            yield f"| {name} | {form} | {' | '.join((*sizes, *powers))} |"
    yield ""
    printed = frame[frame["form"] == "printed"]
    strict = frame[frame["form"] == "strict"]
    yield from paragraph(
        f"As printed, the ratio of size to level is at most {most_ratio(printed, 3):.2f} with three runs or more and"
        f" {most_ratio(printed, 5):.2f} with five or more. Strict, it is at most {most_ratio(strict, 2):.2f}. Without"
        " a failed run among n, a failure rate of up to 1 − 0.05^(1/n) remains possible: 63%, 45% and 26% for 3, 5 and"
        " 10 runs. No test can account for failures that no run shows."
    )


def _families(frame: pd.DataFrame) -> Iterator[str]:
    """Yield family-wise errors and power by way of adjusting."""
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
    columns = [*ways, *(f"power, {way}" for way in ways)]
    yield f"| systems | runs | truth | {' | '.join(columns)} |"
    yield "|---" * (3 + 2 * len(ways)) + "|"
    for (systems, runs, truth), of_family in frame.groupby(["n_systems", "n_runs", "truth"], sort=False):
        rates = of_family.set_index("way")
        errors = [percent(rates.loc[way, "error"]) for way in ways]
        powers = [percent(rates.loc[way, "power"]) for way in ways]
        yield f"| {systems} | {runs} | {truth} | {' | '.join((*errors, *powers))} |"


def _cells(frame: pd.DataFrame, procedure: str) -> str:
    """Largest size and mean power of a procedure."""
    rates = frame[frame["procedure"] == procedure]
    return f"{percent(rates['rate'].max())} | {percent(rates['power'].mean())}"
