"""Whatever stands in an address: a page opens, says nothing of the server, and opens no file."""

from pathlib import Path
from typing import Any

import pytest

from mteval.metrics import METRICS
from mteval.metrics.meteor import paraphrases
from tests.hostile.inputs import ADDRESSES
from tests.pages.conftest import App, systems


@pytest.mark.parametrize("address", ADDRESSES, ids=range(len(ADDRESSES)))
def test_a_page_opens_whatever_stands_in_its_address(address: dict[str, str]) -> None:
    app = App().open(**address)
    assert not app.page.exception
    app.unfold("settings-panel")
    assert not app.page.exception
    assert app.page.number_input(key="seed").value == 12345


def test_no_address_has_a_file_of_the_server_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Any] = []
    monkeypatch.setattr(paraphrases, "identity_of", lambda path: opened.append(path) or (path, 0, 0))
    secret = tmp_path / "secret"
    secret.write_text("0.1\na\nb\n")
    paths = [option.name for option in METRICS["meteor"].options if option.kind == "path"]
    assert paths
    values = {f"{convention}.meteor.{name}": str(secret) for convention in ("sacrebleu", "multeval") for name in paths}
    asked = {"sacrebleu.meteor.modules": "exact"}  # an option that a visitor may set, so that all are looked at
    app = App().open(primary="METEOR", **values, **asked)
    assert not app.page.exception
    assert app.page.selectbox(key="primary").value == "meteor"
    assert app.page.text_input(key="sacrebleu.meteor.modules").value == "exact"
    assert secret not in opened
    assert not [widget for widget in app.page.text_input if widget.key in values]


def test_no_file_that_is_dropped_has_a_file_of_the_server_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    monkeypatch.setattr(paraphrases, "identity_of", lambda path: opened.append(path) or (path, 0, 0))
    secret = tmp_path / "secret"
    secret.write_text("0.1\na\nb\n")
    experiment = (
        'format = 1\nbaseline = "base"\n[settings]\nmetrics = ["meteor"]\n'
        f'[settings.options.meteor]\nmodules = "exact paraphrase"\nparaphrase_file = "{secret}"\n'
        '[[test_sets]]\nname = "t"\nrole = "test"\nreferences = ["refs.txt"]\n'
        '[test_sets.systems.base]\n0 = "base/opt0.txt"\n'
    )
    app = App().open().drop(systems(base=1) | {"experiment.toml": experiment})
    assert "paths on the server are ignored here" in app.text
    options = app.page.session_state["settings"].options
    assert options == {"meteor": {"modules": "exact paraphrase"}}
    assert secret not in opened
