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
    calls = re.compile(r"(?<!def )\bcache_directory\(\)")
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "mteval").rglob("*.py")
        if calls.search(path.read_text(encoding="utf-8"))
    }
    assert found == set(KEEPERS)


def with_a_bit_changed(content: bytes, place: int) -> bytes:
    return content[:place] + bytes([content[place] ^ 1 << place % 8]) + content[place + 1 :]


def numbers(folder: Path) -> bytes:
    """All numbers of a small comparison, by a process that keeps its files in the folder."""
    words = [f"--{kind}={folder / name}" for kind, name in (("refs", "refs"), ("hyps-baseline", "base"))]
    words += [f"--hyps-sys1={folder / 'new'}", "--boot-samples=20", "--ar-shuffles=50", f"--json={folder / 'out.json'}"]
    words += ["--metrics", "bleu", "ter", "meteor", f"--meteor.paraphraseFile={folder / 'table'}"]
    subprocess.run(
        [sys.executable, "-m", "mteval", "eval", *words],
        check=True, cwd=ROOT, env=os.environ | {"MTEVAL_CACHE": str(folder / "cache")}, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    return (folder / "out.json").read_bytes()


@needs_meteor
def test_statistics_and_meteors_index_are_made_again_and_give_the_same_numbers(tmp_path: Path) -> None:
    for name, text in {**TEXTS, "table": TABLE}.items():
        (tmp_path / name).write_text(text)
    expected = numbers(tmp_path)
    whole = {path: path.read_bytes() for path in (tmp_path / "cache").rglob("*") if path.is_file()}
    assert {path.relative_to(tmp_path / "cache").parts[0] for path in whole} == {"statistics", "meteor"}
    for path, content in whole.items():
        path.write_bytes(with_a_bit_changed(content, len(content) // 2))
    assert numbers(tmp_path) == expected
    assert {path: path.read_bytes() for path in whole} == whole


def test_what_models_said_is_as_it_was_or_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MTEVAL_CACHE", str(tmp_path))
    said = {f"{number:032x}": Judgement(number / 7, SPANS, (0.25, number)) for number in range(3)}
    keep_judgements(said)
    path = tmp_path / "judgements.sqlite"
    whole = path.read_bytes()
    n_lost = 0
    for place in [place for place, byte in enumerate(whole) if byte]:
        path.write_bytes(with_a_bit_changed(whole, place))
        found = kept_judgements(list(said))
        assert found.items() <= said.items()
        n_lost += found != said
    assert n_lost > 100
    path.write_bytes(whole)
    assert kept_judgements(list(said)) == said


def test_a_damaged_database_of_annotations_is_opened_or_said_to_be_damaged(tmp_path: Path) -> None:
    url = URL.create("sqlite", database=str(tmp_path / "annotations.sqlite"))
    campaign = from_json(exported(source=["q"]), "c.json")[0]
    store = open_store(url)
    store.add(campaign, deal_tasks(campaign, [Sampled(0, "random")], ("ann",)), asker=OPERATOR)
    store.close()
    path = tmp_path / "annotations.sqlite"
    whole = path.read_bytes()
    said = list[str]()
    for place in [place for place, byte in enumerate(whole) if byte][::90]:
        path.write_bytes(with_a_bit_changed(whole, place))
        try:
            with closing(open_store(url)) as store:
                store.campaign(campaign.uid)
                store.tasks(campaign.uid)
        except MtevalError as error:
            said.append(str(error))
    assert len(said) > 10
    assert all(one.startswith(("The annotations ", "Cannot use the annotations ", "No campaign")) for one in said)
