"""How likely the quoted answer answers the question: a second, small cross-encoder reads the two alone.

The reader weighs whole passages and marks a place in them; what is quoted of them may be near the question
and still not answer it, above all where the site does not say. The *verifier* has learnt from answers that
Lodge itself quoted, right and wrong (scripts/research/verifier/; Hu et al. 2019 verify a reader's answers in
the same way). What it says is one more measure of the confidence.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from server.ask.grounding.evidence import log_odds, logistic
from server.ask.ports import CrossEncoder
from server.ask.quoting.answer import ExtractiveAnswer
from server.ask.quoting.confidence import ConfidenceFit
from server.ask.trace import OpenStep
from server.sentences import without_marks

# Further off than this, the confidence before is no surer.
SUREST = 0.999


@dataclass(frozen=True, slots=True)
class Verification:
    """A logistic function of the confidence's log-odds and the verifier's."""

    bias: float
    confidence: float
    verified: float

    def __call__(self, confidence: float, verified: float) -> float:
        """How likely the answer is right, 0 to 1."""
        return logistic(self.bias + self.confidence * odds_before(confidence) + self.verified * verified)


def odds_before(confidence: float) -> float:
    """The log-odds of a confidence of 0 to 1."""
    return log_odds(min(SUREST, max(1 - SUREST, confidence)))


# What scripts/research/verifier/fit_verified.py fits is bolder: where a wrong answer costs three right ones,
# as it does here, this gains more (docs/answers.md has the figures).
SHIPPED = Verification(0.0, 1.0, 0.3)


def verified(
    asked_of: Callable[[str], str],
    draft: ExtractiveAnswer,
    verifier: CrossEncoder,
    fit: ConfidenceFit,
    step: OpenStep,
) -> ExtractiveAnswer:
    """The answer, as likely as it is with the verifier's word. `asked_of` puts the question for a text.

    What the pages tell by how they are built is left as it is: no quote says what is computed over rows.
    """
    if not draft.said or draft.is_told:
        return draft
    quoted = read_of(draft)
    [reading] = verifier.read(asked_of("\n".join(quoted)), [quoted])
    confidence = fit.corrected(SHIPPED(fit.as_shipped(draft.evidence), reading.log_odds))
    notes = {
        "evidence": round(confidence, 4),
        "unverified": round(draft.evidence, 4),
        "verified": round(reading.log_odds, 4),
    }
    step.notes = {**step.notes, **notes}
    return replace(draft, evidence=confidence, notes={**draft.notes, **notes})


def read_of(draft: ExtractiveAnswer) -> tuple[str, str]:
    """What the verifier reads of an answer, in training too: its first source's place, and its words."""
    said = "\n".join("\n".join(filter(None, (one.lead, one.text))) for one in draft.said)
    return draft.citations[0].place, without_marks(said)
