"""Which words a right answer must have: chosen from a passage's own figures, or typed."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from admin.mending.change import MOST_FACTS, facts

LACKING = "Say which words a right answer must have. By its page alone any answer would be right."


def ask(
    said: str, key: str, *, chosen: int = 0, known: Sequence[str] = (), value: str = ""
) -> tuple[str, ...]:
    """The words, of which an answer must hold one; the first `chosen` of those proposed are chosen at first.

    What is `known` is proposed before the figures of what is said; where nothing is, `value` is typed in.
    """
    found = list(dict.fromkeys((*known, *facts(said))))[:MOST_FACTS]
    picked: list[str] = []
    if found:
        label = "A right answer must have one of these words"
        picked = st.pills(label, found, selection_mode="multi", default=found[:chosen], key=f"{key}-facts")
    label = "or these words" if found else "Words that a right answer must have"
    typed = "" if found else value
    more = st.text_input(label, typed, key=f"{key}-words", placeholder="as the page has them").strip()
    return (*picked, *([more] if more else []))
