"""Who holds a post: "who is the president", "who chairs biology". The line is quoted that names somebody and
the post together.

A small reader takes whatever stands on the page of a post for its answer: who held it before, the assistant's
room.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from server.ask.quoting.contact import told_of_one
from server.ask.quoting.posts import AskedPost, is_another, is_person, post_in
from server.ask.quoting.score import QuestionFeatures, ScoredSentence
from server.lexicons import any_of, lexicon
from server.models.table_rows import read_row

_POSTS = lexicon("contacts").part("posts")
_ASKED = re.compile(
    r"\b(?:who(?:['’]?s| is)?|names? of)(?: (?:the|our|your|ur))?(?: (?:current|new))? "
    r"(?P<what>[^?!.,;]{4,60})[?!.\s]*$",
    re.IGNORECASE,
)
# The post alone, of what it is: "ics dean", "chair of statistics".
_ALONE = re.compile(
    rf"\W*(?:the )?(?P<what>(?:[\w&.'’-]+ ){{1,4}}(?:{any_of(_POSTS['alone'])})"
    rf"|(?:{any_of(_POSTS['alone'])}) of [^?!.,;]{{2,40}})[?!.\s]*$",
    re.IGNORECASE,
)
_PAST = re.compile(rf"\b(?:{any_of(_POSTS['past'])})\b|(?:19|20)\d\d\s?[–-]\s?(?:19|20)\d\d", re.IGNORECASE)
_NAME = re.compile(
    r"(?:(?:Dr|Prof|Mr|Mrs|Ms|Hon|Rev)\.? )?[A-Z][\w'’-]+(?: (?:[A-Z][\w'’-]*\.?|de|la|van|von|del|di))+"
)
# Who asks for its president need not find the word beside the name.
_ITSELF = "university college school campus institution"
# Of a sentence so many characters at most stand between a name and its post.
NEAR = 30


def asked_post(question: str) -> AskedPost | None:
    """Which post a question asks for; None for one that several hold, and for another's ("vice provost")."""
    asked = _ASKED.search(question) or _ALONE.match(question)
    return post_in(asked["what"]) if asked else None


def post_holder(
    asked: AskedPost, quoted: Sequence[ScoredSentence], wanted: QuestionFeatures
) -> ScoredSentence | None:
    """The best line that names somebody and the post together, on a page or in a section of what it is of, or
    else with that in the line, which may be of something else there ("Ada Quill (chair) — Degree: BS CS").

    None where none does, and where it is another's: the assistant's, a former one's.
    """
    of, itself = wanted.stems([asked.of, _ITSELF])
    of &= set(wanted.word_weights)
    of = of if of - itself else set()
    told: ScoredSentence | None = None
    for quote in quoted:
        text = told_of_one(quote)
        if not _names_holder(asked.post, text):
            continue
        place = f"{quote.passage.title} {quote.passage.heading}"
        above, said = map(wanted.with_synonyms, wanted.stems([place, f"{place} {text}"]))
        if of <= said and (of or asked.post.search(place)):
            if of <= above:
                return quote
            told = told or quote
    return told


def _names_holder(post: re.Pattern[str], text: str) -> bool:
    if _PAST.search(text):
        return False
    names = [match for match in _NAME.finditer(text) if is_person(match[0])]
    is_whole = "\n" in text or read_row(text) is not None
    return any(
        is_whole or max(name.start() - held.end(), held.start() - name.end()) <= NEAR
        for held in post.finditer(text)
        if not is_another(held)
        for name in names
    )
