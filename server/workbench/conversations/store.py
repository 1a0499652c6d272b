"""Conversations as the console finds them: by a `ConversationFilter`, in lists, and what was asked first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, ScalarSelect, Select, exists, func, select, tuple_

from server.models import EVERYTHING, ConversationFilter
from server.storage.conversations import comparable, plain
from server.storage.engine import RecordStore, end_of, parse_time
from server.storage.tables.visitors import CitedPage, Conversation, MessageRow, StoredFeedback, TurnRow

SCANNED = 20  # so many conversations are looked at for each question that is wanted
Condition = ColumnElement[bool]


@dataclass(frozen=True, slots=True)
class ConversationRow:
    """A conversation in a list. The last four but the `cursor` are counts; times are ISO 8601, UTC."""

    id: str
    site: str
    started_at: str
    last_at: str
    first_question: str | None
    answerer: str | None
    messages: int
    refused: int
    helpful: int
    unhelpful: int
    cursor: str


@dataclass(frozen=True, slots=True)
class ConversationChoices:
    """What conversations can be told apart by, in the order of the alphabet."""

    sites: list[str]
    topics: list[str]
    answerers: list[str]


class ConversationSearch(RecordStore):
    """Lists of conversations and of what was asked in them. Every method is one transaction."""

    def conversations(
        self, *, limit: int, before: str | None = None, wanted: ConversationFilter = EVERYTHING
    ) -> list[ConversationRow]:
        """The latest conversations that are wanted, newest first, with the latest answerer of each.

        `before` is an ISO time, or the `cursor` of the last row seen, which also tells apart conversations
        that started at the same moment. A time that is none is a `BadInputError`.
        """
        page = _overview().order_by(Conversation.started_at.desc(), Conversation.id.desc()).limit(limit)
        page = page.where(*_conditions(wanted))
        if before is not None:
            moment, _, last_id = before.partition("~")
            page = page.where(
                tuple_(Conversation.started_at, Conversation.id) < (parse_time(moment), last_id)
            )
        with self._transactions.reading() as connection:
            rows = [plain(row) for row in connection.execute(page).mappings()]
        return [ConversationRow(**row, cursor=f"{row['started_at']}~{row['id']}") for row in rows]

    def exchanges(self, conversation_ids: Sequence[str]) -> list[dict[str, Any]]:
        """Every question and answer of these conversations, in their order, oldest first in each.

        Keys: conversation_id, site, at, question, answer (the contract's JSON), topic, feedback (as of a
        message).
        """
        question = MessageRow.__table__.alias("question")
        query = (
            select(
                TurnRow.conversation_id, Conversation.site, question.c.at, question.c.text.label("question"),
                MessageRow.answer, TurnRow.topic,
                StoredFeedback.helpful, StoredFeedback.reason, StoredFeedback.comment,
                StoredFeedback.given_at,
            )
            .join(MessageRow, MessageRow.number == TurnRow.number)
            .join(Conversation, Conversation.id == TurnRow.conversation_id)
            .join(question, question.c.id == MessageRow.id + "-question")
            .join(StoredFeedback, StoredFeedback.message_id == MessageRow.id, isouter=True)
            .where(TurnRow.conversation_id.in_(conversation_ids))
            .order_by(TurnRow.number)
        )  # fmt: skip
        place = {own: number for number, own in enumerate(conversation_ids)}
        with self._transactions.reading() as connection:
            rows = connection.execute(query).mappings().all()
        return [_exchange(dict(row)) for row in sorted(rows, key=lambda row: place[row["conversation_id"]])]

    def choices(self) -> ConversationChoices:
        """The sites, topics and answerers there are among the conversations."""
        columns = (Conversation.site, TurnRow.topic, TurnRow.answerer)
        with self._transactions.reading() as connection:
            found = [list(connection.scalars(select(one).distinct().order_by(one))) for one in columns]
        return ConversationChoices(*([value for value in values if value] for values in found))

    def first_questions(self, site: str, limit: int) -> list[tuple[str, int]]:
        """The latest different questions that a site's conversations began with, and how often of late.

        Capitals and spaces make no difference. Later questions of a conversation need what was said before
        them.
        """
        first = (
            select(func.min(MessageRow.number))
            .join(Conversation, Conversation.id == MessageRow.conversation_id)
            .where(Conversation.site == site, MessageRow.role == "user")
            .group_by(MessageRow.conversation_id)
        )
        query = select(MessageRow.text).where(MessageRow.number.in_(first)).order_by(MessageRow.number.desc())
        times: dict[str, int] = {}
        texts: dict[str, str] = {}
        with self._transactions.reading() as connection:
            for text in connection.scalars(query.limit(SCANNED * limit)):
                key = comparable(text)
                if key in times or len(times) < limit:
                    times[key] = times.get(key, 0) + 1
                    texts.setdefault(key, text)
        return [(texts[key], times[key]) for key in times]


def _conditions(wanted: ConversationFilter) -> Iterator[Condition]:
    """What a row of `conversations` has to fulfil."""
    if wanted.since is not None:
        yield Conversation.started_at >= parse_time(wanted.since)
    if wanted.until is not None:
        yield Conversation.started_at < end_of(wanted.until)
    if wanted.site is not None:
        yield Conversation.site == wanted.site
    of_turn = list(_of_turn(wanted))
    if few := list(_of_few_turns(wanted)):
        # To be begun with: asked of each conversation, SQLite would go through all of the few each time.
        yield Conversation.id.in_(select(TurnRow.conversation_id).where(*few, *of_turn))
    elif of_turn:
        # The newest come first, and most searches have enough before they have seen all.
        yield exists().where(TurnRow.conversation_id == Conversation.id, *of_turn)


def _of_turn(wanted: ConversationFilter) -> Iterator[Condition]:
    if wanted.topic is not None:
        yield TurnRow.topic == wanted.topic
    if wanted.refused is not None:
        yield TurnRow.refused.is_(wanted.refused)
    if wanted.degraded is not None:
        yield TurnRow.degraded.is_not(None) if wanted.degraded else TurnRow.degraded.is_(None)
    if wanted.answerer is not None:
        yield TurnRow.answerer == wanted.answerer
    if wanted.help is not None:
        yield TurnRow.help == wanted.help
    if wanted.rating == "none":
        yield TurnRow.number.not_in(_of_rated())
    if wanted.text and wanted.text.strip():
        yield TurnRow.text.contains(comparable(wanted.text), autoescape=True)


def _of_few_turns(wanted: ConversationFilter) -> Iterator[Condition]:
    if wanted.rating == "any":
        yield TurnRow.number.in_(_of_rated())
    elif wanted.rating in ("helpful", "unhelpful"):
        yield TurnRow.number.in_(_of_rated().where(StoredFeedback.helpful.is_(wanted.rating == "helpful")))
    if wanted.url:
        begins = func.substr(CitedPage.url, 1, len(wanted.url)) == wanted.url
        yield TurnRow.number.in_(select(CitedPage.number).where(begins))


def _of_rated() -> Select[Any]:
    return select(MessageRow.number).join(StoredFeedback, StoredFeedback.message_id == MessageRow.id)


def _exchange(row: Mapping[str, Any]) -> dict[str, Any]:
    given = None
    if row["helpful"] is not None:
        given = {key: row[key] for key in ("helpful", "reason", "comment")}
        given["given_at"] = row["given_at"].isoformat()
    plain = {key: row[key] for key in ("conversation_id", "site", "question", "answer", "topic")}
    return plain | {"at": row["at"].isoformat(), "feedback": given}


def _overview() -> Select[Any]:
    """A row a conversation, with what a list shows of its messages."""
    questions = select(MessageRow.text).where(MessageRow.role == "user").order_by(MessageRow.number)
    answerers = (
        select(MessageRow.answerer).where(MessageRow.role == "assistant").order_by(MessageRow.number.desc())
    )
    counted = select(func.count())
    return select(
        *Conversation.__table__.columns,
        _one_of(questions).label("first_question"),
        _one_of(answerers).label("answerer"),
        _one_of(counted).label("messages"),
        _one_of(counted.where(MessageRow.refused)).label("refused"),
        _one_of(_rated(True)).label("helpful"),
        _one_of(_rated(False)).label("unhelpful"),
    )


def _rated(helpful: bool) -> Select[Any]:
    feedback = StoredFeedback.message_id == MessageRow.id
    return select(func.count()).where(exists().where(feedback, StoredFeedback.helpful.is_(helpful)))


def _one_of(of_messages: Select[Any]) -> ScalarSelect[Any]:
    """One value out of the messages of the conversation of the outer row."""
    own = of_messages.select_from(MessageRow).where(MessageRow.conversation_id == Conversation.id)
    return own.limit(1).correlate(Conversation).scalar_subquery()
