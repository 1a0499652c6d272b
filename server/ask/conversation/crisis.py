"""Distress and emergencies, heard before anything is looked up, so that help lines always come first.

It would rather show a help line too often than once too seldom. Strong words, of somebody in danger, count
whatever stands beside them; weak ones, such as "suicide" or "stalking", not beside a course, a film or a
drill. `corpus/lexicons/crisis.toml` has them, English and Spanish, with the misspellings that people make.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from server.lexicons import any_of, lexicon
from server.models import HelpLine, Phrase

Level = Literal["emergency", "distress"]
Matter = Literal["self_harm", "assault", "danger", "medical"]
Language = Literal["en", "es"]


def _everywhere(words: str) -> Phrase:
    return Phrase((("", words),))


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
        _everywhere("988 Suicide & Crisis Lifeline"),
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
    words = lexicon("crisis")
    return tuple(
        _Entry(
            row["level"],
            row["category"],
            row["language"],
            re.compile(rf"(?<!\w)(?:{any_of(row['words'], words['groups'])})", re.IGNORECASE),
        )
        for row in words[strength]
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


_OPENINGS: dict[Language, dict[Level, str]] = {
    "en": {
        "emergency": "If anyone is in danger, please call now:",
        "distress": "I am only a program, but there are people who want to help, and you can reach them now:",
    },
    "es": {
        "emergency": "Si alguien está en peligro, llame ahora:",
        "distress": "Soy solo un programa, pero hay personas que quieren ayudar y puede llamarlas ahora:",
    },
}


def help_text(distress: Crisis, lines: Sequence[HelpLine] = US_HELP_LINES) -> str:
    """What is said first, in the language it was heard in: a line a help line, as they were configured."""
    opening = _OPENINGS[distress.language][distress.level]
    return "\n".join((opening, *(f"• {_line(line, distress.language)}" for line in lines)))


def _line(line: HelpLine, lang: Language) -> str:
    label = line.label.said_in(lang)
    named = f"{label}: {line.phone}" if line.phone else label
    said = (f"{named}.", line.says.said_in(lang), line.hours.said_in(lang), line.url)
    return " ".join(part for part in said if part)
