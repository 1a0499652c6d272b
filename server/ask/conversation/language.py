"""Whether a question is in English, the one language that the gate's models know.

A question in another language is never turned away as off topic: nobody has judged it.
"""

from __future__ import annotations

import re
import unicodedata

from server.ask.conversation.phrases import word_set

_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = word_set(
    "the a an is are was were do does did can could will would should may have has how what when where who"
    " why which of to for in on at from with by about i you we they my your our it its this that there be if"
    " and or not any much many get"
)
# Small words of Spanish, French, Portuguese, German, Italian and Catalan that are none in English.
_OTHERS = word_set(
    "el la los las una del y que qué cuál cuándo cuando dónde donde cómo como quién cuánto cuanto por para"
    " con está esta es hay su le les des une du et est où quand comment combien pourquoi quel quelle qui sont"
    " pour avec je nous vous dans o os um uma da dos das não onde quanto quantos são eu você der dem ein"
    " eine und ist wo wann wie wer warum wieviel sind ich wir für mit auf il lo gli dove quando chi perché"
    " sono della nel si els amb"
)


def is_english(text: str) -> bool:
    """True unless two small words or the letters of another language say otherwise."""
    if "¿" in text or "¡" in text:
        return False
    words = [word.lower() for word in _WORD.findall(text)]
    if any(not _is_latin(char) for word in words for char in word):
        return False
    ours = sum(word in _ENGLISH for word in words)
    theirs = sum(word in _OTHERS for word in words)
    return theirs < 2 or ours >= theirs


def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith(("LATIN", "MODIFIER", "COMBINING"))
