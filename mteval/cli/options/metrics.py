"""Which metrics, and the options of each under MultEval's names: ``--ter.beamWidth 20``.

They are a hundred and have a help of their own. Some options of MultEval's are called otherwise here, and some are of
no metric here.
"""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.cli.console import tell, truth
from mteval.cli.options.computation import add_computing_options
from mteval.cli.options.systems import say_unseen
from mteval.metrics import METRICS, catalog, lacking, lacking_on
from mteval.metrics.base import Option, OptionValue
from mteval.metrics.neural import FAMILIES
from mteval.metrics.options import TOKENIZE
from mteval.values.model import Experiment, TestSet
from mteval.values.settings import CONVENTIONS

PUNCTUATION = "punctuation"  # of TER; MultEval removes it where this is true
PUNCTUATION_HELP = "as in MultEval, where true REMOVES punctuation; --ter.noPunct says so"
PUNCTUATION_NOTES = {
    True: "--ter.punctuation true removes punctuation, as in MultEval",
    False: "--ter.punctuation false keeps punctuation, as in MultEval",
}


@dataclass(frozen=True)
class Inherited:
    """An option of MultEval's that no metric here has.

    Parameters
    ----------
    only
        The value that is right here; what is typed has to be a number of its kind.
    is_free
        Whether any value will do, since none has an effect.
    """

    metric: str
    name: str
    only: int | float
    is_free: bool = False

    @property
    def support(self) -> str:
        """What of it is supported, in a few words."""
        return "no effect here" if self.is_free else f"only {self.only:g} is supported here"


INHERITED = (
    Inherited("bleu", "verbosity", 0, is_free=True),
    Inherited("ter", "matchCost", 0.0),
    *(Inherited("ter", f"{edit}Cost", 1.0) for edit in ("delete", "substitute", "insert", "shift")),
)
_TOKENIZER = "T"
_HEAD = f"""\
Options of the metrics. Those of a metric that is not chosen have no effect.

{_TOKENIZER}, a tokenizer of sacreBLEU's: {", ".join(TOKENIZE.choices)}.
{TOKENIZE.help}
"""


class MetricHelp(argparse.Action):
    """``--help-metrics [M …]``: print the options of all metrics or of some, and leave."""

    def __init__(
        self, *args: Any, told: Mapping[argparse.Action, str], metric_of: Mapping[argparse.Action, str], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self._told = told
        self._metric_of = metric_of

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: str | None = None
    ) -> NoReturn:
        """Print the help and leave."""
        unknown = [word for word in values if word not in METRICS]
        if unknown:
            parser.error(f"argument {option}: invalid choice: '{unknown[0]}' (choose from {', '.join(METRICS)})")
        formatter = argparse.HelpFormatter(parser.prog)
        for metric in values or METRICS:
            self._add(formatter, metric)
        print(_HEAD)
        print(formatter.format_help(), end="")
        parser.exit()

    def _add(self, formatter: argparse.HelpFormatter, metric: str) -> None:
        formatter.start_section(METRICS[metric].name)
        for action in (action for action, key in self._metric_of.items() if key == metric):
            action.help = self._told[action]
            formatter.add_argument(action)
        formatter.end_section()


Options = dict[str, dict[str, OptionValue]]

_KINDS: Mapping[str, Any] = {"flag": truth, "integer": int, "number": float}


@dataclass(frozen=True)
class Metrics:
    """The chosen metrics.

    Parameters
    ----------
    labels
        For each metric's key the name as typed, which MultEval puts into its files; the first is the primary metric.
    options
        What differs from the convention, by key.
    """

    labels: Mapping[str, str]
    options: Options


def add_scoring_options(parser: argparse.ArgumentParser, default: Sequence[str]) -> None:
    """Add the options of the computation and, last, since they are many, those of the metrics."""
    add_computing_options(parser)
    add_metric_options(parser, default)


