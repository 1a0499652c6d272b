"""Text from outside, made into data for a prompt: it can neither end its place there nor speak for another.

What is taken out or changed: characters that a person does not see (control and format characters, tags,
variation selectors, direction marks), whatever could open a tag of ours or a chat template's (`</passage>`,
`<|im_start|>`, `<s>`, `[INST]`), and numbers in square brackets, which are how our answers cite. What a text
says in plain words is left to it: that words are no instructions is a rule of the prompt.
"""

from __future__ import annotations

import re
import unicodedata

# Seen by nobody, though Unicode counts them among letters, marks and symbols.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_UNSEEN = ("Cc", "Cf", "Cs", "Co", "Cn")
_LINE_END = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
# A less-than sign or what looks like one; before a number it is one: "GPA < 2.0", "<= 30".
_OPENS = re.compile(r"[<＜﹤‹〈⟨❬❮ᐸ˂](?!\s*(?:[\d=.$€£-]|$))")
_BRACKETED = re.compile(r"[\[［【〔⟦]\s*([^\s\[\]［］【】〔〕⟦⟧]{1,40}|\d[\d\s,;–-]{0,40})\s*[\]］】〕⟧]")
_SPACES = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r" ?\n(?: ?\n)+ ?")


def as_data(text: str) -> str:
    """The text, harmless; its line breaks are kept, of blank lines one."""
    text = _LINE_END.sub("\n", text).replace("\t", " ")
    text = "".join(c for c in text if c == "\n" or unicodedata.category(c) not in _UNSEEN)
    text = unicodedata.normalize("NFC", _BLANK.sub("", text))
    text = _BRACKETED.sub(r"(\1)", _OPENS.sub("&lt;", text))
    return _BLANK_LINES.sub("\n\n", _SPACES.sub(" ", text)).strip()


def as_line(text: str, max_chars: int) -> str:
    """The text, harmless, in one line and no longer than this."""
    line = " ".join(as_data(text).split())
    return line if len(line) <= max_chars else line[: max_chars - 1].rstrip() + "…"
