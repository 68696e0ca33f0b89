"""The options of the metrics, a hundred in all, in a help of their own."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from mteval.metrics import METRICS
from mteval.metrics.token_options import TOKENIZE

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


def metavar_of(kind: str, choices: Sequence[str]) -> str | None:
    """How a value is called in the help; None lists the choices."""
    if choices == TOKENIZE.choices:
        return _TOKENIZER
    return None if choices else {"flag": "true|false", "integer": "N", "number": "X"}.get(kind, "WORD")
