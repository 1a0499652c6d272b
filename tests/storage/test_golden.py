"""Golden questions are kept with their history."""

from __future__ import annotations

from dataclasses import replace

import pytest

from server.errors import BadInputError, NotFoundError
from server.models.golden import GoldenOutcome, GoldenQuestion
from server.workbench.golden.store import GoldenRecord
from server.workbench.records import Records

PERMIT = GoldenQuestion(
    "permit", "main", "How much is a permit?", ("https://example.edu/fees",), ("$120",), topic="costs"
)
RIGHT = GoldenOutcome("permit", None, "It is $120. [1]", ("https://example.edu/fees",))
WRONG = GoldenOutcome("permit", "It is not answered.", "The site does not say.")


def run(store: Records, *outcomes: GoldenOutcome, site: str = "main") -> int:
    return store.golden.note_run(
        outcomes, site=site, occasion="asked", snapshot="s1", strategy="hybrid", by="the developer"
    )


def test_a_question_comes_back_as_it_was_put_and_the_log_has_it(store: Records) -> None:
    assert store.golden.put(PERMIT, by="the editor") is None
    assert store.golden.all() == store.golden.all("main") == (PERMIT,)
    assert store.golden.all("other") == ()
    changed = replace(PERMIT, answers=())
    assert store.golden.put(changed) == PERMIT
    assert store.golden.remove("permit") == changed
    assert store.golden.all() == ()
    assert [(row.who, row.id) for row in store.audit.changes(limit=9, kind="golden")][-1] == (
        "the editor",
        "permit",
    )
    with pytest.raises(NotFoundError):
        store.golden.remove("permit")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (replace(PERMIT, id="A permit"), "The id"),
        (replace(PERMIT, id="runs"), "is taken"),
        (replace(PERMIT, question=" "), "The question is empty"),
        (replace(PERMIT, pages=("the fees page",)), "no http or https address"),
        (replace(PERMIT, refuse=True), "must not be answered"),
    ],
)
def test_what_could_never_pass_is_not_kept(store: Records, wrong: GoldenQuestion, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        store.golden.put(wrong)
    assert store.golden.all() == ()


def test_runs_are_counted_and_a_question_has_its_history(store: Records) -> None:
    first, second = run(store, WRONG, replace(RIGHT, golden_id="other")), run(store, RIGHT)
    empty = run(store, site="library")
    assert [(row.number, row.passed, row.failed) for row in store.golden.runs()] == [
        (empty, 0, 0),
        (second, 1, 0),
        (first, 1, 1),
    ]
    assert [row.number for row in store.golden.runs("main")] == [second, first]
    assert [(row.number, row.failure) for row in store.golden.history("permit")] == [
        (second, None),
        (first, "It is not answered."),
    ]
    assert store.golden.outcomes(second) == (RIGHT,)
    record = store.golden.record_of("main")["permit"]
    assert record == GoldenRecord(1, 1, second, store.golden.run(second).at, failure=None)
    assert store.golden.record_of("library") == {}
    assert store.golden.run(first) == store.golden.runs("main")[1]
    for unknown in (store.golden.outcomes, store.golden.run):
        with pytest.raises(NotFoundError, match=f"no run {empty + 1}"):
            unknown(empty + 1)


def test_the_last_outcome_is_that_of_the_last_run_it_was_in(store: Records) -> None:
    run(store, RIGHT)
    second = run(store, WRONG)
    run(store, replace(RIGHT, golden_id="other"))
    record = store.golden.record_of()["permit"]
    assert (record.number, record.failure) == (second, "It is not answered.")


def test_a_new_question_is_named_by_its_words_and_never_takes_anothers_history(store: Records) -> None:
    made = [store.golden.add(replace(PERMIT, id=""), by="the editor") for _ in range(2)]
    assert [one.id for one in made] == ["how-much-is-a-permit", "how-much-is-a-permit-2"]
    assert store.golden.get("how-much-is-a-permit-2") == made[1]
    run(store, replace(RIGHT, golden_id=made[1].id))
    store.golden.remove(made[1].id)
    assert store.golden.add(PERMIT).id == "how-much-is-a-permit-3"
    assert store.golden.add(replace(PERMIT, question="Runs?")).id == "runs-2"
    assert store.golden.add(replace(PERMIT, question="¿?")).id == "question"
    with pytest.raises(BadInputError, match="The question is empty"):
        store.golden.add(replace(PERMIT, question=" "))
    assert store.audit.changes(limit=1, kind="golden")[0].id == "question"


def test_those_made_from_a_trace_are_found_by_it(store: Records) -> None:
    store.golden.put(PERMIT)
    made = store.golden.add(replace(PERMIT, from_trace="t1"))
    assert store.golden.all(from_trace="t1") == (made,)
    assert store.golden.all(from_trace="t2") == ()


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**40])
def test_a_number_that_no_database_takes_is_the_askers_error(store: Records, number: int) -> None:
    with pytest.raises(BadInputError):
        store.golden.run(number)
