"""TER in tercom's convention against what tercom 0.8.0 recorded under MultEval, and against a plain tercom of ours."""

import gzip
import importlib.util
import random
import re
from pathlib import Path

import numpy as np
import pytest

from mteval.base.errors import SettingsError
from mteval.metrics import METRICS
from mteval.values.model import TestSet

RUNS = [f"{system}.opt{run}" for system in ("baseline", "sys1") for run in range(3)]


@pytest.fixture(scope="module")
def plain():
    """The plain tercom beside this file."""
    path = Path(__file__).with_name("plain_tercom.py")
    spec = importlib.util.spec_from_file_location("plain_tercom", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def recorded(data_directory):
    """For each run tercom's edits and reference words of every segment, shape ``(segments, 2)``."""
    folder = data_directory / "reference" / "multeval" / "suffstats"
    statistics_of_run = {}
    for run in RUNS:
        with gzip.open(folder / f"{run}.ter.tsv.gz", "rt", encoding="utf-8") as lines:
            statistics = [line.rstrip("\n").split("\t")[2] for line in lines]
        statistics_of_segments = statistics[1:-1]  # between header and sum
        statistics_of_run[run] = np.array([numbers.split() for numbers in statistics_of_segments], dtype=int)
    return statistics_of_run


@pytest.fixture(scope="module")
def printed(data_directory):
    """The corpus scores that MultEval printed."""
    results = (data_directory / "reference" / "multeval" / "results.txt").read_text(encoding="utf-8")
    rows = re.findall(r"RESULT: (baseline|system 1): TER: OptRun (\d): ([\d.]+)", results)

    score_of_run = {}
    for system, run, score in rows:
        name = system.replace("system 1", "sys1")
        score_of_run[f"{name}.opt{run}"] = float(score)
    return score_of_run


def scorer_of(references, **options):
    """A scorer of the convention for references given for each segment."""
    return METRICS["ter"].configure("multeval", options).prepare(TestSet("words", tuple(references)))


def edits(pairs, **options):
    """Our edits of pairs of lists of words."""
    scorer = scorer_of([(" ".join(reference),) for _, reference in pairs], **options)
    statistics = scorer.statistics(range(len(pairs)), [" ".join(hypothesis) for hypothesis, _ in pairs])
    return statistics[:, 0].tolist()


def random_pair(draw, longest):
    """A reference and a hypothesis that repeats parts of it in another order."""
    vocabulary = [str(word) for word in range(draw.choice([2, 3, 6, 12, 60]))]
    reference = draw.choices(vocabulary, k=draw.randint(1, longest))
    hypothesis = []
    while len(hypothesis) < draw.uniform(0.5, 1.4) * len(reference):
        start = draw.randrange(len(reference))
        hypothesis += reference[start : start + draw.randint(1, 14)]
        hypothesis += draw.choices([*vocabulary, "x", "y"], k=draw.randint(0, 2))
    return hypothesis, reference


@pytest.mark.parametrize("run", RUNS)
def test_edits_and_scores_equal_recorded_tercom(example, recorded, printed, run):
    scorer = scorer_of((line,) for line in example["references"])

    statistics = scorer.statistics(range(len(example[run])), example[run])

    np.testing.assert_array_equal(statistics, recorded[run])
    assert scorer.score(statistics.sum(axis=0)) == pytest.approx(printed[run], abs=5e-7)


def test_plain_tercom_equals_recorded_tercom(plain, example, recorded):
    for run in ("baseline.opt0", "sys1.opt1"):
        for segment in range(0, 2489, 37):
            hypothesis = example[run][segment].split()
            reference = example["references"][segment].split()
            assert plain.tercom_edits(hypothesis, reference) == recorded[run][segment, 0]


@pytest.mark.parametrize(
    ("n", "longest", "limits"),
    [
        (400, 12, {}),
        (60, 30, {}),
        (4, 80, {}),
        (200, 14, {"beam_width": 0}),
        (200, 14, {"beam_width": 2}),
        (60, 30, {"beam_width": 5}),
        (200, 20, {"max_shift_distance": 3}),
        (50, 12, {"max_shift_distance": 0}),
        (1, 150, {"beam_width": 8, "max_shift_distance": 20}),
    ],
    ids=str,
)
def test_edits_of_random_words_equal_plain_tercom(plain, n, longest, limits):
    draw = random.Random(longest)
    pairs = [random_pair(draw, longest) for _ in range(n)]

    edits_of_pairs = edits(pairs, **limits)

    beam_width = limits.get("beam_width", 20)
    max_shift_distance = limits.get("max_shift_distance", 50)
    assert edits_of_pairs == [plain.tercom_edits(*pair, beam_width, max_shift_distance) for pair in pairs]


def test_segments_above_three_hundred_words_are_scored(plain):
    reference = [str(word) for word in range(320)]
    hypothesis = reference[160:165] + [f"x{word}" for word in reference[:120]] + reference[120:318]

    assert edits([(hypothesis, reference)]) == [plain.tercom_edits(hypothesis, reference)]


@pytest.mark.parametrize(
    ("hypothesis", "reference", "beam"),
    [("cbaacbb", "bccacb", 0), ("xjxgujx", "ubwwhgujx", 1), ("axdeac", "cdbcbdea", 2)],
)
def test_a_narrow_beam_stops_the_search_early(plain, hypothesis, reference, beam):
    """Shifts here gain more than two edits a word, which ends the search before one that gains more still."""
    pair = (list(hypothesis), list(reference))

    assert edits([pair], beam_width=beam) == [plain.tercom_edits(*pair, beam)]


@pytest.mark.parametrize("hypothesis", ["efghabcd", "adebcfgh", "bcdefgha"])
def test_a_shift_counts_as_one_edit(hypothesis):
    assert edits([(list(hypothesis), list("abcdefgh"))]) == [1]


def test_words_are_lowercased_and_split_at_javas_white_space():
    scorer = scorer_of([("a b c d",)])
    texts = ["\x0c A\tB\vC  D \x1f", "a\u00a0b c d", "a\u3000b c d", "a\x85b c d"]
    assert scorer.statistics([0] * 4, texts)[:, 0].tolist() == [0, 2, 2, 2]

    case_sensitive = scorer_of([("a b",)], case_sensitive=True)
    assert case_sensitive.statistics([0], ["A b"])[0, 0] == 1


def test_punctuation_is_removed_on_request():
    text = '( "a" , b ; c. d?! : )'
    assert scorer_of([("a b c d",)], no_punct=True).statistics([0], [text]).tolist() == [[0, 4]]
    assert scorer_of([("a b c d",)]).statistics([0], [text])[0, 0] > 0


def test_nearest_reference_counts_and_mean_length_is_not_truncated():
    scorer = scorer_of([("a b c", "a b"), ("a",)])
    statistics = scorer.statistics([0, 1], ["a b", "b"])

    assert (statistics / scorer.references.scale).tolist() == [[0, 2.5], [1, 1]]
    assert scorer.score(statistics.sum(axis=0)) == pytest.approx(100 / 3.5)


def test_rate_without_reference_words_is_undefined():
    scorer = scorer_of([("",)])
    statistics = scorer.statistics([0, 0], ["", "a b"])

    assert statistics.tolist() == [[0, 0], [2, 0]]
    assert np.isnan(scorer.score(statistics)).all()


def test_signature_names_all_options_that_affect_numbers():
    default_signature = METRICS["ter"].configure("multeval", {}).signature()
    assert default_signature == "case:lc|tok:split|punct:yes|beam:20|dist:50|version:tercom-0.8.0"

    signatures = {default_signature}
    for options in ({"case_sensitive": True}, {"no_punct": True}, {"beam_width": 9}, {"max_shift_distance": 9}):
        signatures.add(METRICS["ter"].configure("multeval", options).signature())
    assert len(signatures) == 5


@pytest.mark.parametrize("option", ["normalized", "asian_support"])
def test_sacrebleu_options_are_errors_for_tercom(option):
    with pytest.raises(SettingsError, match=f"'tercom' has no option '{option}'.*True"):
        METRICS["ter"].configure("multeval", {option: True})

    metric = METRICS["ter"].configure("multeval", {option: True, "algorithm": "sacrebleu"})
    assert metric.algorithm == "sacrebleu"
