"""A value that another process may change."""

from __future__ import annotations

from server.ask.curated import PolledCache
from server.errors import StorageError


class Source:
    def __init__(self) -> None:
        self.number, self.reads, self.is_down = 1, 0, False

    def version(self) -> str:
        if self.is_down:
            raise StorageError("The disk is full.")
        return str(self.number)

    def read(self, before: int) -> int:
        self.reads += 1
        return before + self.number


def test_it_is_read_anew_when_its_version_is_another_and_looked_after_now_and_then() -> None:
    source, times = Source(), iter([0.0] * 6 + [5.0] * 6)
    value = PolledCache(0, source.version, source.read, look_every_s=5, clock=lambda: next(times))
    assert [value.get(), value.get()] == [1, 1]
    source.number = 2
    assert value.get() == 1
    assert [value.get() for _ in range(3)][-1] == 3
    assert source.reads == 2


def test_a_change_of_ones_own_is_seen_at_once() -> None:
    source = Source()
    value = PolledCache(0, source.version, source.read, look_every_s=1000)
    assert value.get() == 1
    source.number = 2
    assert value.get() == 1
    value.invalidate()
    assert value.get() == 3


def test_what_is_known_stays_while_the_source_fails() -> None:
    source = Source()
    value = PolledCache(0, source.version, source.read, look_every_s=0)
    assert value.get() == 1
    source.is_down, source.number = True, 5
    assert value.get() == 1
    source.is_down = False
    assert value.get() == 6
