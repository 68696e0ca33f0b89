"""Models that lie on this machine, as whoever starts the program names them, each a metric with a name.

A model can run code when it is loaded, so its path is never a setting: settings come in links and in files too.
"""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mteval.base.errors import MissingDependencyError

_NAMED = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)=(.+)")


@dataclass(frozen=True)
class Family:
    """The models of one package.

    Parameters
    ----------
    key, name
        Of the metric of the model that has no name of its own.
    variable
        Of the environment: ``/path`` alone is that metric's; others stand as ``NAME=/path``, with ``:`` between.
    option
        Of the command line, ``checkpoint`` in ``--comet.checkpoint``.
    example, form
        What a path looks like, and what may stand there.
    """

    key: str
    name: str
    variable: str
    option: str
    example: str
    form: str

    @property
    def remedy(self) -> str:
        """How to have a model."""
        return (
            f"Name one with {self.variable}={self.example} when you start mteval, or --{self.key}.{self.option} on the"
            f" command line; or load {self.name} scores that were computed elsewhere as scores of segments."
        )

    @property
    def paths(self) -> dict[str, str]:
        """What the environment names, by name."""
        entries = os.environ.get(self.variable, "").split(os.pathsep)
        matches = ((_NAMED.fullmatch(entry.strip()), entry.strip()) for entry in entries if entry.strip())
        return {match[1] if match else self.key: match[2] if match else entry for match, entry in matches}

    @property
    def further(self) -> tuple[str, ...]:
        """Names other than the usual one."""
        return tuple(name for name in self.paths if name.lower() != self.key)

    def metric_name(self, name: str) -> str:
        """Of the metric that a model of this name makes."""
        return self.name if name.lower() == self.key else name

    def named(self, name: str) -> tuple[str, str]:
        """The name as it was given, in whatever case, and what it stands for.

        Raises
        ------
        MissingDependencyError
            Where the environment names nothing so.
        """
        named = {given.lower(): (given, path) for given, path in self.paths.items()}
        if name.lower() not in named:
            others = f" Those that are named: {', '.join(named)}." if named else ""
            raise MissingDependencyError(f"{self.name} has no model: no {self.option} is named.{others} {self.remedy}")
        return named[name.lower()]

    def name_further(self, entries: Sequence[str]) -> None:
        """Take these to what the environment names, for this process and those that it starts."""
        if entries:
            before = os.environ.get(self.variable, "")
            os.environ[self.variable] = os.pathsep.join([*filter(None, [before]), *entries])
