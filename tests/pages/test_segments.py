"""The segment page without a browser: ranking, filters, opening, next and previous, the address."""

import dataclasses
import json
import re
from contextlib import closing

import pytest
from sacrebleu.metrics import TER

from mteval.annotations import open_store
from mteval.readers.workspace import Workspace
from mteval.ui.segments.filter_form import REPEAT_NAMES
from mteval.ui.setup.workspace import LABELS
from mteval.values.given import GivenMetric, GivenScores
from tests.pages.test_library import only_entry

BUTTONS = {"previous": "step-P", "next": "step-N", "preceding": "step-U", "following": "step-D"}


@pytest.fixture
def segments(app):
    """The page on forty segments of two systems with three runs each."""
    app.drop_systems(base=3, new=3).press("start").settle().go("segments")
    assert not app.page.exception
    return app


def table(app):
    """The ranked table."""
    return table_with(app, "segment")


def table_with(app, column):
    """The first table of the page that has a column."""
    return next(dataframe.value for dataframe in app.page.dataframe if column in dataframe.value)


def segments_in_table(app):
    """The numbers of the segments in the ranked table, in its order."""
    return table(app)["segment"].tolist()


def cells_of(row):
    """Texts of a row of a table in HTML."""
    cells = re.findall("<t[hd].*?</t[hd]>", row, re.S)
    return [re.sub("<[^>]*>", "", cell).replace("−", "-") for cell in cells]


def html_tables(app):
    """The tables that are part of the page's text."""
    return re.findall('<table class="mt-table">(.*?)</table>', app.html, re.S)


def opened_scores(app, metric):
    """The scores of the open segment by one metric, by what the table calls their rows."""
    with_difference = next(html for html in html_tables(app) if "Difference" in html)
    head, *rows = re.findall("<tr>(.*?)</tr>", with_difference, re.S)
    column = cells_of(head).index(metric)
    scores = {}
    for row in rows:
        cells = cells_of(row)
        scores[cells[0]] = float(cells[column])
    return scores


def opened(app):
    """The number of the open segment."""
    return app.page.number_input(key="seg-open").value


def widget_called(widgets, label):
    """The widget with a label."""
    (labelled,) = [widget for widget in widgets if widget.label == label]
    return labelled


def choose(app, key, value):
    """Set a widget of the page."""
    widgets = (*app.page.selectbox, *app.page.text_input, *app.page.number_input, *app.page.multiselect)
    (widget,) = [widget for widget in widgets if widget.key == key]
    widget.set_value(value).run()
    assert not app.page.exception


def test_without_files_the_page_shows_the_way_to_load_them(app) -> None:
    app.go("segments")
    assert not app.page.exception
    assert "Nothing is loaded" in app.text


def test_the_most_improved_segment_comes_first_and_is_open(segments) -> None:
    ranked = table(segments)
    assert len(ranked) == 40
    gains = ranked["bleu.difference"].tolist()
    assert gains == sorted(gains, reverse=True)
    assert opened(segments) == ranked["segment"].iloc[0]
    assert "1 of 40 in the table" in segments.text


def test_the_ranked_metric_stands_first_and_parts_of_scores_behind_a_click(segments) -> None:
    columns = list(table(segments).columns)
    assert columns[1:5] == ["bleu.difference", "reference", "baseline_output", "system_output"]
    assert columns[5:7] == ["bleu.baseline", "bleu.system"]

    segments.page.toggle(key="seg-parts").set_value(True).run()
    parts = [column for column in table(segments).columns if column not in columns]
    assert {part.split(".")[0] for part in parts} == {"bleu", "ter"}

    segments.page.toggle(key="seg-parts").set_value(False).run()
    choose(segments, "seg-sort", parts[0])  # what the table is sorted by is always seen
    assert [column for column in table(segments).columns if column not in columns] == parts[:1]


