"""Targets: the one sentence that a writer should write, made of a gold answer and the words it stands in.

A model learns to write what the check lets through (`server/ask/grounding/`), so the page's own sentence is
taken where it is short, and an answer of a few words only where that says enough alone.
"""

from __future__ import annotations

import re

from server.sentences import sentences

MAX_WORDS = 38  # of a target; longer ones teach to copy
LEAST_WORDS = 4  # of an answer that stands alone
WINDOW_WORDS = 75  # of a passage cut around its answer

_OPEN = re.compile(
    r"(?i)^(?:he|she|it|they|this|these|that|those|his|her|its|their|there|such|both|here|however|but|and|or|so|also|"
    r"then|thus|therefore|instead)\b"
)
_MARKS = re.compile(r"^[\s\-*•–#>|]+|[*_`]{2,}|\s*\[\d+\]")
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")
_END = re.compile(r"[.!?…][\"'”’)]*$")


def target_of(answer: str, quote: str, yes_no: str | None = None) -> str | None:
    """The sentence for an answer whose words stand in `quote`; None where none fits.

    A table's row, its cells joined by bars, becomes "first cell: answer".
    """
    quote, answer = tidy(quote), tidy(answer)
    if " | " in quote:
        said = _row_target(answer, quote)
    elif is_sentence(quote):
        said = quote
    else:
        said = answer if LEAST_WORDS <= len(answer.split()) <= MAX_WORDS else ""
    if not said:
        return None
    return finished(f"{yes_no.title()}: {said}" if yes_no else said)


def _row_target(answer: str, row: str) -> str:
    first = row.split(" | ", maxsplit=1)[0].strip(" :")
    if not answer or len(answer.split()) > MAX_WORDS:
        return ""
    known = first.casefold() in answer.casefold() or answer.casefold() in first.casefold()
    return answer if known or not first else f"{first}: {answer}"


def answering_sentence(text: str, start: int, answer: str) -> str | None:
    """The sentence of a text in which the answer stands, where it can be understood alone."""
    for begin, end in sentences(text):
        if begin <= start < end:
            said = tidy(text[begin:end])
            fits = start + len(answer) <= end and is_sentence(said) and not _OPEN.match(said)
            return finished(said) if fits else None
    return None


def is_sentence(text: str) -> bool:
    """Whether a text is short enough for a target and more than a few words."""
    return LEAST_WORDS <= len(text.split()) <= MAX_WORDS


def tidy(text: str) -> str:
    """A text in one line without Markdown's marks or citations."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())


def finished(text: str) -> str:
    """The text with a capital and a full stop."""
    text = text.rstrip(" ,;:")
    text = text[:1].upper() + text[1:]
    return text if _END.search(text) else text + "."


def window(text: str, start: int, end: int, words: int = WINDOW_WORDS) -> str:
    """As many whole sentences around text[start:end] as `words` allow, those before and after in turn."""
    spans = sentences(text)
    holding = [n for n, (begin, stop) in enumerate(spans) if begin < end and stop > start]
    if not holding:
        return text
    first, last = holding[0], holding[-1]
    while True:
        grown = [(f, t) for f, t in ((first - 1, last), (first, last + 1)) if f >= 0 and t < len(spans)]
        fitting = [
            pair for pair in grown if len(text[spans[pair[0]][0] : spans[pair[1]][1]].split()) <= words
        ]
        if not fitting:
            return text[spans[first][0] : spans[last][1]].strip()
        first, last = fitting[(last - first) % len(fitting)]
