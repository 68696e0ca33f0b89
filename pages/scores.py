"""How good is each system, and how unstable?"""

import streamlit as st

from mteval.ui import scores
from mteval.ui.page import heading, require_results

heading("Scores", "How good is each system, and how stable?")
results = require_results()
scores.verdicts(results)

st.subheader("All metrics", anchor=False)
scores.table(results)
scores.spreads(results)
scores.histogram(results)
