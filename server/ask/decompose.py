"""Several questions in one: each is asked on its own, and what belongs elsewhere is named."""

from __future__ import annotations

import re
from dataclasses import dataclass

from server.ask.conversation.phrases import (
    AUXILIARIES,
    DETERMINERS,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    VERBS,
    Word,
    content_words,
    words_of,
)
from server.ask.conversation.turns import cues_of

MOST_PARTS = 3
# Between two questions: the end of one, or "and", "also" before another that has words of its own.
_END = re.compile(r"(?<=\?)[\s\"”')]*(?=\S)|\s*[;\n]\s*(?=\S)")
_AND = re.compile(
    r"[,.]?\s+(?:(?:and|or|but|plus|y|pero)\s+(?:also\s+|then\s+|además\s+|también\s+)?|also,?\s+"
    r"|además,?\s+|también\s+)(?=\S)",
    re.IGNORECASE,
)
_JOINER = re.compile(r"^(?:and|or|but|also|plus|then|so|y|pero|además|también)\b[\s,]*", re.IGNORECASE)
_ASKING_VERBS = frozenset({"tell", "show", "explain", "describe"})
# Words that name nothing by themselves: "and what time", "and when is the next one".
_NAMELESS = frozenset(
    {"time", "times", "date", "dates", "day", "days", "next", "last", "first", "new", "kind", "type"}
)


@dataclass(frozen=True, slots=True)
class Parts:
    """The questions, in their order; `left` are those beyond the limit, which are not answered."""

    asked: tuple[str, ...]
    left: tuple[str, ...] = ()


def split_question(text: str, most: int = MOST_PARTS) -> Parts:
    """One question for each thing asked.

    A statement belongs to the question after it ("I'm a sophomore. When do I register?"), a question without
    words of its own to the one before it ("When is it open? And where?" stays one when that is all there is).
    """
    parts = [part for piece in _pieces(text) for part in _at_and(piece)]
    asked = tuple(_plain(part) if i else part for i, part in enumerate(parts))
    return Parts(asked[:most], asked[most:]) if asked else Parts((text,))


def _pieces(text: str) -> list[str]:
    """Split where a question ends; what asks nothing, or nothing by itself, stays with its neighbour."""
    pieces: list[str] = []
    loose = ""
    for piece in (piece.strip() for piece in _END.split(text)):
        whole = f"{loose} {piece}".strip()
        names = bool(_named(piece)) and not cues_of(_plain(piece))
        if not _asks(piece) or not (names or pieces):
            loose = whole
        elif names:
            pieces.append(whole)
            loose = ""
        else:
            pieces[-1], loose = f"{pieces[-1]} {whole}", ""
    if loose:
        pieces = [*pieces[:-1], f"{pieces[-1]} {loose}"] if pieces else [loose]
    return pieces


def _at_and(text: str) -> list[str]:
    """Split before "and when …", when both sides are questions with words of their own."""
    for match in _AND.finditer(text):
        before, after = text[: match.start()].strip(), text[match.end() :].strip()
        if _begins_asking(after) and _asks(before) and _named(before) and _is_independent(after):
            return [*_at_and(before), *_at_and(after)]
    return [text]


def _asks(text: str) -> bool:
    """Whether it is a question: by its mark, or by how a sentence of it begins."""
    return text.rstrip(" \"”')").endswith("?") or any(
        _begins_asking(sentence) for sentence in re.split(r"[.!]\s+|,\s+", text)
    )


def _begins_asking(text: str) -> bool:
    """Whether it begins like a question: "when does", "by when", "tell me"; not "is encouraged"."""
    keys = [word.key for word in words_of(text)][:2]
    if not keys:
        return False
    following = keys[1] if len(keys) > 1 else ""
    if keys[0] in PREPOSITIONS:
        return following in QUESTION_WORDS
    if keys[0] in AUXILIARIES:
        return following in PRONOUNS or following in DETERMINERS
    return keys[0] in QUESTION_WORDS or keys[0] in _ASKING_VERBS


def _is_independent(text: str) -> bool:
    """Whether a question after "and" can be asked by itself: nothing points back, and it names its own thing.

    "When is the deadline" does not: a single word after an article is that of the question before, unless it
    does something ("when does the gym close").
    """
    named = _named(text)
    if not named or cues_of(_plain(text)):
        return False
    if len(named) >= 2 or not _is_determined(text, named[0]):
        return True
    return any(word.key in VERBS for word in words_of(text))


def _named(text: str) -> list[Word]:
    return [word for word in content_words(text) if word.key not in _NAMELESS]


def _plain(text: str) -> str:
    return _JOINER.sub("", text.strip(" ¿¡"))


def _is_determined(text: str, word: Word) -> bool:
    """Whether an article stands before it, small words apart: "the next visit"."""
    before = [other for other in words_of(text[: word.start]) if other.key not in _NAMELESS]
    return bool(before) and before[-1].key in DETERMINERS
