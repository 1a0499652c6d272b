"""What pages and files show of an answer: pure functions, no HTML of their own."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from functools import partial
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

from markupsafe import Markup, escape

from server.academic_terms import day_of
from server.ask.triage import US_HELP_LINES
from server.messages.catalogue import Texts, fill
from server.models import Answer, Citation, Contact, HelpLine, Site
from server.models.answers import WRITTEN
from server.models.cards import linked
from server.visitor.rich_text import plain_text, rich_html
from server.visitor.sessions import ChatTurn

_SEASONS = ("winter", "spring", "summer", "fall")
_MARKER = re.compile(r"\s?\[([0-9]{1,2})\]")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_SHORTEST_MARK = 12


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A stretch of text: plain, marked, or the reference to citation `n`."""

    text: str
    marked: bool = False
    n: int | None = None


def answer_pieces(answer: Answer) -> list[TextPiece]:
    """The answer's text, its `[n]` taken out as references where a citation `n` exists.

    The names of pages and sections above passages are marked.
    """
    known = {citation.n for citation in answer.citations}
    text = answer.answer
    pieces: list[TextPiece] = []
    end = 0
    for match in _MARKER.finditer(text):
        if (n := int(match[1])) in known:
            pieces += [*_names_marked(text[end : match.start()], answer), TextPiece(str(n), n=n)]
            end = match.end()
    return [piece for piece in (*pieces, TextPiece(text[end:])) if piece.text]


def is_structured(answer: Answer) -> bool:
    """Whether it has a table or a list, and is shown block by block."""
    return not is_rich(answer) and any(block.kind != "text" for block in answer.blocks)


def _names_marked(text: str, answer: Answer) -> list[TextPiece]:
    names = answer.names
    parts = groupby(text.splitlines(keepends=True), key=lambda line: line.strip() in names)
    return [TextPiece("".join(part), marked=is_name) for is_name, part in parts]


def is_rich(answer: Answer) -> bool:
    """Whether the text may be written in the Markdown subset."""
    return not answer.refused and answer.answerer in WRITTEN


def links_of(answer: Answer) -> tuple[str, ...]:
    """The addresses that the text may link to: those of its sources, an editor's links among them.

    Not all of an answer need be the editor's: another part of the question may be answered from the pages.
    """
    return tuple(citation.url for citation in answer.citations)


def rich_answer(answer: Answer, reference: Callable[[int], str]) -> Markup:
    """The answer as HTML; `reference` makes that of a citation's number."""
    marks = {citation.n: reference(citation.n) for citation in answer.citations}
    return rich_html(answer.answer, links_of(answer), marks)


def quote_pieces(citation: Citation, answer_text: str) -> list[TextPiece]:
    """The quote, with those of the answer's sentences that it contains marked."""
    sentences = _SENTENCE_END.split(_MARKER.sub("", answer_text))
    wanted = [sentence.strip() for sentence in sentences if len(sentence.strip()) >= _SHORTEST_MARK]
    if not wanted:
        return [TextPiece(citation.quote)]
    # Spaces and line breaks differ between a passage and what was taken from it.
    longest_first = sorted(wanted, key=len, reverse=True)
    pattern = "|".join(r"\s+".join(map(re.escape, sentence.split())) for sentence in longest_first)
    parts = re.split(f"({pattern})", citation.quote)
    return [TextPiece(part, marked=bool(i % 2)) for i, part in enumerate(parts) if part]


def link(url: str) -> str | None:
    """The URL if a page may link to it; a crawled page's `javascript:` is not one."""
    return url if urlsplit(url).scheme in ("http", "https") else None


def host_and_path(url: str) -> str:
    """An address as people read it: without scheme and trailing slash."""
    parts = urlsplit(url)
    return (parts.netloc.removeprefix("www.") + parts.path).rstrip("/")


def pages_cited(answer: Answer) -> list[list[Citation]]:
    """The citations by their page: a page is a line of the sources, whatever is quoted of it."""
    pages: dict[tuple[str, int | None], list[Citation]] = {}
    for citation in answer.citations:
        pages.setdefault((citation.url, citation.page), []).append(citation)
    return list(pages.values())


