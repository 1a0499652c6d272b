"""What is remembered of a conversation: what it is about, until a new topic clears it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from server.ask.conversation.cues import FollowUpCues
from server.ask.conversation.phrases import (
    DETERMINERS,
    FUNCTION_WORDS,
    Phrase,
    Word,
    linked_phrases,
    sentence,
    without_lead,
    word_set,
    words_of,
)
from server.ask.conversation.slots import asked_again, exchange
from server.ask.ports import Lexicon, QuestionEmbedder

MOST_TURNS = 6


@dataclass(frozen=True, slots=True)
class Turn:
    """A visitor's question and the answer to it, if there was one."""

    question: str
    answer: str = ""


@dataclass(frozen=True, slots=True)
class Memory:
    """The topic's turns, oldest first; the last question as it stands alone, and the phrase it is about."""

    turns: tuple[Turn, ...] = ()
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

    def with_turn(self, turn: Turn, question: str, topic: str) -> Memory:
        """The same topic, a turn later."""
        return replace(self, turns=(*self.turns, turn)[-MOST_TURNS:], question=question, topic=topic)


def turns_of(history: Sequence[tuple[str, str]]) -> tuple[Turn, ...]:
    """The (role, text) turns as questions with their answers; whatever is not the user's is an answer."""
    turns: list[Turn] = []
    for role, text in history:
        if role == "user":
            turns.append(Turn(text))
        elif turns:
            turns[-1] = Turn(turns[-1].question, f"{turns[-1].answer} {text}".strip())
    return tuple(turns)


How = Literal["exchanged", "replaced", "appended", "kept", "model"]

# A longer topic is put in brackets at the end, where it does not tear the sentence.
MOST_WORDS_INSIDE = 7
_LEAD = re.compile(
    r"^\W*(?:(?:ok(?:ay)?|yes|yeah|no|so|then|well|oh|hm+|thanks|thank you|great|alright|and|or|but|also"
    r"|y|pero)\b[\s,.!]*)+",
    re.IGNORECASE,
)
_POSSESSIVE = word_set("its their his her theirs hers")


@dataclass(frozen=True, slots=True)
class StandaloneQuestion:
    """A question that stands alone, what it is about, and how it was made; `gone` is what was exchanged."""

    text: str
    topic: str
    how: How
    gone: str = ""


def rewrite_standalone(
    question: str, marks: FollowUpCues, memory: Memory, lexicon: Lexicon, embedder: QuestionEmbedder
) -> StandaloneQuestion:
    """The follow-up with what it leaves out: a phrase exchanged, a pronoun replaced, or the topic added."""
    again = asked_again(question)
    if again and "lead" in marks.kinds and (changed := exchange(again, memory.question, embedder)):
        text = sentence(changed.text)
        return StandaloneQuestion(text, topic_of(text, lexicon), "exchanged", changed.old)
    bare = _LEAD.sub("", question).strip() or question
    word = next((word for word in marks.pronouns if _can_be_replaced(bare, word)), None)
    if word and memory.topic and len(words_of(memory.topic)) <= MOST_WORDS_INSIDE:
        return StandaloneQuestion(
            sentence(_replaced(bare, word.text, memory.topic)), memory.topic, "replaced"
        )
    points = any(word.key not in ("then", "there") for word in marks.pronouns)
    about = memory.topic if points and memory.topic else without_lead(memory.question)
    return StandaloneQuestion(f"{sentence(bare)[:-1]} ({about})?", memory.topic, "appended")


def _can_be_replaced(question: str, word: Word) -> bool:
    """A pronoun that stands for a thing by itself: "it", "them", "about that", "their"; not "that permit"."""
    words = words_of(question)
    if word.key in ("one", "ones", "there", "then", "such"):
        return False
    i = next((i for i, other in enumerate(words) if other.text == word.text), None)
    if i is None:
        return False
    following = words[i + 1].key if i + 1 < len(words) else ""
    if word.key in DETERMINERS - _POSSESSIVE:
        return not following or following in FUNCTION_WORDS
    return True


def _replaced(question: str, pronoun: str, topic: str) -> str:
    word = next(word for word in words_of(question) if word.text == pronoun)
    clitic = pronoun[len(word.key) :]
    is_possessive = word.key in _POSSESSIVE and not _ends(question, word)
    return (
        question[: word.start]
        + topic
        + (_genitive(topic) if is_possessive else clitic)
        + question[word.end :]
    )


def _genitive(topic: str) -> str:
    return "'" if topic.endswith("s") else "'s"


def _ends(question: str, word: Word) -> bool:
    """Whether nothing that could be possessed follows: "ask her", "about her?"."""
    following = words_of(question[word.end :])
    return not following or following[0].key in FUNCTION_WORDS


def topic_of(question: str, lexicon: Lexicon) -> str:
    """The phrase that the question is about: the one whose words weigh most; without any, what it says.

    A bare word is as likely a verb as a noun, so it counts half beside "the fee", "CSC 310" or "meal plans".
    """
    phrases = linked_phrases(question)
    if not phrases:
        return without_lead(question)
    return max(phrases, key=lambda phrase: _weight(question, phrase, lexicon)).text


def _weight(question: str, phrase: Phrase, lexicon: Lexicon) -> float:
    words = words_of(phrase.text)
    is_bare = len(words) == 1 and not (phrase.start and phrase.text[0].isupper())
    return sum(lexicon.word_weights(phrase.text).values()) * (0.5 if is_bare else 1.0)
