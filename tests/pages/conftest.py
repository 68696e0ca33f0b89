"""The app as a user drives it, without a browser."""

import html
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.components.v2 import manifest_scanner
from streamlit.components.v2.manifest_scanner import scan_component_manifests
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from mteval.analysis.evaluation import Evaluation
from mteval.analysis.results import Results
from mteval.base.databases import make_file
from mteval.readers.apart import Apart
from mteval.readers.workspace import Workspace
from mteval.ui import page
from mteval.ui.segments import table
from mteval.ui.session import progress, visitor
from mteval.ui.session.background import Job
from mteval.ui.session.browser import COOKIE, new_token
from mteval.ui.session.evaluation import PLACE
from mteval.ui.session.memory import OF_ALL, of_session
from mteval.ui.setup import reading
from mteval.ui.setup import workspace as session
from mteval.values.model import Experiment

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def apart() -> Apart:
    """What reads uploads, in processes that are started once."""
    return Apart()


@pytest.fixture(scope="session", autouse=True)
def _apps_share_what_never_changes() -> Iterator[None]:
    """Read the installed packages and compile the pages once, not in every app; wait for a script without asking."""
    compiled = ScriptCache()
    manifests = scan_component_manifests()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", lambda: manifests)
        patch.setattr(app_test, "ScriptCache", lambda: compiled)
        patch.setattr(local_script_runner, "ScriptCache", lambda: compiled)
        patch.setattr(local_script_runner, "require_widgets_deltas", _wait_for_its_end)
        yield


def _wait_for_its_end(runner: local_script_runner.LocalScriptRunner, timeout: float) -> None:
    assert runner._script_thread is not None
    runner._script_thread.join(timeout)
    assert runner.script_stopped(), f"the script has not ended after {timeout} seconds"


@pytest.fixture(autouse=True)
def _read_by_one(apart: Apart, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "reading", lambda: apart)
    monkeypatch.setattr(reading, "PATIENCE", 120.0)  # a drop waits until its files are there


