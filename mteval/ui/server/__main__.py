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
from mteval.ui.kept_files import serve_files
from mteval.ui.server.annotator_answers import Answers
from mteval.ui.server.entrance import Entrance, Uploads
from mteval.ui.server.layers import Assets, Dressed, Headers, ScriptName, Traffic, Visitors
from mteval.ui.server.widget_values import refuse_odd_values
from mteval.ui.session.memory import MIB
from mteval.values.service import DEMO, Service, add_options, service_of

DEMO_FOLDER = "mteval-demo-"  # followed by the number of its process


def serve(script: Path, service: Service, shown: str | None) -> None:
    """Serve a script that has its own navigation until told to stop; then end this process.

    Parameters
    ----------
    shown
        The address that a browser is sent to; None opens none.
    """
    # Streamlit takes a folder ``pages`` for pages of its older kind until the script has run once. A first visit by the
    # address of a page, e.g. by a tab that was open while the server was restarted, would miss the sidebar.
    PagesManager.uses_pages_directory = False
    keep_texts_out()
    refuse_odd_values()
    serve_files()
    keep_few_arenas()
    os.environ.pop("PYTHONMALLOC", None)  # the programs that it starts are no servers
    os.environ |= service.variables
    # What the first page needs is loaded before the server answers: the visitor's requests would have to share the
    # interpreter with the loading, and both together take longer than one after the other.
    for module in ("mteval.report.page", "mteval.ui.page", "mteval.ui.setup.files"):
        import_module(module)
    gc.freeze()  # what is loaded by now stays
    gc.enable()
    sys.argv = [str(script)]  # Streamlit looks for its configuration and for modules beside what was started
    layers = _layers(script, service)
    browsers: list[int] = []  # processes that go on after this one
    folder = _temporary_folder() if service.is_demo else None
    leave_now = partial(leave, browsers, folder)
    signal.signal(signal.SIGTERM, signal.getsignal(signal.SIGINT))  # both signals end it alike
    with suppress(KeyboardInterrupt):
        lifespan = _once_up(shown, browsers, leave_now)
        App(script, middleware=layers, lifespan=lifespan).run(config=_configuration(service))
    leave_now()


def _layers(script: Path, service: Service) -> list[Middleware]:
    """Return the layers in front of Streamlit, outermost first."""
    hosts = None if service.is_demo else _hosts(service)
    layers = [
        Middleware(Entrance, hosts=hosts, has_counts=service.has_counts),
        Middleware(Uploads, most_bytes=service.session_mb * MIB, needs_sign_in=service.sign_in is not None),
        Middleware(Headers, frame_ancestors="*" if service.is_framed else "'self'"),
        Middleware(Assets, base_path=service.base_path),
        Middleware(Answers, base_path=service.base_path),
        Middleware(Dressed),
        Middleware(ScriptName, script=script),
        Middleware(Visitors, base_path=service.base_path, is_framed=service.is_framed),
    ]
    if service.has_counts:
        layers.insert(0, Middleware(Traffic))
    return layers


def _hosts(service: Service) -> list[str]:
    """Return the names by which visitors know this server, that of the sign-in among them."""
    if service.sign_in is None:
        return [*service.hosts]
    section = tomllib.loads(service.sign_in.read_text(encoding="utf-8")).get("auth", {})
    address_after_sign_in = str(section.get("redirect_uri", ""))
    return [*service.hosts, urlsplit(address_after_sign_in).hostname or ""]


def _temporary_folder() -> Path:
    """Give the demo a temporary folder; machine code and METEOR's index are shared.

    Folders of demos that were killed are removed.
    """
    for old_folder in Path(tempfile.gettempdir()).glob(f"{DEMO_FOLDER}*"):
        number = old_folder.name.removeprefix(DEMO_FOLDER).partition("-")[0]
        if number.isdigit() and is_ours(old_folder / "cache") and not _is_running(int(number)):
            shutil.rmtree(old_folder, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{DEMO_FOLDER}{os.getpid()}-"))
    cache = folder / "cache"
    cache.mkdir()
    for name in ("kernels", "meteor"):
        shared = cache_directory() / name
        shared.mkdir(parents=True, exist_ok=True)
        (cache / name).symlink_to(shared.absolute())
    os.environ |= {DEMO: "1", "MTEVAL_CACHE": str(cache), "MTEVAL_HOME": str(folder / "data")}
    return folder


def _is_running(process: int) -> bool:
    """Return whether a process runs, whoever started it."""
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
        # Browsers keep no cookies of a site in a frame of another, so uploads could not bring theirs along. The
        # protection is against requests in the name of a cookie, and nobody signs in within a frame.
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
        if url is not None:
            command = [sys.executable, "-m", "webbrowser", url]
            browser = subprocess.Popen(command, start_new_session=True)  # so that it outlives this server
            browsers.append(browser.pid)
        yield

    return lifespan


def keep_texts_out() -> None:
    """Log only kind and place of an error; its message may quote a file or typed text."""
    make_record = logging.getLogRecordFactory()

    def make_without_texts(*arguments: Any, **named: Any) -> logging.LogRecord:
        record = make_record(*arguments, **named)
        if record.exc_info and record.exc_info[1] is not None:
            record.exc_text = without_words(record.exc_info[1])
            record.exc_info = None
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

    Nothing is lost: saved files are whole at any moment.

    Parameters
    ----------
    spared
        Processes that go on, with their own children.
    folder
        Removed with all its files.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        children = tuple(_descendants(os.getpid(), spared))
        for process in children:
            with suppress(OSError):
                os.kill(process, number)
        if not children:
            break
        time.sleep(0.5)  # seconds for child processes to end by themselves
    with suppress(ChildProcessError):  # so that no zombies remain
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _descendants(process: int, spared: Collection[int]) -> Iterator[int]:
    """Yield the processes that this one started, directly or not; none if the system does not tell."""
    parent_of: dict[int, int] = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            # "NUMBER (NAME) STATE PARENT …"; the name may contain anything.
            state, parent, *_ = status.read_text(errors="replace").rpartition(")")[2].split()
            if state != "Z":  # it runs; a zombie has ended
                parent_of[int(status.parent.name)] = int(parent)
    family = [process]
    for member in family:  # it grows meanwhile
        children = [child for child, parent in parent_of.items() if parent == member and child not in spared]
        family += children
        yield from children


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Starts the server of the dashboard.")
    parser.add_argument("script", type=lambda name: Path(name).resolve())
    parser.add_argument("--browser", action="store_true", help="show it in the browser")
    add_options(parser)
    options = parser.parse_args()
    service = service_of(options)
    shown = None
    if options.browser:
        shown = _first_address(service)
    serve(options.script, service, shown)


def _first_address(service: Service) -> str:
    """Return the first address in the browser, with the ticket of what to open, if any."""
    ticket_of_first = ticket()
    if not ticket_of_first:
        return service.url
    return f"{service.url}/?{TICKET}={ticket_of_first}"


if __name__ == "__main__":
    main()
