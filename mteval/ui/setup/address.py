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
from mteval.metrics.base import MetricSpec
from mteval.readers.documents import FILE_NAME, Problem
from mteval.report.kept_experiment import Bookmarks
from mteval.ui.setup import settings_form
from mteval.ui.setup.workspace import BASELINE, RUN_WORD, labels, loaded_experiment, remark, workspace
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import CONVENTIONS, Settings

TAKEN = "settings-taken"


def take_described() -> None:
    """In a callback: take settings and baseline from an experiment's file, once, so that they can be changed.

    Where they cannot be used, the problem is added to those of the files.
    """
    described = workspace().described
    if described is None or st.session_state.get(TAKEN) is described:
        return
    st.session_state[TAKEN] = described
    st.session_state[BASELINE] = described.baseline
    settings = _without_paths(described.settings)
    if settings != described.settings:
        text = "Metric options that are paths on the server are ignored here. Use “mteval run” to apply them."
        remark(Problem(text, FILE_NAME, severity="warning"))
    experiment = loaded_experiment()
    given = () if experiment is None else experiment.given
    try:
        resolve(settings, given)
    except MtevalError as error:
        remark(Problem(f"Settings ignored: {error} The sidebar keeps its own.", FILE_NAME))
        return
    shuffles, replicates, seeds = settings_form.SHUFFLES, settings_form.REPLICATES, settings_form.SEEDS
    bounds = {"n_shuffles": shuffles, "n_bootstrap": replicates, "seed": seeds}
    near = {name: min(max(getattr(settings, name), low), high) for name, (low, high) in bounds.items()}
    possible = replace(settings, **near)
    if possible != settings:
        text = (
            f"{counted(settings.n_shuffles, 'shuffle')}, {counted(settings.n_bootstrap, 'bootstrap replicate')} or seed"
            f" {settings.seed} is out of range here ({shuffles[0]:,} to {shuffles[1]:,}, {replicates[0]:,} to"
            f" {replicates[1]:,}, up to {seeds[1]}). The nearest values are set; “mteval run” uses those of the file."
        )
        remark(Problem(text, FILE_NAME, severity="warning"))
    st.session_state.update(widget_values(possible, catalog(given)))


def _without_paths(settings: Settings) -> Settings:
    """Return settings without options that are paths: a file must not name what the server opens."""
    paths = {(key, option.name) for key, spec in METRICS.items() for option in spec.options if option.kind == "path"}
    options = {
        metric: {name: value for name, value in given.items() if (metric, name) not in paths}
        for metric, given in settings.options.items()
    }
    return replace(settings, options={metric: given for metric, given in options.items() if given})


def widget_values(settings: Settings, known: Mapping[str, MetricSpec]) -> dict[str, object]:
    """Return the values of the sidebar's widgets, by key, for these settings."""
    primary, *others = settings.metrics
    values: dict[str, object] = {
        settings_form.PRIMARY: primary, settings_form.FURTHER: others,
        "convention": settings.convention, settings_form.CONVENTION_CHOSEN: True,
        "unit": settings.exchange_unit, "design": settings.design, "strict": settings.strict,
        "decision": settings.decision, "shuffles": settings.n_shuffles, "replicates": settings.n_bootstrap,
        "confidence": settings.confidence, "seed": settings.seed, "spending": settings.spending,
        settings_form.LOOKS: settings_form.looks_key(settings.looks), RUN_WORD: settings.run_word,
    }  # fmt: skip
    for metric in settings.metrics:
        chosen = {**known[metric].defaults(settings.convention), **settings.options.get(metric, {})}
        for option in known[metric].options:
            value = chosen[option.name]  # in the type that its widget holds
            if option.kind == "number" and value is not None:
                value = float(value)
            key = f"{settings.convention}.{metric}.{option.name}"
            values[key] = str(value) if option.kind in ("choice", "text") else value
    return values


LONGEST = 1_000  # characters of a value; names of files are the longest
TEXTS = ("baseline", "test-set", "campaign", "annotator")  # a name may be called nan


def forget_odd_parameters() -> None:
    """Remove non-numbers, broken characters and overlong values from the address."""
    if not (odd := [name for name in st.query_params if _is_odd(name, st.query_params.get_all(name))]):
        return
    with get_session_state().query_params() as parameters:
        for name in odd:
            parameters.discard_param_no_forward_msg(name)
        parameters.set_initial_query_params_from_current()  # which is what widgets look at


def _is_odd(name: str, values: Sequence[str]) -> bool:
    if any(len(text) > LONGEST or HALF_PAIR.search(text) is not None for text in (name, *values)):
        return True
    return name not in TEXTS and any(map(_is_no_number, values))


def _is_no_number(text: str) -> bool:
    """Return whether a text reads as an infinite or undefined number."""
    try:
        return not math.isfinite(float(text))
    except ValueError:
        return False


MOST = 150  # keeps the address short


def key_of(test_set: TestSet) -> str:
    """Return the key of a test set's bookmarks."""
    return f"seg-marked-{test_set.part_digests['references'][:8]}"  # the same with more runs


def bookmarked(test_set: TestSet) -> tuple[int, ...]:
    """Return the bookmarked segments, zero-based, in corpus order."""
    return _read(str(st.session_state.get(key_of(test_set)) or ""), test_set)


def _read(text: str, test_set: TestSet) -> tuple[int, ...]:
    """Return the segments that a text names, counted from 1; anything else is ignored."""
    numbers = {int(found) - 1 for found in re.findall(r"\d{1,9}", text)}
    return tuple(sorted(number for number in numbers if 0 <= number < test_set.n_segments)[:MOST])


def _written(segments: Iterable[int]) -> str:
    return " ".join(str(segment + 1) for segment in sorted(segments))


def turn(test_set: TestSet, segment: int) -> None:
    """In a callback: add or remove a bookmark."""
    st.session_state[key_of(test_set)] = _written({*bookmarked(test_set)} ^ {segment})


def all_bookmarks(experiment: Experiment) -> tuple[Bookmarks, ...]:
    """Return the bookmarks of all test sets that have any."""
    found = (Bookmarks(one.name, bookmarked(one), labels(one.name)) for one in experiment.test_sets)
    return tuple(one for one in found if one.segments or one.labels)


def restored(kept: Iterable[Bookmarks], experiment: Experiment | None, address: Mapping[str, object]) -> dict[str, str]:
    """Return the bookmark fields of an opened experiment: saved ones and those in the address."""
    by_name = {one.test_set: set(one.segments) for one in kept}
    values: dict[str, str] = {}
    for test_set in () if experiment is None else experiment.test_sets:
        named = _read(str(address.get(key_of(test_set), "")), test_set)
        if segments := by_name.get(test_set.name, set()) | set(named):
            values[key_of(test_set)] = _written(segments)
    return values


@contextmanager
def settings_that_stay() -> Iterator[None]:
    """Keep the settings' widgets as they are after a step back in the browser.

    After a step back Streamlit gives its default to whatever the address does not name. An address that names some
    setting was written with all that differed from their defaults, and says how they were; one that names none says
    nothing of them, as the address of an experiment, and those that are kept stay.
    """
    context = get_script_run_ctx()
    known = {BASELINE, *widget_values(settings_form.DEFAULTS, catalog(()))}
    names_settings = any(name in known or name.split(".")[0] in CONVENTIONS for name in st.query_params)
    if context is None or not context.is_history_navigation or names_settings:
        yield
        return
    context.is_history_navigation = False
    try:
        yield
    finally:
        context.is_history_navigation = True
