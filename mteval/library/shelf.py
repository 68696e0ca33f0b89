"""The library of saved experiments: files, settings, results, their last states, and who may change them."""

import json
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from sqlalchemy import delete, or_, select
from sqlalchemy.orm import Session

from mteval.base.databases import plain_text, structure_problems
from mteval.base.errors import DataError, MtevalError
from mteval.library import rights, room
from mteval.library.index import Content, Listed, files_at, listed_from, problems, state_at
from mteval.library.reading import Reached, Shelf, may_edit
from mteval.library.states import Kept, add_state, fill_state, is_used
from mteval.library.tables import NUMBERS, EndedRow, EntryRow, FileRow, GrantRow
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
        uid = _new_secret()
        now = time.time()
        kept = self._keep_contents(content)
        with self._changing(kept) as (session, freed):
            rights.refuse_signed_out(session, asker)
            entry = EntryRow(
                uid=uid,
                editor=_new_secret(),
                reader=_new_secret(),
                owner=asker.visitor,
                name=plain_text(name),
                note="",
                tags="",
                is_pinned=0,
                created=now,
                used=now,
                number=0,
                size=0,
                card="{}",
            )
            session.add(entry)
            session.flush()  # its states and files refer to it
            self._add_state(session, entry, asker, content, kept, freed)
            session.flush()
            return listed_from(entry)  # here, since another process may evict it at once

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
        with self._changing(kept) as (session, freed):
            entry = rights.permitted(session, uid, asker)
            if base is not None and entry.number != base:
                raise ChangedElsewhereError("This experiment has changed in another window.")
            return self._add_state(session, entry, asker, content, kept, freed)

    def complete(self, uid: str, content: Content, asker: Asker) -> None:
        """Add results to the present state of an experiment, unless it has changed since."""
        kept = self._keep_contents(content)
        with self._changing(kept) as (session, freed), suppress(rights.GoneError):
            entry = rights.permitted(session, uid, asker)
            state = state_at(session, uid, entry.number)
            if state is not None and json.loads(state.made) == content.made:
                level_before = room.level(session, self.max_bytes)
                freed += fill_state(session, state, content, self._placed(session, content, kept))
                entry.card = json.dumps(content.card)
                freed += room.make_room(session, entry, self.max_bytes, level_before)

    def undo(self, uid: str, number: int, asker: Asker) -> int:
        """Make an earlier state the present one again; return its new number.

        Raises
        ------
        DataError
            If the state is no longer kept.
        """
        with self._changing() as (session, freed):
            entry = rights.permitted(session, uid, asker)
            state = state_at(session, uid, number)
            if state is None:
                raise DataError("This state is no longer kept.")
            files = files_at(session, uid, number)
            kept = [Kept(file.place, file.name, file.digest, file.size) for file in files]
            content = Content(json.loads(state.made), json.loads(state.card), {}, b"")
            return self._add_state(session, entry, asker, content, kept, freed)

    def _add_state(
        self,
        session: Session,
        entry: EntryRow,
        asker: Asker,
        content: Content,
        kept: list[Kept],
        freed: list[str],
    ) -> int:
        """Save the next state of an experiment, and make room for it; return its number.

        The digests of what it frees are added to ``freed``.
        """
        level_before = room.level(session, self.max_bytes)
        placed = self._placed(session, content, kept)
        number = add_state(session, entry, asker.shown, content, placed, freed)
        freed += room.make_room(session, entry, self.max_bytes, level_before)
        return number

    def _keep_contents(self, content: Content) -> list[Kept]:
        """Store the files and results of an experiment."""
        kept = []
        with self._index.errors_translated():
            if content.files is not None:
                for place, (name, blob) in enumerate(content.files.items()):
                    digest, size = self._blobs.keep(blob)
                    kept.append(Kept(place, name, digest, size))
            if content.numbers is not None:
                digest, size = self._blobs.keep(content.numbers)
                kept.append(Kept(NUMBERS, "", digest, size))
        return kept

    def _placed(self, session: Session, content: Content, kept: list[Kept]) -> list[Kept]:
        """Store contents again that another process removed before this transaction."""
        if all(is_used(session, part.digest) for part in kept):
            return kept
        return self._keep_contents(content)

    @contextmanager
    def _changing(self, kept: Iterable[Kept] = ()) -> Iterator[tuple[Session, list[str]]]:
        """Open a transaction; then remove contents that were freed, or that were stored in vain."""
        freed: list[str] = []
        try:
            with self._index.writing() as session:
                yield session, freed
        except BaseException:
            freed += [content.digest for content in kept]
            raise
        finally:
            if freed:
                # In a transaction, so that nothing is added again while it is removed
                with suppress(MtevalError), self._index.writing() as session:
                    for digest in set(freed):
                        if not is_used(session, digest):
                            self._blobs.store.remove(digest)

    def label(
        self,
        uid: str,
        asker: Asker,
        *,
        name: str | None = None,
        note: str | None = None,
        pin: bool | None = None,
        tags: str | None = None,
    ) -> None:
        """Rename, annotate, tag or pin an experiment; None changes nothing. Tags are separated by spaces or commas."""
        with self._index.writing() as session:
            entry = rights.permitted(session, uid, asker)
            if name is not None:
                entry.name = plain_text(name)
            if note is not None:
                entry.note = plain_text(note)
            if tags is not None:
                distinct_tags = set(tags.replace(",", " ").split())
                entry.tags = plain_text(" ".join(sorted(distinct_tags)))
            if pin is not None:
                entry.is_pinned = int(pin)

    def touch(self, uid: str, asker: Asker) -> None:
        """Record that an experiment is used; if it has no owner, it gets the asker."""
        with self._index.writing() as session:
            entry = rights.permitted(session, uid, asker)
            owner = entry.owner or asker.visitor
            if owner != entry.owner:
                room.change_owner_bytes(session, entry.owner, -entry.size)
                room.change_owner_bytes(session, owner, entry.size)
            entry.owner = owner
            entry.used = time.time()

    def remove(self, uids: Iterable[str], asker: Asker) -> None:
        """Delete experiments, and contents that no other one uses."""
        with self._changing() as (session, freed):
            for uid in uids:
                with suppress(rights.GoneError):
                    entry = rights.permitted(session, uid, asker, may_be_damaged=True)
                    freed += room.remove_entry(session, entry)

    def replace_link(self, uid: str, asker: Asker, *, is_reader: bool, until: float | None = None) -> Listed:
        """Replace a link, by one that may expire; visitors who used the old one lose access, except the owner.

        Whoever replaces the link for changes keeps theirs.
        """
        kind = "reader" if is_reader else "editor"
        with self._index.writing() as session:
            entry = rights.permitted(session, uid, asker)
            replaced_secret = getattr(entry, kind)
            setattr(entry, kind, _new_secret())
            setattr(entry, f"{kind}_until", until)
            session.execute(delete(GrantRow).where(GrantRow.uid == uid, GrantRow.token == replaced_secret))
            if asker.visitor and asker.visitor != entry.owner:
                rights.grant(session, uid, asker.visitor, entry.editor)
        return self.entry(uid)

    def redeem(self, token: str, asker: Asker) -> Reached | None:
        """Let the asker see, or change, the experiment of a link from now on; None if the link opens nothing."""
        if not token or not self._index.is_there:
            return None
        with self._index.writing() as session:
            rights.refuse_signed_out(session, asker)
            by_link = select(EntryRow).where(or_(EntryRow.editor == token, EntryRow.reader == token))
            entry = session.scalars(by_link).first()
            if entry is None:
                return None
            is_editor = rights.opens_link(entry, "editor", token)
            if not (is_editor or rights.opens_link(entry, "reader", token)):
                return None
            secret = rights.secret_of(session, entry.uid, asker)
            if asker.visitor and secret != entry.editor:  # a read-only link leaves a visitor's other rights as they are
                rights.grant(session, entry.uid, asker.visitor, token)
            return Reached(listed_from(entry), is_editor or may_edit(entry, asker, secret))

    def end_sign_in(self, asker: Asker) -> None:
        """Refuse whatever is asked under a sign-in from now on."""
        with self._index.writing() as session:
            rights.refuse_signed_out(session, asker)
            oldest = time.time() - SECONDS_OF_SIGN_INS  # earlier sign-ins have expired by themselves
            session.execute(delete(EndedRow).where(EndedRow.at < oldest))
            session.add(EndedRow(sign_in=asker.sign_in, at=time.time()))

    def check(self) -> tuple[str, ...]:
        """Return what is damaged, one sentence each, and remove contents that no experiment has."""
        if not self._index.is_there:
            return ()
        with self._index.writing() as session:
            damage = [*structure_problems(session.connection()), *problems(session, self._blobs)]
            if not damage:
                used = set(session.scalars(select(FileRow.digest).distinct()))
                self._blobs.remove_all_but(used)
        return tuple(damage)


def _new_secret() -> str:
    """Return a secret that cannot be guessed or mistaken for an option."""
    while True:
        secret = secrets.token_urlsafe(16)
        if not secret.startswith("-"):
            return secret
