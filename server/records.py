"""The nouns that travel between the rooms: small, frozen, free of behaviour beyond their own JSON.

A page's way in: `SourcePage` → `Document` (of `Section`s of `Block`s) → `Chunk`.
A site's table: `Site` with its `Theme`, `SiteTopic`s, `Contact`s and `HelpLine`s.
A question's way: `Question` → `Hit` (an index's answer) → `Candidate` (a `Passage` with its scores)
→ `Answer` with `Citation`s, and a `Trace` of what each step saw.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

BlockKind = Literal["paragraph", "list", "table", "definition"]
RefusalReason = Literal["off_topic", "no_evidence", "unsafe"]
RefusalReasons: tuple[RefusalReason, ...] = ("off_topic", "no_evidence", "unsafe")
# Why an answer was found helpful, and why not.
FeedbackReasons: Mapping[bool, tuple[str, ...]] = {
    True: ("clear", "complete", "other"),
    False: ("wrong", "incomplete", "outdated", "off_topic", "other"),
}


# --- a page's way in ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SourcePage:
    """One page as it was fetched, or as a line of a pages file gave it.

    `body` is raw bytes from the crawl store (its charset still to be found) or text from a pages file;
    `is_html` says which extraction it needs. Times are ISO 8601, as far as they are known.
    """

    url: str
    body: bytes | str
    is_html: bool = True
    title: str | None = None
    status: int = 200
    content_type: str | None = None
    last_modified: str | None = None
    fetched_at: str | None = None


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, a definition or one table row, as text that reads alone."""

    kind: BlockKind
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """The blocks under one heading; `heading_path` runs from the page's first heading down to it."""

    heading_path: tuple[str, ...]
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """What is worth knowing of a page: its main text, in sections. Dates are ISO 8601 days or times.

    `terms` are the terms and academic years it speaks of ("2024-fall", "2024/25"), the oldest first;
    `archived`: the site itself has put it away.
    """

    url: str
    title: str
    sections: tuple[Section, ...]
    lang: str | None = None
    published: str | None = None
    modified: str | None = None
    fetched_at: str | None = None
    terms: tuple[str, ...] = ()
    archived: bool = False

    @property
    def text(self) -> str:
        """All the main text, without the headings."""
        return "\n".join(block.text for section in self.sections for block in section.blocks)


@dataclass(frozen=True, slots=True)
class Drop:
    """A page that was left out, and why. `reason` is a stable word, `detail` a sentence for a person."""

    url: str
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a document, small enough to embed. `ordinal` counts within its page from 0.

    `terms` are those that its headings and text name, or else those of its page.
    """

    url: str
    ordinal: int
    title: str
    heading_path: tuple[str, ...]
    text: str
    terms: tuple[str, ...] = ()

    @property
    def heading(self) -> str:
        """The heading path as one line, without a first heading that only repeats the title."""
        return heading_line(self.title, self.heading_path)

    @property
    def indexed_text(self) -> str:
        """What is embedded: title and headings, then the text, so that a bare table row has a subject."""
        return lead_line(self.title, self.heading) + "\n" + self.text


def heading_line(title: str, heading_path: tuple[str, ...]) -> str:
    """`("Tuition", "Graduate")` under the title "Tuition" → `"Graduate"`."""
    known = title.casefold()
    path = [h for h in heading_path if h]
    if path and (path[0].casefold() == known or known.startswith(path[0].casefold())):
        path = path[1:]
    return " › ".join(path)


def lead_line(title: str, heading: str) -> str:
    """Title and headings as the line before a passage's text; empty where it has neither."""
    return " · ".join(part for part in (title, heading) if part)


# --- a site -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words for a person: (language, words) pairs; a language of "" stands for every language."""

    by_language: tuple[tuple[str, str], ...] = ()

    def said_in(self, lang: str) -> str:
        """In that language, or else in the first there is; empty when there are no words at all."""
        words = dict(self.by_language)
        return words.get(lang) or words.get("") or next(iter(words.values()), "")

    def speaks(self, lang: str) -> bool:
        """Whether there are words in that very language, or words for every language."""
        return any(own in ("", lang) for own, _ in self.by_language)


