"""All systems from best to worst as an HTML table: ranks, verdicts and intervals; lines between groups."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from mteval.export.markup import Markup, scrolling, tag
from mteval.export.prose.verdicts import word
from mteval.notation import DASH, Notation
from mteval.verdict import Ranked, Ranking, Verdict

_HEAD = ("Ranks", "System", "Verdict", "Average", "Difference", "Interval, test-set luck", "Interval, both kinds")


def shape_of(verdict: Verdict) -> Markup:
    """The verdict's shape in its colour; words stand beside it."""
    conclusion = verdict.conclusion
    return tag("span", conclusion.shape, class_=f"mt-shape mt-role-{conclusion.role}", aria_hidden="true")


def ranking_table(ranking: Ranking, verdicts: Sequence[Verdict], notation: Notation, caption: str) -> Markup:
    """A row a system; what was not compared with the baseline has dashes."""
    by_system = {verdict.system: verdict for verdict in verdicts}
    baselines = {verdict.baseline for verdict in verdicts}
    head = [tag("th", name, scope="col", **_class(name)) for name in _HEAD]
    bodies = [
        tag("tbody", *(_line(row, by_system, notation, row.system in baselines) for row in rows))
        for _, rows in groupby(ranking.rows, key=lambda row: row.group)
    ]
    parts = [tag("caption", caption), tag("thead", tag("tr", *head)), *bodies]
    return scrolling(tag("table", *parts, class_="mt-table mt-ranking"))


def _line(row: Ranked, verdicts: Mapping[str, Verdict], notation: Notation, is_baseline: bool) -> Markup:
    verdict = verdicts.get(row.system)
    ranks = tag("td", row.ranks, class_="mt-name")
    name = tag("th", row.system, scope="row", title=row.system)
    average = tag("td", notation.number(row.mean))
    if verdict is None:
        said = tag("td", "baseline" if is_baseline else DASH, class_="mt-name")
        return tag("tr", ranks, name, said, average, *(tag("td", DASH) for _ in _HEAD[4:]))
    said = tag("td", shape_of(verdict), " ", word(verdict), class_="mt-name")
    intervals = ((verdict.low_test_set, verdict.high_test_set), (verdict.low, verdict.high))
    cells = [notation.difference(verdict.difference), *(notation.interval(*ends) for ends in intervals)]
    return tag("tr", ranks, name, said, average, *(tag("td", cell) for cell in cells))


def _class(name: str) -> dict[str, str]:
    return {"class_": "mt-name"} if name in _HEAD[:3] else {}
