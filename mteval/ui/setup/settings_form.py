"""The settings in the sidebar, kept over pages and in the address; metrics and their descriptions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.answers.experiments import CONVENTION_NAMES, found_in_words
from mteval.base.errors import MtevalError
from mteval.base.words import counted
from mteval.metrics import METRICS, catalog, choices, lacking, resolve, with_language
from mteval.metrics.base import MetricSpec, Option, OptionValue, ScoreRange
from mteval.readers.appearance import suggest_convention
from mteval.readers.names import natural_order
from mteval.render.html import Markup, join, tag
from mteval.ui.elements import IN_ADDRESS, as_label, choose, choose_some, is_drawn, keys_in_address, say, show
from mteval.ui.session.fragments import fragment
from mteval.ui.session.memory import made_once
from mteval.ui.session.visitor import most_metrics, offered
from mteval.ui.setup.workspace import BASELINE, RUN_WORD, is_reference_open, run_word, workspace
from mteval.values.model import Experiment
from mteval.values.notation import Direction
from mteval.values.run_words import RUN_WORDS
from mteval.values.settings import (
    CONVENTIONS,
    SPENDING_NAMES,
    SPENDINGS,
    Convention,
    Settings,
    known_looks,
    looks_in_words,
)

DEFAULTS = Settings()
UNIT_NAMES: Mapping[str, str] = {
    "auto": "documents or sentences",
    "segment": "sentences",
    "document": "documents",
    "output": "single outputs",
}
DESIGN_NAMES: Mapping[str, str] = {
    "independent": "both",
    "paired": "both, in pairs",
    "candidate": "both, single {run} is a candidate",
    "fixed": "not the baseline",
    "released": "neither (released models)",
}
OPTIMIZED = "optimized"  # key of a widget
DECISION_NAMES: Mapping[str, str] = {
    "primary": "primary metric decides",
    "all": "better by all metrics",
    "any": "better by any metric",
}

# Lowest and highest values of number widgets
SHUFFLES = (100, 1_000_000)
REPLICATES = (100, 100_000)
SEEDS = (0, 2**32 - 1)

# Keys in the session
PRIMARY = "primary"
FURTHER = "metrics"
SEEN = "given-metrics-seen"
LAST_PRIMARY = "primary-of-the-run-before"
USUAL = "usual-metrics"
LOOKS = "looks"
CONVENTION_CHOSEN = "convention-chosen"
WRITTEN = "settings of the run before"
PANEL = "settings-panel"
PANEL_AS_LEFT = "settings-panel as it was left"

NO_LOOKS = "no"  # how no interim analyses are written in the address


def settings_form(experiment: Experiment | None, top: DeltaGenerator, recap: DeltaGenerator) -> Settings | None:
    """Draw the widgets and return the settings; the baseline needs a loaded experiment.

    An unavailable metric is left out with its reason on the page; None if it is the primary one.

    Parameters
    ----------
    top
        Where the primary metric is chosen.
    recap
        Where the convention is chosen.

    Raises
    ------
    SettingsError
        If the values exclude each other.
    """
    known: Mapping[str, MetricSpec]
    if experiment is None:
        known = catalog()
        usual = DEFAULTS.metrics
    else:
        _choose_baseline(experiment)
        known = choices(experiment)
        usual = usual_metrics(experiment)
    known = offered(known)
    _choose_new_scores(known, usual)
    primary = _choose_primary(known, usual, top)
    convention = DEFAULTS.convention
    if experiment is not None and experiment.has_texts:
        with recap:
            convention = _choose_convention(experiment)
    settings = Settings(metrics=_metrics(primary, usual[1:]), convention=convention)
    if PANEL not in st.session_state:  # on another page Streamlit begins anew
        st.session_state[PANEL] = st.session_state.get(PANEL_AS_LEFT, False)
    panel = st.expander("Settings", icon=":material/tune:", key=PANEL, on_change="rerun")
    st.session_state[PANEL_AS_LEFT] = panel.open
    if is_drawn(panel, widget_values(settings, known)):
        with panel:
            metrics = _metrics(primary, _choose_further(known, usual))
            _about_metrics(known)
            specs = [known[metric] for metric in metrics]
            settings = Settings(
                metrics=metrics,
                convention=convention,
                options=_options(specs, convention),
                optimized=_choose_optimized(experiment, specs),
                **_tests(),
                **_looks(),
            )
    return usable(settings, experiment, top)


def widget_values(settings: Settings, known: Mapping[str, MetricSpec]) -> dict[str, object]:
    """Return the values of the sidebar's widgets, by key, for these settings."""
    primary, *further = settings.metrics
    values: dict[str, object] = {
        PRIMARY: primary,
        FURTHER: further,
        "convention": settings.convention,
        CONVENTION_CHOSEN: True,
        "unit": settings.exchange_unit,
        "design": settings.design,
        "strict": settings.strict,
        "decision": settings.decision,
        OPTIMIZED: list(settings.optimized),
        "shuffles": settings.n_shuffles,
        "replicates": settings.n_bootstrap,
        "confidence": settings.confidence,
        "seed": settings.seed,
        "spending": settings.spending,
        LOOKS: looks_key(settings.looks),
        RUN_WORD: settings.run_word,
    }
    for metric in settings.metrics:
        values |= _option_values(known[metric], settings.convention, settings.options.get(metric, {}))
    return values


