"""Hours of a day in a sentence of the site's language, with Yes or No before it where that is sure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from server.ask.opening.day import DayHours, PlaceHours
from server.lexicons import lexicon
from server.messages.catalogue import Texts, fill
from server.models.hours import ALL_DAY, DAY, Spans
from server.written_hours.names import is_main_part

_ASKED = lexicon("hours").part("asked")
_YES_NO = _ASKED.pattern("yes_no", r"\W*(?:(?:so|hi|hello|hey|and|but|y|hola)\W+)?(?:{})(?!\w)")
_OPENED, _CLOSING = (_ASKED.pattern(name, r"(?<!\w)(?:{})(?!\w)") for name in ("opened", "closing"))
_ARTICLES = lexicon("hours").part("articles")
_LAST, _KINDS = _ARTICLES.words("last"), _ARTICLES.words("kinds")
_FIRST = _ARTICLES.pattern("first", r"(?:{})(?!\w)")
_WH = re.compile(
    r"(?<!\w)(?:when|wh?at|which|how|where|who|cu[aá]ndo|qu[eé]|cu[aá]l|c[oó]mo|d[oó]nde)(?!\w)",
    re.IGNORECASE,
)
_MAY = re.compile(r"\W*(?:can|could|may|puedo)(?!\w)", re.IGNORECASE)
_LATE = re.compile(
    r"(?<!\w)(?:late|early|until|till|by|before|after|tarde|temprano|hasta|antes|después)(?!\w)", re.I
)
# Parts of a day, and their minutes.
_PARTS_OF_DAY = (
    (re.compile(r"(?<!\w)(?:to-?night|tonite|2nite|evening|esta noche|night)(?!\w)", re.I), (18 * 60, DAY)),
    (re.compile(r"(?<!\w)(?:afternoon|esta tarde)(?!\w)", re.I), (12 * 60, 18 * 60)),
    (re.compile(r"(?<!\w)(?:morning|esta mañana)(?!\w)", re.I), (6 * 60, 12 * 60)),
)


@dataclass(frozen=True, slots=True)
class DatedHours:
    """A day and its hours."""

    day: date
    hours: DayHours


@dataclass(frozen=True, slots=True)
class PartHours:
    """A part of a place ("" for all of it) on each day; `late` is until when it is still open from the day
    before, in minutes after midnight."""

    name: str
    days: tuple[DatedHours, ...]
    late: int | None = None


@dataclass(frozen=True, slots=True)
class OpenState:
    """How a question asks: `now` is the minute of the day where it asks for this moment, `clock` the time of
    day that it names; `may_be_yes_no` False: it asks when."""

    text: str
    now: int | None
    clock: int | None
    may_be_yes_no: bool

    def of_the_day(self) -> OpenState:
        """The same where only the day's hours are told: neither how it is now nor a Yes or No."""
        return replace(self, now=None, may_be_yes_no=False)

    def verdict(self, spans: Spans) -> bool | None:
        """True for yes, False for no; None where the question is no such one, or it is not sure."""
        asks_open, asks_closed = _OPENED.search(self.text), _CLOSING.search(self.text)
        if not self._asks_yes_no or (asks_open and asks_closed):
            return None
        if not (asks_open or asks_closed or _MAY.match(self.text)):
            return None
        is_open = self._is_open(spans)
        return None if is_open is None else is_open is not (asks_closed is not None)

    @property
    def _asks_yes_no(self) -> bool:
        """Whether it begins as such a question does, or is one cut short ("gym still open friday 9pm?")."""
        is_cut_short = self.clock is not None and not _WH.search(self.text)
        return self.may_be_yes_no and (is_cut_short or _YES_NO.match(self.text) is not None)

    def _is_open(self, spans: Spans) -> bool | None:
        if not spans:
            return False
        if self.now is not None:
            return any(start <= self.now < end for start, end in spans)
        if _LATE.search(self.text):
            return None
        if self.clock is not None:
            does = re.match(r"\W*(?:do|does|will|abre|cierra)", self.text, re.IGNORECASE)
            return None if does else any(start <= self.clock < end for start, end in spans)
        for pattern, (first, last) in _PARTS_OF_DAY:
            if pattern.search(self.text):
                return any(start < last and first < end for start, end in spans)
        return True


