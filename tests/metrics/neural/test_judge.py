"""LLM judges, asked over HTTP at a server here that answers as OpenAI-compatible endpoints do."""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from mteval.base.errors import MtevalError, SettingsError
from mteval.cli import main
from mteval.metrics import METRICS
from mteval.metrics.base import OptionValue
from mteval.metrics.neural import exchange
from mteval.metrics.neural.asking import JudgeScorer
from mteval.metrics.neural.judge import Judge
from mteval.values.judgements import ErrorSpan
from mteval.values.model import Run, TestSet
from tests.judge_endpoint import Endpoint, serving

SOURCES = ("Das Haus ist klein .", "Ein Baum .")
OUTPUTS = ("The house is small .", "A tree .")


@pytest.fixture
def endpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """A server that judges, and a cache without judgements."""
    with serving() as server:
        monkeypatch.setenv("MTEVAL_JUDGE", f"tiny-model@{server.url}")
        monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))
        yield server


def scorer(**options: OptionValue) -> JudgeScorer:
    """The judge with some options, on two segments without references."""
    metric = METRICS["llm-judge"].configure("sacrebleu", options)
    assert isinstance(metric, Judge)
    return metric.prepare(TestSet("test", ((), ()), source=SOURCES, languages="de-en"))


def findings_in(report: Path) -> dict[str, str]:
    """The details of the findings in a JSON file, by their codes."""
    findings = json.loads(report.read_text())["findings"]
    return {finding["code"]: finding["detail"] for finding in findings}


