"""Triage, before anything is retrieved: what is this line of a conversation?

In this order: help lines for a crisis, always first; a friendly line for small talk; a challenge of the
last answer; and else questions.

A crisis is detected by strong words, of somebody in danger, whatever stands beside them; where they are
silent, by a small model of a text's vector and words, to which weak words, such as "suicide" or "stalking",
and what is harmless beside them, a course, a film or a drill, are signs. `corpus/lexicons/crisis.toml` has
the words, English and Spanish, with the misspellings that people make;
`scripts/research/hearing/measure_distress.py` tells what is heard.

What is not answered whatever the pages say, orders to the assistant and how to do harm, is heard of each
question in a few plain forms (`corpus/lexicons/moderation.toml`). It need not hear them all: an order that is
not heard finds nothing to obey it, because an answer holds only what the pages say. Whoever wants to report
something, or reads about it ("weapons policy", "hacking club"), asks for no recipe and is not meant.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np

from server.ask.conversation.phrases import is_spanish, without_accents
from server.ask.conversation.turns import (
    Language,
    SmallTalk,
    is_challenge,
    small_talk,
    turns_of,
)
from server.ask.grounding.evidence import is_planted, logistic
from server.ask.ports import EmbeddingModel, History, Vector
from server.errors import BadInputError
from server.lexicons import any_of, lexicon
from server.messages.catalogue import Texts
from server.models import HelpLine, Phrase

Level = Literal["emergency", "distress"]
Matter = Literal["self_harm", "assault", "danger", "medical", "anguish", "need"]


# Where a site names none of its own.
US_HELP_LINES = (
    HelpLine(
        Phrase((("en", "Emergency services"), ("es", "Servicios de emergencia"))),
        Phrase(
            (
                ("en", "Police, fire and ambulance, at any hour."),
                ("es", "Policía, bomberos y ambulancia, a cualquier hora."),
            )
        ),
        "911",
    ),
    HelpLine(
        Phrase((("", "988 Suicide & Crisis Lifeline"),)),
        Phrase(
            (
                ("en", "Call or text at any hour; free and confidential."),
                ("es", "Llame o envíe un mensaje a cualquier hora; gratuito y confidencial."),
            )
        ),
        "988",
        "https://988lifeline.org/",
    ),
)


@dataclass(frozen=True, slots=True)
class Crisis:
    """What was heard: `emergency`, when somebody may be in danger now; and the words it was heard in."""

    level: Level
    matter: Matter
    language: Language
    heard: str


@dataclass(frozen=True, slots=True)
class _Entry:
    """Words of one category, as the lexicon has them."""

    level: Level
    matter: Matter
    language: Language
    pattern: re.Pattern[str]

    def search(self, text: str) -> Crisis | None:
        match = self.pattern.search(text)
        return Crisis(self.level, self.matter, self.language, match.group().strip()) if match else None


@cache
def _entries(strength: Literal["strong", "weak"]) -> tuple[_Entry, ...]:
    return tuple(
        _Entry(row["level"], row["category"], row["language"], row.pattern("words", r"(?<!\w)(?:{})"))
        for row in lexicon("crisis")[strength]
    )


@cache
def _harmless() -> re.Pattern[str]:
    """A subject, a drill or a form of words, beside which weak words are not heard."""
    words = lexicon("crisis")
    return re.compile(any_of((*words["subject"], *words["not_meant"])), re.IGNORECASE)


def detect_crisis(text: str, *, weak: bool = True) -> Crisis | None:
    """What calls for help lines, by strong words, the most urgent first, or `weak` ones; None for nothing."""
    plain = _plain(text)
    found = [crisis for entry in _entries("strong") if (crisis := entry.search(plain))]
    if found:
        return min(found, key=lambda crisis: crisis.level != "emergency")
    if not weak or _harmless().search(plain):
        return None
    return next((crisis for entry in _entries("weak") if (crisis := entry.search(plain))), None)


def _plain(text: str) -> str:
    """Small letters without accents, one kind of apostrophe, one space between words."""
    return " ".join(without_accents(text.replace("’", "'")).split())


def help_text(level: Level, texts: Texts, lines: Sequence[HelpLine] = US_HELP_LINES) -> str:
    """What is said first: a line a help line, as they were configured."""
    opening = texts.in_emergency if level == "emergency" else texts.in_distress
    return "\n".join((opening, *(f"• {_line(line, texts.lang)}" for line in lines)))


def _line(line: HelpLine, lang: str) -> str:
    label = line.label.said_in(lang)
    named = f"{label}: {line.phone}" if line.phone else label
    said = (f"{named}.", line.says.said_in(lang), line.hours.said_in(lang), line.url)
    return " ".join(part for part in said if part)


_GRAM_WORD = re.compile(r"\w+")
# One spelling of what is said with and without an apostrophe, or written out.
_SHORTENED = tuple(
    (re.compile(pattern), short)
    for pattern, short in (
        (r"'", ""),
        (r"\b(he|she|it|who|what|there|that) is\b", r"\1s"),
        (r"\b(we|you|they) are\b", r"\1re"),
        (r"\bcan ?not\b", "cant"),
        (r"\bwill not\b", "wont"),
        (r"\b(do|does|did|is|are|was|were|have|has|had|would|could|should) not\b", r"\1nt"),
        (r"\bi am\b", "im"),
        (r"\bgoing to\b", "gonna"),
        (r"\bwant to\b", "wanna"),
    )
)
_ASKS = re.compile(
    r"(?:what|whats|when|where|wheres|who|which|how|is|are|does|do|can|could|should|did|will|would"
    r"|que|cuando|donde|cual|hay|puedo|cuanto|como|quien)\b"
)


SHORT, SIGN = 4, 0.3  # words of a short text; what a sign counts beside words, which are of length 1 together


def distress_features(text: str) -> dict[str, float]:
    """What is heard of a text beside its vector: its words, their pairs and, in capitals, signs of its kind.

    Words and pairs together have length 1 (the Euclidean norm), however long the text is.
    """
    plain = _plain(text)
    for pattern, short in _SHORTENED:
        plain = pattern.sub(short, plain)
    words = _GRAM_WORD.findall(plain)
    grams = dict.fromkeys((*words, *(f"{one} {two}" for one, two in pairwise(words))))
    features = dict.fromkeys(grams, 1 / math.sqrt(max(len(grams), 1)))
    signs = {
        "WEAK": any(entry.search(_plain(text)) for entry in _entries("weak")),
        "HARMLESS": _harmless().search(_plain(text)) is not None,
        "ASKS": _ASKS.match(plain) is not None or "?" in text,
        "SHORT": len(words) <= SHORT,
    }
    return features | {sign: SIGN for sign, is_there in signs.items() if is_there}


@dataclass(frozen=True, slots=True)
class DistressModel:
    """Hears distress that no list of words has: a logistic regression over a text's vector and its words.

    `scripts/research/hearing/fit_distress.py` fits it to the embedder that it names; the threshold is in
    `bias`.
    """

    embedder_sha256: str
    bias: float
    vector: Vector
    words: Mapping[str, float]

    @classmethod
    def load(cls, path: Path) -> DistressModel:
        """The model in a JSON file; `BadInputError` when it cannot be read or holds none."""
        try:
            kept = json.loads(path.read_text(encoding="utf-8"))
            vector = np.array(kept["vector"], dtype=np.float32)
            words = {str(word): float(weight) for word, weight in kept["words"].items()}
            return cls(str(kept["embedder_sha256"]), float(kept["bias"]), vector, words)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise BadInputError(f"The model of distress in {path} cannot be read: {error!r}.") from error

    def score(self, text: str, vector: Vector) -> float:
        """The log-odds of distress over those that the help lines need; `vector` is a unit one, (dims,)."""
        return self.bias + float(self.vector @ vector) + sum(self._heard(text).values())

    def detect_crisis(self, text: str, vector: Vector) -> Crisis | None:
        """Distress, if it is likely enough; `heard` are the words that speak most for it.

        It is never an emergency, in which nothing else would be said: a likelihood is too unsure for that.
        """
        if self.score(text, vector) < 0:
            return None
        heard = self._heard(text)
        most = sorted((word for word in heard if heard[word] > 0), key=lambda word: -heard[word])[:3]
        return Crisis("distress", "anguish", "es" if is_spanish(text) else "en", ", ".join(most))

    def _heard(self, text: str) -> dict[str, float]:
        return {
            word: self.words[word] * value
            for word, value in distress_features(text).items()
            if word in self.words
        }


# Log-odds from which distress may have been missed: one in five.
NEARLY = -math.log(4)
# The trace's note of it.
NEARLY_HEARD = "may_be_distress"


@dataclass(frozen=True, slots=True)
class Triage:
    """What a line is.

    `crisis` gets help lines before anything else is said; `small_talk` a friendly line, which is the whole
    answer; `is_challenge`: the last answer is to be checked again; `has_questions`: there is something to
    look up. `language` is the one it was heard in, None where that is not clear.
    """

    crisis: Crisis | None = None
    small_talk: SmallTalk | None = None
    is_challenge: bool = False
    has_questions: bool = False
    language: Language | None = None
    notes: Mapping[str, Any] = field(default_factory=dict)


def triage(
    text: str, history: History, embedder: EmbeddingModel, distress: DistressModel | None = None
) -> Triage:
    """What a line is after these (role, text) turns, oldest first.

    In an emergency the help lines stand alone; in other distress the site may also know where to turn.
    """
    crisis, score = _crisis(text, embedder, distress)
    if crisis:
        return Triage(
            crisis,
            has_questions=crisis.level != "emergency",
            language=crisis.language,
            notes={"distress": crisis.level, "matter": crisis.matter, "heard": crisis.heard},
        )
    if talk := small_talk(text):  # "ok" and "hi" are said in any language
        language = None if talk.language == "en" else talk.language
        return Triage(small_talk=talk, language=language, notes={"small_talk": talk.kind})
    language = "es" if is_spanish(text) else None
    turns = turns_of(history)
    if turns and is_challenge(text, turns[-1].answer):
        return Triage(is_challenge=True, language=language, notes={"doubts": True})
    # Told to those who look after the answers, who are to see what may have been missed.
    notes = {} if score is None or score < NEARLY else {NEARLY_HEARD: round(logistic(score), 2)}
    return Triage(has_questions=True, language=language, notes=notes)


_DEADLINE = lexicon("crisis").pattern("deadlines")


def _crisis(
    text: str, embedder: EmbeddingModel, distress: DistressModel | None
) -> tuple[Crisis | None, float | None]:
    """By strong words; where they are silent, by the model of distress, with its score, or, without one, by
    weak words. The model does not speak of orders to a program, which sound violent to it, nor of a line that
    asks for a deadline alone: "last day i can drop chemistry"."""
    found = detect_crisis(text, weak=distress is None)
    if found or distress is None:
        return found, None
    vector = embedder.embed_question(text)
    score = distress.score(text, vector)
    is_heard = score >= 0 and not is_planted(text) and not _DEADLINE.fullmatch(text)
    return (distress.detect_crisis(text, vector) if is_heard else None), score


_MODERATION = lexicon("moderation")
_ORDERED = _MODERATION.pattern("orders", r"\b(?:{})")
_HARMFUL = _MODERATION.pattern("harm", rf"\b(?:{any_of(_MODERATION['how_to'])})\s*(?:\w+\s+){{0,2}}(?:{{}})")


def unsafe(question: str) -> Literal["order", "harm"] | None:
    """Moderation: what keeps a question from being answered; None for nothing."""
    if _ORDERED.search(question):
        return "order"
    return "harm" if _HARMFUL.search(question) else None