def _choose_optimized(experiment: Experiment | None, metrics: Sequence[MetricSpec]) -> tuple[str, ...]:
    """Choose systems that were trained or decoded towards one of the metrics."""
    if experiment is None:
        return ()
    names = {}
    for system in experiment.systems:
        for spec in metrics:
            names[f"{system.key}={spec.key}"] = f"{system.key}: {spec.name}"
    chosen = choose_some(
        "Optimized for a metric",
        names,
        OPTIMIZED,
        help="Systems trained or decoded towards a metric, e.g. by MBR or a reward. Beside their verdicts, that metric"
        " is marked as not independent.",
    )
    return tuple(chosen)


def _choose_baseline(experiment: Experiment) -> None:
    """Choose the baseline; a removed system gives way to the guess. One system alone has none."""
    if len(experiment.systems) < 2:
        return
    systems = sorted((system.key for system in experiment.systems), key=natural_order)
    choose(
        "Baseline",
        systems,
        BASELINE,
        default=experiment.baseline,
        help="All other systems are compared with this one.",
    )


def usable(settings: Settings, experiment: Experiment | None, beside: DeltaGenerator) -> Settings | None:
    """Return settings without unavailable metrics, whose reasons go ``beside``; None without the primary one."""
    reason_of = {metric: _reason(replace(settings, metrics=(metric,)), experiment) for metric in settings.metrics}
    if reason_of[settings.primary_metric] and is_reference_open(experiment):
        return None  # all lack the same, which the pages say
    with beside:
        for metric, reason in reason_of.items():
            if reason and metric == settings.primary_metric:
                say("error", reason)
            elif reason:
                say("warning", reason)
    if reason_of[settings.primary_metric]:
        return None
    available = tuple(metric for metric in settings.metrics if not reason_of[metric])
    settings = replace(settings, metrics=available)
    if experiment is not None:
        settings = with_language(settings, experiment)
    return settings


def _reason(settings: Settings, experiment: Experiment | None) -> str:
    """Return why a metric is unavailable with these options and files; empty if it is not."""
    try:
        if experiment is None:
            resolve(settings, ())
            return ""
        (metric,) = resolve(with_language(settings, experiment), experiment.given)
    except MtevalError as error:
        return str(error)
    return lacking(metric, experiment)


