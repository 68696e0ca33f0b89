"""How good could the decoder have been?"""

import streamlit as st

from mteval.ui import nbest
from mteval.ui.page import heading

heading("N-best lists", "How good is each list's best hypothesis?")
scored = nbest.scored_list(nbest.choose_list())
metric = nbest.whole_file(scored)

st.subheader("Missed by the decoder", anchor=False)
nbest.opened_list(scored, metric)
