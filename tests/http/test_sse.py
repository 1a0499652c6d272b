from __future__ import annotations

import json
import re

from hypothesis import given
from hypothesis import strategies as st

from server.llm.wire import EventReader
from server.models import Cited, Status, Token
from server.visitor.api import event_bytes, json_event
from tests.scripted_app import CITATIONS


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


def received(raw: bytes) -> list[tuple[str, str]]:
    """What a browser makes of a stream (HTML standard, 9.2.6): each event's kind and data."""
    kind, data = "", ""
    events = []
    for line in re.split("\r\n|\r|\n", raw.decode()):
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if line == "":
            events += [(kind, data[:-1])] if data else []
            kind, data = "", ""
        elif field == "event":
            kind = value
        elif field == "data":
            data += value + "\n"
    return events


# Neither JSON nor a form carries half a character, and the model's are replaced (llm/wire.py).
TEXTS = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("\r\n:\u2028\x85\0"), max_size=30)


@given(st.lists(TEXTS, max_size=4))
def test_a_browser_gets_back_the_texts_that_were_sent(texts: list[str]) -> None:
    """Line ends of all three kinds arrive as one, as in HTML; in JSON they arrive as they were."""
    raw = b"".join(event_bytes("answer", text) for text in texts)
    plain = [text.replace("\r\n", "\n").replace("\r", "\n") for text in texts]
    assert received(raw) == [("answer", text) for text in plain]
    assert list(EventReader().feed(raw)) == plain
    tokens = received(b"".join(json_event(Token(text)) for text in texts))
    assert [(kind, json.loads(data)["text"]) for kind, data in tokens] == [("token", text) for text in texts]