def source_date(citation: Citation, texts: Texts) -> tuple[str, str] | None:
    """(ISO day, sentence): when the page was changed, or else when it was read."""
    for stamp, sentence in ((citation.last_modified, texts.updated), (citation.fetched_at, texts.fetched)):
        if day := day_of(stamp):
            return f"{day:%Y-%m-%d}", fill(sentence, date=texts.date(day))
    return None


def as_of(answer: Answer, texts: Texts) -> tuple[str, str] | None:
    """(ISO day, sentence): how new the answer's sources are."""
    day = day_of(answer.as_of)
    return (f"{day:%Y-%m-%d}", fill(texts.as_of, date=texts.date(day))) if day else None


def cautions_of(answer: Answer, citation: Citation, texts: Texts) -> list[str]:
    """Why a source may not hold any more, a sentence each."""
    sentences = {"past_term": texts.past_term, "changed": texts.changed, "older": texts.older}
    return [
        fill(sentences[caution.kind], term=term_in_words(caution.term, texts))
        for caution in answer.cautions
        if caution.n == citation.n
    ]


def term_in_words(term: str, texts: Texts) -> str:
    """ "2024-fall" → "fall 2024"; an academic year stays as it is."""
    year, _, season = term.partition("-")
    return f"{texts.seasons[_SEASONS.index(season)]} {year}" if season in _SEASONS else term


def announcement(answer: Answer, texts: Texts) -> str:
    """What a screen reader says once, when the answer is complete: urgent things first."""
    if is_rich(answer):
        text = plain_text(answer.answer, (citation.n for citation in answer.citations))
    else:
        text = "".join(piece.text for piece in answer_pieces(answer) if piece.n is None)
    count = len(answer.citations)
    spoken = (
        *(f"{texts.notice} {notice}" for notice in answer.notices),
        fill(texts.announced, answer=text),
        _asked_back(answer, texts),
        texts.degraded if answer.degraded else "",
        texts.counted(texts.announced_sources, count=count) if count else "",
    )
    return " ".join(filter(None, spoken))


def _asked_back(answer: Answer, texts: Texts) -> str:
    """For whom the answer is, and for whom else it can be asked."""
    if answer.narrow is None:
        return ""
    return f"{answer.narrow.lead} {texts.joined([choice.label for choice in answer.narrow.choices])}."


def phone_link(phone: str) -> str:
    """ "(802) 555-0120" → "tel:8025550120"."""
    return "tel:" + re.sub(r"[^0-9+]", "", phone)


def reach_links(text: str) -> Markup:
    """A card's line, or a table's cell, its telephone numbers and addresses of mail as links."""
    stretches = (
        Markup('<a href="{}" dir="ltr">{}</a>').format(address, words) if address else escape(words)
        for words, address in linked(text)
    )
    return Markup("").join(stretches)


def contact_lines(contacts: Iterable[Contact], texts: Texts) -> list[str]:
    """Contacts in plain text, a line each."""
    return [
        " · ".join(
            part
            for part in (
                contact.label.said_in(texts.lang),
                contact.email,
                contact.phone,
                contact.url,
                contact.hours.said_in(texts.lang),
            )
            if part
        )
        for contact in contacts
    ]


def with_tel_links(text: str, site: Site) -> Markup:
    """A text, or HTML (`Markup`), with the numbers and addresses of the site's help lines as links.

    Only where they stand as help lines have them: a number between a colon and a full stop, and every number
    in what a line says and in its hours. "988" elsewhere is a room, or a price.
    """
    is_html, lines = isinstance(text, Markup), site.help_lines or US_HELP_LINES
    as_html = partial(html.escape, quote=not is_html)
    page = str(text) if is_html else as_html(text)
    for line in lines:
        for lead, words in _said_of(line):
            before, said = as_html(lead), as_html(words)
            linked = _NUMBERS.sub(partial(_linked, line.phone), said)
            page = page.replace(f"{before}. {said}", f"{before}. {linked}")
    known = _known(lines)
    return Markup(known.sub(_link, page)) if known else Markup(page)  # noqa: S704 - escaped above


def has_help_lines(answer: Answer, site: Site) -> bool:
    """Whether it is help lines, alone or with an answer below them; nobody is asked to rate those."""
    labels = (words for line in site.help_lines or US_HELP_LINES for _, words in line.label.by_language)
    return answer.answerer == "help" or any(
        f"\n• {label}" in f"\n{answer.answer}" for label in labels if label
    )


