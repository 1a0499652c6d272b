from __future__ import annotations

from functools import partial

from server.workbench.remembered import Remembered


def test_what_was_made_is_made_once_until_it_is_the_oldest() -> None:
    made: list[int] = []

    def double(number: int) -> int:
        made.append(number)
        return 2 * number

    remembered = Remembered[int, int](most=2)
    assert [remembered.get(key, partial(double, key)) for key in (1, 1, 2, 3, 1)] == [2, 2, 4, 6, 2]
    assert made == [1, 2, 3, 1]
