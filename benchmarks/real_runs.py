"""A standing null: what does mteval say of runs that are really independent, and is it true?

Usage: ``python -m benchmarks.real_runs [--subsets 100]`` (some minutes on one core). Runs are scored once; every subset
takes their statistics. Writes ``real_runs.csv`` beside this file, which ``benchmarks.calibration`` puts on its page.

Sources of runs: the sample's 60 MERT runs on three test sets, in random subsets of 2 to 30; simulated runs that differ
along 1, 2 or 8 directions, or in few segments; and WMT23 Hebrew-English with two outputs exchanged at random.
Thresholds were fixed on one part (test set ``dev``, half of the directions); the others are reported.
"""

import argparse
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.example import ROOT, data_directory
from mteval.analysis.comparison import Case, ask
from mteval.analysis.findings import findings_of
from mteval.analysis.replication.planning import Wish, plan_from, replication
from mteval.analysis.replication.pool import Pool, Variation, pool_of, variance_frame, variation_of
from mteval.analysis.scoring import Scored, Work, score_experiment
from mteval.analysis.two_answers import questions
from mteval.answers.runs import larger_source
from mteval.base.arrays import FloatArray
from mteval.metrics import resolve
from mteval.readers.assembly.nesting import suspected_nesting
from mteval.readers.documents import Slot
from mteval.readers.named_files import load_paths
from mteval.stats.replication import probability_of_superiority
from mteval.values.definitions import DEFINITIONS
from mteval.values.findings import TITLES
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

RESULTS = Path(__file__).with_name("real_runs.csv")
N_SUBSETS = 100  # of each source and number of runs
SEED = 53
TEST_SETS = ("dev", "test", "test2")
SYSTEMS = ("baseline", "reordering")
N_SAMPLE_RUNS = 30
NUMBERS = (2, 3, 5, 10, 30)
DIRECTIONS = (1, 2, 8)
N_SEGMENTS = 300
COLUMNS = ("kind", "what", "source", "part", "n_runs", "n", "rate")
ALL = "all of these"
FIXED = "fixed"  # the part on which thresholds were fixed
REPORTED = "reported"
MOST_OF_REFERENCE = 0.1  # lines that equal the reference; one system has 27%
SETTINGS = Settings(metrics=("bleu",), n_shuffles=999)

# What has no rate of false alarms, here or in ``benchmarks.right_files``, and why
STATES = "states what the user or a file declares, so it is not false"
NOT_HERE: Mapping[str, str] = {
    "judge": "a note with counts of a judge's answers",
    "judge-answers": "counts answers that were not understood",
    "language": "compares the declared language with the list of the model's languages",
    "language-code": "compares the declared language with the list of codes",
    "language-xlm-r": "compares the declared language with the list of the model's languages",
    "not-read": "names a file that was refused, with its error",
    "optimized-metric": STATES,
    "people-alone": "names what human scores lack for a verdict",
    "realigned": STATES,
    "samples": STATES,
}


# What ``benchmarks.right_files`` measures, since no source of runs here can trigger it
OF_FILES = ("copied-scores", "direction", "meteor-language", "output-columns", "reference-columns")


@dataclass(frozen=True)
class Drawn:
    """One experiment of independent runs, and what is true of it.

    Parameters
    ----------
    part
        ``fixed`` or ``reported``.
    experiment, scored
        On one test set.
    is_null
        Whether the two systems are equal.
    pool
        All runs behind it, whose numbers are the truth; None if only the null is known.
    elsewhere
        The same runs on other test sets.
    """

    source: str
    part: str
    n_runs: int
    experiment: Experiment
    scored: Scored
    is_null: bool
    pool: Pool | None = None
    elsewhere: tuple[Scored, ...] = ()


