from __future__ import annotations

import json

from server.records import Cited, Status, Token
from server.web.sse import event_bytes, json_event
from tests.web.scripted import CITATIONS


def test_each_line_of_the_data_is_a_data_line() -> None:
    assert event_bytes("token", "a\r\nb\n") == b"event: token\ndata: a\ndata: b\ndata: \n\n"


def test_line_separators_that_are_no_line_breaks_to_sse_stay_inside_the_json() -> None:
    data = json_event(Token("a\u2028b\x85c\n")).decode().split("data: ", 1)[1]
    assert json.loads(data) == {"text": "a\u2028b\x85c\n"}


def test_events_carry_their_kind_and_their_content() -> None:
    assert json_event(Status("retrieve")) == b'event: status\ndata: {"step":"retrieve"}\n\n'
    cited = json_event(Cited(CITATIONS[0])).decode()
    assert cited.startswith("event: citation\n")
    assert json.loads(cited.split("data: ", 1)[1])["title"] == "Transfer Students"
