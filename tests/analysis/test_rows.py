"""Frames have a column a field."""

from dataclasses import dataclass

from mteval.analysis.scoring import columns_of, frame_of


@dataclass(frozen=True)
class Fruit:
    name: str
    grams: float


def test_a_frame_has_a_column_per_field_and_a_row_per_value() -> None:
    frame = frame_of([Fruit("plum", 40.0), Fruit("fig", 55.5)], Fruit)
    assert frame.to_dict("list") == {"name": ["plum", "fig"], "grams": [40.0, 55.5]}


def test_an_empty_frame_has_columns() -> None:
    assert tuple(frame_of([], Fruit).columns) == columns_of(Fruit) == ("name", "grams")
