"""Run the migrations within the transaction that opens the database."""

from alembic import context

from mteval.annotations.schema import Table

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Table.metadata,
    render_as_batch=True,  # SQLite changes a table by rewriting it
    transactional_ddl=True,
)
context.run_migrations()
