"""Is a question a follow-up: does it need the turns before it to be understood?"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

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
    word_set,
    words_of,
)

Cue = Literal["reply", "pronoun", "lead", "bare", "comparative", "else"]

_THINGS = word_set("it its this that these those esto eso")
_MANY = word_set("they them their theirs these those ellos ellas")
_PERSONS = word_set("he him his she her hers él ella")
_PLACES_AND_TIMES = word_set("there then allí entonces")
_POINTING = word_set("this that these those este esta ese esa estos estas esos esas")
# "this fall", "this site" point at the day and the place, not at what was said.
_HERE_AND_NOW = word_set(
    "fall autumn spring summer winter year month week weekend semester term quarter session morning afternoon"
    " evening night time today tonight monday tuesday wednesday thursday friday saturday sunday january"
    " february"
    " march april may june july august september october november december university college school"
    " campus site"
    " website page chat bot department otoño primavera verano invierno año mes semana semestre"
)
_PEOPLE = re.compile(
    r"\b(?:someone|somebody|anyone|anybody|everyone|who|people|staff|faculty"
    r"|(?:my|a|an|the|your|our) (?:\w+ )?\w+|[A-Z]\w+ [A-Z]\w+)\b"
)
_LEAD = re.compile(
    r"^\W*(?:and|or|but|plus|y|o|pero|(?:ok(?:ay)?|yes|yeah|no|sure|so|then|well|oh|hm+|alright|thanks"
    r"|thank you)\b"
    r"[\s,.!]*(?:and|or|but))\b"
    r"|^\W*(?:(?:ok(?:ay)?|so|then|well|and)\b[\s,]*)?(?:what|how) about\b|^\W*(?:and )?(?:what if|even"
    r"|only|except|same)\b"
    r"|^\W*(?:¿?\s*)?(?:qué tal|que tal)\b",
    re.IGNORECASE,
)
# An answer to what was said last: "yes", "no, I don't have those".
_REPLY = re.compile(
    r"^\W*(?:yes|yep|yeah|yup|no|nope|not? (?:really|yet|exactly)|correct|neither|both|sí)\b(?![^?]*\?\s*$)",
    re.IGNORECASE,
)
_ELSE = re.compile(
    r"\b(?:(?:what|who|where|how|anything|something|anyone|someone|which)\s+(?:\w+\s+)?else"
    r"|the (?:same|others?|former|latter|first one|second one)|(?:any|which) others?|instead|as well"
    r"|if so|if not|too"
    r"|otherwise|any more|more (?:about|on|of) (?:it|that|this)|tell me more|go on|which (?:one|ones)"
    r"|\w+ again)\W*$"
    r"|^\W*(?:which ones?|any others?|the other|another one|if so|if not|otherwise|the same)\b",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"(?:cheap|big|small|fast|slow|near|clos|earl|lat|long|short|new|old|larg|high|low|hard|eas|quick"
    r"|quiet|strict"
    r"|strong|great|recent|young|simpl|hot|warm|cold)(?:i?er|i?est)"
)
_ANY_THING = word_set(
    "way ways option options thing things kind kinds type types place places version versions"
)
# "it" without a meaning of its own: "is it possible to", "how long does it take to", "it is true that".
_EMPTY_IT = re.compile(
    r"(?:\b(?:is|was|will|would)|['’]s)\s+it\s+(?:be\s+)?(?!\w+(?:i?er|less|more)\b)(?:\w+\s+){1,2}(?:to"
    r"|that|if|for)\s+\S"
    r"|\b(?:does|did|will|would)\s+it\s+(?:take|cost|matter|help|hurt|make sense|mean"
    r"|count)\b[^?]*\b(?:to|if|that|when)\s+\S"
    r"|\bit(?:['’]s|\s+(?:is|was|takes?|took|costs?|would be))\s[^?]*\b(?:to|that|if)\s+\S"
    r"|\bwhat (?:time|day) is it\b|\bhow(?:'s| is) it going\b",
    re.IGNORECASE,
)
_BOUNDARY = word_set("and or but if when because so while that which who y o pero si cuando")
_SUBJECTS = word_set("i we you he she they")
_SENTENCE_MARKS = frozenset(".,;:?!")


@dataclass(frozen=True, slots=True)
class FollowUpCues:
    """What in a question points back, and the words that do: `pronouns` in the order of the text."""

    kinds: tuple[Cue, ...] = ()
    pronouns: tuple[Word, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.kinds)


def cues_of(question: str) -> FollowUpCues:
    """What in the question itself says that it goes on from something; the history is not looked at."""
    if _REPLY.search(question):
        return FollowUpCues(("reply",))
    pronouns = tuple(unresolved(question))
    kinds: list[Cue] = []
    if pronouns:
        kinds.append("pronoun")
    if _LEAD.search(question):
        kinds.append("lead")
    if _ELSE.search(question):
        kinds.append("else")
    content = [word.key for word in content_words(question)]
    if not content:
        kinds.append("bare")
    elif all(_COMPARED.fullmatch(key) or key in _ANY_THING for key in content):
        kinds.append("comparative")
    return FollowUpCues(tuple(kinds), pronouns)


def unresolved(question: str) -> list[Word]:
    """The pronouns for which the question itself names nothing that they could stand for."""
    words = words_of(question)
    return [word for i, word in enumerate(words) if _points_back(question, words, i)]


def _points_back(question: str, words: Sequence[Word], i: int) -> bool:  # noqa: PLR0911  (a ladder)
    key = words[i].key
    if key in _PLACES_AND_TIMES:
        return (
            _ends(words, i)
            and i > 0
            and words[i - 1].key not in ("is", "are")
            and not _named(question, words, i)
        )
    if key in ("one", "ones"):
        return _stands_for_a_noun(words, i)
    if (
        key not in _THINGS | _MANY | _PERSONS | _POINTING
        or words[i].text == "IT"
        or _named(question, words, i)
    ):
        return False
    if key in _POINTING:
        return _demonstrates(words, i)
    if key == "it":
        return not _EMPTY_IT.search(question)
    if key in _PERSONS:
        return not _PEOPLE.search(question[: words[i].start])
    if key in _MANY:
        return not _has_plural(words, i)
    return not any(word.is_name for word in words[:i])


def _demonstrates(words: Sequence[Word], i: int) -> bool:
    """Whether "this" or "that" points at something said, and does not open a clause or name today's term."""
    following = words[i + 1].key if i + 1 < len(words) else ""
    if following in _HERE_AND_NOW:
        return False
    if words[i].key not in ("that", "those") or not following:
        return True
    before = words[i - 1].key if i else ""
    if words[i].key == "those":
        return following not in ("who", "that", "with", "of")
    if before in PREPOSITIONS or before in AUXILIARIES or not before:
        return following not in PRONOUNS and following not in DETERMINERS
    if before not in VERBS:
        return False  # "a course that counts"
    return following in PREPOSITIONS or following in ("one", "too", "again")


