"""Decoding and splitting of plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mteval.base.errors import InputError
from mteval.readers.formats.text import decode, refuse_long_lines, split_lines

NASTY = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from("\u2028\u2029\x85\x0b\x0c\x1c\x1e\r\ufeff\t ")))
SEGMENTS = st.lists(NASTY.filter(lambda text: "\n" not in text and not text.endswith("\r")), min_size=1)


@given(SEGMENTS, st.sampled_from(["\n", "\r\n"]))
def test_segments_round_trip_through_text(segments: list[str], end: str) -> None:
    assert split_lines("".join(segment + end for segment in segments)) == segments


@given(SEGMENTS.filter(lambda segments: segments[-1] != ""))
def test_a_missing_last_newline_changes_nothing(segments: list[str]) -> None:
    assert split_lines("\n".join(segments)) == segments


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("a\nb\n", ["a", "b"]),
        ("a\n\nb", ["a", "", "b"]),
        ("\n", [""]),
        ("a\r\nb\r", ["a", "b"]),
        ("a\r\r\nb", ["a\r", "b"]),
        ("a\rb\n", ["a\rb"]),
        ("a\u2028b\x85c\x0cd\n", ["a\u2028b\x85c\x0cd"]),
    ],
)
def test_only_a_line_feed_ends_a_segment(text: str, segments: list[str]) -> None:
    assert split_lines(text) == segments


def test_a_byte_order_mark_is_dropped_and_only_at_the_beginning() -> None:
    assert decode("\ufeffa\n\ufeffb".encode(), "f") == "a\n\ufeffb"


def test_invalid_utf8_is_named_by_byte_offset_and_line() -> None:
    with pytest.raises(InputError, match=r"f\.txt, line 3: Byte 0xE9 at offset 7 .*UTF-8") as caught:
        decode(b"ab\ncd\nx\xe9y\n", "f.txt")
    assert (caught.value.file, caught.value.line) == ("f.txt", 3)


def test_offsets_count_from_the_beginning_of_the_file_even_after_a_byte_order_mark() -> None:
    with pytest.raises(InputError, match=r"offset 5 "):
        decode(b"\xef\xbb\xbfab\xff", "f")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b"\xef\xbb\xbf", "empty"),
        (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "binary .*offset 8"),
        ("naïve\n".encode("utf-16"), "is UTF-16, .*-f UTF-16 "),
        ("naïve one\n".encode("utf-16-le"), "UTF-16LE"),
        ("naïve one\n".encode("utf-16-be"), "UTF-16BE"),
        ("naïve\n".encode("utf-32"), "UTF-32"),
        (b"\0\0\xfe\xff" + "naïve\n".encode("utf-32-be"), "UTF-32"),
        (b"a\0b\0\n\0\0\1", "binary .*offset 1"),
    ],
)
def test_files_that_are_not_text_are_errors_with_the_reason(content: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words):
        decode(content, "f")


@given(st.lists(st.integers(0, 12), min_size=1, max_size=12), st.booleans())
def test_the_first_line_over_the_limit_is_found(lengths: list[int], ended: bool) -> None:
    content = b"\n".join(b"x" * length for length in lengths) + (b"\n" if ended else b"")
    over = [number for number, length in enumerate(lengths, start=1) if length > 8]
    if not over:
        refuse_long_lines(content, 8, "f")
        return
    with pytest.raises(InputError, match=f"has {lengths[over[0] - 1]} bytes; the limit is 8") as caught:
        refuse_long_lines(content, 8, "f")
    assert caught.value.line == over[0]
