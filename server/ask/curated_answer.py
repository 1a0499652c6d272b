"""The step `curated`: an editor's answer, said at once where the question asks the same.

Where it only asks something similar, the pages are asked first; what they do not surely say, the editor may:
then the answer is shown below the question that it was written for, as one that seems to answer.
"""

from __future__ import annotations

from collections.abc import Generator

from server.ask.context import AskContext
from server.ask.contextualize import ContextualizedQuestion
from server.ask.curated import CuratedMatch
from server.ask.refuse import PartOutcome, RetrievalResult
from server.messages.catalogue import fill
from server.models import Citation, Event

PARAGRAPH = "\n\n"


def match_curated(part: ContextualizedQuestion, ask: AskContext) -> CuratedMatch | None:
    """The editor's answer to the question, or to one that is similar."""
    curation = ask.site_config.curation
    if curation is None:
        return None
    vector = ask.models.embedder.embed_question(part.question)
    topics = ask.options.soft_filter.allowed(ask.index.classifier.topics(vector))
    return curation.match(part.question, vector, ask.question.site, topics, ask.day)


def say_curated(
    match: CuratedMatch, part: ContextualizedQuestion, ask: AskContext
) -> Generator[Event, None, PartOutcome]:
    """The answer in the editor's words, with the links that go with it as its sources."""
    yield from _say(match, ask, " ")
    return PartOutcome(part, "curated")


def say_similar(
    match: CuratedMatch, part: ContextualizedQuestion, found: RetrievalResult, ask: AskContext
) -> Generator[Event, None, PartOutcome]:
    """The answer below the question that it was written for: whoever reads it sees what it is about."""
    yield from ask.answer.say(fill(ask.texts.similar, question=match.phrasing))
    yield from _say(match, ask, PARAGRAPH)
    return PartOutcome(part, "curated", found=found, seems=True)


def _say(match: CuratedMatch, ask: AskContext, before: str) -> Generator[Event, None, None]:
    links = {n: Citation(n, url, label, "", "") for n, (label, url) in enumerate(match.answer.links, 1)}
    markers = "".join(f"[{n}]" for n in links)
    yield from ask.answer.quote(f"{match.answer.text} {markers}".rstrip(), links, before)
