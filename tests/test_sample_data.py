"""The sample experiment: made again bit for bit, complete, small, and as unstable as it claims to be."""

import importlib
import itertools
import random
import re
import statistics
import subprocess
import sys
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
    text = (FOLDER / name).read_text(encoding="utf-8")
    assert text.endswith("\n")
    return text.removesuffix("\n").split("\n")


def outputs(system: str, test_set: str) -> list[list[str]]:
    return [lines(f"{system}/{test_set}.opt{run:02d}.txt") for run in range(RUNS)]


@pytest.fixture(scope="module")
def scores() -> dict[tuple[str, str], list[float]]:
    """Corpus BLEU of every run by sacreBLEU, keyed by system and test set."""
    found = {}
    for test_set in SIZES:
        metric = BLEU(references=[lines(f"reference.{test_set}.txt")])
        for system in SYSTEMS:
            found[system, test_set] = [metric.corpus_score(text, None).score for text in outputs(system, test_set)]
    return found


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
    made = {path.relative_to(tmp_path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    by_hand = {"README.md", "make.py"}
    shipped = {
        path.relative_to(FOLDER): path.read_bytes()
        for path in FOLDER.rglob("*")
        if path.is_file() and path.name not in by_hand and "maker" not in path.parts
    }
    runs = {name for name in shipped if len(name.parts) > 1}
    assert len(runs) == 2 * 3 * RUNS + 1  # and the n-best list
    again = {name for name in runs if int(re.findall(r"opt(\d+)", name.name)[0]) in MADE_AGAIN}
    assert made.keys() == (shipped.keys() - runs) | again
    weights = Path("weights.tsv")
    assert [str(name) for name in made if made[name] != shipped[name] and name != weights] == []
    rows, shipped_rows = (files[weights].decode().splitlines() for files in (made, shipped))
    assert rows == [row for row in shipped_rows if row in rows]
    assert len(rows) == 1 + len(SYSTEMS) * len(MADE_AGAIN)


def test_the_folder_stays_below_five_megabytes() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert sum(path.stat().st_size for path in files) < 5_000_000


@pytest.mark.parametrize("test_set", SIZES)
def test_all_files_of_a_test_set_have_one_line_a_segment_and_none_is_empty(test_set: str) -> None:
    parallel = [lines(f"{kind}.{test_set}.txt") for kind in ("reference", "source", "documents")]
    for text in (*parallel, *outputs("baseline", test_set), *outputs("reordering", test_set)):
        assert len(text) == SIZES[test_set]
        assert all(line.strip() == line and line for line in text)


@pytest.mark.parametrize("test_set", SIZES)
def test_documents_are_contiguous_and_hold_ten_to_fifteen_segments(test_set: str) -> None:
    groups = [(name, len(list(group))) for name, group in itertools.groupby(lines(f"documents.{test_set}.txt"))]
    assert len({name for name, _ in groups}) == len(groups)
    assert all(10 <= size <= 15 for _, size in groups)


@pytest.mark.parametrize("test_set", SIZES)
def test_references_are_english_sentences_as_a_typesetter_would_have_them(test_set: str) -> None:
    for line in lines(f"reference.{test_set}.txt"):
        assert re.fullmatch(r"[A-Z\d][\w'-]*(,? [\w'-]+)*\.", line), line
        assert not re.search(r"\b([Aa] [aeiou]|[Aa]n [^aeiou])", line), line


def test_the_three_test_sets_share_next_to_no_sentence() -> None:
    references = [set(lines(f"reference.{test_set}.txt")) for test_set in SIZES]
    assert all(len(one & other) <= 3 for one, other in itertools.combinations(references, 2))


def test_runs_differ_from_each_other_as_tuned_systems_do(scores: dict[tuple[str, str], list[float]]) -> None:
    for system in SYSTEMS:
        assert len({tuple(text) for text in outputs(system, "test")}) == RUNS
        assert 0.2 <= statistics.stdev(scores[system, "test"]) <= 1.0
        assert all(20 <= score <= 40 for score in scores[system, "test"])


def test_the_second_system_is_better_by_about_one_point_but_the_histograms_overlap(
    scores: dict[tuple[str, str], list[float]],
) -> None:
    baseline, system = scores["baseline", "test"], scores["reordering", "test"]
    assert 0.6 <= statistics.mean(system) - statistics.mean(baseline) <= 1.4
    assert max(baseline) > min(system)
    assert statistics.mean(scores["reordering", "dev"]) > statistics.mean(scores["baseline", "dev"])


def test_the_readme_states_the_numbers_that_sacrebleu_gives(scores: dict[tuple[str, str], list[float]]) -> None:
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for (system, test_set), runs in scores.items():
        numbers = (statistics.mean(runs), statistics.stdev(runs), min(runs), max(runs))
        assert f"| {system} | {test_set} | " + " | ".join(f"{number:.2f}" for number in numbers) + " |" in readme
    baseline, system_runs = scores["baseline", "test"], scores["reordering", "test"]
    assert f"better by {statistics.mean(system_runs) - statistics.mean(baseline):.2f} points" in readme
    wins = sum(one > other for one in baseline for other in system_runs)
    assert f"in {100 * wins / RUNS**2:.0f}% of the 900 pairs" in readme


def test_the_development_bleu_that_tuning_saw_is_the_one_that_sacrebleu_sees(
    scores: dict[tuple[str, str], list[float]],
) -> None:
    for row in lines("weights.tsv")[1:]:
        system, run, bleu = row.split("\t")[:3]
        assert float(bleu) == pytest.approx(scores[system, "dev"][int(run.removeprefix("opt"))], abs=1e-4)


def test_the_nbest_list_begins_with_the_output_and_its_scores_are_weights_times_features() -> None:
    header, first = (row.split("\t") for row in lines("weights.tsv")[:2])
    assert first[:2] == ["baseline", "opt00"]
    weights = {name: float(value) for name, value in zip(header[3:], first[3:], strict=True) if value}
    entries = [line.split(" ||| ") for line in lines("baseline/test.opt00.nbest")]
    by_segment = {int(key): list(group) for key, group in itertools.groupby(entries, key=lambda entry: entry[0])}
    assert list(by_segment) == list(range(SIZES["test"]))
    assert [group[0][1] for group in by_segment.values()] == lines("baseline/test.opt00.txt")
    for group in by_segment.values():
        totals = [float(entry[3]) for entry in group]
        assert len({entry[1] for entry in group}) == len(group) == 12
        assert totals == sorted(totals, reverse=True)
        for entry, total in zip(group, totals, strict=True):
            names, values = entry[2].split()[::2], entry[2].split()[1::2]
            pairs = zip(names, values, strict=True)
            assert total == pytest.approx(sum(weights[name.rstrip("=")] * float(v) for name, v in pairs), abs=2e-6)


def small_case(random_numbers: random.Random) -> tuple[Any, Any, Any]:
    """Three segments with four candidates: small integer features, plausible statistics, weights."""
    features = [[[random_numbers.randint(-9, 9) for _ in range(3)] for _ in range(4)] for _ in range(3)]
    statistics_of = []
    for _ in range(3):
        reference = random_numbers.randint(6, 12)
        row = []
        for _ in range(4):
            length = random_numbers.randint(5, 12)
            totals = [length - order for order in range(4)]
            row.append([length, reference, *(random_numbers.randint(0, total) for total in totals), *totals])
        statistics_of.append(row)
    weights = [random_numbers.randint(-40, 40) for _ in range(3)]
    return np.array(features), np.array(statistics_of), np.array(weights)


def exhaustive_best(features: Any, stats: Any, weights: list[int], axis: int, limit: int) -> float:
    """Highest BLEU over the present weights and all whole values of one of them at which no two candidates tie."""

    def choose(trial: list[int]) -> tuple[list[int], bool]:
        chosen, tied = [], False
        for candidates in features.tolist():
            values = [sum(w * f for w, f in zip(trial, candidate, strict=True)) for candidate in candidates]
            top = [index for index, value in enumerate(values) if value == max(values)]
            tied |= len({candidates[index][axis] for index in top}) > 1
            chosen.append(top[0])
        return chosen, tied

    def bleu(chosen: list[int]) -> float:
        sums = [
            sum(column) for column in zip(*(row[i] for row, i in zip(stats.tolist(), chosen, strict=True)), strict=True)
        ]
        return BLEU.compute_bleu(sums[2:6], sums[6:], sums[0], sums[1], smooth_method="none").score

    best = bleu(choose(weights)[0])
    for value in range(-limit + 1, limit):
        chosen, tied = choose([value if index == axis else weight for index, weight in enumerate(weights)])
        if not tied:
            best = max(best, bleu(chosen))
    return best


def test_the_line_search_finds_what_trying_every_weight_finds(maker: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    mert = maker("mert")
    monkeypatch.setattr(mert, "LIMIT", 60)
    random_numbers = random.Random(5)
    improved = 0
    for case in range(60):
        features, stats, weights = small_case(random_numbers)
        before = mert.corpus_bleu(features, stats, weights)
        tuned = mert.line_search(features, stats, weights, case % 3)
        assert tuned.bleu == pytest.approx(exhaustive_best(features, stats, weights.tolist(), case % 3, 60), abs=1e-6)
        assert mert.corpus_bleu(features, stats, tuned.weights) == tuned.bleu
        assert np.flatnonzero(tuned.weights != weights).tolist() in ([], [case % 3])
        improved += tuned.bleu > before
    assert improved > 20


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
    phrases, lexicon = maker("phrases"), maker("lexicon")
    (home,) = (one for one in maker("documents").DOMAINS if one.name == domain)
    (entry,) = (one for frame in home.frames for one in frame.objects if one.singular == noun)
    phrase = phrases.Nominal(entry, determiner, plural, lexicon.Adjective("new", "neu", ()))
    assert " ".join(phrases.german_words(phrase, case)) == expected
