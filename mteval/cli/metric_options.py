"""Options for the choice of metrics, and those of each metric under MultEval's names: ``--ter.beamWidth 20``.

There are about a hundred, so they have a help of their own. Some options of MultEval have other names or no effect.
"""

import argparse
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, NoReturn

from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.cli.console import Parser, say, tell, truth
from mteval.metrics import METRICS, catalog, lacking, lacking_on, named_metrics, resolve, with_language
from mteval.metrics.base import Option, OptionValue
from mteval.metrics.neural import FAMILIES
from mteval.metrics.neural.environment import DEVICES_VARIABLE
from mteval.metrics.options import TOKENIZE
from mteval.readers.disk import Loaded
from mteval.values.model import TestSet
from mteval.values.settings import CONVENTIONS, Settings

INHERITED: Mapping[tuple[str, str], float | None] = {  # options of MultEval only, with the only supported value
    ("bleu", "verbosity"): None,  # any value; no effect
    ("ter", "matchCost"): 0.0,
    **{("ter", f"{edit}Cost"): 1.0 for edit in ("delete", "substitute", "insert", "shift")},
}
_PUNCTUATION = "punctuation"  # of TER; MultEval removes punctuation if true
_TOKENIZER = "T"
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
        if unknown := [word for word in values if word not in METRICS]:
            parser.error(f"argument {option}: invalid choice: '{unknown[0]}' (choose from {', '.join(METRICS)})")
        formatter = argparse.HelpFormatter(parser.prog)
        for metric in values or METRICS:
            formatter.start_section(METRICS[metric].name)
            formatter.add_arguments(_options_of(argparse.ArgumentParser(), metric))
            formatter.end_section()
        say(*_HEAD.split("\n"), *formatter.format_help().splitlines())
        parser.exit()


_KINDS: Mapping[str, tuple[Any, str]] = {"flag": (truth, "true|false"), "integer": (int, "N"), "number": (float, "X")}


def report_unusable() -> None:
    """Print the problems of metrics from other packages on stderr."""
    for problem in METRICS.problems:
        tell(problem)


def add_metric_options(parser: argparse.ArgumentParser, default: Sequence[str], words: Sequence[str]) -> None:
    """Add ``--metrics``, ``--convention`` and ``--METRIC.option`` for every option of every metric.

    Parameters
    ----------
    default
        Metrics used if none is named; those that lack their data or inputs are skipped with a note.
    words
        The command line, since models named on it are metrics with options of their own.
    """
    early = Parser(add_help=False, allow_abbrev=False, exit_on_error=False)
    for family in FAMILIES:
        early.add_argument(f"--{family.key}.{family.option}", dest=family.key, nargs="+", default=[], metavar="PATH")
    with suppress(argparse.ArgumentError):  # reported by the whole parser
        named, _ = early.parse_known_args(words)
        for family in FAMILIES:
            family.name_further(vars(named)[family.key])
    report_unusable()
    group = parser.add_argument_group("metrics")
    group.add_argument(
        "--metrics", nargs="+", metavar="M",
        help=f"primary metric first: {', '.join(METRICS)}, or given scores (default: {' '.join(default)} and all given"
        " scores)",
    )  # fmt: skip
    text = "multeval: tokenized text; sacrebleu: raw text (default: as the text looks; multeval with --hyps-…)"
    group.add_argument("--convention", choices=CONVENTIONS, help=text)
    text = f"where models run, e.g. cpu or cuda:0,cuda:1; auto: a graphics card if there is one (or {DEVICES_VARIABLE})"
    group.add_argument("--device", metavar="DEVICE", help=text)
    group.add_argument("--help-metrics", nargs="*", action=MetricHelp, metavar="M", help="show options of metrics")
    parser.set_defaults(default_metrics=tuple(default))
    for action in (action for key in METRICS for action in _options_of(parser, key)):
        action.help = argparse.SUPPRESS


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
    if not (words := named_metrics(options.metrics or (), known)):
        has_texts = lists_of is not None or (loaded is not None and not loaded.is_of_scores)
        wanted = options.default_metrics if has_texts else ()
        usual = [word for word in wanted if _can_be_had(word, options, loaded, lists_of)]
        usual += [metric.key for metric in given]
        words = sorted(usual, key=lambda word: not known[word].notation.has_direction)  # the first is the primary one
    for word in words:
        if word.lower() not in known:
            raise SettingsError(f"argument --metrics: invalid choice: '{word}' (choose from {', '.join(known)})")
    labels = {word.lower(): word for word in words}
    if len(labels) < len(words):
        raise SettingsError("A metric is named twice in --metrics.")
    for (metric, name), only in INHERITED.items():
        value = vars(options)[_dest(metric, name)]
        if metric in labels and only is not None and value not in (None, only):
            raise SettingsError(f"--{metric}.{name} is {value:g}, but only {only:g} is supported.")
    _report_unused(options, labels)
    return labels