def test_ter_is_ranked_from_the_largest_fall_on(segments) -> None:
    choose(segments, "seg-by", "ter")
    changes = table(segments)["ter.difference"].tolist()
    assert changes == sorted(changes)
    choose(segments, "seg-order", "smallest")
    changes = table(segments)["ter.difference"].tolist()
    assert changes == sorted(changes, reverse=True)


def test_any_column_sorts_and_next_follows(segments) -> None:
    choose(segments, "seg-sort", "segment")
    assert segments_in_table(segments) == list(range(40, 0, -1))
    choose(segments, "seg-order", "smallest")
    assert segments_in_table(segments) == list(range(1, 41))

    choose(segments, "seg-sort", "reference_words")
    by_length = table(segments)
    assert by_length["reference_words"].is_monotonic_increasing
    assert by_length.groupby("reference_words")["segment"].is_monotonic_increasing.all()
    choose(segments, "seg-open", int(by_length["segment"].iloc[5]))
    segments.press(BUTTONS["next"])
    assert opened(segments) == by_length["segment"].iloc[6]


def test_next_and_previous_follow_the_table(segments) -> None:
    order = segments_in_table(segments)
    assert BUTTONS["previous"] not in segments.buttons
    segments.press(BUTTONS["next"]).press(BUTTONS["next"])
    assert opened(segments) == order[2]
    segments.press(BUTTONS["previous"])
    assert opened(segments) == order[1]
    assert "2 of 40 in the table" in segments.text


def test_rows_around_the_open_segment_are_sent_and_the_others_on_request(segments, monkeypatch) -> None:
    order = segments_in_table(segments)
    monkeypatch.setattr("mteval.ui.segments.table.ROWS_SENT", 15)

    choose(segments, "seg-open", order[14])
    assert segments_in_table(segments) == order[:15]
    assert "rows-before" not in segments.buttons
    segments.press("rows-after")
    assert segments_in_table(segments) == order[15:30]
    assert opened(segments) == order[14]
    segments.press("rows-after")
    assert segments_in_table(segments) == order[30:]
    assert "Rows 31 to 40 of 40" in segments.text
    assert "rows-after" not in segments.buttons

    segments.press(BUTTONS["next"])  # the rows follow the open segment
    assert opened(segments) == order[15]
    assert segments_in_table(segments) == order[15:30]
    choose(segments, "seg-order", "smallest")
    assert opened(segments) in segments_in_table(segments)


def test_preceding_and_following_follow_the_test_set(segments) -> None:
    choose(segments, "seg-open", 39)
    segments.press(BUTTONS["following"])
    assert opened(segments) == 40
    assert BUTTONS["following"] not in segments.buttons
    segments.press(BUTTONS["preceding"])
    assert opened(segments) == 39


def test_a_button_that_steps_says_in_which_order(segments) -> None:
    order_of = {button.key: button.help for button in segments.page.button}
    for step in ("previous", "next"):
        assert "in the table's order" in order_of[BUTTONS[step]]
    for step in ("preceding", "following"):
        assert "in the files' order" in order_of[BUTTONS[step]]


def test_two_references_are_numbered(app, files) -> None:
    texts = files(base=3, new=3)
    texts["refB.txt"] = texts["refs.txt"].replace("the", "a")
    app.drop(texts).press("start").settle().go("segments")
    assert "Reference 1" in app.text
    assert "Reference 2" in app.text


def test_an_opened_segment_shows_texts_matches_edits_and_all_runs(segments) -> None:
    choose(segments, "seg-open", 5)
    text = segments.text
    for part in ("Reference", "base · ", "new · ", "in a matched sequence", "reference words"):
        assert part in text
    segments.closer_look("All runs")
    assert "run pairs" in segments.text
    assert "in a matched sequence" not in segments.text
    rows = [row for row in segments.text.split("\n") if "of 3" in row]
    assert rows
    segments.closer_look("In context")
    assert any("<mark>" in element.value for element in segments.page.html)
    assert "Segment 4 " in segments.text.replace("Segment 4<", "Segment 4 ")


