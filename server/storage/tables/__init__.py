"""The tables of the records store, typed.

A change here needs a revision in `migrations/versions`; a test compares the two.
"""

from server.storage.tables.base import Base, PackedJson, UtcTime
from server.storage.tables.editors import (
    CurationVersion,
    GoldenResult,
    GoldenRun,
    StoredCuratedAnswer,
    StoredDraft,
    StoredGoldenQuestion,
    StoredNotice,
    StoredRulebook,
)
from server.storage.tables.running import Purge, StoredChange, StoredJob, StoredSchedule, TokenRow
from server.storage.tables.visitors import (
    CitedPage,
    Conversation,
    Erasure,
    Gap,
    LegalHold,
    MessageRow,
    StoredFeedback,
    StoredTrace,
    TurnRow,
)

__all__ = [
    "Base",
    "CitedPage",
    "Conversation",
    "CurationVersion",
    "Erasure",
    "Gap",
    "GoldenResult",
    "GoldenRun",
    "LegalHold",
    "MessageRow",
    "PackedJson",
    "Purge",
    "StoredChange",
    "StoredCuratedAnswer",
    "StoredDraft",
    "StoredFeedback",
    "StoredGoldenQuestion",
    "StoredJob",
    "StoredNotice",
    "StoredRulebook",
    "StoredSchedule",
    "StoredTrace",
    "TokenRow",
    "TurnRow",
    "UtcTime",
]
