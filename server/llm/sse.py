"""Server-sent events as they come over the wire, in blocks cut anywhere.

Lines and events as the HTML standard has them (section 9.2.6, "Interpreting an event stream"); only the
`data` of an event is of interest here.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r")


class EventReader:
    """Puts blocks together to lines and lines to events.

    A line is decoded when it is whole, so a block may end in the middle of a character. A long line that
    comes in many blocks takes no longer than one that comes in few.
    """

    def __init__(self) -> None:
        self._begun: list[bytes] = []  # of the line that is not whole yet
        self._data: list[str] = []
        self._after_cr = False
        self._at_start = True

    def feed(self, block: bytes) -> Iterator[str]:
        """The data of each event that this block completes."""
        if not block:
            return
        if self._after_cr:  # a CR ended the last line; an LF that follows belongs to it
            block = block.removeprefix(b"\n")
        self._after_cr = block.endswith(b"\r")
        *ends, rest = _LINE_END.split(block)
        for end in ends:
            line, self._begun = b"".join([*self._begun, end]), []
            if (event := self._take(line)) is not None:
                yield event
        if rest:
            self._begun.append(rest)

    def _take(self, line: bytes) -> str | None:
        """One line; an empty one ends an event. A byte order mark before the first belongs to none."""
        if self._at_start:
            line, self._at_start = line.removeprefix(codecs.BOM_UTF8), False
        if not line:
            data, self._data = self._data, []
            return "\n".join(data) if data else None
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
        return None
