"""Who asks for a change. Stores check it in the transaction that writes."""

from dataclasses import dataclass

from mteval.base.bounded_input import LONGEST_NAME
from mteval.base.errors import DataError
from mteval.base.words import counted

SIGNED_OUT = "You have signed out, so nothing was saved. Sign in again to continue."
SECONDS_OF_SIGN_INS = 31 * 24 * 3600.0  # longer than a sign-in lasts


@dataclass(frozen=True)
class Asker:
    """A visitor, the holder of a link, or the user of this machine.

    Parameters
    ----------
    visitor
        Person or browser, as ``mteval.ui.session.visitor`` names them; empty if unknown.
    token
        Secret of a link.
    name
        Readable name of a person who signed in.
    sign_in
        Digest of what the provider said when they signed in; it ends when they sign out.
    is_operator
        Whether this is a command of the machine's user, who can read the files anyway. Never true in the dashboard.

    Raises
    ------
    NotPermittedError
        If the visitor's name is too long to be stored. Two people could have the same beginning.
    """

    visitor: str = ""
    token: str = ""
    name: str = ""
    sign_in: str = ""
    is_operator: bool = False

    def __post_init__(self) -> None:
        if len(self.visitor) > LONGEST_NAME:
            raise NotPermittedError(
                f"Your sign-in identifies you by {counted(len(self.visitor), 'character')};"
                f" mteval keeps at most {LONGEST_NAME}."
                " Ask whoever runs this server for a sign-in provider with shorter issuer and subject names."
            )

    @property
    def shown(self) -> str:
        """How a history names them."""
        return self.name or self.visitor


OPERATOR = Asker(is_operator=True)


class NotPermittedError(DataError):
    """The asker may not, or may no longer, make this change."""
