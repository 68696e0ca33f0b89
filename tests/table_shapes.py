"""The shape of a database's tables, to compare those that upgrades make with those that an empty database gets."""

from typing import Any

from sqlalchemy import Engine, inspect, text


def shapes(engine: Engine) -> dict[str, Any]:
    """Return columns, keys and indexes by table, in no order. Defaults are not compared: every value is written."""
    inspector = inspect(engine)
    keys = {table: inspector.get_pk_constraint(table)["constrained_columns"] for table in inspector.get_table_names()}
    return {
        table: {
            "columns": {
                (column["name"], _kind(column["type"]), column["nullable"] and column["name"] not in keys[table])
                for column in inspector.get_columns(table)
            },
            "primary key": keys[table],
            "foreign keys": _foreign_keys(engine, table),
            "unique": {tuple(unique["column_names"]) for unique in inspector.get_unique_constraints(table)},
            "indexes": {
                (index["name"], tuple(index["column_names"]), index["unique"])
                for index in inspector.get_indexes(table)
                if "duplicates_constraint" not in index
            },
        }
        for table in keys
    }


def _kind(column_type: Any) -> str:
    """Return the kind of values and their greatest length, whatever the type is called."""
    kind = column_type.python_type.__name__
    if column_type.__visit_name__ in {"JSON", "BIGINT"}:
        kind = column_type.__visit_name__
    return f"{kind} {getattr(column_type, 'length', None)}"


def _foreign_keys(engine: Engine, table: str) -> set[tuple[object, ...]]:
    """Return columns, what they refer to, and what happens when that is deleted."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            keys = connection.execute(text(f"PRAGMA foreign_key_list({table})")).mappings().all()
        return {(key["from"], key["table"], key["to"], key["on_delete"]) for key in keys}
    return {
        (*key["constrained_columns"], key["referred_table"], *key["referred_columns"], key["options"].get("ondelete"))
        for key in inspect(engine).get_foreign_keys(table)
    }
