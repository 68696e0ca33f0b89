"""A server ends with all that it started: threads under way, programs and what these started in turn."""

import os
import subprocess
import sys
import time

import psutil

PATIENCE = 60
SERVER = """
import subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor
from mteval.ui.server.__main__ import leave

nested = "import subprocess; subprocess.Popen(['sleep', '600'], start_new_session=True); print(flush=True); input()"
program = subprocess.Popen([sys.executable, "-c", nested], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
program.stdout.readline()
browser = subprocess.Popen(["sleep", "601"], start_new_session=True, stdout=subprocess.DEVNULL)
print(browser.pid, flush=True)
ThreadPoolExecutor(1).submit(time.sleep, 600)  # the interpreter would wait for it
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
        began = time.monotonic()
        server.communicate("\n", timeout=PATIENCE)
    assert server.returncode == 0
    assert time.monotonic() - began < 10
    try:
        _, alive = psutil.wait_procs([child for child in children if child != browser], timeout=PATIENCE)
        assert not [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]
        assert browser.is_running()
    finally:
        os.kill(browser.pid, 9)
