"""How to install optional packages, which are extras of the distribution."""


def how_to_install(extra: str) -> str:
    """Return a sentence that says how to install what an optional part needs.

    The distribution is on no package index: it is installed from a clone or from the address of its repository. The
    option ``-e`` keeps a clone that ``bin/app`` uses up to date.

    Parameters
    ----------
    extra
        A name in ``[project.optional-dependencies]`` of the file ``pyproject.toml``.

    Examples
    --------
    >>> how_to_install("meteor")
    "In a clone of mteval, run: pip install -e '.[meteor]' (docs/install.md)."
    """
    return f"In a clone of mteval, run: pip install -e '.[{extra}]' (docs/install.md)."
