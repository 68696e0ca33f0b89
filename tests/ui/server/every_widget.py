"""A page with every kind of widget that Streamlit has; it says of which type the value of each is, and the value."""

import datetime

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from mteval.ui.elements import editor

FRAME = pd.DataFrame({"text": ["a", "b"], "number": [1, 2], "share": [0.5, 0.25], "is_used": [True, False]})
DAY = datetime.date(2026, 1, 2)
SCRIPT = "export default function ({ setStateValue, setTriggerValue }) {}"


def ignore() -> None:
    """Whatever a callback does with the values is not the widget's."""


component = st.components.v2.component("every_widget", js=SCRIPT)
values = {
    "button": st.button("button"),
    "download": st.download_button("download", "x"),
    "checkbox": st.checkbox("checkbox", on_change=ignore, key="checkbox"),
    "toggle": st.toggle("toggle"),
    "radio": st.radio("radio", ["a", "b"], on_change=ignore, key="radio"),
    "selectbox": st.selectbox("selectbox", ["a", "b"], on_change=ignore, key="selectbox"),
    "open selectbox": st.selectbox("open selectbox", ["a", "b"], accept_new_options=True),
    "multiselect": st.multiselect("multiselect", ["a", "b"], on_change=ignore, key="multiselect"),
    "open multiselect": st.multiselect("open multiselect", ["a", "b"], accept_new_options=True),
    "pills": st.pills("pills", ["a", "b"]),
    "many pills": st.pills("many pills", ["a", "b"], selection_mode="multi"),
    "segments": st.segmented_control("segments", ["a", "b"]),
    "feedback": st.feedback("stars", key="feedback"),
    "slider": st.slider("slider", 0, 10, 5, on_change=ignore, key="slider"),
    "range": st.slider("range", 0.0, 1.0, (0.25, 0.75)),
    "days": st.slider("days", DAY, DAY + datetime.timedelta(9), DAY),
    "steps": st.select_slider("steps", ["a", "b"]),
    "whole": st.number_input("whole", 0, 10, 5, on_change=ignore, key="whole"),
    "number": st.number_input("number", 0.0, 1.0, 0.5, key="number"),
    "text": st.text_input("text", on_change=ignore, key="text"),
    "area": st.text_area("area"),
    "date": st.date_input("date", DAY, on_change=ignore, key="date"),
    "dates": st.date_input("dates", (DAY, DAY)),
    "time": st.time_input("time", datetime.time(1)),
    "moment": st.datetime_input("moment", datetime.datetime(2026, 1, 2)),
    "color": st.color_picker("color"),
    "files": st.file_uploader("files", accept_multiple_files=True),
    "file": st.file_uploader("file", on_change=ignore),
    "camera": st.camera_input("camera"),
    "sound": st.audio_input("sound"),
    "chat": st.chat_input("chat"),
    "chat with files": st.chat_input("chat with files", accept_file="multiple"),
    "menu": st.menu_button("menu", ["a", "b"]),
    "place": st.pagination(5, key="place"),
    "editor": editor(FRAME, "editor", num_rows="dynamic", on_change=ignore)["text"].to_list(),
    "table": st.dataframe(FRAME, on_select="rerun", selection_mode=["multi-row", "multi-column", "multi-cell"]),
    "clicked table": st.dataframe(FRAME, on_select=ignore),
    "figure": st.plotly_chart(go.Figure(go.Scatter(x=[1], y=[1])), on_select="rerun"),
    "chart": st.vega_lite_chart(
        FRAME, {"mark": "bar", "params": [{"name": "picked", "select": "point"}]}, on_select="rerun"
    ),
    "tabs": st.tabs(["a", "b"], on_change="rerun")[0].open,
    "expander": st.expander("expander", on_change="rerun").open,
    "component": component(default={"moved": None}, on_moved_change=ignore, on_event_change=ignore),
}
st.text("\n".join(f"{name}: {type(value).__name__} {value!r}" for name, value in values.items()))
