"""METEOR's line of the registry: the options as the user gives them."""

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from mteval.base.errors import SettingsError
from mteval.metrics.base import MetricSpec, Option, OptionValue, ScoreRange
from mteval.metrics.meteor.metric import DEFAULT_BEAM_SIZE, FUNCTION_WORDS, Meteor
from mteval.metrics.meteor.normalize import LEVELS
from mteval.metrics.meteor.parameters import LANGUAGES, TASKS, Module
from mteval.metrics.options import settled
from mteval.values.notation import Notation
from mteval.values.settings import Convention

_WITHOUT_PUNCTUATION = LEVELS[3]
_OPTIONS = (
    Option(
        "language",
        "choice",
        "Language",
        "Of the texts; English has data of its own in the optional package, others match words and stems.",
        choices=tuple(LANGUAGES),
    ),
    Option(
        "task",
        "choice",
        "Task",
        "What the parameters were tuned for: rank (METEOR's default), adq, hter, util; li is for any language.",
        choices=TASKS,
    ),
    Option(
        "normalization",
        "choice",
        "Normalization",
        "none: the text is tokenized and case counts; lowercase; tokenize: METEOR's tokenizer and lower case.",
        choices=LEVELS[:3],
    ),
    Option(
        "keep_punctuation",
        "flag",
        "Keep punctuation",
        "Off: tokenize, lowercase and drop the punctuation, whatever the normalization.",
    ),
    Option("modules", "text", "Modules", "Some of: exact stem synonym paraphrase. Empty: those of the task."),
    Option("weights", "text", "Module weights", "One number for each of the modules. Empty: those of the task."),
    Option("params", "text", "Parameters", "The numbers alpha, beta, gamma and delta. Empty: those of the task."),
    Option(
        "beam_size",
        "integer",
        "Beam size",
        "Paths that the search for an alignment keeps.",
        minimum=1,
        maximum=10_000,
    ),
    Option(
        "function_words",
        "choice",
        "Function words",
        "english: the English list for every language, as METEOR 1.5 does; own: the language's, as METEOR 1.4 did.",
        choices=FUNCTION_WORDS,
    ),
    Option("paraphrase_file", "path", "Paraphrase file", "A table in METEOR's format. Empty: the English one."),
    Option("synonym_directory", "path", "Synonym folder", "A folder in METEOR's format. Empty: the English WordNet."),
)


def _defaults(convention: Convention) -> Mapping[str, OptionValue]:
    return {
        "language": "en",
        "task": "rank",
        "normalization": "none" if convention == "multeval" else "tokenize",
        "keep_punctuation": True,
        "modules": "",
        "weights": "",
        "params": "",
        "beam_size": DEFAULT_BEAM_SIZE,
        "function_words": "english",
        "paraphrase_file": "",
        "synonym_directory": "",
    }


def _configure(convention: Convention, options: Mapping[str, OptionValue]) -> Meteor:
    given = settled(Meteor.name, _OPTIONS, _defaults(convention), options)
    metric = Meteor(
        language=given["language"],
        task=given["task"],
        modules=cast(tuple[Module, ...], tuple(given["modules"].split())) or None,
        weights=_numbers("weights", given["weights"]),
        parameters=_numbers("params", given["params"]),
        beam_size=given["beam_size"],
        normalization=given["normalization"] if given["keep_punctuation"] else _WITHOUT_PUNCTUATION,
        function_words=given["function_words"],
        paraphrase_file=_path(given["paraphrase_file"]),
        synonym_directory=_path(given["synonym_directory"]),
    )
    metric.require_data()
    return metric


def _numbers(option: str, text: str) -> tuple[float, ...] | None:
    try:
        return tuple(map(float, text.split())) or None
    except ValueError:
        raise SettingsError(f"METEOR: '{option}' is '{text}'; expected numbers separated by spaces.") from None


def _path(text: str) -> Path | None:
    return Path(text).expanduser() if text.strip() else None


SPEC = MetricSpec(
    key=Meteor.key,
    name=Meteor.name,
    notation=Notation("↑"),
    summary="Words matched between hypothesis and reference, also by stem, synonym and paraphrase, with a penalty for"
    " broken order. It sees recall and rephrasing, but its tables know English best, and it has no eye for meaning"
    " beyond single phrases.",
    range=ScoreRange(0, 100),
    source="Denkowski and Lavie 2014, WMT",
    options=_OPTIONS,
    configure=_configure,
    defaults=_defaults,
    is_slow=True,
)
