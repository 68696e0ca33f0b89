"""What every registered metric must do, in both conventions; a new metric is tested by being registered."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, fields

import numpy as np
import pytest

from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.metrics import METRICS, resolve
from mteval.metrics.base import Option, OptionValue
from mteval.metrics.options import written
from mteval.values.model import TestSet
from mteval.values.settings import CONVENTIONS, Settings
from tests.conftest import python_of
from tests.extras import marks_of

REFERENCES = (
    ("the cat sat on the mat .", "there is a cat on the mat", "a cat"),
    ("he said that it would rain all day tomorrow",),
    ("", "nothing at all was said , by anyone , on that day"),
    ("five of the six boats came home before the storm broke", "five boats came home"),
)
HYPOTHESES = (
    ("the cat was on the mat .", "the cat sat on the mat .", "a cat on the mat", "cat", ""),
    ("he said it would rain", "he said that it would rain all day tomorrow tomorrow", "tomorrow it would rain all day"),
    ("nothing was said by anyone", "", "at all , on that day , by anyone"),
    ("before the storm broke five of the six boats came home", "six boats of five", "five boats came home"),
)
PAIRS = [(segment, text) for segment, texts in enumerate(HYPOTHESES) for text in texts]
SEGMENTS = [segment for segment, _ in PAIRS]
TEXTS = [text for _, text in PAIRS]
TEST_SET = TestSet("contract", REFERENCES)


PROGRAMS = {"metricx-24": "metricx", "bleurt-20": "bleurt"}  # each in an environment of its own, if installed
ALL_METRICS = [
    pytest.param(key, marks=marks_of(key))
    for key in METRICS
    if key not in PROGRAMS or python_of(PROGRAMS[key]).is_file()
]
# what is good and bad a model has to learn, and the small ones of the tests have learned nothing
UNTRAINED = ("comet", "metricx-24", "bleurt-20", "llm-judge")
DEFINED = [pytest.param(key, marks=marks_of(key)) for key in METRICS if key not in UNTRAINED]


@pytest.fixture(params=ALL_METRICS)
def key(request):
    return request.param


@pytest.fixture(params=CONVENTIONS)
def metric(key, request):
    convention = request.param
    return METRICS[key].configure(convention, {})


@pytest.fixture
def scorer(metric, prepare):
    return prepare(metric, TEST_SET)


@pytest.fixture
def statistics(scorer):
    return scorer.statistics(SEGMENTS, TEXTS)


def test_metric_matches_its_registry_entry(metric):
    spec = METRICS[metric.key]
    assert metric.key == spec.key
    assert metric.name == spec.name
    assert not spec.notation.has_direction or (spec.notation.direction == "↑") == metric.higher_is_better
    assert spec.summary.endswith(".")
    assert spec.summary.count(". ") == 1, "two sentences: what it sees, what it misses"
    assert re.search(r"\w+.* \d{4}\b", spec.source), "names and a year"
    assert "|" in metric.signature()
    assert "nrefs" not in metric.signature()
    assert set(metric.reads) <= {"references", "source", "documents", "reference_parses", "languages"}


def test_metric_is_frozen(metric):
    assert hash(metric) == hash(type(metric)(**{field.name: getattr(metric, field.name) for field in fields(metric)}))
    with pytest.raises(FrozenInstanceError):
        setattr(metric, fields(metric)[0].name, None)


def test_statistics_have_a_row_per_hypothesis_and_a_column_per_field(metric, statistics):
    assert statistics.shape == (len(PAIRS), len(metric.fields))
    assert len(set(metric.fields)) == len(metric.fields)
    assert statistics.dtype in (np.int64, np.float64)


def test_no_hypotheses_give_no_rows(metric, scorer):
    assert scorer.statistics([], []).shape == (0, len(metric.fields))


def test_scores_keep_the_leading_axes(metric, scorer, statistics):
    stacked = np.stack([statistics, statistics]).reshape(2, len(PAIRS), 1, -1)
    for score in (scorer.score, scorer.segment_score):
        assert score(stacked).shape == (2, len(PAIRS), 1)
        assert score(statistics[0]).shape == ()
        np.testing.assert_array_equal(score(stacked)[1, :, 0], score(statistics))
    assert scorer.submetrics(stacked).shape == (2, len(PAIRS), 1, len(metric.submetric_names))


def test_scoring_leaves_the_statistics_as_they_are(scorer, statistics):
    before = statistics.copy()
    for score in (scorer.score, scorer.segment_score, scorer.submetrics):
        score(statistics)
        score(statistics.astype(float))
    np.testing.assert_array_equal(statistics, before)


def test_statistics_of_a_hypothesis_do_not_depend_on_others(scorer, statistics):
    for row, (segment, text) in zip(statistics, PAIRS, strict=True):
        np.testing.assert_array_equal(scorer.statistics([segment], [text])[0], row)


def test_the_order_of_hypotheses_does_not_matter(scorer, statistics):
    order = np.random.default_rng(1).permutation(len(PAIRS))
    permuted = scorer.statistics([SEGMENTS[place] for place in order], [TEXTS[place] for place in order])
    np.testing.assert_array_equal(permuted, statistics[order])


def test_repeated_pairs_have_equal_statistics(scorer, statistics):
    twice = scorer.statistics(SEGMENTS * 2, TEXTS * 2)
    np.testing.assert_array_equal(twice, np.concatenate([statistics, statistics]))


def test_the_order_of_segments_does_not_matter(metric, statistics, prepare):
    backwards = prepare(metric, TestSet("backwards", REFERENCES[::-1]))
    last = len(REFERENCES) - 1
    again = backwards.statistics([last - segment for segment in SEGMENTS], TEXTS)
    np.testing.assert_array_equal(again, statistics)


def test_the_order_of_references_changes_no_score(metric, scorer, statistics, prepare):
    turned = prepare(metric, TestSet("turned", tuple(references[::-1] for references in REFERENCES)))
    again = turned.statistics(SEGMENTS, TEXTS)
    np.testing.assert_allclose(turned.segment_score(again), scorer.segment_score(statistics), rtol=1e-12)


def test_dividing_sums_by_runs_does_not_change_scores(scorer, statistics):
    total = statistics.sum(axis=0)
    for divisor in (2, 3, 7):
        assert scorer.score(total / divisor) == pytest.approx(float(scorer.score(total)), rel=1e-12)


def test_the_corpus_score_weighs_a_segment_given_twice_twice(scorer, statistics):
    twice = scorer.statistics(SEGMENTS + SEGMENTS[:1], TEXTS + TEXTS[:1])
    np.testing.assert_array_equal(twice.sum(axis=0), statistics.sum(axis=0) + statistics[0])


@pytest.mark.parametrize("key", DEFINED)
def test_references_as_hypotheses_score_best(metric, prepare):
    references = REFERENCES[1], REFERENCES[3]
    scorer = prepare(metric, TestSet("perfect", references))
    perfect = scorer.statistics([0, 1, 1], [references[0][0], *references[1]])
    spec = METRICS[metric.key]
    best = spec.range.highest if metric.higher_is_better else spec.range.lowest
    if not spec.notation.has_direction:  # neither end is best
        best = float(scorer.segment_score(perfect)[0])
    elif best is None:
        others = scorer.statistics([0, 0, 0], HYPOTHESES[1])
        sign = 1 if metric.higher_is_better else -1
        assert sign * scorer.segment_score(perfect)[0] > (sign * scorer.segment_score(others)).max()
        return
    assert scorer.score(perfect.sum(axis=0)) == pytest.approx(best)
    np.testing.assert_allclose(scorer.segment_score(perfect), best)


def test_scores_lie_within_the_range_that_the_metric_names(metric, scorer, statistics):
    limits = METRICS[metric.key].range
    lowest = -np.inf if limits.lowest is None else limits.lowest
    highest = np.inf if limits.highest is None else limits.highest
    scores = np.append(scorer.segment_score(statistics), scorer.score(statistics.sum(axis=0)))
    defined = scores[~np.isnan(scores)]
    assert len(defined) > len(PAIRS) / 2
    assert ((lowest - 1e-9 <= defined) & (defined <= highest + 1e-9)).all()


@pytest.mark.parametrize("key", DEFINED)
def test_empty_hypotheses_score_worst(metric, prepare):
    scorer = prepare(metric, TestSet("single", (REFERENCES[0][:1], REFERENCES[1])))
    empty = scorer.statistics([0, 1, 1], ["", "", " "])
    expected = 0 if metric.higher_is_better else 100
    assert scorer.score(empty.sum(axis=0)) == expected
    np.testing.assert_array_equal(scorer.segment_score(empty), expected)


def test_empty_statistics_raise_no_warning(metric, scorer, prepare):
    scorer.score(np.zeros(len(metric.fields), dtype=np.int64))
    scorer.submetrics(np.zeros((3, len(metric.fields))))
    only_empty = prepare(metric, TestSet("empty", (("",), ("", ""))))
    statistics = only_empty.statistics([0, 1, 1], ["", "", "a b"])
    assert only_empty.score(statistics).shape == only_empty.segment_score(statistics).shape == (3,)


def test_threads_share_a_scorer(scorer, statistics):
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: scorer.statistics(SEGMENTS, TEXTS), range(24)))
    for result in results:
        np.testing.assert_array_equal(result, statistics)


@pytest.mark.parametrize("convention", CONVENTIONS)
def test_options_have_defaults_that_may_be_given(key, convention):
    spec = METRICS[key]
    defaults = spec.defaults(convention)
    assert set(defaults) == {option.name for option in spec.options}
    assert spec.configure(convention, defaults) == spec.configure(convention, {})


def test_unknown_options_and_values_out_of_range_are_errors(key):
    spec = METRICS[key]
    with pytest.raises(SettingsError, match="no option 'colour'"):
        spec.configure("sacrebleu", {"colour": "red"})
    for option in spec.options:
        with pytest.raises(SettingsError, match=f"{option.name}|{written(option.name)}"):
            spec.configure("sacrebleu", {option.name: _outside(option)})


def test_options_that_change_statistics_change_the_signature(key, prepare):
    """Statistics are kept under the signature."""
    spec = METRICS[key]
    usual = spec.configure("sacrebleu", {})
    texts = [text.title() for text in TEXTS]
    statistics = prepare(usual, TEST_SET).statistics(SEGMENTS, texts)
    changing = []
    for option in spec.options:
        for value in _others(option, spec.defaults("sacrebleu")[option.name]):
            try:
                other = spec.configure("sacrebleu", {option.name: value})
            except (MissingDependencyError, SettingsError):  # not here, or not together with the other defaults
                continue
            if not np.array_equal(prepare(other, TEST_SET).statistics(SEGMENTS, texts), statistics):
                assert other.signature() != usual.signature(), f"{option.name} = {value}"
                changing.append(option.name)
    names = {option.name for option in spec.options}
    assert changing or names <= {"batch_size"}, "some option changes something; batches may on graphics cards only"


def _others(option: Option, default: OptionValue) -> list[OptionValue]:
    """Values other than the default."""
    if option.kind == "flag":
        return [not default]
    if option.kind == "choice":
        return [choice for choice in option.choices if choice != default]
    return [(default or 0) + 2]  # one more may be what 0 stands for


def _outside(option: Option) -> str | float:
    if option.kind in ("integer", "number") and option.minimum is not None:
        return option.minimum - 1
    return "neither"


def test_the_metrics_of_the_settings_come_in_their_order_with_their_options():
    settings = Settings(metrics=("length", "bleu"), options={"bleu": {"tokenize": "char"}, "chrf": {"beta": 3}})
    metrics = resolve(settings)
    assert [metric.key for metric in metrics] == ["length", "bleu"]
    assert metrics[1] == METRICS["bleu"].configure("sacrebleu", {"tokenize": "char"})


@pytest.mark.parametrize("settings", [Settings(metrics=("blue",)), Settings(options={"blue": {}}, metrics=("bleu",))])
def test_unknown_metric_error_lists_available_ones(settings):
    with pytest.raises(SettingsError, match=r"metric 'blue'.*bleu, chrf"):
        resolve(settings)
