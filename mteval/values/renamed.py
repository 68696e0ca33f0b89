"""Columns and fields that version 0.3 renamed. The old names are read until version 0.5 (``docs/releases.md``)."""

import warnings

# One name per number: SD over runs, and p of test-set and training luck (``docs/glossary.md``)
RENAMED = {"s_run": "s_opt", "s_test": "s_opt", "p_both": "p_run", "p_both_adjusted": "p_run_adjusted"}


def renamed_sentence(old: str) -> str:
    """Return what an old name is called now."""
    return f"'{old}' is now '{RENAMED[old]}'; the old name works until version 0.5."


def warn_of_old_name(old: str, depth: int) -> None:
    """Warn that an old name was used.

    Parameters
    ----------
    depth
        Number of calls between this one and the user's line.
    """
    warnings.warn(renamed_sentence(old), DeprecationWarning, stacklevel=depth + 2)
