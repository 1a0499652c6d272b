from __future__ import annotations

from server.index.typesense.connection import TypesenseCircuit
from tests.clock import Clock


def test_while_all_is_well_everyone_may_try() -> None:
    circuit = TypesenseCircuit(10, Clock())
    assert [circuit.refusal() for _ in range(3)] == [None] * 3
    assert not circuit.worked()


def test_after_a_failure_nobody_tries_for_a_while_and_is_told_why() -> None:
    clock = Clock()
    circuit = TypesenseCircuit(10, clock)
    assert circuit.failed("timed out")
    clock.now = 9.9
    assert [circuit.refusal() for _ in range(3)] == ["timed out"] * 3


def test_then_one_may_try_and_the_others_wait_for_what_comes_of_it() -> None:
    clock = Clock()
    circuit = TypesenseCircuit(10, clock)
    circuit.failed("timed out")
    clock.now = 10
    assert circuit.refusal() is None
    assert circuit.refusal() == "timed out"
    assert circuit.worked()
    assert [circuit.refusal() for _ in range(3)] == [None] * 3


def test_a_try_that_fails_starts_another_rest() -> None:
    clock = Clock()
    circuit = TypesenseCircuit(10, clock)
    circuit.failed("timed out")
    clock.now = 10
    assert circuit.refusal() is None
    clock.now = 11
    assert not circuit.failed("answered 503")
    clock.now = 20.9
    assert circuit.refusal() == "answered 503"
    clock.now = 21
    assert circuit.refusal() is None


def test_one_who_tries_and_never_comes_back_is_replaced() -> None:
    clock = Clock()
    circuit = TypesenseCircuit(10, clock)
    circuit.failed("timed out")
    clock.now = 10
    assert circuit.refusal() is None
    clock.now = 20
    assert circuit.refusal() is None


def test_it_is_news_once_that_the_server_fails_and_once_that_it_is_back() -> None:
    circuit = TypesenseCircuit(0, Clock())
    assert [circuit.failed("a"), circuit.failed("b"), circuit.worked(), circuit.worked()] == [
        True, False, True, False,
    ]  # fmt: skip
