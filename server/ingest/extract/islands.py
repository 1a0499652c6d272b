"""What a page holds for its scripts to show: templates, what stands in for scripts, questions in JSON.

A reader without JavaScript sees none of it. Of schema.org's FAQPage the questions are read that the page
itself does not show; the data of an application (Next.js and the like) only where the page is else empty.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from server.ingest.extract.main_content import letters_of, text_of

_FOR_SCRIPTS = ("template", "noscript")
_LEAST_WORDS = 8
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\$\{|<%|\[\[")
_ABOUT_SCRIPTS = re.compile(r"\b(?:java ?scripts?|cookies|browser|navegador|iframe)\b", re.IGNORECASE)
_MOST_JSON_CHARS, _MOST_VALUES, _MOST_DEPTH = 2_000_000, 20_000, 30
_QUESTION_TYPE, _FAQ_TYPE = "Question", "FAQPage"
_NAMES = ("question", "title", "heading", "headline", "label", "name")
# What is the application's and not the page's.
_NOT_TEXT = re.compile(
    r"messages|i18n|translations?|locales?|intl|config|env|theme|nav\w*|menus?|footer|header|seo|redirects?|query"
    r"|meta\w*|cookie\w*|banner|search",
    re.IGNORECASE,
)
_ENDS = re.compile(r"[.!?:][\"'”’)]*\s*$")
_MARKED_UP = re.compile(r"<(?:p|li|h[1-6]|td|br)\b", re.IGNORECASE)
_PATH = re.compile(r"\S*(?://|\\)\S*")


def uncover(root: etree._Element) -> None:
    """Make templates and what stands in for scripts part of the page, where they say what it does not."""
    waiting = [element for element in root.iter(*_FOR_SCRIPTS) if _says_something(element)]
    if not waiting:
        return
    shown = letters_of(_text_without(root, _FOR_SCRIPTS))
    for element in waiting:
        if letters_of(text_of(element)) not in shown:
            element.tag = "div"


def _says_something(element: etree._Element) -> bool:
    """Whether it is text for people: not the frame of a component, and not about scripts."""
    text = text_of(element)
    if len(text.split()) < _LEAST_WORDS or _PLACEHOLDER.search(text):
        return False
    return element.tag != "noscript" or not _ABOUT_SCRIPTS.search(text)


def _text_without(root: etree._Element, tags: tuple[str, ...]) -> str:
    pieces = []
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        if event == "start" and element.tag in (*tags, "script", "style"):
            walk.skip_subtree()
        else:
            pieces.append((element.text if event == "start" else element.tail) or "")
    return " ".join(pieces)


def data_of(root: etree._Element) -> tuple[list[Any], list[Any]]:
    """The JSON values of a page: those that are linked data, and those that an application reads."""
    linked: list[Any] = []
    data: list[Any] = []
    for script in root.iter("script"):
        kind, text = (script.get("type") or "").casefold(), script.text or ""
        if "json" not in kind or len(text) > _MOST_JSON_CHARS:
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        (linked if "ld+json" in kind else data).append(value)
    return linked, data


def questions_in(linked: list[Any], shown: str) -> etree._Element | None:
    """The questions of linked data that are not in `shown`, as a page would have them; None without any."""
    known = letters_of(shown)
    pairs = dict(pair for value in linked for pair in _pairs(value, 0) if letters_of(pair[0]) not in known)
    return _page("".join(f"<details><summary>{escape(q)}</summary>{a}</details>" for q, a in pairs.items()))


def _pairs(value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """Each question with its answer, which may be HTML."""
    if depth > _MOST_DEPTH:
        return
    if isinstance(value, list):
        for one in value:
            yield from _pairs(one, depth + 1)
    elif isinstance(value, dict):
        question, answer = value.get("name"), _answer(value)
        if value.get("@type") == _QUESTION_TYPE and isinstance(question, str) and answer:
            yield " ".join(question.split()), answer
        for one in value.values():
            yield from _pairs(one, depth + 1)


def _answer(question: dict[str, Any]) -> str:
    answer = question.get("acceptedAnswer") or question.get("suggestedAnswer")
    answer = answer[0] if isinstance(answer, list) and answer else answer
    text = answer.get("text") if isinstance(answer, dict) else None
    return text if isinstance(text, str) else ""


def text_in(data: list[Any]) -> etree._Element | None:
    """The prose of an application's data, as a page would have it; None where there is none."""
    parts: list[str] = []
    seen = 0
    waiting: list[tuple[Any, int]] = [(value, 0) for value in reversed(data)]
    while waiting and seen < _MOST_VALUES:
        value, depth = waiting.pop()
        seen += 1
        inner: list[Any] = []
        if isinstance(value, dict):
            parts += _record(value)
            inner = [one for key, one in value.items() if not _NOT_TEXT.fullmatch(key)]
        elif isinstance(value, list):
            parts += _items(value)
            inner = value
        if depth < _MOST_DEPTH:
            waiting += [(one, depth + 1) for one in reversed(inner) if isinstance(one, dict | list)]
    return _page("".join(dict.fromkeys(parts)))


def _record(value: dict[str, Any]) -> list[str]:
    """The prose of one object under its name."""
    texts = {
        key: one
        for key, one in value.items()
        if isinstance(one, str) and not _NOT_TEXT.fullmatch(key) and not _PATH.fullmatch(one.strip())
    }
    prose = [_marked_up(one) for one in texts.values() if _is_prose(one)]
    name = next((texts[key] for key in _NAMES if key in texts and not _is_prose(texts[key])), "")
    return [f"<h3>{escape(name)}</h3>" if name else "", *prose] if prose else []


def _marked_up(text: str) -> str:
    return text if _MARKED_UP.search(text) else f"<p>{escape(text)}</p>"


def _items(value: list[Any]) -> list[str]:
    texts = [one for one in value if isinstance(one, str) and " " in one.strip()]
    if len(texts) < len(value) or len(texts) < 2:
        return []
    return ["<ul>" + "".join(f"<li>{escape(one)}</li>" for one in texts) + "</ul>"]


def _is_prose(text: str) -> bool:
    words = text.split()
    return len(words) >= _LEAST_WORDS and bool(_ENDS.search(text) or _MARKED_UP.search(text))


def _page(markup: str) -> etree._Element | None:
    """The markup's tree, without what is no text; None where there is nothing in it."""
    if not markup:
        return None
    tree: etree._Element = lxml_html.fragment_fromstring(markup, create_parent="div")
    etree.strip_elements(tree, "script", "style", "iframe", with_tail=False)
    return tree
