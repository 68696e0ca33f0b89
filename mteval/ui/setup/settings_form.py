"""The settings in the sidebar, kept over pages and in the address; metrics and their descriptions."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from mteval.answers.experiments import CONVENTION_NAMES, found_in_words
from mteval.base.errors import MtevalError
from mteval.metrics import METRICS, catalog, choices, lacking, resolve, with_language
from mteval.metrics.base import MetricSpec, Option, OptionValue, ScoreRange
from mteval.readers.appearance import suggest_convention
from mteval.readers.names import natural_order
from mteval.render.html import Markup, join, tag
from mteval.ui.elements import IN_ADDRESS, as_label, choose, choose_some, keys_in_address, say, show
from mteval.ui.session.memory import made_once
from mteval.ui.session.visitor import most_metrics, offered
from mteval.ui.setup.workspace import BASELINE, RUN_WORD, run_word, workspace
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

_DIRECTIONS: Mapping[Direction, str] = {"↑": "↑ higher is better", "↓": "↓ lower is better", "": "no better direction"}


def guide(specs: Iterable[MetricSpec]) -> Markup:
    """Return the descriptions of metrics."""
    described = (_described(one.name, one.summary, one.range, one.notation.direction, one.source) for one in specs)
    return tag("div", *described, class_="mt-guide")


def in_words(scores: ScoreRange) -> str:
    """Describe the range of scores."""
    lowest, highest = scores.lowest, scores.highest
    if lowest is not None:
        limits = f"{lowest:g} and above" if highest is None else f"{lowest:g} to {highest:g}"
    else:
        limits = "no known limits" if highest is None else f"{highest:g} and below"
    return f"{limits}; {scores.remark}" if scores.remark else limits


@lru_cache(256)
def _described(name: str, summary: str, scores: ScoreRange, direction: Direction, source: str) -> Markup:
    facts = {"Range": in_words(scores), "Direction": _DIRECTIONS[direction], "Source": source}
    rows = [tag("div", tag("dt", term), tag("dd", value)) for term, value in facts.items()]
    return join((tag("h4", name, class_="mt-h"), tag("p", summary), tag("dl", *rows)))


PRIMARY, FURTHER, SEEN, LAST_PRIMARY = "primary", "metrics", "given-metrics-seen", "primary-of-the-run-before"
USUAL = "usual-metrics"


def choose_metrics(known: Mapping[str, MetricSpec], usual: tuple[str, ...], top: DeltaGenerator) -> tuple[str, ...]:
    """Choose metrics, the primary one first, at the ``top`` of the page; ``usual`` are the defaults."""
    known = offered(known)
    _choose_what_came(known, usual)
    names = {key: spec.name for key, spec in known.items()}
    primary = choose(
        "Primary metric", names, PRIMARY, default=usual[0], on_change=_keep_last_primary, args=(usual,),
        help=f"Verdicts and the median {run_word().noun} use this metric. Choose it before you look at results.",
        where=top, width=240,
    )  # fmt: skip
    st.session_state[LAST_PRIMARY] = primary
    others = choose_some(
        "Further metrics", names, FURTHER, default=usual[1:], max_selections=most_metrics(),
        help="Shown beside the primary metric on every page.",
    )  # fmt: skip
    with st.popover("About the metrics", icon=":material/menu_book:", width="stretch"):
        show(guide(known.values()))
    return (primary, *(key for key in others if key != primary))[: most_metrics()]


def _choose_what_came(known: Mapping[str, MetricSpec], usual: tuple[str, ...]) -> None:
    """Add imported scores to the further metrics once; remove those whose file is gone.

    Scores without texts take the place of what nobody chose, and leave it when they go.
    """
    if usual != st.session_state.setdefault(USUAL, usual):
        _take_usual(usual)
    seen: set[str] = st.session_state.setdefault(SEEN, set())
    given = set(known) - set(METRICS)
    chosen = st.session_state.get(FURTHER, list(usual[1:]))
    wanted = [key for key in chosen if key in known]
    wanted += [key for key in known if key in given - seen and key not in (*chosen, st.session_state.get(PRIMARY))]
    if wanted != chosen:
        st.session_state[FURTHER] = wanted
    st.session_state[SEEN] = given


def _take_usual(usual: tuple[str, ...]) -> None:
    """Take over changed defaults if nobody changed the earlier ones.

    Who has chosen a primary metric alone keeps it.
    """
    before: tuple[str, ...] = st.session_state[USUAL]
    st.session_state[USUAL] = usual
    primary, others = st.session_state.get(PRIMARY, before[0]), tuple(st.session_state.get(FURTHER, before[1:]))
    if (primary, *others) == before:
        st.session_state[PRIMARY], st.session_state[FURTHER] = usual[0], list(usual[1:])
    elif primary not in before and others in (before, before[1:]):
        st.session_state[FURTHER] = [key for key in usual if key != primary]
    else:
        return
    st.session_state[SEEN] = set()


def _keep_last_primary(usual: tuple[str, ...]) -> None:
    """In a callback: swap the old and the new primary metric."""
    now, before = st.session_state[PRIMARY], st.session_state.get(LAST_PRIMARY, usual[0])
    others = [key for key in st.session_state.get(FURTHER, list(usual[1:])) if key != before]
    place = others.index(now) if now in others else 0
    st.session_state[FURTHER] = [*others[:place], before, *(key for key in others[place:] if key != now)]


def usable(settings: Settings, experiment: Experiment | None, beside: DeltaGenerator) -> Settings | None:
    """Return settings without unavailable metrics, whose reasons go ``beside``; None without the primary one."""
    reasons = {key: _reason(replace(settings, metrics=(key,)), experiment) for key in settings.metrics}
    with beside:
        for key, reason in reasons.items():
            if reason:
                say("error" if key == settings.primary_metric else "warning", reason)
    if reasons[settings.primary_metric]:
        return None
    left = replace(settings, metrics=tuple(key for key in settings.metrics if not reasons[key]))
    return left if experiment is None else with_language(left, experiment)


def _reason(settings: Settings, experiment: Experiment | None) -> str:
    """Return why a metric is unavailable with these options and files; empty if it is not."""
    try:
        settings = settings if experiment is None else with_language(settings, experiment)
        (metric,) = resolve(settings, () if experiment is None else experiment.given)
    except MtevalError as error:
        return str(error)
    return "" if experiment is None else lacking(metric, experiment)


DEFAULTS = Settings()
UNIT_NAMES: Mapping[str, str] = {
    "auto": "documents or sentences", "segment": "sentences", "document": "documents", "output": "single outputs",
}  # fmt: skip
DESIGN_NAMES: Mapping[str, str] = {
    "independent": "both", "paired": "both, in pairs", "candidate": "both, single {run} is a candidate",
    "fixed": "not the baseline", "released": "neither (released models)",
}  # fmt: skip
DECISION_NAMES: Mapping[str, str] = {
    "primary": "primary metric decides", "all": "better by all metrics", "any": "better by any metric",
}  # fmt: skip
SHUFFLES = (100, 1_000_000)
REPLICATES = (100, 100_000)
SEEDS = (0, 2**32 - 1)
LOOKS = "looks"
NO_LOOKS = "no"
CONVENTION_CHOSEN = "convention-chosen"
WRITTEN = "settings of the run before"


def settings_form(experiment: Experiment | None, top: DeltaGenerator, recap: DeltaGenerator) -> Settings | None:
    """Draw the widgets and return the settings; the baseline needs a loaded experiment.

    A metric that cannot be had is left out and the reason is said; None where it is the primary one.

    Parameters
    ----------
    top
        Where the primary metric is chosen.
    recap
        Where the convention is chosen.

    Raises
    ------
    SettingsError
        Where the values exclude each other.
    """
    if experiment is not None:  # a removed system gives way to the guess
        systems = sorted((system.key for system in experiment.systems), key=natural_order)
        about = "All other systems are compared with this one."
        choose("Baseline", systems, BASELINE, default=experiment.baseline, help=about)
    known, convention = catalog() if experiment is None else choices(experiment), DEFAULTS.convention
    usual = DEFAULTS.metrics if experiment is None else usual_metrics(experiment)
    with st.expander("Settings", icon=":material/tune:"):
        metrics = choose_metrics(known, usual, top)
        if experiment is not None and experiment.has_texts:
            with recap:
                convention = _choose_convention(experiment)
        options = _options([known[metric] for metric in metrics], convention)
        settings = Settings(metrics=metrics, convention=convention, options=options, **_tests(), **_looks())
    return usable(settings, experiment, top)


def recap(experiment: Experiment) -> DeltaGenerator:
    """Show in one line what was found, and return the place to change it."""
    if not st.session_state.get(CONVENTION_CHOSEN) and "convention" not in st.query_params:
        st.session_state["convention"] = made_once(suggest_convention, experiment).convention
    addressed = str(st.query_params.get("convention", DEFAULTS.convention)).lower()
    convention = str(st.session_state.get("convention", addressed if addressed in CONVENTIONS else DEFAULTS.convention))
    found = made_once(found_in_words, experiment, run_word(), convention)
    return st.popover(f"{as_label(found)} — change", type="tertiary", width="stretch")


def _choose_convention(experiment: Experiment) -> Convention:
    """Choose the convention; it follows the text until somebody chooses."""
    return choose(
        "Convention", {key: CONVENTION_NAMES[key] for key in CONVENTIONS}, "convention",
        default=made_once(suggest_convention, experiment).convention,
        on_change=st.session_state.update, args=({CONVENTION_CHOSEN: True},),
        help="How text is tokenized. sacreBLEU expects raw text; MultEval expects tokenized text.",
    )  # fmt: skip


def usual_metrics(experiment: Experiment) -> tuple[str, ...]:
    """Return the default metrics of an experiment: imported scores if there are only scores.

    Where no test set has references, those of these and of the others that need none, as far as there are any.
    """
    given = tuple(scores.key for scores in experiment.given)
    if given and workspace().loaded(experiment).is_of_scores:
        return given
    if any(test_set.has_references for test_set in experiment.test_sets):
        return DEFAULTS.metrics
    needless = [metric.key for metric in resolve(DEFAULTS) if not lacking(metric, experiment)]
    return (*given, *needless) or DEFAULTS.metrics


def write_address_again() -> None:
    """Write all settings into the page's address again, before the widgets are drawn.

    The browser sends the address as it was before a widget changed, and a run that follows without the user, as after
    work has ended, would take it back to that. Values that are set, even to what they are, are written there. The run
    that brings a change needs that one alone: writing all takes the browser a while.
    """
    bound = {"shuffles", "replicates", "seed", *keys_in_address()}  # beside the choices
    now = {
        key: st.session_state[key]
        for key in map(str, list(st.session_state))
        if key in bound or key.startswith("seg-") or key.split(".")[0] in CONVENTIONS
    }
    before = st.session_state.get(WRITTEN, now)
    changed = {key: value for key, value in now.items() if key not in before or before[key] != value}
    st.session_state.update(changed or now)
    st.session_state[WRITTEN] = now


def _options(metrics: Sequence[MetricSpec], convention: Convention) -> dict[str, dict[str, OptionValue]]:
    """Return the options that differ from the convention, by metric. Keys name the convention.

    The widgets are there only while they are looked at or say something: two dozen that nobody sees would cost the
    browser a quarter of every change of the page.
    """
    if not any(spec.options for spec in metrics):
        return {}
    panel = st.expander("Metric options", icon=":material/tune:", key="metric-options", on_change="rerun")
    if not panel.open and not any(_is_chosen(spec, convention) for spec in metrics):
        return {}
    chosen: dict[str, dict[str, OptionValue]] = {}
    with panel:
        for spec in metrics:
            if spec.options:
                st.markdown(f"**{as_label(spec.name)}**")
                defaults = spec.defaults(convention)
                values = {
                    option.name: _option(option, defaults[option.name], f"{convention}.{spec.key}.{option.name}")
                    for option in spec.options
                    if option.kind != "path"  # paths on the server are not for visitors
                }
                chosen[spec.key] = {name: value for name, value in values.items() if value != defaults[name]}
    return {metric: options for metric, options in chosen.items() if options}


def _is_chosen(spec: MetricSpec, convention: Convention) -> bool:
    """Return whether session or address may differ from the defaults."""
    state, address = st.session_state, st.query_params
    defaults = spec.defaults(convention)
    shown = [option.name for option in spec.options if option.kind != "path"]
    keys = {f"{convention}.{spec.key}.{name}": defaults[name] for name in shown}
    return any(key in address or state.get(key, default) != default for key, default in keys.items())


def _option(option: Option, default: OptionValue, key: str) -> OptionValue:
    """Draw the widget of one option."""
    how: dict[str, Any] = {"key": key, "help": option.help}
    if option.kind == "choice":
        return choose(option.label, list(option.choices), key, default=str(default), help=option.help)
    if option.kind == "flag":
        return bool(st.toggle(option.label, bool(default), **how, **IN_ADDRESS))
    if option.kind == "text":
        return str(st.text_input(option.label, str(default), **how, **IN_ADDRESS))
    as_number, bounds = int if option.kind == "integer" else float, (option.minimum, option.maximum, default)
    low, high, start = (None if bound is None else as_number(bound) for bound in bounds)
    value: OptionValue = st.number_input(option.label, low, high, start, **how, **IN_ADDRESS)
    return value


def _tests() -> dict[str, Any]:
    """Choose how differences are tested."""
    noun = choose("A run is a", list(RUN_WORDS), RUN_WORD, help="Training luck is variation in this.")
    filled, levels = run_word().filled, {0.9, 0.95, 0.99, st.session_state.get("confidence", DEFAULTS.confidence)}
    return {
        "run_word": noun,
        "exchange_unit": choose(
            "Permute", UNIT_NAMES, "unit",
            help="The unit that the randomization test swaps. Documents need document IDs; single outputs are"
            " MultEval's pairing.",
        ),
        "design": choose(
            "Will either system be trained again?", {key: filled(name) for key, name in DESIGN_NAMES.items()}, "design",
            help=filled(
                "In pairs: {runs} of the same name share a seed, data order or initialisation. Candidate: a system's"
                " single {run} is assumed to vary as the baseline's. Not the baseline, e.g. an API: its own luck is"
                " ignored. Neither: the verdict is about these two models, on other text like this."
            ),
        ),
        "strict": st.toggle(
            "Strict", DEFAULTS.strict, key="strict", **IN_ADDRESS,
            help=filled(
                "p (both) holds its level with any number of {runs}, at the price of power. For gates, and for claims"
                " fixed beforehand."
            ),
        ),
        "decision": choose(
            "Metrics", DECISION_NAMES, "decision",
            help="All: a system must be better by every metric. Any: p is adjusted for the number of metrics, too.",
        ),
        "n_shuffles": st.number_input(
            "Shuffles", *SHUFFLES, DEFAULTS.n_shuffles, step=1_000, key="shuffles", **IN_ADDRESS,
            help="Permutations of the randomization test. The smallest p is 1 / (shuffles + 1); adjusted p-values may"
            " take more shuffles.",
        ),
        "n_bootstrap": st.number_input(
            "Bootstrap replicates", *REPLICATES, DEFAULTS.n_bootstrap, step=500, key="replicates", **IN_ADDRESS,
            help="Resampled test sets that SD (test set) is estimated from.",
        ),
        "confidence": choose(
            "Confidence", sorted(levels), "confidence", default=DEFAULTS.confidence,
            format_func=lambda level: f"{100 * level:g}%",
            help="Level of the intervals. Verdicts compare p with one minus this level.",
        ),
        "seed": st.number_input(
            "Seed", *SEEDS, DEFAULTS.seed, key="seed", help="Seed of all random numbers.", **IN_ADDRESS
        ),
    }  # fmt: skip


def _looks() -> dict[str, Any]:
    """Choose planned interim analyses."""
    plans = {looks_key(looks): looks for looks in known_looks()}
    names = {key: f"at {looks_in_words(looks, nouns='')}" for key, looks in plans.items()}
    chosen = choose(
        "Interim analyses", {NO_LOOKS: "none", **names}, LOOKS,
        help=run_word().filled(
            "Stopping at the first small p finds differences that are not there. Name the {run} counts at which you"
            " test. Tested without a plan? Choose a test after each {run}."
        ),
    )  # fmt: skip
    if chosen == NO_LOOKS:
        return {}
    spending = choose(
        "Level spending", {key: SPENDING_NAMES[key] for key in SPENDINGS}, "spending",
        help="Spending little early keeps most of the level for the last analysis.",
    )  # fmt: skip
    return {"looks": plans[chosen], "spending": spending}


def looks_key(looks: Sequence[int]) -> str:
    """Return how planned interim analyses stand in the address."""
    return "-".join(map(str, looks)) or NO_LOOKS
