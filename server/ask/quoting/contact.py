"""Whom a question asks how to reach: the line, row or record that is named by it and has a telephone, mail or
a room.

Of a directory a reader marks a telephone, and not always that of the office it is asked of.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from server.ask.quoting.posts import AskedPost, is_of_another, is_person, post_in
from server.ask.quoting.records import is_contact
from server.ask.quoting.score import ANSWER_TYPES, QuestionFeatures, ScoredSentence
from server.lexicons import lexicon
from server.models.table_rows import read_row

_WORDS = lexicon("contacts")
_EMAIL, _PHONE, _EITHER, _ROOM, _AROUND = (
    _WORDS.pattern(name, r"\b(?:{})\b") for name in ("email", "phone", "either", "room", "around")
)
_LOOKS = {kind.name: kind.looks for kind in ANSWER_TYPES} | {"room": _WORDS.pattern("room_looks")}
_WORD = re.compile(r"[^\W\d_]+")
# What parts a line into what may name someone: "Disability (Section 504): Director of Services, Weld 12".
_PARTS = re.compile(r"[,;:()\[\]/|\n—–]|\S+@\S+|\d[\d .-]+|(?<= )(?:and|or|&|y|o)(?= )")


@dataclass(frozen=True, slots=True)
class AskedContact:
    """How someone is to be reached, and the words of the question that say who: "" for nobody."""

    looks: tuple[re.Pattern[str], ...]
    who: str

    def is_told_in(self, text: str) -> bool:
        """Whether a text has what it asks for: who is in room 110 of Weld Hall does not say where that is."""
        named = set(_WORD.findall(self.who.casefold()))
        told = (found[0].casefold() for looks in self.looks for found in looks.finditer(text))
        return any(not words or words - named for words in (set(_WORD.findall(one)) for one in told))


def asked_contact(question: str) -> AskedContact | None:
    """What a question asks of how to reach someone; None where it asks something else."""
    kinds = ["e-mail"] * bool(_EMAIL.search(question)) + ["phone"] * bool(_PHONE.search(question))
    if not kinds and _EITHER.search(question):
        kinds = ["e-mail", "phone"]
    kinds += ["room"] * bool(_ROOM.search(question))
    who = question
    for words in (_EMAIL, _PHONE, _EITHER, _ROOM, _AROUND):
        who = words.sub(" ", who)
    return AskedContact(tuple(_LOOKS[kind] for kind in kinds), who) if kinds else None


def named_contact(
    asked: AskedContact, quoted: Sequence[ScoredSentence], wanted: QuestionFeatures
) -> ScoredSentence | None:
    """The best of those that tell it and have all words that say who, and are named by nothing else in one
    of their parts: "Student Accounts" of "Student Accounts (bursar), Weld 110", for "phone of the bursar".
    What has all that is asked for ("hours and phone") goes first. On a page that is called so it is a line of
    nothing but how to reach it.

    Who is named in full is meant, whatever else the question calls them: "Ana Oh the grad advisor". Of a post
    ("geology chair") the page or section may say what it is of, and another post of the name is not meant.
    """
    [said] = wanted.stems([asked.who])
    who = said & set(wanted.word_weights)
    if not who:
        return None
    names = who.union(*(other for own, other in wanted.synonyms if own <= who))
    meant = _Meant(asked, post_in(asked.who), said, who, names)
    first = None
    for quote in quoted:
        if not _is_meant(quote, meant, wanted):
            continue
        if all(kind.looks.search(quote.text) for kind in wanted.kinds):
            return quote
        first = first or quote
    return first


@dataclass(frozen=True, slots=True)
class _Meant:
    """Who is to be reached: the `post` that is named, if any, and by their stems the words of the question
    that say `who`, `names` these in other words, too, and `said` all but those of asking."""

    asked: AskedContact
    post: AskedPost | None
    said: set[str]
    who: set[str]
    names: set[str]


def _is_meant(quote: ScoredSentence, meant: _Meant, wanted: QuestionFeatures) -> bool:
    """Whether it tells what is asked of whoever is meant."""
    asked, post, said, who, names = meant.asked, meant.post, meant.said, meant.who, meant.names
    text = told_of_one(quote)
    if not asked.is_told_in(text) or (post and is_of_another(post, text)):
        return False
    told = [part for part in _PARTS.split(text) if part.strip()]
    parts = wanted.stems(told)
    is_held = post is not None and post.post.search(text) is not None
    place = wanted.stems([f"{quote.passage.title} {quote.passage.heading}"]) if is_held else []
    all_ = wanted.with_synonyms(set(chain.from_iterable([*parts, *place])))
    if who <= all_ and any(part & names and part <= names | said for part in parts):
        return True
    if any(part & who and part <= said and is_person(name) for name, part in zip(told, parts, strict=True)):
        return True
    return post is None and is_contact(text) and _is_page_of(quote, who, wanted)


def _is_page_of(quote: ScoredSentence, who: set[str], wanted: QuestionFeatures) -> bool:
    """Whether its page is called as whoever is meant: "Psychology", for "psychology department phone"."""
    named, bare = wanted.stems([quote.passage.title, _AROUND.sub(" ", quote.passage.title)])
    return bool(bare) and bare <= who <= named


def told_of_one(quote: ScoredSentence) -> str:
    """What is told of one person or office: the record, the row or the line of it, or the sentence."""
    if quote.unit.is_record or read_row(quote.text) or is_contact(quote.text):
        return quote.text
    return quote.sentence
