"""What a preview has found, counted, and as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from server.ask.ruling.preview import AnswerChange, PastQuestion, Said


@dataclass(slots=True)
class Tally:
    """What a preview has found so far."""

    questions: int = 0
    golden: int = 0
    changes: list[AnswerChange] = field(default_factory=list)

    def add(self, one: PastQuestion, change: AnswerChange | None) -> None:
        """One more question, and what changes for it."""
        if one.golden:
            self.golden += 1
        else:
            self.questions += 1
        if change:
            self.changes.append(change)

    def as_json(self) -> dict[str, Any]:
        """Counts, and every change: golden questions that break, then answers that lose a page, then others.

        Keys: questions, golden (asked); changed, loses_page, newly_refused, newly_answered (of the past
        questions); broken, mended (of the golden ones); changes.
        """
        past = [change for change in self.changes if not change.asked.golden]
        return {
            "questions": self.questions,
            "golden": self.golden,
            "changed": len(past),
            "loses_page": sum(bool(change.lost) for change in past),
            "newly_refused": sum(change.after.refused and not change.before.refused for change in past),
            "newly_answered": sum(change.before.refused and not change.after.refused for change in past),
            "broken": sum(change.breaks for change in self.changes if change.asked.golden),
            "mended": sum(change.mends for change in self.changes if change.asked.golden),
            "changes": [_as_json(change) for change in sorted(self.changes, key=_worst_first)],
        }


def _worst_first(change: AnswerChange) -> tuple[bool, bool, bool, int]:
    return not change.breaks, not change.after.refused, not change.lost, -change.asked.times


def _as_json(change: AnswerChange) -> dict[str, Any]:
    golden = change.asked.golden
    return {
        "question": change.asked.text,
        "times": change.asked.times,
        "golden": golden.id if golden else None,
        "failed_before": change.failed_before,
        "failed_after": change.failed_after,
        "lost": list(change.lost),
        "before": _answer(change.before),
        "after": _answer(change.after),
    }


def _answer(said: Said) -> dict[str, Any]:
    return {
        "answer": said.answer,
        "refused": said.refused,
        "answerer": said.answerer,
        "pages": [{"url": url, "title": title} for url, title in said.pages.items()],
    }


def broken(change: AnswerChange) -> dict[str, Any]:
    """A golden question that a draft breaks: id, question, failure."""
    golden = change.asked.golden
    return {
        "id": golden.id if golden else "",
        "question": change.asked.text,
        "failure": change.failed_after,
    }