def test_texts_and_numbers_of_a_segment_stand_beside_the_name_of_their_own_run(segments, files) -> None:
    texts = {name: text.splitlines() for name, text in files(base=3, new=3).items()}
    reference = texts["refs.txt"][8]
    left = texts["base/opt2.txt"][8]
    right = texts["new/opt1.txt"][8]
    left_score = TER().sentence_score(left, [reference]).score
    right_score = TER().sentence_score(right, [reference]).score
    choose(segments, "seg-runs", "chosen")
    choose(segments, "seg-left", "base · 2")
    choose(segments, "seg-right", "new · 1")
    choose(segments, "seg-open", 9)

    segments.closer_look("In context")
    of_the_open_one = segments.html.partition("Segment 9 (open)")[2]
    marked_texts = re.findall("<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", of_the_open_one, re.S)
    plain_texts = [(label, re.sub("<[^>]*>", "", text)) for label, text in marked_texts]
    assert plain_texts[:3] == [("Reference", reference), ("base · 2", left), ("new · 1", right)]

    scores = opened_scores(segments, "TER ↓")
    assert list(scores) == ["base · 2", "new · 1", "Difference"]
    assert scores["base · 2"] == pytest.approx(left_score, abs=0.051)
    assert scores["new · 1"] == pytest.approx(right_score, abs=0.051)
    assert scores["Difference"] == pytest.approx(right_score - left_score, abs=0.051)
    assert scores["Difference"] != 0

    row = table(segments).set_index("segment").loc[9]
    assert row["ter.baseline"] == pytest.approx(left_score, abs=0.051)
    assert row["ter.system"] == pytest.approx(right_score, abs=0.051)
    assert row["reference"] == reference
    assert row["baseline_output"] == left
    assert row["system_output"] == right


def test_a_run_is_called_what_it_is(open_app) -> None:
    app = open_app().drop_systems(base=3, new=3).choose("run-word", "checkpoint").press("start").settle().go("segments")
    app.closer_look("All checkpoints")
    for sentence in ("Mean improvement from base to new over all checkpoints", "checkpoint pairs"):
        assert sentence in app.text
    labels = {element.label for element in (*app.page.selectbox, *app.page.tabs)}
    assert {"Checkpoints", "All checkpoints say", "All checkpoints"} <= labels
    assert not [line for line in app.text.splitlines() if re.search(r"\bruns?\b", line)]


def test_conditions_compose_and_are_cleared(segments) -> None:
    choose(segments, "seg-text", "QUICK brown")
    with_text = set(table(segments)["segment"])
    assert 0 < len(with_text) < 40
    limit = float(table(segments)["bleu.difference"].median())
    choose(segments, "seg-from", limit)
    improved = table(segments)
    assert set(improved["segment"]) < with_text
    assert (improved["bleu.difference"] >= limit).all()
    choose(segments, "seg-runs-say", "better")
    consistent = table(segments)
    assert set(consistent["segment"]) <= set(improved["segment"])
    assert (consistent["better"] >= 0.9 * 9).all()
    assert f"{len(consistent)} of 40 segments match the filters" in segments.text
    segments.press("clear-filters")
    assert len(table(segments)) == 40
    assert segments.page.text_input(key="seg-text").value == ""


def test_a_search_may_be_of_one_text_alone(segments) -> None:
    text = table(segments)["reference"].iloc[0]  # every output lacks some of its words
    choose(segments, "seg-text", text)
    n_anywhere = len(table(segments))
    assert n_anywhere > 0
    choose(segments, "seg-in", "reference")
    assert len(table(segments)) == n_anywhere
    choose(segments, "seg-in", "system")
    assert "0 of 40 segments match the filters" in segments.text


def test_the_table_is_handed_out(segments) -> None:
    (button,) = [each for each in segments.page.get("download_button") if "segments" in each.label]
    assert button.label == "Download segments (CSV)"


