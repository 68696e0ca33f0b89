"""The tables of the library's index: a SQLite file, or a PostgreSQL database that several servers share.

A change of the tables needs a step in ``upgrades.py``; a test compares the two.
"""

from collections.abc import Iterable
from typing import ClassVar

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    Text,
    text,
)
from sqlalchemy import Table as SqlTable
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from mteval.base.digests import digest_of
from mteval.base.sealed_rows import Sealed

FOREVER = 2147483647  # the last state of files that belong to the present one
NUMBERS = -1  # place of the results among the files


class Table(DeclarativeBase):
    """Base of all tables."""

    metadata = MetaData()
    type_annotation_map: ClassVar = {str: Text, float: Double}


VERSION = SqlTable("library_version", Table.metadata, Column("number", Integer, nullable=False))
TOTAL = SqlTable("library_total", Table.metadata, Column("bytes", BigInteger, nullable=False))  # of all contents


class SealedTable(Sealed, Table):
    """Base of the tables whose rows carry a seal of their values."""

    __abstract__ = True

    seal: Mapped[str] = mapped_column(default="")


class EntryRow(SealedTable):
    """See ``Listed``. The size is that of its contents, each counted once."""

    __tablename__ = "library_entries"
    __table_args__ = (
        Index("library_entries_by_owner", "owner", "used"),
        Index("library_entries_by_use", "used"),
        Index("library_entries_by_pin", "owner", "is_pinned", "used"),
        Index("library_entries_by_name", "name"),
        Index(
            "library_entries_tagged",
            "owner",
            "tags",
            sqlite_where=text("tags != ''"),
            postgresql_where=text("tags != ''"),
        ),
    )

    uid: Mapped[str] = mapped_column(primary_key=True)
    editor: Mapped[str] = mapped_column(unique=True)
    reader: Mapped[str] = mapped_column(unique=True)
    owner: Mapped[str]
    name: Mapped[str]
    note: Mapped[str]
    tags: Mapped[str]
    is_pinned: Mapped[int]
    created: Mapped[float]
    used: Mapped[float]
    number: Mapped[int]
    size: Mapped[int] = mapped_column(BigInteger)
    editor_until: Mapped[float | None]
    reader_until: Mapped[float | None]
    card: Mapped[str]


class StateRow(SealedTable):
    """See ``State``. The digest of its files is sealed with it, so that a lost file is noticed."""

    __tablename__ = "library_states"

    uid: Mapped[str] = mapped_column(ForeignKey("library_entries.uid", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    who: Mapped[str]
    began: Mapped[float]
    at: Mapped[float]
    made: Mapped[str]
    card: Mapped[str]
    files: Mapped[str]


class FileRow(Table):
    """A file of an experiment from its first state until, and without, another."""

    __tablename__ = "library_files"
    __table_args__ = (PrimaryKeyConstraint("uid", "place", "first"), Index("library_files_by_digest", "digest"))

    uid: Mapped[str] = mapped_column(ForeignKey("library_entries.uid", ondelete="CASCADE"))
    first: Mapped[int]
    until: Mapped[int]
    place: Mapped[int]
    name: Mapped[str]
    digest: Mapped[str]
    size: Mapped[int] = mapped_column(BigInteger)


class ContentRow(Table):
    """A content in the store, and how many files have it."""

    __tablename__ = "library_contents"

    digest: Mapped[str] = mapped_column(primary_key=True)
    size: Mapped[int] = mapped_column(BigInteger)
    uses: Mapped[int]


class OwnerRow(Table):
    """How much somebody's experiments take."""

    __tablename__ = "library_owners"
    __table_args__ = (Index("library_owners_by_bytes", "bytes"),)

    owner: Mapped[str] = mapped_column(primary_key=True)
    bytes: Mapped[int] = mapped_column(BigInteger)


class GrantRow(SealedTable):
    """The secret of the link by which a visitor came."""

    __tablename__ = "library_grants"

    uid: Mapped[str] = mapped_column(ForeignKey("library_entries.uid", ondelete="CASCADE"), primary_key=True)
    visitor: Mapped[str] = mapped_column(primary_key=True)
    token: Mapped[str]


class EndedRow(Table):
    """A sign-in that has ended."""

    __tablename__ = "library_ended"

    sign_in: Mapped[str] = mapped_column(primary_key=True)
    at: Mapped[float]


def digest_of_files(files: Iterable[tuple[object, ...]]) -> str:
    """Return the digest of the files of a state, each given by place, name, digest and size."""
    return digest_of(repr(value) for file in files for value in file)
