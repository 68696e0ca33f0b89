"""How good is each system, and how unstable?"""

import streamlit as st

from mteval.ui import scores
from mteval.ui.answers import answers
from mteval.ui.page import choose_test_set, heading, require_evaluation

heading("Scores", "How good is each system, and how much of that would another test set or another run change?")
current = require_evaluation()
test_set = choose_test_set(current.experiment)
primary = current.evaluation.settings.primary_metric

st.subheader(f"{current.evaluation.metrics[primary].name}, the primary metric", anchor=False)
answers(current, test_set, primary)
scores.strip_of_runs(current, test_set, primary)

st.subheader("All metrics", anchor=False)
frame = scores.table(current, test_set)
scores.downloads(current, test_set, frame)
scores.column_help()
scores.remarks(frame, primary)

st.subheader("Run scores", anchor=False)
scores.histogram(current, test_set)