def report_unusable() -> None:
    """Say on standard error what is wrong with metrics of other packages."""
    for problem in METRICS.problems:
        tell(problem)


def add_metric_options(parser: argparse.ArgumentParser, default: Sequence[str]) -> None:
    """Add ``--metrics``, ``--convention`` and ``--METRIC.option`` for every option of every metric.

    Parameters
    ----------
    default
        Metrics taken where none is named; METEOR is left out, with a note, where its data are not installed.
    """
    report_unusable()
    group = parser.add_argument_group("metrics")
    group.add_argument(
        "--metrics", nargs="+", metavar="M",
        help=f"among {', '.join(METRICS)} and scores computed elsewhere; the first is the primary one (default:"
        f" {' '.join(default)} and all such scores)",
    )  # fmt: skip
    group.add_argument(
        "--convention", choices=CONVENTIONS, default="multeval",
        help="multeval: text is tokenized already; sacrebleu: detokenized, sacreBLEU's tokenizers (default: multeval)",
    )  # fmt: skip
    parser.set_defaults(default_metrics=tuple(default))
    added = {action: key for key, spec in METRICS.items() for action in _options_of(parser, key, spec.options)}
    told = {action: str(action.help) for action in added}
    for action in added:
        action.help = argparse.SUPPRESS
    group.add_argument(
        "--help-metrics", nargs="*", action=MetricHelp, told=told, metric_of=added, metavar="M",
        help="show the options of all metrics, or of those named, and exit",
    )  # fmt: skip


def chosen_metrics(
    options: argparse.Namespace,
    experiment: Experiment | None = None,
    *,
    has_texts: bool = True,
    lists_of: TestSet | None = None,
) -> Metrics:
    """The metrics and their options as the user gave them; scores computed elsewhere are among the defaults.

    Where scores are all there is to compare, they alone are the defaults. Of the others those are left out that the
    experiment has not what they need for, with a note; the primary one is one of which a direction is better.

    Parameters
    ----------
    lists_of
        The test set of n-best lists, where these take the place of an experiment.

    Raises
    ------
    SettingsError
        On a metric that is not there or is named twice, and on a value that MultEval has and no metric here.
    """
    for family in FAMILIES:  # no option of the metric: settings come in files too, and a model may run code
        family.name_further(vars(options)[_dest(family.key, family.option)] or [])
    given = () if experiment is None else experiment.given
    known = catalog(given)
    wants_defaults = has_texts and not options.metrics
    wanted = options.default_metrics if wants_defaults else ()
    defaults = [word for word in wanted if _can_be_had(word, experiment, lists_of)]
    usual = [*defaults, *(metric.key for metric in given)]  # verdicts are about the first, which has a better direction
    words = options.metrics or sorted(usual, key=lambda word: not known[word].notation.has_direction)
    for word in words:
        if word.lower() not in known:
            raise SettingsError(f"argument --metrics: invalid choice: '{word}' (choose from {', '.join(known)})")
    labels = {word.lower(): word for word in words}
    if len(labels) < len(words):
        raise SettingsError("A metric stands twice; name each once.")
    for one in INHERITED:
        value = vars(options)[_dest(one.metric, one.name)]
        if one.metric in labels and not one.is_free and value not in (None, one.only):
            raise SettingsError(f"--{one.metric}.{one.name} is {value:g}; {one.support}. Leave it out.")
    _report_unused(options, labels)
    if experiment is not None:
        say_unseen(experiment, labels)
    changed = {key: _given(options, key) for key in labels if key in METRICS}
    return Metrics(labels, {key: values for key, values in changed.items() if values})


def _given(options: argparse.Namespace, key: str) -> dict[str, OptionValue]:
    """Options of one metric that the user gave."""
    words = {option.name: _word(options, key, option) for option in METRICS[key].options}
    given = {name: " ".join(word) if isinstance(word, list) else word for name, word in words.items()}
    punctuation = vars(options)[_dest("ter", PUNCTUATION)] if key == "ter" else None
    if punctuation is not None:
        tell(PUNCTUATION_NOTES[punctuation])
        given["no_punct"] = punctuation
    return {name: value for name, value in given.items() if value is not None}


