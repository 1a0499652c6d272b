"""The parts of what editors set, in their own words: what each item says, and what a draft changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Item = dict[str, Any]
Book = Mapping[str, Any]

# Marks of Markdown that a line of plain text is told without.
_EMPHASIS = re.compile(r"\*{1,2}(?=\S)|(?<=\S)\*{1,2}|`")

LEAVE_OUT: Mapping[str, str] = {
    "prefix": "whose address begins with",
    "pattern": "whose address is like (* stands for anything)",
    "pages": "with one of these addresses",
    "older": "not changed for so many months",
    "thinner": "with less text than so many characters",
}
FAVOUR: Mapping[str, str] = {
    "prefer": "First among equals: it answers where it answers about as well as the best",
    "pin": "Always first: it answers wherever it answers at all",
}
KIND: Mapping[str, str] = {
    "reference": "a page that tells how things are",
    "news": "news",
    "event": "an event",
    "person": "a person, or a list of people",
    "form": "a form",
    "links": "a list of links",
    "archived": "old, and kept for the record",
}
AUDIENCE: Mapping[str, str] = {
    "prospective": "people who may apply",
    "undergraduate": "undergraduates",
    "graduate": "graduate students",
    "international": "international students",
    "transfer": "transfer students",
    "parent": "parents and families",
    "alumni": "alumni",
    "staff": "faculty and staff",
}
_LONGEST_ID = 60
_SMALL_WORD = re.compile(
    r"(?:a|about|all|am|an|and|any|are|as|at|be|by|can|could|do|does|for|from|get|go|has|have|how|i|if|in|is|it|"
    r"many|me|much|my|need|of|on|or|our|please|should|tell|that|the|there|they|this|to|was|we|what|when|where|"
    r"which|who|whom|why|will|with|would|you|your)"
)


@dataclass(frozen=True)
class Part:
    """One list of a rulebook. `says` puts an item into words."""

    key: str
    title: str
    about: str
    says: Callable[[Item], str]


def _leave_out(item: Item) -> str:
    value = item["value"]
    told = {
        "prefix": f"Pages whose address begins with {value}",
        "pattern": f"Pages whose address is like {value}",
        "pages": f"{len(value.splitlines())} pages by their addresses: {', '.join(value.split())}",
        "older": f"Pages not changed for {value} months",
        "thinner": f"Pages with less than {value} characters of text",
    }
    return told.get(item["kind"], str(value))


def _favour(item: Item) -> str:
    place = "Always first" if item["kind"] == "pin" else "First among equals"
    asked = f"about {item['topic']}" if item.get("topic") else f"with the words “{item['phrase']}”"
    return f"{place}: {item['page']}, for questions {asked}"


def _label(item: Item) -> str:
    pages = f"Pages that begin with {item['page'][:-1]}" if item["page"].endswith("*") else item["page"]
    verb = "are" if item["page"].endswith("*") else "is"
    told = [f"{verb} {KIND.get(item['kind'], item['kind'])}"] if item.get("kind") else []
    if item.get("audiences") is not None:
        named = [AUDIENCE.get(one, one) for one in item["audiences"]]
        told.append(f"{verb} for {', '.join(named) or 'anyone'}")
    return f"{pages} {' and '.join(told)}"


def _wording(item: Item) -> str:
    said = " or ".join(f"“{one}”" for one in item["says"])
    return f"Visitors say {said}, the pages write “{item['means']}”"


def _contact(item: Item) -> str:
    where = ", ".join(item[name] for name in ("phone", "email", "url", "hours") if item.get(name))
    return f"{item['label']}{_for_topic(item)}: {where}"


def _curated(item: Item) -> str:
    text = _EMPHASIS.sub("", item["text"])
    return f"“{item['phrasings'][0]}”{_for_topic(item)}: {text}"


def _notice(item: Item) -> str:
    return f"Until {item['until'][:16].replace('T', ' ')}: {item['text']}"


def _suggestion(item: Item) -> str:
    return str(item["text"])


def _for_topic(item: Item) -> str:
    return f" (about {item['topic']})" if item.get("topic") else ""


PARTS: Sequence[Part] = (
    Part("leave_out", "Leave out pages", "No answer is made from these pages.", _leave_out),
    Part("favours", "Put pages first", "These pages answer first, for some questions.", _favour),
    Part("labels", "What pages are", "News or not, and for whom, where a page is taken for another.", _label),
    Part("wordings", "Words", "What visitors say, and what the pages write for it.", _wording),
    Part("curated", "Answers", "Questions with an answer in your own words.", _curated),
    Part("notices", "Urgent notices", "These stand above every answer until they are over.", _notice),
    Part(
        "suggestions", "Suggested questions", "What the widget offers before anything is asked.", _suggestion
    ),
    Part("contacts", "Contacts", "Whom visitors are told to ask where the pages do not say.", _contact),
)


def items(book: Book, part: Part) -> list[Item]:
    """The items of a part; a suggested question is one with its text."""
    if part.key == "suggestions":
        return [{"id": text, "text": text} for text in book["suggestions"]]
    return list(book[part.key])


def with_item(book: Book, part: Part, item: Item, instead_of: str | None = None) -> dict[str, Any]:
    """The book with an item more, or in the place of another."""
    kept = items(book, part)
    places = [one["id"] for one in kept]
    if instead_of in places:
        kept[places.index(instead_of)] = item
    else:
        kept.append(item)
    return _with(book, part, kept)


def without_item(book: Book, part: Part, own: str) -> dict[str, Any]:
    """The book without an item."""
    return _with(book, part, [one for one in items(book, part) if one["id"] != own])


def new_id(text: str, taken: Sequence[str]) -> str:
    """A small word for an item that has none: made of its text, and not taken."""
    word = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:_LONGEST_ID].strip("-") or "one"
    numbered = (f"{word}-{n}" for n in range(2, len(taken) + 3))
    return next(one for one in (word, *numbered) if one not in taken)


def key_words(question: str) -> str:
    """The words of a question that tell it from others, as a first guess at a phrase."""
    words = re.findall(r"[^\W_]+", question.lower())
    return " ".join(dict.fromkeys(word for word in words if not _SMALL_WORD.fullmatch(word)))


def changes(before: Book, after: Book) -> Iterator[tuple[str, str]]:
    """What is otherwise in another book: a word (added, changed, removed) and what it is about."""
    for part in PARTS:
        was = {one["id"]: one for one in items(before, part)}
        now = {one["id"]: one for one in items(after, part)}
        for own, item in now.items():
            if own not in was:
                yield "added", f"{part.title}: {part.says(item)}"
            elif item != was[own]:
                yield "changed", f"{part.title}: {part.says(item)}"
        for own, item in was.items():
            if own not in now:
                yield "removed", f"{part.title}: {part.says(item)}"


def _with(book: Book, part: Part, kept: Sequence[Item]) -> dict[str, Any]:
    value = [one["text"] for one in kept] if part.key == "suggestions" else list(kept)
    return {**book, part.key: value}
