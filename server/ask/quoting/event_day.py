"""What is on, on a day: "who speaks at the statistics seminar on october 17". The entry of that day is quoted
of the page that has the others.

Such an entry is a day, a name and a title below each other, with none of the question's words, and a small
reader is sure of none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from server.academic_terms import days_in, terms_in_url
from server.ask.conversation.asked_time import AskedTime, without_time
from server.ask.quoting.day_fit import DATE, is_of_days
from server.ask.quoting.score import QuestionFeatures, ScoredSentence, score_sentences
from server.lexicons import lexicon
from server.models import Candidate, Passage
from server.models.table_rows import read_row

_WORDS = lexicon("events")
_EVENT, _AROUND = (_WORDS.pattern(name, r"\b(?:{})\b") for name in ("events", "around"))
# Before the day an entry has at most a weekday or a label: "Thursday, October 17", "Date: October 17, 2013".
_BEFORE = re.compile(r"\W*(?:\w+\W+){0,2}")
# Of an address what may be short for a word.
_ADDRESS = re.compile(r"[a-z]{4,}")
# A day alone tells nothing of what is on.
LEAST_CHARS = 12


def asked_event(question: str, asked: AskedTime | None) -> str | None:
    """The words that say what is asked to be on, on a few days: "statistics" of "any statistics seminar on
    october 17"; None where nothing is."""
    if asked is None or not is_of_days(asked) or not _EVENT.search(question):
        return None
    what = _EVENT.sub(" ", without_time(question, asked.words))
    return " ".join(_AROUND.sub(" ", what).split())


def event_of_day(
    what: str, candidates: Iterable[Candidate], wanted: QuestionFeatures
) -> ScoredSentence | None:
    """The entry of the day that is meant, on a page or in a section of such events that has all words that
    say `what`; None where none has. Old news is none."""
    [said] = wanted.stems([what])
    of = said & set(wanted.word_weights)
    for candidate in candidates:
        passage, above = candidate.passage, _dated_place(candidate.passage)
        if candidate.stale or not _EVENT.search(f"{passage.title}\n{passage.heading}"):
            continue
        lines = passage.text.split("\n")
        if not any(_is_of_day(line, above, wanted) for line in lines) or not _is_about(of, passage, wanted):
            continue
        for quote in score_sentences([candidate], wanted):
            if _is_entry(quote.text) and _is_of_day(quote.text.partition("\n")[0], above, wanted):
                return quote
    return None


def _is_about(of: set[str], passage: Passage, wanted: QuestionFeatures) -> bool:
    """Whether its text, or its address (stat.example.edu: "statistics"), has all of these."""
    address = " ".join(_ADDRESS.findall(passage.url.casefold()))
    told, named = wanted.stems([f"{passage.title}\n{passage.heading}\n{passage.text}", address])
    left = of - wanted.with_synonyms(told)
    return all(any(word.startswith(part) for part in named) for word in left)


def _dated_place(passage: Passage) -> str:
    """What is above an entry and says of which year it is; the page's address may say it alone."""
    terms = (term.name.replace("-", " ") for term in terms_in_url(passage.url))
    return "\n".join((passage.title, passage.heading, *terms))


def _is_of_day(line: str, above: str, wanted: QuestionFeatures) -> bool:
    """Whether a line begins with the day that is meant."""
    return _is_dated(line) and wanted.day_fit(line, above) >= DATE


def _is_dated(line: str) -> bool:
    """Whether a line begins with a day."""
    days = days_in(line)
    return bool(days) and _BEFORE.fullmatch(line, 0, days[0].start) is not None


def _is_entry(text: str) -> bool:
    """Whether it is an entry with its day: lines below it, or a row."""
    first, _, below = text.partition("\n")
    rest = below if _is_dated(first) and not read_row(first) else (text if read_row(first) else "")
    return len(rest.strip()) >= LEAST_CHARS
