"""Settings that came with files, put into the widgets of the sidebar before these are drawn."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from mteval.base.errors import MtevalError
from mteval.base.words import counted
from mteval.metrics import METRICS, catalog, resolve
from mteval.metrics.base import MetricSpec, Option, OptionValue
from mteval.readers import Problem
from mteval.readers.experiment_file import FILE_NAME
from mteval.ui.setup.metric_choice import FURTHER, PRIMARY
from mteval.ui.setup.settings_form import LOOKS, REPLICATES, SEEDS, SHUFFLES, looks_key
from mteval.ui.setup.words import RUN_WORD
from mteval.ui.setup.workspace import BASELINE, loaded_experiment, remark, workspace
from mteval.values.settings import Settings

TAKEN = "settings-taken"


def take_described() -> None:
    """In a callback: the settings and the baseline that an experiment's file gives, once, so that they may be changed.

    Where they cannot be used, the problem is added to those of the files.
    """
    described = workspace().described
    if described is None or st.session_state.get(TAKEN) is described:
        return
    st.session_state[TAKEN] = described
    st.session_state[BASELINE] = described.baseline
    settings = _without_paths(described.settings)
    if settings != described.settings:
        text = "It names files of the machine that computes, as a metric's option; on a page they are not opened. "
        remark(Problem(text + "“mteval run” takes them.", FILE_NAME, severity="warning"))
    experiment = loaded_experiment()
    given = () if experiment is None else experiment.given
    try:
        resolve(settings, given)
    except MtevalError as error:
        remark(Problem(f"Its settings cannot be used: {error} Those of the sidebar stay.", FILE_NAME))
        return
    possible = _within_the_form(settings)
    if possible != settings:
        text = (
            f"It asks for {counted(settings.n_shuffles, 'shuffle')},"
            f" {counted(settings.n_bootstrap, 'bootstrap replicate')} and the seed {settings.seed}; the form takes"
            f" {SHUFFLES[0]:,} to {SHUFFLES[1]:,}, {REPLICATES[0]:,} to {REPLICATES[1]:,} and seeds up to {SEEDS[1]},"
            " and the nearest numbers are set. “mteval run” computes with those of the file."
        )
        remark(Problem(text, FILE_NAME, severity="warning"))
    st.session_state.update(widget_values(possible, catalog(given)))


def _without_paths(settings: Settings) -> Settings:
    """The settings without options that are paths: a file must not say what the server opens."""
    paths = {(key, option.name) for key, spec in METRICS.items() for option in spec.options if option.kind == "path"}
    options = {
        metric: {name: value for name, value in given.items() if (metric, name) not in paths}
        for metric, given in settings.options.items()
    }
    return replace(settings, options={metric: given for metric, given in options.items() if given})


def _within_the_form(settings: Settings) -> Settings:
    def near(value: int, bounds: tuple[int, int]) -> int:
        return min(max(value, bounds[0]), bounds[1])

    return replace(
        settings,
        n_shuffles=near(settings.n_shuffles, SHUFFLES),
        n_bootstrap=near(settings.n_bootstrap, REPLICATES),
        seed=near(settings.seed, SEEDS),
    )


def widget_values(settings: Settings, known: Mapping[str, MetricSpec]) -> dict[str, object]:
    """What the widgets of the sidebar hold, by key, where these are the settings."""
    primary, *others = settings.metrics
    values: dict[str, object] = {
        PRIMARY: primary,
        FURTHER: others,
        "convention": settings.convention,
        "unit": settings.exchange_unit,
        "design": settings.design,
        "shuffles": settings.n_shuffles,
        "replicates": settings.n_bootstrap,
        "confidence": settings.confidence,
        "seed": settings.seed,
        LOOKS: looks_key(settings.looks),
        "spending": settings.spending,
        RUN_WORD: settings.run_word,
    }
    for metric in settings.metrics:
        chosen = {**known[metric].defaults(settings.convention), **settings.options.get(metric, {})}
        for option in known[metric].options:
            values[f"{settings.convention}.{metric}.{option.name}"] = _of_widget(option, chosen[option.name])
    return values


def _of_widget(option: Option, value: OptionValue) -> OptionValue:
    """The value in the type that its widget holds."""
    if option.kind == "number" and value is not None:
        return float(value)
    return str(value) if option.kind in ("choice", "text") else value
