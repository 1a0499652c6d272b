"""Topic classification: what a question is about, and how likely it is this site's business at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from server.ask.context import SoftFilter
from server.ask.ports import Probabilities, QuestionClassifier, Vector
from server.models import Scope

Unfiltered = Literal["no_topics", "unsure"]


@dataclass(frozen=True, slots=True)
class Classification:
    """What the classifiers say of a question, and the scope that follows; None: search everything.

    `unfiltered` says why there is no scope. Sub-topics' probabilities are those given their topic.
    """

    topics: Probabilities = field(default_factory=dict)
    subtopics: Mapping[str, Probabilities] = field(default_factory=dict)
    in_scope: float | None = None
    usual: float | None = None
    scope: Scope | None = None
    unfiltered: Unfiltered | None = "no_topics"

    @property
    def allowed(self) -> tuple[str, ...]:
        """The topics it sounds like, likeliest first; none where it is unsure."""
        return tuple((self.scope and self.scope.topics) or ())

    @property
    def notes(self) -> dict[str, Any]:
        """For the trace, likeliest first; sub-topics of the allowed topics only."""
        allowed = (self.scope and self.scope.topics) or {}
        return {
            "topics": _rounded(self.topics),
            "subtopics": {topic: _rounded(p) for topic, p in self.subtopics.items() if topic in allowed},
            "allowed": {topic: list(subtopics) for topic, subtopics in allowed.items()},
            "unfiltered": self.unfiltered,
            "in_scope": None if self.in_scope is None else round(self.in_scope, 3),
            "usual": None if self.usual is None else round(self.usual, 3),
        }


def classify(
    vector: Vector | None, classifier: QuestionClassifier, soft_filter: SoftFilter | None = None
) -> Classification:
    """The topics of a question, the scope the soft filter makes of them, and whether it is in scope.

    Nothing is known of a question without a vector.
    """
    if vector is None:
        return Classification()
    soft_filter = soft_filter or SoftFilter()
    topics, subtopics = classifier.topics(vector), classifier.subtopics(vector)
    allowed = {topic: soft_filter.allowed(subtopics.get(topic, {})) for topic in soft_filter.allowed(topics)}
    unfiltered: Unfiltered | None = None if allowed else "unsure" if topics else "no_topics"
    scope = Scope(allowed) if allowed else None
    in_scope, usual = classifier.in_scope(vector), classifier.usual(vector)
    return Classification(topics, subtopics, in_scope, usual, scope, unfiltered)


def _rounded(probabilities: Probabilities) -> dict[str, float]:
    ranked = sorted(probabilities.items(), key=lambda item: (-item[1], item[0]))
    return {label: round(probability, 3) for label, probability in ranked}