def test_a_search_opens_what_it_found_unless_that_is_open(segments) -> None:
    choose(segments, "seg-open", 1)
    choose(segments, "seg-text", "quick brown")
    matches = segments_in_table(segments)
    assert 0 < len(matches) < 40
    if 1 in matches:
        assert opened(segments) == 1
    else:
        assert opened(segments) == matches[0]

    elsewhere = next(number for number in range(1, 41) if number not in matches)
    choose(segments, "seg-open", elsewhere)
    assert opened(segments) == elsewhere
    choose(segments, "seg-text", "Quick brown")
    assert opened(segments) == matches[0]

    choose(segments, "seg-open", matches[-1])
    choose(segments, "seg-text", "QUICK brown")
    assert opened(segments) == matches[-1]


def test_the_metric_that_ranks_stands_first_and_parts_of_scores_behind_a_click(segments) -> None:
    choose(segments, "seg-by", "ter")
    heads = re.findall("<thead>.*?</thead>", segments.html, re.S)
    (head_of_metrics,) = [head for head in heads if "TER ↓" in head]
    assert cells_of(head_of_metrics)[1] == "TER ↓"
    assert "TER shifts" not in head_of_metrics

    (table_of_parts,) = re.findall("<details><summary>.*?</table>", segments.html, re.S)
    head_of_parts = re.search("<thead>.*?</thead>", table_of_parts, re.S)[0]
    parts = cells_of(head_of_parts)
    assert parts[1].startswith("TER ")
    assert any(part.startswith("BLEU p") for part in parts)


def test_the_luck_of_the_two_runs_that_are_shown_is_told_from_the_rest(segments) -> None:
    choose(segments, "seg-runs", "chosen")
    choose(segments, "seg-left", "new · 0")
    choose(segments, "seg-right", "new · 1")  # what two runs of one system differ by is nothing but their luck
    row_of_segment = table(segments).set_index("segment")
    choose(segments, "seg-runs-say", "luck")
    by_luck = segments_in_table(segments)
    assert 0 < len(by_luck) < 40
    rows = row_of_segment.loc[by_luck]
    gained = rows[rows["bleu.difference"] > 0]
    assert (gained["better"] <= 4.5).all()


@pytest.fixture
def three_systems(app):
    """The page on three systems with two runs each."""
    app.drop_systems(base=2, new=2, third=2).press("start").settle().go("segments")
    assert not app.page.exception
    return app


def test_any_two_systems_are_compared_and_all_are_shown_by_their_median_runs(three_systems, files) -> None:
    app = three_systems
    choose(app, "seg-against", "new")
    assert "base" in app.page.selectbox(key="seg-system").options
    choose(app, "seg-system", "third")
    choose(app, "seg-open", 4)
    first_label = next(label for label in opened_scores(app, "BLEU ↑") if label != "Difference")
    assert first_label.startswith("new · ")

    app.closer_look("All systems")
    (of_all_systems,) = [
        html for html in html_tables(app) if all(system in html for system in ("base", "new", "third"))
    ]
    _, *rows = [cells_of(row) for row in re.findall("<tr>(.*?)</tr>", of_all_systems, re.S)]
    assert sorted(row[0] for row in rows) == ["base", "new", "third"]
    scores = [float(row[2]) for row in rows]
    assert scores == sorted(scores, reverse=True)
    texts = files(base=2, new=2, third=2)
    for system, run, *_, output in rows:
        assert output == texts[f"{system}/opt{run}.txt"].splitlines()[3]


def test_an_open_segment_outside_the_conditions_stays_open(segments) -> None:
    choose(segments, "seg-open", 7)
    choose(segments, "seg-text", "nothing has this")
    assert table(segments).empty
    assert opened(segments) == 7
    assert "not in the table" in segments.text
    assert not {BUTTONS["next"], BUTTONS["previous"]} & segments.buttons


def test_any_two_runs_can_be_chosen(segments) -> None:
    choose(segments, "seg-runs", "chosen")
    choose(segments, "seg-left", "new · 0")
    choose(segments, "seg-right", "new · 1")
    assert not table(segments)["bleu.difference"].empty
    choose(segments, "seg-right", "new · 0")
    assert "bleu.difference" not in table(segments), "a run is not compared with itself"
    assert "vs" not in segments.page.subheader[0].value