def test_the_request_has_model_texts_and_key(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_JUDGE_KEY", "secret")
    judge = scorer(temperature=0.5)
    statistics = judge.statistics([0, 1], OUTPUTS)
    np.testing.assert_array_equal(statistics, [[80, 1, 100, 0, 0, 100, 3]] * 2)
    assert judge.score(statistics.sum(axis=0)) == 80
    (body,) = [body for body in endpoint.bodies if "Baum" not in str(body)]
    prompt = str(body["messages"])
    assert body["model"] == "tiny-model"
    assert body["temperature"] == 0.5
    assert SOURCES[0] in prompt
    assert OUTPUTS[0] in prompt
    assert "German source" in prompt
    assert "good English" in prompt
    assert {headers["Authorization"] for headers in endpoint.headers} == {"Bearer secret"}
    assert "secret" not in METRICS["llm-judge"].configure("sacrebleu", {}).signature()


def test_texts_with_fields_of_the_template_stay_as_they_are(
    endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "prompt.txt"
    file.write_text("{output} | {source} | {other}", encoding="utf-8")
    before = METRICS["llm-judge"].configure("sacrebleu", {}).signature()
    monkeypatch.setenv("MTEVAL_JUDGE_TEMPLATE", str(file))
    scorer().statistics([1], ["{source}"])
    assert endpoint.bodies[0]["messages"] == [{"role": "user", "content": "{source} | Ein Baum . | {other}"}]
    assert METRICS["llm-judge"].configure("sacrebleu", {}).signature() != before
    file.write_text("Judge!", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"does not contain \{output\}"):
        scorer()


def test_repeats_are_averaged_and_only_new_ones_are_asked(endpoint: Endpoint) -> None:
    endpoint.answer = lambda prompt, number: str(70 + 10 * (number % 2))
    once = scorer(repeats=1).statistics([0], OUTPUTS[:1])
    assert once[0, 0] == 80
    twice = scorer(repeats=2).statistics([0], OUTPUTS[:1])
    np.testing.assert_allclose(twice[0], [75, 1, 100, 0, np.std([80, 70], ddof=1), 200, 6])
    assert len(endpoint.bodies) == 2
    scorer(repeats=2).statistics([0], OUTPUTS[:1])
    assert len(endpoint.bodies) == 2


def test_outputs_without_an_understood_answer_have_no_score_and_are_not_asked_about_again(endpoint: Endpoint) -> None:
    def not_about_the_tree(prompt: str, number: int) -> str:
        if "Baum" in prompt:
            return "cannot say"
        return "50"

    endpoint.answer = not_about_the_tree
    statistics = scorer().statistics([0, 1], OUTPUTS)
    assert statistics[0, 0] == 50
    np.testing.assert_array_equal(statistics[1], [np.nan, 1, 0, 0, 0, 300, 9])
    n_asked = len(endpoint.bodies)
    np.testing.assert_array_equal(scorer().statistics([0, 1], OUTPUTS), statistics)
    assert len(endpoint.bodies) == n_asked == 4


@pytest.mark.parametrize(
    ("protocol", "refused", "asked_for"),
    [
        ("direct", 400, "Answer with the number alone"),
        ("direct", 0, "Answer with the JSON alone"),
        ("mqm", 400, "Answer with the JSON alone"),
        ("esa", 400, "Answer with the JSON alone"),
    ],
)
def test_a_question_that_is_repeated_asks_for_the_answer_alone(
    endpoint: Endpoint, protocol: str, refused: int, asked_for: str
) -> None:
    endpoint.refuses_schema = refused
    endpoint.answer = lambda prompt, number: "It is good."
    assert np.isnan(scorer(protocol=protocol).statistics([0], OUTPUTS[:1])[0, 0])
    prompts = [body["messages"][0]["content"] for body in endpoint.bodies]
    first, second, third = prompts[-3:]
    assert asked_for not in first
    assert second == third
    assert second.startswith(f"{first}\n\n{asked_for}")


def test_a_score_that_ends_the_quoted_source_is_not_the_judges(endpoint: Endpoint) -> None:
    endpoint.answer = lambda prompt, number: "The source says:\nScore: 85"
    metric = METRICS["llm-judge"].configure("sacrebleu", {})
    assert isinstance(metric, Judge)
    sources = ("Das Spiel endete. Score: 85", "Ein Baum .")
    judge = metric.prepare(TestSet("test", ((), ()), source=sources, languages="de-en"))
    answers = judge.statistics([0, 1], OUTPUTS)
    np.testing.assert_array_equal(answers[:, 0], [np.nan, np.nan])
    endpoint.answer = lambda prompt, number: "All of it is there.\nScore: 85"
    answers = judge.statistics([0, 1], ("The match ended.", "A tree."))
    np.testing.assert_array_equal(answers[:, 0], [np.nan, 85])


def test_temporary_refusals_are_tried_again(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = list[float]()
    monkeypatch.setattr(exchange.Exchange, "_pause", lambda of, seconds: pauses.append(seconds))
    refusals = {1: (429, {"Retry-After": "7"}), 2: (503, {})}
    endpoint.answer = lambda prompt, number: refusals.get(number, "90")
    assert scorer().statistics([0], OUTPUTS[:1])[0, 0] == 90
    assert [pause for pause in pauses if pause > 0] == [7, 2]


def test_a_refusal_names_what_to_check_and_a_redirect_is_not_followed(endpoint: Endpoint) -> None:
    for status, headers in ((401, {}), (307, {"Location": "http://127.0.0.1:9/v1/chat/completions"})):
        endpoint.answer = lambda prompt, number, answer=(status, headers): answer
        with pytest.raises(MtevalError, match=rf"answered {status} .*quota exceeded.*MTEVAL_JUDGE_KEY"):
            scorer().statistics([0], OUTPUTS[:1])


def test_it_stops_within_a_second_and_resumes(endpoint: Endpoint) -> None:
    release = threading.Event()

    def slow(prompt: str, number: int) -> str:
        if number > 3:
            release.wait(20)
        return "60"

    endpoint.answer = slow
    texts = [f"tree {number}" for number in range(40)]
    segments = [0] * len(texts)
    stopped_at = list[float]()

    def stop_soon(done: float) -> None:
        if done > 0:
            stopped_at.append(time.monotonic())
            raise InterruptedError

    with pytest.raises(InterruptedError):
        scorer().statistics_and_more(segments, texts, stop_soon)
    assert time.monotonic() - stopped_at[0] < 1
    release.set()
    scorer().statistics(segments, texts)
    assert sum("tree 0" in str(body) for body in endpoint.bodies) == 1


def test_the_command_ends_soon_after_a_signal_while_answers_are_under_way(endpoint: Endpoint, tmp_path: Path) -> None:
    release = threading.Event()
    is_asked = threading.Event()

    def slow(prompt: str, number: int) -> str:
        is_asked.set()
        release.wait(60)
        return "60"

    endpoint.answer = slow
    (tmp_path / "text").write_text("a tree\na house\n", encoding="utf-8")
    words = ["eval", "--source", "text", "--refs", "text", "--system", "base", "text", "--metrics", "llm-judge"]
    hear_signals = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)  # what runs behind a shell may ignore it
    with subprocess.Popen(
        [sys.executable, "-m", "mteval", *words], cwd=tmp_path, stderr=subprocess.PIPE, preexec_fn=hear_signals
    ) as command:
        assert is_asked.wait(60)
        start = time.monotonic()
        command.send_signal(signal.SIGINT)
        assert command.wait(60) == 130
        assert time.monotonic() - start < 5
    release.set()


def test_the_rate_is_kept(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_JUDGE_RATE", "600")
    start = time.monotonic()
    scorer().statistics([0] * 6, [f"tree {number}" for number in range(6)])
    assert time.monotonic() - start > 0.45
    monkeypatch.setenv("MTEVAL_JUDGE_RATE", "many")
    with pytest.raises(SettingsError, match="MTEVAL_JUDGE_RATE is 'many'"):
        scorer().statistics([0], ["another tree"])


def test_marked_errors_are_known_after_scoring(endpoint: Endpoint) -> None:
    endpoint.answer = lambda prompt, number: '[{"span": "house", "category": "accuracy", "severity": "major"}]'
    judge = scorer(protocol="mqm")
    run = Run("new", "0", OUTPUTS)
    assert judge.error_spans(run) is None
    statistics = judge.statistics([0, 1], OUTPUTS)
    np.testing.assert_array_equal(statistics[0], [-5, 1, 100, 0, 0, 100, 3, 0, 1, 0])
    spans = judge.error_spans(run)
    assert spans is not None
    assert spans[0] == (ErrorSpan(4, 9, "major", "accuracy"),)


def test_the_command_line_estimates_beforehand_and_counts_afterwards(
    endpoint: Endpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MTEVAL_JUDGE", "")
    monkeypatch.setenv("MTEVAL_JUDGE_PRICE", "1000/2000")

    def no_idea_of_one_segment(prompt: str, number: int) -> str:
        if "word 3 of new" in prompt:
            return "no idea"
        return str(len(prompt) % 90)

    endpoint.answer = no_idea_of_one_segment
    files = {"src": "quelle", "ref": "reference", "old.0": "old", "old.1": "old", "new.0": "new", "new.1": "new"}
    for name, text in files.items():
        lines = [f"word {number} of {text} {name}" for number in range(8)]
        (tmp_path / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    source, reference, *outputs = [str(tmp_path / name) for name in files]
    words = ["eval", "--source", source, "--refs", reference]
    words += ["--system", "old", *outputs[:2], "--system", "new", *outputs[2:]]
    words += ["--metrics", "llm-judge", "--llm-judge.model", f"tiny-model@{endpoint.url}", "--ar-shuffles", "100"]
    assert main([*words, "--json", str(tmp_path / "out.json")]) == 0
    host = endpoint.url.split("/")[2]
    error = capsys.readouterr().err
    assert f"LLM judge sends source and outputs to {host}: 32 requests, about" in error
    findings = findings_in(tmp_path / "out.json")
    assert findings["judge-answers"] == (
        "LLM judge: no answer was understood for 2 of 32 outputs, which have no score. Answers never understood, by"
        " system: old 0.0%, new 12.5%."
    )
    assert "32 distinct outputs: 3,600 tokens read and 108 written ($3.82)" in findings["judge"]
    assert main(words) == 0
    assert "requests" not in capsys.readouterr().err
    endpoint.answer = lambda prompt, number: "no idea"
    assert main([*words, "--llm-judge.protocol", "esa"]) != 0
    assert "LLM judge: no answer was understood for 32 of 32 outputs, which have no score." in capsys.readouterr().err


def test_a_system_with_one_run_and_no_valid_answer_is_left_out_and_named(endpoint: Endpoint, tmp_path: Path) -> None:
    def no_idea_of_one_system(prompt: str, number: int) -> str:
        if "of mute" in prompt:
            return "no idea"
        return str(len(prompt) % 90)

    endpoint.answer = no_idea_of_one_system
    path_of = {}
    for name in ("quelle", "reference", "old", "new", "mute"):
        path = tmp_path / name
        path.write_text("\n".join(f"word {number} of {name}" for number in range(8)), encoding="utf-8")
        path_of[name] = str(path)
    words = ["eval", "--source", path_of["quelle"], "--refs", path_of["reference"]]
    for name in ("old", "new", "mute"):
        words += ["--system", name, path_of[name]]
    words += ["--metrics", "bleu,llm-judge", "--llm-judge.model", f"tiny-model@{endpoint.url}", "--ar-shuffles", "100"]
    assert main([*words, "--json", str(tmp_path / "out.json")]) == 0
    findings = findings_in(tmp_path / "out.json")
    assert findings["not-compared"] == "LLM judge scored no segment of mute, so LLM judge does not compare mute."


@pytest.mark.parametrize("named", ["tiny-model", "m@ftp://host", "@http://host", "m@http://"])
def test_an_address_that_is_none_is_an_error(named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_JUDGE", named)
    with pytest.raises(SettingsError, match=r"expected MODEL@https://host/v1"):
        METRICS["llm-judge"].configure("sacrebleu", {})
