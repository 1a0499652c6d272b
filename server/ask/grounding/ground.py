"""The step after a model's answer: every sentence is held against the passages it cites, as it arrives.

One that says nothing (substance.py), or nothing to the question (relevance.py), is left out; one that is cut
from a page's is said whole (copies.py). One that does not pass (check_sentence.py) is withheld, and what the
passages do say is shown in its place, or nothing.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

from server.ask.grounding.check_sentence import Evidence, SentenceVerdict, Violation, check_sentence
from server.ask.grounding.citation_markers import CitedSentence, cited_sentences
from server.ask.grounding.copies import whole_sentence
from server.ask.grounding.relevance import LEAST_RELEVANCE, relevance
from server.ask.grounding.source import Source
from server.ask.grounding.substance import emptiness
from server.ask.grounding.support import nearest_sentence, word_share
from server.ask.grounding.yes_no import affirms, without_lead
from server.models import Passage
from server.sentences import letters

Outcome = Literal["passed", "replaced", "withheld", "repeated", "empty"]

# A sentence that its own passages do not support is tried on so many of the others, the likeliest first, if
# they have so much of its words.
OTHERS_TRIED, OTHERS_SHARE = 2, 0.5
# What says nothing by itself.
_OPENING = re.compile(
    r"(?:yes|no|sure|certainly|of course|ok(?:ay)?|great question|absolutely)\W*", re.IGNORECASE
)
# Of an answer's sentences at least this share must be left, and one that passed by itself.
LEAST_LEFT = 1 / 3


@dataclass(frozen=True, slots=True)
class Checked:
    """One sentence after the check.

    `shown` is what the visitor sees of it, marks and all, or nothing; `before` stands between it and what was
    shown before it; `cites` are the numbers in it. `ms` is the time its check took.
    """

    outcome: Outcome
    verdict: SentenceVerdict
    shown: str = ""
    before: str = ""
    cites: tuple[int, ...] = ()
    ms: float = 0.0

    def note(self) -> dict[str, Any]:
        """All of it, for the trace."""
        return {
            "outcome": self.outcome,
            "sentence": self.verdict.sentence,
            "cited": list(self.verdict.cited),
            "shown": self.shown,
            "cites": list(self.cites),
            "findings": [asdict(finding) for finding in self.verdict.findings],
            "support": None if self.verdict.support is None else round(self.verdict.support, 4),
            "measures": {name: round(value, 4) for name, value in self.verdict.measures.items()},
            "ms": round(self.ms, 3),
        }


@dataclass(frozen=True, slots=True)
class GroundingTally:
    """What became of an answer's sentences."""

    passed: int = 0
    replaced: int = 0
    withheld: int = 0
    repeated: int = 0
    empty: int = 0

    @property
    def enough(self) -> bool:
        """Whether what is left is an answer: one sentence passed by itself, and not too many are gone."""
        left = self.passed + self.replaced
        return self.passed > 0 and left >= LEAST_LEFT * (left + self.withheld)


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is checked together, and how it is shown: a sentence, with what leads in to it."""

    text: str
    shown: str
    marks: tuple[int, ...]


class Checker:
    """Checks one answer as it is written.

    `passages` are those that the model was given, number 1 first; a sentence may cite them and no others.
    `question` is what it was asked; `is_cut` tells, once the text has ended, whether the model's tokens ran
    out. `quoted` is the answer that would be quoted: by it goes a Yes or No (yes_no.py); None: there is none.
    """

    def __init__(
        self,
        passages: Sequence[Passage],
        grounds: Evidence,
        question: str = "",
        is_cut: Callable[[], bool] = lambda: False,
        quoted: str | None = None,
    ) -> None:
        self._passages = passages
        self._grounds = grounds
        self._asked = Source(question, grounds.words)
        self._is_cut = is_cut
        self._quoted = quoted
        self._told: set[str] = set()
        self._lead: CitedSentence | None = None
        self._checked: list[Checked] = []

    def check(self, pieces: Iterable[str]) -> Iterator[Checked]:
        """Each sentence as soon as it is complete and judged; those that show nothing too.

        What stands in for withheld sentences waits until one has passed by itself, and is dropped when none
        does: an answer of nothing but replacements is not the model's.
        """
        waiting: list[Checked] = []
        for written in cited_sentences(pieces):
            sentence = self._as_quoted(written)
            if sentence is None:
                yield self._tell(_opposed(written))
                break
            if not sentence.text:
                continue
            if self._leads(sentence):
                self._lead = _joined(self._lead, sentence)
                continue
            one = self._check(sentence)
            if one.outcome == "passed":
                yield from map(self._tell, waiting)
                waiting.clear()
            if one.outcome == "replaced" and not self.tally.passed:
                waiting.append(one)
            else:
                yield self._tell(one)
        if self._lead:
            unled = SentenceVerdict(
                self._lead.text, self._lead.marks, (Violation("unsupported", detail="nothing follows"),)
            )
            yield self._tell(Checked("withheld", unled))
        for one in waiting:
            yield self._tell(replace(one, outcome="withheld", shown="", cites=()))

    @property
    def tally(self) -> GroundingTally:
        """What has become of the sentences so far."""
        outcomes = [one.outcome for one in self._checked]
        return GroundingTally(
            *(outcomes.count(name) for name in ("passed", "replaced", "withheld", "repeated", "empty"))
        )

    def notes(self) -> dict[str, Any]:
        """The whole check, for the trace."""
        tally = self.tally
        return {**asdict(tally), "enough": tally.enough, "sentences": [one.note() for one in self._checked]}

    def _as_quoted(self, sentence: CitedSentence) -> CitedSentence | None:
        """Without a Yes or No that the quoted answer does not begin with; None where it says the opposite."""
        says = affirms(sentence.text)
        if self._quoted is None or says is None:
            return sentence
        own = affirms(self._quoted)
        if own is None:
            return without_lead(sentence)
        return sentence if own is says else None

    def _leads(self, sentence: CitedSentence) -> bool:
        """Whether it only leads in to what follows: "You need:", "Yes.", a heading."""
        if (
            sentence.bullet.startswith("#")
            or sentence.text.endswith(":")
            or _OPENING.fullmatch(sentence.text)
        ):
            return True
        claim = Source(sentence.text, self._grounds.words)
        return not claim.facts and not self._grounds.weights(sentence.text)

    def _check(self, sentence: CitedSentence) -> Checked:
        """Judged with what leads in to it, if anything does, and else by itself."""
        start = time.perf_counter()
        before = "\n" if sentence.new_line else " "
        if nothing := self._nothing_in(sentence):
            return Checked("empty", nothing, before=before, ms=_ms(start))
        for unit in self._units(sentence):
            key = letters(unit.text)
            if key in self._told:
                return Checked(
                    "repeated", SentenceVerdict(unit.text, unit.marks), before=before, ms=_ms(start)
                )
            verdict = self._judge(unit)
            if verdict.supported:
                self._lead = None
                self._told.add(key)
                return replace(self._passed(unit, verdict), before=before, ms=_ms(start))
        return replace(self._instead(verdict), before=before, ms=_ms(start))

    def _passed(self, unit: _Unit, verdict: SentenceVerdict) -> Checked:
        """Shown, where it is to the question; the page's own sentence, where it is copied badly from one."""
        shown, cites = unit.shown, verdict.cited
        sources = [self._grounds.source(self._passages[number - 1]) for number in cites]
        claim = Source(unit.text, self._grounds.words)
        # A Yes or No of its own is no slip in copying.
        whole = whole_sentence(claim, sources) if affirms(unit.text) is None else None
        if whole:
            if letters(whole[0]) in self._told:
                return Checked("repeated", verdict)
            bullet = shown.removesuffix(unit.text) if shown.endswith(unit.text) else ""
            shown, cites = bullet + whole[0], (cites[sources.index(whole[1])],)
        lead = self._grounds.source(self._passages[cites[0] - 1]).lead if cites else ""
        if relevance(self._asked.text, lead, shown, self._grounds.reader) < LEAST_RELEVANCE:
            return Checked("empty", replace(verdict, findings=(Violation("beside_question"),)))
        self._told.add(letters(shown))
        return Checked("passed", verdict, f"{shown} {_marked(cites)}", cites=cites)

    def _nothing_in(self, sentence: CitedSentence) -> SentenceVerdict | None:
        """Why it is no answer, if it is none; what the page has to the letter is one."""
        grounds, claim = self._grounds, Source(sentence.text, self._grounds.words)
        sources = [grounds.source(passage) for passage in self._passages]
        weights = grounds.weights(sentence.text)
        why = emptiness(claim, self._asked, sources, weights, may_be_cut=self._is_cut())
        if why is None or (why == "says_nothing" and any(one.quotes(sentence.text) for one in sources)):
            return None
        return SentenceVerdict(sentence.text, sentence.marks, (Violation(why),))

    def _units(self, sentence: CitedSentence) -> Iterator[_Unit]:
        own = sentence.bullet + sentence.text
        if self._lead:
            lead, joint = self._lead, "\n" if sentence.new_line else " "
            shown = own if lead.bullet.startswith("#") else lead.bullet + lead.text + joint + own
            marks = tuple(dict.fromkeys((*lead.marks, *sentence.marks)))
            yield _Unit(f"{lead.text} {sentence.text}", shown, marks)
        yield _Unit(sentence.text, own, sentence.marks)

    def _judge(self, unit: _Unit) -> SentenceVerdict:
        """By the passages it cites; where they do not support it, by the likeliest of the others."""
        cited = [number for number in unit.marks if 0 < number <= len(self._passages)]
        verdict = self._hold(unit.text, cited)
        if verdict.supported:
            return verdict
        tries = (self._hold(unit.text, [number]) for number in self._likeliest(unit.text, cited))
        return next((other for other in tries if other.supported), verdict)

    def _hold(self, text: str, numbers: Sequence[int]) -> SentenceVerdict:
        passages = [self._passages[number - 1] for number in numbers]
        return check_sentence(text, passages, self._grounds, numbers)

    def _likeliest(self, text: str, but: Sequence[int]) -> list[int]:
        """The numbers of the passages that have the most of a sentence, without those it cites."""
        claim, weights = Source(text, self._grounds.words), self._grounds.weights(text)
        shares = {
            number: word_share(claim, [self._grounds.source(passage)], weights)
            for number, passage in enumerate(self._passages, 1)
            if number not in but
        }
        likely = [
            number for number in sorted(shares, key=lambda n: -shares[n]) if shares[number] >= OTHERS_SHARE
        ]
        return likely[:OTHERS_TRIED]

    def _instead(self, verdict: SentenceVerdict) -> Checked:
        """The passages' own sentence that is nearest, unless it has been told; else nothing."""
        claim = Source(verdict.sentence, self._grounds.words)
        numbers = verdict.cited or range(1, len(self._passages) + 1)
        sources = {self._grounds.source(self._passages[number - 1]): number for number in numbers}
        weights = self._grounds.weights(verdict.sentence)
        found = nearest_sentence(claim, list(sources), weights)
        if not found or letters(found.text) in self._told:
            return Checked("withheld", verdict)
        self._told.add(letters(found.text))
        number = sources[found.source]
        return Checked("replaced", verdict, f"{found.text} {_marked((number,))}", cites=(number,))

    def _tell(self, one: Checked) -> Checked:
        """Kept for the tally; the first that is shown has nothing before it."""
        if not any(other.shown for other in self._checked):
            one = replace(one, before="")
        self._checked.append(one)
        return one


def _opposed(sentence: CitedSentence) -> Checked:
    """A sentence that says the opposite of the quoted answer, and with it all that follows."""
    return Checked("withheld", SentenceVerdict(sentence.text, sentence.marks, (Violation("contradicted"),)))


def _joined(lead: CitedSentence | None, more: CitedSentence) -> CitedSentence:
    """Two that lead in, one after the other: "Yes. You need:"."""
    if lead is None or lead.bullet.startswith("#"):
        return more
    marks = tuple(dict.fromkeys((*lead.marks, *more.marks)))
    return replace(lead, text=f"{lead.text} {more.text}", marks=marks)


def _marked(numbers: Sequence[int]) -> str:
    return "".join(f"[{number}]" for number in numbers)


def _ms(start: float) -> float:
    return (time.perf_counter() - start) * 1000