def _named(question: str, words: Sequence[Word], i: int) -> bool:
    """Whether an earlier clause has something it can stand for: "if I drop a class, can I get it back"."""
    ends = [j for j in range(1, i) if _begins_clause(question, words, j)]
    own_clause = ends[-1] if ends else 0
    return any(word.key not in FUNCTION_WORDS and word.key not in VERBS for word in words[:own_clause])


def _begins_clause(question: str, words: Sequence[Word], j: int) -> bool:
    """After a mark, at "and" or "if", and at "can I" after "if I drop a class"."""
    if words[j].key in _BOUNDARY or _SENTENCE_MARKS & set(question[words[j - 1].end : words[j].start]):
        return True
    opens = words[0].key in _BOUNDARY and words[j].key in AUXILIARIES
    return opens and j + 1 < len(words) and words[j + 1].key in _SUBJECTS


def _has_plural(words: Sequence[Word], i: int) -> bool:
    return any(
        word.key in ("people", "someone", "anyone", "somebody", "everyone", "staff", "faculty")
        or (word.key.endswith("s") and word.key not in FUNCTION_WORDS and word.key not in VERBS)
        for word in words[:i]
    )


def _ends(words: Sequence[Word], i: int) -> bool:
    """Nothing but "too", "again" after it."""
    return all(word.key in ("too", "again", "also") for word in words[i + 1 :])


def _stands_for_a_noun(words: Sequence[Word], i: int) -> bool:
    """Whether "one" stands for something ("a cheaper one"): "one credit" and "no one" do not."""
    if words[i].key == "ones":
        return True
    before = words[i - 1].key if i else ""
    following = words[i + 1].key if i + 1 < len(words) else ""
    if before in ("no", "any", "some", "every", "at", "does", "can", "should", "the") or following == "of":
        return False
    return (
        not following or following in PREPOSITIONS or following in AUXILIARIES or following in QUESTION_WORDS
    )
