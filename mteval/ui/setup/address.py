"""Initial values of widgets: from an experiment's file, the page's address, or the library.

Anybody can write an address: values that no setting takes are removed first. Bookmarks are in the address and saved
with the experiment. A step back in the browser keeps the settings.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state import get_session_state

from mteval.base.errors import MtevalError
from mteval.base.words import HALF_PAIR, counted
from mteval.metrics import METRICS, catalog, resolve
from mteval.readers.documents import FILE_NAME, Problem
from mteval.report.kept_experiment import Bookmarks
from mteval.ui.elements import leave
from mteval.ui.setup import settings_form
from mteval.ui.setup.workspace import BASELINE, labels, loaded_experiment, remark, workspace
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import CONVENTIONS, Settings

LAST_TAKEN = "settings-taken"  # key of the experiment's file whose settings were taken last
LONGEST_VALUE = 1_000  # characters of a value; names of files are the longest
FREE_TEXTS = ("baseline", "test-set", "campaign", "annotator", "seg-text", "seg-ngram")  # which may be “nan”
WHOLE_NUMBERS = ("seg-open",)  # which may not be “1e2”
WHOLE_NUMBER = re.compile("[0-9]{1,9}")
MOST_BOOKMARKS = 150  # bookmarks of a test set, so that the address stays short


def take_described() -> None:
    """In a callback: take settings and baseline from an experiment's file, once, so that they can be changed.

    If they cannot be used, the problem is added to those of the files.
    """
    described = workspace().described
    if described is None or st.session_state.get(LAST_TAKEN) is described:
        return
    st.session_state[LAST_TAKEN] = described
    st.session_state[BASELINE] = described.baseline

    settings = _without_paths(described.settings)
    if settings != described.settings:
        text = "Metric options that are paths on the server are ignored here. Use “mteval run” to apply them."
        remark(Problem(text, FILE_NAME, severity="warning"))

    experiment = loaded_experiment()
    imported = () if experiment is None else experiment.given
    try:
        resolve(settings, imported)
    except MtevalError as error:
        remark(Problem(f"Settings ignored: {error} The sidebar keeps its own.", FILE_NAME))
        return

    possible = _within_bounds(settings)
    if possible != settings:
        remark(Problem(_out_of_range_sentence(settings), FILE_NAME, severity="warning"))
    st.session_state.update(settings_form.widget_values(possible, catalog(imported)))


def _without_paths(settings: Settings) -> Settings:
    """Return settings without options that are paths: a file must not name what the server opens."""
    paths = {
        (metric, option.name) for metric, spec in METRICS.items() for option in spec.options if option.kind == "path"
    }
    options = {}
    for metric, options_of_metric in settings.options.items():
        kept = {name: value for name, value in options_of_metric.items() if (metric, name) not in paths}
        if kept:
            options[metric] = kept
    return replace(settings, options=options)


def _within_bounds(settings: Settings) -> Settings:
    """Return settings with the nearest numbers that the widgets allow."""
    return replace(
        settings,
        n_shuffles=_nearest(settings.n_shuffles, settings_form.SHUFFLES),
        n_bootstrap=_nearest(settings.n_bootstrap, settings_form.REPLICATES),
        seed=_nearest(settings.seed, settings_form.SEEDS),
    )


def _nearest(value: int, bounds: tuple[int, int]) -> int:
    low, high = bounds
    return min(max(value, low), high)


def _out_of_range_sentence(settings: Settings) -> str:
    fewest_shuffles, most_shuffles = settings_form.SHUFFLES
    fewest_replicates, most_replicates = settings_form.REPLICATES
    _, highest_seed = settings_form.SEEDS
    return (
        f"{counted(settings.n_shuffles, 'shuffle')}, {counted(settings.n_bootstrap, 'bootstrap replicate')} or seed"
        f" {settings.seed} is out of range here ({fewest_shuffles:,} to {most_shuffles:,}, {fewest_replicates:,} to"
        f" {most_replicates:,}, up to {highest_seed}). The nearest values are set; “mteval run” uses those of the file."
    )


def forget_odd_parameters() -> None:
    """Remove from the address what is no finite number, or no whole one, broken characters and overlong values."""
    odd_names = [name for name in st.query_params if _is_odd(name, st.query_params.get_all(name))]
    if not odd_names:
        return
    with get_session_state().query_params() as parameters:
        for name in odd_names:
            parameters.discard_param_no_forward_msg(name)
        parameters.set_initial_query_params_from_current()  # which is what widgets look at


def _is_odd(name: str, values: Sequence[str]) -> bool:
    for text in (name, *values):
        if len(text) > LONGEST_VALUE or HALF_PAIR.search(text) is not None:
            return True
    if name in FREE_TEXTS:
        return False
    if name in WHOLE_NUMBERS:
        return not all(map(WHOLE_NUMBER.fullmatch, values))
    return any(map(_is_not_finite, values))


def _is_not_finite(text: str) -> bool:
    """Return whether a text reads as an infinite or undefined number."""
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


def key_of(test_set: TestSet) -> str:
    """Return the key of a test set's bookmarks."""
    # The references stay the same when runs are added
    return f"seg-marked-{test_set.part_digests['references'][:8]}"


