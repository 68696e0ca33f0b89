"""Start the server of the dashboard: ``python -m mteval.ui.server SCRIPT``, with the options of ``mteval app``."""

import argparse
import math
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path

from starlette.middleware import Middleware
from streamlit import App
from streamlit.runtime.pages_manager import PagesManager

from mteval.base.paths import cache_directory
from mteval.library.configuration import TICKET, ticket
from mteval.ui.server.headers import Assets, Headers
from mteval.ui.server.traffic import Traffic, Visitors, hasten, keep_texts_out, leave
from mteval.ui.session.departures import keep_few_arenas
from mteval.values.service import DEMO, Service, add_options, service_of

FIRST_NEEDED = ("mteval.report.page", "mteval.ui.setup.sidebar", "mteval.ui.setup.files")  # by the first page


def serve(script: Path, service: Service, shown: str | None) -> None:
    """Serve a script that brings its own navigation, until told to stop; then this process ends.

    Streamlit takes a folder ``pages`` for pages of its older kind until the script has run once, so that a first visit
    by the address of a page, as by a tab that was open when the server was started again, would miss the sidebar.

    What the first page needs is loaded before the server answers: the visitor's requests would have to share the
    interpreter with the loading, and both take longer than one after the other.

    Parameters
    ----------
    shown
        The address that a browser is sent to; None opens none.
    """
    PagesManager.uses_pages_directory = False
    keep_texts_out()
    keep_few_arenas()
    os.environ |= service.variables
    for module in FIRST_NEEDED:
        import_module(module)
    sys.argv = [str(script)]  # Streamlit looks for its configuration and for modules beside what was started
    layers = [
        Middleware(Headers, frame_ancestors="*" if service.is_framed else "'self'"),
        Middleware(Assets, base_path=service.base_path),
        Middleware(Visitors, base_path=service.base_path, is_framed=service.is_framed),
    ]
    if service.has_counts:
        layers.insert(0, Middleware(Traffic))
    browsers: list[int] = []
    leave_now = partial(leave, browsers, _forgotten_folder() if service.is_demo else None)
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # both end it in the same way
    with suppress(KeyboardInterrupt):
        lifespan = _once_up(shown, browsers, leave_now)
        App(script, middleware=layers, lifespan=lifespan).run(config=_configuration(service))
    leave_now()


def _forgotten_folder() -> Path:
    """Let the demo keep what it keeps in a folder that goes with it; machine code and METEOR's index stay."""
    folder = Path(tempfile.mkdtemp(prefix="mteval-demo-"))
    (folder / "cache").mkdir()
    for kept in (cache_directory() / name for name in ("kernels", "meteor")):
        kept.mkdir(parents=True, exist_ok=True)
        (folder / "cache" / kept.name).symlink_to(kept.absolute())
    os.environ |= {DEMO: "1", "MTEVAL_CACHE": str(folder / "cache"), "MTEVAL_HOME": str(folder / "data")}
    return folder


def _configuration(service: Service) -> dict[str, object]:
    """Streamlit's options."""
    configuration: dict[str, object] = {
        "server.port": service.port,
        "server.address": service.address,
        "server.baseUrlPath": service.base_path,
        "browser.gatherUsageStats": False,
        "logger.enableRich": False,  # it would write errors past the log, with their words
    }
    if math.isfinite(service.session_mb):
        configuration["server.maxUploadSize"] = math.ceil(service.session_mb)
    if service.sign_in is not None:
        configuration["secrets.files"] = [str(service.sign_in)]
    if service.is_framed:
        # Browsers keep no cookies of a site in a frame of another, so uploads could not bring theirs along. What it
        # guards against, requests in the name of a cookie, is not there: nobody signs in within a frame.
        configuration["server.enableXsrfProtection"] = False
        configuration["server.enableCORS"] = False
    return configuration


def _once_up(
    url: str | None, browsers: list[int], leave_now: Callable[[], None]
) -> Callable[[App], AbstractAsyncContextManager[None]]:
    """What happens when the server runs: from then on it ends soon, and the browser is opened where one is wanted."""

    @asynccontextmanager
    async def lifespan(app: App) -> AsyncIterator[None]:
        hasten(leave_now)
        if url is not None:  # in a session of its own: it outlives this server
            browsers.append(subprocess.Popen([sys.executable, "-m", "webbrowser", url], start_new_session=True).pid)
        yield

    return lifespan


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("script", type=lambda name: Path(name).resolve())
    parser.add_argument("--browser", action="store_true", help="show it in the browser")
    add_options(parser)
    options = parser.parse_args()
    service = service_of(options)
    serve(options.script, service, _first_address(service) if options.browser else None)


def _first_address(service: Service) -> str:
    """Where a browser begins: with what it was started on, where that is something."""
    first = ticket()
    return f"{service.url}/?{TICKET}={first}" if first else service.url


if __name__ == "__main__":
    main()
