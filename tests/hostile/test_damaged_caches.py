"""One bit that is another one in a file that mteval keeps: the same numbers, or what is kept is made again.

Compiled code and the library, whose contents are the user's, have tests of every bit where they are tested.
"""

import os
import re
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from mteval.annotations import Sampled, deal_tasks, from_json, open_store
from mteval.base.errors import MtevalError
from mteval.metrics.neural.models import Judgement
from mteval.metrics.neural.panel import keep_judgements, kept_judgements
from mteval.values.asker import OPERATOR
from mteval.values.judgements import ErrorSpan
from tests.extras import needs_meteor
from tests.hostile.inputs import exported

ROOT = Path(__file__).parents[2]
KEEPERS = {  # modules that write below the directory of the cache, and the test that damages what they write
    "mteval/analysis/scoring.py": "here",  # statistics
    "mteval/metrics/meteor/paraphrases.py": "here",
    "mteval/metrics/neural/panel.py": "here",
    "mteval/base/kernels.py": "tests/base/test_kernels.py",
    "mteval/ui/server/__main__.py": "tests/base/test_kernels.py",
}
TABLE = "0.1\na b\nc\n0.2\nd\na b c\n0.3\na b\nd\n0.4\na b\nc\n"
TEXTS = {"refs": "a b c d e f\ng h i k l\n", "base": "a b d e f\ng h i l k\n", "new": "c c d e f\nk l g h i\n"}
SPANS = (ErrorSpan(0, 2, "minor", confidence=0.5),)


def test_every_module_that_keeps_files_is_known() -> None:
    call = re.compile(r"(?<!def )\bcache_directory\(\)")

    keepers = set()
    for path in (ROOT / "mteval").rglob("*.py"):
        if call.search(path.read_text(encoding="utf-8")):
            keepers.add(str(path.relative_to(ROOT)))
    assert keepers == set(KEEPERS)


def with_a_bit_changed(content: bytes, place: int) -> bytes:
    """The content with one bit of the byte at a place changed, a different bit from place to place."""
    byte = content[place] ^ 1 << place % 8
    return content[:place] + bytes([byte]) + content[place + 1 :]


def places_of_data(content: bytes) -> list[int]:
    """The places of bytes that are not zero: a database is mostly empty."""
    return [place for place, byte in enumerate(content) if byte]


def numbers(folder: Path) -> bytes:
    """All numbers of a small comparison, by a process that keeps its files in the folder."""
    command = [sys.executable, "-m", "mteval", "eval"]
    command += [f"--refs={folder / 'refs'}", f"--hyps-baseline={folder / 'base'}", f"--hyps-sys1={folder / 'new'}"]
    command += ["--metrics", "bleu", "ter", "meteor", f"--meteor.paraphraseFile={folder / 'table'}"]
    command += ["--boot-samples=20", "--ar-shuffles=50", f"--json={folder / 'out.json'}"]
    environment = os.environ | {"MTEVAL_CACHE": str(folder / "cache")}
    subprocess.run(command, check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    return (folder / "out.json").read_bytes()


@needs_meteor
def test_statistics_and_meteors_index_are_made_again_and_give_the_same_numbers(tmp_path: Path) -> None:
    for name, text in {**TEXTS, "table": TABLE}.items():
        (tmp_path / name).write_text(text)
    cache = tmp_path / "cache"

    expected_numbers = numbers(tmp_path)
    content_of_path = {path: path.read_bytes() for path in cache.rglob("*") if path.is_file()}
    assert {path.relative_to(cache).parts[0] for path in content_of_path} == {"statistics", "meteor"}

    for path, content in content_of_path.items():
        path.write_bytes(with_a_bit_changed(content, len(content) // 2))
    assert numbers(tmp_path) == expected_numbers
    for path, content in content_of_path.items():
        assert path.read_bytes() == content


def test_what_models_said_is_as_it_was_or_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path))
    judgements = {f"{number:032x}": Judgement(number / 7, SPANS, (0.25, number)) for number in range(3)}
    keep_judgements(judgements)
    path = tmp_path / "judgements.sqlite"
    content = path.read_bytes()

    n_incomplete = 0
    for place in places_of_data(content):
        path.write_bytes(with_a_bit_changed(content, place))
        readable_judgements = kept_judgements(list(judgements))
        assert readable_judgements.items() <= judgements.items()
        if readable_judgements != judgements:
            n_incomplete += 1

    assert n_incomplete > 100
    path.write_bytes(content)
    assert kept_judgements(list(judgements)) == judgements


def test_a_damaged_database_of_annotations_is_opened_or_said_to_be_damaged(tmp_path: Path) -> None:
    url = URL.create("sqlite", database=str(tmp_path / "annotations.sqlite"))
    campaign = from_json(exported(source=["q"]), "c.json")[0]
    store = open_store(url)
    store.add(campaign, deal_tasks(campaign, [Sampled(0, "random")], ("ann",)), asker=OPERATOR)
    store.close()
    path = tmp_path / "annotations.sqlite"
    content = path.read_bytes()

    messages = list[str]()
    for place in places_of_data(content)[::90]:
        path.write_bytes(with_a_bit_changed(content, place))
        try:
            with closing(open_store(url)) as store:
                store.campaign(campaign.uid)
                store.tasks(campaign.uid)
        except MtevalError as error:
            messages.append(str(error))

    assert len(messages) > 10
    for message in messages:
        assert message.startswith(("The annotations ", "Cannot use the annotations ", "No campaign"))