def usual_metrics(experiment: Experiment) -> tuple[str, ...]:
    """Return the default metrics of an experiment: imported scores if there are only scores.

    Without any references, the imported scores and those default metrics that need none, if there are any.
    """
    imported = tuple(scores.key for scores in experiment.given)
    if imported and workspace().loaded(experiment).is_of_scores:
        return imported
    if any(test_set.has_references for test_set in experiment.test_sets):
        return DEFAULTS.metrics
    without_references = [metric.key for metric in resolve(DEFAULTS) if not lacking(metric, experiment)]
    if imported or without_references:
        return (*imported, *without_references)
    return DEFAULTS.metrics


def recap(experiment: Experiment) -> DeltaGenerator:
    """Show in one line what was found, and return the place to change it."""
    if not st.session_state.get(CONVENTION_CHOSEN) and "convention" not in st.query_params:
        st.session_state["convention"] = made_once(suggest_convention, experiment).convention
    # Before its widget is drawn, a convention may be in the address only
    from_address = str(st.query_params.get("convention", DEFAULTS.convention)).lower()
    if from_address not in CONVENTIONS:
        from_address = DEFAULTS.convention
    convention = str(st.session_state.get("convention", from_address))
    summary = made_once(found_in_words, experiment, run_word(), convention)
    return st.popover(f"{as_label(summary)} — change", type="tertiary", width="stretch")


def _choose_convention(experiment: Experiment) -> Convention:
    """Choose the convention; it follows the text until somebody chooses."""
    return choose(
        "Convention",
        {convention: CONVENTION_NAMES[convention] for convention in CONVENTIONS},
        "convention",
        default=made_once(suggest_convention, experiment).convention,
        on_change=st.session_state.update,
        args=({CONVENTION_CHOSEN: True},),
        help="How text is tokenized. sacreBLEU expects raw text; MultEval expects tokenized text.",
    )


def offer_more_shuffles(n_shuffles: int) -> None:
    """Show a button that raises the number of shuffles, since others could move p across the level."""
    more = min(10 * n_shuffles, SHUFFLES[1])
    if more > n_shuffles:
        st.button(
            f"Use {counted(more, 'shuffle')}",
            icon=":material/shuffle:",
            key="more-shuffles",
            on_click=st.session_state.update,
            args=({"shuffles": more},),
        )


def write_address_again() -> None:
    """Write all settings into the page's address again, before the widgets are drawn.

    The browser sends the address as it was before a widget changed. A run that follows without the user, e.g. when
    work has ended, would go back to that address. Streamlit writes values that are set, even to what they are. A run
    that brings a change needs that change alone: writing all takes the browser a while.
    """
    number_keys = {"shuffles", "replicates", "seed"}  # the other widgets are choices
    keys_of_address = number_keys | keys_in_address()
    values: dict[str, Any] = {}
    for key in map(str, list(st.session_state)):
        is_option_of_metric = key.split(".")[0] in CONVENTIONS
        if key in keys_of_address or key.startswith("seg-") or is_option_of_metric:
            values[key] = st.session_state[key]
    before = st.session_state.get(WRITTEN, values)
    changed = {key: value for key, value in values.items() if key not in before or before[key] != value}
    if changed:
        st.session_state.update(changed)
    else:
        st.session_state.update(values)
    st.session_state[WRITTEN] = values


def _choose_primary(known: Mapping[str, MetricSpec], usual: tuple[str, ...], top: DeltaGenerator) -> str:
    """Choose the primary metric at the ``top`` of the page; the first of the ``usual`` ones is the default."""
    primary = choose(
        "Primary metric",
        _names_of(known),
        PRIMARY,
        default=usual[0],
        on_change=_keep_last_primary,
        args=(usual,),
        help=f"Verdicts and the median {run_word().noun} use this metric. Choose it before you look at results.",
        where=top,
        width=240,
    )
    st.session_state[LAST_PRIMARY] = primary
    return primary


def _choose_further(known: Mapping[str, MetricSpec], usual: tuple[str, ...]) -> list[str]:
    """Choose further metrics; those after the first of the ``usual`` ones are the default."""
    return choose_some(
        "Further metrics",
        _names_of(known),
        FURTHER,
        default=usual[1:],
        max_selections=most_metrics(),
        help="Shown beside the primary metric on every page.",
    )


