"""What looks odd in loaded data, and the convention that its text was made for.

Languages that a metric's model has not seen are those declared, else those in a test set's name.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from mteval.base.words import counted
from mteval.readers.documents import Finding, named
from mteval.values.given import GivenMetric
from mteval.values.languages import LearnedMetric, Training, codes_of
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Convention

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


Tokenization = Literal["tokenized", "detokenized", "unclear"]
Casing = Literal["lowercased", "mixed", "unclear"]
LINES_LOOKED_AT = 1_000
FEWEST = 5
# Only full stop and comma (and their like): French sets a space before ; : ! ? in running text as well.
DETACHED = re.compile(r"\S[ ]+[.,。，、।](?= |$)", re.MULTILINE)
ATTACHED = re.compile(r"[^\W\d_][.,。，、।](?= |$)|[^\W\d_][。，、।]", re.MULTILINE)
MOST_OF_THEM = 0.7
LOWERCASED_BELOW = 0.02
MIXED_FROM = 0.2


@dataclass(frozen=True)
class Appearance:
    """What a text looks like, and why: the shares of detached punctuation and of lines with capitals."""

    tokenization: Tokenization
    casing: Casing
    detached: float
    capitals: float


def appearance(lines: Sequence[str]) -> Appearance:
    """Look at up to a thousand evenly spaced lines. Shares are NaN where there is nothing to tell them from."""
    looked_at = lines[:: max(1, len(lines) // LINES_LOOKED_AT)]
    text = "\n".join(looked_at)
    detached, attached = (len(form.findall(text)) for form in (DETACHED, ATTACHED))
    share = _share(detached, detached + attached)
    cased = [line for line in looked_at if line.lower() != line.upper()]
    capitals = _share(sum(line != line.lower() for line in cased), len(cased))
    tokenization: Tokenization = "detokenized" if share <= 1 - MOST_OF_THEM else "unclear"
    tokenization = "tokenized" if share >= MOST_OF_THEM else tokenization
    casing: Casing = "mixed" if capitals >= MIXED_FROM else "unclear"
    return Appearance(tokenization, "lowercased" if capitals < LOWERCASED_BELOW else casing, share, capitals)


def _share(part: int, whole: int) -> float:
    return part / whole if whole >= FEWEST else float("nan")


# For each convention the text that it does not expect, what to do about it, and the convention that does.
UNWANTED: Mapping[Convention, tuple[Tokenization, str, Convention]] = {
    "sacrebleu": (
        "tokenized",
        "the metric will tokenize it once more. Detokenize it, or choose the multeval convention.",
        "multeval",
    ),
    "multeval": (
        "detokenized",
        "the metric will not split punctuation off. Tokenize it, or choose the sacrebleu convention.",
        "sacrebleu",
    ),
}


@dataclass(frozen=True)
class Suggestion:
    """The convention that fits the text, and why."""

    convention: Convention
    reason: str


def suggest_convention(experiment: Experiment) -> Suggestion:
    """``multeval`` where outputs and references look tokenized already, else ``sacrebleu``."""
    looks = [look for test_set in experiment.test_sets for look in _looks(test_set).values()]
    kinds = {look.tokenization for look in looks} - {"unclear"}
    if kinds == {"tokenized"}:
        return Suggestion("multeval", "Full stops and commas stand apart from words, so the text is tokenized already.")
    if kinds == {"detokenized"}:
        return Suggestion("sacrebleu", "Full stops and commas are attached to words, so the metric has to tokenize.")
    doubt = (
        "Some of the text looks tokenized and some does not" if kinds else "The text has too little punctuation to tell"
    )
    return Suggestion("sacrebleu", f"{doubt}; this is the usual convention.")


def _looks(test_set: TestSet) -> dict[str, Appearance]:
    """Appearance of the references (under the empty name) and of the first run of each system."""
    texts = {"": list(chain.from_iterable(test_set.references))} if test_set.has_references else {}
    texts |= {system.key: list(test_set.runs_of(system.key)[0].hypotheses) for system in test_set.systems}
    return {name: appearance(lines) for name, lines in texts.items()}


def _appearances(test_set: TestSet, convention: Convention) -> Iterator[Finding]:
    """Findings about tokenization that the convention does not expect, and about outputs unlike the references."""
    looks = _looks(test_set)
    unwanted, meaning, remedy = UNWANTED[convention]
    odd = [name or "the references" for name, look in looks.items() if look.tokenization == unwanted]
    if odd:
        detail = f"On '{test_set.name}' the text of {named(odd)} looks {unwanted}; {meaning}"
        yield Finding("warning", f"Text that looks {unwanted}", detail, remedy)
    if not test_set.has_references:
        return
    reference = looks.pop("")
    opposite = {"tokenized", "detokenized"}
    others = [name for name, look in looks.items() if {look.tokenization, reference.tokenization} == opposite]
    if others:
        yield Finding(
            "warning",
            "References tokenized in another way",
            f"On '{test_set.name}' the references look {reference.tokenization}, {named(others)} the opposite;"
            " words next to punctuation will not match. Treat both alike.",
        )
    others = [name for name, look in looks.items() if {look.casing, reference.casing} == {"lowercased", "mixed"}]
    if others:
        yield Finding(
            "warning",
            "Case differs from the references",
            f"On '{test_set.name}' the references are {CASES[reference.casing]}, the output of {named(others)} is"
            f" {CASES[looks[others[0]].casing]}; words that differ in case alone count as wrong. Lowercase both, or"
            " neither, or choose the option lowercase.",
        )


CASES: Mapping[Casing, str] = {"lowercased": "in lower case", "mixed": "in mixed case"}
MANY_COPIES = 0.05  # of the segments; fewer are names, numbers and addresses
SHORTEST_COPY = 3  # words; shorter lines are often the same in both languages


def check(experiment: Experiment, convention: Convention, learned: Sequence[LearnedMetric] = ()) -> tuple[Finding, ...]:
    """What deserves a look before any statistics, warnings first; of scores alone texts are not looked at.

    Parameters
    ----------
    convention
        How the metrics will treat the text; whether the text looks tokenized is judged against it.
    learned
        Metrics that are to be computed by models of which it is known what languages they saw.
    """
    findings: list[Finding] = []
    for test_set in experiment.test_sets if experiment.has_texts else ():
        findings += _copies(test_set)
        findings += _empty(test_set)
        findings += _source_copies(test_set)
        findings += _appearances(test_set, convention)
    for test_set in experiment.test_sets:
        findings += unseen_languages(test_set, experiment.given, learned)
        findings += unlisted_codes(test_set)
    findings += _single_runs(experiment)
    findings += _samples(experiment)
    return tuple(sorted(findings, key=lambda finding: finding.severity != "warning"))


def _copies(test_set: TestSet) -> Iterator[Finding]:
    """Runs that are equal byte by byte: within a system, of two systems, and whole systems."""
    systems_of: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for system in test_set.systems:
        systems_of[tuple(sorted(run.digest for run in test_set.runs_of(system.key)))].append(system.key)
    identical = [group for group in systems_of.values() if len(group) > 1]
    for group in identical:
        yield Finding(
            "warning",
            "Identical systems",
            f"{named(group)} have the same output on '{test_set.name}', byte by byte; their difference is 0 and"
            " p is 1. Check that the right files were given.",
        )
    for runs in _equal_runs(test_set):
        systems = list(dict.fromkeys(run.system for run in runs))
        if len(systems) == 1:
            yield Finding(
                "warning",
                "Runs that are copies",
                f"System '{systems[0]}' on '{test_set.name}': runs {named([run.key for run in runs])} are the same."
                " Copies hide how much training luck there is; drop all but one, or give the right files.",
            )
        elif not set(systems) <= {name for group in identical for name in group}:
            yield Finding(
                "warning",
                "Output shared by systems",
                f"On '{test_set.name}' the same output stands as {named([f'{run.system} {run.key}' for run in runs])}."
                " Check that the right files were given.",
            )


def _equal_runs(test_set: TestSet) -> list[list[Run]]:
    """Groups of equal runs: first those inside each system, then one of each system across systems."""
    inside: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in test_set.runs:
        inside[run.system, run.digest].append(run)
    across: dict[str, list[Run]] = defaultdict(list)
    for group in inside.values():
        across[group[0].digest].append(group[0])
    return [group for group in (*inside.values(), *across.values()) if len(group) > 1]


def _empty(test_set: TestSet) -> Iterator[Finding]:
    yield from _per_system(
        *(test_set, "Empty hypotheses", "empty hypotheses", "They count as translations with no word."),
        lambda run: [index for index, text in enumerate(run.hypotheses) if not text.strip()],
    )
    empty = [index for index, texts in enumerate(test_set.references) if not all(map(str.strip, texts))]
    if empty:
        yield Finding(
            "warning",
            "Empty references",
            f"Test set '{test_set.name}' has an empty reference in {len(empty)} of"
            f" {counted(test_set.n_segments, 'segment')}, the first is {empty[0] + 1}. Whatever a system says there"
            " counts as wrong; mend the reference.",
        )


def _source_copies(test_set: TestSet) -> Iterator[Finding]:
    if test_set.source is None:
        return
    long_enough = {index: line for index, line in enumerate(test_set.source) if len(line.split()) >= SHORTEST_COPY}
    yield from _per_system(
        *(test_set, "Lines that copy the source", "segments that repeat the source"),
        "Where they are many, check that this is a translation and not the source.",
        lambda run: [index for index, line in long_enough.items() if run.hypotheses[index] == line],
        MANY_COPIES,
    )


def _per_system(
    test_set: TestSet, title: str, what: str, meaning: str, find: Callable[[Run], list[int]], many: float = 0.0
) -> Iterator[Finding]:
    """One finding for each system in whose runs something is found; only a note up to a share ``many`` of segments."""
    for system in test_set.systems:
        affected = [(run, segments) for run in test_set.runs_of(system.key) if (segments := find(run))]
        if not affected:
            continue
        run, segments = max(affected, key=lambda item: len(item[1]))
        runs = f" in {len(affected)} of {counted(len(system.runs), 'run')}; most in run '{run.key}'"
        runs = "" if len(system.runs) == 1 else runs
        where = f"{len(segments):,} of {test_set.n_segments:,}, the first is {segments[0] + 1:,}"
        yield Finding(
            "warning" if len(segments) > many * test_set.n_segments else "note",
            title,
            f"System '{system.key}' on '{test_set.name}' has {what}{runs}: {where}. {meaning}",
        )


def _single_runs(experiment: Experiment) -> Iterator[Finding]:
    single = [system.key for system in experiment.systems if len(system.runs) == 1]
    if single:
        is_baseline = single == [experiment.baseline] and len(experiment.systems) > 1
        unless = ", unless it is declared as fixed in the settings," if is_baseline else ""
        yield Finding(
            "warning",
            "A single run",
            f"{named(single)} {'has' if len(single) == 1 else 'have'} one run. How much training luck moves the score"
            f" cannot be seen from it, so{unless} the tests speak about test-set luck alone. Three runs a system answer"
            " both.",
        )


def _samples(experiment: Experiment) -> Iterator[Finding]:
    sampled = {run.system: None for test_set in experiment.test_sets for run in test_set.runs if run.samples}
    if sampled:
        yield Finding(
            "note",
            "Samples of one trained model",
            f"Runs of {named(list(sampled))} hold several decoding samples, which are averaged within their run. Their"
            " spread is sampling luck and says nothing of training luck. Texts that are shown are those of the first"
            " sample.",
        )
