"""How the pieces of a line are said: what asks, what only tells, what names something, and which two of them
are one question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from server.ask.conversation.phrases import (
    AUXILIARIES,
    DETERMINERS,
    FUNCTION_WORDS,
    PREPOSITIONS,
    PRONOUNS,
    QUESTION_WORDS,
    VERBS,
    Word,
    content_words,
    words_of,
)
from server.lexicons import any_of, lexicon

# What joins one question to the next, at the end of the one and at the beginning of the other.
_JOINS = "and|n|or|but|also|plus|then|so|y|pero|además|también"
JOINED = re.compile(rf"(?:[\s,;:&+/–—-]|(?<=\s)(?:{_JOINS}|e|o|as well as)(?=[\s,]))+$", re.IGNORECASE)
JOINER = re.compile(rf"^(?:{_JOINS})\b[\s,]*", re.IGNORECASE)
ENDED = re.compile(r"[.?!][\s\"”')]*$")
# "career center: what floor", "japan exchange - how many spots"; "is it averaged or do they replace it"
_EITHER = re.compile(r"\s(?:or|o)\s+$", re.IGNORECASE)
_ADDS = r"(?:and|n|&|\+|plus|also|y)"
_ADDED = re.compile(rf"^\s*{_ADDS}\s|(?:[?!;]|\s{_ADDS})\s*$", re.IGNORECASE)
_LEADS_ON = re.compile(r"(?::|\s[-–—])\s*$")
# "how dark can it be and still pass inspection"; "still time to apply?" asks.
_STILL = re.compile(r"still\s+(?!(?:time|open|possible|available|ok)\b)\w", re.IGNORECASE)
_WORDS = lexicon("words")
ATTRIBUTES, ACTS, KNOWING, _TELLING, _OWNING, _WANTING, _BEING = (
    _WORDS.words(name) for name in ("attributes", "acts", "knowing", "telling", "owning", "wanting", "being")
)
_CONTACTS = lexicon("contacts")
_REACHES = re.compile(
    "|".join(rf"\b(?:{any_of(_CONTACTS[name])})\b" for name in ("email", "phone", "either", "room")),
    re.IGNORECASE,
)
_AROUND = _CONTACTS.pattern("around", r"\b(?:{})\b")
_WHO = re.compile(r"\bwho\b", re.IGNORECASE)
# Of these a sentence is asked by turning it round, whatever stands after them.
_TURNED = frozenset({"is", "are", "does", "will"})
_INTENDING = frozenset({"want", "wanna", "trying", "planning", "hoping", "thinking", "plan"})
# A statement of oneself.
_TOLD = frozenset({"im", "ive", "id"})
# A question that begins with one of these may follow another with nothing between; "who" and "which" may as
# well go on with what is before them.
RUN_ON = frozenset({"what", "when", "where", "how", "why", "cuándo", "cuál", "cómo", "dónde"})
MEASURES = frozenset({"many", "much", "long", "old", "far", "often", "early", "late", "big", "soon"})
# "and dont have a car": with what it begins, and how it goes on.
_NOT = frozenset({"dont", "don't", "didnt", "didn't"})
_HAVING = frozenset({"want", "wanna", "have", "need", "own", "like", "care", "mind", "drive", "live"})
# What a question begins with that may lack its verb, with what the verb then begins, and what a clause has.
_OPENING = frozenset({"how", "what", "which", "when"})
_INVERTED = frozenset({"do", "does", "did", "can", "could", "will", "would", "should"})
_COPULAS = frozenset({"is", "are", "was", "were", "got", "gets"})
_ASKING_VERBS = frozenset({"tell", "show", "explain", "describe"})
LITTLE = PREPOSITIONS | DETERMINERS
_SAYING_NOTHING = FUNCTION_WORDS | AUXILIARIES | PRONOUNS | QUESTION_WORDS | LITTLE | KNOWING
# Words that name nothing by themselves: "and what time", "and when is the next one".
_NAMELESS = frozenset(
    {"time", "times", "date", "dates", "day", "days", "next", "last", "first", "new", "kind", "type"}
)
# A statement of fewer words is none: "my gpa".
LEAST_TOLD = 3


def are_one_question(before: str, after: str) -> bool:
    """Whether two pieces of a line are one question.

    What tells of oneself ("my documents are in Vietnamese. Do I need a translation?", "informatics major on
    the hci track, do research units count"), what a line is about
    ("career center: what floor", "cs222 summer do they drop the lowest homework"), ways to reach one office
    ("registrar's room and phone"), one thing or another ("is it averaged or do they replace it"), what holds
    beside ("how dark can it be and still pass inspection"), and where nothing joins them a phrase that lacks
    its verb ("how many credits | can i bring") or a clause ("can i ask a student | what their disability
    is").
    """
    both = (before, after)
    wants = any(asks(one) or is_turned(one) for one in both)
    if wants and (any(map(only_tells, both)) or (asks(after) and _is_told(before))):
        return True
    if _is_someone(before) or (only_tells(before) and _has_no_subject(after)) or _is_denied(after):
        return True
    is_added = _ADDED.search(before) or _ADDED.match(after)
    if wants and not is_added and (any(map(only_names, both)) or _only_wants(before)):
        return True
    if any(map(_only_reaches, both)) and all(_REACHES.search(one) or _WHO.search(one) for one in both):
        return True
    goes_on = _EITHER.search(before) or _STILL.match(plain(after))
    if goes_on or (_LEADS_ON.search(before) and not asks(before)):
        return True
    is_joined = ENDED.search(before) or before[len(JOINED.sub("", before)) :].strip()
    return not is_joined and (_lacks_verb(before, after) or _is_clause(after))


def _lacks_verb(before: str, after: str) -> bool:
    """Whether a piece begins to ask, and its verb stands in the next one: "how many days of leave | does a TA
    have"."""
    keys = [word.key for word in words_of(before)]
    is_open = bool(_OPENING.intersection(keys)) and not (AUXILIARIES | VERBS).intersection(keys)
    return is_open and next(word.key for word in words_of(after)) in _INVERTED


def _is_clause(text: str) -> bool:
    """Whether a piece goes on from another one: "when i'm sick", "how a course got graded"; not "when is it",
    "what day is it" and "how much do they pay"."""
    words = words_of(text)
    keys = [word.key for word in words]
    if ENDED.search(text) or len(keys) < LEAST_TOLD or words[0].text.casefold() not in RUN_ON:
        return False
    stands = [after for key, after in pairwise(keys[1:]) if key in _COPULAS and keys[1] not in MEASURES]
    is_inverted = keys[1] in _COPULAS or any(after in PRONOUNS | DETERMINERS for after in stands)
    ends = keys[-1] in _COPULAS and keys[1] not in _COPULAS
    return keys[1] in DETERMINERS | PRONOUNS | _TOLD or ends or (bool(stands) and not is_inverted)


def is_turned(text: str) -> bool:
    """ "is duolingo ok": a sentence turned round; "are encouraged" and "is open to all" are none."""
    words = words_of(text)[:3]
    if len(words) < 3 or words[0].key not in _TURNED:
        return False
    key = words[1].key
    return key not in FUNCTION_WORDS | VERBS and not key.endswith(("ed", "ing", "ly"))


def asks(text: str) -> bool:
    """Whether it is a question: by its mark, or by how a sentence of it begins."""
    return text.rstrip(" \"”')").endswith("?") or any(
        begins_asking(sentence) for sentence in re.split(r"[.!]\s+|,\s+", text)
    )


def only_tells(text: str) -> bool:
    """Whether it says how it stands with whoever asks, and wants nothing: "my ACT math was 23", and not "my
    refund date"."""
    keys = [word.key for word in words_of(JOINER.sub("", text.strip()))]
    if len(keys) < LEAST_TOLD or asks(text) or (QUESTION_WORDS | _WANTING).intersection(keys):
        return False
    says = any(key in AUXILIARIES or key.endswith("ed") for key in keys)
    return keys[0] in _TELLING or (keys[0] in _OWNING and says)


def _has_no_subject(text: str) -> bool:
    """Whether a piece goes on with what somebody does: "and would love to play", and not "and would he"."""
    first, second = _first_two(text)
    return first in AUXILIARIES and second in VERBS | _WANTING | {"love", "prefer"}


def _is_denied(text: str) -> bool:
    """Whether a piece goes on with what somebody does not have or want: "and dont want to pay for one", and
    not "dont know who to ask"."""
    first, second = _first_two(text)
    return first in _NOT and second in _HAVING


def _first_two(text: str) -> list[str]:
    """The first two words of a piece, without what joins it to the one before; "" for none."""
    return [*(word.key for word in words_of(plain(text))), "", ""][:2]


def _is_someone(text: str) -> bool:
    """Whether it only says who asks: "informatics major on the hci track", not "transfer student fees"."""
    keys = [word.key for word in words_of(text)]
    if len(keys) < 2 or asks(text) or (QUESTION_WORDS | AUXILIARIES).intersection(keys):
        return False
    ends = (place for place, key in enumerate(keys) if key in PREPOSITIONS)
    return keys[next(ends, len(keys)) - 1] in _BEING


def _is_told(text: str) -> bool:
    """Whether it is a sentence that states something: "my license has run out.", and not "pool hours." and
    "snow day, are classes cancelled."."""
    keys = [word.key for word in words_of(text)]
    if not text.rstrip().endswith(".") or QUESTION_WORDS.intersection(keys) or asks(text):
        return False
    clauses = ([word.key for word in words_of(clause)] for clause in re.split(r"[,;.]", text))
    return bool(AUXILIARIES.intersection(keys)) and not any(map(_is_turned_round, clauses))


def _is_turned_round(clause: Sequence[str]) -> bool:
    """Whether a clause begins as a question may: "are classes cancelled", and not "don't drive"."""
    first, second = [*clause, "", ""][:2]
    is_denied = second == "not" or first.endswith(("nt", "n't"))
    return first in AUXILIARIES - _TOLD and not is_denied


def _only_reaches(text: str) -> bool:
    """Whether it asks by what to reach someone, and does not say whom: "and email", "main phone number"."""
    bare = JOINER.sub("", JOINED.sub("", text).strip())
    left = _AROUND.sub(" ", _REACHES.sub(" ", bare))
    return not {word.key for word in words_of(left)} - LITTLE - {"please", "main"}


def _only_wants(text: str) -> bool:
    """Whether it says what whoever asks is about to do: "want to walk in spring", "trying to get in"."""
    keys = [word.key for word in words_of(text)]
    first = next((key for key in keys if key not in PRONOUNS | _TOLD), "")
    return first in _INTENDING and not (asks(text) or QUESTION_WORDS.intersection(keys))


def only_names(text: str) -> bool:
    """Whether it says what another piece is about, and asks for nothing of it: "sec 48405", and not "pool
    hours"."""
    keys = [word.key for word in words_of(JOINER.sub("", text.strip()))]
    named = named_in(text)
    is_said = (AUXILIARIES | VERBS | QUESTION_WORDS | KNOWING | _WANTING | _TELLING).intersection(keys)
    return bool(named) and not (is_said or asks(text)) and named[-1].key not in ATTRIBUTES | ACTS


def begins_asking(text: str) -> bool:
    """Whether it begins like a question: "when does", "by when", "tell me"; not "is encouraged"."""
    keys = [word.key for word in words_of(text)][:2]
    if not keys or keys[0] in _TOLD:
        return False
    following = keys[1] if len(keys) > 1 else ""
    if keys[0] in PREPOSITIONS:
        return following in QUESTION_WORDS
    if keys[0] in AUXILIARIES:
        return following in PRONOUNS or following in DETERMINERS
    return keys[0] in QUESTION_WORDS or keys[0] in _ASKING_VERBS


def names_something(text: str) -> bool:
    """Whether it says what is asked, or asked for."""
    return bool(named_in(text)) or any(word.key in ACTS | ATTRIBUTES - _NAMELESS for word in words_of(text))


def does_something(text: str) -> bool:
    """Whether a verb or another word says what is asked, though it names nothing: "can i eat in there", and
    not "how would i know"."""
    return any(word.key not in _SAYING_NOTHING for word in words_of(text))


def named_in(text: str) -> list[Word]:
    """The words that name something."""
    return [word for word in content_words(text) if word.key not in _NAMELESS]


def plain(text: str) -> str:
    """A piece without what joins it to the one before."""
    return JOINER.sub("", text.strip(" ¿¡"))
