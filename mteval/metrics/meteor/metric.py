"""METEOR (Denkowski and Lavie 2014) as METEOR 1.5 computes it: options, and the data that they need."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from mteval.base.errors import MissingDependencyError, SettingsError
from mteval.metrics.base import Option, ScoreRange, Usual, choice, integer
from mteval.metrics.meteor import data
from mteval.metrics.options import described
from mteval.values.model import TestSet

if TYPE_CHECKING:
    from mteval.metrics.meteor.scorer import MeteorScorer


@dataclass(frozen=True)
class Meteor(Usual):
    """METEOR: weighted matches of words, stems, synonyms and paraphrases, with a penalty for broken order.

    Of several references, the one with the highest segment score counts.

    Parameters
    ----------
    language
        Language code of the texts.
    task
        What the parameters were tuned for: ``rank`` (default), ``adq`` (adequacy), ``hter`` (human edits), ``util``
        (counts characters), ``li`` (any language), ``tune`` (system tuning), ``universal``.
    modules, weights, parameters
        Matchers, the weight of each, and alpha, beta, gamma, delta; None takes the task's.
    beam_size
        Paths that the alignment search keeps.
    normalization
        ``none``: tokenized text, case counts; ``lowercase``; ``tokenize``: METEOR's tokenizer, then lowercase;
        ``no-punctuation``: also without punctuation. METEOR numbers them 0 to 3.
    paraphrase_file
        The user's paraphrase table in METEOR's format, compressed or not.
    synonym_directory
        The user's folder of synonyms, e.g. with ``english.synsets`` and ``english.exceptions``.

    Raises
    ------
    SettingsError
        If METEOR does not have the combination.
    """

    language: str = "en"
    task: str = "rank"
    modules: tuple[data.Module, ...] | None = None
    weights: tuple[float, ...] | None = None
    parameters: tuple[float, ...] | None = None
    beam_size: int = 40
    normalization: data.Level = "none"
    paraphrase_file: Path | None = None
    synonym_directory: Path | None = None

    key: ClassVar[str] = "meteor"
    name: ClassVar[str] = "METEOR"
    fields: ClassVar[tuple[str, ...]] = data.FIELDS
    submetric_names: ClassVar[tuple[str, ...]] = ("prec", "rec", "frag")

    def __post_init__(self) -> None:
        if self.normalization in data.LEVELS[2:] and self.language not in data.TOKENIZED_LANGUAGES:
            message = f"METEOR has no tokenizer for '{self.language}', only for {', '.join(data.TOKENIZED_LANGUAGES)}."
            raise SettingsError(f"{message} Supply tokenized text and set 'normalization' to lowercase or none.")
        self.settled  # noqa: B018 - raises where parameters, modules and weights do not fit together

    @cached_property
    def settled(self) -> data.Parameters:
        """Parameters of task and language, overridden by the user's choices."""
        tuned = data.tuned_parameters(self.task, self.language)
        return data.chosen_parameters(tuned, self.modules, self.weights, self.parameters)

    def signature(self) -> str:
        """Return all options that affect the numbers; the user's files enter by their content."""
        from mteval.metrics.meteor.paraphrases import content_digest

        weights = ",".join(f"{module}={weight:g}" for module, weight in self.settled.weights.items())
        numbers = ",".join(f"{number:g}" for number in self.settled.numbers)
        table = ""
        if self.paraphrase_file is not None and "paraphrase" in self.settled.weights:
            table = f"|para:{content_digest(self.paraphrase_file)[:12]}"
        if self.synonym_directory is not None and "synonym" in self.settled.weights:
            files = data.synonym_files(self.synonym_directory, self.language)
            table += f"|syn:{'-'.join(content_digest(file)[:12] for file in files)}"
        texts = f"lang:{self.language}|task:{self.task}|norm:{self.normalization}"
        return f"{texts}|mod:{weights}|par:{numbers}|beam:{self.beam_size}|func:english{table}|version:1.5"

    def require_data(self) -> None:
        """Check that the data of all options are available, without reading the large ones.

        Raises
        ------
        MissingDependencyError
            With what to install.
        SettingsError
            If a user's file does not exist.
        """
        modules = self.settled.weights
        data.function_words()
        if "stem" in modules:
            from mteval.metrics.meteor.words import stemmer_of

            stemmer_of(self.language)
        if "synonym" in modules:
            if self.synonym_directory is not None:
                data.synonym_files(self.synonym_directory, self.language)
            elif self.language != "en":
                remedy = "Set 'synonym_directory' to a folder that has them, or remove synonym from 'modules'."
                raise MissingDependencyError(f"No package has METEOR's synonyms for '{self.language}'. {remedy}")
        if "paraphrase" in modules:
            if self.paraphrase_file is None:
                data.packaged_paraphrases(self.language)
            elif not self.paraphrase_file.is_file():
                message = f"METEOR: 'paraphrase_file' is '{self.paraphrase_file}', which does not exist."
                raise SettingsError(f"{message} Check the path.")

    def prepare(self, test_set: TestSet) -> "MeteorScorer":
        """Read METEOR's data and the references' words; build the paraphrase index if necessary.

        Raises
        ------
        MissingDependencyError
            If data are not installed.
        """
        from mteval.metrics.meteor.paraphrases import ensure_index  # here: few commands use METEOR
        from mteval.metrics.meteor.scorer import MeteorScorer
        from mteval.metrics.meteor.words import (
            Lexicon,
            Normalizer,
            english_synonyms,
            read_prefixes,
            synonyms_of_files,
        )

        self.require_data()
        modules = self.settled.weights
        index = None
        if "paraphrase" in modules:
            index = ensure_index(self.paraphrase_file, self.language, meanwhile=_make_code)
        synonyms = None
        if "synonym" in modules:
            if self.synonym_directory is None:
                synonyms = english_synonyms()
            else:
                synonyms = synonyms_of_files(*data.synonym_files(self.synonym_directory, self.language))
        lexicon = Lexicon(
            data.function_words(),
            stem_language=self.language if "stem" in modules else None,
            synonyms=synonyms,
            phrase_words={} if index is None else index.numbers,
            counts_characters=self.task == "util",
        )
        prefixes = {}
        if self.language in data.TOKENIZED_LANGUAGES:
            prefixes = read_prefixes(data.read_packaged(f"nonbreaking/{data.LANGUAGES[self.language]}.prefixes"))
        normalizer = Normalizer(self.normalization, self.language, prefixes)
        references = []  # as words: those of each segment, and all
        all_references: list[tuple[str, ...]] = []
        for texts in test_set.references:
            references_of_segment = tuple(tuple(normalizer.words(text)) for text in texts)
            references.append(references_of_segment)
            all_references += references_of_segment
        lexicon.sequences(all_references)  # numbers their words
        return MeteorScorer(self.settled, self.beam_size, normalizer, lexicon, tuple(references), index)


