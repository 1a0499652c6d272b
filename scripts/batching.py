"""What goes through a network together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def by_length(lengths: Sequence[int], size: int) -> Iterator[list[int]]:
    """The places of things of about one length together, `size` at a time and the shortest first: so little
    of a batch is padding."""
    order = sorted(range(len(lengths)), key=lengths.__getitem__)
    return (order[first : first + size] for first in range(0, len(order), size))
