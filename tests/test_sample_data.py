"""The sample experiment: made again bit for bit, complete, small, and as unstable as it claims to be."""

import importlib
import itertools
import operator
import random
import re
import statistics
import subprocess
import sys
from operator import itemgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

FOLDER = Path(__file__).parents[1] / "sample_data"
SIZES = {"dev": 200, "test": 300, "test2": 200}
SYSTEMS = ("baseline", "reordering")
RUNS = 30
MADE_AGAIN = (0, 11, 29)


def lines(name: str) -> list[str]:
    """The lines of a file of the sample, the last of which is ended as the others are."""
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")


def outputs(system: str, test_set: str) -> list[list[str]]:
    """The outputs of every run of a system."""
    return [lines(f"{system}/{test_set}.opt{run:02d}.txt") for run in range(RUNS)]


@pytest.fixture(scope="module")
def scores() -> dict[tuple[str, str], list[float]]:
    """Corpus BLEU of every run by sacreBLEU, keyed by system and test set."""
    scores = {}
    for test_set in SIZES:
        metric = BLEU(references=[lines(f"reference.{test_set}.txt")])
        for system in SYSTEMS:
            scores[system, test_set] = [metric.corpus_score(text, None).score for text in outputs(system, test_set)]
    return scores


@pytest.fixture
def maker(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Imports a module of the script by name."""
    monkeypatch.syspath_prepend(str(FOLDER))

    def load(name: str) -> ModuleType:
        return importlib.import_module(f"maker.{name}")

    return load


def test_the_script_makes_the_shipped_files_again_bit_for_bit(tmp_path: Path) -> None:
    """Texts, and some runs of either system: each is drawn by a stream of its own, whichever others are made."""
    words = [sys.executable, str(FOLDER / "make.py"), f"--output={tmp_path}", "--runs", *map(str, MADE_AGAIN)]
    subprocess.run(words, check=True)
    made = files_below(tmp_path)
    shipped = {}
    for name, content in files_below(FOLDER).items():
        is_written_by_hand = name.name in ("README.md", "make.py") or "maker" in name.parts
        if not is_written_by_hand:
            shipped[name] = content
    runs = {name for name in shipped if len(name.parts) > 1}
    assert len(runs) == 2 * 3 * RUNS + 1  # and the n-best list
    runs_made_again = {name for name in runs if run_number(name) in MADE_AGAIN}
    assert made.keys() == (shipped.keys() - runs) | runs_made_again

    # The table of weights has a row for each run, in the order of all runs.
    weights = Path("weights.tsv")
    differing = [str(name) for name in made if made[name] != shipped[name] and name != weights]
    assert differing == []
    rows = made[weights].decode().splitlines()
    shipped_rows = shipped[weights].decode().splitlines()
    assert rows == [row for row in shipped_rows if row in rows]
    assert len(rows) == 1 + len(SYSTEMS) * len(MADE_AGAIN)


def files_below(folder: Path) -> dict[Path, bytes]:
    """The content of every file in a folder, by its path there."""
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def run_number(name: Path) -> int:
    """The number of a run, given the name of its file."""
    return int(re.findall(r"opt(\d+)", name.name)[0])


def test_the_folder_stays_below_five_megabytes() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 5_000_000


@pytest.mark.parametrize("test_set", SIZES)
def test_all_files_of_a_test_set_have_one_line_a_segment_and_none_is_empty(test_set: str) -> None:
    files = [lines(f"{kind}.{test_set}.txt") for kind in ("reference", "source", "documents")]
    files += outputs("baseline", test_set)
    files += outputs("reordering", test_set)
    for text in files:
        assert len(text) == SIZES[test_set]
        assert all(line.strip() == line and line for line in text)


@pytest.mark.parametrize("test_set", SIZES)
def test_documents_are_contiguous_and_hold_ten_to_fifteen_segments(test_set: str) -> None:
    names = []
    for name, group in itertools.groupby(lines(f"documents.{test_set}.txt")):
        names.append(name)
        assert 10 <= len(list(group)) <= 15
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("test_set", SIZES)
def test_references_are_english_sentences_as_a_typesetter_would_have_them(test_set: str) -> None:
    for line in lines(f"reference.{test_set}.txt"):
        assert re.fullmatch(r"[A-Z\d][\w'-]*(,? [\w'-]+)*\.", line), line
        assert not re.search(r"\b([Aa] [aeiou]|[Aa]n [^aeiou])", line), line


def test_the_three_test_sets_share_next_to_no_sentence() -> None:
    references = [set(lines(f"reference.{test_set}.txt")) for test_set in SIZES]
    for first, second in itertools.combinations(references, 2):
        assert len(first & second) <= 3


def test_runs_differ_from_each_other_as_tuned_systems_do(scores: dict[tuple[str, str], list[float]]) -> None:
    for system in SYSTEMS:
        assert len({tuple(text) for text in outputs(system, "test")}) == RUNS
        assert 0.2 <= statistics.stdev(scores[system, "test"]) <= 1.0
        assert all(20 <= score <= 40 for score in scores[system, "test"])


def test_the_second_system_is_better_by_about_one_point_but_the_histograms_overlap(
    scores: dict[tuple[str, str], list[float]],
) -> None:
    baseline = scores["baseline", "test"]
    system = scores["reordering", "test"]
    assert 0.6 <= statistics.mean(system) - statistics.mean(baseline) <= 1.4
    assert max(baseline) > min(system)
    assert statistics.mean(scores["reordering", "dev"]) > statistics.mean(scores["baseline", "dev"])


def test_the_readme_states_the_numbers_that_sacrebleu_gives(scores: dict[tuple[str, str], list[float]]) -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for (system, test_set), runs in scores.items():
        numbers = (statistics.mean(runs), statistics.stdev(runs), min(runs), max(runs))
        cells = [system, test_set, *(f"{number:.2f}" for number in numbers)]
        assert f"| {' | '.join(cells)} |" in readme

    baseline_runs = scores["baseline", "test"]
    system_runs = scores["reordering", "test"]
    difference = statistics.mean(system_runs) - statistics.mean(baseline_runs)
    assert f"better by {difference:.2f} points" in readme
    n_reversed = sum(baseline > system for baseline, system in itertools.product(baseline_runs, system_runs))
    assert f"in {100 * n_reversed / RUNS**2:.0f}% of the 900 pairs" in readme


def test_the_development_bleu_that_tuning_saw_is_the_one_that_sacrebleu_sees(
    scores: dict[tuple[str, str], list[float]],
) -> None:
    for row in lines("weights.tsv")[1:]:
        system, run, bleu = row.split("\t")[:3]
        run_number = int(run.removeprefix("opt"))
        assert float(bleu) == pytest.approx(scores[system, "dev"][run_number], abs=1e-4)


def test_the_nbest_list_begins_with_the_output_and_its_scores_are_weights_times_features() -> None:
    header, first, *_ = [row.split("\t") for row in lines("weights.tsv")]
    assert first[:2] == ["baseline", "opt00"]
    weights = {name: float(value) for name, value in zip(header[3:], first[3:], strict=True) if value}

    # Each line: segment, output, features, total
    entries = [line.split(" ||| ") for line in lines("baseline/test.opt00.nbest")]
    candidates_of = {}
    for segment, candidates in itertools.groupby(entries, key=itemgetter(0)):
        candidates_of[int(segment)] = list(candidates)
    assert list(candidates_of) == list(range(SIZES["test"]))
    best_outputs = [candidates[0][1] for candidates in candidates_of.values()]
    assert best_outputs == lines("baseline/test.opt00.txt")

    for candidates in candidates_of.values():
        assert len(candidates) == 12
        assert len({output for _, output, *_ in candidates}) == 12
        totals = [float(candidate[3]) for candidate in candidates]
        assert totals == sorted(totals, reverse=True)
        for candidate, total in zip(candidates, totals, strict=True):
            assert total == pytest.approx(weighted_sum(weights, candidate[2]), abs=2e-6)


def weighted_sum(weights: dict[str, float], features: str) -> float:
    """The sum of features, each a name and its value, times their weights."""
    words = features.split()
    total = 0.0
    for name, value in zip(words[::2], words[1::2], strict=True):
        total += weights[name.rstrip("=")] * float(value)
    return total


def small_case(random_numbers: random.Random) -> tuple[Any, Any, Any]:
    """Three segments with four candidates: small integer features, plausible statistics, weights."""
    features = [[[random_numbers.randint(-9, 9) for _ in range(3)] for _ in range(4)] for _ in range(3)]
    statistics_of_segments = []
    for _ in range(3):
        reference_length = random_numbers.randint(6, 12)
        statistics_of_candidates = []
        for _ in range(4):
            length = random_numbers.randint(5, 12)
            totals = [length - order for order in range(4)]
            matches = [random_numbers.randint(0, total) for total in totals]
            statistics_of_candidates.append([length, reference_length, *matches, *totals])
        statistics_of_segments.append(statistics_of_candidates)
    weights = [random_numbers.randint(-40, 40) for _ in range(3)]
    return np.array(features), np.array(statistics_of_segments), np.array(weights)


def exhaustive_best(features: Any, stats: Any, weights: list[int], axis: int, limit: int) -> float:
    """Highest BLEU over the present weights and all whole values of one of them at which no two candidates tie."""

    def choose(trial: list[int]) -> tuple[list[int], bool]:
        """The best candidate of each segment, and whether any of its equals has another value on the axis."""
        places = []
        is_tied = False
        for candidates in features.tolist():
            totals = [sum(map(operator.mul, trial, candidate)) for candidate in candidates]
            top = [place for place, total in enumerate(totals) if total == max(totals)]
            is_tied |= len({candidates[place][axis] for place in top}) > 1
            places.append(top[0])
        return places, is_tied

    def bleu(places: list[int]) -> float:
        rows = [candidates[place] for candidates, place in zip(stats, places, strict=True)]
        sums = np.sum(rows, axis=0).tolist()
        return BLEU.compute_bleu(sums[2:6], sums[6:], sums[0], sums[1], smooth_method="none").score

    present_places, _ = choose(weights)
    best = bleu(present_places)
    for value in range(-limit + 1, limit):
        trial = list(weights)
        trial[axis] = value
        places, is_tied = choose(trial)
        if not is_tied:
            best = max(best, bleu(places))
    return best


def test_the_line_search_finds_what_trying_every_weight_finds(maker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mert = maker("mert")
    monkeypatch.setattr(mert, "LIMIT", 60)
    random_numbers = random.Random(5)
    n_improved = 0
    for case in range(60):
        axis = case % 3
        features, stats, weights = small_case(random_numbers)
        before = mert.corpus_bleu(features, stats, weights)
        tuned = mert.line_search(features, stats, weights, axis)
        best = exhaustive_best(features, stats, weights.tolist(), axis, 60)
        assert tuned.bleu == pytest.approx(best, abs=1e-6)
        assert mert.corpus_bleu(features, stats, tuned.weights) == tuned.bleu
        assert np.flatnonzero(tuned.weights != weights).tolist() in ([], [axis])
        n_improved += tuned.bleu > before
    assert n_improved > 20


@pytest.mark.parametrize(
    ("domain", "noun", "determiner", "plural", "case", "expected"),
    [
        ("council", "plan", "the", False, "nom", "der neue Plan"),
        ("council", "plan", "the", False, "acc", "den neuen Plan"),
        ("council", "plan", "a", False, "acc", "einen neuen Plan"),
        ("council", "plan", "a", False, "nom", "ein neuer Plan"),
        ("council", "bridge", "the", False, "dat", "der neuen Brücke"),
        ("council", "bridge", "a", False, "dat", "einer neuen Brücke"),
        ("council", "budget", "none", True, "acc", "neue Haushalte"),
        ("council", "plan", "the", True, "dat", "den neuen Plänen"),
        ("university", "robot", "none", True, "dat", "neuen Robotern"),
        ("farm", "honey", "none", False, "acc", "neuen Honig"),
        ("museum", "café", "the", True, "dat", "den neuen Cafés"),
        ("museum", "painting", "a", False, "acc", "ein neues Gemälde"),
    ],
)
def test_german_noun_phrases_are_inflected_as_in_a_school_grammar(
    maker: Any, domain: str, noun: str, determiner: str, plural: bool, case: str, expected: str
) -> None:
    (home,) = [known for known in maker("documents").DOMAINS if known.name == domain]
    objects = itertools.chain.from_iterable(frame.objects for frame in home.frames)
    (entry,) = [known for known in objects if known.singular == noun]
    adjective = maker("lexicon").Adjective("new", "neu", ())
    phrases = maker("phrases")
    phrase = phrases.Nominal(entry, determiner, plural, adjective)
    assert " ".join(phrases.german_words(phrase, case)) == expected
