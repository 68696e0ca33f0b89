"""Check loaded data for oddities, and suggest a convention that fits its text."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Literal

from mteval.base.words import agreeing, counted, counted_part
from mteval.readers.documents import Finding, named
from mteval.values.given import GivenMetric
from mteval.values.languages import LearnedMetric, Training, codes_of
from mteval.values.model import Experiment, Run, TestSet
from mteval.values.settings import Convention

PAIR = re.compile(r"(?<![a-z])([a-z]{2,3})[-_]([a-z]{2,3})(?![a-z])")
ON_XLM_R = re.compile(r"comet|kiwi", re.IGNORECASE)  # in the name of a metric
# Languages of XLM-R (Conneau et al. 2020, table of CC-100). One of a pair in a name must be known.
_CODES = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr hu hy id"
    " is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my ne nl no om or pa pl ps pt ro ru sa sd si"
    " sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh"
)
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
_CODES_OF_BERT = (
    "af an ar ast az azb ba bar be bg bn bpy br bs ca ce ceb cs cv cy da de el en es et eu fa fi fr fy ga gl gu he hi"
    " hr ht hu hy id io is it ja jv ka kk kn ko ky la lb lmo lt lv mg min mk ml mn mr ms my nb nds ne new nl nn no oc"
    " pa pl pms pnb pt ro ru scn sco sh sk sl sq sr su sv sw ta te tg th tl tr tt uk ur uz vi vo war yo zh"
)
OF_BERT = frozenset(_CODES_OF_BERT.split())
_SEEN: Mapping[Training, tuple[frozenset[str], str]] = {
    "xlm-r": (KNOWN, "languages of XLM-R"),
    "multilingual bert": (OF_BERT, "languages of multilingual BERT"),
    "multilingual bert uncased": (OF_BERT - {"th", "mn"}, "languages of multilingual BERT"),
    "english": (frozenset({"en"}), "English only"),
}


def unseen_languages(
    test_set: TestSet, given: Sequence[GivenMetric], learned: Sequence[LearnedMetric] = ()
) -> Iterator[Finding]:
    """Yield findings about languages that a metric's model was not trained on.

    Parameters
    ----------
    learned
        Metrics to compute whose models' training languages are known.
    """
    on_xlm_r = [metric for metric in learned if metric.training == "xlm-r" and metric.reads_source]
    yield from _unseen_by_xlm_r(test_set, given, [metric.name for metric in on_xlm_r])
    for metric in learned:
        if metric not in on_xlm_r:
            yield from _unseen_by(test_set, metric)


def _unseen_by(test_set: TestSet, metric: LearnedMetric) -> Iterator[Finding]:
    """Yield a finding if a metric's model was not trained on a declared language that it reads."""
    seen, words = _SEEN[metric.training]
    codes = codes_of(test_set.languages)[not metric.reads_source :]
    read = [code for code in codes if code in KNOWN or code in UNKNOWN or seen == {"en"}]
    if unseen := [UNKNOWN.get(code, repr(code)) for code in read if code not in seen]:
        detail = f"'{test_set.name}' contains {named(unseen)}. The encoder of {metric.name} was trained on {words}, so"
        detail += " its scores are unreliable. Use another model, human judgements, or a metric that compares words."
        yield Finding("warning", "Model not trained on this language", detail)


def _unseen_by_xlm_r(test_set: TestSet, given: Sequence[GivenMetric], learned: Sequence[str]) -> Iterator[Finding]:
    """Yield a finding if COMET's models were not trained on a language, declared or named as in ``wmt22.liv-en``."""
    declared = codes_of(test_set.languages)
    unknown = [UNKNOWN[code] for code in declared if code in UNKNOWN]
    for codes in () if declared else PAIR.findall(test_set.name.lower()):
        found = [code for code in codes if code in UNKNOWN]
        if len(found) == 1 and not KNOWN.isdisjoint(codes):
            unknown.append(UNKNOWN[found[0]])
    if not unknown:
        return
    scores = list(dict.fromkeys((*learned, *(metric.name for metric in given if ON_XLM_R.search(metric.name)))))
    about = f"Scores of {named(scores)} are" if scores else "Scores of COMET, xCOMET or CometKiwi would be"
    detail = f"'{test_set.name}' contains {named(unknown)}, on which COMET's encoder was not trained."
    detail += f" {about} unreliable. Use human judgements, or a metric made for the language."
    yield Finding("warning" if scores else "note", "XLM-R not trained on this language", detail)


def unlisted_codes(test_set: TestSet) -> Iterator[Finding]:
    """Yield a finding if it is unknown whether models were trained on a declared language."""
    unlisted = [code for code in codes_of(test_set.languages) if code not in KNOWN and code not in UNKNOWN]
    if unlisted:
        detail = f"'{test_set.name}' is declared as {named(map(repr, unlisted))}."
        detail += " Use the two-letter code if there is one."
        detail += " Otherwise mteval cannot tell whether a model was trained on the language."
        yield Finding("note", "Unknown language code", detail)


