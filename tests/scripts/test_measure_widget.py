from __future__ import annotations

import pytest

pytest.importorskip("playwright")

import json

from scripts.research.measure_widget import LOADED, OPENED, Measured, Tasks, host_tasks, lines

MEASURED = Measured(
    loader_bytes=2_990,
    chat_page_bytes=26_226,
    requests_until_the_first_answer=2,
    load_ms=31.25,
    load_without_ms=20.0,
    open_ms=2.0,
    longest_at_load_ms=9.5,
    longest_at_load_without_ms=9.0,
    longest_at_opening_ms=1.0,
    cookies=0,
    stored_on_the_page=0,
    kept_by_the_chat_page="",
    requests=(("/widget.js", 2_990), ("/chat/events/…", None)),
)


def test_the_figures_are_a_line_each_with_their_units() -> None:
    printed = {line[:44].strip(): line[44:] for line in lines(MEASURED)}
    assert printed["loader, compressed"] == "2,990 bytes"
    assert printed["main thread of the host page, at load"] == "31.2 ms"
    assert printed["its longest task without the widget"] == "9.0 ms"
    assert printed["kept by the chat page in its own origin"] == "nothing"
    assert printed["/chat/events/…"] == "a stream"


def test_only_tasks_of_the_pages_own_thread_count_each_on_its_side_of_the_mark() -> None:
    def event(name: str, at: int, tid: int = 1, took_us: int = 0) -> dict[str, object]:
        return {"name": name, "ph": "X", "pid": 7, "tid": tid, "ts": at, "tdur": took_us}

    trace = [
        event("RunTask", 1, took_us=3000),
        event("RunTask", 2, tid=2, took_us=9000),
        event("Layout", 3, took_us=8000),
        event(LOADED, 4),
        event("RunTask", 5, took_us=1500),
        event(OPENED, 6),
        event("RunTask", 7, took_us=7000),
    ]
    assert host_tasks(json.dumps({"traceEvents": trace}).encode()) == Tasks([3.0], [1.5])
    assert host_tasks(json.dumps({"traceEvents": trace[:4]}).encode()) == Tasks([3.0], [])
