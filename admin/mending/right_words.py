"""Which words a right answer must have: chosen from a passage's own figures, or typed."""

from __future__ import annotations

import streamlit as st

from admin.mending.change import facts

LACKING = "Say which words a right answer must have. By its page alone any answer would be right."


def ask(said: str, key: str, *, chosen: int = 0) -> tuple[str, ...]:
    """The words, of which an answer must hold one; the first `chosen` of the figures are chosen at first."""
    found = facts(said)
    picked: list[str] = []
    if found:
        label = "A right answer must have one of these words"
        picked = st.pills(label, found, selection_mode="multi", default=found[:chosen], key=f"{key}-facts")
    label = "or these words" if found else "Words that a right answer must have"
    more = st.text_input(label, key=f"{key}-words", placeholder="as the page has them").strip()
    return (*picked, *([more] if more else []))
