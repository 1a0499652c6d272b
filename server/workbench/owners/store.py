"""Owners of topics and sections: where they are kept, and what may be kept of them."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args, get_type_hints

from server.errors import BadInputError
from server.models.notifications import Owner
from server.storage.audit import COMMAND_LINE
from server.storage.engine import RecordStore
from server.storage.kept import Shelf
from server.storage.tables.notifying import StoredOwner
from server.workbench.checks import MAX_TOPIC_CHARS, check_names, line_of, mail_of, url_of

MAX_NAME_CHARS = 80  # as of a token
SCOPES = get_args(get_type_hints(Owner)["scope"])


class OwnerStore(RecordStore):
    """Who looks after what, on all sites. Every method is one transaction; changes are in the audit log."""

    def all(self, name: str | None = None) -> tuple[Owner, ...]:
        """Everybody's, or all of one name, by site and id."""
        conditions = () if name is None else (StoredOwner.name == name,)
        with self._transactions.reading() as connection:
            return OWNERS.all(connection, *conditions)

    def put(self, owner: Owner, *, by: str = COMMAND_LINE) -> None:
        """Keeps it in place of what had its id; `BadInputError` says what is wrong."""
        with self._transactions.writing() as connection:
            OWNERS.put(connection, owner, by)

    def remove(self, own: str, *, by: str = COMMAND_LINE) -> None:
        """Nobody looks after that any more, by this entry; `NotFoundError`."""
        with self._transactions.writing() as connection:
            OWNERS.remove(connection, own, by)


def checked_owner(owner: Owner) -> Owner:
    """As it is kept: a topic's name or the beginning of an address, and whom to write to."""
    check_names(owner.id, owner.site)
    if owner.scope not in SCOPES:
        raise BadInputError(f"scope is {owner.scope!r}; it takes one of: {', '.join(SCOPES)}.")
    value = (
        line_of(owner.value, "The topic", MAX_TOPIC_CHARS) if owner.scope == "topic" else url_of(owner.value)
    )
    email = mail_of(owner.email) if owner.email.strip() else ""
    return replace(owner, value=value, name=line_of(owner.name, "The name", MAX_NAME_CHARS), email=email)


OWNERS: Shelf[Owner] = Shelf(
    "owner", StoredOwner, Owner, checked_owner, "Nobody looks after anything under that id."
)
