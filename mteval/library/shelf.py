"""The library of saved experiments: files, settings, results, their last states, and who may change them."""

import json
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from sqlalchemy import Connection

from mteval.base.databases import plain_text, structure_problems
from mteval.base.errors import DataError, MtevalError
from mteval.library import rights, room
from mteval.library.index import Content, Listed, Row, listed_from, problems, rows, run, state_at, trouble_named
from mteval.library.reading import ENTRIES, Reached, Shelf, may_edit
from mteval.library.states import NUMBERS, Kept, add_state, fill_state, is_used, save_entry
from mteval.values.asker import SECONDS_OF_SIGN_INS, Asker


class ChangedElsewhereError(DataError):
    """The experiment has changed since the state that a change started from."""


@dataclass(frozen=True)
class Library(Shelf):
    """Saved experiments. Changes are atomic, and any number of processes may share a library.

    Every method that writes takes who asks, and checks their right in its transaction.
    """

    def add(self, content: Content, name: str, asker: Asker) -> Listed:
        """Save a new experiment, which belongs to the asker; announced ones may give way.

        Raises
        ------
        MtevalError
            If the library cannot be written to.
        DataError
            If there is no room.
        """
        uid, now = _new_secret(), time.time()
        kept = self._keep_contents(content)
        with self._changing(kept) as (write, freed):
            rights.refuse_signed_out(write, asker)
            entry = {
                "uid": uid, "editor": _new_secret(), "reader": _new_secret(), "owner": asker.visitor,
                "name": plain_text(name), "note": "", "tags": "", "is_pinned": 0, "created": now, "used": now,
                "number": 0, "size": 0, "editor_until": None, "reader_until": None, "card": "{}",
            }  # fmt: skip
            save_entry(write, entry)
            self._add_state(write, entry, asker, content, kept, freed)
        return self.entry(uid)

    def change(self, uid: str, content: Content, asker: Asker, base: int | None = None) -> int:
        """Save the next state of an experiment; return its number.

        Parameters
        ----------
        base
            Number of the state that the change started from; None for any.

        Raises
        ------
        ChangedElsewhereError
            If there is a later one.
        DataError
            If the experiment was deleted, or there is no room.
        """
        kept = self._keep_contents(content)
        with self._changing(kept) as (write, freed):
            entry = rights.permitted(write, uid, asker)
            if base is not None and entry["number"] != base:
                raise ChangedElsewhereError("This experiment has changed in another window.")
            return self._add_state(write, entry, asker, content, kept, freed)

    def complete(self, uid: str, content: Content, asker: Asker) -> None:
        """Add results to the present state of an experiment, unless it has changed since."""
        kept = self._keep_contents(content)
        with self._changing(kept) as (write, freed), suppress(rights.GoneError):
            entry = rights.permitted(write, uid, asker)
            found = state_at(write, uid, entry["number"])
            if found is not None and json.loads(found[0]["made"]) == content.made:
                before = room.level(write, self.max_bytes)
                freed += fill_state(write, found[0], content, self._placed(write, content, kept))
                freed += room.make_room(write, {**entry, "card": json.dumps(content.card)}, self.max_bytes, before)

    def undo(self, uid: str, number: int, asker: Asker) -> int:
        """Make an earlier state the present one again; return its new number.

        Raises
        ------
        DataError
            If the state is no longer kept.
        """
        with self._changing() as (write, freed):
            entry = rights.permitted(write, uid, asker)
            if (found := state_at(write, uid, number)) is None:
                raise DataError("This state is no longer kept.")
            state, files = found
            kept = [Kept(*(file[name] for name in ("place", "name", "digest", "size"))) for file in files]
            content = Content(json.loads(state["made"]), json.loads(state["card"]), {}, b"")
            return self._add_state(write, entry, asker, content, kept, freed)

    def _add_state(
        self, write: Connection, entry: Row, asker: Asker, content: Content, kept: list[Kept], freed: list[str]
    ) -> int:
        before = room.level(write, self.max_bytes)
        number = add_state(write, entry, asker.shown, content, self._placed(write, content, kept), freed)
        freed += room.make_room(write, rights.whole_row(write, entry["uid"]), self.max_bytes, before)
        return number

    def _keep_contents(self, content: Content) -> list[Kept]:
        named = [(place, *item) for place, item in enumerate((content.files or {}).items())]
        if content.numbers is not None:
            named.append((NUMBERS, "", content.numbers))
        with trouble_named(self._index.shown):
            return [Kept(place, name, *self._blobs.keep(blob)) for place, name, blob in named]

    def _placed(self, write: Connection, content: Content, kept: list[Kept]) -> list[Kept]:
        """Store contents again that another process removed before this transaction."""
        return kept if all(is_used(write, one.digest) for one in kept) else self._keep_contents(content)

    @contextmanager
    def _changing(self, kept: Iterable[Kept] = ()) -> Iterator[tuple[Connection, list[str]]]:
        """Open a transaction; then remove contents that were freed, or that were stored in vain."""
        freed: list[str] = []
        try:
            with self._index.writing() as write:
                yield write, freed
        except BaseException:
            freed += [one.digest for one in kept]
            raise
        finally:
            if freed:
                with suppress(MtevalError), self._index.writing() as lock:  # nobody adds what is removed
                    for digest in set(freed):
                        if not is_used(lock, digest):
                            self._blobs.store.remove(digest)

    def label(
        self, uid: str, asker: Asker, *, name: str | None = None, note: str | None = None, pin: bool | None = None,
        tags: str | None = None,
    ) -> None:  # fmt: skip
        """Rename, annotate, tag or pin an experiment; None changes nothing. Tags are separated by spaces or commas."""
        in_order = None if tags is None else " ".join(sorted(set(tags.replace(",", " ").split())))
        given = {"name": name, "note": note, "tags": in_order}
        changes: dict[str, object] = {key: plain_text(value) for key, value in given.items() if value is not None}
        if pin is not None:
            changes["is_pinned"] = int(pin)
        with self._index.writing() as write:
            save_entry(write, {**rights.permitted(write, uid, asker), **changes})

    def touch(self, uid: str, asker: Asker) -> None:
        """Record that an experiment is used; if it has no owner, it gets the asker."""
        with self._index.writing() as write:
            entry = rights.permitted(write, uid, asker)
            if (owner := entry["owner"] or asker.visitor) != entry["owner"]:
                room.change_owner_bytes(write, entry["owner"], -entry["size"])
                room.change_owner_bytes(write, owner, entry["size"])
            save_entry(write, {**entry, "used": time.time(), "owner": owner})

    def remove(self, uids: Iterable[str], asker: Asker) -> None:
        """Delete experiments, and contents that no other one uses."""
        with self._changing() as (write, freed):
            for uid in uids:
                with suppress(rights.GoneError):
                    freed += room.remove_entry(write, rights.permitted(write, uid, asker, may_be_damaged=True))

    def replace_link(self, uid: str, asker: Asker, *, is_reader: bool, until: float | None = None) -> Listed:
        """Replace a link, by one that may expire; who came by the old one loses access, except the owner.

        Whoever replaces the link for changes keeps theirs.
        """
        kind = "reader" if is_reader else "editor"
        with self._index.writing() as write:
            entry = rights.permitted(write, uid, asker)
            row = {**entry, kind: _new_secret(), f"{kind}_until": until}
            save_entry(write, row)
            run(write, "DELETE FROM library_grants WHERE uid = :uid AND token = :token", uid=uid, token=entry[kind])
            if asker.visitor and asker.visitor != row["owner"]:
                rights.grant(write, uid, asker.visitor, row["editor"])
        return self.entry(uid)

    def redeem(self, token: str, asker: Asker) -> Reached | None:
        """Let the asker see, or change, the experiment of a link from now on; None if the link opens nothing."""
        if not token or not self._index.is_there:
            return None
        with self._index.writing() as write:
            rights.refuse_signed_out(write, asker)
            found = rows(write, f"{ENTRIES} WHERE e.editor = :token OR e.reader = :token", token=token)
            kinds = [kind for row in found for kind in ("editor", "reader") if rights.opens(row, kind, token)]
            if not kinds:
                return None
            known = rights.granted(write, found[0]["uid"], asker)
            if asker.visitor and known != found[0]["editor"]:  # a link to read takes no right away
                rights.grant(write, found[0]["uid"], asker.visitor, token)
        return Reached(listed_from(found[0]), kinds[0] == "editor" or may_edit(found[0], asker, known))

    def end_sign_in(self, asker: Asker) -> None:
        """Refuse whatever is asked under a sign-in from now on."""
        with self._index.writing() as write:
            rights.refuse_signed_out(write, asker)
            run(write, "DELETE FROM library_ended WHERE at < :at", at=time.time() - SECONDS_OF_SIGN_INS)
            run(write, "INSERT INTO library_ended VALUES (:sign_in, :at)", sign_in=asker.sign_in, at=time.time())

    def check(self) -> tuple[str, ...]:
        """Return what is damaged, one sentence each, and remove contents that no experiment has."""
        if not self._index.is_there:
            return ()
        with self._index.writing() as lock:
            if not (found := [*structure_problems(lock), *problems(lock, self._blobs)]):
                used = {row["digest"] for row in rows(lock, "SELECT DISTINCT digest FROM library_files")}
                self._blobs.remove_all_but(used)
        return tuple(found)


def _new_secret() -> str:
    """Return a secret that cannot be guessed or mistaken for an option."""
    while (secret := secrets.token_urlsafe(16)).startswith("-"):  # of randomness
        pass
    return secret
