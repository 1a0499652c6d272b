"""The nouns that travel between the rooms: small, frozen, free of behaviour beyond their own JSON.

A page's way in: `SourcePage` → `Document` (of `Section`s of `Block`s) → `Chunk`.
A site's table: `Site` with its `Theme`, `SiteTopic`s, `Contact`s and `HelpLine`s.
A question's way: `Question` → `Hit` (an index's answer) → `Candidate` (a `Passage` with its scores)
→ `Answer` with `Citation`s, and a `Trace` of what each step saw.
"""

from server.models.answers import (
    Answer,
    Candidate,
    Caution,
    Citation,
    ClaimVerdict,
    ClosestPage,
    FeedbackReasons,
    Freshness,
    Hit,
    Narrowing,
    NarrowingChoice,
    PageFacts,
    Passage,
    PlainContact,
    Question,
    Ranking,
    Reading,
    RefusalReason,
    RefusalReasons,
    Scope,
    Tier,
)
from server.models.blocks import AnswerBlock
from server.models.calendar import CalendarEntry
from server.models.deadlines import Deadline
from server.models.exchange import (
    Cited,
    Event,
    Exchange,
    Feedback,
    Final,
    Status,
    Token,
    Trace,
    TraceStep,
)
from server.models.hours import HoursCorrection, OpeningHours
from server.models.reports import (
    ALL_TURNS,
    EVERYTHING,
    MISSING,
    TO_DO,
    ConversationFilter,
    FeedbackFilter,
    FeedbackState,
    FeedbackStates,
    GapFilter,
    GapKind,
    GapKinds,
    GapState,
    GapStates,
    HelpShown,
    Placement,
    Rating,
    Ratings,
    TurnFilter,
    Vitals,
    Waiting,
)
from server.models.sites import (
    Audience,
    Block,
    BlockKind,
    Chunk,
    Contact,
    Document,
    Drop,
    HelpLine,
    LineKind,
    Logo,
    PageKind,
    Palette,
    Phrase,
    Section,
    Site,
    SiteTopic,
    SourcePage,
    Theme,
    heading_line,
    lead_line,
)
