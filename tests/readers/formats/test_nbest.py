"""N-best lists as Moses and cdec write them, what is wrong with others, and that reading is a stream."""

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from mteval.base.errors import InputError
from mteval.readers.documents import Limits
from mteval.readers.formats.nbest import NbestEntry, NbestList, read_nbest

CDEC = "0 ||| a b ||| Glue=0 LM=-39.2 ||| -28.842\n0 ||| b a ||| Glue=1 LM=-40 ||| -29\n1 ||| c ||| LM=-3 ||| -1e1\n"
MOSES = "0 ||| a b  ||| Distortion0= -1 LM0= -2 -3  ||| -2.5 ||| 0-0 1-1 \n1 |||  |||  ||| -inf\n"


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """Writes a text to a file and gives its path."""

    def write(text: str) -> Path:
        path = tmp_path / "list"
        path.write_bytes(text.encode("utf-8"))
        return path

    return write


def test_a_list_of_cdec_is_read_segment_by_segment(written: Callable[[str], Path]) -> None:
    assert list(read_nbest(written(CDEC), 2)) == [
        NbestList(0, (NbestEntry("a b", "Glue=0 LM=-39.2", -28.842), NbestEntry("b a", "Glue=1 LM=-40", -29.0))),
        NbestList(1, (NbestEntry("c", "LM=-3", -10.0),)),
    ]


def test_a_list_of_moses_may_have_alignments_empty_outputs_and_impossible_ones(written: Callable[[str], Path]) -> None:
    assert list(read_nbest(written(MOSES), 2)) == [
        NbestList(0, (NbestEntry("a b ", "Distortion0= -1 LM0= -2 -3 ", -2.5),)),
        NbestList(1, (NbestEntry("", "", float("-inf")),)),
    ]


def test_line_ends_and_byte_order_mark_are_not_content(
    written: Callable[[str], Path],
) -> None:
    plain = list(read_nbest(written(CDEC), 2))
    assert list(read_nbest(written("\ufeff" + CDEC.replace("\n", "\r\n").removesuffix("\r\n")), 2)) == plain


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress])
def test_a_compressed_list_is_read_as_it_is(
    compress: Callable[[bytes], bytes], written: Callable[[str], Path], tmp_path: Path
) -> None:
    (tmp_path / "packed").write_bytes(compress(CDEC.encode()))
    assert list(read_nbest(tmp_path / "packed", 2)) == list(read_nbest(written(CDEC), 2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", r"list: The file is empty"),
        ("0 ||| a ||| LM=1\n", r"list, line 1: 3 columns; expected at least 4"),
        ("0|||a|||LM=1|||2\n", r"list, line 1: 1 column; .* space on both sides"),
        ("0 ||| a ||| LM=1 ||| 2\n\n", r"list, line 2: 1 column"),
        ("x ||| a ||| LM=1 ||| 2\n", r"list, line 1: The id is 'x'"),
        ("-1 ||| a ||| LM=1 ||| 2\n", r"list, line 1: The id is '-1'"),
        ("² ||| a ||| LM=1 ||| 2\n", r"list, line 1: The id is '²'"),
        ("0 ||| a ||| LM=1 ||| two\n", r"list, line 1: The score in column 4 is 'two'"),
        ("0 ||| a ||| LM=1 ||| nan\n", r"list, line 1: The score in column 4 is 'nan'"),
        ("1 ||| a ||| LM=1 ||| 2\n", r"list, line 1: The id is 1; expected 0\."),
        (CDEC + "3 ||| d ||| LM=1 ||| 2\n", r"list, line 4: The id is 3; expected 1 or 2\..*without gaps"),
        (CDEC + "0 ||| d ||| LM=1 ||| 2\n", r"list, line 4: The id is 0; expected 1 or 2"),
        (CDEC + "2 ||| d ||| LM=1 ||| 2\n", r"list, line 4: The id is 2, but the test set has 2 segments"),
        ("0 ||| a ||| LM=1 ||| 2\n", r"list: The last id is 0, but the test set has 2 segments"),
    ],
)
def test_invalid_list_is_an_error_with_its_line(text: str, message: str, written: Callable[[str], Path]) -> None:
    with pytest.raises(InputError, match=message):
        list(read_nbest(written(text), 2))


def test_invalid_utf_8_is_an_error_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(CDEC.encode() + b"2 ||| caf\xe9 ||| ||| 1\n")
    with pytest.raises(InputError, match="latin, line 4: Byte 0xE9"):
        list(read_nbest(tmp_path / "latin", 3))


def test_truncated_compressed_list_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "cut").write_bytes(gzip.compress(CDEC.encode())[:-12])
    with pytest.raises(InputError, match=r"cut, line \d+: Cannot be read"):
        list(read_nbest(tmp_path / "cut", 2))


def test_a_line_beyond_the_limit_is_not_read_to_its_end(written: Callable[[str], Path]) -> None:
    with pytest.raises(InputError, match="line 3: The line has more than 60 bytes"):
        list(read_nbest(written(CDEC[:-4] + "0" * 100), 2, Limits(line_bytes=60)))


def test_missing_files_and_folders_are_errors(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing-here: No such file"):
        list(read_nbest(tmp_path / "nothing-here", 1))
    with pytest.raises(InputError, match="This is a folder"):
        list(read_nbest(tmp_path, 1))


def test_lists_are_read_lazily(written: Callable[[str], Path]) -> None:
    lists = read_nbest(written(CDEC + "this line is broken\n"), 3)
    assert next(lists).segment == 0
    with pytest.raises(InputError, match="line 4"):
        next(lists)
