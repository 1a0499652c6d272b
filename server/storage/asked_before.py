"""What was asked of a site before, and which of its pages answers cite: what a change is tried on."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import Connection, func, select

from server.storage.tables import CitedPage, Conversation, Message, Turn

SCANNED = 20  # so many conversations are looked at for each question that is wanted
SOME = 500  # addresses in one query


def read_first_questions(connection: Connection, site: str, limit: int) -> list[tuple[str, int]]:
    """The latest different questions that conversations began with, and how often each was asked of late.

    Capitals and spaces make no difference. Later questions of a conversation need what was said before them.
    """
    first = (
        select(func.min(Message.number))
        .join(Conversation, Conversation.id == Message.conversation_id)
        .where(Conversation.site == site, Message.role == "user")
        .group_by(Message.conversation_id)
    )
    query = (
        select(Message.text)
        .where(Message.number.in_(first))
        .order_by(Message.number.desc())
        .limit(SCANNED * limit)
    )
    times: dict[str, int] = {}
    texts: dict[str, str] = {}
    for (text,) in connection.execute(query):
        key = " ".join(text.casefold().split())
        if key in times or len(times) < limit:
            times[key] = times.get(key, 0) + 1
            texts.setdefault(key, text)
    return [(texts[key], times[key]) for key in times]


def read_citations(connection: Connection, site: str, urls: Sequence[str]) -> dict[str, int]:
    """How many answers of a site cite each of these pages; a page that none cites is left out."""
    found: dict[str, int] = {}
    for begin in range(0, len(urls), SOME):
        query = (
            select(CitedPage.url, func.count().label("number"))
            .join(Turn, Turn.number == CitedPage.number)
            .join(Conversation, Conversation.id == Turn.conversation_id)
            .where(Conversation.site == site, CitedPage.url.in_(urls[begin : begin + SOME]))
            .group_by(CitedPage.url)
        )
        found |= {row.url: row.number for row in connection.execute(query)}
    return found