def main() -> None:
    """Take the number of subsets from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subsets", type=int, default=N_SUBSETS, help="experiments per source and number of runs")
    n = parser.parse_args().subsets
    generator = np.random.default_rng(SEED)
    rows = pd.concat([measured(everything(n, generator)), measured_names(named_experiments(n, generator))])
    write(rows)


def write(rows: pd.DataFrame) -> None:
    """Write the rates of the present definitions; those of earlier ones stay."""
    earlier = pd.DataFrame()
    if RESULTS.exists():
        recorded = pd.read_csv(RESULTS)
        earlier = recorded[recorded["definitions"] != DEFINITIONS]
    both = pd.concat([earlier, without_silent(rows).assign(definitions=DEFINITIONS)])
    both.to_csv(RESULTS, index=False, float_format="%.4g", lineterminator="\n")


def without_silent(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows with one row per part for each check that never warned."""
    largest = rows.groupby(["kind", "what"])["rate"].transform("max")
    is_silent = (rows["kind"] == "warning") & (largest == 0) & (rows["what"] != "any")
    silent = rows[is_silent].groupby(["kind", "what", "part"], as_index=False)["n"].sum()
    return pd.concat([rows[~is_silent], silent.assign(source=ALL, n_runs=0, rate=0.0)[list(rows.columns)]])


# Sources of runs


