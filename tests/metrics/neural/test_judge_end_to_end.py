"""From an endpoint's answers to what is read: scores, missing scores, and how often answers were understood."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mteval
from mteval.analysis.findings import findings_of
from mteval.analysis.judge_answers import judge_answers
from mteval.analysis.scoring import Work, score_experiment
from mteval.metrics import resolve
from mteval.metrics.neural.endpoints import AGAIN_JSON, AGAIN_NUMBER
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings
from tests.judge_endpoint import Endpoint, serving

N = 20
SYSTEMS = ("old", "new")
FAST = ("--ar-shuffles", "100", "--boot-samples", "50")


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    with serving() as server:
        monkeypatch.setenv("MTEVAL_JUDGE", f"tiny-model@{server.url}")
        monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))
        yield server


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options of a comparison of two systems with one run each."""
    monkeypatch.chdir(tmp_path)
    for name in ("source", "reference", *SYSTEMS):
        Path(name).write_text("".join(f"word {number} of {name}\n" for number in range(N)), encoding="utf-8")
    named = [word for name in SYSTEMS for word in ("--system", name, name)]
    return ["--source", "source", "--refs", "reference", *named]


def in_shell(*words: str) -> subprocess.CompletedProcess[str]:
    """Run mteval as a shell does."""
    command = [sys.executable, "-m", "mteval", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, "COLUMNS": "200"})


def test_an_endpoint_that_repeats_the_scale_gives_its_number_in_the_shell(endpoint: Endpoint, files: list[str]) -> None:
    endpoint.answer = lambda prompt, number: "Score (0-100): 85"
    done = in_shell("eval", *files, "--metrics", "llm-judge", *FAST, "--json", "out.json")
    assert done.returncode == 0, done.stderr
    told = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert {row["system"]: row["score"] for row in told["scores"]} == {"old": 85, "new": 85}
    assert [row["at_once"] for row in told["judge_answers"]] == [N, N]
    assert "judge-answers" not in {finding["code"] for finding in told["findings"]}
    assert "Warning: Answers of an LLM judge" not in done.stdout
    assert "old          20              100.0%" in done.stdout


@pytest.mark.parametrize("nonsense", ["Score: -20", "8.5/10", "Score: 90-95", '{"score": 1e999}', "no idea", ""])
def test_an_endpoint_that_is_not_understood_gives_no_score_and_a_warning(
    endpoint: Endpoint, files: list[str], nonsense: str
) -> None:
    endpoint.answer = lambda prompt, number: nonsense
    done = in_shell("eval", *files, "--metrics", "bleu,llm-judge", *FAST, "--json", "out.json")
    assert done.returncode == 0, done.stderr
    told = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert {row["metric"] for row in told["scores"]} == {"bleu"}
    assert [(row["at_once"], row["later"], row["never"]) for row in told["judge_answers"]] == [(0, 0, N)] * 2
    warning = "LLM judge: no answer was understood for 40 of 40 outputs, which have no score."
    assert warning in {finding["code"]: finding["detail"] for finding in told["findings"]}["judge-answers"]
    assert warning in done.stdout
    alone = in_shell("eval", *files, "--metrics", "llm-judge", *FAST)
    assert alone.returncode != 0
    assert warning in alone.stderr


def test_python_gives_the_same_and_warns(endpoint: Endpoint, recwarn: pytest.WarningsRecorder) -> None:
    endpoint.answer = lambda prompt, number: "Score (0-100): 85" if "of old" in prompt else "between 80 and 90"
    texts = {name: [f"word {number} of {name}" for number in range(N)] for name in ("source", "reference", *SYSTEMS)}
    compared = mteval.compare(
        {name: [texts[name]] for name in SYSTEMS}, texts["reference"], source=texts["source"],
        metrics=["bleu", "llm-judge"], n_shuffles=100, n_bootstrap=50,
    )  # fmt: skip
    scores = compared.results.evaluation.scores
    assert scores[scores["metric"] == "llm-judge"][["system", "score"]].to_numpy().tolist() == [["old", 85.0]]
    answers = compared.results.evaluation.judge_answers.set_index("system")
    assert answers["never"].to_dict() == {"old": 0, "new": N}
    said = [str(warning.message) for warning in recwarn if "LLM judge" in str(warning.message)]
    assert any("no answer was understood for 20 of 40 outputs" in text for text in said), said


