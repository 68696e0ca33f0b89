"""Start the dashboard's server: ``python -m mteval.ui.server SCRIPT``, with the options of ``mteval app``.

Its log names errors and their places, but no text that visitors loaded. It ends soon after a signal, with all its
processes.
"""

import argparse
import gc

if __name__ == "__main__":
    gc.disable()  # while loading, of which it would take a seventh
import logging
import math
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Timer
from types import FrameType
from typing import Any, NoReturn
from urllib.parse import urlsplit

from starlette.middleware import Middleware
from streamlit import App
from streamlit.runtime.pages_manager import PagesManager

from mteval.base.errors import without_words
from mteval.base.memory import keep_few_arenas
from mteval.base.paths import cache_directory, is_ours
from mteval.library.started import TICKET, ticket
from mteval.ui.server.entrance import Answers, Entrance, Uploads
from mteval.ui.server.layers import Assets, Headers, ScriptName, Traffic, Visitors
from mteval.ui.server.widget_values import refuse_odd_values
from mteval.ui.session.memory import MIB
from mteval.values.service import DEMO, Service, add_options, service_of

DEMO_FOLDER = "mteval-demo-"  # followed by the number of its process


def serve(script: Path, service: Service, shown: str | None) -> None:
    """Serve a script that has its own navigation until told to stop; then end this process.

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
    refuse_odd_values()
    keep_few_arenas()
    os.environ.pop("PYTHONMALLOC", None)  # the programs that it starts are no servers
    os.environ |= service.variables
    for module in ("mteval.report.page", "mteval.ui.page", "mteval.ui.setup.files"):  # needed by the first page
        import_module(module)
    gc.freeze()  # what is loaded by now stays
    gc.enable()
    sys.argv = [str(script)]  # Streamlit looks for its configuration and for modules beside what was started
    layers = [
        Middleware(Entrance, hosts=None if service.is_demo else _hosts(service), has_counts=service.has_counts),
        Middleware(Uploads, most_bytes=service.session_mb * MIB, needs_sign_in=service.sign_in is not None),
        Middleware(Headers, frame_ancestors="*" if service.is_framed else "'self'"),
        Middleware(Assets, base_path=service.base_path),
        Middleware(Answers, base_path=service.base_path),
        Middleware(ScriptName, script=script),
        Middleware(Visitors, base_path=service.base_path, is_framed=service.is_framed),
    ]
    if service.has_counts:
        layers.insert(0, Middleware(Traffic))
    browsers: list[int] = []
    leave_now = partial(leave, browsers, _forgotten_folder() if service.is_demo else None)
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # both signals end it alike
    with suppress(KeyboardInterrupt):
        lifespan = _once_up(shown, browsers, leave_now)
        App(script, middleware=layers, lifespan=lifespan).run(config=_configuration(service))
    leave_now()


def _hosts(service: Service) -> list[str]:
    """Return the names by which visitors know this server, that of the sign-in among them."""
    if service.sign_in is None:
        return [*service.hosts]
    section = tomllib.loads(service.sign_in.read_text(encoding="utf-8")).get("auth", {})
    return [*service.hosts, urlsplit(str(section.get("redirect_uri", ""))).hostname or ""]


def _forgotten_folder() -> Path:
    """Give the demo a temporary folder; machine code and METEOR's index are shared.

    Folders of demos that were killed are removed.
    """
    for left in Path(tempfile.gettempdir()).glob(f"{DEMO_FOLDER}*"):
        number = left.name.removeprefix(DEMO_FOLDER).partition("-")[0]
        if number.isdigit() and is_ours(left / "cache") and not _is_running(int(number)):
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{DEMO_FOLDER}{os.getpid()}-"))
    (folder / "cache").mkdir()
    for kept in (cache_directory() / name for name in ("kernels", "meteor")):
        kept.mkdir(parents=True, exist_ok=True)
        (folder / "cache" / kept.name).symlink_to(kept.absolute())
    os.environ |= {DEMO: "1", "MTEVAL_CACHE": str(folder / "cache"), "MTEVAL_HOME": str(folder / "data")}
    return folder


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def _configuration(service: Service) -> dict[str, object]:
    """Return Streamlit's options."""
    configuration: dict[str, object] = {
        "server.port": service.port,
        "server.address": service.address,
        "server.baseUrlPath": service.base_path,
        "browser.gatherUsageStats": False,
        "logger.enableRich": False,  # it would write error messages around the log
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
    """Return what runs once the server is up: prepare its quick end, and open the browser if wanted."""

    @asynccontextmanager
    async def lifespan(app: App) -> AsyncIterator[None]:
        hasten(leave_now)
        if url is not None:  # own session, so that it outlives this server
            browsers.append(subprocess.Popen([sys.executable, "-m", "webbrowser", url], start_new_session=True).pid)
        yield

    return lifespan


def keep_texts_out() -> None:
    """Log only kind and place of an error; its message may quote a file or typed text."""
    make = logging.getLogRecordFactory()

    def make_without_texts(*values: Any, **named: Any) -> logging.LogRecord:
        record = make(*values, **named)
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text, record.exc_info = without_words(record.exc_info[1]), None
        return record

    logging.setLogRecordFactory(make_without_texts)


def hasten(leave_now: Callable[[], None]) -> None:
    """Make the server end soon after a signal even with open connections. Called once it runs.

    The server's own handlers wait for all connections.
    """

    def handle(handler: Any, number: int, frame: FrameType | None) -> None:
        limit = Timer(3.0, leave_now)  # seconds to notify visitors and finish transfers
        limit.daemon = True
        limit.start()
        if callable(handler):
            handler(number, frame)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, partial(handle, signal.getsignal(number)))


def leave(spared: Collection[int] = (), folder: Path | None = None) -> NoReturn:
    """End this process and its children at once, except some: threads would finish their work first.

    What is kept is written so that it is whole at any moment; a folder that is not to be kept is removed.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        others = tuple(_descendants(os.getpid(), spared))
        for process in others:
            with suppress(OSError):
                os.kill(process, number)
        if not others:
            break
        time.sleep(0.5)  # seconds for child processes to end by themselves
    with suppress(ChildProcessError):  # no zombies
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _descendants(process: int, spared: Collection[int]) -> Iterator[int]:
    """Yield the processes that this one started, directly or not; none if the system does not tell."""
    parents: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            state, parent, *_ = status.read_text(errors="replace").rpartition(")")[2].split()
            if state != "Z":
                parents[int(status.parent.name)] = int(parent)
    found = [process]
    for one in found:
        new = [child for child, parent in parents.items() if parent == one and child not in spared]
        found += new
        yield from new


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Starts the server of the dashboard.")
    parser.add_argument("script", type=lambda name: Path(name).resolve())
    parser.add_argument("--browser", action="store_true", help="show it in the browser")
    add_options(parser)
    options = parser.parse_args()
    service = service_of(options)
    serve(options.script, service, _first_address(service) if options.browser else None)


def _first_address(service: Service) -> str:
    """Return the first address in the browser, with the ticket of what to open, if any."""
    first = ticket()
    return f"{service.url}/?{TICKET}={first}" if first else service.url


if __name__ == "__main__":
    main()
