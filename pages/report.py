"""Give me the table for the paper, and everything behind it."""

import streamlit as st

from mteval.ui import reporting
from mteval.ui.page import choose_test_set, heading, require_evaluation

heading("Report", "The table for the paper, the words around it, and all numbers and figures as files.")
current = require_evaluation()
report = reporting.report_of(current, choose_test_set(current.experiment))

st.subheader("Table for the paper", anchor=False)
choice = reporting.choose_table(report)
reporting.table_preview(report, choice)

st.subheader("Methods", anchor=False)
reporting.methods_preview(report)

st.subheader("Files", anchor=False)
reporting.file_buttons(report, choice)
reporting.figure_buttons(report)
reporting.whole_buttons(report, choice)