def said(place: PlaceHours, parts: Sequence[PartHours], state: OpenState, texts: Texts, today: date) -> str:
    """The sentences, one a day; of several parts, all in one."""
    if len(parts) > 1:
        return " ".join(_of_parts(place, parts, i, texts, today) for i in range(len(parts[0].days)))
    [part] = parts
    name = _name_of(place, part.name)
    name = with_article(name) if texts.lang == "en" else name
    if part.late is not None and state.now is not None:
        sentence = _ended(fill(texts.hours_still_open, place=name, end=clock(part.late, texts)))
        return _answered(sentence, state.verdict(ALL_DAY), texts)
    sentences = [_of_day(name, one, state, texts, today) for one in part.days]
    if len(part.days) == 1:
        spans = part.days[0].hours.spans
        return _answered(sentences[0], None if spans is None else state.verdict(spans), texts)
    return " ".join(sentences)


def _answered(sentence: str, verdict: bool | None, texts: Texts) -> str:
    if verdict is None:
        return sentence
    return fill(texts.hours_yes if verdict else texts.hours_no, sentence=sentence)


def _name_of(place: PlaceHours, part: str) -> str:
    if not part or (is_main_part(part) and place.own):
        return place.name
    return f"{part} ({place.name})" if place.own and not is_main_part(part) else part


def with_article(name: str) -> str:
    """An English name as a sentence begins with it: "The library", "The Career Center", "Hale Hall"."""
    bare, bracket, rest = name.partition(" (")
    words = bare.casefold().split()
    if len(words) == 1 and words[0] in _KINDS:
        return f"The {bare.casefold() if not bare.isupper() else bare}{bracket}{rest}"
    takes = bool(words) and words[0] != "the" and (words[-1] in _LAST or _FIRST.match(bare) is not None)
    return f"The {name}" if takes else name


def _of_day(name: str, one: DatedHours, state: OpenState, texts: Texts, today: date) -> str:
    day, spans = day_words(one.day, texts, today), one.hours.spans
    if spans is None:
        return fill(texts.hours_unlisted, place=name, day=day)
    if not spans:
        return fill(texts.hours_closed, place=name, day=day)
    message = texts.hours_open
    if state.now is not None:
        is_open = any(start <= state.now < end for start, end in spans)
        message = texts.hours_now_open if is_open else texts.hours_now_closed
    return _ended(fill(message, place=name, day=day, times=times(spans, texts)))


def _of_parts(place: PlaceHours, parts: Sequence[PartHours], i: int, texts: Texts, today: date) -> str:
    told = []
    for part in parts:
        spans = part.days[i].hours.spans
        told.append(f"{part.name} {times(spans, texts) if spans else texts.hours_none}")
    day = day_words(parts[0].days[i].day, texts, today)
    name = place.name
    return _ended(fill(texts.hours_parts, place=name, day=day, parts="; ".join(told)))


def _ended(sentence: str) -> str:
    """With one full stop: "from 10 a.m. to 6 p.m..\""""
    return sentence[:-1] if sentence.endswith("..") else sentence


def day_words(day: date, texts: Texts, today: date) -> str:
    """ "today, Saturday, November 21"."""
    message = (
        texts.hours_today
        if day == today
        else texts.hours_tomorrow
        if day == today + timedelta(days=1)
        else texts.hours_on
    )
    return fill(message, date=texts.weekday(day))


def times(spans: Spans, texts: Texts) -> str:
    """ "from 6 a.m. to 8:30 a.m. and from noon to 1:30 p.m."."""
    if spans == ALL_DAY:
        return texts.hours_all_day
    told = [fill(texts.hours_span, start=clock(start, texts), end=clock(end, texts)) for start, end in spans]
    return texts.joined(told)


def clock(minute: int, texts: Texts) -> str:
    """ "7:30 a.m.", "noon"."""
    hours, minutes = divmod(minute % DAY, 60)
    if not minutes and hours in (0, 12):
        return texts.hours_midnight if hours == 0 else texts.hours_noon
    shown = f"{(hours - 1) % 12 + 1}:{minutes:02d}" if minutes else f"{(hours - 1) % 12 + 1}"
    return fill(texts.hours_am if hours < 12 else texts.hours_pm, clock=shown)
