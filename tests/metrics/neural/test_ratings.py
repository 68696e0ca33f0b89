"""MetricX-24 and BLEURT-20 by their own programs, with small models; the programs are the oracles."""

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mteval.base.errors import MissingDependencyError
from mteval.metrics import METRICS
from mteval.metrics.neural import environment, ratings, worker
from mteval.metrics.neural.environment import variables
from mteval.metrics.neural.named_models import FolderModel
from mteval.metrics.neural.panel import JudgedScorer
from mteval.values.model import TestSet
from tests.conftest import RATINGS
from tests.metrics.neural.conftest import N_SEGMENTS, OUTPUTS, lines

READ_TOGETHER = Path(__file__).with_name("read_together.py")
SEGMENTS = range(N_SEGMENTS)
TEXTS = lines(OUTPUTS[0])
SOURCES = lines("source.test.txt")
REFERENCES = lines("reference.test.txt")
Rating = tuple[Path, Path]  # interpreter and model


@pytest.fixture(autouse=True)
def _nothing_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What models said in other tests is not known."""
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path / "cache"))


def run(python: Path, words: list[str], text: str = "", **more_variables: str) -> str:
    """What a program prints that is given a text."""
    programs_own = {name: value for name, value in variables().items() if not name.startswith("MKL")}
    done = subprocess.run(
        [str(python), "-W", "ignore", *words],
        input=text,
        check=True,
        capture_output=True,
        text=True,
        env={**programs_own, **more_variables},
        timeout=300,
    )
    return done.stdout


def scorer(key: str, has_references: bool = True, **options: Any) -> JudgedScorer:
    """The scorer of a metric for the sample, whose segments have one reference each or none."""
    references: tuple[tuple[str, ...], ...] = ((),) * N_SEGMENTS
    if has_references:
        references = tuple((reference,) for reference in REFERENCES)
    metric = METRICS[key].configure("sacrebleu", options)
    prepared = metric.prepare(TestSet("test", references, source=SOURCES))
    assert isinstance(prepared, JudgedScorer)
    return prepared


def predicted(python: Path, folder: Path, tmp_path: Path, *more_words: str) -> list[float]:
    """What the authors' predict.py writes."""
    rows = []
    for source, reference, text in zip(SOURCES, REFERENCES, TEXTS, strict=True):
        rows.append(json.dumps({"source": source, "reference": reference, "hypothesis": text}) + "\n")
    questions = tmp_path / "in.jsonl"
    questions.write_text("".join(rows), encoding="utf-8")
    answers = tmp_path / "written" / "out.jsonl"
    words = ["-m", "metricx24.predict", "--tokenizer", str(folder), "--model_name_or_path", str(folder)]
    words += ["--max_input_length", "1536", "--batch_size", "1", "--input_file", str(questions)]
    words += ["--output_file", str(answers), *more_words]
    run(python, words, HF_DATASETS_CACHE=str(tmp_path / "datasets"))
    return [json.loads(line)["prediction"] for line in answers.read_text(encoding="utf-8").splitlines()]


@pytest.mark.long
def test_metricx_equals_its_authors_program_to_the_bit(metricx_model: Rating, tmp_path: Path) -> None:
    python, folder = metricx_model
    with_references = predicted(python, folder, tmp_path)
    without_references = predicted(python, folder, tmp_path, "--qe", "true")
    assert 0 < min(with_references) < max(with_references) < 25
    assert with_references != without_references

    statistics = scorer("metricx-24").statistics(SEGMENTS, TEXTS)
    np.testing.assert_array_equal(statistics[:, 0], with_references)
    for start in range(3):
        part = scorer("metricx-24").statistics(SEGMENTS[start::3], TEXTS[start::3])
        np.testing.assert_array_equal(part, statistics[start::3])

    ignores_them = scorer("metricx-24", references="no")
    has_none = scorer("metricx-24", has_references=False)
    for scorer_without in (ignores_them, has_none):
        np.testing.assert_array_equal(scorer_without.statistics(SEGMENTS, TEXTS)[:, 0], without_references)


@pytest.mark.long
def test_bleurt_equals_its_port_to_the_bit(bleurt_model: Rating) -> None:
    python, folder = bleurt_model
    pairs = json.dumps(list(zip(REFERENCES, TEXTS, strict=True)))
    ratings_of_port = json.loads(run(python, [str(RATINGS), "rate", str(folder)], pairs))
    assert np.ptp(ratings_of_port) > 0.1
    statistics = scorer("bleurt-20").statistics(SEGMENTS, TEXTS)
    np.testing.assert_array_equal(statistics[:, 0], [100 * rating for rating in ratings_of_port])


