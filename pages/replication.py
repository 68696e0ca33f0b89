"""How many runs do I need?"""

import streamlit as st

from mteval.ui import replication
from mteval.ui.elements import say
from mteval.ui.page import heading
from mteval.ui.replication import choose_pool
from mteval.ui.setup.workspace import run_word
from mteval.ui.talk import is_presenting, present, present_button

if is_presenting():
    present(choose_pool())
    st.stop()

runs = run_word()
heading("Replication", "How many {runs} do you need?")
pool = choose_pool()
if pool.is_sample:
    sample = "Nothing is loaded: this is the sample, with two systems and thirty {runs} each."
    say("note", runs.filled(sample))
present_button()
replication.show_verdict(pool)
replication.show_answers(pool)
