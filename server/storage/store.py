"""The records store: what the other rooms call. Synchronous, and safe to share between threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy import Engine

from server.errors import LodgeError, StorageError
from server.masking import Masker
from server.models import EVERYTHING, ConversationFilter, Exchange, Feedback
from server.models.curation import CuratedAnswer, Notice
from server.storage import asked_before, audit, conversations, curation, feedback, finding, tokens
from server.storage import conversations as erasing
from server.storage.audit import COMMAND_LINE
from server.storage.engine import Transactions, engine_for, is_missing, store_name, translated
from server.storage.golden import GoldenStore
from server.storage.insight import InsightStore
from server.storage.masked import masked_exchange, masked_feedback
from server.storage.migrate import migrate
from server.storage.retention import RetentionStore
from server.storage.rulebooks import RuleSetStore
from server.storage.tokens import Bearer


def open_records(url: str) -> RecordsStore:
    """The store at a SQLAlchemy URL, made or brought up to date first.

    Raises `StorageError` when it cannot be: a full disk, a folder that may not be written to, a store
    written by a newer Lodge; `BadInputError` for a URL that is none.
    """
    engine = engine_for(url)
    try:
        with translated(store_name(engine.url)):
            migrate(engine)
    except LodgeError:
        engine.dispose()
        raise
    return RecordsStore(engine)


def open_existing(url: str) -> RecordsStore | None:
    """The store at a URL as `open_records` opens it; None where nobody has made its file yet."""
    return None if is_missing(url) else open_records(url)


class RecordsStore:
    """Conversations, traces, feedback, what editors write, and tokens.

    Every method but `erase` is one transaction.

    What changes tokens or what editors write takes `by`, the name of a token; the audit log has it. Golden
    questions and rulebooks have shelves of their own in it: `golden` and `rulebooks`; `insight` counts and
    groups, `retention` removes and holds. Stores of the workbench's own take its `transactions`.

    Any of them raises `StorageError` when the database does not do its part.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.transactions = transactions = Transactions(engine)
        self._reading, self._writing = transactions.reading, transactions.writing
        self._recording = transactions.recording
        self.golden = GoldenStore(transactions)
        self.rulebooks = RuleSetStore(transactions)
        self.insight = InsightStore(transactions)
        self.retention = RetentionStore(transactions)
        self._masker: Callable[[], Masker] | None = None

    def close(self) -> None:
        """Lets go of the database's connections."""
        self._engine.dispose()

    def mask_by(self, masker: Callable[[], Masker] | None) -> None:
        """Masks what visitors wrote as it is written, from now on, each time by a new masker; None: no more.

        Questions come masked already; what a fault or a new way in lets through ends here.
        """
        self._masker = masker

    # --- conversations ---

    def record(self, exchange: Exchange) -> None:
        """Writes a question, its answer and its trace, all or nothing, before it returns.

        `ConflictError` where the conversation is another site's.
        """
        if self._masker:
            exchange = masked_exchange(exchange, self._masker())
        with self._recording() as connection:
            conversations.write_exchange(connection, exchange)

    def history(self, conversation_id: str, limit: int) -> tuple[tuple[str, str], ...]:
        """The last `limit` messages as (role, text), oldest first; empty for an unknown conversation."""
        with self._reading() as connection:
            return conversations.read_history(connection, conversation_id, limit)

    def site_of(self, conversation_id: str) -> str | None:
        """The site whose visitors' conversation it is; None for an unknown one."""
        with self._reading() as connection:
            return conversations.read_site(connection, conversation_id)

    def erase(self, conversation_id: str, site: str) -> None:
        """Removes a site's conversation with its traces; `NotFoundError`, `ConflictError` (on hold)."""
        with self._writing() as connection:
            erasing.mark_erased(connection, conversation_id, site)
        with self._writing() as connection:
            erasing.erase_conversation(connection, conversation_id, site)

    def is_erased(self, conversation_id: str, site: str) -> bool:
        """Whether it was erased within the last minutes, at this server or another."""
        with self._reading() as connection:
            return erasing.is_marked_erased(connection, conversation_id, site)

    def conversations(
        self, *, limit: int, before: str | None = None, wanted: ConversationFilter = EVERYTHING
    ) -> list[dict[str, Any]]:
        """The latest conversations that are wanted, newest first, before an ISO time or a row's `cursor`.

        Keys: id, site, started_at, last_at, first_question, answerer (the latest), messages, refused,
        helpful and unhelpful (counts), cursor. A time that is none is a `BadInputError`.
        """
        with self._reading() as connection:
            return conversations.read_conversations(connection, limit, before, wanted)

    def exchanges(self, conversation_ids: Sequence[str]) -> list[dict[str, Any]]:
        """Every question and answer of these conversations, in their order, oldest first in each.

        Keys: conversation_id, site, at, question, answer (the contract's JSON), topic, feedback (as of a
        message).
        """
        with self._reading() as connection:
            return finding.read_exchanges(connection, conversation_ids)

    def conversation_choices(self) -> dict[str, list[str]]:
        """The `sites`, `topics` and `answerers` there are among the conversations."""
        with self._reading() as connection:
            return finding.read_choices(connection)

    def conversation(self, conversation_id: str) -> dict[str, Any]:
        """One conversation: id, site, started_at, last_at, and its `messages`, oldest first.

        Keys of a message: id, role, text, at, answer (the contract's JSON), refused, refusal_reason,
        answerer, strategy, snapshot, trace_id, total_ms, feedback (helpful, reason, comment, given_at; or
        None). `hold` is as of `retention.held`. Raises `NotFoundError`.
        """
        with self._reading() as connection:
            found = conversations.read_conversation(connection, conversation_id)
            given = feedback.read_feedback(connection, conversation_id)
        messages = [message | {"feedback": given.get(message["id"])} for message in found["messages"]]
        return found | {"messages": messages, "hold": self.retention.held(conversation_id)}

    def last_answer(self, conversation_id: str) -> str | None:
        """The message id of the conversation's last answer; None where there is none."""
        with self._reading() as connection:
            return conversations.read_last_answer(connection, conversation_id)

    def trace(self, trace_id: str) -> dict[str, Any]:
        """`Trace.as_json`, with `conversation_id`, `at` and `answer` beside it. Raises `NotFoundError`."""
        with self._reading() as connection:
            return conversations.read_trace(connection, trace_id)

    def first_questions(self, site: str, limit: int) -> list[tuple[str, int]]:
        """The latest different questions that a site's conversations began with, and how often of late."""
        with self._reading() as connection:
            return asked_before.read_first_questions(connection, site, limit)

    def citations(self, site: str, urls: Sequence[str]) -> dict[str, int]:
        """How many answers of a site cite each of these pages; a page that none cites is left out."""
        with self._reading() as connection:
            return asked_before.read_citations(connection, site, urls)

    # --- feedback ---

    def rate(self, given: Feedback) -> None:
        """Keeps what a visitor thinks of an answer, in place of anything earlier; `NotFoundError`."""
        if self._masker:
            given = masked_feedback(given, self._masker())
        with self._recording() as connection:
            feedback.write_feedback(connection, given)

    # --- what editors write ---

    def curated(self, site: str | None = None) -> tuple[CuratedAnswer, ...]:
        """The curated answers of a site, or all, by site and id."""
        with self._reading() as connection:
            return curation.read_answers(connection, site)

    def put_curated(self, answer: CuratedAnswer, *, by: str = COMMAND_LINE) -> CuratedAnswer | None:
        """Keeps it in place of what had its id, and returns that; `BadInputError` says what is wrong."""
        with self._writing() as connection:
            return curation.put_answer(connection, answer, by)

    def remove_curated(self, answer_id: str, *, by: str = COMMAND_LINE) -> CuratedAnswer:
        """Removes it, and returns it; `NotFoundError` when there is none."""
        with self._writing() as connection:
            return curation.remove_answer(connection, answer_id, by)

    def notices(self, site: str | None = None) -> tuple[Notice, ...]:
        """The notices of a site, or all, by site and id; those that are over too."""
        with self._reading() as connection:
            return curation.read_notices(connection, site)

    def put_notice(self, notice: Notice, *, by: str = COMMAND_LINE) -> Notice | None:
        """Keeps it in place of what had its id, and returns that; `BadInputError` says what is wrong."""
        with self._writing() as connection:
            return curation.put_notice(connection, notice, by)

    def remove_notice(self, notice_id: str, *, by: str = COMMAND_LINE) -> Notice:
        """Removes it, and returns it; `NotFoundError` when there is none."""
        with self._writing() as connection:
            return curation.remove_notice(connection, notice_id, by)

    def curation_version(self) -> str:
        """A value that is another one after every change to curated answers or notices, whoever made it."""
        with self._reading() as connection:
            return curation.read_version(connection)

    # --- tokens ---

    def create_token(self, name: str, role: str, days: int, *, by: str = COMMAND_LINE) -> str:
        """A new token, shown this once, that expires after `days`; wrong arguments are a `BadInputError`."""
        with self._writing() as connection:
            return tokens.create(connection, name, role, days, by)

    def revoke(self, name: str, *, by: str = COMMAND_LINE) -> None:
        """Closes the token of that name; `NotFoundError` when none is open."""
        with self._writing() as connection:
            tokens.revoke(connection, name, by)

    def tokens(self) -> tuple[tokens.TokenInfo, ...]:
        """All tokens there ever were, oldest first, without their secrets."""
        with self._reading() as connection:
            return tokens.infos(connection)

    def role_of(self, token: str) -> str | None:
        """The role of a bearer token, or None when it is unknown, revoked or expired."""
        holder = self.holder_of(token)
        return None if holder is None else holder.role

    def holder_of(self, token: str) -> Bearer | None:
        """Name and role of a bearer token, or None when it is unknown, revoked or expired."""
        with self._reading() as connection:
            bearer = tokens.find_bearer(connection, token)
        if bearer is None:
            return None
        if bearer.use_is_stale:
            # On a full disk the console must still open, so that someone can see what is wrong.
            with suppress(StorageError), self._recording() as connection:
                tokens.note_use(connection, bearer.token_id)
        return bearer

    # --- the audit log ---

    @contextmanager
    def noting(
        self,
        thing: tuple[audit.Kind, str],
        before: dict[str, Any] | None,
        after: dict[str, Any] | None,
        *,
        by: str,
    ) -> Iterator[None]:
        """An entry for what happens outside of the records: it is kept if the block succeeds."""
        with self._writing() as connection:
            audit.note_change(connection, by, thing, before, after)
            yield

    def changes(
        self, *, limit: int, before: str | None = None, kind: str | None = None, who: str | None = None
    ) -> list[dict[str, Any]]:
        """The latest changes, newest first, from before a row's `cursor`; of one kind, or by one token.

        Keys: at, who (a token's name, or "command line"), kind (`audit.Kind`), id, before
        and after (JSON, or None where there was nothing), cursor.
        """
        with self._reading() as connection:
            return audit.read_changes(connection, limit, before, kind, who)
