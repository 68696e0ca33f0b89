"""Start the server of the dashboard: ``python -m mteval.ui.serve SCRIPT [STREAMLIT OPTIONS]``."""

import sys

from streamlit.runtime.pages_manager import PagesManager
from streamlit.web.cli import main


def serve() -> None:
    """As ``streamlit run``, for a script that brings its own navigation.

    Streamlit takes a folder ``pages`` for pages of its older kind until the script has run once, so that a first visit
    by the address of a page, as by a tab that was open when the server was started again, would miss the sidebar.
    """
    PagesManager.uses_pages_directory = False
    main(["run", *sys.argv[1:]])


if __name__ == "__main__":
    serve()
