"""Start the server of the dashboard: ``python -m mteval.ui.serve SCRIPT [STREAMLIT OPTIONS]``."""

import sys
from importlib import import_module
from threading import Thread

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.cli import main

FIRST_NEEDED = "mteval.reporting.figures"  # with all that the first page computes and draws with; nothing of Streamlit


def serve() -> None:
    """As ``streamlit run``, for a script that brings its own navigation.

    Streamlit takes a folder ``pages`` for pages of its older kind until the script has run once, so that a first visit
    by the address of a page, as by a tab that was open when the server was started again, would miss the sidebar.

    What the pages need is loaded while the visitor's browser is still busy with Streamlit's own part.
    """
    PagesManager.uses_pages_directory = False
    Thread(target=import_module, args=[FIRST_NEEDED], name="load modules", daemon=True).start()
    main(["run", *sys.argv[1:]])


if __name__ == "__main__":
    serve()
