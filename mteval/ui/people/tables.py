"""What the tabs share: tables as they are written, files with all digits, the level of a test."""

import pandas as pd
import streamlit as st

from mteval.analysis.people.claims import LEVELS
from mteval.export.small_tables import cells_table
from mteval.export.tables import Cells, frame_csv
from mteval.notation import level
from mteval.ui.parts.choices import choose
from mteval.ui.parts.markup import show


def choose_level(key: str) -> float:
    """The level at which systems are told apart, one of the paper's."""
    return choose("Level", LEVELS, key, format_func=level, width=120)


def show_cells(cells: Cells, caption: str) -> None:
    """A table on the page."""
    show(cells_table(cells, caption))


def save_csv(label: str, frame: pd.DataFrame, name: str) -> None:
    """A button that saves a table with all digits."""
    st.download_button(
        label, data=lambda: frame_csv(frame), file_name=f"mteval-{name}.csv", mime="text/csv", on_click="ignore",
        icon=":material/download:", key=f"people-save-{name}",
    )  # fmt: skip
