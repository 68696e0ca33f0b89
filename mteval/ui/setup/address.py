"""What stands in the address of a page, which anybody can write: what no setting takes is taken out before."""

import math
from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.state import get_session_state

from mteval.checked_table import HALF_PAIR

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
