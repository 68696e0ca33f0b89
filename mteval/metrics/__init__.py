"""Registry of metrics, and the metrics that settings choose."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from types import MappingProxyType

from mteval.base.errors import SettingsError
from mteval.metrics import dependencies, meteor, neural
from mteval.metrics.base import Metric, MetricSpec, NeedsMore, OptionValue
from mteval.metrics.edits import ter
from mteval.metrics.imported import Imported, imported_spec
from mteval.metrics.ngram import bleu, chrf, nist, unigrams
from mteval.metrics.options import named_options
from mteval.metrics.plugins import Registry
from mteval.values.given import GivenMetric
from mteval.values.languages import codes_of
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import Settings

_SPECS = (
    bleu.SPEC,
    *bleu.OTHER_ORDERS,
    bleu.SPBLEU,
    chrf.CHRF,
    chrf.CHRF_PLUS_PLUS,
    ter.SPEC,
    meteor.SPEC,
    nist.SPEC,
    ter.WER,
    ter.CER,
    unigrams.PER,
    unigrams.PRECISION,
    unigrams.RECALL,
    unigrams.F_MEASURE,
    dependencies.SPEC,
    *neural.SPECS,
    unigrams.LENGTH,
)
METRICS = Registry(_SPECS, neural.named_specs)

# Other names of metrics, in lower case
_OTHER_NAMES: Mapping[str, str] = {
    "chrf2": "chrf",
    "chrf2++": "chrf++",
    "chrfpp": "chrf++",
    "sp-bleu": bleu.SP_KEY,
    f"bleu-{bleu.ORDER}": bleu.KEY,
    **{f"bleu{n}": bleu.KEY if n == bleu.ORDER else f"bleu-{n}" for n in range(1, bleu.LONGEST_ORDER + 1)},
}
# What to use instead of metrics that are not here, by how their names begin
_RELATIVES = (
    (r"rouge", "unigram-r"),
    (r"(x|uni)comet|cometkiwi|kiwi|xlcomet", "comet"),
    (r"metricx|metric-x", "metricx-24"),
    (r"bleurt", "bleurt-20"),
    (r"gemba|judge|llm", "llm-judge"),
    (r"(bert|bart|yisi|prism|mover|sent)-?(score)?", "bertscore"),
    (r"gleu|cider|sacre-?bleu|multi-?bleu", "bleu"),
    (r"hter|sacre-?ter|cder", "ter"),
    (r"char", "chrf"),
)

ENGLISH = frozenset(("the", "of", "and", "to", "is", "that", "was", "with"))  # few are words of other languages
FEWEST_ENGLISH = 0.05  # share of such words in English
FEWEST_WORDS = 50  # fewer words tell nothing
_METEORS_CODES = {"cs": "cz", "sv": "se"}  # of languages that METEOR names otherwise


def catalog(given: Sequence[GivenMetric] = ()) -> Mapping[str, MetricSpec]:
    """Return registered metrics and imported scores by key.

    Raises
    ------
    SettingsError
        If imported scores have the key of a registered metric.
    """
    for scores in given:
        if scores.key in METRICS:
            raise SettingsError(f"Scores '{scores.key}' have the key of a built-in metric. Give them another name.")
    if not given:
        return METRICS
    specs = {scores.key: imported_spec(scores) for scores in given}
    return MappingProxyType({**METRICS, **specs})


def named_metrics(words: str | Iterable[str], known: Collection[str]) -> list[str]:
    """Return the names of metrics as typed; a word that is not a known key may list several, as ``bleu,chrf`` does."""
    if isinstance(words, str):
        words = [words]
    names: list[str] = []
    for word in words:
        if key_of(word, known) in known:
            names.append(word)
        else:
            names += word.split(",")
    return [name.strip() for name in names if name]


def key_of(name: str, known: Collection[str]) -> str:
    """Return the key of a metric named in any case, or by another usual name, e.g. chrF2; unknown names as they are."""
    lower = name.strip().lower()
    if lower in known:
        return lower
    other_name = _OTHER_NAMES.get(lower)
    if other_name in known:
        return str(other_name)
    return name


def unknown_metric(name: str, known: Mapping[str, MetricSpec]) -> str:
    """Return that a metric is unknown, the nearest one that is known, and how to bring scores of the metric itself."""
    nearest = ""
    key = _nearest(name.strip().lower(), known)
    if key is not None:
        nearest = f" Nearest: {key} ({known[key].name})."
    return (
        f"Unknown metric '{name}'.{nearest} Available: {', '.join(known)}. To use scores computed elsewhere, load their"
        " file: --scores-higher FILE or --scores-lower FILE, the Load page, or scores= in Python"
        " (docs/given-scores.md)."
    )


def _nearest(name: str, known: Collection[str]) -> str | None:
    """Return the known metric that is related to a name or spelled most like it; None if there is none."""
    for pattern, key in _RELATIVES:
        if re.match(pattern, name) and key in known:
            return key
    further_names = [further for further, key in _OTHER_NAMES.items() if key in known]
    closest = get_close_matches(name, [*known, *further_names], n=1)
    return key_of(closest[0], known) if closest else None


def with_option_names(settings: Settings, known: Mapping[str, MetricSpec]) -> Settings:
    """Return settings whose keys of options are those of metrics and options, however they are written.

    Unknown names stay as they are.
    """
    options_of: dict[str, dict[str, OptionValue]] = {}
    for name, given in settings.options.items():
        key = key_of(name, known)
        options_of[key] = {**named_options(known[key].options, given)} if key in known else {**given}
    return replace(settings, options=options_of)


def choices(experiment: Experiment) -> Mapping[str, MetricSpec]:
    """Return the metrics that can score an experiment; without texts, only imported scores."""
    known = catalog(experiment.given)
    if experiment.has_texts:
        return known
    return {scores.key: known[scores.key] for scores in experiment.given}


def lacking(metric: Metric, experiment: Experiment) -> str:
    """Return what a metric needs that no test set has, and how to add it; empty if it can score."""
    missing = [lacking_on(metric, test_set) for test_set in experiment.test_sets]
    if all(missing):
        return missing[0]
    return ""


def lacking_on(metric: Metric, test_set: TestSet) -> str:
    """Return what a metric needs that one test set lacks, and how to add it; empty if nothing is missing."""
    if test_set.runs and not test_set.has_texts and not isinstance(metric, Imported):
        where = f"all texts of test set '{test_set.name}' are empty"
        return f"{metric.name} needs texts, but {where}. Load outputs and references, or remove it."
    if isinstance(metric, NeedsMore):
        return metric.lacks(test_set)
    if "references" not in metric.reads or test_set.has_references:
        return ""
    return (
        f"{metric.name} needs references, and test set '{test_set.name}' has none. Add references or remove"
        f" {metric.name}. Length, reference-free metrics and imported scores do not need any."
    )


def with_language(settings: Settings, experiment: Experiment) -> Settings:
    """Return settings in which METEOR's language, unless chosen, is the declared target language.

    Raises
    ------
    SettingsError
        If METEOR lacks the language, or none is declared and the references do not look English.
    """
    if "meteor" not in settings.metrics or "language" in settings.options.get("meteor", {}):
        return settings
    remedy = "Declare the languages (e.g. en-de), set METEOR's option 'language', or remove METEOR."
    targets: set[str] = set()
    for test_set in experiment.test_sets:
        targets.update(codes_of(test_set.languages)[1:])
    if len(targets) > 1:
        raise SettingsError(f"METEOR needs one target language; declared: {', '.join(sorted(targets))}. {remedy}")
    if not targets:
        if experiment.has_texts and not _look_english(experiment):
            raise SettingsError(f"METEOR has rules per language, and the references do not look English. {remedy}")
        return settings
    target = targets.pop()
    language = _METEORS_CODES.get(target, target)
    if language not in meteor.LANGUAGES:
        known = ", ".join(meteor.LANGUAGES)
        raise SettingsError(f"METEOR does not know the language '{target}', only {known}. {remedy}")
    if language == "en":  # METEOR's default
        return settings
    options = {**settings.options.get("meteor", {}), "language": language}
    return replace(settings, options={**settings.options, "meteor": options})


def with_optimized(settings: Settings, experiment: Experiment) -> Settings:
    """Return settings in which metrics towards which systems were optimized have their keys.

    Raises
    ------
    SettingsError
        If a system or a metric is unknown.
    """
    known = catalog(experiment.given)
    systems = [system.key for system in experiment.systems]
    declared = []
    for system, name in settings.optimized_pairs:
        metric = key_of(name, known)
        if system not in systems:
            message = f"No system '{system}', which is declared as optimized for {name}."
            raise SettingsError(f"{message} Systems: {', '.join(systems)}.")
        if metric not in known:
            raise SettingsError(unknown_metric(name, known))
        declared.append(f"{system}={metric}")
    return replace(settings, optimized=tuple(dict.fromkeys(declared)))


def _look_english(experiment: Experiment) -> bool:
    """Return whether the references have enough frequent words of English, or too few words to tell."""
    texts: list[str] = []
    for test_set in experiment.test_sets:
        for references in test_set.references[:500]:
            texts += references
    words = " ".join(texts).lower().split()
    if len(words) < FEWEST_WORDS:
        return True
    n_english = sum(word in ENGLISH for word in words)
    return n_english >= FEWEST_ENGLISH * len(words)


def resolve(settings: Settings, given: Sequence[GivenMetric] = ()) -> tuple[Metric, ...]:
    """Return the metrics of the settings in order, with the convention's defaults and the user's options.

    Raises
    ------
    SettingsError
        If a key names no metric, or a metric does not have or allow an option.
    MissingDependencyError
        If an option needs something that is not installed.
    """
    known = catalog(given)
    for key in (*settings.metrics, *settings.options):
        if key not in known:
            raise SettingsError(unknown_metric(key, known))
    metrics = []
    for key in settings.metrics:
        options = settings.options.get(key, {})
        metrics.append(known[key].configure(settings.convention, options))
    return tuple(metrics)
