"""Parquet tables as JSON lines, for the readers of such lines; and Zstandard, which Inspect's archives use.

Both need pyarrow, an optional dependency.
"""

import json
from typing import IO, Any

from mteval.base.errors import InputError
from mteval.readers.documents import Limits
from mteval.readers.formats.text import refuse_more


def parquet_lines(content: bytes, limits: Limits, file: str) -> bytes:
    """Return the rows as JSON lines; rows and bytes that the file announces are limited before anything is read.

    Raises
    ------
    InputError
        If pyarrow is missing, or the file is damaged or too large.
    """
    pyarrow = _pyarrow("parquet", file)
    try:
        table = pyarrow.parquet.ParquetFile(pyarrow.BufferReader(content))
        groups = map(table.metadata.row_group, range(table.metadata.num_row_groups))
        refuse_more(table.metadata.num_rows, limits.lines, "rows", file)
        refuse_more(table.metadata.num_columns, limits.columns, "columns", file)
        refuse_more(sum(group.total_byte_size for group in groups), limits.file_bytes, "bytes when unpacked", file)
        lines: list[bytes] = []
        size = 0
        for batch in table.iter_batches(batch_size=100):
            for row in batch.to_pylist():
                lines.append(json.dumps(row, ensure_ascii=False, default=str).encode())
                size += len(lines[-1])
            refuse_more(size, limits.file_bytes, "bytes when unpacked", file)  # a value may be stored once for all rows
    except (pyarrow.ArrowException, OSError, ValueError, OverflowError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"The Parquet file cannot be read ({reason}). Write it again.", file) from error
    return b"\n".join(lines)


def zstandard_stream(content: bytes, file: str) -> IO[bytes]:
    """Return a stream that decompresses as it is read.

    Raises
    ------
    InputError
        If pyarrow is missing.
    """
    pyarrow = _pyarrow("Zstandard", file)
    stream: IO[bytes] = pyarrow.CompressedInputStream(pyarrow.BufferReader(content), "zstd")
    return stream


def _pyarrow(what: str, file: str) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        message = f"{what.capitalize()} needs pyarrow: pip install 'mteval-core[logs]'"
        raise InputError(f"{message}, or convert the file to CSV or JSON.", file) from error
    return pyarrow
