"""Bytes to text, and text to segments: one a line, UTF-8, a line ending at U+000A and nowhere else."""

from mteval.counts import counted
from mteval.errors import InputError

BOM = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
BINARY_WINDOW = 8_000  # git looks as far to tell text from binary


def split_lines(text: str) -> list[str]:
    r"""Segments of a text, one a line.

    Only ``\n`` ends a line, and one ``\r`` before it is dropped. Form feeds, U+0085 and U+2028, at which
    ``str.splitlines`` would break, stay inside a segment, since other tools count lines by ``\n`` alone. The last
    line may lack its end.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if "\r" in text:
        lines = [line[:-1] if line.endswith("\r") else line for line in lines]
    return lines


def decode(content: bytes, file: str) -> str:
    """Text of a file in UTF-8, without its byte-order mark.

    Raises
    ------
    InputError
        Where the file is empty, binary, or not UTF-8; the message gives the offset of the first bad byte.
    """
    if content in (b"", BOM):
        raise InputError("The file is empty; expected one segment a line. Write it again, or drop it.", file)
    _refuse_binary(content, file)
    try:
        return content.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"Byte 0x{content[error.start]:02X} at offset {error.start} is not valid UTF-8;"
            " save the file as UTF-8 (iconv -f LATIN1 -t UTF-8 if it is Latin-1).",
            file,
            line,
        ) from error


def _refuse_binary(content: bytes, file: str) -> None:
    if content.startswith(UTF16_MARKS):
        raise InputError("The file is UTF-16; expected UTF-8. Convert it (iconv -f UTF-16 -t UTF-8).", file)
    offset = content.find(b"\0", 0, BINARY_WINDOW)
    if offset >= 0:
        raise InputError(
            f"The file looks binary (a zero byte at offset {offset}); expected text in UTF-8, plain or compressed"
            " with gzip, bzip2 or xz, or an archive (zip, tar). Drop it, or convert it to text.",
            file,
        )


def refuse_long_lines(content: bytes, limit: int, file: str) -> None:
    """Raise InputError at the first line of more than ``limit`` bytes, without splitting the content."""
    start = 0
    while len(content) - start > limit:
        end = content.rfind(b"\n", start, start + limit + 1)
        if end < 0:
            following = content.find(b"\n", start)
            length = (following if following >= 0 else len(content)) - start
            raise InputError(
                f"The line has {counted(length, 'byte')}; the limit is {limit:,}. Expected one segment a line, ended by"
                " a line feed; split it into segments.",
                file,
                content.count(b"\n", 0, start) + 1,
            )
        start = end + 1
