from __future__ import annotations

import threading

import pytest

from server.circuit_breaker import CircuitBreaker, Outcome, Permit
from tests.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock(100.0)


@pytest.fixture
def breaker(clock: Clock) -> CircuitBreaker:
    """Opens at the third failure, rests ten seconds."""
    return CircuitBreaker(3, 10.0, clock)


def admitted(breaker: CircuitBreaker) -> Permit:
    permit = breaker.admit()
    assert permit is not None
    return permit


def calls(breaker: CircuitBreaker, *outcomes: Outcome) -> None:
    for outcome in outcomes:
        breaker.settle(admitted(breaker), outcome)


def test_it_opens_at_the_last_of_so_many_failures(breaker: CircuitBreaker) -> None:
    calls(breaker, "failed", "failed")
    assert breaker.admit() is not None
    calls(breaker, "failed")
    assert breaker.state == "open"
    assert breaker.admit() is None


def test_only_failures_in_a_row_count(breaker: CircuitBreaker) -> None:
    calls(breaker, "failed", "failed", "well", "failed", "failed")
    assert breaker.state == "closed"


def test_a_call_that_was_given_up_neither_counts_nor_clears(breaker: CircuitBreaker) -> None:
    calls(breaker, "failed", "failed", "withdrawn", "failed")
    assert breaker.state == "open"


def test_after_its_rest_one_call_goes_through_and_the_others_wait_for_it(
    breaker: CircuitBreaker, clock: Clock
) -> None:
    calls(breaker, "failed", "failed", "failed")
    clock.now += 9.9
    assert breaker.admit() is None
    clock.now += 0.1
    assert breaker.state == "half-open"
    admitted(breaker)
    assert breaker.admit() is None


def test_a_probe_that_goes_well_closes_it(breaker: CircuitBreaker, clock: Clock) -> None:
    calls(breaker, "failed", "failed", "failed")
    clock.now += 10
    calls(breaker, "well", "failed", "failed")
    assert breaker.state == "closed"


def test_a_probe_that_fails_makes_it_rest_again(breaker: CircuitBreaker, clock: Clock) -> None:
    calls(breaker, "failed", "failed", "failed")
    clock.now += 10
    calls(breaker, "failed")
    clock.now += 9.9
    assert breaker.admit() is None
    clock.now += 0.1
    calls(breaker, "well")
    assert breaker.state == "closed"


def test_a_probe_that_was_given_up_leaves_its_turn_to_the_next(breaker: CircuitBreaker, clock: Clock) -> None:
    calls(breaker, "failed", "failed", "failed")
    clock.now += 10
    calls(breaker, "withdrawn", "well")
    assert breaker.state == "closed"


@pytest.mark.parametrize("outcome", ["well", "failed"])
def test_a_call_from_before_it_opened_counts_no_more(
    breaker: CircuitBreaker, clock: Clock, outcome: Outcome
) -> None:
    late = [admitted(breaker) for _ in range(3)]
    calls(breaker, "failed", "failed", "failed")
    breaker.settle(late[0], outcome)
    assert breaker.admit() is None
    clock.now += 10
    calls(breaker, "well")
    for permit in late[1:]:
        breaker.settle(permit, outcome)
    calls(breaker, "failed", "failed")
    assert breaker.state == "closed"


def test_many_threads_at_its_rest_end_make_one_probe(breaker: CircuitBreaker, clock: Clock) -> None:
    calls(breaker, "failed", "failed", "failed")
    clock.now += 10
    permits: list[Permit | None] = []
    start = threading.Barrier(8)

    def ask() -> None:
        start.wait()
        permits.append(breaker.admit())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(permit is not None for permit in permits) == 1


def test_it_is_news_once_that_the_server_fails_and_once_that_it_is_back(clock: Clock) -> None:
    breaker = CircuitBreaker(1, 0.0, clock)
    outcomes: list[Outcome] = ["failed", "failed", "well", "well"]
    assert [breaker.settle(admitted(breaker), one) for one in outcomes] == [True, False, True, False]
