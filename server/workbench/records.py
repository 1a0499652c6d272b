"""The records: the stores of all features over one database."""

from __future__ import annotations

from server.storage.audit import AuditLog
from server.storage.conversations import ConversationStore
from server.storage.engine import Transactions, is_missing
from server.storage.migrate import open_transactions
from server.workbench.access.store import TokenStore
from server.workbench.blind.store import PreferenceStore
from server.workbench.conversations.feedback_store import FeedbackStore
from server.workbench.conversations.retention_store import RetentionStore
from server.workbench.conversations.store import ConversationSearch
from server.workbench.coverage.judgements_store import JudgementStore
from server.workbench.coverage.store import CoverageStore
from server.workbench.crawls.schedules_store import ScheduleStore
from server.workbench.curation.rules_store import RuleSetStore
from server.workbench.curation.store import CurationStore
from server.workbench.curation.suggestions_store import SuggestionStore
from server.workbench.gaps.store import GapStore
from server.workbench.golden.store import GoldenStore
from server.workbench.hours.store import HoursStore
from server.workbench.job_store import JobStore
from server.workbench.labelling.store import LabelStore
from server.workbench.notifications.store import Outbox, SubscriptionStore
from server.workbench.owners.store import OwnerStore


class Records:
    """Each feature's store, to be handed to whoever needs it. Synchronous, and safe to share between threads.

    What changes tokens or what editors write takes `by`, the name of a token; the audit log has it. Any of
    them raises `StorageError` when the database does not do its part.
    """

    def __init__(self, transactions: Transactions) -> None:
        self.transactions = transactions
        self.conversations = ConversationStore(transactions)
        self.search = ConversationSearch(transactions)
        self.feedback = FeedbackStore(transactions)
        self.retention = RetentionStore(transactions)
        self.curation = CurationStore(transactions)
        self.rulebooks = RuleSetStore(transactions)
        self.suggestions = SuggestionStore(transactions)
        self.golden = GoldenStore(transactions)
        self.hours = HoursStore(transactions)
        self.gaps = GapStore(transactions)
        self.coverage = CoverageStore(transactions)
        self.judgements = JudgementStore(transactions)
        self.preferences = PreferenceStore(transactions)
        self.labels = LabelStore(transactions, self.golden)
        self.schedules = ScheduleStore(transactions)
        self.jobs = JobStore(transactions)
        self.owners = OwnerStore(transactions)
        self.subscriptions = SubscriptionStore(transactions)
        self.outbox = Outbox(transactions)
        self.tokens = TokenStore(transactions)
        self.audit = AuditLog(transactions)

    def close(self) -> None:
        """Lets go of the database's connections."""
        self.transactions.close()


def open_records(url: str) -> Records:
    """The records at a SQLAlchemy URL, made or brought up to date first; see `open_transactions`."""
    return Records(open_transactions(url))


def open_existing(url: str) -> Records | None:
    """The records at a URL as `open_records` opens them; None where nobody has made their file yet."""
    return None if is_missing(url) else open_records(url)
