"""Errors that a metric marks, from dropping comet-score's file to the outputs in which they are shown."""

import json

import pytest

HOSTILE = "<img src=x onerror=alert(1)>"


def comet_json(files, severity="major"):
    """What ``comet-score --to_json`` writes: the first word of each output of the new system is wrong."""
    scored = {}
    for name, text in files.items():
        if name == "refs.txt":
            continue
        rows = [{"src": "s", "mt": line, "COMET": 0.5 + number / 100} for number, line in enumerate(text.splitlines())]
        if name.startswith("new"):
            for row in rows:
                end = len(row["mt"].split()[0])
                row["errors"] = [
                    {"text": "x", "confidence": 0.4, "severity": severity, "start": 0, "end": end},
                    {"text": "y", "confidence": 0.3, "severity": "minor", "start": end + 1, "end": end + 3},
                ]
        scored[name] = rows
    return json.dumps(scored, indent=4)


@pytest.fixture
def loaded(app, files):
    """Both systems with the scores, computed."""

    def load(severity="major"):
        texts = files(base=2, new=2)
        app.drop(texts | {"xcomet.json": comet_json(texts, severity)})
        app.direct("COMET", True).press("start").settle()
        return app.go("segments")

    return load


def test_errors_are_shown_in_the_compared_outputs_and_in_those_of_all_runs(loaded) -> None:
    app = loaded()
    assert not app.page.exception
    assert "Errors marked by COMET (given)" in app.text
    assert 'title="major, confidence 0.40"' in app.html
    assert app.html.count("mt-marked mt-severity-major") == 1 + 1  # the compared run of new, the legend
    assert "2 errors: “" in app.text
    assert "no errors marked" in app.text  # of the base
    app.closer_look("All runs")
    assert app.html.count("mt-marked mt-severity-major") == 2


def test_the_counts_of_all_systems_are_told_with_their_intervals(loaded) -> None:
    app = loaded().go("people").wait_for_work()
    assert not app.page.exception
    rows = {(row[0], row[1]): row for row in app.cells("System")}
    assert rows["new", "any"][4] == "160"  # two in each of 40 outputs of two runs
    assert rows["new", "major"][5:7] == ["1.000", "1.000"]
    assert rows["base", "any"][4] == "0"
    assert "95% bootstrap CI over 40 segments" in app.text


def test_errors_of_a_metric_are_browsed_like_those_of_people(loaded) -> None:
    app = loaded().go("people").wait_for_work()
    assert "80 of 80 marked errors" in app.text  # of the median run
    shown = next(one.value for one in app.page.dataframe if "words" in one.value)
    assert set(shown["system"]) == {"new"}
    assert set(shown["n_same"]) <= {"1 of 2", "2 of 2"}
    assert "mt-marked mt-severity-major" in app.html


def test_the_number_of_errors_is_a_column_that_segments_can_be_sorted_by(loaded) -> None:
    app = loaded()
    app.page.toggle(key="seg-parts").set_value(True).run()
    table = next(one.value for one in app.page.dataframe if "segment" in one.value)
    assert set(table["comet-given.errors.system"]) == {2.0}
    assert set(table["comet-given.errors.baseline"]) == {0.0}


def test_a_severity_of_strangers_is_text(loaded) -> None:
    app = loaded(HOSTILE)
    assert "mt-marked mt-severity-neutral" in app.html
    assert "<img" not in app.html
    assert HOSTILE in app.text


def test_without_marked_errors_nothing_is_said_of_them(app) -> None:
    app.drop_systems(base=2, new=2).press("start").settle().go("segments")
    assert "marked" not in app.text
    app.go("people")
    assert "No human judgements yet" in app.text


def choose(app, key, value) -> None:
    app.page.session_state[key] = value
    app.page.run()
    assert not app.page.exception
