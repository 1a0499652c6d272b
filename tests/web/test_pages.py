from __future__ import annotations

import re
from typing import Any

import pytest
from litestar.testing import TestClient

from tests.web.scripted import DEADLINE, ScriptedParts

Client = TestClient[Any]


def conversation_id(page: str) -> str:
    found = re.search(r'name="conversation_id" value="([^"]+)"', page)
    assert found
    return found[1]


def event_path(partial: str) -> str:
    found = re.search(r'sse-connect="([^"]+)"', partial)
    assert found
    return found[1]


def ask(client: Client, question: str) -> str:
    """The whole event stream to a question asked htmx's way."""
    partial = client.post("/chat/ask", data={"question": question}).text
    return client.get(event_path(partial)).text


@pytest.mark.parametrize("path", ["/", "/chat"])
def test_the_chat_page_is_a_form_that_works_without_script(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.headers["cache-control"] == "no-store"
    assert '<form method="post" action="/chat?site=main#latest"' in response.text
    assert "Ask Larkmoor University" in response.text
    assert "They may be incomplete" in response.text


def test_pages_hold_no_inline_script_or_style(client: Client) -> None:
    for path in ("/chat", "/demo", "/nope"):
        page = client.get(path, headers={"Accept": "text/html"}).text
        assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=", page)


def test_without_script_the_whole_conversation_comes_back_on_a_page(client: Client) -> None:
    first = client.post("/chat", data={"question": "When is it?"})
    assert first.status_code == 200
    assert "When is it?" in first.text
    assert '<a class="page-link" href="https://www.larkmoor.example/admissions/transfer"' in first.text
    assert f"<mark>{DEADLINE}</mark>" in first.text
    second = client.post(
        "/chat", data={"question": "And now?", "conversation_id": conversation_id(first.text)}
    )
    assert second.text.index("When is it?") < second.text.index("And now?")
    assert conversation_id(second.text) == conversation_id(first.text)


def test_a_stranger_to_the_id_sees_nothing_of_the_conversation(client: Client) -> None:
    client.post("/chat", data={"question": "My secret question?"})
    assert "secret" not in client.post("/chat", data={"question": "Hello?"}).text


@pytest.mark.parametrize(
    ("question", "status", "sentence"),
    [
        ("", 400, "The question is empty."),
        ("x" * 201, 413, "The question has 201 characters; 200 are the most."),
        ("unready", 503, "Answers are not available at the moment."),
        ("explode", 500, "Something went wrong on our side."),
    ],
)
def test_without_script_a_failure_says_why_and_keeps_what_was_typed(
    client: Client, question: str, status: int, sentence: str
) -> None:
    response = client.post("/chat", data={"question": question, "conversation_id": "0123456789abcdef"})
    assert response.status_code == status
    assert sentence in response.text
    assert f">\n{question}</textarea>" in response.text
    assert conversation_id(response.text) == "0123456789abcdef"


def test_a_question_is_shown_as_text(client: Client) -> None:
    page = client.post("/chat", data={"question": "<script>alert(1)</script>"}).text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "<script>alert" not in page


def test_a_refusal_shows_the_closest_pages_and_a_person_to_ask(client: Client) -> None:
    page = client.post("/chat", data={"question": "Any nobel prize?"}).text
    assert 'href="https://www.larkmoor.example/academics/physics"' in page
    assert 'href="https://www.larkmoor.example/contact"' in page
    assert 'href="javascript:' not in page


def test_htmx_gets_the_question_and_a_bubble_that_opens_the_events(client: Client) -> None:
    partial = client.post("/chat/ask", data={"question": "When?"}).text
    assert '<p class="message-text">When?</p>' in partial
    assert '<p id="announce" hx-swap-oob="innerHTML">Searching…</p>' in partial
    assert "<html" not in partial


def test_the_events_are_pieces_of_the_page_and_end_with_the_answer(client: Client) -> None:
    stream = ask(client, "When?")
    names = re.findall(r"^event: (\w+)$", stream, re.MULTILINE)
    assert names == ["status", "status", "token", "token", "final"]
    assert "data: Writing the answer…" in stream
    assert "Answer: The deadline for fall" in stream
    assert stream.count("2 sources follow.") == 1


def test_the_same_answer_looks_the_same_both_ways(client: Client) -> None:
    page = client.post("/chat", data={"question": "When?"}).text
    stream = ask(client, "When?").replace("data: ", "")
    start = "<h4>Sources</h4>"
    assert _same_ids(page.split(start)[1].split("</ol>")[0]) == _same_ids(
        stream.split(start)[1].split("</ol>")[0]
    )


def _same_ids(html: str) -> str:
    return re.sub(r"[0-9a-f]{32}", "ID", html)


def test_events_are_given_out_once_and_a_second_time_say_so(client: Client) -> None:
    path = event_path(client.post("/chat/ask", data={"question": "When?"}).text)
    client.get(path)
    again = client.get(path)
    assert again.status_code == 200
    assert again.text.startswith("event: final\n")
    assert "no longer waiting" in again.text


@pytest.mark.parametrize("question", ["unready", "break"])
def test_a_failure_in_the_events_ends_them_with_a_sentence(client: Client, question: str) -> None:
    stream = ask(client, question)
    assert stream.count("event: final") == 1
    assert "data-failed" in stream
    assert "Answers are not available at the moment." in stream


def test_a_conversation_goes_on_htmxs_way(client: Client, parts: ScriptedParts) -> None:
    chat = conversation_id(client.get("/chat").text)
    for question in ("One?", "Two?"):
        partial = client.post("/chat/ask", data={"question": question, "conversation_id": chat}).text
        client.get(event_path(partial))
    assert [turn[1] for turn in parts.asker.asked[1].history if turn[0] == "user"] == ["One?"]


def test_the_widgets_page_stays_the_widgets_page(client: Client) -> None:
    page = client.get("/chat?site=library&embed=1").text
    assert 'action="/chat?site=library&amp;embed=1#latest"' in page
    assert 'data-frame-origins="https://library.larkmoor.example"' in page
    assert "Ask Finch Library" in page
    answered = client.post("/chat?site=library&embed=1", data={"question": "When?"}).text
    assert "chat-embedded" in answered
    assert 'href="/chat?site=library&amp;embed=1"' in answered


def test_a_site_that_is_none_is_a_404_with_a_way_to_one_that_is(client: Client) -> None:
    page = client.get("/chat?site=../x", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert 'href="/chat?site=main"' in page.text


def test_a_form_on_a_strangers_page_is_turned_away(client: Client, parts: ScriptedParts) -> None:
    strange = {"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    for path in ("/chat", "/chat/ask"):
        assert client.post(path, data={"question": "When?"}, headers=strange).status_code == 403
    assert parts.asker.asked == []


def test_the_demo_page_embeds_the_widget_by_one_line(client: Client) -> None:
    assert '<script src="/widget.js" data-site="main" async></script>' in client.get("/demo").text
