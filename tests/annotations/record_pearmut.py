"""Record what the real Pearmut answers to campaigns of mteval; run in an environment with Python 3.12 and pearmut.

First write them: ``PYTHONPATH=. python -m tests.annotations.test_pearmut FOLDER`` in mteval's own environment. Then
``python record_pearmut.py FOLDER`` adds each by ``pearmut add`` to an empty folder, reads back what Pearmut will hand
out, and writes ``recorded/pearmut.json`` with the digests of the files that it accepted. Campaigns named ``judged.*``
are also served by ``pearmut run`` and judged to the end, with the requests of Pearmut's page (``connector.ts`` and
``annotate.ts``). The first annotator then starts anew and judges one page again. What the server lets download goes to
``recorded/pearmut.judged.WAY.json``.
"""

import hashlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import quote

PEARMUT = str(Path(sys.executable).with_name("pearmut"))
RECORDED = Path(__file__).parent / "recorded"
AGAIN = 7  # points more when judged again


def said(source: str, output: str, protocol: str, sliders: list[dict[str, Any]] | None, extra: int) -> dict[str, Any]:
    """Return what the annotator says of an output: the word "house" is wrong, and words are missing if it has "!".

    Places are what the page gives its characters: offsets in a string of JavaScript.
    """
    spans = []
    if "house" in output:
        start = len(output[: output.index("house")].encode("utf-16-le")) // 2
        spans.append({"start_i": start, "end_i": start + 4, "category": None, "severity": "major"})
    if "!" in source:
        end = len(output.encode("utf-16-le")) // 2
        spans.append({"start_i": end, "end_i": end, "category": None, "severity": "minor"})
    if protocol == "MQM":
        spans = [span | {"category": "Accuracy/Mistranslation"} for span in spans]
    score = sum(map(ord, output)) % 90 + extra
    if sliders is None:
        return {"score": score, "error_spans": spans, "textfield": None}
    values = {slider["name"]: score - place for place, slider in enumerate(sliders)}
    return {"score": None, "sliders": values, "error_spans": [] if protocol == "DA" else spans, "textfield": None}


def _ask(url: str, content: dict[str, Any] | None = None) -> Any:
    body = None if content is None else json.dumps(content).encode()
    asked = urllib.request.Request(url, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=20) as answer:
        return json.load(answer)


def _judge(server: str, who: dict[str, str], extra: int = 0) -> bool:
    """Judge the next page as the browser does; return whether there was one."""
    page = _ask(f"{server}/get-next-item", who)
    if page["status"] != "ok":
        return False
    info = page["info"]
    answers = [
        {
            name: said(item["src"], text, info["protocol"], info.get("sliders"), extra)
            for name, text in item["tgt"].items()
        }
        for item in page["payload"]
    ]
    actions = [{"time": 0.0, "action": "load"}, {"time": 1.0, "action": "submit"}]
    payload = {"annotation": answers, "actions": actions, "item": page["payload"]}
    _ask(f"{server}/log-response", {**who, "payload": payload, "item_i": info["item_i"]})
    return True


def judged(file: Path) -> dict[str, Any]:
    """Return what the server lets download once all is judged."""
    with tempfile.TemporaryDirectory() as root, socket.socket() as free:
        about: dict[str, Any] = {"env": {**os.environ, "PEARMUT_ROOT": root}, "cwd": root}
        subprocess.run([PEARMUT, "add", str(file)], **about, check=True)
        (stored,) = (json.loads(one.read_text()) for one in Path(root).glob("data/campaigns/*.json"))
        campaign, users = stored["campaign_id"], list(stored["data"])
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        server = f"http://127.0.0.1:{port}"
        with subprocess.Popen([PEARMUT, "run", "--port", str(port)], **about) as process:
            try:
                _wait(server)
                for user in users:
                    while _judge(server, {"campaign_id": campaign, "user_id": user}):
                        pass
                first = {"campaign_id": campaign, "user_id": users[0]}
                _ask(f"{server}/reset-campaign", {**first, "token": stored["token"]})
                _judge(server, first, AGAIN)
                found: dict[str, Any] = _ask(f"{server}/download-annotations?campaign_id={quote(campaign)}")
            finally:
                process.terminate()
    return found


def _wait(server: str) -> None:
    for _ in range(100):
        try:
            urllib.request.urlopen(server, timeout=5).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError(f"No answer from {server}.")


def accepted(file: Path) -> dict[str, object]:
    """Return the exit status of ``pearmut add``, and the annotators' numbers of documents afterwards."""
    with tempfile.TemporaryDirectory() as root:
        command = [PEARMUT, "add", str(file)]
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
    found = {file.stem: accepted(file) for file in sorted(Path(sys.argv[1]).glob("[!j]*.json"))}
    text = json.dumps({"version": version("pearmut"), "answers": found}, indent=1)
    (RECORDED / "pearmut.json").write_text(text + "\n", encoding="utf-8")
    for file in sorted(Path(sys.argv[1]).glob("judged.*.json")):
        log = json.dumps(judged(file), ensure_ascii=False, indent=1)
        (RECORDED / f"pearmut.{file.stem}.json").write_text(log + "\n", encoding="utf-8")
