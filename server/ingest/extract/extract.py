"""From a page as it was fetched to a `Document`: its main text, in sections, with its language and dates."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from lxml import etree
from lxml import html as lxml_html

from server.ingest.documents.read import as_html, document_type
from server.ingest.extract.beside import beside
from server.ingest.extract.blocks import sections_of
from server.ingest.extract.charset import decode, looks_binary, without_crowds, without_excess
from server.ingest.extract.dates import PageDates, iso, page_dates
from server.ingest.extract.islands import data_of, questions_in, text_in, uncover
from server.ingest.extract.links import description_of, links_of, site_name_in
from server.ingest.extract.main_content import letters_of, main_container, prune, text_of
from server.ingest.extract.mojibake import mended
from server.ingest.extract.panels import Panels, panels
from server.ingest.extract.plain_text import sections_of_text
from server.ingest.extract.scripted import LEAST_TEXT
from server.ingest.extract.shortcodes import without_shortcodes
from server.ingest.extract.spacing import space_out
from server.ingest.extract.structured import structured_sections
from server.ingest.extract.tables import name_by_role
from server.models import Document, Section, SourcePage

_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff\u00ad\u200b\u2060\ufeff]")
# The same by their numbers and names: lxml reads them, and then lets no text be moved that has some of them.
_UNREADABLE_BY_NAME = re.compile(
    r"&(?:#(?:x0*+(?:[0-8bcef]|1[0-9a-f]|ad|200b|2060|feff|fff[ef])(?![0-9a-f])"
    r"|0*+(?:[0-8]|1[124-9]|2\d|3[01]|173|8203|8288|65279|6553[45])(?!\d));?|(?:shy|zerowidthspace|nobreak);)",
    re.IGNORECASE,
)
_TAG = re.compile(r"<(?:!--|!doctype\b|/?[a-z][a-z0-9]*[\s/>])", re.IGNORECASE)
_NOFRAMES = re.compile(r"</?noframes\b[^<>]*>", re.IGNORECASE)  # what they hold is not parsed otherwise
# A title has no elements; what somebody writes there for a new line or bold letters is shown as it stands.
_TAG_IN_TITLE = re.compile(
    r"</?(?:br|p|b|i|em|strong|font|center|h[1-6]|su[bp]|small|big)\b[^<>]*>", re.IGNORECASE
)
_TITLE_PARTS = re.compile(r"\s+[|–—·•»:-]\s+|\s*[|»]\s*")
_LANG = re.compile(r"[a-z]{2,3}(?![a-z])", re.IGNORECASE)
MAX_TITLE_CHARS = 300
_EXCERPT_LETTERS, _EXCERPT_WITHIN = 80, 1_000
_ENOUGH_TO_TELL = 300  # characters from which the detected language is trusted more than a declared one


def extract(page: SourcePage) -> Document:
    """What is worth knowing of a page; without text, it has no sections.

    Only of a PDF, DOCX or PPTX file may there be an `UnreadableDocumentError`.
    """
    kind = document_type(page)
    if kind and isinstance(page.body, bytes):
        return _from_file(page, as_html(page.body, kind))
    if isinstance(page.body, bytes) and looks_binary(page.body):
        return _from_text(page, "")
    text = decode(page.body, page.content_type) if isinstance(page.body, bytes) else page.body
    text = _UNREADABLE.sub("", mended(text))
    if not (page.is_html and _TAG.search(text)):
        return _from_text(page, text)
    root = _parse(without_shortcodes(text))
    return _from_html(page, root) if root is not None else _from_text(page, "")


def _from_text(page: SourcePage, text: str) -> Document:
    return _document(page, "", sections_of_text(text), None, PageDates(None, None))


def _from_file(page: SourcePage, html: str) -> Document:
    """A document file by the HTML that was made of it: all of it is its main text."""
    root = _parse(_UNREADABLE.sub("", html))
    if root is None:
        return _from_text(page, "")
    title = next((text_of(element) for element in root.iter("title")), "")
    sections = sections_of(next(root.iter("body"), root), {}, of_document=True)
    return _document(page, title, sections, None, PageDates(None, None))


def _from_html(page: SourcePage, root: etree._Element) -> Document:
    title, declared, dates = _title(root), _declared_language(root), page_dates(root)
    links, description = links_of(root, page.url), description_of(root, page.title or title)
    named = _in_short(next((text_of(element) for element in root.iter("title")), "")), site_name_in(root)
    data, structured = data_of(root), structured_sections(root, page.title or title)
    uncover(root)
    name_by_role(root)
    space_out(root)
    _spell_out_links(root)
    opened = panels(root)
    body = next(root.iter("body"), root)
    prune(body, opened)
    main = main_container(body)
    above, at_side = beside(body, main)
    sections = (*_sections_of_all(above, opened), *sections_of(main, opened))
    sections += tuple(replace(one, beside=True) for one in _sections_of_all(at_side, opened))
    sections += _for_scripts(sections, *data)
    sections += structured
    document = _document(page, title, sections, declared, dates)
    if _is_excerpt(description, document.text):
        description = ""
    head_title, site_name = named
    return replace(document, links=links, description=description, head_title=head_title, site_name=site_name)


def _sections_of_all(elements: Iterable[etree._Element], opened: Panels) -> Iterator[Section]:
    return (section for element in elements for section in sections_of(element, opened))


def _for_scripts(sections: tuple[Section, ...], linked: list[Any], data: list[Any]) -> tuple[Section, ...]:
    """What the page's JSON says beside its text: its questions, or all of a page that has no text without."""
    shown = "\n".join(
        text for section in sections for text in (*section.heading_path, *(b.text for b in section.blocks))
    )
    found = [questions_in(linked, shown)]
    if len(shown) < LEAST_TEXT:
        found.append(text_in(data))
    trees = [tree for tree in found if tree is not None]
    for tree in trees:
        prune(tree, {})
    return tuple(section for tree in trees for section in sections_of(tree, {}))