@dataclass(frozen=True, slots=True)
class Contact:
    """Where a person can be asked: at least one of e-mail address, telephone number and http(s) address."""

    label: Phrase
    email: str = ""
    phone: str = ""
    url: str = ""
    hours: Phrase = Phrase()


@dataclass(frozen=True, slots=True)
class HelpLine:
    """Who helps in distress or danger; `says` is a sentence for the visitor who may need it."""

    label: Phrase
    says: Phrase = Phrase()
    phone: str = ""
    url: str = ""
    hours: Phrase = Phrase()


@dataclass(frozen=True, slots=True)
class SiteTopic:
    """One of the classifier's topics as a site presents it: suggested questions, who to ask."""

    name: str
    title: Phrase
    questions: tuple[Phrase, ...] = ()
    contacts: tuple[Contact, ...] = ()


@dataclass(frozen=True, slots=True)
class Palette:
    """Colours (`#rrggbb`) in one scheme: a surface of the site's colour, the text on it, and links."""

    colour: str
    text: str
    link: str


@dataclass(frozen=True, slots=True)
class Logo:
    """An image file, as it is served."""

    body: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Theme:
    """How a site looks; the palettes' contrasts have been checked. `font` is a CSS font-family list or empty.

    `position` is the corner of the page the button lies in.
    """

    light: Palette
    dark: Palette
    corner_px: int = 14
    font: str = ""
    position: Literal["left", "right"] = "right"
    logo: Logo | None = None


@dataclass(frozen=True, slots=True)
class Site:
    """One web site that Lodge answers for. `key` is its name in addresses, `name` the one for people.

    Only pages of `origins` may embed the widget or call the API from a script. `languages` are those of the
    chat page, the first is the default, none: all there are; `content_language` is that of the site's own
    pages. An empty `strategy` is the server's default.
    """

    key: str
    name: str
    theme: Theme
    origins: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    content_language: str = "en"
    contact_url: str = ""
    questions: tuple[Phrase, ...] = ()
    contacts: tuple[Contact, ...] = ()
    topics: tuple[SiteTopic, ...] = ()
    help_lines: tuple[HelpLine, ...] = ()
    strategy: str = ""
    max_question_chars: int = 2000

    def topic(self, name: str | None) -> SiteTopic | None:
        """The topic of that name, if the site says anything of it."""
        return next((topic for topic in self.topics if topic.name == name), None)


# --- a question's way --------------------------------------------------------------------------
# A flow yields `Event`s: any number of `Status`, `Token` and `Cited`, then exactly one `Final`.


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
    `cited` are the sources of the last answer in the history, where they are known.
    """

    text: str
    conversation_id: str
    message_id: str
    trace_id: str
    site: str = "main"
    strategy: str | None = None
    history: tuple[tuple[str, str], ...] = ()
    within: Scope | None = None
    cited: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """One chunk found by one index, best first in its list; what `score` means is the index's own."""

    chunk_id: int
    score: float


class Ranking(list[Hit]):
    """An index's answer, best first, with what the trace should say of how it came about.

    `notes` belong to the answer and not to the index, which answers several questions at once.
    """

    def __init__(self, hits: Iterable[Hit] = (), notes: Mapping[str, Any] | None = None) -> None:
        super().__init__(hits)
        self.notes: Mapping[str, Any] = notes or {}


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as it was published, with what a citation needs of its page."""

    chunk_id: int
    url: str
    title: str
    heading: str
    text: str
    lang: str | None = None
    last_modified: str | None = None
    fetched_at: str | None = None
    terms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a cross-encoder made of a question and a passage.

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

    `preference` (−1 to 1) says how well the terms it speaks of suit the question.
    """

    passage: Passage
    score: float
    semantic_score: float | None = None
    semantic_rank: int | None = None
    keyword_score: float | None = None
    keyword_rank: int | None = None
    preference: float = 0.0
    reading: Reading | None = None


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
class Caution:
    """Why a source may not hold any more; `n` is its citation's number.

    `past_term`: it speaks of nothing newer than `term`, which is over; `changed`: its page says something
    else than when it was read, or is gone.
    """

    kind: Literal["past_term", "changed"]
    n: int
    term: str = ""


