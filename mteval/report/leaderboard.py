"""The leaderboard as a file: a fragment of HTML for a web page, Markdown for a model card, CSV, and JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

import pandas as pd

from mteval.analysis.results import Results
from mteval.answers.leaderboard import (
    averages_frame,
    definition,
    leaderboard_frame,
    leaderboard_sections,
    named_ranking,
    ranked_on_each,
    unranked_sentence,
)
from mteval.base.errors import SettingsError
from mteval.base.words import counted
from mteval.render.frames import frame_csv, to_json
from mteval.render.html import Markup, section_parts, styled
from mteval.render.markdown import summary_lines
from mteval.values.verdict import MANY_SYSTEMS, Ranking

LeaderboardForm = Literal["html", "md", "csv", "json"]
FORMS: tuple[LeaderboardForm, ...] = get_args(LeaderboardForm)


def form_of(path: Path) -> LeaderboardForm:
    """Return the form that the ending of a file names.

    Raises
    ------
    SettingsError
        If it names none.
    """
    for form in FORMS:
        if path.suffix == f".{form}":
            return form
    endings = ", ".join(f".{form}" for form in FORMS)
    raise SettingsError(f"{path} does not name a form of a leaderboard. Its name must end in one of {endings}.")


def leaderboard(results: Results, form: LeaderboardForm, *, is_of_one: bool = False) -> str:
    """Return the leaderboards by the primary metric on all test sets, after their average.

    Parameters
    ----------
    is_of_one
        Whether to write that of the results' own test set alone.

    Raises
    ------
    SettingsError
        If there is no ranking, or the form is unknown.
    """
    if form not in FORMS:
        raise SettingsError(f"'{form}' is not a form of a leaderboard. Use {', '.join(FORMS)}.")
    on_each = ranked_on_each(results)
    if is_of_one:
        on_each = [on_one for on_one in on_each if on_one.test_set == results.test_set]
    if not on_each:
        name = results.spec(results.settings.primary_metric).name
        raise SettingsError(
            f"A leaderboard needs {counted(MANY_SYSTEMS, 'system')} with scores by a metric with a better direction."
            f" {name} ranks fewer on '{results.test_set.name}'."
        )
    note = "" if is_of_one else unranked_sentence(results, on_each)
    return _WRITERS[form](on_each, note)


def _html(on_each: Sequence[Results], note: str) -> str:
    parts = chain.from_iterable(map(section_parts, leaderboard_sections(on_each, note)))
    return f"{styled(*(part for part in parts if isinstance(part, Markup)))}\n"


def _markdown(on_each: Sequence[Results], note: str) -> str:
    return "\n".join(summary_lines(leaderboard_sections(on_each, note))).rstrip("\n") + "\n"


def _frame(on_each: Sequence[Results]) -> pd.DataFrame:
    """Return the rows of all test sets, and their averages last."""
    frames = [leaderboard_frame(on_one) for on_one in on_each]
    if len(on_each) > 1:
        averages = averages_frame(on_each[0])
        if not averages.empty:
            frames.append(averages)
    rows = chain.from_iterable(frame.to_dict("records") for frame in frames)
    frame = pd.DataFrame(rows, columns=frames[0].columns)
    # Averages have no rank; the columns stay ones of whole numbers
    return frame.astype(dict.fromkeys(("tier", "first_rank", "last_rank"), "Int64"))


def _csv(on_each: Sequence[Results], note: str) -> str:
    """Return the rows, each with the names of tied systems as a JSON list and with the test behind its rank."""
    frame = _frame(on_each)
    test_of = {}
    for on_one in on_each:
        if on_one.ranking is not None:
            test_of[on_one.test_set.name] = _test_behind(on_one, on_one.ranking)
    tests = [test_of.get(test_set, {}) for test_set in frame["test_set"]]
    columns_of_test = list(next(iter(test_of.values())))
    ties = []
    for tied in frame["tied_with"]:
        ties.append("" if tied is None else json.dumps(tied, ensure_ascii=False))
    frame = frame.assign(tied_with=ties)
    return frame_csv(pd.concat([frame, pd.DataFrame(tests, columns=columns_of_test)], axis=1))


def _test_behind(results: Results, ranking: Ranking) -> dict[str, object]:
    """Return the test of all pairs behind the ranks on one test set."""
    return {
        "procedure": ranking.procedure,
        "unit": ranking.unit,
        "correction": ranking.correction,
        "level": round(ranking.level, 6),
        "signature": results.signatures[results.spec(ranking.metric).name],
    }


def _json(on_each: Sequence[Results], note: str) -> str:
    """Return the rows and all pairs, with a definition per test set."""
    frame = _frame(on_each)
    pairs = []
    definitions = []
    for on_one in on_each:
        ranking = named_ranking(on_one)
        if ranking is not None:
            pairs += [{"test_set": on_one.test_set.name, **asdict(pair)} for pair in ranking.pairs]
            definitions.append(definition(on_one, ranking))
    ties = [None if tied is None else list(tied) for tied in frame["tied_with"]]
    frames = {"leaderboard": frame.assign(tied_with=pd.Series(ties, dtype=object)), "pairs": pd.DataFrame(pairs)}
    header = {"definition": definitions, "note": note, "versions": dict(on_each[0].evaluation.versions)}
    return to_json(frames, header)


_WRITERS: Mapping[LeaderboardForm, Callable[[Sequence[Results], str], str]] = MappingProxyType(
    {"html": _html, "md": _markdown, "csv": _csv, "json": _json}
)
