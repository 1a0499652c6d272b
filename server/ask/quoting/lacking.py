"""What a quoted answer would have to have and has not: an address where mail is asked for, a sum where a
price is, the year that the question names.

A reader of passages takes what stands nearest for the answer: of somebody's mail the room, of next year's
fair this year's. Where a question asks for no more and no less than one such thing, that is no answer.
"""

from __future__ import annotations

import re
from dataclasses import replace

from server.ask.conversation.asked_time import AskedTime
from server.ask.conversation.asking_part import asking_part
from server.ask.course_codes import codes_in
from server.ask.quoting.answer import ExtractiveAnswer
from server.ask.quoting.score import AnswerType
from server.lexicons import lexicon
from server.models.table_rows import read_row
from server.sentences import without_marks

# Such an answer is no likelier right than this (docs/answers.md, "What an answer must have").
MOST = 0.1

_LEXICON = lexicon("must_have")
_NONE_OF, _ASKS_ELSE = _LEXICON.pattern("none_of"), _LEXICON.pattern("asks_else")
_WORD = re.compile(r"\w+")
_YEAR = re.compile(r"(?<![\d$,.-])(?:19|20)\d\d(?![\d%]|[,.]\d)")
_YEARS = re.compile(r"\b((?:19|20)\d\d)\s?[–/-]\s?((?:19|20)?\d\d)\b")
_OF_ONESELF = re.compile(rf"\b{_LEXICON.part('year')['of_oneself']}\W+(?:\w+\W+){{0,7}}$", re.IGNORECASE)


_MUST = tuple(AnswerType(row["name"], row.pattern("asked"), row.pattern("looks")) for row in _LEXICON["must"])


def what_lacks(question: str, told: str) -> str:
    """What the question asks for and the words have not: "e-mail", "money", "year", …; "" for nothing."""
    question = asking_part(question) or question
    if _NONE_OF.search(question):
        return ""
    for must in () if _ASKS_ELSE.search(question) else _MUST:
        if must.asked.search(question) and not must.looks.search(told):
            return must.name
    if _is_of_other_courses(question, told):
        return "course"
    meant = {
        int(one[0]) for one in _YEAR.finditer(question) if not _OF_ONESELF.search(question[: one.start()])
    }
    return "year" if meant and (named := _years(told)) and not meant & named else ""


def _is_of_other_courses(question: str, told: str) -> bool:
    """Whether a course is asked about and rows are told of others of its subject, and never it."""
    asked = [code for code in codes_in(question) if code.subjects]
    if not asked:
        return False
    keys = [code for line in told.splitlines() if (row := read_row(line)) for code in codes_in(row.cells[0])]
    is_told = any(one.means(other) for one in asked for other in codes_in(told))
    return not is_told and any(one.is_of(other) for one in asked for other in keys)


def _years(text: str) -> set[int]:
    """Every year that a text names, those of "1983–1999" and "2026–27" among them."""
    found = {int(year) for year in _YEAR.findall(text)}
    for first, last in _YEARS.findall(text):
        found.update(range(int(first), int(first[: -len(last)] + last) + 1))
    return found


def doubted(question: str, draft: ExtractiveAnswer, asked: AskedTime | None = None) -> ExtractiveAnswer:
    """The answer, less sure where it lacks what is asked for; what lacks is in its notes. `asked`: the days
    that it is about."""
    if not draft.said or draft.is_told:
        return draft
    places = "\n".join(citation.place for citation in draft.citations)
    lacks = what_lacks(question, f"{places}\n{draft.text}")
    if asked and _words(without_marks(draft.text)) <= _words(asked.words):
        lacks = "substance"  # "Friday" for "any events this friday"
    return lacking(draft, lacks) if lacks else draft


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))


def lacking(draft: ExtractiveAnswer, what: str) -> ExtractiveAnswer:
    """The answer, less sure, as it lacks `what` is asked for."""
    evidence = min(draft.evidence, MOST)
    return replace(
        draft, evidence=evidence, notes={**draft.notes, "evidence": round(evidence, 4), "lacks": what}
    )
