"""What is different between two traces of one question: versions, settings, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.ask.tracing.table import PassageRow, PassageTable, passage_tables

JsonObject = Mapping[str, Any]
Passage = tuple[str, str, str]

# Of two tables so many of the best passages are compared; further down, scores of nothing decide.
COMPARED = 10


def differences(before: JsonObject, after: JsonObject) -> dict[str, Any]:
    """What the second trace has otherwise than the first, each a trace's JSON with its `answer` beside it.

    `same`: the visitor would see the same answer from the same places. `versions` (snapshot, models, prompt)
    and `settings` are lists of name, before and after; `unknown` names what the first trace does not tell.
    `answer` has `text`, `refused`, `refusal_reason`, `answerer` and `cited` where they differ; `passages` is
    a list, a row for each of the best passages of either that stands elsewhere: title, heading, url, and its
    rank `before` and `after`, None where it was not found.
    """
    answer = _answer(before.get("answer") or {}, after.get("answer") or {})
    return {
        "same": not answer,
        "versions": _changed(_versions(before), _versions(after)),
        "settings": _changed(before.get("settings") or {}, after["settings"])
        if before.get("settings")
        else [],
        "unknown": [name for name in ("asked", "settings") if not before.get(name)],
        "answer": answer,
        "passages": _moved(before, after),
    }


def _versions(trace: JsonObject) -> dict[str, Any]:
    return {"strategy": trace["strategy"], "snapshot": trace["snapshot"], **trace["versions"]}


def _changed(before: JsonObject, after: JsonObject) -> list[dict[str, Any]]:
    names = dict.fromkeys((*before, *after))
    return [
        {"name": name, "before": before.get(name), "after": after.get(name)}
        for name in names
        if before.get(name) != after.get(name)
    ]


def _answer(before: JsonObject, after: JsonObject) -> dict[str, Any]:
    def told(answer: JsonObject) -> dict[str, Any]:
        names = ("refused", "refusal_reason", "answerer")
        cited = [f"{one['url']} {one['heading']}".rstrip() for one in answer.get("citations", ())]
        return {"text": answer.get("answer"), **{name: answer.get(name) for name in names}, "cited": cited}

    first, second = told(before), told(after)
    return {
        name: {"before": value, "after": second[name]}
        for name, value in first.items()
        if value != second[name]
    }


def _moved(before: JsonObject, after: JsonObject) -> list[dict[str, Any]]:
    """Passages are the same by their words: another snapshot has other ids."""
    first, second = _ranks(passage_tables(before)), _ranks(passage_tables(after))
    return [
        {
            "title": title,
            "heading": heading,
            "url": key[0],
            "before": first.get(key, (None,))[0],
            "after": second.get(key, (None,))[0],
        }
        for key, (_, title, heading) in (second | first).items()
        if first.get(key, (None,))[0] != second.get(key, (None,))[0]
        and min(found[key][0] for found in (first, second) if key in found) <= COMPARED
    ]


def _ranks(tables: list[PassageTable]) -> dict[Passage, tuple[int, str, str]]:
    """Where each passage stands in the end: its place in the first table that has it."""
    ranks: dict[Passage, tuple[int, str, str]] = {}
    for table in tables:
        for place, row in enumerate(table.rows, start=1):
            ranks.setdefault(_key(row), (place, row.title, row.heading))
    return ranks


def _key(row: PassageRow) -> Passage:
    return (row.url, row.heading, row.text)
