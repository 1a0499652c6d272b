"""A small Markdown subset as safe HTML: paragraphs, lines, bold, emphasis, lists, links, `[n]` references.

Nothing else is read: no HTML, image, heading, table or code, which stay the text they are. A link is one only
where its address is among the allowed ones; of any other its words are left. What the parser makes is cleaned
once more (nh3), so that a fault in one of the two is not enough.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterable, Mapping, MutableMapping, Sequence
from functools import cache
from typing import Any

import nh3
from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markupsafe import Markup

# Whoever writes more than this writes no answer; it is shown as it is.
MAX_CHARS = 20_000
SCHEMES = frozenset(("http", "https", "mailto", "tel"))
_RULES = ("newline", "escape", "emphasis", "balance_pairs", "fragments_join", "list", "link")
_TAGS = {"p", "br", "strong", "em", "ul", "ol", "li", "a", "sup"}
_ATTRIBUTES = {"a": {"href"}, "ol": {"start"}, "sup": {"data-n"}}
_REFERENCE = re.compile(r"\[([0-9]{1,2})\](?!\()")
_PLACED = re.compile(r'<sup data-n="([0-9]{1,2})"></sup>')
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.IGNORECASE)


def rich_html(text: str, allowed: Collection[str] | None, references: Mapping[int, str]) -> Markup:
    """The text as HTML. `references` are the HTML of each citation's mark; another `[n]` stays text.

    `allowed` are the addresses that may be linked; None: any, for words that an editor has written. Only
    http(s), mailto and tel are ever linked.
    """
    if len(text) > MAX_CHARS:
        return Markup("<p>{}</p>").format(text)
    links = None if allowed is None else {_normal(url): url for url in allowed if _may_link(url)}
    rendered = _parser().render(text, {"links": links, "known": frozenset(references)})
    clean = nh3.clean(
        rendered,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=set(SCHEMES),
        link_rel="nofollow noopener noreferrer",
        set_tag_attribute_values={"a": {"target": "_blank"}},
    )
    # No text can look like the tag: the sanitiser has escaped every "<" of it.
    return Markup(_PLACED.sub(lambda match: references.get(int(match[1]), ""), clean).strip())  # noqa: S704


def plain_text(text: str, references: Iterable[int]) -> str:
    """The words alone, without the marks of these references and Markdown, to be read aloud."""
    rendered = rich_html(text, (), dict.fromkeys(references, ""))
    lines = nh3.clean(re.sub(r"<(?:br|/p|/li)>", "\n", rendered), tags=set())
    return re.sub(r"\s*\n\s*", "\n", html.unescape(lines)).strip()


@cache
def _parser() -> MarkdownIt:
    """Reads the subset; what is known of links and references comes with each text."""
    parser = MarkdownIt("zero", {"html": False, "linkify": False, "breaks": True}).enable(list(_RULES))
    parser.inline.ruler.before("link", "reference", _reference)
    parser.core.ruler.push("only_allowed_links", _only_allowed_links)
    parser.add_render_rule("reference", _reference_html)
    parser.validateLink = lambda url: True  # type: ignore[method-assign]  # judged below, where its words stay
    return parser


def _reference(state: StateInline, silent: bool) -> bool:
    """`[2]` and a space before it, where there is a citation 2."""
    match = _REFERENCE.match(state.src, state.pos, state.posMax)
    if match is None or int(match[1]) not in state.env["known"]:
        return False
    if not silent:
        state.pending = state.pending.removesuffix(" ")
        state.push("reference", "sup", 0).meta = {"n": int(match[1])}
    state.pos = match.end()
    return True


def _reference_html(
    renderer: Any, tokens: Sequence[Token], i: int, options: Any, env: MutableMapping[str, Any]
) -> str:
    return f'<sup data-n="{tokens[i].meta["n"]}"></sup>'


def _only_allowed_links(state: StateCore) -> None:
    """Takes the tags of every other link away, its words stay."""
    links: Mapping[str, str] | None = state.env["links"]
    for block in state.tokens:
        kept: list[Token] = []
        opened: list[bool] = []
        for token in block.children or []:
            if token.type == "link_open":
                target = _target(str(token.attrGet("href") or ""), links)
                token.attrs = {"href": target or ""}
                opened.append(target is not None)
            is_link = token.type in ("link_open", "link_close")
            if not is_link or opened[-1]:
                kept.append(token)
            if token.type == "link_close":
                opened.pop()
        if block.children is not None:
            block.children = kept


def _target(href: str, links: Mapping[str, str] | None) -> str | None:
    """Where a link may lead."""
    if links is not None:
        return links.get(_normal(href))
    return href if _may_link(href) else None


def _may_link(url: str) -> bool:
    match = _SCHEME.match(url)
    return match is not None and match[1].lower() in SCHEMES


def _normal(url: str) -> str:
    """An address to compare: as Markdown writes it, without fragment."""
    return str(MarkdownIt("zero").normalizeLink(url.partition("#")[0])) if url else ""
