"""``mteval sample`` draws segments with known probabilities, which ``mteval people`` weighs by."""

import numpy as np
import pandas as pd
import pytest

from mteval.cli import main

N = 60


@pytest.fixture
def scores(tmp_path, monkeypatch):
    """A metric that tells systems apart on later segments only."""
    monkeypatch.chdir(tmp_path)
    lines = [f"{system}\t{place * n / 10}" for place, system in enumerate("AB") for n in range(N)]
    (tmp_path / "M.seg.score").write_text("\n".join(lines) + "\n")
    return tmp_path


def drawn(capsys, *options: str) -> pd.DataFrame:
    assert main(["sample", "20", "--scores-higher", "M.seg.score", "--out", "s.tsv", *options]) == 0
    return pd.read_csv("s.tsv", sep="\t")


def test_informative_segments_are_drawn_more_often(scores, capsys) -> None:
    table = drawn(capsys)
    assert len(table) == table["segment"].nunique() == 20
    assert (table["segment"] > 30).sum() > 12
    high = table["segment"] > 48
    assert table.loc[high, "probability"].min() > table.loc[~high, "probability"].max()
    random = drawn(capsys, "--sample", "random")
    np.testing.assert_allclose(random["probability"], 20 / N)
    assert main(["sample", "61", "--scores-higher", "M.seg.score"]) == 2
    assert "61 is not a number of segments from 1 to 60" in capsys.readouterr().err


def test_means_of_people_are_weighed_by_the_probability(scores, capsys) -> None:
    """Where the metric sees a difference, people do too: a plain mean would exaggerate it."""
    table = drawn(capsys)
    truth = {system: [place * n / 10 for n in range(N)] for place, system in enumerate("AB")}
    rows = ["annotator\tsystem\tsegment\tmqm\tprobability"]
    for system in "AB":
        for segment, chance in table[["segment", "probability"]].itertuples(index=False):
            rows.append(f"ann\t{system}\t{int(segment)}\t{truth[system][int(segment) - 1]}\t{chance}")
    (scores / "judged.tsv").write_text("\n".join(rows) + "\n")
    command = ["people", "--judgements", "judged.tsv", "--show", "gold", "--csv", "tables"]
    assert main(command) == 0
    averages = pd.read_csv("tables/averages.csv").set_index("system")
    weights = 1 / table["probability"]
    expected = (weights * (table["segment"] - 1) / 10).sum() / weights.sum()
    assert averages.loc["B", "mean"] == pytest.approx(expected)
    assert abs(expected - np.mean(truth["B"])) < abs((table["segment"] - 1).mean() / 10 - np.mean(truth["B"]))
    assert averages.loc["A", "from"] < -expected < averages.loc["A", "to"]
    capsys.readouterr()
    assert main([*command, "--scores-higher", "M.seg.score", "--assist"]) == 2
    assert "unequal probabilities" in capsys.readouterr().err


def test_metrics_assist_a_random_sample_and_say_what_they_save(scores, capsys) -> None:
    generator = np.random.default_rng(4)
    rows = ["annotator\tsystem\tsegment\tmqm"]
    for segment in generator.permutation(N)[:30] + 1:
        rows += [f"ann\tA\t{segment}\t0", f"ann\tB\t{segment}\t{(segment - 1) / 10 + generator.normal():.3f}"]
    (scores / "judged.tsv").write_text("\n".join(rows) + "\n")
    options = ["--scores-higher", "M.seg.score", "--assist", "--show", "gold", "--csv", "tables", "--quiet"]
    assert main(["people", "--judgements", "judged.tsv", *options]) == 0
    assert "would be as precise as 30 without" in capsys.readouterr().out
    (row,) = pd.read_csv("tables/assisted.csv").to_dict("records")
    assert (row["n_segments"], row["n_all"]) == (30, N)
    assert 0.2 < row["saved"] < 0.5
    assert abs(row["difference"] - -2.95) < abs(row["plain"] - -2.95) + 0.2
