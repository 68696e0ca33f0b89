"""What a check of all annotations finds: damaged rows and texts, and answers that cannot be."""

from collections.abc import Iterator

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from mteval.annotations.schema import SEALED, ContentRow, TaskRow, is_content, is_whole, wrong_answer
from mteval.base.databases import structure_problems


def problems(session: Session) -> Iterator[str]:
    """Yield what is damaged, one sentence each."""
    yield from structure_problems(session.connection())
    for table in (ContentRow, *SEALED):
        name = table.__tablename__
        keys = [column.name for column in table.__table__.primary_key]
        try:
            for row in session.scalars(select(table).execution_options(yield_per=500)):
                is_good = is_content(row) if isinstance(row, ContentRow) else is_whole(row)
                if not is_good:
                    yield f"Table {name}: row {', '.join(str(getattr(row, key)) for key in keys)} is damaged."
                elif isinstance(row, TaskRow) and (wrong := wrong_answer(row)):
                    yield f"Judgement {row.position + 1} of '{row.annotator}': {wrong}."
        except (SQLAlchemyError, ValueError, TypeError, AttributeError) as error:
            yield f"Table {name} cannot be read: {error}."