def _make_code() -> None:
    """Compile the code that aligns two sentences."""
    Meteor(modules=("exact",)).prepare(TestSet("", (("a",),))).statistics([0], ["a"])


_OPTIONS = (
    choice("language", "Language", "Synonyms and paraphrases come for English only.", *data.LANGUAGES),
    choice("task", "Task", "Task that the parameters were tuned for. li: any language.", *data.TASKS),
    choice(
        "normalization",
        "Normalization",
        "none: tokenized text, case counts. lowercase. tokenize: METEOR's tokenizer, then lowercase.",
        *data.LEVELS[:3],
    ),
    Option("keep_punctuation", "flag", "Keep punctuation", "Off: tokenize, lowercase and remove punctuation."),
    Option("modules", "text", "Modules", "Any of: exact stem synonym paraphrase. Empty: the task's modules."),
    Option("weights", "text", "Module weights", "One number per module. Empty: the task's weights."),
    Option("params", "text", "Parameters", "Alpha, beta, gamma and delta. Empty: the task's values."),
    integer("beam_size", "Beam size", "Paths that the alignment search keeps.", 1, 10_000),
    Option("paraphrase_file", "path", "Paraphrase file", "Table in METEOR's format. Empty: the English one."),
    Option("synonym_directory", "path", "Synonym folder", "Synsets and exceptions in METEOR's format. Empty: English."),
)


def _built(
    paraphrase_file: str,
    synonym_directory: str,
    keep_punctuation: bool,
    normalization: data.Level,
    modules: str,
    weights: str,
    params: str,
    **options: Any,
) -> Meteor:
    """Return the metric of some options; an empty text takes what the task has."""
    if not keep_punctuation:
        normalization = data.LEVELS[3]
    file = None
    if paraphrase_file.strip():
        file = Path(paraphrase_file).expanduser()
    folder = None
    if synonym_directory.strip():
        folder = Path(synonym_directory).expanduser()
    names: Any = modules.split()  # whether they are modules is checked with the parameters
    metric = Meteor(
        paraphrase_file=file,
        synonym_directory=folder,
        normalization=normalization,
        modules=tuple(names) or None,
        weights=_numbers("weights", weights),
        parameters=_numbers("params", params),
        **options,
    )
    metric.require_data()
    return metric


def _numbers(option: str, text: str) -> tuple[float, ...] | None:
    """Return the numbers of an option; None if it is empty."""
    try:
        return tuple(float(number) for number in text.split()) or None
    except ValueError:
        raise SettingsError(f"METEOR: '{option}' is '{text}'; expected numbers separated by spaces.") from None


SPEC = described(
    Meteor,
    "Words matched between output and reference, also by stem, synonym and paraphrase, with a penalty for broken"
    " order. It sees recall and rephrasing; its tables are best for English, and it sees no meaning beyond single"
    " phrases.",
    ScoreRange(0, 100),
    "Denkowski and Lavie 2014, WMT",
    _OPTIONS,
    usual={
        "modules": "",
        "weights": "",
        "params": "",
        "paraphrase_file": "",
        "synonym_directory": "",
        "normalization": "tokenize",
        "keep_punctuation": True,
    },
    multeval={"normalization": "none"},
    build=_built,
    is_slow=True,
)
