"""Options for the choice of metrics, and those of each metric under MultEval's names: ``--ter.beamWidth 20``.

There are about a hundred, so they have a help of their own. Some options of MultEval have other names or no effect.
"""

import argparse
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.base.words import listed
from mteval.cli.console import Parser, number, say, tell, truth
from mteval.metrics import (
    METRICS,
    catalog,
    key_of,
    lacking,
    lacking_on,
    named_metrics,
    resolve,
    unknown_metric,
    with_language,
)
from mteval.metrics.base import MetricSpec, Option, OptionValue
from mteval.metrics.neural import FAMILIES
from mteval.metrics.neural.environment import DEVICES_VARIABLE
from mteval.metrics.options import TOKENIZE, written
from mteval.readers.disk import Loaded
from mteval.values.given import GivenMetric
from mteval.values.model import TestSet
from mteval.values.settings import CONVENTIONS, Settings

# Options of MultEval only, by metric and name, with the only supported value; None if any has no effect
INHERITED: Mapping[tuple[str, str], float | None] = {
    ("bleu", "verbosity"): None,
    ("ter", "matchCost"): 0.0,
    ("ter", "deleteCost"): 1.0,
    ("ter", "substituteCost"): 1.0,
    ("ter", "insertCost"): 1.0,
    ("ter", "shiftCost"): 1.0,
}
# How values of an option are parsed, and what help calls them, by its kind
_KINDS: Mapping[str, tuple[Any, str | None]] = {
    "flag": (truth, "true|false"),
    "integer": (int, "N"),
    "number": (number, "X"),
}
PEOPLE = "people"  # instead of a primary metric: the human scores
_PUNCTUATION = "punctuation"  # of TER; MultEval removes punctuation if true
_TOKENIZER = "T"  # what help calls a value that is a tokenizer
_HEAD = f"""\
Options of the metrics. Options of metrics that are not chosen have no effect.

{_TOKENIZER}, a sacreBLEU tokenizer: {", ".join(TOKENIZE.choices)}.
{TOKENIZE.help}
"""


