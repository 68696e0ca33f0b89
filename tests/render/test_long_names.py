"""Long names lose their middle in tables of text, and are listed in full once."""

import numpy as np
import pytest

import mteval
from mteval.base.words import shortened_names
from mteval.cli import main
from mteval.render.text import LONGEST_NAME, NAMES_IN_FULL

LONG = "model-" + "x" * 190 + "-a"
ALIKE = "model-" + "x" * 191 + "-a"  # differs in its middle only


def test_forms_are_short_and_differ() -> None:
    forms = shortened_names(["short", LONG, ALIKE], LONGEST_NAME)
    assert forms["short"] == "short"
    assert len(set(forms.values())) == 3
    assert all(len(form) <= LONGEST_NAME + len(" (2)") for form in forms.values())
    assert forms[LONG].startswith("model-xx")
    assert forms == shortened_names([ALIKE, LONG, "short"], LONGEST_NAME), "in any order"


@pytest.mark.parametrize("n_systems", [3, 5])  # with and without a ranking
def test_tables_stay_narrow_and_name_each_long_system_once_in_full(n_systems: int) -> None:
    random = np.random.default_rng(5)
    names = (LONG, ALIKE, "c", "d", "e")[:n_systems]
    scores = {name: [(place + random.normal(size=30)).tolist()] for place, name in enumerate(names)}
    lines = str(mteval.compare_scores(scores, "accuracy", n_shuffles=100, n_bootstrap=20)).splitlines()
    assert lines.count(NAMES_IN_FULL) == 1
    listed = lines[lines.index(NAMES_IN_FULL) + 1 :][:2]
    assert [line.rpartition(": ")[2] for line in listed] == [LONG, ALIKE]
    rows = [line for line in lines if line.startswith(("model-", "1  ", "2  ", "n=")) and "  " in line.strip()]
    assert rows
    assert max(map(len, rows)) <= 130


def test_commands_of_other_tables_list_the_names_as_well(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "scores.csv"
    rows = ["system,run,segment,accuracy"]
    for place, name in enumerate((LONG, "b", "c")):
        rows += [f"{name},0,{segment},{place + segment % 3}" for segment in range(12)]
    table.write_text("\n".join(rows) + "\n", encoding="utf-8")
    words = ["eval", "--files", str(table), "--scores-higher", str(table), "--baseline", "b", "--ar-shuffles", "50"]
    assert main([*words, "--quiet"]) == 0
    out = capsys.readouterr().out
    assert out.count(f": {LONG}\n") == 1