def test_the_address_repeats_filters_order_and_the_open_segment(open_app) -> None:
    address = {"seg-text": "lazy", "seg-order": "smallest first", "seg-open": "9", "seg-by": "TER ↓"}
    app = open_app().drop_systems(base=3, new=3).press("start").settle()
    app.page.query_params.update(address)
    app.go("segments")
    assert app.page.text_input(key="seg-text").value == "lazy"
    assert opened(app) == 9
    assert app.page.session_state["segments-at"] == 8  # what is shown, not only the number in the field
    changes = table(app)["ter.difference"].tolist()
    assert changes == sorted(changes, reverse=True)
    assert changes[0] > changes[-1]


def test_a_word_that_is_clicked_becomes_the_only_condition(segments) -> None:
    choose(segments, "seg-text", "quick")
    segments.page.session_state["seg-view"] = "Words"
    segments.page.session_state["seg-words-by"] = "n-grams"
    segments.page.run()
    ngram = table_with(segments, "log_ratio")["ngram"].iloc[0]
    segments.page.session_state["seg-text"] = ""
    segments.page.session_state["seg-ngram"] = ngram
    segments.page.session_state["seg-view"] = "Segments"
    segments.page.run()
    references = table(segments)["reference"]
    assert len(references) > 0
    assert references.str.contains(ngram, regex=False).all()  # a match is one with the reference
    assert f"“{ngram}” matched more often by one output" in segments.text or len(references) == 40


def key_of_bookmarks(app):
    """Key of the field with the bookmarked segments."""
    (key,) = [field.key for field in app.page.text_input if str(field.key).startswith("seg-marked-")]
    return key


def test_bookmarks_are_filtered_by_and_stand_in_the_address(segments) -> None:
    for number in (12, 3):
        choose(segments, "seg-open", number)
        segments.press("bookmark")
    key = key_of_bookmarks(segments)
    assert segments.page.text_input(key=key).value == "3 12"
    assert "3 12" in segments.page.query_params.get(key)
    segments.page.checkbox(key="seg-only-marked").set_value(True).run()
    assert sorted(segments_in_table(segments)) == [3, 12]
    assert "bookmarked only" in segments.text
    segments.press("bookmark")
    assert segments.page.text_input(key=key).value == "12"
    choose(segments, key, "40 7, 99 no 7")
    assert sorted(segments_in_table(segments)) == [7, 40]


def test_bookmarks_are_kept_with_the_experiment(segments, open_app) -> None:
    choose(segments, "seg-open", 12)
    segments.press("bookmark")
    key = key_of_bookmarks(segments)
    again = open_app(**{"key": only_entry().editor, key: "5"}).go("segments")
    assert again.page.text_input(key=key).value == "5 12"