def _names_of(known: Mapping[str, MetricSpec]) -> dict[str, str]:
    """Return the names of metrics by key, in the order of the list that is chosen from."""
    # Imported scores come first: the list is long, and the user has just brought them
    return {key: known[key].name for key in sorted(known, key=METRICS.__contains__)}


def _metrics(primary: str, further: Iterable[str]) -> tuple[str, ...]:
    """Return the chosen metrics, the primary one first, as many as are allowed."""
    metrics = (primary, *(key for key in further if key != primary))
    return metrics[: most_metrics()]


@fragment()
def _about_metrics(known: Mapping[str, MetricSpec]) -> None:
    """Show the button that opens the descriptions of metrics, which are sent only then."""
    descriptions = st.popover(
        "About the metrics",
        icon=":material/menu_book:",
        width="stretch",
        key="about-metrics",
        on_change="rerun",
    )
    if descriptions.open:
        with descriptions:
            show(guide(known.values()))


def _choose_new_scores(known: Mapping[str, MetricSpec], usual: tuple[str, ...]) -> None:
    """Add imported scores to the further metrics once; remove those whose file is gone.

    Scores without texts replace metrics that nobody chose, and give their place back when they go.
    """
    if usual != st.session_state.setdefault(USUAL, usual):
        _take_usual(usual)
    seen: set[str] = st.session_state.setdefault(SEEN, set())
    imported = set(known) - set(METRICS)
    further = st.session_state.get(FURTHER, list(usual[1:]))
    chosen_already = (*further, st.session_state.get(PRIMARY))
    wanted = [key for key in further if key in known]
    wanted += [key for key in known if key in imported and key not in seen and key not in chosen_already]
    if wanted != further:
        st.session_state[FURTHER] = wanted
    st.session_state[SEEN] = imported


def _take_usual(usual: tuple[str, ...]) -> None:
    """Take over changed defaults if nobody changed the earlier ones.

    A primary metric that was chosen alone stays.
    """
    before: tuple[str, ...] = st.session_state[USUAL]
    st.session_state[USUAL] = usual
    primary = st.session_state.get(PRIMARY, before[0])
    further = tuple(st.session_state.get(FURTHER, before[1:]))
    if (primary, *further) == before:
        st.session_state[PRIMARY] = usual[0]
        st.session_state[FURTHER] = list(usual[1:])
        st.session_state[SEEN] = set()
    elif primary not in before and further in (before, before[1:]):
        st.session_state[FURTHER] = [key for key in usual if key != primary]
        st.session_state[SEEN] = set()


def _keep_last_primary(usual: tuple[str, ...]) -> None:
    """In a callback: swap the old and the new primary metric."""
    primary = st.session_state[PRIMARY]
    last_primary = st.session_state.get(LAST_PRIMARY, usual[0])
    further = [key for key in st.session_state.get(FURTHER, list(usual[1:])) if key != last_primary]
    # The old primary metric takes the place of the new one among the further metrics, or else the first place
    place = 0
    if primary in further:
        place = further.index(primary)
    after = [key for key in further[place:] if key != primary]
    st.session_state[FURTHER] = [*further[:place], last_primary, *after]


def decide_by(metric: str, experiment: Experiment) -> None:
    """In a callback: make a metric the primary one, as if it were chosen in its place."""
    st.session_state[PRIMARY] = metric
    _keep_last_primary(usual_metrics(experiment))


_DIRECTIONS: Mapping[Direction, str] = {"↑": "↑ higher is better", "↓": "↓ lower is better", "": "no better direction"}


def guide(specs: Iterable[MetricSpec]) -> Markup:
    """Return the descriptions of metrics."""
    descriptions = []
    for spec in specs:
        descriptions.append(_described(spec.name, spec.summary, spec.range, spec.notation.direction, spec.source))
    return tag("div", *descriptions, class_="mt-guide")


