"""Scores that people gave to outputs and that came as those of a metric do: told by their names, as judgements."""

from mteval.given import GivenMetric
from mteval.judgements import MQM, Judgement

SCORE = "score"
OF_PEOPLE = frozenset({MQM, "human", "da", "da-sqm", "sqm", "esa", "adequacy", "fluency"})  # words of names
# Parts of names of metrics, which are often called after the judgements that they were trained on: wmt22-comet-da.
OF_METRICS = ("comet", "kiwi", "metricx", "bleurt", "gemba", "eaprompt", "unite", "gpt", "llm")


def is_of_people(given: GivenMetric) -> bool:
    """Whether given scores are said to be people's: by how many judgements they are made of, or by their name."""
    is_named = bool(_words(given.name) & OF_PEOPLE) and not any(part in given.name.lower() for part in OF_METRICS)
    return is_named or any(one.judgements is not None for one in given.scores)


def _words(name: str) -> set[str]:
    plain = name.lower()
    return set(plain.replace("_", ".").replace(" ", ".").split(".")) | set(plain.replace("-", ".").split("."))


def judgements_of_scores(given: GivenMetric, test_set: str) -> tuple[Judgement, ...]:
    """Scores that were put together from judgements: as if one annotator had given them; higher is better."""
    scale, sign = MQM if MQM in _words(given.name) else SCORE, 1.0 if given.higher_is_better else -1.0
    return tuple(
        Judgement(given.name, one.system, str(number), scale, sign * value)
        for one in given.scores
        if one.test_set == test_set
        for number, value in enumerate(one.values, start=1)
        if value is not None
    )
