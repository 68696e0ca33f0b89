"""The slides of a talk, from the sample experiment and from few of its runs."""

import base64
import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from mteval.analysis.evaluation import evaluate
from mteval.analysis.replication.draws import all_draws, trials
from mteval.analysis.replication.planning import Wish
from mteval.analysis.replication.pool import pool_of, verdict_of
from mteval.analysis.results import verdicts_by_people
from mteval.analysis.scoring import Work, score_experiment
from mteval.answers.replication import Subject
from mteval.answers.verdict import brief_answer
from mteval.metrics import catalog, resolve
from mteval.readers.named_files import load_paths
from mteval.report import talk as slides
from mteval.report.talk import Talk, recorded_talk
from mteval.values.given import GivenMetric, GivenScores
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SAMPLE = Path(__file__).parents[2] / "sample_data"
SETTINGS = Settings(metrics=("bleu",), n_shuffles=200)
NAME = "<b>new</b>"
SEGMENT = "ar-segment"


def experiment_of(n_baseline: int, n_system: int, *, are_copies: bool = False) -> Experiment:
    systems = {key: sorted((SAMPLE / key).glob("test.opt0?.txt")) for key in ("baseline", "reordering")}
    whole = load_paths([SAMPLE / "reference.test.txt"], systems, baseline="baseline").experiment.test_sets[0]
    runs = [run for run in whole.runs if run.system == "baseline"][:n_baseline]
    others = [run for run in whole.runs if run.system != "baseline"][:n_system]
    if are_copies:
        others = [Run(run.system, run.key, others[0].hypotheses) for run in others]
    runs += [Run(NAME, run.key, run.hypotheses) for run in others]
    return Experiment((TestSet("test", whole.references, tuple(runs)),), "baseline")


def talk_about(experiment: Experiment, settings: Settings = SETTINGS) -> Talk:
    (scored,) = score_experiment(experiment, resolve(settings, experiment.given), Work())
    pool = pool_of(scored, "baseline", NAME, settings)
    return Talk(Subject(pool, catalog(experiment.given)[scored.metric.key], settings), pool, 1, SEGMENT)


@pytest.mark.parametrize(
    ("runs", "are_copies", "missing"),
    [
        ((1, 1), False, {slides.DRAWS, slides.NUMBERS, slides.PAIR, slides.PUBLISHED, slides.VARIANCE}),
        ((1, 4), False, {slides.NUMBERS, slides.PAIR, slides.VARIANCE}),
        ((3, 3), True, {slides.NUMBERS, slides.PAIR, slides.VARIANCE}),
        ((2, 3), False, {slides.NUMBERS, slides.PAIR}),
        ((3, 4), False, set()),
    ],
)
def test_slides_that_the_runs_cannot_support_stay_away(
    runs: tuple[int, int], are_copies: bool, missing: set[str]
) -> None:
    everything = {
        slides.WHO, slides.RUNS, slides.DRAWS, slides.NUMBERS, slides.PAIR, slides.PUBLISHED, slides.VARIANCE,
        slides.VERDICT,
    }  # fmt: skip
    assert everything - set(talk_about(experiment_of(*runs, are_copies=are_copies)).outline) == missing


def drawn_from(talk: Talk) -> pd.DataFrame:
    """Every combination of one run each."""
    return trials(talk.pool, all_draws(talk.pool.sizes, 1), (SEGMENT,), SETTINGS, Work())


@pytest.mark.parametrize(
    ("runs", "are_copies", "title"),
    [((1, 1), False, "One run per system"), ((1, 3), True, "Every run scores the same"),
     ((3, 3), False, "Runs of the same system score differently")],
)  # fmt: skip
def test_the_title_of_the_runs_says_whether_they_differ(runs: tuple[int, int], are_copies: bool, title: str) -> None:
    slide = slides.runs_as_they_fell(talk_about(experiment_of(*runs, are_copies=are_copies)))
    assert slide.section.title == title
    assert "30.42 to 30.42" not in slide.foot


def test_a_slide_that_waits_for_its_numbers_has_its_title_already() -> None:
    experiment = experiment_of(3, 4)
    talk = talk_about(experiment)
    file = recorded_talk(talk, experiment, Wish(1.0, 0.8, 0.05), Work())
    for key in (slides.NUMBERS, slides.PAIR, slides.PUBLISHED, slides.VERDICT):
        title = slides.waiting(talk, key).section.title
        assert f'class="mt-slide-title">{title}<' in file


def test_shares_and_bars_are_those_of_the_draws() -> None:
    talk = talk_about(experiment_of(3, 3))
    drawn = drawn_from(talk)
    slide = slides.drawing(talk, drawn, None, None)
    bars = {bar.name: int(np.sum(bar.y)) for bar in slide.figure.data[:3]}
    for key, name in talk.subject.notation.conclusions.items():
        n = int((drawn["conclusion"] == key).sum())
        (shown_name,) = [shown for shown in bars if shown.endswith(f" {name}")]  # after its shape
        assert bars[shown_name] == n
        assert re.search(rf"{name}</td><td>{100 * n / 9:.1f}%", slide.beside)
    last = drawn.iloc[-1]
    assert f"+{last['difference']:.2f} BLEU" in slide.head or f"−{-last['difference']:.2f} BLEU" in slide.head


