"""The languages of a test set as they are declared."""

import pytest

from mteval.base.errors import SettingsError
from mteval.values.languages import codes_of, language_pair


@pytest.mark.parametrize(
    ("written", "kept", "codes"),
    [
        ("en-liv", "en-liv", ("en", "liv")),
        (" EN-de ", "en-de", ("en", "de")),
        ("en-zh_CN", "en-zh_CN", ("en", "zh")),
        ("pt_BR-en", "pt_BR-en", ("pt", "en")),
    ],
)
def test_a_pair_is_two_codes_the_source_first(written: str, kept: str, codes: tuple[str, str]) -> None:
    assert language_pair(written) == kept
    assert language_pair(kept) == kept
    assert codes_of(kept) == codes


@pytest.mark.parametrize("written", ["", "de", "en-", "english-german", "en-de-fr", "en/de", "e-d", "<b>-en"])
def test_anything_else_is_refused_with_what_is_expected(written: str) -> None:
    with pytest.raises(SettingsError, match="en-de"):
        language_pair(written)
