"""Triage, before anything is retrieved: what is this line of a conversation?

In this order: help lines for a crisis, always first; a friendly line for small talk; a challenge of the
last answer; and else questions.

A crisis is detected rather too often than once too seldom. Strong words, of somebody in danger, count
whatever stands beside them; weak ones, such as "suicide" or "stalking", not beside a course, a film or a
drill. `corpus/lexicons/crisis.toml` has them, English and Spanish, with the misspellings that people make.
Beside words counts how like a text is to what people in a crisis write: of 35 sentences that neither words
nor examples were chosen for, words detect 7 and both together 26; of 3,000 off-topic questions both detect
20 (`scripts/research/measure_refusing.py`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

import numpy as np

from server.ask.conversation.phrases import is_english, is_spanish
from server.ask.conversation.turns import (
    Language,
    SmallTalk,
    is_challenge,
    small_talk,
    turns_of,
)
from server.ask.ports import EmbeddingModel, History, Vector
from server.errors import BadInputError
from server.lexicons import any_of, lexicon
from server.messages.catalogue import Texts
from server.models import HelpLine, Phrase
from server.toml_files import read_toml

Level = Literal["emergency", "distress"]
Matter = Literal["self_harm", "assault", "danger", "medical"]


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


def detect_crisis(text: str) -> Crisis | None:
    """What calls for help lines in a text, the most urgent first; None for nothing."""
    plain = _plain(text)
    found = [crisis for entry in _entries("strong") if (crisis := entry.search(plain))]
    if found:
        return min(found, key=lambda crisis: crisis.level != "emergency")
    if _harmless().search(plain):
        return None
    return next((crisis for entry in _entries("weak") if (crisis := entry.search(plain))), None)


def _plain(text: str) -> str:
    """Small letters without accents, one kind of apostrophe, one space between words."""
    letters = unicodedata.normalize("NFD", text.replace("’", "'").casefold())
    return " ".join("".join(c for c in letters if not unicodedata.combining(c)).split())


def help_text(level: Level, texts: Texts, lines: Sequence[HelpLine] = US_HELP_LINES) -> str:
    """What is said first: a line a help line, as they were configured."""
    opening = texts.in_emergency if level == "emergency" else texts.in_distress
    return "\n".join((opening, *(f"• {_line(line, texts.lang)}" for line in lines)))


def _line(line: HelpLine, lang: str) -> str:
    label = line.label.said_in(lang)
    named = f"{label}: {line.phone}" if line.phone else label
    said = (f"{named}.", line.says.said_in(lang), line.hours.said_in(lang), line.url)
    return " ".join(part for part in said if part)


Embed = Callable[[Sequence[str]], Vector]

# The mean cosine to the three nearest examples, less half that to the nearest harmless one, must reach LIKE.
NEAREST, AGAINST, LIKE = 3, 0.5, 0.2
MATTERS: tuple[Matter, ...] = ("self_harm", "assault", "danger", "medical")


@dataclass(frozen=True, slots=True)
class CrisisExamples:
    """What people in distress write, with its matter, and what only sounds like it."""

    texts: tuple[str, ...]
    matters: tuple[Matter, ...]
    harmless: tuple[str, ...]


def load_examples(path: Path, harmless: Sequence[str] = ()) -> CrisisExamples:
    """The examples of a TOML file: a list for each matter and one of the harmless, to which more can be
    added.

    `BadInputError` when it cannot be read or lacks a list of texts.
    """
    try:
        table = read_toml(path)
    except (OSError, ValueError) as error:
        raise BadInputError(f"The examples of distress in {path} cannot be read: {error}.") from error
    if missing := [name for name in (*MATTERS, "harmless") if not _are_texts(table.get(name))]:
        raise BadInputError(f"The examples of distress in {path} lack lists of texts: {', '.join(missing)}.")
    pairs = [(text, matter) for matter in MATTERS for text in table[matter]]
    texts, matters = zip(*pairs, strict=True)
    return CrisisExamples(texts, matters, (*table["harmless"], *harmless))


def _are_texts(value: object) -> bool:
    """Whether it is a list of texts that say something, and at least one."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(one, str) and one.strip() for one in value)


class CrisisSimilarity:
    """Measures likeness to examples that were embedded once. Thread-safe."""

    def __init__(self, examples: CrisisExamples, embed: Embed) -> None:
        self._examples = examples
        self._distressed = embed(examples.texts)
        self._harmless = embed(examples.harmless)

    def of(self, vector: Vector) -> float:
        """How like a unit vector of shape (dims,) is to distress, less what is harmless; about −0.3 to 1."""
        near = np.sort(self._distressed @ vector)[-NEAREST:].mean()
        return float(near - AGAINST * (self._harmless @ vector).max())

    def detect_crisis(self, text: str, vector: Vector) -> Crisis | None:
        """What the text is most like, if it is like enough; `heard` is the nearest example.

        It is never an emergency, in which nothing else would be said: likeness is too unsure for that.
        """
        if self.of(vector) < LIKE:
            return None
        nearest = int((self._distressed @ vector).argmax())
        matter = self._examples.matters[nearest]
        return Crisis("distress", matter, "en", self._examples.texts[nearest])


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
    text: str, history: History, embedder: EmbeddingModel, likeness: CrisisSimilarity | None = None
) -> Triage:
    """What a line is after these (role, text) turns, oldest first.

    In an emergency the help lines stand alone; in other distress the site may also know where to turn.
    """
    if crisis := _crisis(text, embedder, likeness):
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
    return Triage(has_questions=True, language=language)


def _crisis(text: str, embedder: EmbeddingModel, likeness: CrisisSimilarity | None) -> Crisis | None:
    """By its words; by likeness too, as far as the embedder knows the language."""
    found = detect_crisis(text)
    if found or likeness is None or not is_english(text):
        return found
    return likeness.detect_crisis(text, embedder.embed_question(text))