def options_given(options: argparse.Namespace, metrics: Iterable[str]) -> dict[str, dict[str, OptionValue]]:
    """Return the options that differ from the convention, by key of the metric."""
    changed = {key: dict(_given(options, key)) for key in metrics if key in METRICS}
    return {key: values for key, values in changed.items() if values}


def _given(options: argparse.Namespace, key: str) -> Iterator[tuple[str, OptionValue]]:
    """Yield the options given for one metric; a model named on the command line inherits its family's."""
    given = {name: value for name, value in vars(options).items() if value is not None}
    for option in METRICS[key].options:
        for value in [given[dest] for one in (key, *_kin(key)) if (dest := _dest(one, option.name)) in given][:1]:
            yield option.name, " ".join(value) if isinstance(value, list) else value
    if key == "ter" and (punctuation := given.get(_dest(key, _PUNCTUATION))) is not None:
        does = "removes" if punctuation else "keeps"
        tell(f"--ter.punctuation {str(punctuation).lower()} {does} punctuation, as in MultEval")
        yield "no_punct", punctuation


def _kin(key: str) -> Sequence[str]:
    """Return the main metric of the family of a model named on the command line; empty for other metrics."""
    return [family.key for family in FAMILIES if key in map(str.lower, family.further)]


def _options_of(parser: argparse.ArgumentParser, key: str) -> Iterator[argparse.Action]:
    """Add the options of a metric, including those that only MultEval has."""
    yield from (_add(parser, key, option) for option in METRICS[key].options)
    for family in (one for one in FAMILIES if one.key == key):
        yield parser.add_argument(
            f"--{key}.{family.option}", dest=_dest(key, family.option), metavar="PATH", nargs="+",
            help=f"{family.option} on this machine, {family.form} (or {family.variable}, separated by ':'); NAME=PATH"
            " adds a metric of that name",
        )  # fmt: skip
    if key == "ter":
        text = "as in MultEval: true REMOVES punctuation (same as --ter.noPunct)"
        dest = _dest(key, _PUNCTUATION)
        yield parser.add_argument(f"--ter.{_PUNCTUATION}", dest=dest, type=truth, metavar="true|false", help=text)
    for (metric, name), only in INHERITED.items():
        if metric == key:
            text = "no effect" if only is None else f"only {only:g} is supported"
            kind, dest = int if only is None else float, _dest(key, name)
            yield parser.add_argument(
                f"--{key}.{name}", dest=dest, type=kind, metavar="X", help=f"accepted for MultEval; {text}"
            )


def _add(parser: argparse.ArgumentParser, key: str, option: Option) -> argparse.Action:
    is_text, is_tokenizer = option.kind not in ("choice", *_KINDS), option.choices == TOKENIZE.choices
    kind, value = _KINDS.get(option.kind, (str, "WORD"))
    listed = _TOKENIZER if is_tokenizer else None  # None lists all choices
    return parser.add_argument(
        f"--{key}.{_camel(option.name)}", dest=_dest(key, option.name), type=kind,
        choices=option.choices or None, nargs="+" if is_text else None, metavar=listed if option.choices else value,
        help=option.label if is_tokenizer else option.help.replace("%", "%%"),
    )  # fmt: skip


def _can_be_had(metric: str, options: argparse.Namespace, loaded: Loaded | None, lists_of: TestSet | None) -> bool:
    """Tell whether a default metric has its data and inputs; print a note if not."""
    missing = ""
    try:
        configured = METRICS[metric].configure("multeval", {})
        if lists_of is not None:
            missing = lacking_on(configured, lists_of)
        elif loaded is not None:
            missing = lacking(configured, loaded.experiment)
            if not missing and not getattr(options, "hyps_baseline", None):
                settings = Settings((metric,), "multeval", options_given(options, (metric,)))
                resolve(with_language(settings, loaded.experiment))
    except (MissingDependencyError, SettingsError) as error:
        missing = str(error)
    if missing:
        tell(f"Skipping {METRICS[metric].name}: {missing}")
    return not missing


def _report_unused(options: argparse.Namespace, chosen: Mapping[str, str]) -> None:
    """Print which options belong to metrics that are not computed."""
    used = {*chosen, *(usual for key in chosen for usual in _kin(key))}
    for key in (key for key in METRICS if key not in used):
        for option in METRICS[key].options:
            if vars(options).get(_dest(key, option.name)) is not None:
                tell(f"--{key}.{_camel(option.name)} has no effect: {key} is not among the metrics")


def _camel(name: str) -> str:
    """Return ``beam_width`` in MultEval's spelling, ``beamWidth``."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def _dest(key: str, name: str) -> str:
    return f"option of {key}: {name}"
