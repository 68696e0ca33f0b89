"""What stands in the address of a page, which anybody can write: what no setting takes is taken out before.

Segments that the user wants to find again: in the address of the page, and kept with the experiment.

Steps back and forward in the browser, as far as settings are concerned.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import get_session_state

from mteval.base.bounded_input import HALF_PAIR
from mteval.metrics import catalog
from mteval.report.kept_experiment import Bookmarks
from mteval.ui.setup.described_settings import widget_values
from mteval.ui.setup.settings_form import DEFAULTS
from mteval.ui.setup.workspace import BASELINE
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import CONVENTIONS

LONGEST = 1_000  # characters of a value; names of files are the longest
TEXTS = ("baseline", "test-set", "campaign", "annotator")  # a name may be called nan


def forget_odd_parameters() -> None:
    """Take numbers that are none, halves of characters and values without end out of the address."""
    odd = [name for name in st.query_params if _is_odd_parameter(name, st.query_params.get_all(name))]
    if not odd:
        return
    with get_session_state().query_params() as parameters:
        for name in odd:
            parameters.discard_param_no_forward_msg(name)
        parameters.set_initial_query_params_from_current()  # which is what widgets look at


def _is_odd_parameter(name: str, values: Sequence[str]) -> bool:
    return any(map(_is_odd, (name, *values))) or (name not in TEXTS and any(map(_is_no_number, values)))


def _is_odd(text: str) -> bool:
    return len(text) > LONGEST or HALF_PAIR.search(text) is not None


def _is_no_number(text: str) -> bool:
    """Whether it would be taken for a number and is infinite or undefined."""
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


MOST = 150  # in the address, which takes no value without end


def key_of(test_set: TestSet) -> str:
    """Of the field that names the bookmarked segments of a test set."""
    return f"seg-marked-{test_set.part_digests['references'][:8]}"  # the same with more runs


def bookmarked(test_set: TestSet) -> tuple[int, ...]:
    """The bookmarked segments, zero-based, in corpus order."""
    return _read(str(st.session_state.get(key_of(test_set)) or ""), test_set)


def _read(text: str, test_set: TestSet) -> tuple[int, ...]:
    """Those that a text names, counted from 1; what is no segment is passed over."""
    numbers = {int(found) - 1 for found in re.findall(r"\d{1,9}", text)}
    return tuple(sorted(number for number in numbers if 0 <= number < test_set.n_segments)[:MOST])


def _written(segments: Iterable[int]) -> str:
    return " ".join(str(segment + 1) for segment in sorted(segments))


def turn(test_set: TestSet, segment: int) -> None:
    """Bookmark a segment, or take its bookmark away. A callback."""
    st.session_state[key_of(test_set)] = _written({*bookmarked(test_set)} ^ {segment})


def all_bookmarks(experiment: Experiment | None) -> tuple[Bookmarks, ...]:
    """Those of all test sets that have any."""
    test_sets = () if experiment is None else experiment.test_sets
    found = (Bookmarks(test_set.name, bookmarked(test_set)) for test_set in test_sets)
    return tuple(one for one in found if one.segments)


def restored(kept: Iterable[Bookmarks], experiment: Experiment | None, address: Mapping[str, object]) -> dict[str, str]:
    """What the fields say where an experiment is opened: what was kept, and what the address names besides."""
    by_name = {one.test_set: set(one.segments) for one in kept}
    values: dict[str, str] = {}
    for test_set in () if experiment is None else experiment.test_sets:
        named = _read(str(address.get(key_of(test_set), "")), test_set)
        segments = by_name.get(test_set.name, set()) | set(named)
        if segments:
            values[key_of(test_set)] = _written(segments)
    return values


@contextmanager
def settings_that_stay() -> Iterator[None]:
    """Draw the widgets of the settings within this.

    After a step back Streamlit gives its default to whatever the address does not name. An address that names some
    setting was written with all that differed from their defaults, and says how they were; one that names none says
    nothing of them, as the address of an experiment, and those that are kept stay.
    """
    context = get_script_run_ctx()
    if context is None or not context.is_history_navigation or _names_settings():
        yield
        return
    context.is_history_navigation = False
    try:
        yield
    finally:
        context.is_history_navigation = True


def _names_settings() -> bool:
    known = {BASELINE, *widget_values(DEFAULTS, catalog(()))}
    return any(name in known or name.split(".")[0] in CONVENTIONS for name in st.query_params)
