"""The log says what went wrong and where, and nothing of what visitors loaded."""

import io
import logging

import pytest

from mteval.ui.server.__main__ import keep_texts_out


def test_an_error_is_logged_without_its_words_and_those_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging, "_logRecordFactory", logging.LogRecord)
    keep_texts_out()
    out = io.StringIO()
    logger = logging.Logger("server")
    logger.addHandler(logging.StreamHandler(out))
    try:
        try:
            {}["a secret sentence"]
        except KeyError as error:
            raise ValueError("the file 'secret name.txt'") from error
    except ValueError:
        logger.exception("Uncaught app execution")
    assert "secret" not in out.getvalue()
    lines = out.getvalue().splitlines()
    assert lines[0] == "Uncaught app execution"
    assert [line for line in lines if line.startswith("builtins.")] == ["builtins.KeyError", "builtins.ValueError"]
    assert sum(f"{__file__}:" in line for line in lines) == 2
