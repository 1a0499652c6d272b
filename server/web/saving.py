"""A conversation as a file to keep: plain text for people, JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import date
from typing import Any

from server.records import Answer, Site
from server.web.present import contact_lines, date_in_words, shown_text
from server.web.texts import Texts, fill
from server.web.turns import Turn


def as_text(turns: Iterable[Turn], site: Site, texts: Texts, day: date) -> str:
    """The conversation in plain text, with every source and its address."""
    head = [fill(texts.saved_title, site=site.name), fill(texts.saved_on, date=date_in_words(day, texts))]
    blocks = ["\n".join(head), *(_turn_text(turn, texts) for turn in turns), texts.honesty]
    if site.contacts:
        blocks.append("\n".join([texts.ask_person, *contact_lines(site.contacts, texts)]))
    return "\n\n".join(blocks) + "\n"


def as_json(turns: Iterable[Turn], site: Site, day: date) -> dict[str, Any]:
    """The same as a JSON object; an answer's keys are the contract's, without those of our workings."""
    return {
        "site": site.name,
        "saved_on": day.isoformat(),
        "conversation": [_turn_json(turn) for turn in turns],
    }


def _turn_text(turn: Turn, texts: Texts) -> str:
    lines = [f"{texts.saved_question}: {turn.question}", "", f"{texts.saved_answer}: "]
    lines[-1] += shown_text(turn.answer, texts)
    lines += _source_lines(turn.answer, texts)
    return "\n".join(lines)


def _source_lines(answer: Answer, texts: Texts) -> list[str]:
    lines = [f"  [{c.n}] {c.title}\n      {c.url}" for c in answer.citations]
    if answer.closest_pages:
        lines += ["", f"{texts.closest}:", *(f"  - {p.title}\n    {p.url}" for p in answer.closest_pages)]
    return lines


def _turn_json(turn: Turn) -> dict[str, Any]:
    kept = ("answer", "refused", "citations", "closest_pages")
    answer = {key: value for key, value in turn.answer.as_json().items() if key in kept}
    return {"question": turn.question, **answer, "rated": asdict(turn.rated) if turn.rated else None}
