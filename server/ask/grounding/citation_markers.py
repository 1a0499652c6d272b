"""A model's text as it arrives, cut into sentences, each with the numbers of the passages it cites.

Marks are taken out of the text before it is cut, and each goes to the sentence before it: "It opens at 8.
[1] It closes at 9 [2]." cites 1 first and 2 then.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from server.sentences import sentences

_NUMBER = r"\d{1,3}"
_MARKUP = re.compile(
    rf"""(?P<link>!?\[(?P<text>[^\]\[]*)\]\((?P<url>(?:[^()\s]|\([^()\s]*\))*)(?:\s"[^"]*")?\))
      | (?<![ \t])[ \t]*+[\[【](?:\^|(?:source|passage|doc|document|citation|ref)\.?[ ])?
        (?P<numbers>{_NUMBER}(?:\s*(?:[,;&–-]|and)\s*(?:\^|source[ ])?{_NUMBER})*)
        (?:†[^\]】]{{0,20}})?[\]】](?!\()
      | (?P<emphasis>\*\*|__|`|(?<![\w*])\*(?=\w)|(?<=[\w.!?])\*(?![\w*]))""",
    re.VERBOSE | re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-*•–]\s+|#{1,6}\s+|>\s+|\d{1,2}[.)]\s+)+")
# What may still become markup when more has come.
_OPEN = re.compile(
    r"(?<![ \t])[ \t]*+"
    r"(?:[\[【!][^\]】]{0,120}|!?\[[^\]\[]*\](?:\((?:[^()\s]|\([^()\s]*+\)?+){0,300})?|[*_`]+)?$"
)
# A sentence is complete when this much follows it: what is an abbreviation shows in what comes after.
_LOOK_AHEAD = 16


@dataclass(frozen=True, slots=True)
class CitedSentence:
    """One sentence as it was written, without marks and Markdown.

    `marks`: the numbers behind it; `links`: where its Markdown links lead; `bullet`: "- " or "1. " before it;
    `new_line`: it began on a line of its own.
    """

    text: str
    marks: tuple[int, ...] = ()
    links: tuple[str, ...] = ()
    bullet: str = ""
    new_line: bool = False


def cited_sentences(pieces: Iterable[str]) -> Iterator[CitedSentence]:
    """The sentences of a text that comes in pieces, each as soon as it is complete."""
    text = _Text()
    for piece in pieces:
        text.add(piece)
        yield from text.complete(_LOOK_AHEAD)
    text.close()
    yield from text.complete(0)


@dataclass
class _Text:
    """What has come and is not yet told: `clean` without markup, `held` what may still become markup.

    `before` is the last character taken: whether an asterisk is emphasis depends on it.
    """

    clean: str = ""
    held: str = ""
    before: str = ""
    marks: list[tuple[int, int]] = field(default_factory=list)
    links: list[tuple[int, str]] = field(default_factory=list)

    def add(self, piece: str) -> None:
        raw = self.held + piece
        whole = _OPEN.search(raw)
        cut = whole.start() if whole else len(raw)
        self._take(raw[:cut])
        self.held = raw[cut:]

    def close(self) -> None:
        self._take(self.held)
        self.held = ""

    def complete(self, look_ahead: int) -> Iterator[CitedSentence]:
        """The sentences that no more text can change, taken out."""
        spans = sentences(self.clean)
        told = -1
        for start, end in spans:
            if look_ahead and len(self.clean) - end < look_ahead and "\n" not in self.clean[end:]:
                break
            yield self._said(told, start, end)
            told = end
        self._forget(max(told, 0))

    def _take(self, raw: str) -> None:
        """Move text over, its markup becoming marks and links at their place."""
        raw, done = self.before + raw, len(self.before)
        self.before = raw[-1:]
        for match in _MARKUP.finditer(raw, done):
            self._append(raw[done : match.start()])
            done = match.end()
            if match["link"]:
                self._take_link(match["text"], match["url"])
            elif match["numbers"]:
                self.marks += [(len(self.clean), number) for number in _numbers(match["numbers"])]
        self._append(raw[done:])

    def _append(self, text: str) -> None:
        """A mark between "p.m." and the sentence's own full stop leaves two of them."""
        if text.startswith(".") and self.clean.endswith("."):
            text = text[1:]
        self.clean += text

    def _take_link(self, text: str, url: str) -> None:
        """A link's words stay; a number that is linked is a mark."""
        if text.strip().isdigit():
            self.clean = self.clean.rstrip(" \t")
            self.marks.append((len(self.clean), int(text)))
            text = ""
        self.links.append((len(self.clean), url))
        self.clean += text

    def _said(self, told: int, start: int, end: int) -> CitedSentence:
        text = self.clean[start:end]
        bullet = _BULLET.match(text)
        lead = bullet.group() if bullet else ""
        marks = tuple(dict.fromkeys(number for at, number in self.marks if told < at <= end))
        links = tuple(url for at, url in self.links if told < at <= end)
        return CitedSentence(text[len(lead) :], marks, links, lead, "\n" in self.clean[max(told, 0) : start])

    def _forget(self, told: int) -> None:
        self.clean = self.clean[told:]
        self.marks = [(at - told, number) for at, number in self.marks if at > told or not told]
        self.links = [(at - told, url) for at, url in self.links if at > told or not told]


def _numbers(listed: str) -> Iterator[int]:
    """1, 2–4 → 1, 2, 3, 4; a span of more than ten is no span."""
    for first, last in re.findall(rf"({_NUMBER})(?:\s*[–-]\s*({_NUMBER}))?", listed):
        until = int(last) if last else int(first)
        yield from range(int(first), until + 1) if until - int(first) <= 10 else (int(first), until)
