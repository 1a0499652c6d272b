from __future__ import annotations

import pytest

pytest.importorskip("playwright")
from scripts.measure_widget import Measured, lines

MEASURED = Measured(
    loader_bytes=2_990,
    chat_page_bytes=26_226,
    requests_until_the_first_answer=2,
    load_ms=1.25,
    open_ms=2.0,
    long_at_load_ms=[51.0, 72.4],
    long_at_load_without_ms=[],
    long_at_opening_ms=[],
    cookies=0,
    stored_on_the_page=0,
    kept_by_the_chat_page="",
    requests=(("/widget.js", 2_990), ("/chat/events/…", None)),
)


def test_the_figures_are_a_line_each_with_their_units() -> None:
    printed = {line[:44].strip(): line[44:] for line in lines(MEASURED, 5)}
    assert printed["loader, compressed"] == "2,990 bytes"
    assert printed["main thread of the host page, at load"] == "1.2 ms more than without"
    assert printed["tasks over 50 ms in 5 loads"] == "2, the longest 72 ms"
    assert printed["tasks over 50 ms in 5 openings"] == "none"
    assert printed["kept by the chat page in its own origin"] == "nothing"
    assert printed["/chat/events/…"] == "a stream"
