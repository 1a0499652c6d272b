"""What a line says of hours: "Mon–Fri: 6–8:30 a.m., noon–1:30 p.m.", "closed Sundays".

A clause is read whole or not at all: what is left over of one about being open casts doubt on its days.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from server.academic_terms import WrittenDays, days_in
from server.lexicons import any_of, lexicon, word_set
from server.models.hours import ALL_DAY, Spans
from server.written_hours.clocks import (
    DAYS,
    HAS_MERIDIEM,
    ONE_CLOCK,
    RANGE,
    days_of,
    spans_of,
    without_dots,
)

_WORDS = lexicon("hours")
_EVENTS = [(row["name"], rf"(?:{any_of(row['page'])})(?! day)") for row in lexicon("time")["events"]]
_HOLIDAYS = [
    (row["page"], re.escape(row["page"]) + (" Day" if row["page"] == "Thanksgiving" else ""))
    for row in lexicon("time")["holidays"]
]

_CLOSED = _WORDS.pattern("closed", r"(?<![\w-])(?:{})(?![\w-])")
_ALL_DAY = _WORDS.pattern("all_day", r"(?<![\w-])(?:{})(?![\w-])")
_EXCEPT = _WORDS.pattern("except", r"(?<![\w-])(?:{})(?![\w-])")
_NOTHING = re.compile(r"\s*(?:[-–—]+|n/?a)\s*", re.IGNORECASE)
_CONDITIONS = [
    (name, _WORDS.part("conditions").pattern(name, r"(?<![\w-])(?:{})(?![\w-])"))
    for name in _WORDS["conditions"]
]
_NAMED_DAYS = [
    (name, re.compile(rf"(?<![\w-])(?:(?:during|over|on|for) )?(?:the )?(?:{page})(?![\w-])", re.IGNORECASE))
    for name, page in [*_EVENTS, *_HOLIDAYS]
]
_FILLERS = _WORDS.words("fillers")
_OPENING = _WORDS.pattern("opening", r"(?<!\w)(?:{})(?!\w)")
_CONTACT = re.compile(
    r"\(?\b\d{3}\)?[ .-]?\d{3}[ .-]\d{4}\b|\S+@\S+\.\w+|\bextension \d+|https?://\S+"
    r"|\b(?:phone|e-?mail|tel|fax)\b:?",
    re.IGNORECASE,
)
_STARTS_SENTENCE = re.compile(r"(\b[ap]m)(?=\s+[A-Z])")
_CLAUSES = re.compile(r"[;•|\n]|(?<!\b[A-Z])(?<!\bSt)(?<!\bDr)\.(?=\s|$)|(?<=\w),\s+(?=but\b)")
_JOINING = word_set("of the and for in at on to de la del y &")
_NAME = re.compile(r"[A-Z0-9“\"(][^.:;!?]{0,90}")
_LEAD_VERB = re.compile(
    r"^(?P<name>.{2,60}?),?\s+(?:is|are|runs|operates)\b(?:\s+(?:in|on|at)\s+[^,]{2,60},)?(?:\s+open)?$",
    re.IGNORECASE,
)
_SINCE = re.compile(r"\s*(?:from|beginning|starting|since|as of|desde)\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]+(?:['’][a-z]+)?")
# "When we are closed, call …" tells no hours; "the study room stays open …" tells those of the study room.
_ASIDE = re.compile(
    r"\b(?:when|while|if|whenever|outside|after) (?:we|the [\w ]{1,30}|it)\b(?: is| are|['’]re)?"
    r" (?:closed|not open)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"\s*(?:(?:the|our|a|an)\s+)?(?P<name>[^\W_][\w'’& -]{2,60}?)(?:\s*\([^)]*\))?(?:\s+now)?\s+"
    r"(?:is|are|opens?|closes?|stays?|runs?|will|has|have|keeps?|reopens?|remains?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class WrittenHours:
    """What one clause says: the days of the week, the stretches of each, and what it names besides.

    `spans` () is closed, None what could not be read; `dates` and `when` are its dates and conditions,
    `label` what stands before it; `since`: it holds from its date on.
    """

    weekdays: tuple[int, ...] = ()
    spans: Spans | None = ()
    dates: tuple[WrittenDays, ...] = ()
    when: tuple[str, ...] = ()
    label: str = ""
    since: bool = False


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    start: int
    end: int
    days: tuple[int, ...] = ()
    spans: Spans = ()
    dates: WrittenDays | None = None
    when: str = ""


@dataclass(slots=True)
class _Clause:
    """A clause as it is taken apart."""

    text: str
    tokens: list[_Token] = field(default_factory=list)

    def add(self, token: _Token) -> None:
        """Keep a token, unless it overlaps one that is kept."""
        if all(token.end <= one.start or one.end <= token.start for one in self.tokens):
            self.tokens.append(token)

    def between(self) -> tuple[str, str]:
        """The words before the first token, and those between and after the tokens."""
        self.tokens.sort(key=lambda one: one.start)
        rest, at = [], self.tokens[0].end
        for token in self.tokens[1:]:
            rest.append(self.text[at : token.start])
            at = token.end
        return self.text[: self.tokens[0].start], " ".join([*rest, self.text[at:]])


def read_hours(text: str, *, is_cell: bool = False) -> list[WrittenHours]:
    """What a line says of hours, clause by clause; empty where it says nothing of them.

    A table's cell may have nothing but a dash, which is no hours.
    """
    if is_cell and _NOTHING.fullmatch(text):
        return [WrittenHours()]
    plain = _STARTS_SENTENCE.sub(_ended, without_dots(text))
    plain = plain.replace(" · ", ", ")
    found: list[WrittenHours] = []
    for clause in _CLAUSES.split(plain):
        if not _ASIDE.search(clause):
            found += _read_clause(clause, is_cell=is_cell)
    return found if is_cell else [one for one in map(_with_days, found) if one]


def _with_days(one: WrittenHours) -> WrittenHours | None:
    """What a line says: times without any day are in doubt, and "Status: Closed" is about no hours."""
    if one.weekdays or one.dates or one.when or one.spans in (None, ALL_DAY):
        return one
    return replace(one, spans=None) if one.spans else None


def conditions_in(text: str) -> tuple[str, ...]:
    """The conditions and events that a heading names: "Hours in term", "Finals week"."""
    return tuple(name for name, pattern in (*_CONDITIONS, *_NAMED_DAYS) if pattern.search(text))


def _ended(match: re.Match[str]) -> str:
    """A time at the end of a sentence, unless days follow it: "8 a.m.–5 p.m. Monday to Friday"."""
    follows = match.string[match.end() :].lstrip()
    return match[1] if DAYS.match(follows) else f"{match[1]}."


def _read_clause(text: str, *, is_cell: bool) -> list[WrittenHours]:
    before, _, after = _split_exception(text)
    clause = _taken_apart(_CONTACT.sub(" ", before))
    if not any(token.kind in ("time", "closed") for token in clause.tokens):
        return _doubts(clause)
    lead, rest = clause.between()
    label = _label(lead)
    if label is None or not _words(rest) <= _FILLERS:
        return _doubts(clause) if is_cell or _OPENING.search(text) or not lead.strip() else []
    read = _statements(clause, label)
    if after:
        doubt = _doubts(_taken_apart(after))
        read = read + doubt if doubt and any(one.dates or one.when for one in doubt) else _doubts(clause)
    return read


def _split_exception(text: str) -> tuple[str, str, str]:
    match = _EXCEPT.search(text)
    return (text[: match.start()], match.group(), text[match.end() :]) if match else (text, "", "")


def _taken_apart(text: str) -> _Clause:
    clause = _Clause(text)
    for match in RANGE.finditer(text):
        spans = spans_of(match["start"], match["end"])
        if spans is not None:
            clause.add(_Token("time", *match.span(), spans=spans))
        elif HAS_MERIDIEM.search(match.group()) or ":" in match.group():
            clause.add(_Token("unread", *match.span()))
    for dates in days_in(text):
        clause.add(_Token("dates", dates.start, dates.end, dates=dates))
    for name, pattern in (*_CONDITIONS, *_NAMED_DAYS):
        for match in pattern.finditer(text):
            clause.add(_Token("when", *match.span(), when=name))
    for match in _ALL_DAY.finditer(text):
        clause.add(_Token("time", *match.span(), spans=ALL_DAY))
    for match in DAYS.finditer(text):
        clause.add(_Token("days", *match.span(), days=days_of(match)))
    for match in _CLOSED.finditer(text):
        clause.add(_Token("closed", *match.span()))
    for match in ONE_CLOCK.finditer(text):
        if HAS_MERIDIEM.search(match["clock"]):
            clause.add(_Token("unread", *match.span()))
    clause.tokens.sort(key=lambda one: one.start)
    return clause


def _doubts(clause: _Clause) -> list[WrittenHours]:
    """That a clause says something of its days, where it is about being open and cannot be read.

    Its label is what it speaks of, where that is named.
    """
    kinds = {token.kind for token in clause.tokens}
    is_opening = _OPENING.search(clause.text) is not None
    tells = bool(kinds & {"time", "unread", "closed"}) and (is_opening or bool(kinds & {"days", "dates"}))
    bounds = is_opening and (
        bool(kinds & {"days", "dates"}) or any(one.when in ("edges", "unknown") for one in clause.tokens)
    )
    if not tells and not bounds:
        return []
    doubt = WrittenHours(_union(clause.tokens), None, label=_subject(clause))
    return [_with_marks(doubt, clause.tokens)]


def _subject(clause: _Clause) -> str:
    """What a clause speaks of by name; "" where that is "we", days or a condition."""
    match = _SUBJECT.match(clause.text)
    if match is None or _words(match["name"]) <= _FILLERS:
        return ""
    inside = (token for token in clause.tokens if token.start < match.end("name"))
    return "" if any(token.kind in ("days", "dates", "when") for token in inside) else match["name"].strip()


def _statements(clause: _Clause, label: str) -> list[WrittenHours]:
    """Days and their times, in whichever order; dates and conditions hold for all of a clause."""
    if any(token.kind == "unread" for token in clause.tokens):
        return _doubts(clause)
    walk = _ClauseWalk(clause.tokens)
    since = _SINCE.match(clause.text) is not None
    return [
        replace(one, label=label)
        if one.dates or one.when
        else replace(_with_marks(one, walk.marks), label=label, since=since and bool(walk.marks))
        for one in walk.run()
    ]


class _ClauseWalk:
    """One pass over a clause's tokens. `marks` are the dates and conditions that hold for all of it."""

    def __init__(self, tokens: Sequence[_Token]) -> None:
        self.marks: list[_Token] = []
        self._tokens = tokens
        self._found: list[WrittenHours] = []
        self._days: set[int] = set()
        self._spans: list[tuple[int, int]] = []
        self._closed = False
        self._time_first = False
        self._lists = False  # what follows "closed" is closed, each by itself

    def run(self) -> list[WrittenHours]:
        """What is said of each group of days."""
        for i, token in enumerate(self._tokens):
            self._lists = self._lists and token.kind in ("days", "dates", "when") and not self._has_time(i)
            if self._lists:
                self._found.append(_with_marks(WrittenHours(token.days), [token]))
            elif token.kind == "days":
                self._take_days(token, i)
            elif token.kind == "time":
                if self._closed:
                    self._flush()
                self._time_first = self._time_first or not self._days
                self._spans += token.spans
            elif token.kind == "closed":
                self._close(i)
            else:
                self.marks.append(token)
        self._flush()
        return self._found

    def _take_days(self, token: _Token, i: int) -> None:
        if self._spans and self._days and not self._time_first:
            self._flush()
        self._days |= set(token.days)
        if self._spans and not self._goes_on(i):
            self._flush()

    def _close(self, i: int) -> None:
        if self._spans:
            self._flush()
        following = [token.kind for token in self._tokens[i + 1 : i + 2]]
        self._lists = not self._days and following not in ([], ["time"])
        if not self._lists:
            self._closed = True
            if self._days:
                self._flush()

    def _flush(self) -> None:
        if self._spans or self._closed:
            spans = () if self._closed else tuple(self._spans)
            self._found.append(WrittenHours(tuple(sorted(self._days)), spans))
        self._days, self._spans = set(), []
        self._closed = self._time_first = False

    def _has_time(self, i: int) -> bool:
        """Whether a time of its own follows what stands at `i`."""
        return [token.kind for token in self._tokens[i + 1 : i + 2]] == ["time"]

    def _goes_on(self, i: int) -> bool:
        """Whether more days follow, and then no time of their own: "9–5 Monday, Wednesday and Friday"."""
        following = [token.kind for token in self._tokens[i + 1 :]]
        return following[:1] == ["days"] and following[1:2] != ["time"]


