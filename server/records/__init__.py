"""The nouns that travel between the rooms: small, frozen, free of behaviour beyond their own JSON.

A page's way in: `SourcePage` → `Document` (of `Section`s of `Block`s) → `Chunk`.
A site's table: `Site` with its `Theme`, `SiteTopic`s, `Contact`s and `HelpLine`s.
A question's way: `Question` → `Hit` (an index's answer) → `Candidate` (a `Passage` with its scores)
→ `Answer` with `Citation`s, and a `Trace` of what each step saw.
"""

from server.records.answers import (
    Answer,
    Caution,
    Cited,
    ClosestPage,
    Event,
    Exchange,
    Feedback,
    FeedbackReasons,
    Final,
    Freshness,
    PlainContact,
    RefusalReason,
    RefusalReasons,
    Status,
    Token,
    Trace,
    TraceStep,
)
from server.records.pages import (
    Block,
    BlockKind,
    Chunk,
    Document,
    Drop,
    Section,
    SourcePage,
    heading_line,
    lead_line,
)
from server.records.passages import Candidate, Citation, Hit, PageFacts, Passage, Ranking, Reading
from server.records.questions import Question, Scope
from server.records.searching import EVERYTHING, ConversationFilter, Rating, Ratings
from server.records.sites import Contact, HelpLine, Logo, Palette, Phrase, Site, SiteTopic, Theme

__all__ = [
    "EVERYTHING",
    "Answer",
    "Block",
    "BlockKind",
    "Candidate",
    "Caution",
    "Chunk",
    "Citation",
    "Cited",
    "ClosestPage",
    "Contact",
    "ConversationFilter",
    "Document",
    "Drop",
    "Event",
    "Exchange",
    "Feedback",
    "FeedbackReasons",
    "Final",
    "Freshness",
    "HelpLine",
    "Hit",
    "Logo",
    "PageFacts",
    "Palette",
    "Passage",
    "Phrase",
    "PlainContact",
    "Question",
    "Ranking",
    "Rating",
    "Ratings",
    "Reading",
    "RefusalReason",
    "RefusalReasons",
    "Scope",
    "Section",
    "Site",
    "SiteTopic",
    "SourcePage",
    "Status",
    "Theme",
    "Token",
    "Trace",
    "TraceStep",
    "heading_line",
    "lead_line",
]