def test_a_segment_leads_to_a_campaign_of_it_and_to_its_item_in_a_running_one(segments, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("MTEVAL_ANNOTATIONS", f"sqlite:///{tmp_path}/annotations.sqlite")
    choose(segments, "seg-runs", "chosen")
    choose(segments, "seg-right", "new · 2")
    choose(segments, "seg-open", 12)
    assert "Not in any of your running campaigns." in segments.text
    segments.press("annotate-1")
    toggles = [toggle.label for toggle in segments.page.toggle if toggle.key == "campaign-wanted"]
    assert toggles == ["Only segment 12 of base run 0 and new run 2"]
    numbers = [field.label for field in segments.page.number_input if field.key.startswith("campaign")]
    assert numbers == ["Attention checks"]
    segments.page.session_state["campaign-annotators"] = ["Ann"]
    segments.go("annotate")
    assert "1 segment (chosen by hand)" in segments.text
    segments.press("start-campaign")
    assert not segments.page.exception
    segments.go("segments")
    choose(segments, "seg-open", 12)
    with closing(open_store()) as store:
        (listed,) = store.list_campaigns()
        outputs = [(output.system, output.run) for output in store.campaign(listed.uid).outputs]
    assert outputs == [("base", "0"), ("new", "2")]  # as on the screen
    (link,) = [link for link in segments.page.get("link_button") if "Ann" in link.proto.label]
    assert "segment=12" in link.proto.url
    assert "annotator=" in link.proto.url
    choose(segments, "seg-right", "new · 1")
    choose(segments, "seg-left", "base · 1")
    assert "Not in any of your running campaigns." in segments.text
    choose(segments, "seg-right", "new · 2")
    choose(segments, "seg-open", 11)
    assert "Not in any of your running campaigns." in segments.text


def test_kinds_of_segments_show_every_segment_once(segments) -> None:
    segments.page.session_state["seg-view"] = "Kinds of segments"
    segments.page.run()
    assert not segments.page.exception
    assert sum(int(row[1]) for row in segments.cells("Segments by length")) == 40


def test_a_median_can_be_chosen_on_another_test_set(app, files) -> None:
    texts = files(base=3, new=3)
    on_test = {f"test/{name}": text for name, text in texts.items()}
    on_dev = {f"dev/{name}": text for name, text in texts.items()}
    app.drop(on_test | on_dev).press("start").settle().go("segments")
    assert not app.page.exception
    assert "Median runs on dev" in app.page.selectbox(key="seg-runs").options
    choose(app, "seg-runs", "median on dev")
    assert len(table(app)) == 40


def test_each_segment_is_of_one_kind_and_a_kind_is_a_condition(segments) -> None:
    choose(segments, "seg-kind", "rarity of the words")
    of_all_kinds = []
    for kind in segments.page.selectbox(key="seg-bucket").options:
        choose(segments, "seg-bucket", kind)
        of_kind = segments_in_table(segments)
        sentence = f"{len(of_kind)} of 40 segments match the filters (rarity of the words: {kind})."
        assert sentence in segments.text
        of_all_kinds += of_kind
    assert len(of_kind) < 40
    assert sorted(of_all_kinds) == list(range(1, 41))
    segments.press("clear-filters")
    assert len(table(segments)) == 40


# Eight segments: which of them have the same reference, and of what they are.
SENTENCES = {
    "a": "the quick brown fox jumps over the lazy dog",
    "b": "rain falls on every roof of this old town",
    "c": "nobody knows who opened the second door",
    "d": "a boat left the harbour before the sun rose",
    "e": "she read the long letter twice and smiled",
}
REFERENCES = "abacdbae"
TOPICS = ("talk", "news", "talk", "news", "news", "talk", "news", "news")


@pytest.fixture
def repeating(app):
    """The page on eight segments, some with the reference of another, with a file of topics."""
    references = [SENTENCES[letter] for letter in REFERENCES]
    files = {"refs.txt": "\n".join(references) + "\n", "topic.labels": "\n".join(TOPICS) + "\n"}
    for system, n_lost in (("base", 3), ("new", 1)):
        outputs = []
        for place, reference in enumerate(references):
            words = reference.split()
            outputs.append(" ".join([*words[: -n_lost - place % 2], "and"]))
        files[f"{system}/opt0.txt"] = "\n".join(outputs) + "\n"
    app.drop(files).press("start").settle().go("segments")
    assert not app.page.exception
    return app


def rows_of(app):
    """The numbers of the segments in the table, in the test set's order."""
    return sorted(segments_in_table(app))


def test_a_filter_of_repeated_references_shows_what_its_label_says(repeating) -> None:
    widget = widget_called(repeating.page.selectbox, "Repeated references")
    value_of = {widget.format_func(value): value for value in REPEAT_NAMES}
    assert set(widget.options) == {"any", "repeated only", "first occurrences"}
    choose(repeating, widget.key, value_of["repeated only"])
    assert rows_of(repeating) == [1, 2, 3, 6, 7]
    assert "5 of 8 segments match the filters" in repeating.text
    references = list(table(repeating)["reference"])
    assert all(references.count(reference) > 1 for reference in references)
    choose(repeating, widget.key, value_of["first occurrences"])
    assert rows_of(repeating) == [1, 2, 4, 5, 8]
    assert sorted(table(repeating)["reference"]) == sorted(SENTENCES.values())
    choose(repeating, widget.key, value_of["any"])
    assert rows_of(repeating) == list(range(1, 9))


def test_a_file_of_labels_filters_the_segments_that_it_labels_so(repeating) -> None:
    segments_by = widget_called(repeating.page.selectbox, "Segments by")
    choose(repeating, segments_by.key, "label topic")
    groups = widget_called(repeating.page.selectbox, "which are")
    assert set(groups.options) == {"talk", "news"}
    for topic in groups.options:
        choose(repeating, groups.key, topic)
        assert rows_of(repeating) == [number for number, label in enumerate(TOPICS, start=1) if label == topic]
        assert f"of 8 segments match the filters (label topic: {topic})." in repeating.text


def label_of_the_open_segment(app):
    """What the browser is told to show as the label of the open segment."""
    items = []
    for component in app.page.get("bidi_component"):
        values = json.loads(component.proto.json or "{}")
        if values.get("hasLabels"):
            items += values["items"]
    (item,) = items
    return item["label"]


def test_a_label_filters_the_segments_that_show_it(repeating) -> None:
    repeating.page.session_state[LABELS] = {"test": {"1": "fine", "4": "odd", "8": "fine"}}
    repeating.page.run()
    labels = widget_called(repeating.page.multiselect, "Labels")
    assert labels.options == ["fine", "odd"]
    for label, numbers in (("fine", [1, 8]), ("odd", [4])):
        choose(repeating, labels.key, [label])
        assert rows_of(repeating) == numbers
        for number in numbers:
            choose(repeating, "seg-open", number)
            assert label_of_the_open_segment(repeating) == label
            assert f"of {len(numbers)} in the table" in repeating.text
    choose(repeating, "seg-open", 5)
    assert label_of_the_open_segment(repeating) == ""


def test_next_leads_to_the_last_row_and_ends_there_and_previous_to_the_first(repeating) -> None:
    order = segments_in_table(repeating)
    choose(repeating, "seg-open", order[-2])
    assert "7 of 8 in the table" in repeating.text
    assert BUTTONS["next"] in repeating.buttons
    repeating.press(BUTTONS["next"])
    assert opened(repeating) == order[-1]
    assert "8 of 8 in the table" in repeating.text
    assert BUTTONS["next"] not in repeating.buttons
    choose(repeating, "seg-open", order[1])
    assert BUTTONS["previous"] in repeating.buttons
    repeating.press(BUTTONS["previous"])
    assert opened(repeating) == order[0]
    assert BUTTONS["previous"] not in repeating.buttons


class WithGivenScores(Workspace):
    """A workspace in which two runs of each system have scores by people, but for the first ten segments."""

    gain = 10.0

    def experiment(self, baseline=None):
        experiment = super().experiment(baseline)
        if experiment is None:
            return None
        lowest_of = {"base": 50.0, "new": 50.0 + self.gain}
        scores = []
        for run in experiment.test_sets[0].runs:
            if run.key in ("1", "2"):
                known = [lowest_of[run.system] + number for number in range(30)]
                scores.append(GivenScores("test", run.system, run.key, (*[None] * 10, *known)))
        return dataclasses.replace(experiment, given=(GivenMetric("people", "People", tuple(scores)),))


class WithSmallLosses(WithGivenScores):
    """The same where the second system is a little worse: by so little that one decimal does not show it."""

    gain = -0.04


@pytest.fixture
def with_given_scores(app, request):
    """The page with the scores of some runs and segments given."""
    app.page.session_state["workspace"] = getattr(request, "param", WithGivenScores)()
    app.page.run()
    app.drop_systems(base=3, new=3)
    further = app.page.multiselect(key="metrics").value
    if "people" not in further:
        further = [*further, "people"]
    app.choose("metrics", further).press("start").settle().go("segments")
    assert not app.page.exception
    return app


def test_scores_given_for_some_runs_and_segments_are_ranked_where_they_are(with_given_scores) -> None:
    app = with_given_scores
    choose(app, "seg-by", "people")
    ranked = table(app)
    assert len(ranked) == 40
    assert ranked["people.difference"][:30].tolist() == [10.0] * 30
    assert ranked["people.difference"][30:].isna().all()
    assert set(ranked["segment"][30:]) == set(range(1, 11))
    assert (ranked["better"][:30] == 4).all()
    assert (ranked["better"][30:] == 0).all()


@pytest.mark.parametrize("with_given_scores", [WithSmallLosses], indirect=True)
def test_a_loss_that_rounds_to_zero_is_a_zero_without_a_sign(with_given_scores) -> None:
    app = with_given_scores
    choose(app, "seg-by", "people")
    changes = table(app)["people.difference"].dropna()
    assert [f"{change:.1f}" for change in changes] == ["0.0"] * 30
    app.closer_look("All runs")
    assert "over all runs: 0.0 " in app.text
    assert "-0.0" not in app.html


def test_buckets_leave_out_and_count_what_has_no_score(with_given_scores) -> None:
    app = with_given_scores
    choose(app, "seg-by", "people")
    app.page.session_state["seg-view"] = "Kinds of segments"
    app.page.run()
    assert not app.page.exception
    rows = app.cells("Segments by length")
    assert sum(int(row[1]) for row in rows) == 30
    assert {row[4] for row in rows} == {"+10.00"}
    assert "10 segments in no group: a run has no score, or the length is unknown." in app.text


def test_two_runs_without_given_scores_are_compared_by_the_other_metrics(with_given_scores) -> None:
    app = with_given_scores
    choose(app, "seg-runs", "chosen")
    choose(app, "seg-left", "base · 0")
    choose(app, "seg-right", "new · 0")
    assert "people.difference" not in table(app)
    assert "bleu.difference" in table(app)


HOSTILE = (
    "<script>alert(1)</script> [x](javascript:alert(2)) **b** $x$ :smile: <img src=x onerror=alert(3)> & a" + "y" * 900,
)


def test_hostile_text_is_escaped_wherever_it_is_shown(app) -> None:
    lines = HOSTILE * 2
    texts = {"refs.txt": "\n".join(lines) + "\n"}
    for system in ("base", "new"):
        for run in range(2):
            texts[f"{system}/opt{run}.txt"] = "".join(f"{line} {system} {run}\n" for line in lines)
    app.drop(texts).press("start").settle().go("segments")
    assert not app.page.exception
    for element in app.page.html:
        assert "<script" not in element.value
        assert "<img" not in element.value
    assert "&lt;script&gt;" in app.html
    for element in (*app.page.markdown, *app.page.caption, *app.page.subheader):
        assert "javascript" not in element.value


def on_test_set(texts, test_set):
    """Files whose names say which test set they are on."""
    renamed = {}
    for name, text in texts.items():
        renamed[name.replace("opt", f"{test_set}.opt").replace("refs", f"refs.{test_set}")] = text
    return renamed


def test_a_median_run_of_another_set_that_has_no_output_here_gives_way_to_the_one_here(app, files) -> None:
    on_test = on_test_set(files(base=3, new=2), "test")
    on_dev = on_test_set(files(base=3, new=3), "dev")
    on_dev["new/dev.opt0.txt"] = "nothing of this fits\n" * 40
    on_dev["new/dev.opt1.txt"] = on_dev["refs.dev.txt"]  # so that on the tuning set the third run is the median
    app.drop(on_test | on_dev).press("start").settle().go("segments")
    assert app.page.selectbox(key="test-set").value == "test"
    choose(app, "seg-runs", "median on dev")
    assert "Those runs have no BLEU scores here; the median runs here are shown." in app.text
    assert len(table(app)) == 40
    choose(app, "seg-runs", "median")
    assert "Those runs have no" not in app.text