def _word(options: argparse.Namespace, key: str, option: Option) -> Any:
    """What was given for an option; for a model that was named on the command line alone, what was given for all."""
    given = vars(options)
    return next((given[dest] for one in (key, *_kin(key)) if (dest := _dest(one, option.name)) in given), None)


def _kin(key: str) -> Sequence[str]:
    """The usual metric of the package that a model of this name is for; none for other metrics."""
    return [family.key for family in FAMILIES if key in map(str.lower, family.further)]


def _options_of(parser: argparse.ArgumentParser, key: str, options: Sequence[Option]) -> Iterator[argparse.Action]:
    """Add the options of a metric, those that MultEval alone has for it among them."""
    yield from (_add(parser, key, option) for option in options)
    for family in (one for one in FAMILIES if one.key == key):
        yield parser.add_argument(
            f"--{key}.{family.option}", dest=_dest(key, family.option), metavar="PATH", nargs="+",
            help=f"{family.option.title()}: {family.name}'s on this machine, {family.form}; NAME=PATH makes a metric of"
            f" that name, with the same options (or {family.variable}, with ':' between several)",
        )  # fmt: skip
    if key == "ter":
        name, dest = f"--ter.{PUNCTUATION}", _dest("ter", PUNCTUATION)
        yield parser.add_argument(name, dest=dest, type=truth, metavar="true|false", help=PUNCTUATION_HELP)
    for one in INHERITED:
        if one.metric == key:
            yield parser.add_argument(
                f"--{key}.{one.name}", dest=_dest(key, one.name), type=type(one.only), metavar="X",
                help=f"as in MultEval; {one.support}",
            )  # fmt: skip


def _add(parser: argparse.ArgumentParser, key: str, option: Option) -> argparse.Action:
    is_text, is_tokenizer = option.kind not in ("choice", *_KINDS), option.choices == TOKENIZE.choices
    value: str | None = {"flag": "true|false", "integer": "N", "number": "X"}.get(option.kind, "WORD")
    if option.choices:  # None lists them
        value = _TOKENIZER if is_tokenizer else None
    return parser.add_argument(
        f"--{key}.{_camel(option.name)}", dest=_dest(key, option.name), type=_KINDS.get(option.kind, str),
        choices=option.choices or None, nargs="+" if is_text else None,
        metavar=value,
        help=option.label if is_tokenizer else f"{option.label}: {option.help}".replace("%", "%%"),
    )  # fmt: skip


def _can_be_had(metric: str, experiment: Experiment | None, lists_of: TestSet | None) -> bool:
    """Whether a default metric is installed and has what it needs; says on standard error where not."""
    try:
        configured = METRICS[metric].configure("multeval", {})
        missing = "" if experiment is None else lacking(configured, experiment)
        missing = missing if lists_of is None else lacking_on(configured, lists_of)
    except MissingDependencyError as error:
        missing = str(error)
    if missing:
        tell(f"{METRICS[metric].name} is left out: {missing}")
    return not missing


def _report_unused(options: argparse.Namespace, chosen: Mapping[str, str]) -> None:
    """Say which options are about metrics that are not computed."""
    used = {*chosen, *(usual for key in chosen for usual in _kin(key))}
    for key, spec in METRICS.items():
        for option in spec.options:
            if key not in used and vars(options).get(_dest(key, option.name)) is not None:
                name = f"--{key}.{_camel(option.name)}"
                tell(f"{name} has no effect, since {key} is not among the metrics")


def _camel(name: str) -> str:
    """``beam_width`` in MultEval's spelling, ``beamWidth``."""
    return re.sub(r"_(\w)", lambda match: match[1].upper(), name)


def _dest(key: str, name: str) -> str:
    return f"option of {key}: {name}"