@pytest.fixture(autouse=True)
def _scoring_waits(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dropped files wait for a press of the button, as where something is open about them; not in tests of arrival."""
    if request.node.get_closest_marker("arrival") is None:
        monkeypatch.setattr(page, "is_unambiguous", lambda experiment: False)


@pytest.fixture(autouse=True)
def _all_segments_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The table of segments has all rows of these small test sets, so that tests can read them off."""
    monkeypatch.setattr(table, "ROWS_SENT", 60)


@pytest.fixture(scope="module", autouse=True)
def _nothing_is_warmed_up() -> Iterator[None]:
    """Skip the warm-up: a server does it once, but every test here starts an app."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(progress, "_evaluate_little", lambda cancelled, report: None)
        patch.setattr(progress, "_evaluate_further", lambda cancelled, report: None)
        yield


@pytest.fixture(autouse=True)
def _fresh_caches() -> Iterator[None]:
    """The caches of one app would leak into the next."""
    yield
    st.cache_data.clear()
    st.cache_resource.clear()
    OF_ALL.clear()


@pytest.fixture(autouse=True)
def _library_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, no_annotations: bytes) -> None:
    """What one test keeps is not listed in the next."""
    monkeypatch.setenv("MTEVAL_HOME", str(tmp_path / "home"))
    make_file(tmp_path / "home" / "annotations.sqlite")
    (tmp_path / "home" / "annotations.sqlite").write_bytes(no_annotations)


@pytest.fixture(autouse=True)
def _browsers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every session is of a browser of its own; AppTest has no cookies."""
    for module in (progress, visitor):
        monkeypatch.setattr(module, "browser", lambda: of_session(COOKIE, new_token))


@pytest.fixture(autouse=True)
def _nobody_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    """AppTest's server is a mock, which a thread that looks for visitors who left must not ask."""
    monkeypatch.setattr(progress.Leaving, "look_for_ever", lambda _: None)


@pytest.fixture(autouse=True)
def _pages_by_navigation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every run goes through ``app.py``.

    AppTest forgets between runs that ``st.navigation`` was used and then takes the files in ``pages`` for pages that
    run without it; a server remembers.
    """
    prepare = PagesManager.__init__

    def prepared(self: PagesManager, *args: Any, **kwargs: Any) -> None:
        monkeypatch.setattr(PagesManager, "uses_pages_directory", False)
        prepare(self, *args, **kwargs)

    monkeypatch.setattr(PagesManager, "__init__", prepared)


class App:
    """What a user can do with the app."""

    def __init__(self) -> None:
        self.page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=180)

    def open(self, **address: str) -> "App":
        """Open the first page, with settings in its address."""
        self.page.query_params.update(address)
        self.page.run()
        return self

    def drop(self, files: Mapping[str, bytes | str], zone: str = "files") -> "App":
        """Drop files on the load page."""
        (uploader,) = [uploader for uploader in self.page.file_uploader if uploader.key.startswith(f"{zone}-")]
        uploads = []
        for name, content in files.items():
            if isinstance(content, str):
                content = content.encode()
            uploads.append((name, content, ""))
        uploader.set_value(uploads)
        self.page.run()
        return self

    def drop_systems(self, **n_runs: int) -> "App":
        """Drop references and so many runs of each system."""
        return self.drop(systems(**n_runs))

    def press(self, key: str) -> "App":
        """Press a button."""
        self.page.button(key=key).click().run()
        return self

    def choose(self, key: str, value: object) -> "App":
        """Choose a setting of the sidebar, which is opened for that, and wait for what follows by itself."""
        widgets = self._settings(key)
        if not widgets:
            widgets = self.unfold("settings-panel")._settings(key)
        (widget,) = widgets
        widget.set_value(value)
        self.page.run()
        return self.settle()

    def _settings(self, key: str) -> list[Any]:
        widgets = (*self.page.selectbox, *self.page.multiselect, *self.page.number_input, *self.page.toggle)
        return [widget for widget in widgets if widget.key == key]

    def closer_look(self, name: str) -> "App":
        """Open a tab about the open segment."""
        self.page.session_state["segment-tabs"] = name
        self.page.run()
        assert not self.page.exception
        return self

    @property
    def recap(self) -> str:
        """What was found in the files, in one line."""
        for block in self.page.get("popover"):
            label: str = block.proto.popover.label
            if label.endswith("change"):
                return label.replace("\\", "")
        return ""

    def unfold(self, key: str, is_open: bool = True) -> "App":
        """Open or close a panel whose content is drawn on demand."""
        self.page.session_state[key] = is_open
        self.page.run()
        return self

    @property
    def options(self) -> list[str]:
        """Keys of the widgets for metric options."""
        widgets = (*self.page.selectbox, *self.page.number_input, *self.page.toggle, *self.page.text_input)
        keys = [str(widget.key) for widget in widgets]
        return sorted(key for key in keys if key.count(".") == 2)

    def direct(self, metric: str, is_higher_better: bool | None) -> "App":
        """Say which way scores computed elsewhere are better."""
        (control,) = [group for group in self.page.button_group if group.key.endswith(f"-{metric}")]
        control.set_value(is_higher_better)
        self.page.run()
        return self

    def type(self, field: str, text: str) -> "App":
        """Write into a field of text, named by the beginning of its key."""
        (widget,) = [widget for widget in self.page.text_input if str(widget.key).startswith(f"{field}-")]
        widget.set_value(text)
        self.page.run()
        return self

    def compute(self) -> "App":
        """Press the button that starts the work and wait for its end."""
        return self.press("start").settle()

    def settle(self) -> "App":
        """Draw the page again until nothing is evaluated any more, as the browser does."""
        return self.wait_for_work(PLACE)

    def wait_for_work(self, *places: str) -> "App":
        """Draw the page again until no work is under way, anywhere or in these places."""
        deadline = time.monotonic() + 180
        while jobs := self._jobs(places):
            assert time.monotonic() < deadline, "the work does not end"
            is_done = all(job.wait(0.5) for job in jobs)
            self.page.run()
            if is_done and self._jobs(places) == jobs:  # work of a page that has been left
                break
        return self

    def _jobs(self, places: Sequence[str]) -> list[Job[Any]]:
        if "background" not in self.page.session_state:
            return []
        job_of: Mapping[str, Job[Any]] = self.page.session_state["background"].jobs
        return [job for place, job in job_of.items() if not places or place in places]

    @property
    def evaluation(self) -> Evaluation:
        """What the session evaluated last."""
        *_, key = self.page.session_state["evaluations"].latest.values()
        results: Results = self.page.session_state["background"].values.get(key)
        return results.evaluation

    @property
    def experiment(self) -> Experiment | None:
        """What is loaded, its baseline guessed."""
        workspace: Workspace = self.page.session_state["workspace"]
        return workspace.experiment()

    def edit(self, file: str, **columns: object) -> "App":
        """Change a row of the table of files, which AppTest cannot."""
        workspace: Workspace = self.page.session_state["workspace"]
        row = [slot.file for slot in workspace.slots].index(file)
        self.page.session_state["workspace"] = workspace.edit({row: columns})
        self.page.run()
        return self

    def go(self, page: str) -> "App":
        """Go to a page."""
        self.page.switch_page(f"pages/{page}.py").run()
        return self

    @property
    def task(self) -> dict[str, Any]:
        """What the browser of an annotator is told."""
        components = [component.proto.json for component in self.page.get("bidi_component")]
        values_of_components = [json.loads(values) for values in components if values]
        (task,) = [values for values in values_of_components if "token" in values]
        return task

    def step_to(self, position: int) -> "App":
        """Open another task, as the browser asks for it."""
        positions = self.page.session_state["annotating-positions"]
        self.page.session_state["annotating-positions"] = dict.fromkeys(positions, position)
        self.page.run()
        return self

    @property
    def text(self) -> str:
        """What the pages wrote as HTML, without the tags."""
        return html.unescape(re.sub("<[^>]*>", " ", self.html.replace("<wbr>", "")))

    @property
    def html(self) -> str:
        """What the pages wrote as HTML."""
        return "\n".join(element.value for element in self.page.html if not element.value.startswith("<style>"))

    @property
    def buttons(self) -> set[str]:
        """Keys of the buttons that can be pressed."""
        return {button.key for button in self.page.button if not button.disabled}

    @property
    def titles(self) -> list[str]:
        """The headings of the page of the first level."""
        return [title.value for title in self.page.title]

    @property
    def start_labels(self) -> list[str]:
        """What the button that starts the work says: empty where there is no such button."""
        return [button.label for button in self.page.button if button.key == "start"]

    def cells(self, caption: str) -> list[list[str]]:
        """The body of the table whose caption begins so, or that has such a column, row by row."""
        start = rf"<table[^>]*><(?:caption>|thead>(?:(?!</thead>).)*>){re.escape(caption)}"
        (table,) = re.findall(rf"{start}.*?</table>", self.html.replace("<wbr>", ""))
        body = table[table.index("</thead>") :]
        rows = []
        for row in re.findall("<tr>(.*?)</tr>", body):
            cells = re.findall("<t[hd].*?</t[hd]>", row)
            rows.append([html.unescape(re.sub("<[^>]*>", "", cell)) for cell in cells])
        return rows


@pytest.fixture
def open_app() -> Callable[..., App]:
    """Opens the app with settings in its address."""
    return lambda **address: App().open(**address)


@pytest.fixture
def app(open_app: Callable[..., App]) -> App:
    """The app on its first page."""
    return open_app()


def systems(**n_runs: int) -> dict[str, str]:
    """References and so many runs of each system: forty sentences, each run with other words left out of them."""
    sentence = "the quick brown fox jumps over the lazy dog while it rains on every roof of this old town"
    references = [" ".join(sentence.split()[segment % 7 :]) for segment in range(40)]
    files = {"refs.txt": "\n".join(references) + "\n"}
    for index, (system, count) in enumerate(n_runs.items()):
        every = 5 + 2 * index
        for run in range(count):
            lines = [_thinned(line, every, segment + 3 * run) for segment, line in enumerate(references)]
            files[f"{system}/opt{run}.txt"] = "\n".join(lines) + "\n"
    return files


def _thinned(line: str, every: int, start: int) -> str:
    """The line without every so-manieth word."""
    return " ".join(word for place, word in enumerate(line.split()) if (place + start) % every)


@pytest.fixture(scope="session")
def files() -> Callable[..., dict[str, str]]:
    """The maker of files: ``files(base=3, new=3)``."""
    return systems