class MetricHelp(argparse.Action):
    """``--help-metrics [M …]``: print the options of all or some metrics, and exit."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> NoReturn:
        """Print the help and exit."""
        for word in values:
            if key_of(word, METRICS) not in METRICS:
                parser.error(f"argument {option}: {unknown_metric(word, METRICS).removesuffix('.')}")
        formatter = argparse.HelpFormatter(parser.prog)
        for metric in [key_of(word, METRICS) for word in values] or METRICS:
            formatter.start_section(METRICS[metric].name)
            formatter.add_arguments(_options_of(argparse.ArgumentParser(), metric))
            formatter.end_section()
        say(*_HEAD.split("\n"), *formatter.format_help().splitlines())
        parser.exit()


def report_unusable() -> None:
    """Print the problems of metrics from other packages on stderr."""
    for problem in METRICS.problems:
        tell(problem)


def add_metric_options(
    parser: argparse.ArgumentParser,
    default: Sequence[str],
    words: Sequence[str],
    *,
    has_primary: bool = False,
    shows_people: bool = False,
    usual_convention: str = "as the text looks; multeval with --hyps-…",
) -> None:
    """Add ``--metrics``, ``--convention`` and ``--METRIC.option`` for every option of every metric.

    Parameters
    ----------
    default
        Metrics used if none is named; those that lack their data or inputs are skipped with a note.
    words
        The command line, since models named on it are metrics with options of their own.
    has_primary
        Whether the primary metric decides something, so that ``--primary`` can name it.
    shows_people
        Whether verdicts by human scores are shown beside those by metrics.
    usual_convention
        The default of ``--convention``, in words.
    """
    _name_further_models(words)
    report_unusable()
    group = parser.add_argument_group("metrics")
    text = (
        f"primary metric first: {', '.join(METRICS)}, or given scores (default: {' '.join(default)} and all given"
        " scores)"
    )
    group.add_argument("--metrics", nargs="+", metavar="M", help=text)
    if has_primary:
        text = f"metric that decides (default: the first); {PEOPLE}: the human scores. Choose it before you see results"
        group.add_argument("--primary", metavar="M", help=text)
    text = f"multeval: tokenized text; sacrebleu: raw text (default: {usual_convention})"
    group.add_argument("--convention", choices=CONVENTIONS, help=text)
    text = f"where models run, e.g. cpu or cuda:0,cuda:1; auto: a graphics card if there is one (or {DEVICES_VARIABLE})"
    group.add_argument("--device", metavar="DEVICE", help=text)
    group.add_argument("--help-metrics", nargs="*", action=MetricHelp, metavar="M", help="show options of metrics")
    parser.set_defaults(default_metrics=tuple(default), shows_people=shows_people)
    for key in METRICS:
        for action in _options_of(parser, key):
            action.help = argparse.SUPPRESS


def _name_further_models(words: Sequence[str]) -> None:
    """Make metrics of the models that the command line names, before the options of all metrics are added."""
    early = Parser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for family in FAMILIES:
        early.add_argument(f"--{family.key}.{family.option}", dest=family.key, nargs="+", default=[], metavar="PATH")
    with suppress(argparse.ArgumentError):  # reported by the whole parser
        named, _ = early.parse_known_args(words)
        for family in FAMILIES:
            family.name_further(vars(named)[family.key])


def chosen_metrics(
    options: argparse.Namespace, loaded: Loaded | None = None, lists_of: TestSet | None = None
) -> Mapping[str, str]:
    """Return the keys of the chosen metrics, primary metric first, each with its name as typed (for MultEval's files).

    By default these are the command's metrics (if there are texts) and all given scores. Default metrics that lack
    their data or inputs are skipped with a note, and a metric with a better direction comes first.

    Parameters
    ----------
    lists_of
        Test set of n-best lists, instead of an experiment.

    Raises
    ------
    SettingsError
        If a metric is unknown or named twice, or an option has a value that only MultEval supports.
    """
    given = () if loaded is None else loaded.experiment.given
    known = catalog(given)
    words = named_metrics(options.metrics or (), known)
    if not words:
        words = []
        has_texts = lists_of is not None or (loaded is not None and not loaded.is_of_scores)
        if has_texts:
            words += [word for word in options.default_metrics if _is_available(word, options, loaded, lists_of)]
        words += [metric.key for metric in given]
        words.sort(
            key=lambda word: not known[key_of(word, known)].notation.has_direction
        )  # the first is the primary one
    if not words and loaded is not None:
        missing = [note.message for note in loaded.notes if note.severity == "warning" and note.file is None]
        if missing:  # e.g. scores without a direction
            raise SettingsError(f"No metric. {' '.join(missing)}")
    words = _primary_first(options, words, given, known)
    for word in words:
        if key_of(word, known) not in known:
            raise SettingsError(f"argument --metrics: {unknown_metric(word, known)}")
    labels = {key_of(word, known): word for word in words}
    if len(labels) < len(words):
        raise SettingsError("A metric is named twice in --metrics.")
    _report_uncompared_scores(options, given, labels)
    _propose_people(options, given, labels)
    for (metric, name), supported in INHERITED.items():
        if metric in labels and supported is not None:
            value = vars(options)[_dest(metric, name)]
            if value not in (None, supported):
                raise SettingsError(
                    f"--{metric}.{name} is {value:g}, but only {supported:g} is supported: published TER counts every"
                    " edit once. Remove the option, or compute such rates with tercom and load them with"
                    " --scores-lower FILE."
                )
    _report_unused(options, labels)
    return labels


def _primary_first(
    options: argparse.Namespace, words: Sequence[str], given: Sequence[GivenMetric], known: Mapping[str, MetricSpec]
) -> list[str]:
    """Return the metrics with that of ``--primary`` first; it need not be among them.

    Raises
    ------
    SettingsError
        If it is unknown, or there are no human scores.
    """
    primary = getattr(options, "primary", None)
    if primary is None:
        return list(words)
    if primary.lower() == PEOPLE and PEOPLE not in known:
        human = [metric.key for metric in given if metric.is_of_people]
        if not human:
            raise SettingsError("argument --primary: there are no human scores. Load them with --scores-higher FILE.")
        primary = human[0]
    key = key_of(primary, known)
    if key not in known:
        raise SettingsError(f"argument --primary: {unknown_metric(primary, known)}")
    typed = [word for word in words if key_of(word, known) == key] or [primary]
    return [*typed, *(word for word in words if key_of(word, known) != key)]


def _propose_people(options: argparse.Namespace, given: Iterable[GivenMetric], chosen: Collection[str]) -> None:
    """Propose that human scores decide, before any number is shown, unless the primary metric was named."""
    if "primary" not in options or options.primary is not None:
        return
    human = [metric for metric in given if metric.is_of_people]
    if not human or not chosen:
        return
    primary = next(iter(chosen))
    if primary not in [metric.key for metric in human]:
        tell(
            f"{listed([metric.name for metric in human])}: people's judgements, proposed as primary metric."
            f" Let them decide with --primary {PEOPLE}, or keep {primary} with --primary {primary}."
        )


def _report_uncompared_scores(
    options: argparse.Namespace, given: Iterable[GivenMetric], chosen: Collection[str]
) -> None:
    """Print which scores in files have no effect, since ``--metrics`` does not name them; logs have many."""
    if getattr(options, "logs", None):
        return
    without_effect = [metric for metric in given if metric.key not in chosen]
    if options.shows_people:
        without_effect = [metric for metric in without_effect if not metric.is_of_people]
    keys = [metric.key for metric in without_effect]
    if keys:
        tell(f"The scores {listed(keys)} have no effect: they are not among the metrics (--metrics … {' '.join(keys)})")


def options_given(options: argparse.Namespace, metrics: Iterable[str]) -> dict[str, dict[str, OptionValue]]:
    """Return the options that differ from the convention, by key of the metric."""
    options_of = {}
    for key in metrics:
        if key in METRICS:
            given = dict(_given(options, key))
            if given:
                options_of[key] = given
    return options_of


def _given(options: argparse.Namespace, key: str) -> Iterator[tuple[str, OptionValue]]:
    """Yield the options given for one metric; a model named on the command line inherits its family's."""
    given = {dest: value for dest, value in vars(options).items() if value is not None}
    for option in METRICS[key].options:
        dests = [_dest(metric, option.name) for metric in (key, *_main_metrics(key))]
        values = [given[dest] for dest in dests if dest in given]
        if values:
            value = values[0]
            if isinstance(value, list):  # words of a text
                value = " ".join(value)
            yield option.name, value
    if key == "ter":
        removes_punctuation = given.get(_dest(key, _PUNCTUATION))
        if removes_punctuation is not None:
            verb = "removes" if removes_punctuation else "keeps"
            tell(f"--ter.punctuation {str(removes_punctuation).lower()} {verb} punctuation, as in MultEval")
            yield "no_punct", removes_punctuation


def _main_metrics(key: str) -> list[str]:
    """Return the main metric of the family of a model named on the command line; empty for other metrics."""
    return [family.key for family in FAMILIES if key in map(str.lower, family.further)]


def _options_of(parser: argparse.ArgumentParser, key: str) -> Iterator[argparse.Action]:
    """Add the options of a metric, including those that only MultEval has, and yield each."""
    for option in METRICS[key].options:
        yield _add_option(parser, key, option)
    for family in FAMILIES:
        if family.key == key:
            separator = "a space" if family.separator == " " else f"'{family.separator}'"
            text = (
                f"{family.form} (or {family.variable}, separated by {separator}); NAME={family.metavar} adds a metric"
                " of that name"
            )
            dest = _dest(key, family.option)
            yield parser.add_argument(
                f"--{key}.{family.option}", dest=dest, metavar=family.metavar, nargs="+", help=text
            )
    if key == "ter":
        text = "as in MultEval: true REMOVES punctuation (same as --ter.noPunct)"
        dest = _dest(key, _PUNCTUATION)
        yield parser.add_argument(f"--ter.{_PUNCTUATION}", dest=dest, type=truth, metavar="true|false", help=text)
    for (metric, name), supported in INHERITED.items():
        if metric == key:
            kind: Callable[[str], float] = int
            text = "accepted for MultEval; no effect"
            if supported is not None:
                kind = number
                text = f"accepted for MultEval; only {supported:g} is supported"
            yield parser.add_argument(f"--{key}.{name}", dest=_dest(key, name), type=kind, metavar="X", help=text)


def _add_option(parser: argparse.ArgumentParser, key: str, option: Option) -> argparse.Action:
    """Add an option of a metric; the head of the help lists the tokenizers once for all metrics."""
    is_tokenizer = option.choices == TOKENIZE.choices
    kind, metavar = _KINDS.get(option.kind, (str, "WORD"))
    if is_tokenizer:
        metavar = _TOKENIZER
    elif option.choices:
        metavar = None  # lists all of them
    return parser.add_argument(
        f"--{key}.{written(option.name)}",
        dest=_dest(key, option.name),
        type=kind,
        choices=option.choices or None,
        nargs="+" if option.kind in ("text", "path") else None,
        metavar=metavar,
        help=option.label if is_tokenizer else option.help.replace("%", "%%"),
    )


def _is_available(metric: str, options: argparse.Namespace, loaded: Loaded | None, lists_of: TestSet | None) -> bool:
    """Tell whether a default metric has its data and inputs; print a note if not.

    Raises
    ------
    MissingDependencyError, SettingsError
        If it cannot be configured with the options given for it.
    """
    try:
        missing = _missing_inputs(metric, options, loaded, lists_of)
    except (MissingDependencyError, SettingsError) as error:
        if options_given(options, (metric,)):  # asked for, and perhaps wrong
            raise
        missing = str(error)
    if missing:
        tell(f"Skipping {METRICS[metric].name}: {missing}")
    return not missing


def _missing_inputs(metric: str, options: argparse.Namespace, loaded: Loaded | None, lists_of: TestSet | None) -> str:
    """Return what a metric lacks; empty if nothing.

    Raises
    ------
    MissingDependencyError, SettingsError
        If it cannot be configured.
    """
    configured = METRICS[metric].configure("multeval", {})
    if lists_of is not None:
        return lacking_on(configured, lists_of)
    if loaded is None:
        return ""
    missing = lacking(configured, loaded.experiment)
    if not missing and not getattr(options, "hyps_baseline", None):
        # METEOR's rules depend on the language, which may be unknown
        settings = Settings((metric,), "multeval", options_given(options, (metric,)))
        resolve(with_language(settings, loaded.experiment))
    return missing


def _report_unused(options: argparse.Namespace, chosen: Collection[str]) -> None:
    """Print which options belong to metrics that are not computed."""
    used = set(chosen)
    for key in chosen:
        used.update(_main_metrics(key))
    for key in METRICS:
        if key in used:
            continue
        for option in METRICS[key].options:
            if vars(options).get(_dest(key, option.name)) is not None:
                tell(f"--{key}.{written(option.name)} has no effect: {key} is not among the metrics")


def _dest(key: str, name: str) -> str:
    """Return the name of an option in the parsed options; no other option has it."""
    return f"option of {key}: {name}"
