"""Search results: `Hit` (an index's answer) → `Candidate` (a `Passage` with its scores) → `Citation`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from server.models.sites import MAIN


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk found by one index, best first in its list; what `score` means is the index's own."""

    chunk_id: int
    score: float


class Ranking(list[Hit]):
    """An index's answer, best first, with what the trace should say of how it came about.

    `notes` belong to the answer and not to the index, which answers several questions at once. `left_out` are
    hits that would have stood in it, were they not left out.
    """

    def __init__(
        self,
        hits: Iterable[Hit] = (),
        notes: Mapping[str, Any] | None = None,
        left_out: tuple[Hit, ...] = (),
    ) -> None:
        super().__init__(hits)
        self.notes: Mapping[str, Any] = notes or {}
        self.left_out = left_out


@dataclass(frozen=True, slots=True)
class PageFacts:
    """Metadata of a published page: the ISO 8601 `day` of its last change, or else of its publication;
    the length of its text."""

    page_id: int
    url: str
    title: str
    day: str | None
    chars: int
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as it was published, with what a citation and a boost need of its page."""

    chunk_id: int
    url: str
    title: str
    heading: str
    text: str
    lang: str | None = None
    last_modified: str | None = None
    fetched_at: str | None = None
    terms: tuple[str, ...] = ()
    kind: str = "reference"
    audiences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """A cross-encoder's result for a question and a passage.

    `log_odds` says how likely the passage answers the question. Where the model also reads, `start` and `end`
    bound the likeliest answer in `Passage.text` and `margin` is its log-odds against "there is none".
    """

    log_odds: float
    start: int = 0
    end: int = 0
    margin: float | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A passage and what each step made of it. A rank counts from 1; None: that index did not bring it.

    `preference` (−1 to 1) says how well the terms it speaks of suit the question, `late_score` how well its
    words match the question's (late interaction).
    """

    passage: Passage
    score: float
    semantic_score: float | None = None
    semantic_rank: int | None = None
    keyword_score: float | None = None
    keyword_rank: int | None = None
    preference: float = 0.0
    reading: Reading | None = None
    late_score: float | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """The source of an answer's sentence. `quote` is the passage's own words, the answer's among them."""

    n: int
    url: str
    title: str
    heading: str
    quote: str
    last_modified: str | None = None
    fetched_at: str | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """Where to search; as it is made without arguments it limits nothing.

    `topics` are those to search, each with its sub-topics; none named: the whole topic. Pages without a topic
    belong to every one, and pages of unknown language to every language. `sites` are hosts as URLs have them
    ("www.example.edu", "example.edu:8090"), `prefix` is how a URL begins, `lang` an ISO 639 code. `since` and
    `until` are ISO 8601 days, both included, of a page's last change or else its publication: a page without
    either is outside. `archived` False leaves out what the site itself has put away.
    """

    topics: Mapping[str, tuple[str, ...]] | None = None
    sites: tuple[str, ...] = ()
    prefix: str | None = None
    lang: str | None = None
    since: str | None = None
    until: str | None = None
    archived: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """A visitor's question. `history` holds (role, text) turns before it, oldest first.

    `within` is where to search; its topics, if it names any, go before those that the question sounds like.
    `cited` are the sources of the last answer in the history, where they are known. `hurried`: the server
    sheds load, so it is answered from keyword search alone, without a language model. `lang` is
    the language of the page it was asked on, where that is known.
    """

    text: str
    conversation_id: str
    message_id: str
    trace_id: str
    site: str = MAIN
    strategy: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    within: Scope | None = None
    cited: tuple[Citation, ...] = ()
    hurried: bool = False
    lang: str | None = None
