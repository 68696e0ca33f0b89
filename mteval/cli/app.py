"""``mteval app``: start the dashboard."""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mteval
from mteval.cli.words import add_command
from mteval.errors import MtevalError

_SCRIPT = Path(mteval.__file__).parent.parent / "app.py"


def add_parser(commands: Any, words: Sequence[str]) -> None:
    """Add the sub-command."""
    parser = add_command(commands, "app", run, summary="start the dashboard in the browser")
    parser.add_argument("--port", type=int, default=8501, help="port on this machine (default: %(default)s)")
    parser.add_argument(
        "--address", default="127.0.0.1", help="address to listen on (default: %(default)s, this machine alone)"
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")


def run(options: argparse.Namespace) -> None:
    """Start Streamlit on the project's ``app.py`` and wait for it.

    Raises
    ------
    MtevalError
        Where the package was installed without the dashboard beside it.
    """
    if not _SCRIPT.is_file():
        raise MtevalError(
            f"The dashboard's script is not at {_SCRIPT}. The package was installed without its source tree;"
            " clone the repository and start bin/app there."
        )
    command = [sys.executable, "-m", "mteval.ui.serve", str(_SCRIPT), "--browser.gatherUsageStats=false"]
    command += [f"--server.port={options.port}", f"--server.address={options.address}"]
    command += ["--server.headless=true"] if options.no_browser else []
    subprocess.run(command, cwd=_SCRIPT.parent, check=False)
