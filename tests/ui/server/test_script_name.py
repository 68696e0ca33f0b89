"""The server sends browsers no absolute path of its own."""

from pathlib import Path

import pytest

from benchmarks.served import ROOT, started
from tests.coroutines import completed
from tests.fuzz.addresses import drawn, leaked_path
from tests.patience import OUTER_LIMIT

LINKED = [False, True]


@pytest.mark.parametrize("is_linked", LINKED, ids=["folder", "link to it"])
def test_a_page_tells_the_name_of_its_script_without_the_folder(tmp_path: Path, is_linked: bool) -> None:
    folder = ROOT
    if is_linked:
        folder = tmp_path / "link"
        folder.symlink_to(ROOT)
    with started(tmp_path, folder) as (host, _):
        messages = completed(drawn(host, "", "", OUTER_LIMIT))
    (session,) = [message.new_session for message in messages if message.HasField("new_session")]
    assert session.main_script_path == "app.py"
    assert session.page_script_hash
    paths = [path for message in messages if (path := leaked_path(message, folder)) is not None]
    assert not paths
