"""``mteval app``: start the dashboard.

``bin/app`` reads the options with this module before any package is installed, so it imports those only when it starts
the dashboard.
"""

import argparse
import os
import socket
import sys
import tomllib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.base.installing import how_to_install
from mteval.base.memory import OF_A_SERVER
from mteval.cli.console import examples, say, tell
from mteval.values.service import Service, service_of
from mteval.values.service import add_options as add_service_options

SECONDS_TO_GROW = 5.0  # a file that has not changed for so long is complete
PROVIDER_KEYS = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")


def add_options(parser: argparse.ArgumentParser, words: Sequence[str]) -> None:
    """Add the options."""
    parser.usage = "%(prog)s [PATH…] [option…]"
    parser.description = "Start the dashboard, empty or with an experiment loaded."
    parser.epilog = examples("app", "app runs/ --watch")
    text = "an experiment.toml, a folder, or files to load"
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH", help=text)
    parser.add_argument("--watch", action="store_true", help="watch the folder PATH for new runs")
    add_service_options(parser)
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser window")


def run(options: argparse.Namespace) -> None:
    """Replace this process by the dashboard's server, and open it in the browser.

    Raises
    ------
    MtevalError
        If the dashboard is missing or cannot be served with these options.
    """
    from mteval.base.paths import dashboard_directory
    from mteval.library.started import KEY, open_first

    if find_spec("streamlit") is None:
        raise MissingDependencyError(f"The packages of the dashboard are not installed. {how_to_install('app')}")
    script = dashboard_directory() / "app.py"
    service = service_of(options)
    _check_place(service)
    if service.sign_in is not None:
        _check_provider(service.sign_in, service.base_path)
    if not service.is_for_this_machine:
        tell(_who_can_come(service))
    command = [sys.executable, "-m", "mteval.ui.server", str(script), *service.words()]
    key = _key(options.paths, options.watch)
    if key:
        say(f"{service.url}/?{urlencode({KEY: key})}")
        sys.stdout.flush()
    if not options.no_browser and _has_screen():
        open_first(key)
        command.append("--browser")
    os.chdir(script.parent)
    os.execve(sys.executable, command, {**OF_A_SERVER, **os.environ})


def _has_screen() -> bool:
    """Tell whether a browser can open a window; without a screen, one in the terminal would start."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _key(paths: Sequence[Path], is_watching: bool) -> str:
    """Save the experiment at the paths in the library, and return the secret of its link; empty without paths."""
    if is_watching and (len(paths) != 1 or not paths[0].is_dir()):
        raise SettingsError("--watch needs exactly one folder.")
    if not paths:
        return ""
    from mteval.library.started import Watched, configured_library, watch
    from mteval.report.merging import entry_of

    entry = entry_of(paths, configured_library(), SECONDS_TO_GROW if is_watching else 0)
    if is_watching:
        watch(Watched(entry.uid, paths[0].resolve()))
    return entry.editor


def _check_place(service: Service) -> None:
    """Try to listen on the address, so that a failure is one line here."""
    try:
        found_addresses = socket.getaddrinfo(
            service.address or None, service.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )
        family, kind, protocol, _, socket_address = found_addresses[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(socket_address)
            probe.listen(1)
    except OSError as error:
        place = f"port {service.port} of {service.address or 'all addresses'}"
        raise SettingsError(
            f"Cannot listen on {place}: {error.strerror}. Choose another --port or --address."
        ) from error


def _check_provider(path: Path, base_path: str) -> None:
    """Check the sign-in configuration before the first visitor needs it."""
    if find_spec("authlib") is None:
        raise MissingDependencyError(f"--sign-in needs the package Authlib. {how_to_install('sign-in')}")
    try:
        section = tomllib.loads(path.read_text(encoding="utf-8")).get("auth")
    except (OSError, ValueError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}. See docs/hosting.md for its format.") from error
    if not isinstance(section, dict):
        section = {}
    lacking = [key for key in PROVIDER_KEYS if not section.get(key)]
    if lacking:
        raise SettingsError(f"{path}: section [auth] lacks {', '.join(lacking)}. See docs/hosting.md.")
    path_of_callback = f"/{base_path}/oauth2callback".replace("//", "/")
    if urlsplit(str(section["redirect_uri"])).path != path_of_callback:
        raise SettingsError(
            f"{path}: redirect_uri is '{section['redirect_uri']}' but must end in {path_of_callback}. Change it here"
            " and at the provider."
        )


def _who_can_come(service: Service) -> str:
    """Warn about what other machines can do with the dashboard."""
    reach = f"Anyone who can reach port {service.port} of {service.address or 'this machine'}"
    if service.sign_in is not None:
        return f"{reach} can try to sign in. Traffic is unencrypted unless a proxy adds HTTPS."
    if service.is_demo:
        return f"{reach} can use the demo, within its limits. There is no sign-in, and nothing is saved."
    return (
        f"{reach} can load files and start work, without signing in. Users see each other's experiments only through"
        " links. Traffic is unencrypted. For a lab, use --sign-in and a proxy with HTTPS (docs/hosting.md)."
    )