@pytest.mark.long
@pytest.mark.parametrize(("program", "points"), [("metricx", 1e-4), ("bleurt", 1e-6)])
def test_batches_of_a_graphics_card_change_only_the_last_digits(
    program: str, points: float, request: pytest.FixtureRequest
) -> None:
    """On the CPU, in the shapes of a card."""
    python, folder = request.getfixturevalue(f"{program}_model")
    samples = []
    for source, reference, text in zip(SOURCES, REFERENCES, TEXTS, strict=True):
        samples.append({"src": source, "ref": reference, "mt": text})
    samples += [{**sample, "mt": f"{sample['mt']} {number}"} for number in range(3) for sample in samples]
    shuffled = np.random.default_rng(3).permutation(len(samples))

    def together(samples: list[dict[str, str]], sizes: list[int]) -> list[dict[str, Any]]:
        words = [str(READ_TOGETHER), program, worker.__file__, str(folder)]
        answers: list[dict[str, Any]] = json.loads(run(python, words, json.dumps([samples, sizes])))
        return answers

    alone, five, many = together(samples, [1, 5, 64])
    (in_another_order,) = together([samples[place] for place in shuffled], [16])
    assert np.ptp(alone["scores"]) > 0.1
    np.testing.assert_allclose(five["scores"], alone["scores"], atol=points, rtol=0)
    np.testing.assert_allclose(many["scores"], alone["scores"], atol=points, rtol=0)
    expected = np.array(alone["scores"])[shuffled]
    np.testing.assert_allclose(in_another_order["scores"], expected, atol=points, rtol=0)

    assert {rows for rows, _ in alone["shapes"]} == {1}
    assert 3 < max(rows for rows, _ in five["shapes"]) <= 5
    assert len(many["shapes"]) < len(samples) / 3, "outputs of about equal length are read at once"
    lengths = [length for _, length in many["shapes"]]
    assert lengths == sorted(lengths, reverse=True), "the longest first"
    assert all(length % worker.STEP == 0 for length in lengths)


def test_a_batch_has_at_most_a_number_of_outputs_and_of_tokens() -> None:
    lengths = [9, 700, 16, 10, 700, 15, 1]
    batches = list(worker.Batches.of_size(lengths, 8))
    assert batches == [([1], 704), ([4], 704), ([0, 2, 3, 5], 16), ([6], 8)]
    assert list(worker.Batches.of_size(lengths, 2)) == [
        ([1], 704),
        ([4], 704),
        ([0, 2], 16),
        ([3, 5], 16),
        ([6], 8),
    ]
    assert list(worker.Batches.of_size([3, 4, 3], 1)) == [([0], 3), ([1], 4), ([2], 3)]


def test_only_scores_of_graphics_cards_are_signed_with_their_batches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    versions = {"bleurt-pytorch": "0.0.1"}
    monkeypatch.setattr(environment, "packages", lambda _: SimpleNamespace(versions=versions))
    model = FolderModel("bleurt-20", tmp_path)

    def signature(*devices: str, batch_size: int = 16) -> str:
        return ratings.Bleurt(model=model, python=tmp_path, devices=devices, batch_size=batch_size).signature()

    assert signature("cpu", batch_size=16) == signature("cpu", "cpu", batch_size=8)
    assert "|batch:8|pad:8|device:cuda|" in signature("cuda:0", batch_size=8)


@pytest.mark.parametrize(("key", "program"), [("metricx-24", "metricx"), ("bleurt-20", "bleurt")])
def test_missing_program_names_the_command_that_installs_it(
    key: str, program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("config.json", "model.safetensors"):
        (tmp_path / name).write_text("{}", encoding="utf-8")
    monkeypatch.setenv(f"MTEVAL_{program.upper()}", str(tmp_path))
    monkeypatch.setenv(f"MTEVAL_{program.upper()}_PYTHON", "/nowhere/python")
    if program == "metricx":
        monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
        with pytest.raises(MissingDependencyError, match="mteval models get google/mt5-large --no-weights"):
            METRICS[key].configure("sacrebleu", {})
        (tmp_path / "spiece.model").touch()
    with pytest.raises(MissingDependencyError, match=rf"'/nowhere/python'.* bin/neural {program},"):
        METRICS[key].configure("sacrebleu", {})


def test_fewer_errors_are_better() -> None:
    assert METRICS["metricx-24"].notation.direction == "↓"
    assert METRICS["bleurt-20"].notation.direction == "↑"


@pytest.mark.parametrize(
    ("config", "key"),
    [
        ('{"model_type": "mt5"}', "metricx-24"),
        ('{"model_type": "bleurt"}', "bleurt-20"),
        ('{"model_type": "bert"}', ""),
    ],
)
def test_a_models_configuration_says_which_program_it_needs(config: str, key: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(config, encoding="utf-8")
    family = ratings.family_of(tmp_path)
    if key:
        assert family is not None
        assert family.key == key
    else:
        assert family is None
