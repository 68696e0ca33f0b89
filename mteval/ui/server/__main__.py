"""Start the server of the dashboard: ``python -m mteval.ui.server SCRIPT --port PORT [--address ADDRESS]``."""

import argparse
import sys
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from starlette.middleware import Middleware
from streamlit import App
from streamlit.runtime.pages_manager import PagesManager

from mteval.ui.server.assets import Assets
from mteval.ui.server.headers import Headers

FIRST_NEEDED = ("mteval.reporting.figures", "mteval.ui.setup.sidebar", "mteval.ui.setup.files")  # by the first page


def serve(script: Path, port: int, address: str) -> None:
    """Serve a script that brings its own navigation, until told to stop.

    Streamlit takes a folder ``pages`` for pages of its older kind until the script has run once, so that a first visit
    by the address of a page, as by a tab that was open when the server was started again, would miss the sidebar.

    What the first page needs is loaded before the server answers: the visitor's requests would have to share the
    interpreter with the loading, and both take longer than one after the other.
    """
    PagesManager.uses_pages_directory = False
    for module in FIRST_NEEDED:
        import_module(module)
    sys.argv = [str(script)]  # Streamlit looks for its configuration and for modules beside what was started
    with suppress(KeyboardInterrupt):  # the usual way to stop it, after which it has put everything away
        App(script, middleware=[Middleware(Headers), Middleware(Assets)]).run(
            config={"server.port": port, "server.address": address, "browser.gatherUsageStats": False}
        )


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("script", type=lambda name: Path(name).resolve())
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--address", default="127.0.0.1")
    options = parser.parse_args()
    serve(options.script, options.port, options.address)


if __name__ == "__main__":
    main()
