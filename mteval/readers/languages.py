"""Languages that models of translation quality have not seen, as they are declared, else as a test set's name says."""

import re
from collections.abc import Iterator, Mapping, Sequence

from mteval.readers.slots import Finding, named
from mteval.values.given import GivenMetric
from mteval.values.languages import LearnedMetric, Training, codes_of
from mteval.values.model import TestSet

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
# Of multilingual BERT, by its makers' list, Bokmål by its usual code as well; the uncased one saw no Thai or Mongolian
_CODES_OF_BERT = (
    "af an ar ast az azb ba bar be bg bn bpy br bs ca ce ceb cs cv cy da de el en es et eu fa fi fr fy ga gl gu he hi"
    " hr ht hu hy id io is it ja jv ka kk kn ko ky la lb lmo lt lv mg min mk ml mn mr ms my nb nds ne new nl nn no oc"
    " pa pl pms pnb pt ro ru scn sco sh sk sl sq sr su sv sw ta te tg th tl tr tt uk ur uz vi vo war yo zh"
)
OF_BERT = frozenset(_CODES_OF_BERT.split())
_SEEN: Mapping[Training, tuple[frozenset[str], str]] = {
    "xlm-r": (KNOWN, "it saw the languages of XLM-R"),
    "multilingual bert": (OF_BERT, "it saw the languages of multilingual BERT"),
    "multilingual bert uncased": (OF_BERT - {"th", "mn"}, "it saw the languages of multilingual BERT"),
    "english": (frozenset({"en"}), "it saw English alone"),
}


def unseen_languages(
    test_set: TestSet, given: Sequence[GivenMetric], learned: Sequence[LearnedMetric] = ()
) -> Iterator[Finding]:
    """That models behind metrics do not know a language of a test set.

    Parameters
    ----------
    learned
        Metrics that are to be computed by models of which it is known what they saw.
    """
    on_xlm_r = [metric for metric in learned if metric.training == "xlm-r" and metric.reads_source]
    yield from _unseen_by_xlm_r(test_set, given, [metric.name for metric in on_xlm_r])
    for metric in learned:
        if metric not in on_xlm_r:
            yield from _unseen_by(test_set, metric)


def _unseen_by(test_set: TestSet, metric: LearnedMetric) -> Iterator[Finding]:
    """That the model of one metric did not see a declared language that it reads."""
    codes = codes_of(test_set.languages) if test_set.languages else ()
    seen, words = _SEEN[metric.training]
    read = [code for code in codes[not metric.reads_source :] if code in KNOWN or code in UNKNOWN or seen == {"en"}]
    if unseen := [UNKNOWN.get(code, repr(code)) for code in read if code not in seen]:
        yield Finding(
            "warning",
            "A language that a model has not seen",
            f"'{test_set.name}' is {'of' if metric.reads_source else 'translated into'} {named(unseen)}, on which the"
            f" encoder of {metric.name} was not trained: {words}. The scores of {metric.name} are unreliable there;"
            " take a model that saw the language, people's judgements, or a metric that compares words.",
        )


def _unseen_by_xlm_r(test_set: TestSet, given: Sequence[GivenMetric], learned: Sequence[str]) -> Iterator[Finding]:
    """That the models behind COMET do not know a language; undeclared they are those of a name as ``wmt22.liv-en``."""
    declared = codes_of(test_set.languages) if test_set.languages else ()
    unknown = [UNKNOWN[code] for code in declared if code in UNKNOWN]
    for codes in () if declared else PAIR.findall(test_set.name.lower()):
        found = [code for code in codes if code in UNKNOWN]
        if len(found) == 1 and not KNOWN.isdisjoint(codes):
            unknown.append(UNKNOWN[found[0]])
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
