"""Time the pages as AppTest draws them: load to verdict, first and next visits of pages and tabs, reloads."""

import logging
import time
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any
from unittest.mock import patch

from streamlit.components.v2 import manifest_scanner
from streamlit.runtime.pages_manager import PagesManager
from streamlit.testing.v1 import AppTest

from benchmarks.example import ROOT, Texts
from mteval.library.started import LINK
from mteval.metrics import METRICS
from mteval.readers.documents import Edits, InputFile, Slot
from mteval.readers.workspace import Workspace
from mteval.ui.session import progress, visitor

PAGES = ("scores", "significance", "replication", "segments")
TABS = ("All pairs", "Compare all tests")  # of Significance, which compute when they are opened
PATIENCE = 1_800  # seconds


def visits(texts: Texts, used: Callable[[], float]) -> Iterator[tuple[str, float]]:
    """Yield the seconds of each task by a clock."""
    logging.disable(logging.WARNING)
    prepare = PagesManager.__init__

    def prepared(self: PagesManager, *args: Any, **kwargs: Any) -> None:
        PagesManager.uses_pages_directory = False  # AppTest forgets that st.navigation was used
        prepare(self, *args, **kwargs)

    def warmed(cancelled: object, report: object) -> None:
        """Skip the warm-up of a server, which would count here."""

    with (
        patch.object(PagesManager, "__init__", prepared),
        patch.object(progress, "_evaluate_little", warmed),
        patch.object(progress, "_evaluate_further", warmed),
        patch.object(visitor, "browser", lambda: "browser"),
        # AppTest looks for components in all packages for each session, a server once
        patch.object(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests)),
    ):
        start = used()
        page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
        page.session_state["workspace"] = _workspace(texts)
        page.session_state["primary"] = "bleu"
        page.session_state["metrics"] = []
        page.run()
        if any(button.key == "start" for button in page.button):
            page.button(key="start").click().run()
        _settle(page)
        page.switch_page("pages/scores.py").run()
        assert not page.exception, page.exception
        yield "load to verdict", used() - start
        for visit in ("first", "next"):
            for name in PAGES:
                start = used()
                page.switch_page(f"pages/{name}.py").run()
                _settle(page)
                assert not page.exception, page.exception
                yield f"{name}, {visit} visit", used() - start

        page.switch_page("pages/significance.py").run()
        for tab in TABS:
            if tab not in [offered.label for offered in page.tabs]:
                continue
            for visit in ("first", "next"):
                start = used()
                page.query_params["closer-look"] = tab  # the address decides
                page.run()
                _settle(page)
                assert not page.exception, page.exception
                yield f"{tab}, {visit} visit", used() - start

        # As after F5: sessions before it still exist, and the first of them has loaded the files itself
        named = page.query_params[LINK]
        uid = named if isinstance(named, str) else named[0]
        sessions = [page]
        for visit in ("first", "next"):
            again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=PATIENCE)
            again.query_params[LINK] = uid
            start = used()
            again.switch_page("pages/scores.py").run()
            assert not again.exception, again.exception
            yield f"scores, {visit} reload", used() - start
            sessions.append(again)


def _settle(page: AppTest) -> None:
    """Draw the page until no work is under way, as a browser does."""
    deadline = time.monotonic() + PATIENCE
    while page.session_state["background"].jobs:
        assert time.monotonic() < deadline, "the work does not end"
        jobs = list(page.session_state["background"].jobs.values())
        is_done = all(job.wait(5) for job in jobs)
        page.run()
        if is_done and jobs == list(page.session_state["background"].jobs.values()):
            break  # work of a page that has been left


def _workspace(texts: Texts) -> Workspace:
    """Return a workspace with the files of all runs."""
    content_of = {"reference": _content(texts.references)}
    slots = [Slot("reference", "reference", None, None)]
    for system, runs in texts.systems.items():
        for place, run in enumerate(runs):
            name = f"{system}.{place}"
            content_of[name] = _content(run)
            slots.append(Slot(name, "hypothesis", system, str(place)))
    inputs = [InputFile(name, content) for name, content in content_of.items()]
    return Workspace.of(inputs, Edits(tuple(slots)), frozenset(METRICS))


def _content(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
