"""Small tables on the page."""

from mteval.export.small_tables import table as table
