"""The rules that leave pages out by their address, read from a TOML file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from server.errors import BadInputError
from server.ingest.toml_entries import read_entries

_KEYS = frozenset({"reason", "prefix", "pattern", "why"})
_REASON = re.compile(r"[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Rule:
    """Pages whose address has this prefix, or this pattern in it, are left out for this reason.

    A prefix that begins with `/` is one of the path, on any host; another is one of the whole URL.
    A pattern is a regular expression, searched for in the path and query.
    """

    reason: str
    prefix: str | None = None
    pattern: re.Pattern[str] | None = None
    why: str = ""

    def matches(self, url: str) -> bool:
        """Whether a page of this address is left out."""
        parts = urlsplit(url)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        if self.prefix is not None:
            return (path if self.prefix.startswith("/") else url).startswith(self.prefix)
        return self.pattern is not None and self.pattern.search(path) is not None

    def __str__(self) -> str:
        named = f"prefix {self.prefix}" if self.prefix is not None else f"pattern for {self.reason}"
        return f"{named}: {self.why}" if self.why else named


def load_rules(path: Path) -> tuple[Rule, ...]:
    """The rules of a file, in its order; a `BadInputError` names the rule that is wrong, counted from 1."""
    entries = read_entries(path, "rule", _KEYS, f"The filter rules {path}", "are")
    return tuple(_rule(name, entry) for name, entry in entries)


def _rule(name: str, entry: Mapping[str, str]) -> Rule:
    reason, prefix, pattern = entry.get("reason", ""), entry.get("prefix"), entry.get("pattern")
    if not _REASON.fullmatch(reason):
        raise BadInputError(f"{name} has the reason {reason!r}; it takes a small word such as archive.")
    if (prefix is None) == (pattern is None) or prefix == "" or pattern == "":
        raise BadInputError(f"{name} takes either a prefix or a pattern.")
    try:
        return Rule(
            reason, prefix, re.compile(pattern, re.IGNORECASE) if pattern else None, entry.get("why", "")
        )
    except (re.error, OverflowError, RecursionError) as error:
        raise BadInputError(f"{name} has a pattern that is no regular expression: {error}.") from None
