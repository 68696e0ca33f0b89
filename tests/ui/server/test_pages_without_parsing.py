"""Pages open whatever other threads parse: Python 3.11 fails if two threads make syntax trees at once."""

import ast
from pathlib import Path
from unittest.mock import patch

import pytest
from streamlit.runtime.scriptrunner.script_cache import ScriptCache

ROOT = Path(__file__).parents[3]
SCRIPTS = [ROOT / "app.py", *sorted((ROOT / "pages").glob("*.py"))]


@pytest.mark.parametrize("script", SCRIPTS, ids=[path.name for path in SCRIPTS])
def test_a_page_is_opened_without_making_a_syntax_tree(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    with patch("ast.parse", wraps=ast.parse) as parse:
        code = ScriptCache().get_bytecode(str(script))
    assert parse.call_count == 0
    assert code.co_filename == str(script)
