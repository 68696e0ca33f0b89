"""What people said of systems and how all else compares with it: the sections of each question, and their methods."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mteval.analysis.people.agreement import SIDES
from mteval.analysis.people.gold import GOLD_TESTS
from mteval.analysis.people.human_evaluation import HumanEvaluation
from mteval.answers.agreement import agreement_section, tests_sections
from mteval.answers.gold import UNITS, gold_section, judged_extent
from mteval.answers.raters import raters_sections
from mteval.answers.section import Section
from mteval.base.words import counted, listed
from mteval.values.notation import level

TITLES = {  # of questions that have no answer
    "gold": "Which systems people tell apart",
    "tests": "How often tests conclude what people do",
    "metrics": "Which metric agrees with people",
    "raters": "Would other raters say so?",
}
STANDARDISED: Mapping[bool | None, str] = {  # what was standardised by annotator
    None: "ratings, not weights of errors", True: "all", False: "nothing"
}  # fmt: skip
SOURCES = (
    "Graham, Mathur, Baldwin 2014: Randomized Significance Tests in Machine Translation. WMT.",
    "Clopper, Pearson 1934: The Use of Confidence or Fiducial Limits Illustrated in the Case of the Binomial."
    " Biometrika.",
    "Kocmi, Federmann, Grundkiewicz, Junczys-Dowmunt, Matsushita, Menezes 2021: To Ship or Not to Ship: An Extensive"
    " Evaluation of Automatic Metrics for Machine Translation. WMT.",
    "Deutsch, Foster, Freitag 2023: Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy and Tie"
    " Calibration. EMNLP.",
    "Thompson, Mathur, Deutsch, Khayrallah 2024: Improving Statistical Significance in Human Evaluation of Automatic"
    " Metrics via Soft Pairwise Accuracy. WMT.",
    "Kocmi, Zouhar, Federmann, Post 2024: Navigating the Metrics Maze: Reconciling Score Magnitudes and Accuracies."
    " ACL.",
    "Westfall, Young 1993: Resampling-Based Multiple Testing. Wiley.",
)


def sections_of(people: HumanEvaluation, question: str) -> Iterator[Section]:
    """The answers to one of ``QUESTIONS``; none where nothing is compared with people.

    Raises
    ------
    MtevalError
        Where the judgements have no answer.
    """
    if question == "gold":
        yield gold_section(people.gold, people.choices.levels[0])
    elif question == "raters":
        yield from raters_sections(people.raters, people.rater_agreement, people.n_annotators)
    elif people.scored and question == "tests":
        yield from tests_sections(people)
    elif people.scored:
        yield agreement_section(people.agreement, people.names, people.settings.n_bootstrap)


def gold_methods(people: HumanEvaluation) -> str:
    """How people's judgements were compared with one another, for the methods section."""
    question, (first, second) = people.question, people.scales
    broken = f", ties broken by {second}" if second is not None else ""
    return (
        f"Human judgements: {judged_extent(people.given)} Systems were told apart by {first}{broken}, with the"
        f" {GOLD_TESTS[question.procedure]}, one-sided in either direction, {UNITS.get(question.unit, question.unit)}"
        " as units, uncorrected for the number of pairs (Graham et al., 2014). Standardised by annotator:"
        f" {STANDARDISED[people.choices.standardise]}."
    )


def people_methods(people: HumanEvaluation) -> Iterator[str]:
    """What was done with the judgements, for the methods section; nothing is computed for it."""
    choices, settings = people.choices, people.settings
    yield gold_methods(people)
    if people.scored:
        tests, unit = listed([GOLD_TESTS[procedure] for procedure in choices.procedures]), UNITS[people.unit]
        yield (
            f"By these conclusions the metrics' own were weighed: {tests}, {listed(SIDES[choices.sides])}, {unit} as"
            f" units, {counted(settings.n_shuffles, 'resample')}; a conclusion is right where people conclude the same"
            " at the same level, and intervals of its share are exact (Clopper and Pearson, 1934)."
        )
        yield (
            "Agreement of metrics with people, on the outputs that were judged and that all of them scored, is given as"
            " pairwise accuracy of systems (Kocmi et al., 2021), soft pairwise accuracy (Thompson et al., 2024),"
            " accuracy of segments with tie calibration (Deutsch et al., 2023) and correlation, with"
            f" {level(settings.confidence)} percentile intervals of {counted(settings.n_bootstrap, 'replicate')} of the"
            f" {unit}; metrics were compared by the same replicates, adjusted by Westfall and Young's (1993) largest"
            " difference."
        )
    if people.n_annotators > 1:
        yield (
            "Whether other raters would say the same was tested on the outputs that several raters all judged, raters"
            " and segments being crossed random effects (Student's t with Satterthwaite's degrees of freedom)."
        )
