"""What a trace keeps so that the same can be asked again: what came with the question, and the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from server.ask.config import AskOptions, RetrievalConfig
from server.models import Citation, Question, Scope


def asked_of(question: Question) -> dict[str, Any]:
    """What came with a question, for its trace; `question_of` takes it back."""
    return {
        "site": question.site,
        "strategy": question.strategy,
        "history": [list(turn) for turn in question.history],
        "within": asdict(question.within) if question.within else None,
        "cited": [asdict(citation) for citation in question.cited],
        "hurried": question.hurried,
    }


def settings_of(way: RetrievalConfig, options: AskOptions) -> dict[str, Any]:
    """The numbers that an answer depends on, by name, for its trace."""
    return {
        "fusion": way.retrieve.fusion,
        "alpha": way.retrieve.alpha,
        "candidates": way.retrieve.candidates,
        "rerank_candidates": way.rerank.candidates,
        "rerank_stop": way.rerank.stop,
        "passages": way.passages,
        "refusal_threshold": options.refusal_threshold,
        "support_threshold": options.support_threshold,
        "gate_threshold": options.gate.threshold,
        "topic_least": options.soft_filter.least,
        "topic_others": options.soft_filter.others,
        "term_weight": options.terms.weight,
        "mode": str(options.mode),
        "day": options.terms.day().isoformat(),
    }


def question_of(trace: Mapping[str, Any]) -> Question:
    """The question of a trace's JSON, with its history, site and scope, to be asked in the same way.

    A trace from before these were kept gives the question as the first of its conversation.
    """
    asked = trace.get("asked") or {}
    return Question(
        trace["question"],
        conversation_id="",
        message_id="",
        trace_id=trace["trace_id"],
        site=asked.get("site", "main"),
        strategy=trace["strategy"],
        history=tuple((role, text) for role, text in asked.get("history", ())),
        within=scope_of(asked.get("within")),
        cited=tuple(Citation(**citation) for citation in asked.get("cited", ())),
        hurried=asked.get("hurried", False),
    )


def scope_of(within: Mapping[str, Any] | None) -> Scope | None:
    """A scope from its JSON, lists and all."""
    if within is None:
        return None
    topics = within.get("topics")
    named = {topic: tuple(subtopics) for topic, subtopics in topics.items()} if topics is not None else None
    return Scope(**{**within, "topics": named, "sites": tuple(within.get("sites", ()))})
