"""What is said to one line of a visitor: help, a friendly line, the last answer again, or answers.

A part that an editor has answered gets the editor's words; else the search's best passages, as a language
model puts them or as they are; else a refusal that says why.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace

from server.ask.boost import NEARLY
from server.ask.challenge import recheck
from server.ask.classify import Classification
from server.ask.confidence import Wanted, expected_kinds
from server.ask.contextualize import Understood
from server.ask.conversation.standalone import turns_of
from server.ask.decompose import out_of_scope_line
from server.ask.extract import Draft, extract_answer
from server.ask.generate import Scene, Writer, write
from server.ask.grounding.injection import without_planted
from server.ask.grounding.tasks import Relatedness
from server.ask.lookup import Found, Lookup
from server.ask.moderation import unsafe
from server.ask.occasion import Occasion
from server.ask.refuse import NOTHING_MORE, is_refusal, missing_line, refusal_line
from server.ask.scope import Verdict
from server.ask.triage import Reception
from server.models import Candidate, Citation, Event, Hit, RefusalReason, Status

Events = Iterator[Event]
# Of several parts that are refused, the visitor is told the reason that leaves the most hope.
_REASONS: tuple[RefusalReason, ...] = ("no_evidence", "off_topic", "unsafe")


@dataclass(frozen=True, slots=True)
class Told:
    """What became of one part: who answered it, or why nobody did; and what was found for it."""

    part: Understood
    answerer: str = ""
    reason: RefusalReason | None = None
    degraded: str | None = None
    found: Found | None = None
    is_said: bool = False

    @property
    def verdict(self) -> Verdict:
        """The gate's."""
        return self.found.verdict if self.found else "in_scope"


@dataclass(frozen=True, slots=True)
class Reply:
    """What became of the whole line; `question` is what was asked, as it stands alone."""

    answerer: str
    question: str = ""
    reason: RefusalReason | None = None
    degraded: str | None = None
    candidates: tuple[Candidate, ...] = ()
    about: Classification = field(default_factory=Classification)


