"""Contextual query rewriting: does a question go on from the turns before, and what does it mean alone?"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from server.ask.conversation.phrases import content_words, in_english, topic_of, words_of
from server.ask.conversation.standalone import StandaloneQuestion, asked_again, rewrite_standalone
from server.ask.conversation.turns import (
    MOST_TURNS,
    ConversationTurn,
    FollowUpCues,
    Memory,
    cues_of,
    is_challenge,
    small_talk,
    turns_of,
)
from server.ask.ports import Condense, EmbeddingModel, SnapshotText
from server.errors import LodgeError

Relation = Literal["first", "follow_up", "related", "new_topic"]

# A question's words say what it is about as far as they are rare: their inverse document frequencies add up
# to its weight in nats, of which more than MOST tell no more. One without marks is a new topic when it weighs
# more than GOES_ON · closeness + VAGUE (closeness: the cosine to what was said). Fitted on the demo's
# questions after dialogues on something else, of which 12 % go on, and one half of doc2dial's turns, of
# which 87 % do.
MOST, GOES_ON, VAGUE = 10.0, 20.0, 3.5
# One that weighs less, or has so few content words, names nothing of its own: "what's the fine?"
SHORT, FEW = 5.0, 1
# All of this in nats of a site of 800 passages, on which a word that it does not have weighs RAREST. On a
# smaller one it weighs less, and everything is stretched accordingly.
RAREST, UNSEEN = 7.4, "qzxjvkw"


@dataclass(frozen=True, slots=True)
class ContextualizedQuestion:
    """What a question is to its conversation; `asked` is the question as it was typed.

    `standalone` is the question that can be asked by itself; `memory` what was said on its topic before,
    empty for a new one. A "related" question stands alone as it is, on the topic of those before it.
    """

    relation: Relation
    standalone: StandaloneQuestion
    asked: str = ""
    memory: Memory = field(default_factory=Memory)
    marks: FollowUpCues = field(default_factory=FollowUpCues)
    closeness: float = 0.0

    @property
    def question(self) -> str:
        """The question to retrieve with."""
        return self.standalone.text

    def put_as(self, text: str) -> ContextualizedQuestion:
        """The same question, to retrieve with in these words."""
        return replace(self, standalone=replace(self.standalone, text=text))

    def in_english(self, site: SnapshotText) -> str | None:
        """A Spanish question word for word in English; None where a word is neither known nor the site's."""
        return in_english(self.question, site.knows_a_form)

    @property
    def notes(self) -> dict[str, Any]:
        """For the trace."""
        return {
            "relation": self.relation,
            "question": self.question,
            "how": self.standalone.how,
            "marks": list(self.marks.kinds),
            "topic": self.memory.topic,
            "closeness": round(self.closeness, 3),
        }


def contextualize(
    question: str,
    history: Sequence[tuple[str, str]],
    keyword: SnapshotText,
    embedder: EmbeddingModel,
    condense: Condense | None = None,
) -> ContextualizedQuestion:
    """The question as it stands alone, by rules, or by a language model where there is one."""
    rules = contextualize_by_rules(question, history, keyword, embedder)
    return condensed(question, history, rules, condense)


def contextualize_by_rules(
    question: str, history: Sequence[tuple[str, str]], keyword: SnapshotText, embedder: EmbeddingModel
) -> ContextualizedQuestion:
    """The question in the light of the (role, text) turns before it, oldest first; the same every time."""
    memory = Memory()
    for turn in questions_of(history):
        memory = remember(turn, contextualize_next(turn.question, memory, keyword, embedder))
    return contextualize_next(question, memory, keyword, embedder)


def questions_of(history: Sequence[tuple[str, str]]) -> list[ConversationTurn]:
    """The latest turns that asked something: no thanks and no doubts about the answer before."""
    asked: list[ConversationTurn] = []
    for turn in turns_of(history):
        before = asked[-1].answer if asked else ""
        if small_talk(turn.question) is None and not (asked and is_challenge(turn.question, before)):
            asked.append(turn)
    return asked[-MOST_TURNS:]


def without_refused(
    question: str, history: Sequence[tuple[str, str]], is_refusal: Callable[[str], bool]
) -> list[tuple[str, str]]:
    """The history without the questions that were refused, unless the next one plainly points back."""
    kept: list[tuple[str, str]] = []
    following = question
    for turn in reversed(turns_of(history)):
        if turn.answer and is_refusal(turn.answer) and not points_back(following):
            continue
        kept[:0] = [("user", turn.question), *([("assistant", turn.answer)] if turn.answer else [])]
        following = turn.question
    return kept


