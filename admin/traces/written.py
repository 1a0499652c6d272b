"""What a language model was told and wrote: the prompt, and each sentence with the check's verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from admin import formatting as wording

_SIGNS = {
    "passed": "✓ passed",
    "replaced": "⇄ replaced",
    "withheld": "✕ withheld",
    "repeated": "= said before",
    "empty": "○ says nothing",
}
# Why the pages were quoted though a language model was there (server/ask/generate.py).
_REASONS = {
    "shape": "the quoted answer is a table, a list or steps",
    "fact": "one fact is asked, and only what has to be put together is written",
    "unsure": "one fact is asked, and the page only seems to say it, so its own words are shown",
    "declined": "the model found no answer",
    "says_nothing": "its sentences say nothing, or nothing to the question",
    "withheld": "none of its sentences passed the check",
    "lacking": "its sentences lack what the quoted answer says",
    "less_sure": "its sentences are not supported well enough",
    "late": "it took too long",
}


def draw(steps: Sequence[dict[str, Any]]) -> None:
    """Every prompt and every check of the line; nothing where no model wrote."""
    for step in steps:
        if step["step"] == "generate":
            _choice(step["notes"])
            if step["notes"].get("prompt"):
                _prompt(step["notes"])
        if step["step"] == "ground" and step["notes"].get("sentences"):
            _check(step["notes"])


def verdicts(sentences: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """Sentences of a check as columns, with headings for a person."""
    return {
        "Verdict": [_SIGNS.get(one["outcome"], one["outcome"]) for one in sentences],
        "Sentence": [one["sentence"] for one in sentences],
        "Cites": [", ".join(f"[{n}]" for n in one["cited"]) for one in sentences],
        "Support": ["" if one["support"] is None else f"{one['support']:.2f}" for one in sentences],
        "Found": ["; ".join(_finding(finding) for finding in one["findings"]) for one in sentences],
        "Shown": [one["shown"] for one in sentences],
    }


def choice(notes: dict[str, Any]) -> str:
    """Which of the two answers was shown and why, in a sentence; empty for a trace that does not tell."""
    if notes.get("shown") == "llm":
        return "The language model's answer was shown: it has what the quoted one answers with."
    if reason := notes.get("quote_reason"):
        return f"The quoted answer was shown: {_REASONS.get(reason, reason)}."
    if notes.get("shown") and notes.get("trouble"):
        return f"The quoted answer was shown: the model failed ({notes['trouble']})."
    return ""


def _choice(notes: dict[str, Any]) -> None:
    if told := choice(notes):
        st.markdown(wording.literal(told))
        with st.expander(f"The quoted answer, {notes['quoted_confidence']:.2f} sure"):
            st.text(notes["quoted_answer"])
            st.caption(f"It answers with: {wording.literal(notes['quoted_key'])}")


def _finding(finding: dict[str, Any]) -> str:
    return " ".join(str(value) for value in finding.values() if value not in (None, "", [], ()))


def _prompt(notes: dict[str, Any]) -> None:
    with st.expander(f"The prompt: {notes.get('tokens', '?')} tokens"):
        for message in notes["prompt"]:
            st.code(message, language=None, wrap_lines=True)


def _check(notes: dict[str, Any]) -> None:
    told = f"{notes['passed']} passed, {notes['replaced']} replaced, {notes['withheld']} withheld"
    told += f", {empty} say nothing" if (empty := notes.get("empty")) else ""
    with st.expander(f"The check, sentence by sentence: {told}"):
        st.dataframe(
            pd.DataFrame(verdicts(notes["sentences"])),
            hide_index=True,
            column_config={"Sentence": st.column_config.TextColumn(width="large")},
            alt="One row for each sentence of the model, with the check's verdict",
        )
