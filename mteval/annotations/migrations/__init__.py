"""Steps from one form of the tables to the next; Alembic runs them when the database is opened."""
