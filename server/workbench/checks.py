"""What people write into forms and files, before it is kept: names, addresses and texts."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import urlsplit

from server.errors import BadInputError

MAX_TOPIC_CHARS, MAX_URL_CHARS, MAX_MAIL_CHARS = 80, 2000, 254

_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")
_MAIL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
_SITE = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


def check_names(own: str, site: str) -> None:
    """The id of what an editor writes, and the key of its site."""
    if not is_id(own):
        raise BadInputError(
            f"The id is {own!r}; it takes at most 80 small letters, digits, dots, hyphens and underscores."
        )
    if not _SITE.fullmatch(site):
        raise BadInputError(
            f"The site is {site!r}; it takes a site's name: small letters, digits and hyphens."
        )


def is_id(text: str) -> bool:
    """Whether what an editor writes may have it as its id."""
    return _ID.fullmatch(text) is not None


def name_of(text: str) -> str:
    """An id of a text's words: "How much is tuition?" → how-much-is-tuition; empty without letters."""
    plain = unicodedata.normalize("NFKD", text).casefold()
    return re.sub(r"[^a-z0-9]+", "-", plain.encode("ascii", "ignore").decode())[:60].strip("-")


def url_of(text: str) -> str:
    """An http or https address that a visitor can follow."""
    try:
        parts = urlsplit(text.strip())
        good = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        good = False
    if not good or len(text) > MAX_URL_CHARS or any(c.isspace() or not c.isprintable() for c in text.strip()):
        raise BadInputError(
            f"{text[:100]!r} is no http or https address of at most {MAX_URL_CHARS} characters."
        )
    return text.strip()


def mail_of(text: str) -> str:
    """A single mail address; `BadInputError` for what is none, or could add a header or another address."""
    address = text.strip()
    if len(address) > MAX_MAIL_CHARS or not _MAIL.fullmatch(address):
        raise BadInputError(f"{text[:100]!r} is no mail address such as registrar@example.edu.")
    return address


def line_of(text: str, what: str, most: int) -> str:
    """On one line."""
    return text_of(" ".join(text.split()), what, most)


def text_of(text: str, what: str, most: int) -> str:
    """Without space around it; `what` names it in a `BadInputError` where it is empty or too long."""
    text = text.strip()
    if not text:
        raise BadInputError(f"{what} is empty.")
    if len(text) > most:
        raise BadInputError(f"{what} has {len(text):,} characters; it takes {most:,}.")
    if not all(c.isprintable() or c in "\n\t" for c in text):
        raise BadInputError(f"{what} holds a character that cannot be shown.")
    return text
