"""A server ends with all that it started: threads under way, programs and what these started in turn."""

import os
import subprocess
import sys

import psutil

from tests.patience import OUTER_LIMIT

SERVER = """
import subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from mteval.ui.server.__main__ import leave

nested = "import subprocess; subprocess.Popen(['sleep', '6000'], start_new_session=True); print(flush=True); input()"
program = subprocess.Popen([sys.executable, "-c", nested], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
program.stdout.readline()
browser = subprocess.Popen(["sleep", "6001"], start_new_session=True, stdout=subprocess.DEVNULL)
print(browser.pid, flush=True)
ThreadPoolExecutor(1).submit(time.sleep, 6000)  # the interpreter would wait for it
input()
leave(spared=[browser.pid])
"""


def test_threads_and_programs_end_with_the_server_and_the_browser_stays() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        browser = psutil.Process(int(server.stdout.readline()))
        children = psutil.Process(server.pid).children(recursive=True)
        assert len(children) == 3
        server.communicate("\n", timeout=OUTER_LIMIT)
    assert server.returncode == 0
    try:
        _, alive = psutil.wait_procs([child for child in children if child != browser], timeout=OUTER_LIMIT)
        assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]
        assert browser.is_running()
    finally:
        os.kill(browser.pid, 9)
