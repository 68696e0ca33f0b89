"""Who looks at the page: whose experiments are listed, and whose those are that are kept."""

import os
from collections.abc import Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

import streamlit as st

from mteval.library.place import OWNER_OF_MACHINE

STRANGER = ""  # somebody whom nothing tells apart from others: what they keep is reached by its links alone
PASSED_ON = ("X-Forwarded-For", "X-Forwarded-Host", "X-Real-Ip", "Forwarded", "Via")


def is_demo() -> bool:
    """Whether this server is for anybody to try."""
    return os.environ.get("MTEVAL_DEMO", "") not in ("", "0")


def visitor() -> str:
    """Whose an experiment is that is kept now.

    The one who is signed in; else the user of the machine, where the server is for it alone; else a stranger.
    """
    if st.user.get("is_logged_in"):
        return f"{st.user.get('iss', '')} {st.user.get('sub', '')}"
    server = st.get_option("server.address"), st.get_option("server.baseUrlPath")
    return OWNER_OF_MACHINE if is_at_the_machine(*server, st.context.headers) else STRANGER


def is_at_the_machine(address: str | None, base_path: str, headers: Mapping[str, str]) -> bool:
    """Whether a visitor uses the very machine that serves, or a tunnel to it.

    A reverse proxy speaks to a server on loopback as well; it has a base path, says that it passes requests on, or the
    browser names the host that it serves.
    """
    names = {name.lower() for name in headers}
    origin = headers.get("Origin")
    is_passed_on = bool(base_path) or any(name.lower() in names for name in PASSED_ON)
    return _is_loopback(address) and not is_passed_on and (origin is None or _is_loopback(urlsplit(origin).hostname))


def _is_loopback(host: str | None) -> bool:
    try:
        return host == "localhost" or ip_address(host or "").is_loopback
    except ValueError:
        return False
