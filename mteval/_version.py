"""The version, importable from anywhere."""

__version__ = "0.2.0"