@dataclass(frozen=True, slots=True)
class Freshness:
    """How new an answer's sources are: `as_of` is an ISO 8601 day, None where no source carries a date."""

    as_of: str | None = None
    cautions: tuple[Caution, ...] = ()


@dataclass(frozen=True, slots=True)
class PlainContact:
    """A `Contact` in the language of the site's own pages."""

    label: str
    email: str = ""
    phone: str = ""
    url: str = ""
    hours: str = ""


@dataclass(frozen=True, slots=True)
class ClosestPage:
    """A page to look at when the site gives no answer."""

    url: str
    title: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The contract of `POST /api/ask` and `lodge ask --json`; `as_json` is its letter.

    `answerer` is "extractive", "llm" or "curated"; "help" where help lines are all there is to say,
    "courtesy" for a friendly line. `degraded` says why the language model did not write this, or not to its
    end: the `trouble` of an `LlmUnavailableError`. `notices` are urgent and stand above the answer;
    `contacts`, of a refusal, are whom to ask instead; `as_of` and `cautions` say how new its sources are.
    """

    answer: str
    refused: bool
    refusal_reason: RefusalReason | None
    answerer: str
    degraded: str | None
    citations: tuple[Citation, ...]
    closest_pages: tuple[ClosestPage, ...]
    strategy: str
    snapshot: str
    conversation_id: str
    message_id: str
    trace_id: str
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    contacts: tuple[PlainContact, ...] = ()
    as_of: str | None = None
    cautions: tuple[Caution, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The JSON object of the contract, every key always present."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TraceStep:
    """What one step did. `ranking` is its passages, best first, as hits; `notes` is whatever else it saw."""

    step: str
    ms: float
    ranking: tuple[Hit, ...] = ()
    notes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Trace:
    """Everything needed to see why an answer came out as it did, and to ask the same again.

    `passages` holds every passage that any step ranked, by chunk id, so that a trace outlives its snapshot.
    """

    trace_id: str
    question: str
    strategy: str
    snapshot: str
    versions: Mapping[str, str]
    steps: tuple[TraceStep, ...]
    passages: Mapping[int, Passage]

    def as_json(self) -> dict[str, Any]:
        """A JSON object; the keys of `passages` are strings, as JSON wants them."""
        plain = asdict(self)
        plain["passages"] = {str(key): value for key, value in plain["passages"].items()}
        return plain


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question and its answer, as it goes into the records store: `asked_at` is ISO 8601, UTC."""

    question: Question
    answer: Answer
    trace: Trace
    asked_at: str


@dataclass(frozen=True, slots=True)
class Feedback:
    """What a visitor thinks of one answer; `given_at` is ISO 8601, UTC.

    `reason` is one of `FeedbackReasons[helpful]` or empty, `comment` the visitor's own words or empty.
    """

    conversation_id: str
    message_id: str
    helpful: bool
    reason: str
    comment: str
    given_at: str


@dataclass(frozen=True, slots=True)
class Status:
    """The flow has begun a step; `step` is its name ("retrieve", "answer")."""

    step: str
    kind: Literal["status"] = "status"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the answer's text, in order; joined they are `Final.answer.answer`."""

    text: str
    kind: Literal["token"] = "token"


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation, as soon as the text that refers to it has been yielded."""

    citation: Citation
    kind: Literal["citation"] = "citation"


@dataclass(frozen=True, slots=True)
class Final:
    """The whole answer and its trace. By the time it is yielded, both are in the records store."""

    answer: Answer
    trace: Trace
    kind: Literal["final"] = "final"


Event = Status | Token | Cited | Final
