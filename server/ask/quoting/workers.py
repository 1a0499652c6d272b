"""Who works on a subject: "who works on robotics". The lines are quoted that name somebody and the subject
together, of a list of people with their interests or of groups with who heads them.

A small reader takes any sentence on the subject for an answer, a textbook's title among them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from server.ask.quoting.item_lists import SHORT_ITEM
from server.ask.quoting.lines import line_spans
from server.ask.quoting.score import QuestionFeatures, ScoredSentence
from server.ask.quoting.sections import whole_section
from server.ask.quoting.units import Unit
from server.lexicons import any_of, lexicon
from server.models import Candidate, Passage
from server.models.quoted_table import shown_items

_WORDS = lexicon("contacts").part("workers")
_ASKED = _WORDS.pattern("asked", r"\W*(?:{}) (?P<what>[^?!.,;]{2,60})[?!.\s]*$")
_PLACE = _WORDS.pattern("places", r"\b(?:{})\b")
# Two names beside each other, with an initial or a particle between them; an entry begins with one, or says
# who heads it.
_NAME = r"[A-Z][a-z'’-]+(?: (?:[A-Z]\.|de|la|van|von|del|di|[A-Z][\w'’-]+)){1,3}"
_HEADED = rf"[^\n]+[(,:;–—-] *(?i:{any_of(_WORDS['headed'])}):? {_NAME}"
_ENTRY = re.compile(rf"(?:(?:Dr|Prof)\.? )?{_NAME},? *(?:[:(–—]|-{{1,3}} )|{_HEADED}")
# Such a list has so many lines at least, and none of them is so much longer than an item of others is.
LEAST_LINES, LONGER = 3, 3


def asked_subject(question: str) -> str:
    """On what a question asks who works; "" where it asks nothing such."""
    asked = _ASKED.match(question)
    return asked["what"] if asked else ""


def workers_on(
    what: str, candidates: Iterable[Candidate], wanted: QuestionFeatures
) -> tuple[ScoredSentence, ...]:
    """The lines of the first list that names somebody and the subject together, as many as are shown of a
    list; none where there is none."""
    [subject] = wanted.stems([what])
    subject &= wanted.word_weights.keys()
    for candidate in candidates if subject else ():
        passage = candidate.passage
        if not _is_list_of_workers(passage) or not _lines_on(subject, passage, wanted):
            continue
        chunks = whole_section(passage, wanted.passages)
        found = [one for chunk in chunks for one in _lines_on(subject, chunk, wanted)]
        *few, last = found[: len(shown_items(len(found)))]
        left = len(found) - len(few) - 1
        return (*few, replace(last, unit=replace(last.unit, left=left)))
    return ()


def _is_list_of_workers(passage: Passage) -> bool:
    """Whether it is a list by its lines, on a page of people or groups that is nobody's own."""
    lines = passage.text.split("\n")
    if passage.kind == "person" or not _PLACE.search(f"{passage.title}\n{passage.heading}"):
        return False
    return len(lines) >= LEAST_LINES and max(map(len, lines)) <= LONGER * SHORT_ITEM


def _lines_on(subject: set[str], passage: Passage, wanted: QuestionFeatures) -> list[ScoredSentence]:
    """Its lines that have a name and all words of the subject."""
    text = passage.text
    spans = [span for span in line_spans(text) if _ENTRY.match(text[slice(*span)])]
    told = wanted.stems([text[slice(*span)] for span in spans])
    return [
        ScoredSentence(passage, *span, 1.0, 0.0, 1.0, True, unit=Unit(*span))
        for span, stems in zip(spans, told, strict=True)
        if subject <= wanted.with_synonyms(stems)
    ]
