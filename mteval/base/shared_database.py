"""How databases are opened, upgraded and used; the annotations and the library do it alike.

A part declares its tables as mapped classes, and describes them by a ``Kind``. A ``Database`` of that kind gives
sessions. The first one creates the tables, or upgrades those of an earlier version. Whatever goes wrong is named in the
same words.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sqlalchemy import Connection, Engine, MetaData, Table, event, inspect, select, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from mteval.base.databases import engine_of, hold, reason_of
from mteval.base.errors import MtevalError
from mteval.base.sealed_rows import Sealed, is_whole

Step = Callable[[Connection], None]
# Modules of SQLAlchemy that convert stored values to those of a row
_CONVERTING = ("sqlalchemy.engine.result", "sqlalchemy.engine.cursor", "sqlalchemy.orm.loading")
_REMEMBERED = 100  # rows loaded last, among which damage is looked for


@dataclass(frozen=True)
class Kind:
    """What databases of one kind hold, and how those of earlier versions are upgraded.

    Parameters
    ----------
    name
        In messages.
    variable
        Environment variable that names another database.
    tables
        The present tables. An empty database gets these, and no step runs.
    version
        The one of these tables that keeps the version, in its one column and row.
    steps
        What makes a version from the one before it. The highest is the present version. A step names the tables as they
        were, never the mapped classes.
    lock
        Number of the lock that is held while tables are created or upgraded. Each kind has its own; it is the same on
        every server.
    has_log
        See ``engine_of``.
    has_one_writer
        Whether writers on PostgreSQL wait for each other, as they do on SQLite.
    version_before
        Returns the version of a database without the table of the version; 0 if it is empty.
    begin
        Fills tables that have just been created.
    """

    name: str
    variable: str
    tables: MetaData
    version: Table
    steps: Mapping[int, Step]
    lock: int
    has_log: bool
    has_one_writer: bool
    version_before: Callable[[Connection], int] = lambda connection: 0
    begin: Step = lambda connection: None

    @property
    def present(self) -> int:
        """The present version."""
        return max(self.steps)


def _is_of_damage(error: BaseException, rows: Iterable[object]) -> bool:
    """Return whether an error comes from values that a whole row does not have.

    Either a loaded row is not as it was written, or a stored value could not be converted to the type of its column.
    """
    if any(isinstance(row, Sealed) and not is_whole(row) for row in rows):
        return True
    # An error that SQLAlchemy met while it converted a stored value has passed through one of these modules
    traceback = error.__traceback__
    while traceback is not None:
        if str(traceback.tb_frame.f_globals.get("__name__")).startswith(_CONVERTING):
            return True
        traceback = traceback.tb_next
    return False


class Database:
    """A database that any number of processes and servers may use at once.

    Parameters
    ----------
    kind
        What it holds.
    url
        Where it is. A SQLite file is created, for its user only, when the first session begins.
    """

    def __init__(self, kind: Kind, url: URL) -> None:
        self.kind = kind
        self.url = url

    @property
    def shown(self) -> str:
        """The place for messages, without a password."""
        if self.url.get_backend_name() == "sqlite":
            return self.url.database or "memory"
        return self.url.render_as_string(hide_password=True)

    @property
    def is_there(self) -> bool:
        """Whether there is anything to read."""
        if self.url.get_backend_name() != "sqlite":
            return True
        if not self.url.database:  # in memory
            return True
        return Path(self.url.database).exists()

    @cached_property
    def engine(self) -> Engine:
        """Connections to it, by which tests look at what is stored."""
        return engine_of(self.url, has_log=self.kind.has_log)

    def close(self) -> None:
        """Close all connections."""
        # The property is kept with the object once it was used; before that there are no connections, and making an
        # engine would fail without the driver.
        if "engine" in vars(self):
            self.engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """Begin a session with a consistent view.

        Raises
        ------
        MtevalError
            If the database cannot be used, is damaged, or was written by a newer version.
        MissingDependencyError
            If its driver is not installed.
        """
        with self.errors_translated():
            engine = self.engine.execution_options(only_reads=True)
            if engine.dialect.name != "sqlite":
                engine = engine.execution_options(isolation_level="REPEATABLE READ")
            with self._session(engine) as session:
                # A session drops rows that are no longer used. The damaged row may be one of them.
                loaded: deque[object] = deque(maxlen=_REMEMBERED)
                event.listen(session, "loaded_as_persistent", lambda _, row: loaded.append(row))
                try:
                    yield session
                except MtevalError:
                    raise
                except (TypeError, ValueError, KeyError, AttributeError) as error:
                    if not _is_of_damage(error, [*session, *loaded]):
                        raise  # a bug of the program; restoring a backup would not help
                    reason = f"it is damaged ({type(error).__name__}: {error})"
                    raise MtevalError(f"{self._cannot_use}: {reason}. Restore a backup.") from error

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """Begin a session whose changes are atomic, and on disk once it ends without an error.

        Raises
        ------
        MtevalError
            If the database cannot be used, or was written by a newer version.
        MissingDependencyError
            If its driver is not installed.
        """
        with self.errors_translated(), self._session(self.engine) as session:
            if self.kind.has_one_writer:
                hold(session.connection(), self.kind.lock)
            yield session

    @contextmanager
    def errors_translated(self) -> Iterator[None]:
        """Translate errors of the system and of the database."""
        try:
            yield
        except MtevalError:
            raise
        except (OSError, SQLAlchemyError, UnicodeError) as error:  # UnicodeError: from a damaged file
            raise MtevalError(f"{self._cannot_use}: {reason_of(error)}. {self._remedy}") from error

    @property
    def _cannot_use(self) -> str:
        """The beginning of messages on what is wrong."""
        return f"Cannot use the {self.kind.name} at {self.shown}"

    @property
    def _remedy(self) -> str:
        """What to do if the database cannot be used."""
        if self.url.get_backend_name() == "sqlite":
            place = "Check that the path exists, is writable and has space"
            return f"{place}, or set MTEVAL_HOME or {self.kind.variable}."
        return "Earlier changes are safe. Check that the database runs, then try again."

    @contextmanager
    def _session(self, engine: Engine) -> Iterator[Session]:
        """Begin a session with tables of the present version."""
        with Session(engine) as session, session.begin():
            # Another process may have upgraded the database, or deleted its file, since the last session.
            if self._version(session.connection()) == self.kind.present:
                yield session
                return
        self._create_or_upgrade()
        with Session(engine) as session, session.begin():
            yield session

    def _create_or_upgrade(self) -> None:
        """Bring the tables to the present version, all or nothing; of two servers that start at once, one waits."""
        with self.engine.begin() as connection:
            hold(connection, self.kind.lock)
            version = self._version(connection)  # another process may have been faster
            if version > self.kind.present:
                reason = f"a newer mteval wrote it (version {version}; this one reads up to {self.kind.present})"
                raise MtevalError(f"{self._cannot_use}: {reason}. Update mteval.")
            # Some kinds keep the version as text of four digits, others as a number; in quotes, it suits both.
            present = f"'{self.kind.present:04}'"
            table = self.kind.version.name
            if version == 0:
                self.kind.tables.create_all(connection, checkfirst=False)
                connection.execute(text(f"INSERT INTO {table} VALUES ({present})"))
                self.kind.begin(connection)
                return
            for number, step in sorted(self.kind.steps.items()):
                if number > version:
                    step(connection)
            (column,) = self.kind.version.columns
            connection.execute(text(f"UPDATE {table} SET {column.name} = {present}"))

    def _version(self, connection: Connection) -> int:
        """Return the version of the tables; 0 if there are none."""
        if not inspect(connection).has_table(self.kind.version.name):
            return self.kind.version_before(connection)
        number = str(connection.execute(select(self.kind.version)).scalar_one())
        if not number.isdecimal():
            raise MtevalError(f"{self._cannot_use}: its version '{number}' is damaged. Restore a backup.")
        return int(number)
