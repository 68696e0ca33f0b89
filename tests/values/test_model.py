"""Values are checked when built, and digests cover what they say they cover."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.base.digests import digest_of
from mteval.base.errors import DataError, SettingsError
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Settings

REFERENCES = (("one",), ("two", "2"))


def make_test_set(**changes: object) -> TestSet:
    """Two systems on two segments, of which the second has two runs."""
    runs = (Run("base", "0", ("a", "b")), Run("new", "0", ("c", "d")), Run("new", "1", ("e", "f")))
    return dataclasses.replace(TestSet("test", REFERENCES, runs), **changes)


@given(left=st.lists(st.text()), right=st.lists(st.text()))
def test_digests_of_different_sequences_differ(left: list[str], right: list[str]) -> None:
    assert (digest_of(left) == digest_of(right)) == (left == right)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"references": ()}, "no segments"),
        ({"references": (("one",), ())}, "segment 2 has no reference"),
        ({"runs": (Run("new", "7", ("only one",)),)}, "System 'new', run '7' has 1 segment .* the references have 2"),
        ({"runs": (Run("new", "7", ("a", "b")),) * 2}, "run '7' appears 2 times"),
        ({"source": ("eins",)}, "source has 1 segment"),
        ({"documents": ("d", "d", "d")}, "documents has 3 segments"),
        ({"side": {"COMET": ("0.1",)}}, "Column 'COMET' has 1 segment"),
        ({"role": "train"}, "role 'train'"),
        ({"runs": (Run("new", "7", ("a", "b"), ("p",)),)}, "parse of system 'new', run '7' has 1 segment"),
        ({"reference_parses": (("p",),)}, "parse of the references has 1 segment"),
        ({"reference_parses": (("p",), ("p",))}, "segment 2 has 2 references and 1 parse"),
    ],
)
def test_a_test_set_that_does_not_fit_together_says_what_does_not(changes: dict[str, object], words: str) -> None:
    with pytest.raises(DataError, match=words):
        make_test_set(**changes)


def test_systems_keep_the_order_of_their_first_runs() -> None:
    base, new = make_test_set().systems

    assert (base.key, base.runs) == ("base", ("0",))
    assert (new.key, new.runs) == ("new", ("0", "1"))


def test_the_baseline_comes_first_and_runs_are_united_over_test_sets() -> None:
    dev = TestSet("dev", (("r",),), (Run("base", "9", ("h",)), Run("new", "1", ("h",))), role="dev")

    new, base = Experiment((make_test_set(), dev), baseline="new").systems

    assert (new.key, new.runs) == ("new", ("0", "1"))
    assert (base.key, base.runs) == ("base", ("0", "9"))


def test_an_unknown_baseline_is_refused_with_the_systems_there_are() -> None:
    with pytest.raises(DataError, match="baseline 'mine' is not among the systems: base, new"):
        Experiment((make_test_set(),), baseline="mine")


def test_two_test_sets_of_one_name_are_refused() -> None:
    with pytest.raises(DataError, match="'test' appears 2 times"):
        Experiment((make_test_set(), make_test_set()), baseline="base")


def test_an_unknown_test_set_is_refused_with_those_there_are() -> None:
    with pytest.raises(DataError, match="'dev'; there are: test"):
        Experiment((make_test_set(),), baseline="base").test_set("dev")


def test_the_digest_of_a_run_ignores_its_names_and_that_of_a_test_set_its_runs() -> None:
    assert Run("a", "1", ("x",)).digest == Run("b", "2", ("x",)).digest
    assert make_test_set().digest == make_test_set(runs=(), name="other", role="dev").digest


@pytest.mark.parametrize(
    "changes",
    [{"source": ("s", "t")}, {"documents": ("d", "e")}, {"side": {"x": ("1", "2")}}, {"references": (("1",),) * 2}],
)
def test_the_digest_of_a_test_set_covers_every_part(changes: dict[str, object]) -> None:
    assert make_test_set(runs=(), **changes).digest != make_test_set(runs=()).digest


def test_references_split_otherwise_have_another_digest() -> None:
    two_and_one = TestSet("t", (("a", "b"), ("c",)))
    one_and_two = TestSet("t", (("a",), ("b", "c")))

    assert two_and_one.digest != one_and_two.digest


def test_the_digest_of_an_experiment_covers_names_roles_and_baseline() -> None:
    digests = {
        Experiment((make_test_set(),), "base").digest,
        Experiment((make_test_set(),), "new").digest,
        Experiment((make_test_set(name="other"),), "base").digest,
        Experiment((make_test_set(role="dev"),), "base").digest,
    }

    assert len(digests) == 4


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"metrics": ()}, "No metric"),
        ({"metrics": ("bleu", "bleu")}, "twice"),
        ({"convention": "moses"}, "convention is 'moses'; expected sacrebleu or multeval"),
        ({"n_bootstrap": 1}, "1 bootstrap replicate; at least 2"),
        ({"n_shuffles": 0}, "0 shuffles"),
        ({"seed": -1}, "seed is -1"),
        ({"confidence": 1.0}, "confidence level is 1.0"),
        ({"exchange_unit": "word"}, "unit is 'word'"),
        ({"workers": -2}, "-2 workers"),
    ],
)
def test_a_setting_outside_its_range_says_what_was_found_and_expected(changes: dict[str, object], words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        Settings(**changes)


def test_parses_change_the_digest_of_the_experiment_and_not_that_of_the_run() -> None:
    plain = make_test_set()
    _, *runs_of_new = plain.runs
    base_parsed = Run("base", "0", ("a", "b"), ("p", "q"))
    base_parsed_otherwise = Run("base", "0", ("a", "b"), ("pq", ""))
    with_parse = make_test_set(runs=(base_parsed, *runs_of_new))
    with_another_parse = make_test_set(runs=(base_parsed_otherwise, *runs_of_new))
    with_reference_parses = make_test_set(reference_parses=(("p",), ("q", "r")))
    variants = [plain, with_parse, with_another_parse, with_reference_parses]

    assert len({Experiment((test_set,), "base").digest for test_set in variants}) == len(variants)
    assert len({test_set.runs[0].digest for test_set in variants}) == 1
    assert [test_set for test_set in variants if "reference_parses" in test_set.part_digests] == [with_reference_parses]
