"""Parses dropped beside the files: Dependency F among the metrics, and what is said where they are missing."""

import pytest

SMALL = {"shuffles": "100", "replicates": "100"}


def with_parses(files: dict[str, str], parse, *lacking: str) -> dict[str, str]:
    """The files, each with a parse but for those that are named."""
    parses = {
        name.replace(".txt", ".conllu"): "".join(parse(line) + "\n" for line in text.splitlines())
        for name, text in files.items()
        if name not in lacking
    }
    return files | parses


def test_files_with_parses_are_scored_by_them(open_app, files, right_branching):
    app = open_app(metrics="Dependency F", **SMALL)
    app.drop(with_parses(files(base=2, new=2), right_branching)).compute()
    assert not app.page.exception
    app.go("scores")
    assert not app.page.exception
    evaluation = app.evaluation
    means = evaluation.summary.query("metric == 'dep-f'").set_index("system")["mean"]
    assert set(means.index) == {"base", "new"}
    assert all(f"{mean:.2f}" in app.text for mean in means)


def test_without_parses_the_metric_is_left_out_and_it_says_how_to_give_them(open_app, files):
    app = open_app(metrics="Dependency F", **SMALL).drop(files(base=2, new=2))
    assert "needs parses of the references" in app.text
    app.compute().go("scores")
    assert not app.page.exception
    evaluation = app.evaluation
    assert evaluation.settings.metrics == ("bleu",)


def test_as_the_primary_metric_it_cannot_be_left_out(open_app, files):
    app = open_app(primary="Dependency F", metrics="BLEU", **SMALL).drop(files(base=2, new=2))
    assert "needs parses of the references" in app.text
    assert "start" not in app.buttons


@pytest.mark.parametrize("page", ["scores", "significance", "replication", "segments", "report"])
@pytest.mark.parametrize("metrics", [("BLEU", "Dependency F"), ("Dependency F", "BLEU")])
def test_pages_bear_systems_and_runs_without_a_parse(open_app, files, right_branching, page, metrics):
    app = open_app(primary=metrics[0], metrics=metrics[1], **SMALL)
    loaded = with_parses(
        files(base=2, new=2, other=2), right_branching, "other/opt0.txt", "other/opt1.txt", "new/opt1.txt"
    )
    app.drop(loaded)
    assert "No parse of new 1, other 0 and other 1" in app.text
    app.compute().go(page).settle()
    assert not app.page.exception
