from __future__ import annotations

from server.visitor.sessions import ExpiringStore
from tests.clock import Clock


def test_what_was_put_is_found_until_it_is_taken() -> None:
    shelf: ExpiringStore[str] = ExpiringStore(capacity=2, keep_s=10)
    shelf.put("a", "one")
    assert shelf.get("a") == "one"
    assert shelf.take("a") == "one"
    assert shelf.take("a") is None


def test_the_oldest_goes_when_it_is_full() -> None:
    shelf: ExpiringStore[int] = ExpiringStore(capacity=2, keep_s=10)
    for number, key in enumerate("abc"):
        shelf.put(key, number)
    assert [shelf.get(key) for key in "abc"] == [None, 1, 2]
    assert len(shelf) == 2


def test_putting_again_makes_a_thing_young() -> None:
    clock = Clock()
    shelf: ExpiringStore[int] = ExpiringStore(capacity=2, keep_s=10, clock=clock)
    shelf.put("a", 1)
    clock.now = 9
    shelf.put("a", 2)
    clock.now = 18
    assert shelf.get("a") == 2
    clock.now = 19
    assert shelf.get("a") is None
    assert len(shelf) == 0
