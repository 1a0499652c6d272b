"""What any university is asked, spelled out: "how much is tuition" says neither for whom nor for how long.

A small reader has learnt from questions that say such things, and is unsure of a page that answers one that
does not. So what is nearly one of the usual questions (`corpus/usual_questions.toml`) is searched and read
with what it asks beside it. One that has a word of its own ("how much is tuition for nurses") is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from server.ask.context import AskContext
from server.lexicons import lexicon
from server.models.usual import NearestUsual

# The cosine from which on a question is one of them, if it has no other words.
CLOSE = 0.75

# Words that say no more than the question does without them: "library hours info please".
_BESIDE = lexicon("usual").words("beside")


@dataclass(frozen=True, slots=True)
class SpelledOut:
    """The question as it is searched and read, as it was `own`, where it is spelled out, and for the trace
    what was found."""

    text: str
    own: str = ""
    notes: Mapping[str, object] = field(default_factory=dict)


def spelled_out(text: str, ask: AskContext) -> SpelledOut:
    """The question with what it asks beside it, where it is a usual one; as it is, where it is not."""
    found = _nearest(text, "en", ask)
    if found is None:
        return SpelledOut(text)
    own = _own_words(text, found, ask)
    notes = {"says": found.says, "closeness": round(found.closeness, 3)}
    if own or not found.asks:
        return SpelledOut(text, notes=notes | {"own": own})
    return SpelledOut(f"{text.rstrip(' ?.!')}? {found.asks}", text, notes | {"asks": found.asks})


def usual_in_english(text: str, ask: AskContext) -> str:
    """What a Spanish question asks, in English, where it is a usual one; "" where it is not."""
    found = _nearest(text, "es", ask)
    return found.asks if found and not _own_words(text, found, ask) else ""


def _nearest(text: str, language: str, ask: AskContext) -> NearestUsual | None:
    """The usual question that is near enough; None, too, where no vectors are compared."""
    if not ask.config.strategy.needs_vector:
        return None
    found = ask.index.classifier.nearest_usual(ask.models.embedder.embed_question(text), language)
    return found if found and found.closeness >= CLOSE else None


def _own_words(text: str, found: NearestUsual, ask: AskContext) -> list[str]:
    """The stems of a question's words that the usual one has neither by its words nor by what it asks."""
    weights = ask.index.text.word_weights
    told = weights(found.says).keys() | weights(f"{found.asks} {' '.join(_BESIDE)}").keys()
    return [stem for stem in weights(text) if stem not in told]
