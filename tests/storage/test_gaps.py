"""Gaps: which questions are in them, and what becomes of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from server.errors import BadInputError, NotFoundError
from server.models import (
    ALL_TURNS,
    Feedback,
    GapFilter,
    GapKinds,
    GapStates,
    Placement,
    TraceStep,
    TurnFilter,
)
from server.storage.conversations import asked_key, question_alone
from server.workbench.records import Records
from tests.storage.exchanges import TUITION, as_typed, exchange

ALL = GapFilter(GapKinds, GapStates, ALL_TURNS)
AGAIN: dict[str, Any] = {"refused": False, "snapshot": "b", "answer": "At nine."}


def group(store: Records) -> None:
    """Every wording that waits into the first gap of its site."""
    store.gaps.join_known()
    for one in store.gaps.waiting(100):
        store.gaps.place(one.site, [one.key], lambda _known: Placement([(0, 0.9)], {0: b"\0\0\0\0"}))


def refuse(store: Records, number: int, question: str = "When is the pool open?", **more: Any) -> None:
    store.conversations.record(
        as_typed(exchange(number, conversation=f"c{number}", question=question, refused=True, **more))
    )


def gaps(store: Records, wanted: GapFilter = ALL) -> list[dict[str, Any]]:
    return store.gaps.all(wanted, limit=10)


def with_evidence(number: int, evidence: float) -> Any:
    asked = exchange(number, conversation=f"c{number}")
    weak = TraceStep("extract", 1.0, notes={"evidence": evidence, "threshold": 0.5})
    return replace(asked, trace=replace(asked.trace, steps=(*asked.trace.steps, weak)))


def test_what_was_answered_well_is_in_no_gap(store: Records) -> None:
    store.conversations.record(exchange(1))
    store.conversations.record(with_evidence(2, 0.61))
    store.conversations.record(exchange(3, conversation="c3", refused=True, refusal_reason="unsafe"))
    store.conversations.rate(Feedback("c1", "m1", True, "", "", "2026-03-04T00:00:00+00:00"))
    assert store.gaps.count_waiting() == 0


def test_each_kind_is_told_apart_and_counted(store: Records) -> None:
    refuse(store, 1)
    refuse(store, 2, refusal_reason="off_topic")
    store.conversations.record(with_evidence(3, 0.59))
    store.conversations.record(exchange(4, conversation="c4"))
    store.conversations.rate(Feedback("c4", "m4", False, "", "", "2026-03-04T00:00:00+00:00"))
    group(store)
    [gap] = gaps(store)
    assert gap["kinds"] == {"no_evidence": 1, "unhelpful": 1, "low_evidence": 1, "off_topic": 1}
    [missing] = gaps(store, GapFilter())
    assert (missing["questions"], missing["kinds"]["off_topic"]) == (3, 0)
    [off_topic] = gaps(store, GapFilter(kinds=("off_topic",)))
    assert off_topic["questions"] == 1


def test_a_gap_has_its_typical_question_trend_and_nearest_pages(store: Records) -> None:
    refuse(store, 1, "Pool hours?", asked_at="2026-03-03T10:00:00+00:00", topic="life")
    refuse(store, 2, "When is the pool open?", asked_at="2026-03-17T10:00:00+00:00", topic="life")
    refuse(store, 3, "when is the POOL open", asked_at="2026-03-18T10:00:00+00:00", topic="aid")
    group(store)
    [gap] = gaps(store)
    assert gap["question"] == "when is the POOL open"  # twice in these words, whatever the case
    assert [sample["times"] for sample in gap["samples"]] == [2, 1]
    assert gap["samples"][0]["conversation_id"] == "c3"
    assert (gap["first_day"], gap["last_day"], gap["topic"]) == ("2026-03-03", "2026-03-18", "life")
    assert gap["weeks"] == [
        {"week": "2026-03-02", "questions": 1},
        {"week": "2026-03-09", "questions": 0},
        {"week": "2026-03-16", "questions": 2},
    ]
    assert gap["closest_pages"] == [{"url": TUITION.url, "title": TUITION.title}]
    [of_march_3] = gaps(store, replace(ALL, asked=TurnFilter(until="2026-03-10")))
    assert [one["question"] for one in of_march_3["samples"]] == ["Pool hours?"]
    assert (of_march_3["questions"], of_march_3["question"]) == (1, gap["question"])  # called as everywhere


def test_the_same_words_join_without_a_vector_and_sites_stay_apart(store: Records) -> None:
    refuse(store, 1)
    group(store)
    refuse(store, 2, "when is the pool OPEN")
    refuse(store, 3, site="library")
    store.gaps.join_known()
    assert [(one.site, one.question) for one in store.gaps.waiting(10)] == [
        ("library", "When is the pool open?")
    ]
    group(store)
    assert [(gap["site"], gap["questions"]) for gap in gaps(store)] == [("main", 2), ("library", 1)]


def test_what_is_mended_is_asked_again_once_a_newer_snapshot_is_live(store: Records) -> None:
    refuse(store, 1)
    group(store)
    [gap] = gaps(store)
    store.gaps.change(gap["id"], "mended", "New page.", snapshot="a", by="ana")
    assert list(store.gaps.mended("a", limit=5)) == []
    assert list(store.gaps.mended("b", limit=5)) == [gap["id"]]
    store.gaps.note_again(gap["id"], AGAIN)
    assert list(store.gaps.mended("c", limit=5)) == []
    found = store.gaps.get(gap["id"])
    assert (found["state"], found["again"]["answer"], found["note"]) == ("answered", "At nine.", "New page.")
    assert found["changed_by"] == "ana"


@pytest.mark.parametrize(("refused", "state"), [(False, "reopened"), (True, "unanswered")])
def test_what_goes_wrong_again_is_opened_again(store: Records, refused: bool, state: str) -> None:
    refuse(store, 1)
    group(store)
    [gap] = gaps(store)
    store.gaps.change(gap["id"], "mended", "", snapshot=None)
    store.gaps.note_again(gap["id"], AGAIN | {"refused": refused})
    assert store.gaps.states()["reopened"] == 0
    refuse(store, 2)
    group(store)
    assert store.gaps.get(gap["id"])["state"] == state


def test_an_automatic_answer_does_not_undo_what_somebody_said_meanwhile(store: Records) -> None:
    refuse(store, 1)
    group(store)
    [gap] = gaps(store)
    store.gaps.change(gap["id"], "ignored", "Nobody's business.", snapshot="a")
    store.gaps.note_again(gap["id"], AGAIN)
    assert store.gaps.get(gap["id"])["state"] == "ignored"
    assert gaps(store, GapFilter()) == []


def test_changes_are_in_the_audit_log_without_a_visitors_word(store: Records) -> None:
    refuse(store, 1)
    group(store)
    [gap] = gaps(store)
    store.gaps.change(gap["id"], "mended", "Done.", snapshot="a", by="ana")
    store.gaps.note_again(gap["id"], AGAIN, by="ben")
    asked, mended = store.audit.changes(limit=2, kind="gap")
    assert (asked.who, mended.who, mended.id) == ("ben", "ana", str(gap["id"]))
    assert mended.before == {"state": "open", "note": "", "snapshot": None}
    assert mended.after == {"state": "mended", "note": "Done.", "snapshot": "a"}
    assert (asked.after or {})["state"] == "answered"


def test_what_cannot_be_kept_says_why(store: Records) -> None:
    refuse(store, 1)
    group(store)
    [gap] = gaps(store)
    for state, note, words in (
        ("ignored", " ", "reason"),
        ("open", "", "state"),
        ("mended", "x" * 2001, "longer"),
    ):
        with pytest.raises(BadInputError, match=words):
            store.gaps.change(gap["id"], state, note, snapshot=None)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        store.gaps.change(gap["id"] + 1, "mended", "", snapshot=None)
    assert [change.kind for change in store.audit.changes(limit=5)] == []


def test_a_gap_goes_with_its_last_question(store: Records) -> None:
    refuse(store, 1)
    refuse(store, 2)
    group(store)
    [gap] = gaps(store)
    store.conversations.erase("c2", "main")
    assert store.gaps.get(gap["id"])["questions"] == 1
    store.conversations.erase("c1", "main")
    assert store.gaps.states()["open"] == 0
    with pytest.raises(NotFoundError):
        store.gaps.get(gap["id"])


def test_groups_are_told_the_middles_of_their_own_site_alone(store: Records) -> None:
    seen: list[Sequence[bytes]] = []

    def places(known: Sequence[bytes]) -> Placement:
        seen.append(known)
        return Placement([(len(known), 1.0)], {len(known): b"1234"})

    for number, site in enumerate(("main", "library", "main")):
        refuse(store, number, f"Question {'abc'[number]}?", site=site)
        [one] = store.gaps.waiting(10)
        store.gaps.place(one.site, [one.key], places)
    assert seen == [[], [], [b"1234"]]
    assert len(gaps(store)) == 3


def test_a_question_counts_as_it_stands_alone_and_by_its_words() -> None:
    steps = [("rewrite", {"question": "When is the pool open in summer?"}), ("gate", {"question": "no"})]
    assert question_alone("and in summer?", steps) == "When is the pool open in summer?"
    assert question_alone("and in summer?", []) == "and in summer?"
    assert asked_key("I am ana@example.edu, pool?") == asked_key("i am bob@example.edu: POOL")
    assert asked_key("pool") != asked_key("pools")
