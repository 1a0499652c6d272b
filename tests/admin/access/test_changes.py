"""An entry of the audit log in words."""

from __future__ import annotations

from typing import Any

from admin.access.changes import differences, headline


def change(
    before: dict[str, Any] | None, after: dict[str, Any] | None, kind: str = "curated"
) -> dict[str, Any]:
    return {"kind": kind, "id": "one", "before": before, "after": after}


def test_the_headline_says_what_was_done() -> None:
    assert headline(change(None, {})) == "made curated answer one"
    assert headline(change({}, None, "notice")) == "removed notice one"
    assert headline(change({"text": "a"}, {"text": "b"})) == "changed curated answer one"
    revoked = change({"revoked_at": None}, {"revoked_at": "2026-03-01"}, "token")
    assert headline(revoked) == "revoked token one"
    assert headline(change(None, {}, "synonyms")) == "made synonyms one"


def test_only_what_differs_is_told() -> None:
    before: dict[str, Any] = {"text": "Old.", "topic": None, "links": [], "site": "main"}
    after = {"text": "New.", "topic": "aid", "links": [["Aid", "https://example.edu"]], "site": "main"}
    assert differences(change(before, after)) == {
        "Field": ["text", "topic", "links"],
        "Before": ["Old.", "", "[]"],
        "After": ["New.", "aid", '[["Aid", "https://example.edu"]]'],
    }


def test_what_is_new_or_gone_is_told_whole() -> None:
    assert differences(change(None, {"valid_from": "2026-09-01"})) == {
        "Field": ["valid from"],
        "Before": [""],
        "After": ["2026-09-01"],
    }
    assert differences(change({"text": "Old."}, None))["After"] == [""]
