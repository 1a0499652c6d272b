"""What a turn does in its conversation: small talk, a doubt about the last answer, a question that goes on
from it.

The words by which each is known are in `corpus/lexicons/turns.toml`. Small talk is answered with a
friendly line, and never taken for a question.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
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
    words_of,
)
from server.lexicons import any_of, lexicon
from server.messages.catalogue import Texts

MOST_TURNS = 6


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """A visitor's question and the answer to it, if there was one."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """The topic's turns, oldest first; the last question as it stands alone, and the phrase it is about."""

    turns: tuple[ConversationTurn, ...] = ()
    question: str = ""
    topic: str = ""

    def __bool__(self) -> bool:
        return bool(self.turns)

    @property
    def questions(self) -> str:
        """All the topic's questions in one line."""
        return " ".join(turn.question for turn in self.turns)

    @property
    def answers(self) -> str:
        """All its answers in one line."""
        return " ".join(turn.answer for turn in self.turns if turn.answer)

    def with_turn(self, turn: ConversationTurn, question: str, topic: str) -> Memory:
        """The same topic, a turn later."""
        return replace(self, turns=(*self.turns, turn)[-MOST_TURNS:], question=question, topic=topic)


def turns_of(history: Sequence[tuple[str, str]]) -> tuple[ConversationTurn, ...]:
    """The (role, text) turns as questions with their answers; whatever is not the user's is an answer."""
    turns: list[ConversationTurn] = []
    for role, text in history:
        if role == "user":
            turns.append(ConversationTurn(text))
        elif turns:
            turns[-1] = ConversationTurn(turns[-1].question, f"{turns[-1].answer} {text}".strip())
    return tuple(turns)


_LEXICON = lexicon("turns")
_DOUBT = re.compile(
    rf"^(?:(?:{any_of(_LEXICON['doubt']['openings'])})\s+)*(?:{any_of(_LEXICON['doubt']['doubts'])})"
    rf"(?:{any_of(_LEXICON['doubt']['endings'])})*",
    re.IGNORECASE,
)
_NO_WORD = re.compile(r"[^\w\s'%-]+")
# What may stand beside the doubt: a word or figure of the answer that is repeated, "seriously? 780?"
MOST_REPEATED = 3


def is_challenge(question: str, last_answer: str = "") -> bool:
    """Whether the question only doubts the last answer, perhaps repeating a few words of it."""
    line = " ".join(_NO_WORD.sub(" ", question).split())
    doubt = _DOUBT.match(line)
    if not doubt:
        return False
    rest = squeezed(line[doubt.end() :], signs="").split()
    said = set(squeezed(last_answer, signs="").split())
    return len(rest) <= MOST_REPEATED and all(word in said for word in rest)


def squeezed(text: str, signs: str = "$%€£") -> str:
    """Words, figures and signs alone, in small letters, so that spaces and quotation marks do not matter."""
    return re.sub(rf"[^\w{signs}]+", " ", text).casefold().strip()


SmallTalkKind = Literal["greeting", "how_are_you", "thanks", "goodbye", "who", "acknowledgement"]
Language = Literal["en", "es"]

_MARKS = re.compile(r"[^\w\s']+|(?<!\w)'|'(?!\w)")
_FILLER = any_of(_LEXICON["filler"])
_WHOLE: tuple[tuple[SmallTalkKind, Language, re.Pattern[str]], ...] = tuple(
    (
        row["kind"],
        row["language"],
        row.pattern("lines", rf"(?:(?:{_FILLER})\s+)*(?:{{}})(?:\s+(?:{_FILLER}))*"),
    )
    for row in _LEXICON["small_talk"]
)
# Of several things said at once the first of these is answered: "hi, who are you?", "ok thanks bye".
_ORDER: tuple[SmallTalkKind, ...] = ("who", "how_are_you", "goodbye", "thanks", "greeting", "acknowledgement")
MOST_WORDS = 14


@dataclass(frozen=True, slots=True)
class SmallTalk:
    """What kind of talk it is, and in which language."""

    kind: SmallTalkKind
    language: Language


def small_talk(text: str) -> SmallTalk | None:
    """The kind of talk when the text is nothing else; None for a question, even with a "hi" before it."""
    rest = " ".join(_MARKS.sub(" ", text.replace("’", "'")).split())
    if not rest or len(rest.split()) > MOST_WORDS:
        return None
    heard: list[SmallTalk] = []
    while rest:
        found = _longest(rest)
        if found is None:
            return None
        talk, end = found
        heard.append(talk)
        rest = rest[end:].strip()
    return min(heard, key=lambda talk: _ORDER.index(talk.kind))


def _longest(text: str) -> tuple[SmallTalk, int] | None:
    """The line that takes most of the text's beginning, up to the end of a word."""
    best: tuple[SmallTalk, int] | None = None
    for kind, language, pattern in _WHOLE:
        match = pattern.match(text)
        if (
            match
            and match.end() > (best[1] if best else 0)
            and not text[match.end() : match.end() + 1].strip()
        ):
            best = SmallTalk(kind, language), match.end()
    return best


def reply(talk: SmallTalk, texts: Texts) -> str:
    """A friendly line."""
    return {
        "greeting": texts.greeting,
        "how_are_you": texts.how_are_you,
        "thanks": texts.thanks_said,
        "goodbye": texts.goodbye,
        "who": texts.who,
        "acknowledgement": texts.acknowledgement,
    }[talk.kind]


Cue = Literal["reply", "pronoun", "lead", "bare", "comparative", "else"]

_PRONOUNS, _CUES = _LEXICON.part("pronouns"), _LEXICON.part("cues")
_THINGS, _MANY, _PERSONS = (_PRONOUNS.words(name) for name in ("things", "many", "persons"))
_PLACES_AND_TIMES, _POINTING = _PRONOUNS.words("places_and_times"), _PRONOUNS.words("pointing")
_HERE_AND_NOW, _ANY_THING = _CUES.words("here_and_now"), _CUES.words("any_thing")
_BOUNDARY, _SUBJECTS = _CUES.words("boundary"), _CUES.words("subjects")
_PEOPLE = _CUES.pattern("people", r"\b(?:{})\b", flags=0)
_LEAD, _REPLY, _ELSE = (_CUES.pattern(name) for name in ("lead", "reply", "else"))
_COMPARED = _CUES.pattern("compared", "(?:{})(?:i?er|i?est)", flags=0)
_EMPTY_IT = _CUES.pattern("empty_it")
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