_NUMBERS = re.compile(
    r"\b(?:text|envíe|mande) (?P<word>\w+) (?:to|al) (?P<to>[0-9]{3,6})\b"
    r"|\b(?P<text>text|envíe un mensaje|mande un mensaje)\b"
    r"|(?<![\w$+/.-])(?:\+[0-9]{1,3}(?:[ .-]?\(?[0-9]{1,4}\)?){2,5}"  # abroad
    r"|(?:1[ .-])?(?:\([0-9]{3}\) ?|[0-9]{3}[ .-])[0-9]{3}[ .-][0-9]{4}|[0-9]{3}[.-][0-9]{4}|911|988)"
    r"(?![\w/-]|[.:][0-9])",
    re.IGNORECASE,
)


def _said_of(line: HelpLine) -> Iterator[tuple[str, str]]:
    """What a help line says in each language, and what stands before it: its number, else its label."""
    for lang in {lang for phrase in (line.says, line.hours) for lang, _ in phrase.by_language}:
        lead = f": {line.phone}" if line.phone else line.label.said_in(lang)
        yield lead, " ".join(filter(None, (line.says.said_in(lang), line.hours.said_in(lang))))


def _linked(own: str, match: re.Match[str]) -> str:
    """A number in a help line's words as a link that calls it, or begins a message to it or to the `own`."""
    found = match.group()
    if word := match["word"]:
        return f'<a href="sms:{match["to"]}?body={word}">{found}</a>'
    if match["text"]:
        return f'<a href="sms:{phone_link(own)[4:]}">{found}</a>' if own else found
    return f'<a href="{phone_link(found)}" dir="ltr">{found}</a>'


def _known(lines: Sequence[HelpLine]) -> re.Pattern[str] | None:
    phones = [rf"(?<=: ){re.escape(str(escape(line.phone)))}(?=\.)" for line in lines if line.phone]
    pages = [
        rf"(?<![\w\"/]){re.escape(str(escape(line.url)))}(?![\w/\"])" for line in lines if _is_page(line.url)
    ]
    return re.compile("|".join((*phones, *pages))) if phones or pages else None


def _is_page(url: str) -> bool:
    return url.startswith(("https://", "http://"))


def _link(match: re.Match[str]) -> str:
    found = match.group()
    if _is_page(found):
        return f'<a href="{found}" target="_blank" rel="noopener">{found}</a>'
    return f'<a href="{phone_link(found)}" dir="ltr">{found}</a>'


def as_text(turns: Iterable[ChatTurn], site: Site, texts: Texts, day: date) -> str:
    """The conversation in plain text, with every source and its address."""
    head = [fill(texts.saved_title, site=site.name), fill(texts.saved_on, date=texts.date(day))]
    blocks = ["\n".join(head), *(_turn_text(turn, texts) for turn in turns), texts.honesty]
    if site.contacts:
        blocks.append("\n".join([texts.ask_person, *contact_lines(site.contacts, texts)]))
    return "\n\n".join(blocks) + "\n"


def as_json(turns: Iterable[ChatTurn], site: Site, day: date) -> dict[str, Any]:
    """The same as a JSON object; an answer's keys are the contract's, without those of our workings."""
    return {
        "site": site.name,
        "saved_on": day.isoformat(),
        "conversation": [_turn_json(turn) for turn in turns],
    }


def _turn_text(turn: ChatTurn, texts: Texts) -> str:
    lines = [f"{texts.saved_question}: {turn.question}", "", f"{texts.saved_answer}: {turn.answer.answer}"]
    return "\n".join([*lines, *_source_lines(turn.answer, texts)])


def _source_lines(answer: Answer, texts: Texts) -> list[str]:
    lines = [f"  [{c.n}] {c.title}\n      {c.url}" for c in answer.citations]
    if answer.closest_pages:
        lines += ["", f"{texts.closest}:", *(f"  - {p.title}\n    {p.url}" for p in answer.closest_pages)]
    return lines


def _turn_json(turn: ChatTurn) -> dict[str, Any]:
    kept = ("answer", "refused", "citations", "closest_pages")
    answer = {key: value for key, value in turn.answer.as_json().items() if key in kept}
    return {"question": turn.question, **answer, "rated": asdict(turn.rated) if turn.rated else None}
