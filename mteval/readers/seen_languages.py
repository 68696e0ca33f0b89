"""Warn about languages that the model behind a metric was not trained on."""

import re
from collections.abc import Iterator, Mapping, Sequence

from mteval.readers.documents import named
from mteval.values.findings import Finding, Level
from mteval.values.given import GivenMetric
from mteval.values.languages import LearnedMetric, Training, codes_of
from mteval.values.model import TestSet

PAIR = re.compile(r"(?<![a-z])([a-z]{2,3})[-_]([a-z]{2,3})(?![a-z])")
ON_XLM_R = re.compile(r"comet|kiwi", re.IGNORECASE)  # in the name of a metric
# Languages of XLM-R (Conneau et al. 2020, table of CC-100). One of a pair in a name must be known.
_CODES = """af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id
is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si sk sl so sq
sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh"""
KNOWN = frozenset(_CODES.split())
UNKNOWN: Mapping[str, str] = {  # languages of test sets that it was not trained on
    "ba": "Bashkir", "bho": "Bhojpuri", "bm": "Bambara", "bo": "Tibetan", "ceb": "Cebuano", "cv": "Chuvash",
    "doi": "Dogri", "dsb": "Lower Sorbian", "dz": "Dzongkha", "ee": "Ewe", "ff": "Fulah", "fo": "Faroese",
    "gn": "Guarani", "hsb": "Upper Sorbian", "ht": "Haitian Creole", "ig": "Igbo", "ilo": "Iloko", "kl": "Greenlandic",
    "lb": "Luxembourgish", "lg": "Ganda", "liv": "Livonian", "ln": "Lingala", "lus": "Mizo", "mai": "Maithili",
    "mi": "Maori", "mni": "Manipuri", "mt": "Maltese", "nso": "Northern Sotho", "ny": "Nyanja", "oc": "Occitan",
    "qu": "Quechua", "rw": "Kinyarwanda", "sah": "Sakha", "sat": "Santali", "se": "Northern Sami", "sm": "Samoan",
    "sn": "Shona", "st": "Southern Sotho", "tg": "Tajik", "ti": "Tigrinya", "tk": "Turkmen", "tn": "Tswana",
    "ts": "Tsonga", "tt": "Tatar", "tw": "Twi", "wo": "Wolof", "yo": "Yoruba", "zu": "Zulu",
}  # fmt: skip
# Languages of multilingual BERT (official list; Bokmål also as "nb"). The uncased one saw no Thai or Mongolian.
_CODES_OF_BERT = """af an ar ast az azb ba bar be bg bn bpy br bs ca ce ceb cs cv cy da de el en es et eu fa fi fr fy
ga gl gu he hi hr ht hu hy id io is it ja jv ka kk kn ko ky la lb lmo lt lv mg min mk ml mn mr ms my nb nds ne new nl nn
no oc pa pl pms pnb pt ro ru scn sco sh sk sl sq sr su sv sw ta te tg th tl tr tt uk ur uz vi vo war yo zh"""
OF_BERT = frozenset(_CODES_OF_BERT.split())


def unseen_languages(
    test_set: TestSet, given: Sequence[GivenMetric], learned: Sequence[LearnedMetric] = ()
) -> Iterator[Finding]:
    """Yield findings about languages that a metric's model was not trained on, or not known to be trained on.

    Parameters
    ----------
    learned
        Metrics to compute whose models' training languages are known.
    """
    # COMET's models read the source too; what they miss is one finding, also for given scores.
    on_xlm_r = [metric for metric in learned if metric.training == "xlm-r" and metric.reads_source]
    yield from _unseen_by_xlm_r(test_set, given, [metric.name for metric in on_xlm_r])
    for metric in learned:
        if metric not in on_xlm_r:
            yield from _unseen_by(test_set, metric)
    codes = codes_of(test_set.languages)
    unlisted = [repr(code) for code in codes if code not in KNOWN and code not in UNKNOWN]
    if unlisted:
        detail = f"'{test_set.name}' is declared as {named(unlisted)}. Use the two-letter code if there is one."
        detail += " Otherwise mteval cannot tell whether a model was trained on the language."
        yield Finding("language-code", detail, "note", test_set.name)


# Per training: the languages, and a name for them
SEEN: Mapping[Training, tuple[frozenset[str], str]] = {
    "xlm-r": (KNOWN, "languages of XLM-R"),
    "multilingual bert": (OF_BERT, "languages of multilingual BERT"),
    "multilingual bert uncased": (OF_BERT - {"th", "mn"}, "languages of multilingual BERT"),
    "english": (frozenset({"en"}), "English only"),
}


def _unseen_by(test_set: TestSet, metric: LearnedMetric) -> Iterator[Finding]:
    """Yield a finding if a metric's model was not trained on a declared language that it reads."""
    seen, name_of_seen = SEEN[metric.training]
    codes = codes_of(test_set.languages)
    if not metric.reads_source:
        codes = codes[1:]
    if metric.training != "english":
        # A code that is in neither list means an unknown language, but not English.
        codes = tuple(code for code in codes if code in KNOWN or code in UNKNOWN)
    unseen = [UNKNOWN.get(code, repr(code)) for code in codes if code not in seen]
    if unseen:
        detail = f"'{test_set.name}' contains {named(unseen)}."
        detail += f" The encoder of {metric.name} was trained on {name_of_seen}, so its scores are unreliable."
        detail += " Use another model, human judgements, or a metric that compares words."
        yield Finding("language", detail, test_set=test_set.name)


def _unseen_by_xlm_r(test_set: TestSet, given: Sequence[GivenMetric], learned: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding if COMET's models were not trained on a language, declared or named as in ``wmt22.liv-en``."""
    declared = codes_of(test_set.languages)
    unseen = [UNKNOWN[code] for code in declared if code in UNKNOWN]
    if not declared:
        for codes in PAIR.findall(test_set.name.lower()):
            unseen_of_pair = [UNKNOWN[code] for code in codes if code in UNKNOWN]
            # Words of a name may look like codes: the other code must be known.
            if len(unseen_of_pair) == 1 and not KNOWN.isdisjoint(codes):
                unseen += unseen_of_pair
    if not unseen:
        return
    given_on_xlm_r = [metric.name for metric in given if ON_XLM_R.search(metric.name)]
    metrics = dict.fromkeys((*learned, *given_on_xlm_r))
    detail = f"'{test_set.name}' contains {named(unseen)}, on which COMET's encoder was not trained."
    if metrics:
        severity: Level = "warning"
        detail += f" Scores of {named(metrics)} are unreliable."
    else:
        severity = "note"
        detail += " Scores of COMET, xCOMET or CometKiwi would be unreliable."
    detail += " Use human judgements, or a metric made for the language."
    yield Finding("language-xlm-r", detail, severity, test_set.name)
