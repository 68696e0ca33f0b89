"""From an endpoint's answers to what is read: scores, missing scores, and how often answers were understood."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

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
COUNTS = ("n_answers", "at_once", "later", "never")  # columns of the table of a judge's answers


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """The endpoint of the judge; what it said in other tests is not known."""
    with serving() as server:
        monkeypatch.setenv("MTEVAL_JUDGE", f"tiny-model@{server.url}")
        monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))
        yield server


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Options of a comparison of two systems with one run each."""
    monkeypatch.chdir(tmp_path)
    for name in ("source", "reference", *SYSTEMS):
        text = "".join(f"{line}\n" for line in lines_of(name))
        Path(name).write_text(text, encoding="utf-8")
    return ["--source", "source", "--refs", "reference", "--system", "old", "old", "--system", "new", "new"]


def lines_of(name: str, n: int = N) -> list[str]:
    """The lines of a file, which say where they are from."""
    return [f"word {number} of {name}" for number in range(n)]


def in_shell(*words: str) -> subprocess.CompletedProcess[str]:
    """Run mteval as a shell does."""
    command = [sys.executable, "-m", "mteval", *words]
    environment = {**os.environ, "COLUMNS": "200"}
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)


def results_in_shell(*words: str) -> tuple[dict[str, Any], str]:
    """Evaluate as a shell does; return the numbers that were written, and what was printed."""
    done = in_shell("eval", *words, *FAST, "--json", "out.json")
    assert done.returncode == 0, done.stderr
    return json.loads(Path("out.json").read_text(encoding="utf-8")), done.stdout


def test_an_endpoint_that_repeats_the_scale_gives_its_number_in_the_shell(endpoint: Endpoint, files: list[str]) -> None:
    endpoint.answer = lambda prompt, number: "Score (0-100): 85"

    results, printed = results_in_shell(*files, "--metrics", "llm-judge")

    assert {row["system"]: row["score"] for row in results["scores"]} == {"old": 85, "new": 85}
    assert [row["at_once"] for row in results["judge_answers"]] == [N, N]
    assert "judge-answers" not in {finding["code"] for finding in results["findings"]}
    assert "Warning: Answers of an LLM judge" not in printed
    assert "old          20              100.0%" in printed


@pytest.mark.parametrize("nonsense", ["Score: -20", "8.5/10", "Score: 90-95", '{"score": 1e999}', "no idea", ""])
def test_an_endpoint_that_is_not_understood_gives_no_score_and_a_warning(
    endpoint: Endpoint, files: list[str], nonsense: str
) -> None:
    endpoint.answer = lambda prompt, number: nonsense
    warning = "LLM judge: no answer was understood for 40 of 40 outputs, which have no score."

    results, printed = results_in_shell(*files, "--metrics", "bleu,llm-judge")
    assert {row["metric"] for row in results["scores"]} == {"bleu"}
    for row in results["judge_answers"]:
        assert row["at_once"] == 0
        assert row["later"] == 0
        assert row["never"] == N
    assert len(results["judge_answers"]) == len(SYSTEMS)
    detail_of_finding = {finding["code"]: finding["detail"] for finding in results["findings"]}
    assert warning in detail_of_finding["judge-answers"]
    assert warning in printed

    without_bleu = in_shell("eval", *files, "--metrics", "llm-judge", *FAST)
    assert without_bleu.returncode != 0
    assert warning in without_bleu.stderr


def test_python_gives_the_same_and_warns(endpoint: Endpoint, recwarn: pytest.WarningsRecorder) -> None:
    endpoint.answer = lambda prompt, number: "Score (0-100): 85" if "of old" in prompt else "between 80 and 90"

    comparison = mteval.compare(
        {"old": [lines_of("old")], "new": [lines_of("new")]},
        lines_of("reference"),
        source=lines_of("source"),
        metrics=["bleu", "llm-judge"],
        n_shuffles=100,
        n_bootstrap=50,
    )

    evaluation = comparison.results.evaluation
    scores_of_judge = evaluation.scores[evaluation.scores["metric"] == "llm-judge"]
    assert scores_of_judge[["system", "score"]].to_numpy().tolist() == [["old", 85.0]]
    answers = evaluation.judge_answers.set_index("system")
    assert answers["never"].to_dict() == {"old": 0, "new": N}
    warnings = [str(warning.message) for warning in recwarn if "LLM judge" in str(warning.message)]
    assert any("no answer was understood for 20 of 40 outputs" in warning for warning in warnings), warnings


