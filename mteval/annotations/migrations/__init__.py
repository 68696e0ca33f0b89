"""Migrations of the tables, run by Alembic when the database is opened."""