@lru_cache(256)
def _described(name: str, summary: str, scores: ScoreRange, direction: Direction, source: str) -> Markup:
    facts = {"Range": in_words(scores), "Direction": _DIRECTIONS[direction], "Source": source}
    rows = [tag("div", tag("dt", term), tag("dd", value)) for term, value in facts.items()]
    return join((tag("h4", name, class_="mt-h"), tag("p", summary), tag("dl", *rows)))


def in_words(scores: ScoreRange) -> str:
    """Describe the range of scores."""
    lowest = scores.lowest
    highest = scores.highest
    if lowest is None and highest is None:
        limits = "no known limits"
    elif lowest is None:
        limits = f"{highest:g} and below"
    elif highest is None:
        limits = f"{lowest:g} and above"
    else:
        limits = f"{lowest:g} to {highest:g}"
    if scores.remark:
        return f"{limits}; {scores.remark}"
    return limits


def _options(metrics: Sequence[MetricSpec], convention: Convention) -> dict[str, dict[str, OptionValue]]:
    """Return the options that differ from the convention, by metric. Keys name the convention.

    The widgets are drawn only if the panel is open or an option differs: two dozen that nobody sees would cost the
    browser a quarter of every change of the page.
    """
    if not any(spec.options for spec in metrics):
        return {}
    panel = st.expander("Metric options", icon=":material/tune:", key="metric-options", on_change="rerun")
    usual: dict[str, object] = {}
    for spec in metrics:
        usual.update(_option_values(spec, convention, {}))
    if not is_drawn(panel, usual):
        return {}
    options_of: dict[str, dict[str, OptionValue]] = {}
    with panel:
        for spec in metrics:
            if not spec.options:
                continue
            st.markdown(f"**{as_label(spec.name)}**")
            defaults = spec.defaults(convention)
            changed = {}
            for option in _options_on_pages(spec):
                value = _choose_option(option, defaults[option.name], _option_key(convention, spec, option))
                if value != defaults[option.name]:
                    changed[option.name] = value
            if changed:
                options_of[spec.key] = changed
    return options_of


def _options_on_pages(spec: MetricSpec) -> list[Option]:
    """Return the options that visitors may set: none with a path on the server."""
    return [option for option in spec.options if option.kind != "path"]


def _option_key(convention: Convention, spec: MetricSpec, option: Option) -> str:
    """Return the key of an option's widget."""
    return f"{convention}.{spec.key}.{option.name}"


def _option_values(
    spec: MetricSpec, convention: Convention, chosen: Mapping[str, OptionValue]
) -> dict[str, OptionValue]:
    """Return the values of the widgets for a metric's options, by key; those not chosen are the convention's."""
    options = {**spec.defaults(convention), **chosen}
    values: dict[str, OptionValue] = {}
    for option in spec.options:
        value = options[option.name]
        # A widget takes values of its own type only
        if option.kind == "number" and value is not None:
            value = float(value)
        elif option.kind in ("choice", "text"):
            value = str(value)
        values[_option_key(convention, spec, option)] = value
    return values


def _choose_option(option: Option, default: OptionValue, key: str) -> OptionValue:
    """Draw the widget of one option."""
    if option.kind == "choice":
        return choose(option.label, list(option.choices), key, default=str(default), help=option.help)
    if option.kind == "flag":
        return bool(st.toggle(option.label, bool(default), key=key, help=option.help, **IN_ADDRESS))
    if option.kind == "text":
        return str(st.text_input(option.label, str(default), key=key, help=option.help, **IN_ADDRESS))
    # Streamlit needs bounds and default of the same type
    as_number = int if option.kind == "integer" else float
    lowest = None if option.minimum is None else as_number(option.minimum)
    highest = None if option.maximum is None else as_number(option.maximum)
    start = None if default is None else as_number(default)
    value: OptionValue = st.number_input(option.label, lowest, highest, start, key=key, help=option.help, **IN_ADDRESS)
    return value


