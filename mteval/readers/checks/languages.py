"""Languages that models of translation quality have not seen, as they are declared, else as a test set's name says."""

import re
from collections.abc import Iterator, Mapping, Sequence

from mteval.given import GivenMetric
from mteval.languages import codes_of
from mteval.model import TestSet
from mteval.readers.problems import Finding, named

PAIR = re.compile(r"(?<![a-z])([a-z]{2,3})[-_]([a-z]{2,3})(?![a-z])")
ON_XLM_R = re.compile(r"comet|kiwi", re.IGNORECASE)  # in the name of a metric
# Of the languages that XLM-R was trained on (Conneau et al. 2020, table of CC-100) one has to stand beside the other.
_CODES = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id"
    " is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si"
    " sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh"
)
KNOWN = frozenset(_CODES.split())
UNKNOWN: Mapping[str, str] = {  # that test sets are made of, and that it was not trained on
    "ba": "Bashkir", "bho": "Bhojpuri", "bm": "Bambara", "bo": "Tibetan", "ceb": "Cebuano", "cv": "Chuvash",
    "doi": "Dogri", "dsb": "Lower Sorbian", "dz": "Dzongkha", "ee": "Ewe", "ff": "Fulah", "fo": "Faroese",
    "gn": "Guarani", "hsb": "Upper Sorbian", "ht": "Haitian Creole", "ig": "Igbo", "ilo": "Iloko", "kl": "Greenlandic",
    "lb": "Luxembourgish", "lg": "Ganda", "liv": "Livonian", "ln": "Lingala", "lus": "Mizo", "mai": "Maithili",
    "mi": "Maori", "mni": "Manipuri", "mt": "Maltese", "nso": "Northern Sotho", "ny": "Nyanja", "oc": "Occitan",
    "qu": "Quechua", "rw": "Kinyarwanda", "sah": "Sakha", "sat": "Santali", "se": "Northern Sami", "sm": "Samoan",
    "sn": "Shona", "st": "Southern Sotho", "tg": "Tajik", "ti": "Tigrinya", "tk": "Turkmen", "tn": "Tswana",
    "ts": "Tsonga", "tt": "Tatar", "tw": "Twi", "wo": "Wolof", "yo": "Yoruba", "zu": "Zulu",
}  # fmt: skip


def unseen_languages(test_set: TestSet, given: Sequence[GivenMetric], learned: Sequence[str] = ()) -> Iterator[Finding]:
    """That the models behind COMET do not know a language of a test set.

    Its languages are declared, or it is called after them: ``wmt22.liv-en``.

    Parameters
    ----------
    learned
        Names of the metrics that are to be computed by such models.
    """
    unknown = list(_declared(test_set.languages) if test_set.languages else _in_name(test_set.name.lower()))
    if not unknown:
        return
    scores = list(dict.fromkeys((*learned, *(metric.name for metric in given if ON_XLM_R.search(metric.name)))))
    about = f"The scores of {named(scores)} are" if scores else "Scores of COMET, xCOMET or CometKiwi would be"
    yield Finding(
        "warning" if scores else "note",
        "A language that XLM-R has not seen",
        f"'{test_set.name}' is of {named(unknown)}, on which the encoder of COMET's models was not trained. {about}"
        " unreliable there, as its authors say; take people's judgements, or a metric that was made for it.",
    )


def unlisted_codes(test_set: TestSet) -> Iterator[Finding]:
    """That it is not known here whether a declared language is one that the models know."""
    codes = codes_of(test_set.languages) if test_set.languages else ()
    unlisted = [code for code in codes if code not in KNOWN and code not in UNKNOWN]
    if unlisted:
        yield Finding(
            "note",
            "A language that is not listed here",
            f"'{test_set.name}' is declared to be of {named([repr(code) for code in unlisted])}. It is not known here"
            " whether COMET's models saw it: languages are known by their codes of two letters where they have one.",
        )


def _declared(languages: str) -> Iterator[str]:
    """The languages of a declared pair on which XLM-R was not trained."""
    return (UNKNOWN[code] for code in codes_of(languages) if code in UNKNOWN)


def _in_name(name: str) -> Iterator[str]:
    """The languages of pairs in a name, of which one is known and the other is not."""
    for codes in PAIR.findall(name):
        found = [code for code in codes if code in UNKNOWN]
        if len(found) == 1 and not KNOWN.isdisjoint(codes):
            yield UNKNOWN[found[0]]
