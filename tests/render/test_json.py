"""JSON holds any text, without a character that acts on a terminal."""

import json

import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from mteval.base.words import visible
from mteval.render.frames import to_json

UNPRINTED = [*map(chr, range(0xA0)), "\u202e", "\u2066", "\ufffe", "\U0001ffff"]


@settings(deadline=None)
@given(st.text(st.one_of(st.sampled_from(UNPRINTED), st.characters(codec="utf-8"))))
def test_json_has_no_control_characters_and_the_same_text(text: str) -> None:
    written = to_json({"names": pd.DataFrame({"system": [text]})}, {})
    assert json.loads(written)["names"] == [{"system": text}]
    assert visible(written) == written
