"""METEOR's options, from the user's words to the parameters."""

import pytest

from mteval.base.errors import SettingsError
from mteval.metrics.meteor import SPEC, Meteor
from mteval.metrics.meteor.data import LANGUAGES, TASKS, tuned_parameters
from tests.extras import needs_meteor

EXACT = {"modules": "exact"}


@needs_meteor
def test_the_conventions_differ_in_the_text_they_expect():
    assert SPEC.configure("multeval", {}).normalization == "none"
    assert SPEC.configure("sacrebleu", {}).normalization == "tokenize"


@needs_meteor
def test_dropping_punctuation_normalizes_as_multeval_does():
    assert SPEC.configure("multeval", {"keep_punctuation": False}).normalization == "no-punctuation"


@needs_meteor
def test_text_options_are_parsed():
    metric = SPEC.configure(
        "multeval", {"modules": "stem exact", "weights": ".5 1", "params": "1 2 3 4", "beam_size": 7}
    )
    settled = metric.settled
    assert dict(settled.weights) == {"exact": 1, "stem": 0.5}
    assert (settled.alpha, settled.beta, settled.gamma, settled.delta) == (1, 2, 3, 4)
    assert settled.slots == (1, 0.5, 0, 0)
    assert metric.beam_size == 7


# Denkowski and Lavie's parameters for English ranking, as METEOR 1.5 prints them
def test_the_default_parameters_are_those_for_ranking_in_english():
    settled = Meteor().settled
    assert (settled.alpha, settled.beta, settled.gamma, settled.delta) == (0.85, 0.2, 0.6, 0.75)
    assert settled.slots == (1, 0.6, 0.8, 0.6)


@pytest.mark.parametrize(("task", "language"), [("rank", "it"), ("adq", "de"), ("hter", "fr"), ("util", "other")])
def test_task_and_language_without_parameters_is_an_error(task, language):
    with pytest.raises(SettingsError, match=f"'{task}'.*'{language}'.*'li'"):
        Meteor(task=task, language=language)


def test_language_independent_tasks_have_parameters_for_every_language():
    for language in LANGUAGES:
        for task in ("li", "tune", "universal"):
            assert tuned_parameters(task, language).weights["exact"] == 1
    assert set(tuned_parameters("li", "en").weights.values()) == {1, 0.5}
    assert set(tuned_parameters("li", "it").weights) == {"exact", "stem"}


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"modules": "exact stems"}, "exact stems.*expected some of"),
        ({"modules": "exact exact"}, "exact exact"),
        ({"modules": "exact stem", "weights": "1"}, "1 weight for 2 modules"),
        ({"modules": "exact", "weights": "one"}, "'weights' is 'one'.*numbers"),
        ({"modules": "exact", "params": "1 2 3"}, "3 parameters; expected four"),
        ({"task": "universal", "modules": "exact stem"}, "no weight for module 'stem'"),
        ({"beam_size": 0}, "--meteor.beamSize is 0"),
        ({"language": "xx"}, "--meteor.language is 'xx'"),
        ({"normalization": "no-punctuation"}, "--meteor.normalization"),
        ({"language": "it", "task": "li", "normalization": "tokenize"}, "no tokenizer for 'it'"),
        ({"tasks": "rank"}, "no option 'tasks'"),
    ],
)
def test_inconsistent_options_are_errors(options, words):
    with pytest.raises(SettingsError, match=words):
        SPEC.configure("multeval", options)


def test_every_option_that_changes_numbers_changes_the_signature(tmp_path):
    table = tmp_path / "table"
    table.write_text("1\na\nb\n")
    variants = [
        Meteor(),
        *(Meteor(task=task) for task in TASKS if task != "rank"),
        Meteor(language="de"),
        Meteor(modules=("exact",)),
        Meteor(weights=(1, 1, 1, 1)),
        Meteor(parameters=(1, 1, 1, 1)),
        Meteor(beam_size=3),
        Meteor(normalization="lowercase"),
        Meteor(paraphrase_file=table),
    ]
    signatures = {metric.signature() for metric in variants}
    assert len(signatures) == len(variants)
    table.write_text("1\na\nc\n")
    assert Meteor(paraphrase_file=table).signature() not in signatures
