"""Whether a short text says anything: a fact (a number, a day, an address) or a sentence."""

from __future__ import annotations

import re
from functools import cache

from server.ingest.extract.main_content import letters_of
from server.lexicons import lexicon
from server.models import Document
from server.sentences import sentences

_DETAIL = re.compile(r"\d|\S@\S+\.\S")
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LEAST_WORDS = 5  # of a sentence
_SURELY_WORDS = 8  # with a full stop, whatever its verb


def says_something(document: Document) -> bool:
    """Whether a page's main text holds a fact or a sentence, beside the texts of its links."""
    links = {letters_of(text) for _, text in document.links}
    lines = [line for line in document.text.splitlines() if letters_of(line) not in links]
    return is_informative("\n".join(lines))


def is_informative(text: str) -> bool:
    """Whether a text holds a fact or a sentence."""
    left = _empty_phrases().sub(" ", text)
    if _DETAIL.search(left) or not _fact_words().isdisjoint(_words(left)):
        return True
    return any(map(_is_sentence, _sentences(left)))


def _sentences(text: str) -> list[str]:
    return [line[start:end] for line in text.splitlines() for start, end in sentences(line)]


def _is_sentence(text: str) -> bool:
    words = _words(text)
    ends = text.rstrip().endswith((".", "!", "?"))
    if ends and len(words) >= _SURELY_WORDS:
        return True
    return len(words) >= _LEAST_WORDS and not _verbs().isdisjoint(words)


def _words(text: str) -> list[str]:
    return [word.casefold().replace("’", "'") for word in _LETTERS.findall(text)]


@cache
def _fact_words() -> frozenset[str]:
    return lexicon("pages").words("fact_words")


@cache
def _verbs() -> frozenset[str]:
    return lexicon("pages").words("verbs")


@cache
def _empty_phrases() -> re.Pattern[str]:
    return lexicon("pages").pattern("page_says_nothing", r"(?<!\w)(?:{})(?!\w)")
