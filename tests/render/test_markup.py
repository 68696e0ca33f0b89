from hypothesis import given
from hypothesis import strategies as st

from mteval.render.html import Markup, escape, join, tag


def test_text_is_escaped_and_markup_is_left_as_it_is() -> None:
    assert tag("p", "a < b", tag("b", "&")) == "<p>a &lt; b<b>&amp;</b></p>"


def test_attributes_are_escaped_and_named_as_in_html() -> None:
    assert tag("td", class_="x", aria_label='"><script>') == '<td class="x" aria-label="&#34;&gt;&lt;script&gt;"></td>'


def test_markup_joined_with_text_stays_safe() -> None:
    assert join(["<", Markup("<br>"), ">"], " & ") == "&lt; &amp; <br> &amp; &gt;"


def test_text_added_to_markup_is_escaped() -> None:
    assert escape(Markup("<b>") + "<i>") == "<b>&lt;i&gt;"


def test_markup_written_into_a_text_is_text() -> None:
    assert escape(f"{Markup('<b>')}") == "&lt;b&gt;"


def test_bidirectional_characters_in_names_are_visible() -> None:
    assert tag("p", "a\u202e", " is better", title="\u2067") == '<p title="⟨U+2067⟩">a⟨U+202E⟩ is better</p>'
    assert join(["\u202e", Markup("<b>b</b>")]) == "⟨U+202E⟩<b>b</b>"


@given(st.text())
def test_no_text_can_open_a_tag_or_leave_an_attribute(text: str) -> None:
    html = tag("p", text, title=text)
    assert html.count("<") == 2
    assert html.count('"') == 2
