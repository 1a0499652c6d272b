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
    found = ask.index.classifier.nearest_usual(ask.models.embedder.embed_question(text))
    if found is None or found.closeness < CLOSE:
        return SpelledOut(text)
    weights = ask.index.text.word_weights
    told = weights(f"{found.says} {found.asks} {' '.join(_BESIDE)}").keys()
    own = [stem for stem in weights(text) if stem not in told]
    notes = {"says": found.says, "closeness": round(found.closeness, 3)}
    if own or not found.asks:
        return SpelledOut(text, notes=notes | {"own": own})
    return SpelledOut(f"{text.rstrip(' ?.!')}? {found.asks}", text, notes | {"asks": found.asks})