def test_answers_are_counted_by_when_they_were_understood(endpoint: Endpoint, files: list[str]) -> None:
    asked = dict[str, int]()

    def answer(prompt: str, number: int) -> str:
        prompt = prompt.removesuffix(AGAIN_NUMBER).removesuffix(AGAIN_JSON)
        asked[prompt] = asked.get(prompt, 0) + 1
        n_missed = 0 if "of old" in prompt else min(3, int(prompt.split("word ")[2].split()[0]) % 4)
        return "hard to say" if asked[prompt] <= n_missed else "70"

    endpoint.answer = answer
    done = in_shell("eval", *files, "--metrics", "llm-judge", *FAST, "--json", "out.json", "--format", "markdown")
    assert done.returncode == 0, done.stderr
    told = json.loads(Path("out.json").read_text(encoding="utf-8"))
    of_system = {row["system"]: row for row in told["judge_answers"]}
    assert [of_system["old"][name] for name in ("n_answers", "at_once", "later", "never")] == [N, N, 0, 0]
    assert [of_system["new"][name] for name in ("n_answers", "at_once", "later", "never")] == [N, 5, 10, 5]
    (note,) = (finding["detail"] for finding in told["findings"] if finding["code"] == "judge")
    assert "62.5% of its answers were understood at once, 25.0% after asking again, 12.5% never." in note
    assert "| LLM judge | new | 20 | 25.0% | 50.0% | 25.0% | 0.063 |" in done.stdout


def test_both_tables_of_a_judge_show_the_same_names(endpoint: Endpoint, files: list[str]) -> None:
    old = "o\x1b[31m\tld\u2028"
    new = "⟨U+0041⟩\r\nnew"
    texts = files[:4]
    named = ["--system", old, "old", "--system", new, "new"]
    done = in_shell("eval", *texts, *named, "--metrics", "llm-judge", *FAST)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.split("\n")
    for shown in ("o⟨U+001B⟩[31m⟨U+0009⟩ld⟨U+2028⟩", "⟨U+27E8⟩U+0041⟩⟨U+000D⟩⟨U+000A⟩new"):
        assert len([line for line in lines if re.match(rf"{re.escape(shown)} +80\.0 \(", line)]) == 1
        assert len([line for line in lines if re.match(rf"LLM judge  {re.escape(shown)} +20 ", line)]) == 1


def scored(answer_of: dict[str, str], n: int, repeats: int = 1) -> tuple[list[str], pd.DataFrame]:
    """Warnings about a judge that answers by system, and how often it was understood."""
    runs = tuple(Run(name, "0", tuple(f"word {number} of {name}" for number in range(n))) for name in answer_of)
    sources = tuple(f"word {number}" for number in range(n))
    experiment = Experiment((TestSet("test", ((),) * n, runs, source=sources),), next(iter(answer_of)))
    settings = Settings(metrics=("llm-judge",), options={"llm-judge": {"repeats": repeats}})
    (by_judge,) = score_experiment(experiment, resolve(settings), Work())
    found = [one.detail for one in findings_of(experiment, [by_judge], settings) if one.code == "judge-answers"]
    return found, pd.DataFrame(judge_answers(by_judge, experiment.baseline)).set_index("system")


@pytest.mark.parametrize(("n_missing", "differs"), [(5, False), (6, True), (20, True)])
def test_a_judge_that_fails_on_one_system_more_often_is_warned_of(
    endpoint: Endpoint, n_missing: int, differs: bool
) -> None:
    """Exact: as many missing answers as n_missing, all of one system, have p = 2 / 2**n_missing."""
    missing = {f"word {number} of new" for number in range(n_missing)}
    endpoint.answer = lambda prompt, number: "?" if any(f"<<<{text}>>>" in prompt for text in missing) else "70"
    found, answers = scored({"old": "", "new": ""}, N)
    assert answers.loc["new", "p_value"] == pytest.approx(2 / 2**n_missing)
    assert np.isnan(answers.loc["old", "p_value"])
    share = f"{n_missing / N:.1%}"
    assert f"Answers never understood, by system: old 0.0%, new {share}." in found[0]
    assert ("new differs from old (sign test over segments" in found[0]) == differs


def test_p_is_adjusted_for_the_number_of_systems(endpoint: Endpoint) -> None:
    endpoint.answer = lambda prompt, number: "?" if re.search(r"word 1\d? of b", prompt) else "70"
    _, answers = scored(dict.fromkeys("abc", ""), N)
    assert answers.loc["b", "p_value"] == pytest.approx(2 * 2 / 2**11)
    assert answers.loc["c", "p_value"] == 1


def test_repeats_are_answers_of_their_own(endpoint: Endpoint) -> None:
    endpoint.answer = lambda prompt, number: "?" if "word 0 of old" in prompt else "70"
    found, answers = scored({"old": ""}, 4, repeats=3)
    assert answers.loc["old", ["n_answers", "at_once", "later", "never"]].tolist() == [12, 9, 0, 3]
    assert found == ["LLM judge: no answer was understood for 1 of 4 outputs, which have no score."]