def points_back(question: str) -> bool:
    """Whether a question plainly goes on from the line before: "why is that", "and for graduates?"; not "and
    where is the gym"."""
    kinds = set(cues_of(question).kinds)
    return bool(kinds - {"lead"}) or ("lead" in kinds and asked_again(question) is not None)


def remember(turn: ConversationTurn, understood: ContextualizedQuestion) -> Memory:
    """The memory after a turn. A topic stays that of the first question until one names another."""
    memory = understood.memory
    keeps = understood.relation == "related" and memory.topic and _names_little(turn.question)
    topic = memory.topic if keeps else understood.standalone.topic
    return memory.with_turn(turn, understood.question, topic)


def contextualize_next(
    question: str, memory: Memory, keyword: SnapshotText, embedder: EmbeddingModel
) -> ContextualizedQuestion:
    """The question in the light of what is remembered."""
    as_it_is = StandaloneQuestion(question, topic_of(question, keyword), "kept")
    if not memory:
        return ContextualizedQuestion("first", as_it_is, question)
    marks = cues_of(question)
    close = closeness(question, memory, embedder)
    weight = own_weight(question, keyword)
    if not marks and weight > GOES_ON * close + VAGUE:
        return ContextualizedQuestion("new_topic", as_it_is, question, closeness=close)
    if marks or weight < SHORT or len(content_words(question)) <= FEW:
        rewritten = rewrite_standalone(question, marks, memory, keyword, embedder)
        return ContextualizedQuestion("follow_up", rewritten, question, memory, marks, close)
    return ContextualizedQuestion("related", as_it_is, question, memory, marks, close)


def own_weight(question: str, keyword: SnapshotText) -> float:
    """How much a question says by itself, 0 to MOST."""
    stretch = max(1.0, RAREST / max(keyword.word_weights(UNSEEN).values()))
    return min(stretch * sum(keyword.word_weights(question).values()), MOST)


def closeness(question: str, memory: Memory, embedder: EmbeddingModel) -> float:
    """The best cosine between the question and what was said: last question, last answer, all of each."""
    said = (
        memory.question,
        memory.questions,
        memory.turns[-1].answer,
        f"{memory.questions} {memory.answers}",
    )
    vector = embedder.embed_question(question)
    return max(float(vector @ embedder.embed_question(text)) for text in dict.fromkeys(said) if text.strip())


def _names_little(question: str) -> bool:
    words = content_words(question)
    return len(words) <= 2 and not any(word.is_name for word in words)


MOST_WORDS, MOST_CHARS = 60, 400
_LABEL = re.compile(
    r"^\W*(?:the\s+)?(?:stand-?alone|rewritten|condensed|follow-?up)?\s*(?:question|query)\s*(?:is)?\s*:\s*",
    re.IGNORECASE,
)
_QUOTES = "\"'“”‘’«»`* "
# How much of a word must agree: "graduate" and "graduates", "parking" and "park".
_COMMON = 4


def condensed(
    question: str,
    history: Sequence[tuple[str, str]],
    understood: ContextualizedQuestion,
    condense: Condense | None,
) -> ContextualizedQuestion:
    """What was understood, with the model's words for it if they can be used.

    The model is asked for follow-ups only. `standalone.how` says whose words they are: "model", or how the
    rules made theirs.
    """
    if condense is None or understood.relation != "follow_up":
        return understood
    try:
        written = parse_condensed(condense(question, history), question, history)
    except LodgeError:
        written = None
    if written is None:
        return understood
    return replace(understood, standalone=StandaloneQuestion(written, understood.standalone.topic, "model"))


def parse_condensed(output: str, question: str, history: Sequence[tuple[str, str]]) -> str | None:
    """The one question in a model's output; None when there is none, several, or one out of the blue."""
    lines = [line.strip() for line in output.strip().splitlines() if line.strip()]
    if len(lines) != 1:
        return None
    line = " ".join(_LABEL.sub("", lines[0]).strip(_QUOTES).split())
    if not 2 <= len(words_of(line)) <= MOST_WORDS or len(line) > MOST_CHARS:
        return None
    if "?" in line[:-1].rstrip("?") or not _shares(line, question, history):
        return None
    return line


def _shares(line: str, question: str, history: Sequence[tuple[str, str]]) -> bool:
    """Whether it has a content word of the conversation; a question that adds none says what was said."""
    said = {
        word.key[:_COMMON] for text in (question, *(text for _, text in history)) for word in words_of(text)
    }
    return any(word.key[:_COMMON] in said for word in content_words(line))