def everything(n: int, generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield ``n`` experiments of each kind."""
    yield from sample_experiments(n, generator)
    yield from simulated_experiments(n, generator)
    yield from permuted_experiments(n, generator)


@cache
def sample_runs() -> tuple[tuple[Experiment, Scored], ...]:
    """Return the sample experiment on each test set, scored by BLEU."""
    folder = ROOT / "sample_data"
    loaded = []
    for test_set in TEST_SETS:
        files = {}
        for system in SYSTEMS:
            files[system] = [folder / system / f"{test_set}.opt{run:02}.txt" for run in range(N_SAMPLE_RUNS)]
        documents = folder / f"documents.{test_set}.txt"
        references = [folder / f"reference.{test_set}.txt"]
        experiment = load_paths(references, files, baseline=SYSTEMS[0], more=[(documents, "documents")]).experiment
        (found_test_set,) = experiment.test_sets
        named = replace(experiment, test_sets=(replace(found_test_set, name=test_set),))
        (scored,) = score_experiment(named, resolve(SETTINGS), Work())
        loaded.append((named, scored))
    return tuple(loaded)


def sample_experiments(n: int, generator: np.random.Generator, numbers: Sequence[int] = NUMBERS) -> Iterator[Drawn]:
    """Yield subsets of the sample's runs: both systems, and two halves of one system, which are equal."""
    loaded = sample_runs()
    for n_runs in numbers:
        for number in range(n):
            place = number % len(TEST_SETS)
            experiment, scored = loaded[place]
            part = FIXED if TEST_SETS[place] == "dev" else REPORTED
            runs = [generator.permutation(N_SAMPLE_RUNS)[:n_runs] for _ in SYSTEMS]
            chosen = dict(zip(SYSTEMS, runs, strict=True))
            elsewhere = []
            for other_place, (_, other) in enumerate(loaded):
                if other_place != place:
                    elsewhere.append(subset(other, {key: (key, chosen[key]) for key in SYSTEMS}))
            yield Drawn(
                "sample, both systems",
                part,
                n_runs,
                *_of_subset(experiment, scored, {key: (key, chosen[key]) for key in SYSTEMS}),
                is_null=False,
                pool=pool_of(scored, *SYSTEMS, SETTINGS, [other for _, other in loaded]),
                elsewhere=tuple(elsewhere),
            )
            if 2 * n_runs > N_SAMPLE_RUNS:
                continue
            whole = SYSTEMS[number % 2]
            order = generator.permutation(N_SAMPLE_RUNS)
            halves = {"left": (whole, order[:n_runs]), "right": (whole, order[n_runs : 2 * n_runs])}
            yield Drawn("sample, equal systems", part, n_runs, *_of_subset(experiment, scored, halves), is_null=True)


def subset(scored: Scored, runs_of: Mapping[str, tuple[str, Sequence[int]]]) -> Scored:
    """Return some runs, as systems of new names: from name to the system and the places of its runs."""
    runs: list[Run] = []
    statistics = {}
    for name, (system, places) in runs_of.items():
        all_runs = scored.test_set.runs_of(system)
        ordered = sorted(int(place) for place in places)
        runs += [replace(all_runs[place], system=name) for place in ordered]
        statistics[name] = scored.statistics[system][ordered]
    return replace(scored, test_set=replace(scored.test_set, runs=tuple(runs)), statistics=statistics)


def _of_subset(
    experiment: Experiment, scored: Scored, runs_of: Mapping[str, tuple[str, Sequence[int]]]
) -> tuple[Experiment, Scored]:
    part = subset(scored, runs_of)
    baseline = next(iter(runs_of))
    return replace(experiment, test_sets=(part.test_set,), baseline=baseline), part


def simulated_experiments(n: int, generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield runs that differ along few directions, or in few segments, around an output that all share.

    A direction shifts all segments by various amounts, as a tuned weight does. Half of the directions belong to the
    part on which thresholds are fixed.
    """
    for n_runs in NUMBERS[:-1]:
        for kind in (*DIRECTIONS, "sparse"):
            for number in range(n):
                part = (FIXED, REPORTED)[number % 2]
                yield simulated(kind, n_runs, part, generator)


def simulated(kind: int | str, n_runs: int, part: str, generator: np.random.Generator) -> Drawn:
    """Return two equal systems whose runs differ in one of these ways; segments are new each time."""
    values = {}
    for system in SYSTEMS:
        own = 2 * generator.standard_normal(N_SEGMENTS)
        if kind == "sparse":
            changes = 20 * generator.standard_normal((n_runs, N_SEGMENTS))
            differences = np.where(generator.random((n_runs, N_SEGMENTS)) < 0.1, changes, 0.0)
        else:
            directions = generator.standard_normal((int(kind), N_SEGMENTS))
            weights = generator.standard_normal((n_runs, int(kind)))
            differences = 6 * weights @ directions / np.sqrt(int(kind))
        values[system] = 50 + own + differences
    source = "few segments differ" if kind == "sparse" else f"along {kind} direction{'s' if kind != 1 else ''}"
    return _given(source, part, n_runs, values)


def _given(source: str, part: str, n_runs: int, values: Mapping[str, FloatArray]) -> Drawn:
    """Return an experiment of scores alone."""
    runs = []
    statistics = {}
    for system, of_system in values.items():
        runs += [Run(system, str(number), ("",) * N_SEGMENTS) for number in range(n_runs)]
        statistics[system] = of_system[..., np.newaxis]
    documents = tuple(str(segment // 10) for segment in range(N_SEGMENTS))
    test_set = TestSet("test", ((),) * N_SEGMENTS, tuple(runs), documents=documents)
    _, scored = sample_runs()[0]
    of_scores = replace(scored, test_set=test_set, scorer=_Means(), statistics=statistics)
    return Drawn(source, part, n_runs, Experiment((test_set,), SYSTEMS[0]), of_scores, is_null=True)


class _Means:
    """Scores of a metric that is a mean of segment scores."""

    def score(self, sums: Any) -> FloatArray:
        return np.asarray(sums[..., 0] / N_SEGMENTS)


@cache
def _translations() -> tuple[Experiment, Scored]:
    """Return WMT23 Hebrew-English scored by BLEU: the systems without empty lines or lines of the reference."""
    folder = data_directory() / "wmt23-he-en"
    references = (folder / "refA.en.txt").read_text(encoding="utf-8").splitlines()
    files = {}
    for path in sorted((folder / "system-outputs").glob("*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines()
        n_of_reference = sum(line == reference for line, reference in zip(lines, references, strict=True))
        if all(map(str.strip, lines)) and n_of_reference < MOST_OF_REFERENCE * len(lines):
            files[path.stem] = [path]
    experiment = load_paths([folder / "refA.en.txt"], files, baseline="ONLINE-A").experiment
    (scored,) = score_experiment(experiment, resolve(SETTINGS), Work())
    return experiment, scored


def permuted_experiments(n: int, generator: np.random.Generator) -> Iterator[Drawn]:
    """Yield two equal systems: a coin toss per segment gives each the output of one of two real systems."""
    experiment, scored = _translations()
    (test_set,) = experiment.test_sets
    systems = [system.key for system in test_set.systems]
    for number in range(n):
        first, second = generator.choice(len(systems), 2, replace=False)
        is_swapped = generator.random(test_set.n_segments) < 0.5
        texts = [test_set.runs_of(systems[place])[0].hypotheses for place in (first, second)]
        numbers = [scored.statistics[systems[place]] for place in (first, second)]
        runs = []
        statistics = {}
        for side, name in enumerate(("left", "right")):
            source = np.where(is_swapped, 1 - side, side)
            runs.append(Run(name, "0", tuple(texts[place][segment] for segment, place in enumerate(source))))
            statistics[name] = np.where(is_swapped[:, np.newaxis], numbers[1 - side], numbers[side])
        part = (FIXED, REPORTED)[number % 2]
        exchanged = replace(test_set, runs=tuple(runs))
        yield Drawn(
            "WMT23, exchanged",
            part,
            1,
            replace(experiment, test_sets=(exchanged,), baseline="left"),
            replace(scored, test_set=exchanged, statistics=statistics),
            is_null=True,
        )


# Names of trainings


@dataclass(frozen=True)
class Trainings:
    """How outputs are named: so many trainings with so many checkpoints each, which share a part of their lines."""

    n_trainings: int
    n_checkpoints: int
    shared: float = 0.0  # 0: independent runs with such names


NAMED = tuple(
    Trainings(n_trainings, n_checkpoints, shared)
    for n_trainings, n_checkpoints in ((1, 5), (2, 2), (2, 3), (3, 2), (3, 3), (5, 2))
    for shared in (0.0, 0.9)
    if n_trainings > 1 or shared
)


def named_experiments(n: int, generator: np.random.Generator) -> Iterator[tuple[Trainings, str, bool]]:
    """Yield how runs are named, the part, and whether a warning says that they share trainings.

    Names are given at random to independent runs, or to checkpoints: outputs of a run with a part of the lines of
    another one.
    """
    for trainings in NAMED:
        for number in range(n):
            place = number % len(TEST_SETS)
            experiment, _ = sample_runs()[place]
            (test_set,) = experiment.test_sets
            runs: list[Run] = []
            slots = []
            for system in SYSTEMS:
                for run, name in _named_runs(test_set.runs_of(system), trainings, generator):
                    runs.append(run)
                    slots.append(Slot(name, "hypothesis", system, run.key, test_set.name))
            findings = suspected_nesting([replace(test_set, runs=tuple(runs))], slots)
            is_warned = any(finding.severity == "warning" for finding in findings)
            yield trainings, FIXED if TEST_SETS[place] == "dev" else REPORTED, is_warned


def _named_runs(
    all_runs: Sequence[Run], trainings: Trainings, generator: np.random.Generator
) -> Iterator[tuple[Run, str]]:
    """Yield runs of a system with the names of their files."""
    n_runs = trainings.n_trainings * trainings.n_checkpoints
    order = generator.permutation(len(all_runs))
    for number in range(n_runs):
        training, checkpoint = divmod(number, trainings.n_checkpoints)
        lines = all_runs[order[number]].hypotheses
        if trainings.shared:
            is_shared = generator.random(len(lines)) < trainings.shared
            of_training = all_runs[order[training]].hypotheses
            other = all_runs[order[trainings.n_trainings + number]].hypotheses
            lines = tuple(np.where(is_shared, of_training, other).tolist())
        run = replace(all_runs[0], key=str(number), hypotheses=lines)
        yield run, f"{run.system}.seed{training}.step{checkpoint}.txt"


# Statements, and whether they hold

Said = Iterator[tuple[str, bool]]


def said_of(drawn: Drawn) -> Said:
    """Yield every statement with a number that mteval makes of an experiment, and whether it is true."""
    yield from _verdicts(drawn)
    if drawn.n_runs < 2 or drawn.is_null:
        return
    few = pool_of(drawn.scored, drawn.experiment.baseline, _compared(drawn), SETTINGS, drawn.elsewhere)
    assert drawn.pool is not None
    yield from _ranges_of_runs(few, drawn.pool)
    yield from _plans(few, drawn.pool)


def _compared(drawn: Drawn) -> str:
    return next(system for system in drawn.scored.statistics if system != drawn.experiment.baseline)


def _verdicts(drawn: Drawn) -> Said:
    """Yield both answers and their intervals on equal systems, whose true difference is zero."""
    if not drawn.is_null:
        return
    test_set_luck, both = questions(drawn.scored, SETTINGS)
    names = {"interval of the verdict": both}
    if drawn.n_runs == 1:
        names = {"interval for test-set luck": test_set_luck}
    for name, question in names.items():
        case = Case(drawn.scored, drawn.experiment.baseline, _compared(drawn), question)
        result = ask(case, SETTINGS, Work()).printed
        if result.p_value == result.p_value:
            yield name, bool(result.low <= 0 <= result.high)


def _ranges_of_runs(few: Pool, many: Pool) -> Said:
    """Yield ranges of what varies between runs, against that of all runs."""
    outlook = replication(few, SETTINGS, 1).outlook.iloc[0]
    baseline, system = many.scores
    is_wrong = np.subtract.outer(system, baseline) * np.sign(few.difference) < 0
    if outlook["risk_low"] == outlook["risk_low"]:
        risk = float(is_wrong.mean())
        yield "range of the risk of a wrong order", bool(outlook["risk_low"] <= risk <= outlook["risk_high"])
    superiority = probability_of_superiority(*few.scores, 0.95)
    truth = float((np.subtract.outer(system, baseline) > 0).mean())
    yield "interval of how often a run is better", bool(superiority.low <= truth <= superiority.high)


def _plans(few: Pool, many: Pool) -> Said:
    """Yield the plan's range and advice, against those of all runs; with the larger of two estimates, and with one."""
    wish = Wish(1.5)
    for name, runs, all_runs in (
        ("range of the runs needed, this test set alone", replace(few, elsewhere=()), replace(many, elsewhere=())),
        ("range of the runs needed, larger of two estimates", few, many),
    ):
        planned = plan_from(runs, variation_of(runs), wish)
        needed = plan_from(all_runs, variation_of(all_runs), wish).runs
        yield "range of the runs needed is shown", planned.is_estimated
        if needed is not None and planned.is_estimated:
            low = planned.runs_if_less or np.inf
            high = planned.runs_if_more or np.inf
            yield name, bool(low <= needed <= high)
    advice = _advice(few, variation_of(few))
    true_advice = _advice(many, variation_of(many))
    yield "advice: runs or test set (not the opposite)", {advice, true_advice} != {"runs", "test set"}


def _advice(pool: Pool, variation: Variation) -> str:
    """Return what should be more, by the variance of a difference of single runs."""
    frame = variance_frame(pool, variation)
    last = frame["what"].iloc[-1]
    of_runs, of_test_set, of_both = frame[frame["what"] == last]["share"]
    return larger_source(of_runs + of_both, of_test_set + of_both)


def warnings_of(drawn: Drawn) -> set[str]:
    """Return the codes of all warnings about an experiment."""
    findings = findings_of(drawn.experiment, (drawn.scored,), SETTINGS)
    return {finding.code for finding in findings if finding.severity == "warning"}


def measured(experiments: Iterable[Drawn], said: Callable[[Drawn], Said] = said_of) -> pd.DataFrame:
    """Return rates of warnings and of true statements by source, part and number of runs."""
    warned: dict[tuple[str, str, int], list[set[str]]] = defaultdict(list)
    held: dict[tuple[str, str, int, str], list[bool]] = defaultdict(list)
    for drawn in experiments:
        key = (drawn.source, drawn.part, drawn.n_runs)
        warned[key].append(warnings_of(drawn))
        for statement, is_true in said(drawn):
            held[*key, statement].append(is_true)

    rows = []
    for key, codes in warned.items():
        rows.append(("warning", "any", *key, len(codes), float(np.mean([bool(found) for found in codes]))))
        for code in TITLES:
            if code not in NOT_HERE and code not in OF_FILES:
                rate = float(np.mean([code in found for found in codes]))
                rows.append(("warning", code, *key, len(codes), rate))
    for (*of_experiments, statement), holds in held.items():
        rows.append(("statement", statement, *of_experiments, len(holds), float(np.mean(holds))))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def measured_names(warned: Iterable[tuple[Trainings, str, bool]]) -> pd.DataFrame:
    """Return how often names of trainings give a warning, on independent runs and on checkpoints."""
    answers: dict[tuple[Trainings, str], list[bool]] = defaultdict(list)
    for trainings, part, is_warned in warned:
        answers[trainings, part].append(is_warned)
    rows = []
    for (trainings, part), are_warned in answers.items():
        kind = "power" if trainings.shared else "warning"
        source = f"sample, {trainings.n_trainings} × {trainings.n_checkpoints} by names"
        n_runs = trainings.n_trainings * trainings.n_checkpoints
        rows.append((kind, "nested-names", source, part, n_runs, len(are_warned), float(np.mean(are_warned))))
    return pd.DataFrame(rows, columns=list(COLUMNS))


if __name__ == "__main__":
    main()
