"""A page's topic and sub-topic, from its address or from a table of prefixes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from server.errors import BadInputError
from server.toml_files import read_entries

_KEYS = frozenset({"prefix", "topic", "subtopic", "why"})
_FILE = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_BETWEEN_WORDS = re.compile(r"[^\w&']+|_+|(?<=[a-z])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class Label:
    """Where a page belongs, in readable words; None: to nothing in particular."""

    topic: str | None = None
    subtopic: str | None = None


@dataclass(frozen=True, slots=True)
class LabelRules:
    """How much of a site a topic must be to be learnt; a smaller one's pages have none.

    Sub-topics are used where a topic has at least four (BrockportGPT, 2024).
    """

    min_pages: int = 3
    min_chunks: int = 10
    min_subtopics: int = 4


@dataclass(frozen=True, slots=True)
class PrefixTopic:
    """Pages whose address has this prefix have this topic; "" leaves them without one.

    A prefix that begins with `/` is one of the path, on any host; another is one of the whole URL.
    """

    prefix: str
    topic: str
    subtopic: str = ""

    def matches(self, url: str) -> bool:
        """Whether a page of this address has this topic."""
        return (_path(url) if self.prefix.startswith("/") else url).startswith(self.prefix)

    def label(self, url: str, known: Collection[str]) -> Label:
        """The page's label; without a sub-topic of its own, the directory below the prefix is one."""
        path_prefix = self.prefix if self.prefix.startswith("/") else _path(self.prefix)
        below = _directories(url, known)[path_prefix.strip("/").count("/") + bool(path_prefix.strip("/")) :]
        subtopic = self.subtopic or (below[0] if below else "")
        return Label(self.topic or None, (subtopic or None) if self.topic else None)


def load_topics(path: Path) -> tuple[PrefixTopic, ...]:
    """The table of a TOML file, the longest prefix first; a `BadInputError` names the entry that is wrong."""
    entries = read_entries(path, "topic", _KEYS, f"The topic table {path}")
    table = [_entry(name, entry) for name, entry in entries]
    if twice := [prefix for prefix, n in Counter(entry.prefix for entry in table).items() if n > 1]:
        raise BadInputError(f"The topic table {path} has the prefix {twice[0]!r} twice.")
    return tuple(sorted(table, key=lambda entry: -len(entry.prefix)))


def label_pages(
    chunks: Mapping[str, int], table: tuple[PrefixTopic, ...] = (), rules: LabelRules | None = None
) -> dict[str, Label]:
    """The label of every page; `chunks` is how many chunks each has, by URL.

    The topic is the first directory of the address and the sub-topic the second, unless the table knows
    better. A page directly under the root has no topic, nor has one of a topic too small to be learnt.
    """
    rules = rules or LabelRules()
    known = {directory for url in chunks for directory in _parents(url)}
    labels = {url: _label(url, table, known) for url in chunks}
    labels = _without_small(labels, chunks, rules)
    rich = _rich_topics(labels.values(), rules)
    return {url: label if label.topic in rich else Label(label.topic) for url, label in labels.items()}


def readable(slug: str) -> str:
    """`scholarships-aid`, `Scholarships%20Aid`, `scholarshipsAid` → `scholarships aid`."""
    return " ".join(_BETWEEN_WORDS.sub(" ", unquote(slug)).casefold().split())


def _label(url: str, table: tuple[PrefixTopic, ...], known: Collection[str]) -> Label:
    for entry in table:
        if entry.matches(url):
            return entry.label(url, known)
    topic, subtopic, *_ = [*_directories(url, known), "", ""]
    return Label(topic or None, subtopic or None)


def _without_small(
    labels: Mapping[str, Label], chunks: Mapping[str, int], rules: LabelRules
) -> dict[str, Label]:
    """Labels without the topics and sub-topics that have too few pages or chunks."""
    topics = {label: label.topic for label in labels.values()}
    by_topic = _large({url: topics[label] for url, label in labels.items()}, chunks, rules)
    by_subtopic = _large(labels, chunks, rules)
    kept: dict[str, Label] = {}
    for url, label in labels.items():
        topic = label.topic if label.topic in by_topic else None
        kept[url] = Label(topic, label.subtopic if topic and label in by_subtopic else None)
    return kept


def _large(groups: Mapping[str, Any], chunks: Mapping[str, int], rules: LabelRules) -> set[Any]:
    """The groups that have enough pages and chunks; `groups` is each page's, by URL."""
    sizes: dict[Any, list[int]] = defaultdict(list)
    for url, group in groups.items():
        sizes[group].append(chunks[url])
    return {
        group
        for group, counts in sizes.items()
        if len(counts) >= rules.min_pages and sum(counts) >= rules.min_chunks
    }


def _rich_topics(labels: Collection[Label], rules: LabelRules) -> set[str | None]:
    """The topics with enough sub-topics to tell apart."""
    pairs = {(label.topic, label.subtopic) for label in labels if label.topic and label.subtopic}
    counts = Counter(topic for topic, _ in pairs)
    return {topic for topic, count in counts.items() if count >= rules.min_subtopics}


def _path(url: str) -> str:
    return urlsplit(url).path or "/"


def _parents(url: str) -> list[str]:
    """Every directory that a page lies in, from the root down: `/a/b/c.html` → `/a`, `/a/b`."""
    *directories, _ = _path(url).split("/")
    return ["/".join(directories[: n + 1]) for n in range(1, len(directories))]


def _directories(url: str, known: Collection[str]) -> list[str]:
    """The readable names of a page's directories; `/a/b` is one itself where a page lies below it."""
    path = _path(url)
    folders = _parents(url)
    if path in known and path not in folders:
        folders = [*folders, path]
    names = [folder.rpartition("/")[2] for folder in folders]
    return [readable(_FILE.sub("", name)) for name in names if name]


def _entry(name: str, entry: Mapping[str, str]) -> PrefixTopic:
    if not entry.get("prefix") or "topic" not in entry:
        raise BadInputError(f"{name} takes a prefix and a topic.")
    topic, subtopic = entry["topic"].strip(), entry.get("subtopic", "").strip()
    if "/" in topic + subtopic:
        raise BadInputError(f"{name} has a / in its topic or subtopic; it takes plain words.")
    if subtopic and not topic:
        raise BadInputError(f"{name} has a subtopic without a topic.")
    return PrefixTopic(entry["prefix"], topic, subtopic)
