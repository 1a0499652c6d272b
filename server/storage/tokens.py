"""Bearer tokens of the admin API: 256 random bits, of which only a hash is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert, select, update

from server.errors import BadInputError, NotFoundError
from server.storage.audit import COMMAND_LINE, SCHEDULE, note_change
from server.storage.tables import Token

ROLES = ("viewer", "editor", "developer")  # each may do what those before it may
PREFIX = "lodge_"  # so that a secret scanner, or a person, knows a token on sight
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
    """Whose token it was; `use_is_stale` when its last use should be written down anew."""

    token_id: int
    name: str
    role: str
    use_is_stale: bool


def create(connection: Connection, name: str, role: str, days: int, by: str) -> str:
    """A new token, which nothing can show again; names of valid tokens are unique."""
    _check(name, role, days)
    now = datetime.now(UTC)
    if any(token.name == name and token.valid_at(now) for token in infos(connection)):
        raise BadInputError(f"There is a valid token named {name!r}; revoke it first or choose another name.")
    token = PREFIX + secrets.token_urlsafe(32)
    row = {"name": name, "role": role, "created_at": now, "expires_at": now + timedelta(days=days)}
    connection.execute(insert(Token), row | {"hash": _hash(token)})
    note_change(connection, by, ("token", name), None, _shown(row))
    return token


def revoke(connection: Connection, name: str, by: str) -> None:
    """Closes every open token of that name, at once."""
    open_tokens = [token for token in infos(connection) if token.name == name and token.revoked_at is None]
    if not open_tokens:
        raise NotFoundError(f"There is no open token named {name!r}.")
    now = datetime.now(UTC)
    of_that_name = update(Token).where(Token.name == name, Token.revoked_at.is_(None))
    connection.execute(of_that_name.values(revoked_at=now))
    for token in open_tokens:
        before = _shown(asdict(token))
        note_change(connection, by, ("token", name), before, before | {"revoked_at": now.isoformat()})


def infos(connection: Connection) -> tuple[TokenInfo, ...]:
    """All tokens there ever were, oldest first."""
    rows = connection.execute(
        select(
            Token.name, Token.role, Token.created_at, Token.expires_at, Token.revoked_at, Token.last_used_at
        ).order_by(Token.id)
    )
    return tuple(TokenInfo(*row) for row in rows)


def find_bearer(connection: Connection, token: str) -> Bearer | None:
    """Who holds it; None when it is unknown, revoked or expired.

    The database compares hashes. Its time may tell how far one is right, which is of no use to those who
    cannot choose what their tokens' hashes begin with; what it finds is compared in constant time.
    """
    now = datetime.now(UTC)
    digest = _hash(token)
    row = connection.execute(select(Token.__table__).where(Token.hash == digest)).one_or_none()
    if row is None or not hmac.compare_digest(row.hash, digest):
        return None
    if row.revoked_at is not None or row.expires_at <= now:
        return None
    stale = row.last_used_at is None or abs(now - row.last_used_at) >= USE_NOTED_EVERY
    return Bearer(row.id, row.name, row.role, stale)


def note_use(connection: Connection, token_id: int) -> None:
    """Writes down that it has just been used."""
    connection.execute(update(Token).where(Token.id == token_id).values(last_used_at=datetime.now(UTC)))


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
