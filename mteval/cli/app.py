"""``mteval app``: start the dashboard."""

import argparse
import os
import socket
import subprocess
import sys
import time
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlencode

from mteval.errors import MtevalError, SettingsError
from mteval.library import configured_library
from mteval.library.place import LINK, Watched, watch
from mteval.paths import dashboard_directory

_EVERY_ADDRESS = ("", "0.0.0.0", "::")
_SECONDS_BETWEEN_LOOKS = 0.1


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add its options."""
    parser.description = "Starts the dashboard, on nothing or on the experiment that some files make."
    parser.add_argument(
        "paths", nargs="*", type=Path, metavar="PATH", help="an experiment.toml, a folder, or files to start on"
    )
    parser.add_argument("--watch", action="store_true", help="look at the folder PATH for runs that training adds")
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
    query = _query(options.paths, options.watch)
    command = [sys.executable, "-m", "mteval.ui.server", str(script)]
    command += [f"--port={options.port}", f"--address={options.address}"]
    with subprocess.Popen(command, cwd=script.parent) as server:
        if not options.no_browser and _has_screen():
            host = "localhost" if options.address in _EVERY_ADDRESS else options.address
            if _is_up(server, host, options.port):
                webbrowser.open(f"http://{host}:{options.port}{query}")


def _query(paths: Sequence[Path], is_watching: bool) -> str:
    """What the address says of the experiment that the paths make, which goes into the library; empty of none.

    Raises
    ------
    MtevalError
        Where the paths make none, or more than one folder is to be watched.
    """
    if is_watching and (len(paths) != 1 or not paths[0].is_dir()):
        raise SettingsError("--watch looks at one folder; name it, and nothing else.")
    if not paths:
        return ""
    from mteval.reporting.library.started import entry_of  # a dashboard on nothing starts without it

    link = entry_of(paths, configured_library()).uid
    if is_watching:
        watch(Watched(link, paths[0].resolve()))
    return f"?{urlencode({LINK: link})}"


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