def _is_excerpt(description: str, text: str) -> bool:
    """Whether a description is only the beginning of the page's text once more, as many systems write it."""
    start = letters_of(description)[:_EXCERPT_LETTERS]
    return bool(start) and start in letters_of(text[:_EXCERPT_WITHIN])


def _document(
    page: SourcePage, title: str, sections: tuple[Section, ...], declared: str | None, dates: PageDates
) -> Document:
    text = "\n".join(block.text for section in sections for block in section.blocks)
    return Document(
        url=page.url,
        title=_in_short(page.title or title or _first_heading(sections) or _name_in_url(page.url)),
        sections=sections,
        lang=_language(text, declared),
        published=dates.published,
        modified=dates.modified or iso(page.last_modified),
        fetched_at=page.fetched_at,
    )


def _parse(text: str) -> etree._Element | None:
    """The tree of an HTML text; None when there is no element in it."""
    parser = lxml_html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    text = without_excess(text)
    text = _UNREADABLE_BY_NAME.sub("", _NOFRAMES.sub("", text)).replace("\f", " ")
    try:
        return lxml_html.document_fromstring(without_crowds(text).encode(), parser=parser)
    except (etree.ParserError, etree.XMLSyntaxError):
        return None


def _title(root: etree._Element) -> str:
    """The first h1 where the title repeats it; else the title without the site's name."""
    title = next((text_of(element) for element in root.iter("title")), "")
    main_heading = next((text for element in root.iter("h1") if (text := text_of(element))), "")
    if main_heading and (not title or letters_of(main_heading) in letters_of(title)):
        return main_heading
    site = site_name_in(root)
    parts = [part for part in _TITLE_PARTS.split(title) if part and part.casefold() != site.casefold()]
    return title if not site or not parts else " – ".join(parts)


def _in_short(title: str) -> str:
    """On one line; every passage of the page carries it, so that one without end would be kept many times."""
    line = " ".join(_TAG_IN_TITLE.sub(" ", title).split())
    return line if len(line) <= MAX_TITLE_CHARS else line[:MAX_TITLE_CHARS].rstrip() + "…"


def _first_heading(sections: tuple[Section, ...]) -> str:
    return next((section.heading_path[0] for section in sections if section.heading_path), "")


def _name_in_url(url: str) -> str:
    """The last part of the path, for a page that has no title at all."""
    return urlsplit(url).path.rstrip("/").rsplit("/", 1)[-1] or url


def _spell_out_links(root: etree._Element) -> None:
    """Write the address behind "e-mail us" beside it."""
    for link in root.iter("a"):
        scheme, _, address = link.get("href", "").partition(":")
        address = address.partition("?")[0]
        if scheme.casefold() == "mailto" and "@" in address and "@" not in text_of(link):
            link.tail = f" ({address}){link.tail or ''}"


def _declared_language(root: etree._Element) -> str | None:
    found = _LANG.match(root.get("lang") or root.get("{http://www.w3.org/XML/1998/namespace}lang") or "")
    return found.group().lower() if found else None


def _language(text: str, declared: str | None) -> str | None:
    """The declared language, unless there is text enough to be sure that it is another."""
    sample = text[:1000]
    if len(sample) < _ENOUGH_TO_TELL:
        return declared
    found, confidence = _identifier().classify(sample)
    return str(found) if confidence > 0.9 else declared


@lru_cache(maxsize=1)
def _identifier() -> Any:
    """The language model, read once when the first page needs it: it takes a second."""
    from py3langid import langid  # type: ignore[import-untyped]  # noqa: PLC0415 - no types; see above

    return langid.LanguageIdentifier.from_model_file(langid.MODEL_FILE, norm_probs=True)
