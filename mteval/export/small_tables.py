"""Small tables as HTML: read by people, by screen readers and by whatever copies them."""

from collections.abc import Iterator, Mapping, Sequence

from mteval.export.markup import Markup, scrolling, tag
from mteval.export.tables import Cells

NO_HELP: Mapping[str, str] = {}


def table(
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    n_words: int = 1,
    caption: str = "",
    help_texts: Mapping[str, str] = NO_HELP,
    n_wrapped: int = 1,
) -> Markup:
    """A table whose first ``n_words`` columns are words, to the left, and the others numbers, to the right.

    Parameters
    ----------
    help_texts
        What a header means, shown when it is pointed at, by header.
    n_wrapped
        So many of the first columns may wrap, so that long names leave room for the numbers.
    """
    heads = [_head(text, column < n_words, help_texts.get(text)) for column, text in enumerate(header)]
    lines = [tag("tr", *_cells(row, n_words, n_wrapped)) for row in rows]
    parts = [tag("caption", caption)] if caption else []
    parts += [tag("thead", tag("tr", *heads)), tag("tbody", *lines)]
    return scrolling(tag("table", *parts, class_="mt-table"))


def cells_table(cells: Cells, caption: str) -> Markup:
    """A table as it is also written as text, its heads with a capital, but for symbols as p."""
    head = [text if len(text.partition(" ")[0]) == 1 else text[:1].upper() + text[1:] for text in cells.head]
    return table(head, cells.rows, n_words=cells.n_words, caption=caption, n_wrapped=cells.n_words)


def _head(text: str, is_word: bool, help_text: str | None) -> Markup:
    attributes = {"scope": "col"}
    if is_word:
        attributes["class_"] = "mt-name"
    if help_text is not None:
        attributes["title"] = help_text
    return tag("th", text, **attributes)


def _cells(row: Sequence[str], n_words: int, n_wrapped: int) -> Iterator[Markup]:
    looks = ["mt-name mt-wrap" if column < n_wrapped else "mt-name" for column in range(n_words)]
    yield from (tag("td", cell, class_=look) for cell, look in zip(row, looks, strict=False))
    yield from (tag("td", cell) for cell in row[n_words:])
