"""METEOR (Denkowski and Lavie 2014) as METEOR 1.5 computes it: its options, what they need, and how users give them."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from mteval.base.errors import SettingsError
from mteval.metrics.base import Option, ScoreRange, Usual
from mteval.metrics.meteor import data
from mteval.metrics.options import described
from mteval.values.model import TestSet

if TYPE_CHECKING:
    from mteval.metrics.meteor.scorer import MeteorScorer

FunctionWords = Literal["english", "own"]
FUNCTION_WORDS: tuple[FunctionWords, ...] = ("english", "own")
DEFAULT_BEAM_SIZE = 40


@dataclass(frozen=True)
class Meteor(Usual):
    """METEOR: weighted matches of words, stems, synonyms and paraphrases, with a penalty for broken order.

    Of several references the one with the highest segment score counts.

    Parameters
    ----------
    language
        Code of the language of the texts.
    task
        What the parameters were tuned for: ``rank`` (METEOR's default), ``adq`` adequacy, ``hter`` edits of editors,
        ``util`` (counts characters), ``li`` independent of the language, ``tune`` for tuning systems, ``universal``.
    modules, weights, parameters
        Matchers, the weight of each, and alpha, beta, gamma, delta; None takes the task's.
    beam_size
        Paths that the search for an alignment keeps.
    normalization
        ``none``: the text is tokenized already, case counts; ``lowercase``; ``tokenize``: METEOR's tokenizer and lower
        case; ``no-punctuation``: the same without punctuation. METEOR numbers them 0 to 3.
    function_words
        ``english`` for every language, as METEOR 1.5 does, or the language's ``own``, as METEOR 1.4 did.
    paraphrase_file
        A paraphrase table of one's own in METEOR's format, packed or not.
    synonym_directory
        A folder of one's own with METEOR's ``LANGUAGE.synsets`` and ``LANGUAGE.exceptions``.

    Raises
    ------
    SettingsError
        On a combination that METEOR does not have.
    """

    language: str = "en"
    task: str = "rank"
    modules: tuple[data.Module, ...] | None = None
    weights: tuple[float, ...] | None = None
    parameters: tuple[float, ...] | None = None
    beam_size: int = DEFAULT_BEAM_SIZE
    normalization: data.Level = "none"
    function_words: FunctionWords = "english"
    paraphrase_file: Path | None = None
    synonym_directory: Path | None = None

    key: ClassVar[str] = "meteor"
    name: ClassVar[str] = "METEOR"
    fields: ClassVar[tuple[str, ...]] = data.FIELDS
    submetric_names: ClassVar[tuple[str, ...]] = ("prec", "rec", "frag")

    def __post_init__(self) -> None:
        if self.normalization in data.LEVELS[2:] and self.language not in data.TOKENIZED_LANGUAGES:
            raise SettingsError(
                f"METEOR has no tokenizer for '{self.language}'; it has {', '.join(data.TOKENIZED_LANGUAGES)}. Choose"
                " the normalization 'lowercase' or 'none' and give tokenized text."
            )
        self.settled  # noqa: B018 - raises where parameters, modules and weights do not fit together

    @cached_property
    def settled(self) -> data.Parameters:
        """The parameters of task and language with the choices made over them."""
        tuned = data.tuned_parameters(self.task, self.language)
        return data.chosen_parameters(tuned, self.modules, self.weights, self.parameters)

    def signature(self) -> str:
        """All that decides the numbers; files of one's own by their content."""
        from mteval.metrics.meteor.paraphrases import content_digest

        settled = self.settled
        parts = {
            "lang": self.language,
            "task": self.task,
            "norm": self.normalization,
            "mod": ",".join(f"{module}={weight:g}" for module, weight in settled.weights.items()),
            "par": ",".join(f"{number:g}" for number in settled.numbers),
            "beam": f"{self.beam_size}",
            "func": self.function_words,
        }
        if self.paraphrase_file is not None and "paraphrase" in settled.weights:
            parts["para"] = content_digest(self.paraphrase_file)[:12]
        if self.synonym_directory is not None and "synonym" in settled.weights:
            files = data.synonym_files(self.language, self.synonym_directory)
            parts["syn"] = "-".join(content_digest(file)[:8] for file in files)
        return "|".join(f"{name}:{value}" for name, value in (*parts.items(), ("version", "1.5")))

    def require_data(self) -> None:
        """See that all data that the options need are there, without reading the large ones.

        Raises
        ------
        MissingDependencyError
            Saying what to install.
        SettingsError
            Where a file or folder of the user's is not there.
        """
        modules = self.settled.weights
        data.function_words(self._function_language)
        if "stem" in modules:
            from mteval.metrics.meteor.words import stemmer_of

            stemmer_of(self.language)
        if "synonym" in modules:
            data.synonym_files(self.language, self.synonym_directory)
        if "paraphrase" in modules:
            if self.paraphrase_file is None:
                data.packaged_paraphrases(self.language)
            elif not self.paraphrase_file.is_file():
                raise SettingsError(
                    f"METEOR: 'paraphrase_file' is '{self.paraphrase_file}', where there is no file; name METEOR's"
                    " table."
                )

    def prepare(self, test_set: TestSet) -> "MeteorScorer":
        """Read METEOR's data, build the paraphrase index if there is none yet, and read the references' words.

        Raises
        ------
        MissingDependencyError
            Where data are not installed.
        """
        from mteval.metrics.meteor.paraphrases import ensure_index  # here, as the next: few commands score by METEOR
        from mteval.metrics.meteor.scorer import MeteorScorer
        from mteval.metrics.meteor.words import Lexicon, Normalizer, read_prefixes, synonyms_of

        self.require_data()
        modules, index = self.settled.weights, None
        if "paraphrase" in modules:
            index = ensure_index(self.paraphrase_file, self.language, meanwhile=_make_code)
        lexicon = Lexicon(
            data.function_words(self._function_language),
            stem_language=self.language if "stem" in modules else None,
            synonyms=synonyms_of(self.language, self.synonym_directory) if "synonym" in modules else None,
            phrase_words={} if index is None else index.numbers,
            counts_characters=self.task == "util",
        )
        prefixes = {}
        if self.language in data.TOKENIZED_LANGUAGES:
            prefixes = read_prefixes(data.read_packaged(f"nonbreaking/{data.LANGUAGES[self.language]}.prefixes"))
        normalizer = Normalizer(self.normalization, self.language, prefixes)
        references = tuple(
            tuple(tuple(normalizer.words(text)) for text in of_segment) for of_segment in test_set.references
        )
        lexicon.learn(word for of_segment in references for text in of_segment for word in text)
        return MeteorScorer(self.settled, self.beam_size, normalizer, lexicon, references, index)

    @property
    def _function_language(self) -> str:
        return self.language if self.function_words == "own" else "en"


def _make_code() -> None:
    """See that the code that aligns two sentences is there."""
    Meteor(modules=("exact",)).prepare(TestSet("", (("a",),))).statistics([0], ["a"])


_OPTIONS = (
    Option(
        "language",
        "choice",
        "Language",
        "Of the texts; English has data of its own in the optional package, others match words and stems.",
        choices=tuple(data.LANGUAGES),
    ),
    Option(
        "task",
        "choice",
        "Task",
        "What the parameters were tuned for: rank (METEOR's default), adq, hter, util; li is for any language.",
        choices=data.TASKS,
    ),
    Option(
        "normalization",
        "choice",
        "Normalization",
        "none: the text is tokenized and case counts; lowercase; tokenize: METEOR's tokenizer and lower case.",
        choices=data.LEVELS[:3],
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
        "beam_size", "integer", "Beam size", "Paths that the search for an alignment keeps.", minimum=1, maximum=10_000
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


def _built(
    modules: Any,
    weights: str,
    params: str,
    keep_punctuation: bool,
    paraphrase_file: str,
    synonym_directory: str,
    normalization: data.Level,
    **options: Any,
) -> Meteor:
    metric = Meteor(
        **options,
        modules=tuple(modules.split()) or None,
        weights=_numbers("weights", weights),
        parameters=_numbers("params", params),
        normalization=normalization if keep_punctuation else data.LEVELS[3],
        paraphrase_file=_path(paraphrase_file),
        synonym_directory=_path(synonym_directory),
    )
    metric.require_data()
    return metric


def _path(text: str) -> Path | None:
    return Path(text).expanduser() if text.strip() else None


def _numbers(option: str, text: str) -> tuple[float, ...] | None:
    try:
        return tuple(map(float, text.split())) or None
    except ValueError:
        raise SettingsError(f"METEOR: '{option}' is '{text}'; expected numbers separated by spaces.") from None


SPEC = described(
    Meteor,
    "Words matched between hypothesis and reference, also by stem, synonym and paraphrase, with a penalty for"
    " broken order. It sees recall and rephrasing, but its tables know English best, and it has no eye for meaning"
    " beyond single phrases.",
    ScoreRange(0, 100),
    "Denkowski and Lavie 2014, WMT",
    _OPTIONS,
    usual={
        "normalization": "tokenize",
        "keep_punctuation": True,
        **dict.fromkeys(("modules", "weights", "params", "paraphrase_file", "synonym_directory"), ""),
    },
    multeval={"normalization": "none"},
    build=_built,
    is_slow=True,
)