def bookmarked(test_set: TestSet) -> tuple[int, ...]:
    """Return the bookmarked segments, zero-based, in corpus order."""
    text = st.session_state.get(key_of(test_set)) or ""  # an empty field is None
    return _segments_in(str(text), test_set)


def _segments_in(text: str, test_set: TestSet) -> tuple[int, ...]:
    """Return the segments that a text names, counted from 1; anything else is ignored."""
    segments = {int(digits) - 1 for digits in re.findall(r"\d{1,9}", text)}
    existing = sorted(segment for segment in segments if 0 <= segment < test_set.n_segments)
    return tuple(existing[:MOST_BOOKMARKS])


def _written(segments: Iterable[int]) -> str:
    return " ".join(str(segment + 1) for segment in sorted(segments))


def toggle_bookmark(test_set: TestSet, segment: int) -> None:
    """In a callback: add or remove a bookmark; with as many as possible, leave a message instead of adding one."""
    segments = set(bookmarked(test_set))
    if segment in segments:
        segments.remove(segment)
    elif len(segments) < MOST_BOOKMARKS:
        segments.add(segment)
    else:
        leave("warning", f"A test set has at most {MOST_BOOKMARKS} bookmarks. Remove one to add another.")
        return
    st.session_state[key_of(test_set)] = _written(segments)


def all_bookmarks(experiment: Experiment) -> tuple[Bookmarks, ...]:
    """Return the bookmarks of all test sets that have any."""
    all_of_them = []
    for test_set in experiment.test_sets:
        bookmarks = Bookmarks(test_set.name, bookmarked(test_set), labels(test_set.name))
        if bookmarks.segments or bookmarks.labels:
            all_of_them.append(bookmarks)
    return tuple(all_of_them)


def restored(
    saved: Iterable[Bookmarks], experiment: Experiment | None, address: Mapping[str, object]
) -> dict[str, str]:
    """Return the bookmark fields of an opened experiment: saved ones and those in the address."""
    saved_segments = {bookmarks.test_set: set(bookmarks.segments) for bookmarks in saved}
    values: dict[str, str] = {}
    if experiment is None:
        return values
    for test_set in experiment.test_sets:
        key = key_of(test_set)
        segments = saved_segments.get(test_set.name, set()).union(_segments_in(str(address.get(key, "")), test_set))
        if segments:
            values[key] = _written(segments)
    return values


@contextmanager
def settings_that_stay() -> Iterator[None]:
    """Keep the settings' widgets as they are after a step back in the browser.

    After a step back, Streamlit resets each widget that the address does not name. An address that names a setting
    was written with all settings that differed from their defaults, so resetting the others is right. An address that
    names no setting, e.g. that of an experiment, says nothing about them, so they stay.
    """
    context = get_script_run_ctx()
    known = {BASELINE, *settings_form.widget_values(settings_form.DEFAULTS, catalog(()))}
    names_settings = any(name in known or name.split(".")[0] in CONVENTIONS for name in st.query_params)
    if context is None or not context.is_history_navigation or names_settings:
        yield
        return
    context.is_history_navigation = False
    try:
        yield
    finally:
        context.is_history_navigation = True
