"""Options of the dashboard server, as a value and on the command line."""

import argparse
import ipaddress
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mteval.base.errors import SettingsError

DEMO = "MTEVAL_DEMO"  # also says it to the pages
BASE_PATH = "MTEVAL_BASE_PATH"
SIGN_IN = "MTEVAL_SIGN_IN"
FRAMED = "MTEVAL_FRAMED"
SESSION_MB = "MTEVAL_SESSION_MB"  # to the pages as well
SESSION_MINUTES = "MTEVAL_SESSION_MINUTES"  # to the pages as well

# Defaults of a demo
DEMO_MB = 5.0
DEMO_MINUTES = 30.0

# In the URL, before the key of a campaign
ANNOTATOR = "annotator"
COORDINATOR = "coordinator"

MOST_PORT = 65_535
_PIECE = re.compile(r"[A-Za-z0-9_~-][A-Za-z0-9._~-]*")


@dataclass(frozen=True)
class Service:
    """Options of the dashboard server.

    Parameters
    ----------
    port
        From 1 to 65535.
    address
        Address to listen on.
    base_path
        URL prefix of all pages, e.g. ``lab/mteval``; may be empty.
    sign_in
        TOML file with a section ``[auth]``; None without sign-in.
    is_demo
        Public demo with limits, which stores nothing.
    is_framed
        Other sites may embed it.
    has_counts
        Serve usage counts to this machine.
    session_mb
        MB of files per session, and of each kind of results; infinite without a limit.
    session_minutes
        Minutes per session; infinite without a limit.
    hosts
        Names by which visitors know it, beside ``localhost``, this machine's and addresses in digits.

    Raises
    ------
    SettingsError
        If an option is invalid, or two are incompatible.
    """

    port: int = 8501
    address: str = "127.0.0.1"
    base_path: str = ""
    sign_in: Path | None = None
    is_demo: bool = False
    is_framed: bool = False
    has_counts: bool = False
    session_mb: float = math.inf
    session_minutes: float = math.inf
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.port <= MOST_PORT:
            raise SettingsError(f"The port is {self.port}; expected a number from 1 to {MOST_PORT}.")
        if self.base_path and not all(map(_PIECE.fullmatch, self.base_path.split("/"))):
            message = f"The base path is '{self.base_path}'; expected letters, digits and - . _ ~ between slashes, e.g."
            raise SettingsError(f"{message} lab/mteval.")
        if not self.session_mb > 0:
            raise SettingsError(f"The session limit is {self.session_mb:g} MB; expected a number above 0.")
        if not self.session_minutes > 0:
            raise SettingsError(f"The session limit is {self.session_minutes:g} minutes; expected a number above 0.")
        if self.sign_in is not None and self.is_framed:
            conflict = "--framed: browsers cannot sign in inside a frame"
            raise SettingsError(f"--sign-in does not go with {conflict}. Use one of them.")
        if self.sign_in is not None and self.is_demo:
            raise SettingsError("--sign-in does not go with --demo: it is open to all. Use one of them.")

    @property
    def host(self) -> str:
        """Host name for a browser on this machine."""
        if self.address in ("", "0.0.0.0", "::"):  # every address of this machine
            return "localhost"
        if ":" in self.address:
            return f"[{self.address}]"
        return self.address

    @property
    def url(self) -> str:
        """URL of the first page for a browser on this machine."""
        url = f"http://{self.host}:{self.port}"
        if self.base_path:
            url += f"/{self.base_path}"
        return url

    @property
    def is_for_this_machine(self) -> bool:
        """Whether it listens on a loopback address only."""
        try:
            return ipaddress.ip_address(self.address).is_loopback
        except ValueError:
            return self.address == "localhost"

    def words(self) -> list[str]:
        """Return the equivalent command-line options."""
        words = [f"--port={self.port}", f"--address={self.address}"]
        if self.base_path:
            words.append(f"--base-path={self.base_path}")
        if self.sign_in is not None:
            words.append(f"--sign-in={self.sign_in}")
        limits = self._limits("--session-mb", "--session-minutes")
        words += [f"{name}={limit}" for name, limit in limits.items()]
        words += [f"--host={name}" for name in self.hosts]
        if self.is_demo:
            words.append("--demo")
        if self.is_framed:
            words.append("--framed")
        if self.has_counts:
            words.append("--counts")
        return words

    @property
    def variables(self) -> dict[str, str]:
        """Environment variables with the session limits, for the pages."""
        return {name: str(value) for name, value in self._limits(SESSION_MB, SESSION_MINUTES).items()}

    def _limits(self, name_of_mb: str, name_of_minutes: str) -> dict[str, float]:
        """Return the finite limits by name."""
        limits = {name_of_mb: self.session_mb, name_of_minutes: self.session_minutes}
        return {name: limit for name, limit in limits.items() if math.isfinite(limit)}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options to a parser."""
    usual = Service()
    add = parser.add_argument
    add("--port", type=int, default=usual.port, help="port on this machine (default: %(default)s)")
    add("--address", default=usual.address, help="address to listen on (default: %(default)s, this machine only)")
    add("--base-path", default="", metavar="PATH", help="URL path added by a reverse proxy, e.g. lab/mteval")
    add("--sign-in", type=Path, metavar="FILE", help="TOML file whose section [auth] configures an OpenID provider")
    add("--demo", action="store_true", help="public demo: the sample and small files; nothing is saved")
    add("--framed", action="store_true", help="allow other sites to embed the dashboard, e.g. Hugging Face Spaces")
    add("--session-mb", type=float, metavar="N", help="most MB of files per session")
    add("--session-minutes", type=float, metavar="N", help="longest session")
    add("--host", action="append", metavar="NAME", help="host name that visitors use, e.g. lab.example; repeatable")
    add("--counts", action="store_true", help="serve /metrics to this machine")


def service_of(options: argparse.Namespace, environment: Mapping[str, str] = os.environ) -> Service:
    """Make the service from options, with defaults from the environment.

    Raises
    ------
    SettingsError
        As ``Service`` does.
    """
    base_path = options.base_path or environment.get(BASE_PATH, "")
    sign_in = options.sign_in or environment.get(SIGN_IN)
    hosts = options.host or environment.get("MTEVAL_HOSTS", "").replace(",", " ").split()
    is_demo = options.demo or _is_on(DEMO, environment)
    usual_mb, usual_minutes = _usual_limits(is_demo)
    return Service(
        port=options.port,
        address=options.address,
        base_path=base_path.strip("/"),
        sign_in=Path(sign_in).absolute() if sign_in else None,
        is_demo=is_demo,
        is_framed=options.framed or _is_on(FRAMED, environment),
        has_counts=options.counts,
        hosts=tuple(hosts),
        session_mb=_limit(options.session_mb, SESSION_MB, environment, usual_mb),
        session_minutes=_limit(options.session_minutes, SESSION_MINUTES, environment, usual_minutes),
    )


def is_demo() -> bool:
    """Return whether this server is a public demo."""
    return _is_on(DEMO, os.environ)


def session_limits() -> tuple[float, float]:
    """Return MB and minutes per session; infinite without a limit."""
    usual_mb, usual_minutes = _usual_limits(is_demo())
    mb = _limit(None, SESSION_MB, os.environ, usual_mb)
    minutes = _limit(None, SESSION_MINUTES, os.environ, usual_minutes)
    return mb, minutes


def _usual_limits(is_demo: bool) -> tuple[float, float]:
    """Return MB and minutes per session if none are chosen."""
    if is_demo:
        return DEMO_MB, DEMO_MINUTES
    return math.inf, math.inf


def _limit(option: float | None, variable: str, environment: Mapping[str, str], usual: float) -> float:
    """Return the option, else the variable, else the default."""
    if option is not None:
        return option
    try:
        return float(environment.get(variable) or usual)
    except ValueError as error:
        raise SettingsError(f"{variable} is '{environment[variable]}'; expected a number above 0.") from error


def _is_on(variable: str, environment: Mapping[str, str]) -> bool:
    """Whether a variable is set, and not 0."""
    return environment.get(variable, "") not in ("", "0")