def _tests() -> dict[str, Any]:
    """Choose how differences are tested; return the fields of ``Settings``."""
    noun = choose("A run is a", list(RUN_WORDS), RUN_WORD, help="Training luck is variation in this.")
    filled = run_word().filled
    levels = {0.9, 0.95, 0.99, st.session_state.get("confidence", DEFAULTS.confidence)}
    exchange_unit = choose(
        "Permute",
        UNIT_NAMES,
        "unit",
        help="The unit that the randomization test swaps. Documents need document IDs; single outputs are"
        " MultEval's pairing.",
    )
    design = choose(
        "Will either system be trained again?",
        {design: filled(name) for design, name in DESIGN_NAMES.items()},
        "design",
        help=filled(
            "In pairs: {runs} of the same name share a seed, data order or initialisation. Candidate: a system's"
            " single {run} is assumed to vary as the baseline's. Not the baseline, e.g. an API: its own luck is"
            " ignored. Neither: the verdict is about these two models, on other text like this."
        ),
    )
    strict = st.toggle(
        "Strict",
        DEFAULTS.strict,
        key="strict",
        **IN_ADDRESS,
        help=filled(
            "p_run keeps its level with any number of {runs}, at the cost of power. For gates, and for claims"
            " fixed beforehand."
        ),
    )
    decision = choose(
        "Metrics",
        DECISION_NAMES,
        "decision",
        help="All: a system must be better by every metric. Any: p is adjusted for the number of metrics, too.",
    )
    n_shuffles = st.number_input(
        "Shuffles",
        *SHUFFLES,
        DEFAULTS.n_shuffles,
        step=1_000,
        key="shuffles",
        **IN_ADDRESS,
        help="Permutations of the randomization test. The smallest p is 1 / (shuffles + 1); adjusted p-values may"
        " take more shuffles.",
    )
    n_bootstrap = st.number_input(
        "Bootstrap replicates",
        *REPLICATES,
        DEFAULTS.n_bootstrap,
        step=500,
        key="replicates",
        **IN_ADDRESS,
        help="Number of resampled test sets from which SD (test set) is estimated.",
    )
    confidence = choose(
        "Confidence",
        sorted(levels),
        "confidence",
        default=DEFAULTS.confidence,
        format_func=lambda level: f"{100 * level:g}%",
        help="Level of the intervals. Verdicts compare p with one minus this level.",
    )
    seed = st.number_input("Seed", *SEEDS, DEFAULTS.seed, key="seed", help="Seed of all random numbers.", **IN_ADDRESS)
    return {
        "run_word": noun,
        "exchange_unit": exchange_unit,
        "design": design,
        "strict": strict,
        "decision": decision,
        "n_shuffles": n_shuffles,
        "n_bootstrap": n_bootstrap,
        "confidence": confidence,
        "seed": seed,
    }


def _looks() -> dict[str, Any]:
    """Choose planned interim analyses; return the fields of ``Settings``."""
    plans = {looks_key(looks): looks for looks in known_looks()}
    names = {key: f"at {looks_in_words(looks, nouns='')}" for key, looks in plans.items()}
    plan = choose(
        "Interim analyses",
        {NO_LOOKS: "none", **names},
        LOOKS,
        help=run_word().filled(
            "Stopping at the first small p finds differences that are not there. Name the {run} counts at which you"
            " test. Tested without a plan? Choose a test after each {run}."
        ),
    )
    if plan == NO_LOOKS:
        return {}
    spending = choose(
        "Level spending",
        {spending: SPENDING_NAMES[spending] for spending in SPENDINGS},
        "spending",
        help="Spending little early keeps most of the level for the last analysis.",
    )
    return {"looks": plans[plan], "spending": spending}


def looks_key(looks: Sequence[int]) -> str:
    """Return how planned interim analyses are written in the address."""
    if not looks:
        return NO_LOOKS
    return "-".join(map(str, looks))