Tokenization = Literal["tokenized", "detokenized", "unclear"]
Casing = Literal["lowercased", "mixed", "unclear"]
LINES_LOOKED_AT = 1_000
FEWEST = 5
# Only full stops and commas: French sets a space before ; : ! ? in ordinary text.
DETACHED = re.compile(r"\S[ ]+[.,。，、।](?= |$)", re.MULTILINE)
ATTACHED = re.compile(r"[^\W\d_][.,。，、।](?= |$)|[^\W\d_][。，、।]", re.MULTILINE)
MOST_OF_THEM = 0.7
LOWERCASED_BELOW = 0.02
MIXED_FROM = 0.2


@dataclass(frozen=True)
class Appearance:
    """Apparent tokenization and casing of a text."""

    tokenization: Tokenization
    casing: Casing


def appearance(lines: Sequence[str]) -> Appearance:
    """Inspect up to a thousand evenly spaced lines; the answer is ``unclear`` if they have too little to tell."""
    looked_at = lines[:: max(1, len(lines) // LINES_LOOKED_AT)]
    text = "\n".join(looked_at)
    detached, attached = (len(form.findall(text)) for form in (DETACHED, ATTACHED))
    share = _share(detached, detached + attached)
    cased = [line for line in looked_at if line.lower() != line.upper()]
    capitals = _share(sum(line != line.lower() for line in cased), len(cased))
    tokenization: Tokenization = "detokenized" if share <= 1 - MOST_OF_THEM else "unclear"
    tokenization = "tokenized" if share >= MOST_OF_THEM else tokenization
    casing: Casing = "mixed" if capitals >= MIXED_FROM else "unclear"
    return Appearance(tokenization, "lowercased" if capitals < LOWERCASED_BELOW else casing)


def _share(part: int, whole: int) -> float:
    """Return a share, or NaN if there is too little to compute it from."""
    return part / whole if whole >= FEWEST else float("nan")


# Per convention: the unexpected form of text, what to do, and the convention that expects it.
UNWANTED: Mapping[Convention, tuple[Tokenization, str, Convention]] = {
    "sacrebleu": (
        "tokenized",
        "the metric will tokenize it again. Detokenize it, or choose the multeval convention.",
        "multeval",
    ),
    "multeval": (
        "detokenized",
        "the metric will not split off punctuation. Tokenize it, or choose the sacrebleu convention.",
        "sacrebleu",
    ),
}


@dataclass(frozen=True)
class Suggestion:
    """The convention that fits the text, and why."""

    convention: Convention
    reason: str


def suggest_convention(experiment: Experiment) -> Suggestion:
    """Suggest ``multeval`` if outputs and references look tokenized, else ``sacrebleu``."""
    looks = [look for test_set in experiment.test_sets for look in _looks(test_set).values()]
    kinds = {look.tokenization for look in looks} - {"unclear"}
    if kinds == {"tokenized"}:
        return Suggestion("multeval", "The text is tokenized: full stops and commas are separate words.")
    if kinds == {"detokenized"}:
        return Suggestion("sacrebleu", "The text is not tokenized: full stops and commas follow words directly.")
    doubt = "Only part of the text looks tokenized" if kinds else "Too little punctuation to tell"
    return Suggestion("sacrebleu", f"{doubt}. This is the usual convention.")


def _looks(test_set: TestSet) -> dict[str, Appearance]:
    """Return the appearance of the references (under the empty name) and of the first run of each system."""
    texts = {"": list(chain.from_iterable(test_set.references))} if test_set.has_references else {}
    texts |= {system.key: list(test_set.runs_of(system.key)[0].hypotheses) for system in test_set.systems}
    return {name: appearance(lines) for name, lines in texts.items()}


def _appearances(test_set: TestSet, convention: Convention) -> Iterator[Finding]:
    """Yield findings about unexpected tokenization, and about outputs unlike the references."""
    looks = _looks(test_set)
    unwanted, meaning, remedy = UNWANTED[convention]
    odd = [name or "the references" for name, look in looks.items() if look.tokenization == unwanted]
    if odd:
        detail = f"The text of {named(odd)} on '{test_set.name}' looks {unwanted}; {meaning}"
        yield Finding("warning", f"Text looks {unwanted}", detail, remedy)
    if not test_set.has_references:
        return
    reference = looks.pop("")
    opposite = {"tokenized", "detokenized"}
    others = [name for name, look in looks.items() if {look.tokenization, reference.tokenization} == opposite]
    if others:
        detail = f"The references on '{test_set.name}' look {reference.tokenization}, but not {named(others)}."
        detail += " Words next to punctuation will not match. Treat both alike."
        yield Finding("warning", "References tokenized differently", detail)
    others = [name for name, look in looks.items() if {look.casing, reference.casing} == {"lowercased", "mixed"}]
    if others:
        only = "the references" if reference.casing == "lowercased" else named(others)
        detail = f"Only {only} on '{test_set.name}' look lowercased. Words that differ only in case count as wrong."
        detail += " Lowercase both outputs and references or neither, or use the option lowercase."
        yield Finding("warning", "Case differs from the references", detail)


MANY_COPIES = 0.05  # share of segments; fewer are names, numbers and addresses
SHORTEST_COPY = 3  # words; shorter lines are often the same in both languages


def check(experiment: Experiment, convention: Convention, learned: Sequence[LearnedMetric] = ()) -> tuple[Finding, ...]:
    """Check the data before any statistics, warnings first. Texts are skipped if there are only scores.

    Parameters
    ----------
    convention
        How the metrics treat the text.
    learned
        Metrics to compute whose models' training languages are known.
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
    """Yield findings about identical runs: within a system, across systems, and whole systems."""
    systems_of: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for system in test_set.systems:
        systems_of[tuple(sorted(run.digest for run in test_set.runs_of(system.key)))].append(system.key)
    identical = [group for group in systems_of.values() if len(group) > 1]
    for group in identical:
        detail = f"{named(group)} have identical output on '{test_set.name}' (difference 0, p = 1). Check the files."
        yield Finding("warning", "Identical systems", detail)
    for runs in _equal_runs(test_set):
        systems = list(dict.fromkeys(run.system for run in runs))
        if len(systems) == 1:
            detail = f"Runs {named(run.key for run in runs)} of '{systems[0]}' are identical on '{test_set.name}'."
            detail += " Copies hide training luck. Remove all but one, or load the right files."
            yield Finding("warning", "Identical runs", detail)
        elif not set(systems) <= {name for group in identical for name in group}:
            detail = f"{named(f'{run.system} {run.key}' for run in runs)} are identical on '{test_set.name}'."
            yield Finding("warning", "Output shared by systems", f"{detail} Check the files.")


def _equal_runs(test_set: TestSet) -> list[list[Run]]:
    """Group equal runs: first within each system, then one of each system across systems."""
    inside: dict[tuple[str, str], list[Run]] = defaultdict(list)
    for run in test_set.runs:
        inside[run.system, run.digest].append(run)
    across: dict[str, list[Run]] = defaultdict(list)
    for group in inside.values():
        across[group[0].digest].append(group[0])
    return [group for group in (*inside.values(), *across.values()) if len(group) > 1]


def _empty(test_set: TestSet) -> Iterator[Finding]:
    yield from _per_system(
        *(test_set, "Empty hypotheses", "empty hypotheses", "They count as empty translations."),
        lambda run: [index for index, text in enumerate(run.hypotheses) if not text.strip()],
    )
    empty = [index for index, texts in enumerate(test_set.references) if not all(map(str.strip, texts))]
    if empty:
        affected = counted_part(len(empty), test_set.n_segments, "segment")
        detail = f"Test set '{test_set.name}' has an empty reference in {affected} (first: {empty[0] + 1})."
        yield Finding("warning", "Empty references", f"{detail} Any output counts as wrong there. Fix the reference.")


def _source_copies(test_set: TestSet) -> Iterator[Finding]:
    if test_set.source is None:
        return
    long_enough = {index: line for index, line in enumerate(test_set.source) if len(line.split()) >= SHORTEST_COPY}
    yield from _per_system(
        *(test_set, "Copies of the source", "segments identical to the source"),
        "If there are many, check that this is a translation.",
        lambda run: [index for index, line in long_enough.items() if run.hypotheses[index] == line],
        MANY_COPIES,
    )


def _per_system(
    test_set: TestSet, title: str, what: str, meaning: str, find: Callable[[Run], list[int]], many: float = 0.0
) -> Iterator[Finding]:
    """Yield one finding per affected system; a note if at most a share ``many`` of its segments is affected."""
    for system in test_set.systems:
        affected = [(run, segments) for run in test_set.runs_of(system.key) if (segments := find(run))]
        if not affected:
            continue
        run, segments = max(affected, key=lambda item: len(item[1]))
        runs = f" in {len(affected)} of {counted(len(system.runs), 'run')} (most in run '{run.key}')"
        runs = "" if len(system.runs) == 1 else runs
        where = f"{len(segments):,} of {test_set.n_segments:,} (first: {segments[0] + 1:,})"
        detail = f"System '{system.key}' on '{test_set.name}' has {what}{runs}: {where}. {meaning}"
        yield Finding("warning" if len(segments) > many * test_set.n_segments else "note", title, detail)


def _single_runs(experiment: Experiment) -> Iterator[Finding]:
    single = [system.key for system in experiment.systems if len(system.runs) == 1]
    if single:
        is_baseline = single == [experiment.baseline] and len(experiment.systems) > 1
        unless = " (unless you declare the baseline as fixed in the settings)" if is_baseline else ""
        have = agreeing(len(single), "has", "have")
        detail = f"{named(single)} {have} one run, so only test-set luck can be tested{unless}."
        yield Finding("warning", "One run per system", f"{detail} Three runs per system answer both questions.")


def _samples(experiment: Experiment) -> Iterator[Finding]:
    sampled = {run.system: None for test_set in experiment.test_sets for run in test_set.runs if run.samples}
    if sampled:
        detail = f"Runs of {named(sampled)} have several decoding samples, whose scores are averaged within a run."
        detail += " Pages show the text of the first sample. Samples do not show training luck."
        yield Finding("note", "Samples of one trained model", detail)