class Replier:
    """Replies to one line over one snapshot; whatever is said goes through `speech`."""

    def __init__(self, occasion: Occasion) -> None:
        self._on = occasion
        self._lookup = Lookup(occasion)
        self._speech = occasion.speech

    def reply(self, reception: Reception) -> Generator[Event, None, Reply]:
        """Says everything; returns what became of it."""
        if reception.help:
            yield from self._speech.say(reception.help)
            self._speech.new_line()
        if reception.line:
            yield from self._speech.say(reception.line)
            return Reply("courtesy")
        if reception.doubts:
            return (yield from self._recheck())
        told: list[Told] = []
        for part in reception.parts:
            told.append((yield from self._answer(part)))
            self._speech.new_line()
        yield from self._close(reception, told)
        return _summed_up(told, is_helped=bool(reception.help))

    # --- one part ---

    def _answer(self, part: Understood) -> Generator[Event, None, Told]:
        """An answer to one question, or nothing and the reason for it."""
        if matter := unsafe(part.asked):
            with self._on.log.step("unsafe") as step:
                step.notes = {"matter": matter}
            return Told(part, reason="unsafe")
        writer = self._on.models.writer
        if writer and not self._on.plan.retrieves:
            return (yield from self._from_memory(part, writer))
        yield Status("retrieve")
        if (yield from self._curated(part)):
            return Told(part, "curated")
        return (yield from self._from_pages(part))

    def _from_pages(self, part: Understood) -> Generator[Event, None, Told]:
        """What the site's pages say, if they say enough."""
        found = self._lookup.find(part)
        if not found.belongs:
            return Told(part, reason="off_topic", found=found)
        if self._lookup.reads:
            yield Status("rerank")
            found = self._lookup.read(found)
        yield Status("answer")
        best, draft = self._draft(found)
        if not draft.sentences or draft.evidence < self._on.options.refusal_threshold:
            return Told(part, reason="no_evidence", found=found)
        if self._on.models.writer:
            return (yield from self._write(self._on.models.writer, part, found, best, draft))
        yield from self._quote(draft)
        return Told(part, "extractive", found=found)

    def _curated(self, part: Understood) -> Generator[Event, None, bool]:
        """Whether an editor has answered it, which is then said."""
        curation = self._on.office.curation
        if curation is None:
            return False
        with self._on.log.step("curated") as step:
            vector = self._on.models.embedder.embed_question(part.question)
            topics = list(self._on.options.soft_filter.allowed(self._on.index.classifier.topics(vector)))
            match = curation.match(part.question, vector, self._on.question.site, topics, self._on.day)
            if match is None:
                return False
            step.notes = {
                "id": match.answer.id,
                "phrasing": match.phrasing,
                "similarity": round(match.similarity, 3),
            }
        links = {n: Citation(n, url, label, "", "") for n, (label, url) in enumerate(match.answer.links, 1)}
        marks = "".join(f"[{n}]" for n in links)
        yield from self._speech.quote(f"{match.answer.text} {marks}".rstrip(), links)
        return True

    def _draft(self, found: Found) -> tuple[Sequence[Candidate], Draft]:
        """The passages it is answered from, and what they say to it, with the evidence that they do."""
        with self._on.log.step("answer") as step:
            kinds, words = expected_kinds(found.question), self._on.index.keyword
            relatedness = Relatedness(
                words.word_weights,
                words.stems,
                self._on.models.embedder.embed_question,
                self._on.index.classifier.in_scope,
            )
            wanted = Wanted(words.word_weights(found.question), kinds, words.stems, relatedness)
            best, draft = self._best_draft(found, wanted)
            step.ranking = [Hit(one.passage.chunk_id, one.score) for one in best]
            step.notes = {
                **draft.notes,
                "threshold": self._on.options.refusal_threshold,
                "expects": [kind.name for kind in kinds],
            }
        return best, draft

    def _best_draft(self, found: Found, wanted: Wanted) -> tuple[Sequence[Candidate], Draft]:
        """The answer of the pages that editors favour, where they do answer, or else of the best passages."""
        best = found.candidates[: self._lookup.passages]
        draft = extract_answer(best, wanted)
        own = [one for one in found.candidates if found.favoured.has(one.passage.url)]
        if not own:
            return best, draft
        favoured = extract_answer(own[: self._lookup.passages], wanted)
        least = self._on.options.refusal_threshold
        if not any(found.favoured.pins(one.passage.url) for one in own):
            least = max(least, draft.evidence - NEARLY)
        if favoured.evidence < least:
            return best, draft
        return [*own, *(one for one in best if one not in own)][: self._lookup.passages], favoured

    def _quote(self, draft: Draft) -> Events:
        sources = {citation.n: citation for citation in draft.citations}
        for sentence in draft.sentences:
            yield from self._speech.quote(sentence, sources)

    def _write(
        self, writer: Writer, part: Understood, found: Found, best: Sequence[Candidate], draft: Draft
    ) -> Generator[Event, None, Told]:
        """The language model's answer; where it breaks off with too little said, the extractive one."""
        passages = [without_planted(candidate.passage) for candidate in best]
        history = self._on.question.history if self._on.plan.history_in_prompt else ()
        manuscript = writer.begin(found.question, passages, history, self._scene)
        from server.ask.grounding.sentence import Grounds  # noqa: PLC0415 - see writing.py

        grounds = Grounds(
            self._on.index.keyword,
            self._on.models.cross_encoder,
            site_name=self._on.site_name,
            threshold=self._on.options.support_threshold,
        )
        written = yield from write(manuscript, grounds, self._speech, self._on.log)
        if written.enough:
            return Told(part, "llm", degraded=written.trouble, found=found)
        if written.trouble:
            yield from self._quote(draft)
            return Told(part, "extractive", degraded=written.trouble, found=found)
        if written.said:
            yield from self._speech.say(NOTHING_MORE)
        return Told(part, reason="no_evidence", found=found, is_said=written.said)

    def _from_memory(self, part: Understood, writer: Writer) -> Generator[Event, None, Told]:
        """Closed book: nothing is retrieved and nothing checked."""
        with self._on.log.step("write"):
            text = writer.from_memory(part.question, self._scene)
        yield from self._speech.say(text)
        return Told(part, "llm") if text else Told(part, reason="no_evidence")

    @property
    def _scene(self) -> Scene:
        return Scene(self._on.site_name, self._on.day)

    # --- around the parts ---

    def _recheck(self) -> Generator[Event, None, Reply]:
        """The last answer, held against its pages as they are now."""
        last = turns_of(self._on.question.history)[-1].answer
        with self._on.log.step("recheck") as step:
            doubted = "" if is_refusal(last) else last
            checked = recheck(
                doubted, self._on.question.cited, self._on.index.keyword, self._on.index.snapshot
            )
            step.notes = {"verdict": checked.verdict, "missing": list(checked.missing)}
        yield from self._speech.say(checked.lead)
        for citation in checked.citations:
            yield from self._speech.quote(f"{citation.quote} [{citation.n}]", {citation.n: citation})
        return Reply("courtesy" if checked.verdict == "unknown" else "extractive")

    def _close(self, reception: Reception, told: Sequence[Told]) -> Events:
        """What is said of the parts that were not answered, and of those beyond the limit."""
        refused = [one for one in told if one.reason]
        if refused and len(refused) == len(told):
            if not (reception.help or any(one.is_said for one in told)):
                one = _of_reason(refused)
                line = refusal_line(one.reason or "no_evidence", one.verdict, self._on.site_name)
                yield from self._speech.say(line)
        else:
            away = [one.part.asked for one in refused if one.reason != "no_evidence"]
            open_ones = [one.part.asked for one in refused if one.reason == "no_evidence"]
            yield from self._speech.say(out_of_scope_line(away, self._on.site_name))
            yield from self._speech.say(missing_line(open_ones))
        yield from self._speech.say(reception.left)


def _of_reason(refused: Sequence[Told]) -> Told:
    """The one whose reason is given for all."""
    return min(refused, key=lambda one: _REASONS.index(one.reason or "no_evidence"))


def _summed_up(told: Sequence[Told], *, is_helped: bool) -> Reply:
    """One reply of all parts. Help lines with nothing found beside them are no refusal."""
    answered = [one for one in told if not one.reason]
    question = " ".join(one.found.question if one.found else one.part.question for one in told)
    if not answered and (is_helped or not told):
        return Reply("help", question)
    main = answered[0] if answered else _of_reason(told)
    found = main.found or next((one.found for one in told if one.found), None)
    reply = Reply(
        main.answerer or "extractive",
        question,
        degraded=next((one.degraded for one in told if one.degraded), None),
        candidates=found.closest if found else (),
        about=found.about if found else Classification(),
    )
    return reply if answered else replace(reply, reason=main.reason)
