"""Whether a draft can reach a question at all, told from its words alone, without asking it.

A draft that adds one answer, or one wording, meets one question in hundreds; to ask the others would take a
minute, and say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from server.ask.boost import boosted_pages
from server.ask.curated import CuratedBook
from server.ask.rewrite import apply_synonyms, rewrite
from server.models.curation import CuratedAnswer
from server.workbench.answering import Answering
from server.workbench.curation.preview import Difference


@dataclass(frozen=True, slots=True)
class DraftReach:
    """What of a draft a question may meet. `now` are the answers that are live, `then` the draft's."""

    difference: Difference
    now: CuratedBook | None
    then: CuratedBook | None
    parts: Answering
    today: date

    def reaches(self, text: str) -> bool:
        """Whether a first question of a conversation could be answered otherwise; False is nearly certain.

        Pages that go or come back, labels, and pages put first by topic may reach any question. An answer is
        looked for as for a visitor, for the line and for each question in it; the words of a phrase and of a
        wording are.
        """
        changed = self.difference
        live, draft = changed.live, changed.draft
        if changed.gone or changed.comes_back or live.labels != draft.labels:
            return True
        favours = set(live.favours) ^ set(draft.favours)
        if any(rule.topic for rule in favours):
            return True
        if apply_synonyms(text, live.wordings) != apply_synonyms(text, draft.wordings):
            return True
        if set(live.curated) != set(draft.curated) and self._answered_otherwise(text):
            return True
        if not favours:
            return False
        with self.parts.lease() as opened:
            meant, *_ = rewrite(text, draft.wordings, opened.text, self.parts.embedder.is_word)
            return bool(boosted_pages(f"{text} {meant}", (), tuple(favours), opened.text.stems))

    def _answered_otherwise(self, text: str) -> bool:
        questions = dict.fromkeys((text, *self.parts.asker.questions_in(text)))
        return any(self._answer(self.now, one) != self._answer(self.then, one) for one in questions)

    def _answer(self, book: CuratedBook | None, text: str) -> tuple[CuratedAnswer, bool, str] | None:
        """The answer, whether it is given as one, and else the question that it is shown below."""
        found = book.match(text, None, self.difference.draft.site, None, self.today) if book else None
        return (found.answer, found.is_same, "" if found.is_same else found.phrasing) if found else None
