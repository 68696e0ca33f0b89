"""What changed segment by segment, in words, in lists and in numbers, as sections that every form can show."""

from collections.abc import Callable, Iterator

import plotly.graph_objects as go
import pytest
from sacrebleu.metrics import TER

from mteval.analysis.evaluation import evaluate_scored
from mteval.analysis.results import Results
from mteval.analysis.scoring import Work, score_experiment
from mteval.analysis.segments.runs import RunPair
from mteval.analysis.segments.table import by_label
from mteval.analysis.summary import marks_errors
from mteval.analysis.words.groupings import Asked
from mteval.analysis.words.questions import GroupAnswers, WordData, by_segments
from mteval.answers import segments, words
from mteval.answers.experiments import composition
from mteval.answers.section import Section
from mteval.answers.segments import SegmentData
from mteval.metrics import resolve
from mteval.render.html import section_parts
from mteval.render.markdown import markdown_lines
from mteval.render.text import text_lines
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.notation import Notation
from mteval.values.settings import Settings

REFERENCES = (("the cat sat on the mat",), ("a dog barked at night",), ("it rains on every roof",))
OUTPUTS = {
    ("base", "0"): ("the cat sat", "a dog at night", "rains every roof"),
    ("base", "1"): ("a cat sat on", "dog barked", "it rains on a roof"),
    ("new", "0"): ("the cat sat on a mat", "a dog barked at night", "on every roof"),
    ("new", "1"): ("the cat on the mat", "the dog barked at night", "it rains on roofs"),
}


def _data(run_word: str = "run") -> SegmentData:
    """The first run of the baseline beside the second one of the system."""
    runs = tuple(Run(system, key, texts) for (system, key), texts in OUTPUTS.items())
    experiment = Experiment((TestSet("test", REFERENCES, runs),), "base")
    settings = Settings(metrics=("bleu", "ter"), n_bootstrap=20, n_shuffles=20, run_word=run_word)
    scored = score_experiment(experiment, resolve(settings), Work())
    evaluation = evaluate_scored(experiment, scored, settings, Work())
    results = Results(experiment, evaluation, experiment.test_sets[0])
    return segments.segment_data(results, scored, RunPair("base", "0", "new", "1"))


@pytest.fixture(scope="module")
def data() -> SegmentData:
    """The first run of the baseline beside the second one of the system."""
    return _data()


def grouped_by(data: SegmentData, labels: tuple[str, ...]) -> GroupAnswers:
    """The scores of segments by what each is labelled."""
    settings = data.results.settings
    scored = data.scored_by("bleu")
    return by_segments(scored, ("base", "new"), by_label(labels), "label", Notation("↑"), settings, Work())


def _sections(data: SegmentData) -> Iterator[Section]:
    """Every section about segments, and about words."""
    settings = data.results.settings
    word_data = WordData(data.test_set, ("base", "new"), settings)
    yield composition(data.results.experiment, data.runs)
    yield Section("ranked", "", table=segments.ranked(data, "ter"))
    yield segments.scores(data, 1, "ter")
    yield segments.all_runs(data, 1, "ter")
    yield segments.all_systems(data, 1, "bleu")
    by_kind = grouped_by(data, ("x", "y", "y"))
    yield words.groups_section(by_kind, "base", settings, "Kinds of segments", "buckets")
    yield words.groups_section(word_data.by_words(Asked()), "base", settings)
    yield from words.ngram_sections(word_data.ngrams("new"), ("base", "new"), settings)
    yield words.missed(word_data)


@pytest.mark.parametrize(
    "written",
    [
        lambda section: "\n".join(text_lines([section])),
        lambda section: "\n".join(markdown_lines([section])),
        lambda section: "".join(part for part in section_parts(section) if not isinstance(part, go.Figure)),
    ],
    ids=["text", "Markdown", "HTML"],
)
def test_every_form_shows_every_section_and_calls_a_run_what_it_is(written: Callable[[Section], str]) -> None:
    for section in _sections(_data("prompt")):
        text = written(section)
        assert text.strip()
        assert " run" not in text.lower()


def test_scores_of_a_segment_are_those_of_the_two_runs_and_their_difference(data: SegmentData) -> None:
    section = segments.scores(data, 0, "ter")
    assert section.table is not None
    shown = {}
    for name, score, *_ in section.table.texts:
        shown[name] = score
    assert shown["Difference"][0] in "+−"

    # The scores are sacreBLEU's, to one decimal.
    peer = TER()
    references = list(REFERENCES[0])
    base_score = peer.sentence_score(OUTPUTS["base", "0"][0], references).score
    new_score = peer.sentence_score(OUTPUTS["new", "1"][0], references).score
    assert number(shown["base · 0"]) == pytest.approx(base_score, abs=0.051)
    assert number(shown["new · 1"]) == pytest.approx(new_score, abs=0.051)
    assert number(shown["Difference"]) == pytest.approx(new_score - base_score, abs=0.051)
    assert [column.name for column in section.table.columns][1:] == ["TER ↓", "BLEU ↑"]
    assert section.parts[0].is_detail


def number(text: str) -> float:
    """A number with the minus of print."""
    return float(text.replace("−", "-"))


def test_outputs_say_which_runs_made_them(data: SegmentData) -> None:
    table = segments.all_runs(data, 1, "bleu").table
    assert table is not None
    assert [cell.help for _, cell, *_ in table.cells] == ["0", "1", "0", "1"]
    assert {cells[1] for cells in table.texts} == {"1 of 2"}


def test_examples_show_the_references_of_their_own_segment(data: SegmentData) -> None:
    section = segments.examples(data, [2, 0], "bleu")
    assert [(part.title, part.terms) for part in section.parts] == [
        ("Segment 3", (("Reference", "it rains on every roof"),)),
        ("Segment 1", (("Reference", "the cat sat on the mat"),)),
    ]


def test_segments_in_no_kind_are_counted(data: SegmentData) -> None:
    by_kind = grouped_by(data, ("x", "", "x"))
    (note, *_) = words.groups_section(by_kind, "base", data.results.settings).notes
    assert note.text == "1 segment in no group: a run has no score, or the label is unknown."


def test_no_marks_without_a_metric_that_marks_errors(data: SegmentData) -> None:
    assert not any(marks_errors(scored) for scored in data.scored)
    assert segments.marking(data) == []