def test_the_right_conclusion_is_named_with_its_assumption_or_not_at_all() -> None:
    experiment = experiment_of(3, 3)
    talk = talk_about(experiment)
    verdict = verdict_of(talk.pool, experiment, SETTINGS, talk.subject.spec, Work())
    assert verdict.both == "open"
    foot = slides.drawing(talk, drawn_from(talk), None, verdict).foot
    assert "is right is unknown" in foot


def test_the_segments_that_were_scored_are_counted_and_not_those_of_the_test_set() -> None:
    """Of 300 segments in 30 documents each run has scores of 120; the systems share 100 of them."""
    whole = experiment_of(2, 2)
    test_set = dataclasses.replace(whole.test_sets[0], documents=tuple(f"d{n // 10}" for n in range(300)))
    scored = {"baseline": range(120), NAME: range(20, 140)}
    scores = [
        tuple(n + place if n in scored[run.system] else None for n in range(300))
        for place, run in enumerate(test_set.runs)
    ]
    runs = zip(test_set.runs, scores, strict=True)
    given = GivenMetric("mqm", "MQM", tuple(GivenScores("test", run.system, run.key, row) for run, row in runs))
    experiment = Experiment((test_set,), "baseline", given=(given,))
    talk = talk_about(experiment, dataclasses.replace(SETTINGS, metrics=("mqm",)))
    assert "<caption>test: 100 of 300 segments in 10 of 30 documents</caption>" in slides.who(talk).aside


def test_names_are_text_everywhere_in_the_file_and_nothing_is_loaded_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert slides.RECORDED == 100
    monkeypatch.setattr(slides, "RECORDED", 20)
    experiment = experiment_of(2, 2)
    page = recorded_talk(talk_about(experiment), experiment, Wish(1.0), Work())
    own = re.sub(r"<script>.*?</script>", "", page, flags=re.S)  # plotly.js and the player
    assert "<b>new" not in own
    assert not re.search(r"(src|href)=", own)
    recorded = json.loads(re.search(r'id="drawings">(.*?)</script>', page, re.S)[1])
    assert len(recorded) == 21
    head, beside, figure = recorded[-1]
    assert "So far (20)" in beside
    assert "BLEU" in head
    assert sum(map(sum, (json_list(trace["y"]) for trace in json.loads(figure)["data"][:3]))) == 20


def test_slides_use_the_chosen_word_for_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slides, "RECORDED", 3)
    experiment = experiment_of(3, 3)
    talk = talk_about(experiment, dataclasses.replace(SETTINGS, run_word="training seed"))
    page = recorded_talk(talk, experiment, Wish(1.0), Work())
    words = re.sub(r"<(script|style).*?</\1>|<[^>]*>", "\n", page, flags=re.S)
    assert "training seeds" in words
    assert re.findall(r".*\b[Rr]uns?\b.*", words) == []


def json_list(values: object) -> list[float]:
    """Numbers of a trace, which Plotly may write as base64."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).tolist()
    return list(values)


def test_the_last_slide_names_the_test_set_and_has_the_verdict_by_people() -> None:
    whole = experiment_of(3, 3)
    random = np.random.default_rng(4)
    scores = []
    for run in whole.test_sets[0].runs:
        mean = -1.0 if run.system == "baseline" else -3.0
        scores.append(GivenScores("test", run.system, run.key, tuple(random.normal(mean, size=300).tolist())))
    people = GivenMetric("mqm", "MQM", tuple(scores))
    assert people.is_of_people
    experiment = dataclasses.replace(whole, given=(people,))
    (of_eval,) = verdicts_by_people(evaluate(experiment, SETTINGS, Work()))
    assert of_eval.conclusion.word == "worse"

    for metrics in (("bleu",), ("bleu", "mqm")):
        settings = dataclasses.replace(SETTINGS, metrics=metrics)
        scored = score_experiment(experiment, resolve(settings, experiment.given), Work())
        pool = pool_of(scored[0], "baseline", NAME, settings)
        talk = Talk(Subject(pool, catalog(experiment.given)["bleu"], settings), pool, 1, SEGMENT)
        file = recorded_talk(talk, experiment, Wish(1.0, 0.8, 0.05), Work())
        slide = file[file.index(f'data-key="{slides.VERDICT}"') :]
        assert 'class="mt-slide-title">The verdict on test<' in slide
        assert f"<dt>Human scores</dt><dd>{brief_answer(of_eval)}</dd>" in slide

    plain = recorded_talk(talk_about(whole), whole, Wish(1.0, 0.8, 0.05), Work())
    assert "Human scores" not in plain
