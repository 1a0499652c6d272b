""" "Are you sure?": the last answer is held against its pages again; nothing new is retrieved."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from server.ask.answer_builder import citation_of
from server.ask.ports import KeywordSearch, PassageStore
from server.models import Citation, Passage, Scope
from server.sentences import sentences

ChallengeVerdict = Literal["confirmed", "changed", "unknown"]

_DOUBT = re.compile(
    r"^(?:(?:but|hm+|um+|ok(?:ay)?|wait|no|so|and|well|oh)\s+)*"
    r"(?:(?:are|r) (?:you|u|ya) (?:really |absolutely |quite |100 ?% ?)?(?:sure|certain|positive|serious"
    r"|kidding|joking)"
    r"|(?:you )?sure|really|seriously|for real|for sure|certain|honestly|no way|is that so"
    r"|(?:is|was) (?:that|this|it) (?:really |actually |still )?(?:right|true|correct|accurate|current"
    r"|valid|up to date"
    r"|the case|so)|is (?:that|this|it) still (?:the case|valid|so)"
    r"|(?:that|this|it)(?: (?:does ?n[o']?t|cannot|ca ?n[o']?t))? ?(?:is|seems?|sounds?|looks?"
    r"|be)?(?: not)? (?:wrong|right|off)"
    r"|that(?: i|')s (?:wrong|not right|not true|incorrect)|(?:i )?(?:do ?n[o']?t|dont) (?:believe"
    r"|think so|trust)(?: (?:you|that|it))?"
    r"|says who|who (?:says|said)(?: (?:so|that|this))?|according to (?:who|whom|what)"
    r"|where (?:does|do|did) (?:it|you|they|that|this)(?: all)? (?:say|get|find|read|see"
    r"|come from)(?: (?:so|that|this|it))?(?: from)?"
    r"|how do you know(?: (?:that|this|it))?|(?:can|could) you (?:double[- ]?)?(?:check|confirm"
    r"|verify)(?: (?:that|this|it))?(?: again)?"
    r"|(?:please )?(?:double[- ]?check|check again|confirm|verify)(?: (?:that|this|it))?|what(?: i"
    r"|')s your source|source"
    r"|(?:estás?|está usted|es) (?:segur[oa]|ciert[oa])|de verdad|en serio|seguro|es (?:eso )?(?:cierto"
    r"|verdad|correcto)"
    r"|quién (?:lo )?dice|dónde (?:lo )?dice(?: eso)?)"
    r"(?: (?:about|of|on) (?:that|this|it)| (?:now|though|please|again|today|still|de eso))*",
    re.IGNORECASE,
)
_MARKS = re.compile(r"[^\w\s'%-]+")
_NUMBER = re.compile(r"\s*\[\d+\]")
# What may stand beside the doubt: a word or figure of the answer that is repeated, "seriously? 780?"
MOST_REPEATED = 3
LOOKED_AT = 20


@dataclass(frozen=True, slots=True)
class VerifiedAnswer:
    """What became of an answer's sentences: `citations` hold those that the pages still have, anew from them;
    `lead` is said before them.

    `unknown`: there was no sentence to look for, as after a refusal.
    """

    verdict: ChallengeVerdict
    lead: str
    citations: tuple[Citation, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """What is said: the lead, and what the pages still say with its source."""
        return " ".join([self.lead, *(f"{citation.quote} [{citation.n}]" for citation in self.citations)])


def is_challenge(question: str, last_answer: str = "") -> bool:
    """Whether the question only doubts the last answer, perhaps repeating a few words of it."""
    line = " ".join(_MARKS.sub(" ", question).split())
    doubt = _DOUBT.match(line)
    if not doubt:
        return False
    rest = _squeezed(line[doubt.end() :], signs="").split()
    said = set(_squeezed(last_answer, signs="").split())
    return len(rest) <= MOST_REPEATED and all(word in said for word in rest)


def verify_answer(
    answer: str, citations: Sequence[Citation], keyword: KeywordSearch, passages: PassageStore
) -> VerifiedAnswer:
    """Look the last answer's words up in the snapshot as it is now.

    With citations, their quotes on their own pages, the passage under the same heading first. Without, for a
    caller that kept only the text, the answer's sentences anywhere.
    """
    wanted: list[tuple[str, Citation | None]] = [(citation.quote, citation) for citation in citations]
    wanted = wanted or [(text, None) for text in _sentences(answer)]
    found: list[Citation] = []
    missing: list[str] = []
    for quote, cited in wanted:
        passage = _look_up(quote, cited, keyword, passages)
        if passage is None:
            missing.append(quote)
        else:
            found.append(citation_of(passage, len(found) + 1, quote))
    return _judged(tuple(found), tuple(missing))


def _judged(found: tuple[Citation, ...], missing: tuple[str, ...]) -> VerifiedAnswer:
    if not found and not missing:
        return VerifiedAnswer(
            "unknown", "There is no answer yet that I could check. What would you like to know?"
        )
    if not missing:
        return VerifiedAnswer("confirmed", "Yes: the page still says:", found)
    changed = "The page has changed since: I no longer find what I quoted."
    return VerifiedAnswer("changed", f"{changed} It still says:" if found else changed, found, missing)


def _look_up(
    quote: str, cited: Citation | None, keyword: KeywordSearch, passages: PassageStore
) -> Passage | None:
    """The passage that has the quote word for word, if there is one."""
    scope = Scope(prefix=cited.url) if cited else None
    hits = keyword.search(quote, LOOKED_AT, within=scope)
    by_id = passages.passages([hit.chunk_id for hit in hits])
    candidates = [by_id[hit.chunk_id] for hit in hits]
    if cited:
        candidates = [passage for passage in candidates if passage.url == cited.url]
        candidates.sort(key=lambda passage: passage.heading != cited.heading)
    words = f" {_squeezed(quote)} "
    return next((passage for passage in candidates if words in f" {_squeezed(passage.text)} "), None)


def _sentences(answer: str) -> list[str]:
    """The answer's sentences without the numbers of their sources."""
    plain = _NUMBER.sub("", answer)
    return [plain[start:end] for start, end in sentences(plain)]


def _squeezed(text: str, signs: str = "$%€£") -> str:
    """Words, figures and signs alone, in small letters, so that spaces and quotation marks do not matter."""
    return re.sub(rf"[^\w{signs}]+", " ", text).casefold().strip()
