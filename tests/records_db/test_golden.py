"""Golden questions are kept with their history."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.errors import BadInputError, NotFoundError
from server.golden import GoldenOutcome, GoldenQuestion
from server.records_db.store import RecordsStore

PERMIT = GoldenQuestion(
    "permit", "main", "How much is a permit?", ("https://example.edu/fees",), ("$120",), topic="costs"
)
RIGHT = GoldenOutcome("permit", None, "It is $120. [1]", ("https://example.edu/fees",))
WRONG = GoldenOutcome("permit", "It is not answered.", "The site does not say.")


def run(store: RecordsStore, *outcomes: GoldenOutcome, site: str = "main") -> int:
    return store.golden.note_run(
        outcomes, site=site, occasion="asked", snapshot="s1", strategy="hybrid", by="the developer"
    )


def test_a_question_comes_back_as_it_was_put_and_the_log_has_it(store: RecordsStore) -> None:
    assert store.golden.put(PERMIT, by="the editor") is None
    assert store.golden.all() == store.golden.all("main") == (PERMIT,)
    assert store.golden.all("other") == ()
    changed = replace(PERMIT, answers=())
    assert store.golden.put(changed) == PERMIT
    assert store.golden.remove("permit") == changed
    assert store.golden.all() == ()
    assert [(row["who"], row["id"]) for row in store.changes(limit=9, kind="golden")][-1] == (
        "the editor",
        "permit",
    )
    with pytest.raises(NotFoundError):
        store.golden.remove("permit")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (replace(PERMIT, id="A permit"), "The id"),
        (replace(PERMIT, question=" "), "The question is empty"),
        (replace(PERMIT, pages=("the fees page",)), "no http or https address"),
        (replace(PERMIT, refuse=True), "must not be answered"),
    ],
)
def test_what_could_never_pass_is_not_kept(store: RecordsStore, wrong: GoldenQuestion, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        store.golden.put(wrong)
    assert store.golden.all() == ()


def test_runs_are_counted_and_a_question_has_its_history(store: RecordsStore) -> None:
    first, second = run(store, WRONG, replace(RIGHT, golden_id="other")), run(store, RIGHT)
    empty = run(store, site="library")
    assert [(row["number"], row["passed"], row["failed"]) for row in store.golden.runs()] == [
        (empty, 0, 0),
        (second, 1, 0),
        (first, 1, 1),
    ]
    assert [row["number"] for row in store.golden.runs("main")] == [second, first]
    assert [(row["number"], row["failure"]) for row in store.golden.history("permit")] == [
        (second, None),
        (first, "It is not answered."),
    ]
    assert store.golden.outcomes(second) == (RIGHT,)
    assert store.golden.record_of("main")["permit"] == {"passed": 1, "failed": 1, "number": second}
    with pytest.raises(NotFoundError):
        store.golden.outcomes(empty + 1)
