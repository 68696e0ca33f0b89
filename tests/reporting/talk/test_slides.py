"""The slides of a talk, from the sample experiment and from few of its runs."""

import base64
import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest

from mteval.analysis.replication.draws import all_draws, trials
from mteval.analysis.replication.planning import Wish
from mteval.analysis.replication.pool import pool_of, verdict_of
from mteval.analysis.scoring import score_experiment
from mteval.analysis.work import Work
from mteval.metrics import catalog, resolve
from mteval.readers import read_paths
from mteval.report import talk as about
from mteval.report import talk as slides
from mteval.report.talk import RECORDED, Subject, recorded_talk
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

SAMPLE = Path(__file__).parents[3] / "sample_data"
SETTINGS = Settings(metrics=("bleu",), n_shuffles=200)
NAME = "<b>new</b>"
SEGMENT = "ar-segment"


def experiment_of(n_baseline: int, n_system: int, *, are_copies: bool = False) -> Experiment:
    systems = {key: sorted((SAMPLE / key).glob("test.opt0?.txt")) for key in ("baseline", "reordering")}
    whole = read_paths([SAMPLE / "reference.test.txt"], systems, baseline="baseline").test_sets[0]
    runs = [run for run in whole.runs if run.system == "baseline"][:n_baseline]
    others = [run for run in whole.runs if run.system != "baseline"][:n_system]
    if are_copies:
        others = [Run(run.system, run.key, others[0].hypotheses) for run in others]
    runs += [Run(NAME, run.key, run.hypotheses) for run in others]
    return Experiment((TestSet("test", whole.references, tuple(runs)),), "baseline")


def subject(experiment: Experiment) -> Subject:
    (scored,) = score_experiment(experiment, resolve(SETTINGS), Work())
    pool = pool_of(scored, "baseline", NAME, SETTINGS)
    return Subject(pool, catalog(experiment.given)["bleu"], SETTINGS, {"baseline": "#111111", NAME: "#222222"})


@pytest.mark.parametrize(
    ("runs", "are_copies", "missing"),
    [
        ((1, 1), False, {about.NUMBERS, about.PAIR, about.PUBLISHED, about.VARIANCE}),
        ((1, 4), False, {about.NUMBERS, about.PAIR, about.VARIANCE}),
        ((3, 3), True, {about.NUMBERS, about.PAIR, about.VARIANCE}),
        ((2, 3), False, set()),
    ],
)
def test_slides_that_the_runs_cannot_support_stay_away(
    runs: tuple[int, int], are_copies: bool, missing: set[str]
) -> None:
    everything = {
        about.WHO, about.RUNS, about.DRAWS, about.NUMBERS, about.PAIR, about.PUBLISHED, about.VARIANCE,
        about.VERDICT,
    }  # fmt: skip
    assert everything - set(subject(experiment_of(*runs, are_copies=are_copies)).outline()) == missing


def test_with_one_run_each_the_slide_of_the_draws_says_why_there_are_none() -> None:
    about = subject(experiment_of(1, 1))
    slide = slides.draws(
        about, 1, SEGMENT, trials(about.pool, all_draws((1, 1), 1), (SEGMENT,), SETTINGS, Work()), None, None
    )
    assert slide.figure is None
    assert "there is nothing to draw" in slide.foot


@pytest.mark.parametrize(
    ("runs", "are_copies", "title"),
    [((1, 1), False, "One run of each system"), ((1, 3), True, "Every run scores as the others do"),
     ((3, 3), False, "Runs of one and the same system score differently")],
)  # fmt: skip
def test_runs_are_said_to_differ_where_they_do(runs: tuple[int, int], are_copies: bool, title: str) -> None:
    slide = slides.runs_as_they_fell(subject(experiment_of(*runs, are_copies=are_copies)))
    assert slide.title == title
    assert "30.42 to 30.42" not in slide.foot


def test_shares_and_bars_are_those_of_the_draws() -> None:
    about = subject(experiment_of(3, 3))
    drawn = trials(about.pool, all_draws((3, 3), 1), (SEGMENT,), SETTINGS, Work())
    slide = slides.draws(about, 1, SEGMENT, drawn, None, None)
    bars = {bar.name: int(np.sum(bar.y)) for bar in slide.figure.data[:3]}
    for key, name in about.notation.conclusions.items():
        n = int((drawn["conclusion"] == key).sum())
        assert bars[name] == n
        assert re.search(rf"{name}</span></td><td>{100 * n / 9:.1f}%", slide.beside)
    last = drawn.iloc[-1]
    assert f"+{last['difference']:.2f} BLEU" in slide.lead or f"−{-last['difference']:.2f} BLEU" in slide.lead


def test_right_and_wrong_are_said_under_their_assumption_or_not_at_all() -> None:
    experiment = experiment_of(3, 3)
    about = subject(experiment)
    verdict = verdict_of(about.pool, experiment, SETTINGS, about.spec, Work())
    drawn = trials(about.pool, all_draws((3, 3), 1), (SEGMENT,), SETTINGS, Work())
    assert verdict.both == "open"
    assert (
        "none of these conclusions is called right or wrong"
        in slides.draws(about, 1, SEGMENT, drawn, None, verdict).foot
    )


def test_names_are_text_everywhere_in_the_file_and_nothing_is_loaded_from_elsewhere() -> None:
    experiment = experiment_of(2, 2)
    about = subject(experiment)
    page = recorded_talk(about, experiment, 1, SEGMENT, Wish(1.0), Work())
    own = re.sub(r"<script>.*?</script>", "", page, flags=re.S)  # plotly.js and the player
    assert "<b>new" not in own
    assert not re.search(r"(src|href)=", own)
    recorded = json.loads(re.search(r'id="drawings">(.*?)</script>', page, re.S)[1])
    assert len(recorded) == RECORDED + 1
    head, beside, figure = recorded[-1]
    assert "so far (100)" in beside
    assert "BLEU" in head
    assert sum(map(sum, (json_list(trace["y"]) for trace in json.loads(figure)["data"][:3]))) == RECORDED


def test_slides_speak_of_training_seeds_where_runs_are_such() -> None:
    seeds = dataclasses.replace(SETTINGS, run_word="training seed")
    experiment = experiment_of(3, 3)
    page = recorded_talk(
        dataclasses.replace(subject(experiment), settings=seeds), experiment, 1, SEGMENT, Wish(1.0), Work()
    )
    slides = re.sub(r"<(script|style).*?</\1>|<[^>]*>", "\n", page, flags=re.S)
    assert "training seeds" in slides
    assert re.findall(r".*\b[Rr]uns?\b.*", slides) == []


def json_list(values: object) -> list[float]:
    """Numbers of a trace, which Plotly may write as base64."""
    if isinstance(values, dict):
        return np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).tolist()
    return list(values)
