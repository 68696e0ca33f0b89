"""``mteval app``: start the dashboard."""

import argparse
import os
import socket
import sys
import tomllib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from mteval.base.errors import MissingDependencyError, MtevalError, SettingsError
from mteval.base.paths import dashboard_directory
from mteval.cli.console import examples, tell
from mteval.library import configured_library
from mteval.library.shelf import LINK, Watched, open_first, watch
from mteval.values.service import Service, service_of
from mteval.values.service import add_options as add_service_options

SECONDS_TO_GROW = 5.0  # without a word, and a file counts as whole
PROVIDER_KEYS = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add its options."""
    parser.description = "Starts the dashboard, on nothing or on the experiment that some files make."
    parser.epilog = examples(
        "app",
        "app runs/ --watch",
    )
    text = "an experiment.toml, a folder, or files to start on"
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help=text)
    parser.add_argument("--watch", action="store_true", help="look at the folder PATH for runs that training adds")
    add_service_options(parser)
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")


def run(options: argparse.Namespace) -> None:
    """Become the server of the project's ``app.py``, which shows it in the browser.

    This process turns into the server: whoever ends the one ends the other.

    Raises
    ------
    MtevalError
        Where the dashboard is not there, or cannot be served as the options say.
    """
    script = dashboard_directory() / "app.py"
    if not script.is_file():
        raise MtevalError(f"The dashboard's script is not at {script}: the package is damaged; install it again.")
    service = service_of(options)
    _check_place(service)
    if service.sign_in is not None:
        _check_provider(service.sign_in, service.base_path)
    if not service.is_for_this_machine:
        tell(_who_can_come(service))
    command = [sys.executable, "-m", "mteval.ui.server", str(script), *service.words()]
    link = _link(options.paths, options.watch)
    if link:
        print(f"{service.url}/?{urlencode({LINK: link})}", flush=True)
    if not options.no_browser and _has_screen():
        open_first(link)
        command.append("--browser")
    os.chdir(script.parent)
    os.execv(sys.executable, command)


def _link(paths: Sequence[Path], is_watching: bool) -> str:
    """The link of the experiment that the paths make, which goes into the library; empty of none.

    Raises
    ------
    MtevalError
        Where the paths make none, or what is to be watched is no folder.
    """
    if is_watching and (len(paths) != 1 or not paths[0].is_dir()):
        raise SettingsError("--watch looks at one folder; name it, and nothing else.")
    if not paths:
        return ""
    from mteval.report.kept_changes import entry_of  # a dashboard on nothing starts without it

    link = entry_of(paths, configured_library(), SECONDS_TO_GROW if is_watching else 0).uid
    if is_watching:
        watch(Watched(link, paths[0].resolve()))
    return link


def _check_place(service: Service) -> None:
    """Listen there for a moment: what goes wrong can be said in one line now."""
    where = f"port {service.port} of {service.address or 'all addresses'}"
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(
            service.address or None, service.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(place)
            probe.listen(1)
    except OSError as error:
        raise SettingsError(
            f"The dashboard cannot listen on {where}: {error.strerror}. Choose another port with --port, an address of"
            " this machine with --address, or end what is there."
        ) from error


def _check_provider(path: Path, base_path: str) -> None:
    """Read what names the provider: at the first visitor it would be too late."""
    if find_spec("authlib") is None:
        raise MissingDependencyError("Signing in needs the package Authlib: install the extra 'auth'.")
    try:
        section = tomllib.loads(path.read_text(encoding="utf-8")).get("auth")
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"{path} cannot be read as TOML: {error}. See docs/hosting.md for what it holds."
        ) from error
    section = section if isinstance(section, dict) else {}
    lacking = [key for key in PROVIDER_KEYS if not section.get(key)]
    if lacking:
        raise SettingsError(f"{path} has no {', '.join(lacking)} in its section [auth]; see docs/hosting.md.")
    way_back = f"/{base_path}/oauth2callback".replace("//", "/")
    if urlsplit(str(section["redirect_uri"])).path != way_back:
        raise SettingsError(
            f"{path} says redirect_uri = '{section['redirect_uri']}'; the dashboard is called back at"
            f" https://…{way_back}. Correct it here and where the provider knows it."
        )


def _who_can_come(service: Service) -> str:
    """What it means that other machines reach the dashboard."""
    reach = f"Whoever reaches {service.address or 'this machine'} on port {service.port}"
    if service.sign_in is not None:
        return f"{reach} can ask to sign in; what happens on the way can be read along unless a proxy adds HTTPS."
    if service.is_demo:
        return f"{reach} can try the dashboard within the limits of the demo; nobody signs in and nothing is kept."
    return (
        f"{reach} can load files and start work here: nobody signs in. They see nothing of each other but through"
        " links that they were given; what happens on the way can be read along. For a lab use --sign-in and a proxy"
        " with HTTPS (docs/hosting.md)."
    )


def _has_screen() -> bool:
    """Whether a browser could show itself; over a plain connection one in the terminal would start instead."""
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))
