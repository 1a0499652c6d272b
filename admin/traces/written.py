"""What a language model was told and wrote: the prompt, and each sentence with the check's verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

_SIGNS = {
    "passed": "✓ passed",
    "replaced": "⇄ replaced",
    "withheld": "✕ withheld",
    "repeated": "= said before",
}


def draw(steps: Sequence[dict[str, Any]]) -> None:
    """Every prompt and every check of the line; nothing where no model wrote."""
    for step in steps:
        if step["step"] == "generate" and step["notes"].get("prompt"):
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


def _finding(finding: dict[str, Any]) -> str:
    return " ".join(str(value) for value in finding.values() if value not in (None, "", [], ()))


def _prompt(notes: dict[str, Any]) -> None:
    with st.expander(f"The prompt: {notes.get('tokens', '?')} tokens"):
        for message in notes["prompt"]:
            st.code(message, language=None, wrap_lines=True)


def _check(notes: dict[str, Any]) -> None:
    told = f"{notes['passed']} passed, {notes['replaced']} replaced, {notes['withheld']} withheld"
    with st.expander(f"The check, sentence by sentence: {told}"):
        st.dataframe(
            pd.DataFrame(verdicts(notes["sentences"])),
            hide_index=True,
            column_config={"Sentence": st.column_config.TextColumn(width="large")},
            alt="One row for each sentence of the model, with the check's verdict",
        )
