"""``mteval app``: start the dashboard."""

import argparse
import os
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Sequence

from mteval.errors import MtevalError
from mteval.paths import dashboard_directory

_EVERY_ADDRESS = ("", "0.0.0.0", "::")
_SECONDS_BETWEEN_LOOKS = 0.1


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add its options."""
    parser.add_argument("--port", type=int, default=8501, help="port on this machine (default: %(default)s)")
    parser.add_argument(
        "--address", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine alone)"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")


def run(options: argparse.Namespace) -> None:
    """Start a server of the project's ``app.py``, show it in the browser, and wait for the server to end.

    Raises
    ------
    MtevalError
        Where the dashboard is not there.
    """
    script = dashboard_directory() / "app.py"
    if not script.is_file():
        raise MtevalError(f"The dashboard's script is not at {script}: the package is damaged; install it again.")
    command = [sys.executable, "-m", "mteval.ui.server", str(script)]
    command += [f"--port={options.port}", f"--address={options.address}"]
    with subprocess.Popen(command, cwd=script.parent) as server:
        if not options.no_browser and _has_screen():
            host = "localhost" if options.address in _EVERY_ADDRESS else options.address
            if _is_up(server, host, options.port):
                webbrowser.open(f"http://{host}:{options.port}")


def _has_screen() -> bool:
    """Whether a browser could show itself; over a plain connection one in the terminal would start instead."""
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _is_up(server: subprocess.Popen[bytes], host: str, port: int) -> bool:
    """Wait until the server answers; False where it ended instead."""
    while server.poll() is None:
        try:
            socket.create_connection((host, port), timeout=1).close()
        except OSError:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        else:
            return True
    return False