def _with_marks(one: WrittenHours, tokens: Sequence[_Token]) -> WrittenHours:
    dates = tuple(token.dates for token in tokens if token.dates)
    when = tuple(dict.fromkeys(token.when for token in tokens if token.when))
    return replace(one, dates=dates, when=when)


def _union(tokens: Sequence[_Token]) -> tuple[int, ...]:
    return tuple(sorted({day for token in tokens for day in token.days}))


def _label(lead: str) -> str | None:
    """The name that stands before days and times; "" for none; None for words that are no name."""
    lead = lead.strip(" \t,–—-(")
    if not lead or _words(lead) <= _FILLERS:
        return ""
    if lead.endswith(":"):
        name = lead.rstrip(": ")
        return name if _NAME.fullmatch(name) or _NAME.fullmatch(name[:1].upper() + name[1:]) else None
    if match := _LEAD_VERB.match(lead):
        return match["name"] if len(match["name"].split()) <= 9 else None
    parts = [part.strip() for part in lead.split(",")]
    if all(_NAME.fullmatch(part) for part in parts if part) and _is_title(parts[0]):
        return parts[0]
    return None


def _is_title(text: str) -> bool:
    """Whether it is a name: a few words, each with a capital letter but those that join them."""
    words = text.split()
    return len(words) <= 6 and all(not word[0].islower() or word in _JOINING for word in words)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}
