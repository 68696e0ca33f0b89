"""Record what the real Pearmut answers to campaigns of mteval; run in an environment with Python 3.12 and pearmut.

First write them: ``PYTHONPATH=. python -m tests.annotations.test_pearmut FOLDER`` in mteval's own environment. Then
``python record_pearmut.py FOLDER`` adds each by ``pearmut add`` to an empty folder, reads back what Pearmut will hand
out, and writes ``recorded/pearmut.json`` with the digests of the files that it accepted.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path


def accepted(file: Path) -> dict[str, object]:
    """Return the exit status of ``pearmut add``, and the annotators' numbers of documents afterwards."""
    with tempfile.TemporaryDirectory() as root:
        command = [str(Path(sys.executable).with_name("pearmut")), "add", str(file)]
        done = subprocess.run(
            command, env={**os.environ, "PEARMUT_ROOT": root}, cwd=root, capture_output=True, text=True
        )
        progress = [json.loads(one.read_text()) for one in sorted(Path(root).glob("data/progress/*.json"))]
        sizes = [len(user["progress"]) for campaign in progress for user in campaign.values()]
        tasks = [json.loads(one.read_text()) for one in sorted(Path(root).glob("data/campaigns/*.json"))]
    return {
        "status": done.returncode, "documents": sizes, "protocol": tasks[0]["info"]["protocol"] if tasks else "",
        "digest": hashlib.sha256(file.read_bytes()).hexdigest(),
    }  # fmt: skip


if __name__ == "__main__":
    found = {file.stem: accepted(file) for file in sorted(Path(sys.argv[1]).glob("*.json"))}
    text = json.dumps({"version": version("pearmut"), "answers": found}, indent=1)
    (Path(__file__).parent / "recorded" / "pearmut.json").write_text(text + "\n", encoding="utf-8")
