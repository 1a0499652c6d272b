"""Bearer tokens of the admin API, and sessions begun with one: random bits, of which only a hash is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from contextlib import suppress
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from server.errors import BadInputError, NotFoundError, StorageError
from server.storage.audit import COMMAND_LINE, SCHEDULE, note_change
from server.storage.engine import RecordStore
from server.storage.tables.running import ConsoleSession, TokenRow

ROLES = ("owner", "viewer", "editor", "developer")  # each may do what those before it may
PREFIX = "lodge_"  # so that a secret scanner, or a person, knows a token on sight
SESSION_PREFIX = "lodgesession_"
SESSION_HOURS = 12  # a working day, and no night
MAX_DAYS = 3650
USE_NOTED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """What may be shown of a token. Times are aware."""

    name: str
    role: str
    created_at: datetime
    expires_at: datetime
    revoked_at: datetime | None
    last_used_at: datetime | None

    def valid_at(self, now: datetime) -> bool:
        """Whether it opens anything at that moment."""
        return self.revoked_at is None and now < self.expires_at


@dataclass(frozen=True, slots=True)
class Bearer:
    """Whose token it is, and one of `ROLES`."""

    name: str
    role: str


@dataclass(frozen=True, slots=True)
class ConsoleEntry:
    """A session's secret, shown this once, and until when it holds, ISO 8601."""

    session: str
    until: str


class TokenStore(RecordStore):
    """The tokens there ever were. Changes are in the audit log."""

    def create(self, name: str, role: str, days: int, *, by: str = COMMAND_LINE) -> str:
        """A new token, shown this once, that expires after `days`; wrong arguments are a `BadInputError`.

        Names of valid tokens are unique.
        """
        _check(name, role, days)
        now = datetime.now(UTC)
        token = PREFIX + secrets.token_urlsafe(32)
        row = {"name": name, "role": role, "created_at": now, "expires_at": now + timedelta(days=days)}
        with self._transactions.writing() as connection:
            if any(one.name == name and one.valid_at(now) for one in _infos(connection)):
                raise BadInputError(
                    f"There is a valid token named {name!r}; revoke it first or choose another name."
                )
            connection.execute(insert(TokenRow), row | {"hash": _hash(token)})
            note_change(connection, by, ("token", name), None, _shown(row))
        return token

    def revoke(self, name: str, *, by: str = COMMAND_LINE) -> None:
        """Closes every open token of that name, at once; `NotFoundError` when none is open."""
        now = datetime.now(UTC)
        of_that_name = update(TokenRow).where(TokenRow.name == name, TokenRow.revoked_at.is_(None))
        with self._transactions.writing() as connection:
            open_ones = [one for one in _infos(connection) if one.name == name and one.revoked_at is None]
            if not open_ones:
                raise NotFoundError(f"There is no open token named {name!r}.")
            connection.execute(of_that_name.values(revoked_at=now))
            for token in open_ones:
                before = _shown(asdict(token))
                note_change(connection, by, ("token", name), before, before | {"revoked_at": now.isoformat()})

    def all(self) -> tuple[TokenInfo, ...]:
        """All tokens there ever were, oldest first, without their secrets."""
        with self._transactions.reading() as connection:
            return _infos(connection)

    def holder_of(self, token: str) -> Bearer | None:
        """Who holds a bearer token; None when it is unknown, revoked or expired.

        The database compares hashes. Its time may tell how far one is right, which is of no use to those who
        cannot choose what their tokens' hashes begin with; what it finds is compared in constant time.
        """
        now, digest = datetime.now(UTC), _hash(token)
        if token.startswith(SESSION_PREFIX):
            row = self._token_of(digest, now)
        else:
            row = self._row(digest)
            if row is not None and not hmac.compare_digest(row.hash, digest):
                row = None
        if row is None:
            return None
        if row.revoked_at is not None or row.expires_at <= now:
            return None
        if row.last_used_at is None or abs(now - row.last_used_at) >= USE_NOTED_EVERY:
            used = update(TokenRow).where(TokenRow.id == row.id).values(last_used_at=now)
            # On a full disk the console must still open, so that someone can see what is wrong.
            with suppress(StorageError), self._transactions.recording() as connection:
                connection.execute(used)
        return Bearer(row.name, row.role)

    def begin_session(self, token: str) -> ConsoleEntry:
        """A session of the console for whoever has a valid token; it ends with the token, or after hours.

        `BadInputError` where what is given is a session itself: none lives on by another.
        """
        if token.startswith(SESSION_PREFIX):
            raise BadInputError("A session is begun with a token, not with another session.")
        row, now = self._row(_hash(token)), datetime.now(UTC)
        if row is None:
            raise NotFoundError("There is no such token.")
        secret = SESSION_PREFIX + secrets.token_urlsafe(32)
        until = min(now + timedelta(hours=SESSION_HOURS), row.expires_at)
        over = delete(ConsoleSession).where(ConsoleSession.expires_at <= now)
        with self._transactions.writing() as connection:
            connection.execute(over)
            made = {"hash": _hash(secret), "token_id": row.id, "expires_at": until}
            connection.execute(insert(ConsoleSession), made)
        return ConsoleEntry(secret, until.isoformat())

    def end_session(self, secret: str) -> None:
        """Whoever has this secret is signed out, everywhere; of one that is over nothing is said."""
        with self._transactions.writing() as connection:
            connection.execute(delete(ConsoleSession).where(ConsoleSession.hash == _hash(secret)))

    def _row(self, digest: str) -> Any:
        with self._transactions.reading() as connection:
            return connection.execute(select(TokenRow.__table__).where(TokenRow.hash == digest)).one_or_none()

    def _token_of(self, digest: str, now: datetime) -> Any:
        """The token that a session was begun with, unless the session is over."""
        query = (
            select(TokenRow.__table__, ConsoleSession.hash.label("session"))
            .join(ConsoleSession, ConsoleSession.token_id == TokenRow.id)
            .where(ConsoleSession.hash == digest, ConsoleSession.expires_at > now)
        )
        with self._transactions.reading() as connection:
            row = connection.execute(query).one_or_none()
        return row if row is not None and hmac.compare_digest(row.session, digest) else None


def _infos(connection: Connection) -> tuple[TokenInfo, ...]:
    """All tokens there ever were, oldest first."""
    columns = [TokenRow.__table__.c[one.name] for one in fields(TokenInfo)]
    rows = connection.execute(select(*columns).order_by(TokenRow.id))
    return tuple(TokenInfo(*row) for row in rows)


def _hash(token: str) -> str:
    """One SHA-256 is enough where the secret is 256 random bits: there is nothing to guess at."""
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    """What the audit log has of a token, as JSON: not its use, which is no change, and not its hash."""
    kept = ("name", "role", "created_at", "expires_at", "revoked_at")
    plain = {key: row.get(key) for key in kept}
    return {key: at.isoformat() if isinstance(at, datetime) else at for key, at in plain.items()}


def _check(name: str, role: str, days: int) -> None:
    if not (name.isprintable() and name.strip() and len(name) <= 80):
        raise BadInputError("A token's name is 1 to 80 printable characters.")
    if (taken := name.strip().casefold()) in (COMMAND_LINE, SCHEDULE):
        raise BadInputError(f"No token is named {name!r}: the audit log calls the {taken} so.")
    if role not in ROLES:
        raise BadInputError(f"The role is {role!r}; it takes one of: {', '.join(ROLES)}.")
    if not 1 <= days <= MAX_DAYS:
        raise BadInputError(f"A token is valid for 1 to {MAX_DAYS} days, not {days}.")