def test_answers_are_counted_by_when_they_were_understood(endpoint: Endpoint, files: list[str]) -> None:
    n_requests_of = Counter[str]()

    def answer(prompt: str, number: int) -> str:
        """Old is understood at once; of new's segments a quarter each after 0, 1, 2 and 3 answers that are not."""
        # Asked again, a judge gets the same prompt with a sentence below it.
        prompt = prompt.removesuffix(AGAIN_NUMBER).removesuffix(AGAIN_JSON)
        n_requests_of[prompt] += 1
        n_not_understood = 0
        if "of old" not in prompt:
            segment = int(prompt.split("word ")[2].split()[0])
            n_not_understood = segment % 4
        if n_requests_of[prompt] <= n_not_understood:
            return "hard to say"
        return "70"

    endpoint.answer = answer

    results, printed = results_in_shell(*files, "--metrics", "llm-judge", "--format", "markdown")

    of_old, of_new = results["judge_answers"]
    assert of_old["system"] == "old"
    assert [of_old[name] for name in COUNTS] == [N, N, 0, 0]
    assert of_new["system"] == "new"
    assert [of_new[name] for name in COUNTS] == [N, 5, 10, 5]
    (note,) = (finding["detail"] for finding in results["findings"] if finding["code"] == "judge")
    assert "62.5% of its answers were understood at once, 25.0% after asking again, 12.5% never." in note
    assert "| LLM judge | new | 20 | 25.0% | 50.0% | 25.0% | 0.063 |" in printed


def test_both_tables_of_a_judge_show_the_same_names(endpoint: Endpoint, files: list[str]) -> None:
    texts = files[:4]
    systems = ["--system", "o\x1b[31m\tld\u2028", "old", "--system", "⟨U+0041⟩\r\nnew", "new"]

    done = in_shell("eval", *texts, *systems, "--metrics", "llm-judge", *FAST)

    assert done.returncode == 0, done.stderr
    for name in ("o⟨U+001B⟩[31m⟨U+0009⟩ld⟨U+2028⟩", "⟨U+27E8⟩U+0041⟩⟨U+000D⟩⟨U+000A⟩new"):
        row_of_scores = re.compile(rf"^{re.escape(name)} +80\.0 \(", re.MULTILINE)
        row_of_answers = re.compile(rf"^LLM judge  {re.escape(name)} +20 ", re.MULTILINE)
        assert len(row_of_scores.findall(done.stdout)) == 1
        assert len(row_of_answers.findall(done.stdout)) == 1


def scored(systems: Sequence[str], n: int, repeats: int = 1) -> tuple[list[str], pd.DataFrame]:
    """Score a run of each system; return the warnings about the judge, and how often it was understood."""
    runs = tuple(Run(name, "0", tuple(lines_of(name, n))) for name in systems)
    sources = tuple(f"word {number}" for number in range(n))
    experiment = Experiment((TestSet("test", ((),) * n, runs, source=sources),), systems[0])
    settings = Settings(metrics=("llm-judge",), options={"llm-judge": {"repeats": repeats}})

    (scored_metric,) = score_experiment(experiment, resolve(settings), Work())

    findings = findings_of(experiment, [scored_metric], settings)
    warnings = [finding.detail for finding in findings if finding.code == "judge-answers"]
    answers = pd.DataFrame(judge_answers(scored_metric, experiment.baseline))
    return warnings, answers.set_index("system")


@pytest.mark.parametrize(("n_missing", "differs"), [(5, False), (6, True), (20, True)])
def test_a_judge_that_fails_on_one_system_more_often_is_warned_of(
    endpoint: Endpoint, n_missing: int, differs: bool
) -> None:
    """Exact: as many missing answers as n_missing, all of one system, have p = 2 / 2**n_missing."""
    texts_without_answer = lines_of("new", n_missing)

    def answer(prompt: str, number: int) -> str:
        if any(f"<<<{text}>>>" in prompt for text in texts_without_answer):
            return "?"
        return "70"

    endpoint.answer = answer

    (warning,), answers = scored(["old", "new"], N)

    assert answers.loc["new", "p_value"] == pytest.approx(2 / 2**n_missing)
    assert np.isnan(answers.loc["old", "p_value"])
    share = f"{n_missing / N:.1%}"
    assert f"Answers never understood, by system: old 0.0%, new {share}." in warning
    assert ("new differs from old (sign test over segments" in warning) == differs


def test_p_is_adjusted_for_the_number_of_systems(endpoint: Endpoint) -> None:
    """Exact: 11 segments, 1 and 10 to 19, have no answer of b only; there are two comparisons."""
    endpoint.answer = lambda prompt, number: "?" if re.search(r"word 1\d? of b", prompt) else "70"

    _, answers = scored(["a", "b", "c"], N)

    assert answers.loc["b", "p_value"] == pytest.approx(2 * 2 / 2**11)
    assert answers.loc["c", "p_value"] == 1


def test_repeats_are_answers_of_their_own(endpoint: Endpoint) -> None:
    endpoint.answer = lambda prompt, number: "?" if "word 0 of old" in prompt else "70"

    warnings, answers = scored(["old"], 4, repeats=3)

    assert answers.loc["old", list(COUNTS)].tolist() == [12, 9, 0, 3]
    assert warnings == ["LLM judge: no answer was understood for 1 of 4 outputs, which have no score."]
