"""An entry of the audit log in words, and what differs between before and after."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

KINDS = {
    "crawl": "crawl of",
    "curated": "curated answer",
    "draft": "draft of",
    "feedback": "feedback on answer",
    "gap": "missing answer",
    "golden": "golden question",
    "hours": "opening hours of",
    "judgement": "judgement of answer",
    "label": "label of answer",
    "notice": "notice",
    "owner": "owner",
    "rules": "filters and answers of",
    "sample": "sample of questions",
    "schedule": "crawl schedule of",
    "conversation": "conversation",
    "hold": "legal hold on conversation",
    "site": "site",
    "snapshot": "snapshot",
    "subscription": "notifications",
    "suggestion": "suggested question",
    "token": "token",
}


def headline(change: Mapping[str, Any]) -> str:
    """`made curated answer fafsa-code`."""
    kind = KINDS.get(change["kind"], change["kind"])
    return f"{_verb(change)} {kind} {change['id']}"


def differences(change: Mapping[str, Any]) -> dict[str, list[str]]:
    """As columns: each field whose value is another one now, with what it was and what it is."""
    before, after = change["before"] or {}, change["after"] or {}
    named = [name for name in {**before, **after} if name != "done"]  # which the headline says
    fields = [name for name in named if before.get(name) != after.get(name)]
    return {
        "Field": [name.replace("_", " ") for name in fields],
        "Before": [_plain(before.get(name)) for name in fields],
        "After": [_plain(after.get(name)) for name in fields],
    }


def _verb(change: Mapping[str, Any]) -> str:
    if done := (change["after"] or {}).get("done"):
        return str(done)
    if change["before"] is None:
        return "made"
    if change["after"] is None:
        return "removed"
    revoked = change["after"].get("revoked_at") and not change["before"].get("revoked_at")
    return "revoked" if revoked else "changed"


def _plain(value: Any) -> str:
    """A text as it is, nothing as nothing, and the rest as JSON."""
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
